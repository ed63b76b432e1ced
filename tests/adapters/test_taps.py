"""What an evening costs in taps and characters on Discord and on Slack; `pytest -s` prints the tables.

A row of `MOST` is (taps, characters) by all who take part. Commands are typed as their shortest beginning on Discord,
where the rest is offered, and in full on Slack.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.interface.form import FLAGS
from tests.adapters.discord.process import running as running_discord
from tests.adapters.slack.conftest import settle, socket_slack
from tests.adapters.slack.process import running as running_slack
from tests.standins import discord as d
from tests.standins import slack as s
from tests.standins.taps import DiscordThumb, SlackThumb

__all__ = ["socket_slack"]

MENU = "Same shot, other target"
MOST = {
    "first shot, typed": {"Discord": (5, 20), "Slack": (1, 25)},
    "first shot, by form": {"Discord": (9, 0), "Slack": (11, 0)},
    "same shot again": {"Discord": (1, 0), "Slack": (1, 0)},
    "another target": {"Discord": (2, 0), "Slack": (2, 0)},
    "one modifier changed": {"Discord": (3, 0), "Slack": (5, 0)},
    "undo with consent": {"Discord": (2, 0), "Slack": (2, 0)},
    "a turn without fire": {"Discord": (8, 0), "Slack": (8, 0)},
    "twelve random orders": {"Discord": (3, 40), "Slack": (1, 40)},
    "twelve men firing": {"Discord": (5, 40), "Slack": (1, 60)},
}
"""The most taps and characters that each may cost on each platform."""


class Costs:
    """What each thing cost, held against what it may cost."""

    def __init__(self, platform: str) -> None:
        self._platform, self._most = platform, {what: most[platform] for what, most in MOST.items()}
        self._found: dict[str, tuple[int, int]] = {}

    def note(self, what: str, *thumbs: DiscordThumb | SlackThumb) -> None:
        """Add up what these people did since the last time."""
        spent = [thumb.spent() for thumb in thumbs]
        self._found[what] = (sum(taps for taps, _ in spent), sum(letters for _, letters in spent))

    def check(self) -> None:
        """Print the table. Raises AssertionError where something costs more than it may, or was left out."""
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


async def shots_on_discord(costs: Costs, anna: DiscordThumb, ben: DiscordThumb, table: d.Channel) -> None:
    """The first shot both ways, and all that follows from its answer."""
    card = await on_discord(anna.person, table, "game initiative", side="US")
    card = await on_discord(anna.person, table, "game next")
    fired = await (await anna.slash(table, "/lnlt fi", "lnlt fire", attackers="us3", targets="vc5", tm=1)).answer()
    assert not fired.ephemeral
    costs.note("first shot, typed", anna)
    form = await anna.press(card, "Fire")
    formed = await (await anna.submit(form, {"Who fires": ["us3"], "At whom": ["vc5"], FLAGS: ["adjacent"]})).answer()
    assert "2 adjacent" in formed.text
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
    asked = await (await anna.press(changed, "Undo")).answer()
    done = await (await ben.press(asked, "Agree")).answer()
    assert "is undone" in done.text
    costs.note("undo with consent", anna, ben)


@pytest.mark.xfail(reason="one modifier changed takes a tap too many in the new form", strict=False)
@pytest.mark.slow
async def test_an_evening_on_discord(tmp_path: Path) -> None:
    costs = Costs("Discord")
    async with d.DiscordStandIn.running() as discord, running_discord(discord, tmp_path):
        table, village = discord.channel("table"), discord.channel("village")
        one, two = discord.user("Anna"), discord.user("Ben")
        anna, ben = DiscordThumb(one), DiscordThumb(two)
        started = await on_discord(one, table, "game start", system="lnlt", name="Hill 875", sides="US, VC")
        await one.press(started, "Join US")
        await (await two.press(started, "Join VC")).answer()
        await on_discord(one, table, "unit add", name="US Squad 1..4", type="squad", side="US", stats="morale=5 fp=2")
        await on_discord(two, table, "unit add", name="VC Squad 1..6", type="squad", side="VC", stats="morale=12 fp=1")
        await shots_on_discord(costs, anna, ben, table)

        await on_discord(one, table, "game next")
        rally = await on_discord(one, table, "game next")
        won = await (await anna.press(rally, "Initiative")).answer()
        card = await (await anna.press(won, "Next phase")).answer()
        us = "US goes first" in card.content
        for who in (anna, ben, anna) if us else (ben, anna, ben):
            card = await (await who.press(card, "Pass")).answer()
        last = await (await anna.press(card, "Next turn")).answer()
        assert "Turn 3" in last.content
        costs.note("a turn without fire", anna, ben)

        await on_discord(one, village, "game start", system="baps", name="Village", sides="US, VC")
        await on_discord(one, village, "game join", side="US")
        stats = "weapon=rifle-semi"
        await on_discord(one, village, "unit add", name="GI 1..12", type="soldier", side="US", stats=stats)
        await on_discord(one, village, "unit add", name="VC 1..4", type="soldier", side="VC", stats=stats)
        orders = await (await anna.slash(village, "/baps ra", "baps random-order", unit="GI 1..12")).answer()
        assert not orders.ephemeral
        costs.note("twelve random orders", anna)
        fire = await anna.slash(village, "/baps fi", "baps fire", attackers="GI 1..12", range=10, targets="VC 1..4")
        assert not (await fire.answer()).ephemeral
        costs.note("twelve men firing", anna)
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
    await anna.submit(view, {"attackers": ["us3"], "targets": ["vc5"], "flags": ["adjacent"]})
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
    await anna.submit(view, {"flags": ["adjacent"]})
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
