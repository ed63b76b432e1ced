"""What an evening costs in taps and characters on Discord and on Slack; `pytest -s` prints the
tables.

A row of `MOST` is (taps, characters) by all who take part. Commands are typed as their shortest
beginning on Discord, where the rest is offered, and in full on Slack.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.ui.form.form import FLAGS
from tests.adapters.discord.process import running as running_discord
from tests.adapters.slack.conftest import settle, socket_slack
from tests.adapters.slack.process import running as running_slack
from tests.adapters.taps_helpers import (
    MOST,
)
from tests.standins import discord as d
from tests.standins import slack as s
from tests.standins.taps import DiscordThumb, SlackThumb

__all__ = ["socket_slack"]

MENU = "Same shot, other target"


class Costs:
    """What each thing cost, held against what it may cost."""

    def __init__(self, platform: str) -> None:
        self._platform = platform
        self._most = {what: most[platform] for what, most in MOST.items() if platform in most}
        self._found: dict[str, tuple[int, int]] = {}

    def note(self, what: str, *thumbs: DiscordThumb | SlackThumb) -> None:
        """Add up what these people did since the last time."""
        spent = [thumb.spent() for thumb in thumbs]
        self._found[what] = (sum(taps for taps, _ in spent), sum(letters for _, letters in spent))

    def check(self) -> None:
        """Print the table. Raises AssertionError where something costs more than it may, or was
        left out.
        """
        print(f"\n{self._platform:<22} taps characters")
        for what, (taps, letters) in self._found.items():
            print(f"{what:<22} {taps:>4} {letters:>10}")
        assert self._found.keys() == self._most.keys()
        dear = [
            what
            for what, (taps, letters) in self._found.items()
            if taps > self._most[what][0] or letters > self._most[what][1]
        ]
        assert not dear, self._found


async def on_discord(who: d.Person, where: d.Channel, path: str, **options: object) -> d.Message:
    """The answer to a command, which all see."""
    answer = await (await who.slash(where, path, **options)).answer()
    assert not answer.ephemeral, answer.text
    return answer


async def shots_on_discord(
    costs: Costs, anna: DiscordThumb, ben: DiscordThumb, table: d.Channel
) -> None:
    """The first shot both ways, and all that follows from its answer."""
    card = await on_discord(anna.person, table, "game initiative", side="US")
    card = await on_discord(anna.person, table, "game next")
    fired = await (
        await anna.slash(table, "/lnlt fi", "lnlt fire", attackers="us3", targets="vc5", tm=1)
    ).answer()
    assert not fired.ephemeral
    costs.note("first shot, typed", anna)
    form = await anna.press(card, "Fire")
    formed = await (
        await anna.submit(form, {"Who's firing": ["us3", "us4"], "Targets": ["vc5"]})
    ).answer()
    assert "1 terrain" not in formed.text, "it belongs to the hex of the last target"
    costs.note("first shot, by form", anna)
    again = await (await anna.press(fired, "Again")).answer()
    assert not again.ephemeral
    costs.note("same shot again", anna)
    other = await (await anna.select(again, MENU, "VC Squad 6")).answer()
    assert "VC Squad 6" in other.content
    costs.note("another target", anna)
    form = await anna.press(other, "Change…")
    changed = await (await anna.submit(form, {FLAGS: ["adjacent"]})).answer()
    assert "2 adjacent" in changed.text
    costs.note("one modifier changed", anna)
    form = await anna.press(changed, "Change…")
    changed = await (await anna.submit(form, {FLAGS: ["tm=2", "adjacent"]})).answer()
    assert "2 terrain" in changed.text
    costs.note("terrain changed", anna)
    asked = await (await anna.press(changed, "Undo")).answer()
    done = await (await ben.press(asked, "Agree")).answer()
    assert "is undone" in done.text
    costs.note("undo with consent", anna, ben)
    wrong = await (
        await anna.person.slash(table, "lnlt fire", attackers="us3", targets="VC Sqaud 6")
    ).answer()
    mended = await (await anna.press(wrong, "Fire at VC Squad 6")).answer()
    assert not mended.ephemeral
    costs.note("wrong name mended", anna)
    card = await (await anna.press(card, "Pass")).answer()
    assert "VC to play" in card.content
    costs.note("hand over", anna)


async def other_things_on_discord(costs: Costs, anna: DiscordThumb, table: d.Channel) -> None:
    """Odds from a card, a look-up and its whole table, an order, and the end."""
    card = await (await anna.person.slash(table, "unit show", name="vc4")).answer()
    form = await anna.press(card, "Odds")
    odds = await (await anna.submit(form, {"Who's firing": ["us3"]})).answer()
    assert odds.ephemeral
    assert "%" in odds.text
    costs.note("odds, from a card", anna)
    dct = {"unit": "good-order-mmc", "morale": 5, "total": 11}
    found = await (await anna.slash(table, "/lnlt-t", "lnlt-table combat dct", **dct)).answer()
    costs.note("look-up", anna)
    drawn = await (await anna.press(found, "Whole table")).answer()
    assert "3x Morale" in drawn.text
    costs.note("its whole table", anna)
    written = await (
        await anna.slash(table, "/order w", "order write", text="3rd Squad moves to K7 at dusk")
    ).answer()
    assert "order" in written.text.casefold()
    costs.note("an order by post", anna)
    question = await (await anna.person.slash(table, "game end")).answer()
    over = await (await anna.press(question, "US won")).answer()
    assert over.files or "Report" in over.buttons
    anna.tap()  # the page is opened
    costs.note("the end and its report", anna)


@pytest.mark.slow
async def test_an_evening_on_discord(tmp_path: Path) -> None:
    costs = Costs("Discord")
    async with d.DiscordStandIn.running() as discord, running_discord(discord, tmp_path):
        table, village, beach = (discord.channel(name) for name in ("table", "village", "beach"))
        one, two = discord.user("Anna"), discord.user("Ben")
        anna, ben = DiscordThumb(one), DiscordThumb(two)
        started = await on_discord(
            one, table, "game start", system="lnlt", name="Hill 875", sides="US, VC"
        )
        await one.press(started, "Join US")
        await (await two.press(started, "Join VC")).answer()
        await on_discord(
            one,
            table,
            "unit add",
            name="US Squad 1..4",
            type="squad",
            side="US",
            stats="morale=5 fp=2",
        )
        await on_discord(
            two,
            table,
            "unit add",
            name="VC Squad 1..6",
            type="squad",
            side="VC",
            stats="morale=12 fp=1",
        )
        await shots_on_discord(costs, anna, ben, table)

        await on_discord(two, table, "game next")
        rally = await on_discord(one, table, "game next")
        won = await (await anna.press(rally, "Initiative")).answer()
        card = await (await anna.press(won, "Next phase")).answer()
        us = "US goes first" in card.content
        for who in (anna, ben, anna) if us else (ben, anna, ben):
            card = await (await who.press(card, "Pass")).answer()
        last = await (await anna.press(card, "Next turn")).answer()
        assert "Turn 3" in last.content
        costs.note("a turn without fire", anna, ben)
        await other_things_on_discord(costs, anna, table)

        await on_discord(one, beach, "game start", system="nhis", scenario="sandbar")
        card = await on_discord(one, beach, "game join", side="Marines")
        while "Fire" not in card.buttons:
            card = await on_discord(one, beach, "game next")
        form = await anna.press(card, "Fire")
        picked = {
            "Who's firing": ["MG Section"],
            "Targets": ["Assault Squad 1"],
            "Distance in hexes and the rest": "4",
        }
        assert not (await (await anna.submit(form, picked)).answer()).ephemeral
        costs.note("first shot with a number", anna)

        await on_discord(one, village, "game start", system="baps", name="Village", sides="US, VC")
        await on_discord(one, village, "game join", side="US")
        stats = "weapon=rifle-semi"
        units = {"name": "GI 1..12", "type": "soldier", "side": "US", "stats": stats}
        await (await anna.slash(village, "/unit a", "unit add", **units)).answer()
        costs.note("twelve units added", anna)
        await on_discord(
            one, village, "unit add", name="VC 1..9", type="soldier", side="VC", stats=stats
        )
        orders = await (
            await anna.slash(village, "/baps ra", "baps random-order", unit="GI 1..12")
        ).answer()
        assert not orders.ephemeral
        costs.note("twelve random orders", anna)
        fire = await anna.slash(
            village, "/baps fi", "baps fire", attackers="GI 1..12", range=10, targets="VC 1..9"
        )
        shot = await fire.answer()
        assert not shot.ephemeral
        costs.note("twelve men firing", anna)
        await on_discord(one, village, "unit edit", name="GI 1..3", stats="+out-or-jammed")
        volley = await (await anna.press(shot, "Again")).answer()
        assert "cannot fire" in volley.text
        costs.note("second volley, three are out", anna)
    costs.check()


async def on_slack(who: s.User, where: s.Channel, command: str, text: str) -> s.Message:
    """The answer to a command, which all see."""
    answer = await (await who.slash(where, command, text)).answer()
    assert answer.ephemeral_for is None, answer.text
    return answer


async def shots_on_slack(costs: Costs, anna: SlackThumb, ben: SlackThumb, games: s.Channel) -> None:
    """The first shot both ways, and all that follows from its answer."""
    await on_slack(anna.user, games, "/game", "initiative US")
    await on_slack(anna.user, games, "/game", "next")
    card = await anna.user.wait_for(games, "Operations: US goes first")
    fired = await (await anna.slash(games, "/lnlt", "fire us3 vc5 tm=1")).answer()
    assert fired.ephemeral_for is None
    costs.note("first shot, typed", anna)
    view = await (await anna.press(card, "Fire")).modal()
    await anna.submit(view, {"attackers": ["us3"], "targets": ["vc5"], "?flags": ["adjacent"]})
    formed = await anna.user.wait_for(games, "#9")
    assert "2 adjacent" in formed.plain
    costs.note("first shot, by form", anna)
    again = await (await anna.press(fired, "Again")).answer()
    assert again.ephemeral_for is None
    costs.note("same shot again", anna)
    other = await (await anna.choose(again, "a:menu-0", "VC Squad 6")).answer()
    assert "VC Squad 6" in other.text
    costs.note("another target", anna)
    view = await (await anna.press(other, "Change…")).modal()
    await anna.submit(view, {"?flags": ["adjacent"]})
    changed = await anna.user.wait_for(games, "#12")
    assert "2 adjacent" in changed.plain
    costs.note("one modifier changed", anna)
    asked = await (await anna.press(changed, "Undo")).answer()
    done = await (await ben.press(asked, "Agree")).answer()
    assert "is undone" in done.text
    costs.note("undo with consent", anna, ben)


@pytest.mark.slow
async def test_an_evening_on_slack(socket_slack: s.SlackStandIn, tmp_path: Path) -> None:
    costs = Costs("Slack")
    home, one, two, games = settle(socket_slack)
    village = home.channel("village")
    anna, ben = SlackThumb(one), SlackThumb(two)
    async with running_slack(socket_slack, tmp_path, home):
        await on_slack(one, games, "/game", 'start lnlt "Hill 875" sides="US, VC"')
        await on_slack(one, games, "/game", "join US")
        await on_slack(two, games, "/game", "join VC")
        await on_slack(one, games, "/unit", 'add "US Squad 1..4" squad US morale=5 fp=2')
        await on_slack(two, games, "/unit", 'add "VC Squad 1..6" squad VC morale=12 fp=1')
        await shots_on_slack(costs, anna, ben, games)

        await on_slack(one, games, "/game", "next")
        rally = await on_slack(one, games, "/game", "next")
        won = await (await anna.press(rally, "Initiative")).answer()
        card = await (await anna.press(won, "Next phase")).answer()
        us = "US goes first" in card.text
        for who in (anna, ben, anna) if us else (ben, anna, ben):
            card = await (await who.press(card, "Pass")).answer()
        last = await (await anna.press(card, "Next turn")).answer()
        assert "Turn 3" in last.text
        costs.note("a turn without fire", anna, ben)

        await on_slack(one, village, "/game", 'start baps Village sides="US, VC"')
        await on_slack(one, village, "/game", "join US")
        await on_slack(one, village, "/unit", 'add "GI 1..12" soldier US weapon=rifle-semi')
        await on_slack(one, village, "/unit", 'add "VC 1..4" soldier VC weapon=rifle-semi')
        orders = await (await anna.slash(village, "/baps", 'random-order unit="GI 1..12"')).answer()
        assert orders.ephemeral_for is None, orders.text
        costs.note("twelve random orders", anna)
        fire = await (await anna.slash(village, "/baps", 'fire "GI 1..12" 10 "VC 1..4"')).answer()
        assert fire.ephemeral_for is None, fire.text
        costs.note("twelve men firing", anna)
    costs.check()
