"""The Salt Road: hands, cards that are used in three ways, battles that draw; odds beside a count
by hand, and an evening that takes cards as they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.packs.check import check_content
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import read_content
from bot.rulesets.packs.pack import PackSystem, load_pack
from bot.ui.form.form import Room, build_form
from bot.ui.typing.complete import CompletionContext
from tests.examples import lookup, odds
from tests.packs.evening import (
    Player,
    Say,
    agreed,
    by_post,
    on_discord_by,
    on_slack_by,
    on_the_console_by,
    proved,
)
from tests.packs.salt_road_helpers import (
    SIDES,
    Year,
)
from tests.playing import Channel
from tools.fuzz import FuzzTally, play_random_games

pytestmark = pytest.mark.scenes(8)


@pytest.fixture
def salt_road(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "packs" / "salt-road"
    use_packs(folder)
    return folder


FATE = (
    [(0, False)] * 2
    + [(1, False)] * 2
    + [(1, True)] * 2
    + [(2, False)] * 3
    + [(2, True)]
    + [(3, False)] * 3
)
FATE += [(3, True)] + [(4, False)] * 3 + [(5, False)] * 2 + [(6, False)]
"""Value and mud of each card of fate."""


def by_hand(ahead: int, there: int, answer: str) -> dict[str, Fraction]:
    """The results of a battle by all pairs of cards, where the attack is so far ahead of the
    defense without them.
    """
    found = Counter[str]()
    for (ours, wet), (theirs, also_wet) in permutations(FATE, 2):
        difference = ahead + ours - theirs
        lost = 0 if difference < 0 else 1 if difference <= 4 else 2 if difference <= 7 else 3
        if there <= lost:
            found["wiped-out"] += 1
        elif difference <= 1:
            found[
                "repulsed" if difference <= -5 else "fought-off" if difference < 0 else "held"
            ] += 1
        elif wet or also_wet:
            found["bogged"] += 1
        else:
            found["stood" if answer == "stand" and there - lost > 2 else "driven-back"] += 1
    return {result: Fraction(count, 20 * 19) for result, count in found.items()}


@pytest.mark.parametrize("answer", ["back", "stand"])
@pytest.mark.parametrize(
    ("attackers", "target", "ahead", "there"),
    [
        ("duke men=6 area=market support=0", "league men=5 area=ford support=0", 1, 5),
        (
            "duke men=6 area=ford support=4; duke men=3 area=market",
            "league men=7 area=tower support=1",
            None,
            7,
        ),
        (
            "duke men=6 area=ford support=0",
            "league men=2 area=mill support=0; league men=2 area=mill",
            2,
            4,
        ),
        ("league men=9 area=ford support=0", "duke men=1 area=harbor support=0", 5, 1),
        ("league men=5 area=mill support=0", "duke men=3 area=fen support=2", -1, 3),
    ],
)
def test_odds_of_a_battle(
    salt_road: Path, answer: str, attackers: str, target: str, ahead: int | None, there: int
) -> None:
    given = {"attackers": attackers, "target": target, "answer": answer}
    if ahead is None:  # from two areas at once, only one of them is beside it
        given["attackers"], ahead = (
            "duke men=6 area=mines support=4; duke men=3 area=market",
            13 - 10,
        )
    found = odds("salt-road", "attack", given, "result")
    assert {str(key): share for key, share in found.items()} == by_hand(ahead, there, answer)


def test_the_table_of_cards_says_what_the_decks_say(salt_road: Path) -> None:
    pack = load_pack(salt_road)
    assert isinstance(pack, PackSystem)
    for deck in ("duke", "league"):
        made = pack.decks[deck]
        assert sum(count for _, count in made.deck.cards) == 16
        for card, said in made.said.items():
            table = {
                what: lookup("salt-road", "cards", card=card, what=what)["value"] for what in said
            }
            assert table == dict(said), card


async def test_it_passes_the_check_and_says_what_cannot_be_done(salt_road: Path) -> None:
    report = check_content(read_content(salt_road))
    assert (report.faults, report.questions) == ((), ())
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start salt-road "First year" scenario=year', "game join Duke", "game next"
    )
    await channel.fails("Anna", "salt-road march Foot market", "That takes 1 order; 0 are left")
    await channel.fails("Anna", "salt-road use couriers orders", "Couriers is not in play.")
    cards = "couriers,harbor dues,lancers,pardon,levy"
    await channel.do("Anna", "game settings hand_dice=yes", f"deck draw duke hand='{cards}'")
    await channel.fails(
        "Anna", "salt-road use harbor-dues support units=Foot", "harbor dues gives no support"
    )
    await channel.fails("Anna", "salt-road use lancers support", "Which of your armies")
    await channel.fails("Anna", "salt-road use pardon event", "Which enemy army")
    await channel.do("Anna", "salt-road use couriers orders")
    await channel.fails(
        "Anna", "salt-road march Foot ford", "Foot is at abbey, which is not next to ford"
    )
    await channel.fails(
        "Anna", "salt-road attack Foot Rangers", "Foot is at abbey, which is not next to tower"
    )
    await channel.do("Anna", "salt-road march Foot market")
    await channel.do("Anna", "salt-road attack Foot Rangers hand=lost-orders,good-ground")
    await channel.fails(
        "Anna", "salt-road attack Foot Rangers", "Foot has already attacked this turn"
    )
    await channel.fails("Anna", "salt-road muster Foot 2", "That takes 2 orders; 1 is left")
    await channel.do(
        "Anna", "salt-road use levy event units=Levies", "salt-road use pardon event target=Pikemen"
    )
    await channel.fails("Anna", "salt-road use pardon orders", "Pardon is not in play.")
    await channel.fails(
        "Anna", "salt-road use lancers orders", "You have played your three cards this turn"
    )
    units = (await channel.game()).units
    assert (units["levies"].numbers["men"], units["pikemen"].numbers["men"]) == (7, 3)


async def test_what_a_beaten_army_may_do_and_what_areas_count(salt_road: Path) -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start salt-road "First year" scenario=year', "game settings hand_dice=yes"
    )
    await channel.do(
        "Anna", "game join Duke", "game next", "unit edit Household area=ford", "track set orders 3"
    )
    await channel.do("Ben", "game join League", "unit edit Pikemen area=mill men=6")
    await channel.do("Anna", "salt-road attack Household Pikemen hand=good-ground,lost-orders")
    await channel.do("Ben", "choose option=stand")
    units = (await channel.game()).units
    assert (units["pikemen"].numbers["men"], units["pikemen"].numbers["area"]) == (3, "mill")
    assert (units["household"].numbers["men"], units["household"].numbers["area"]) == (5, "ford")
    await channel.do(
        "Anna",
        "unit edit Foot area=ford",
        "salt-road attack Foot Pikemen hand=steady-drums,slow-start",
    )
    units = (await channel.game()).units
    assert (units["pikemen"].numbers["men"], units["pikemen"].numbers["area"]) == (2, "pass"), (
        "too few to be asked"
    )
    assert units["foot"].numbers["area"] == "mill"
    await channel.do(
        "Anna",
        "unit edit Levies area=pass",
        "unit edit Levies area=mill",
        "unit edit Miners area=mines",
    )
    await channel.do(
        "Anna", "salt-road attack Levies Pikemen cut_off=yes hand=the-colonel,good-ground"
    )
    game = await channel.game()
    if game.waits:
        await channel.do("Ben", "choose option=back")
        game = await channel.game()
    before = game.tracks["Duke/points"]
    await channel.do("Anna", "unit edit Household area=mines", "game next")
    points = int(str((await channel.game()).tracks["Duke/points"])) - int(str(before))
    where = [
        unit.numbers["area"]
        for unit in game.units.values()
        if unit.side == "Duke" and unit.state != "gone"
    ]
    assert "mill" in where
    assert points == 8 + sum({"mill": 2, "pass": 4}[area] for area in {*where} - {"ford", "mines"})


async def test_who_hands_over_behind_an_answer_reads_what_it_came_to(salt_road: Path) -> None:
    """Not the question, which is answered."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start salt-road "First year" scenario=year', "game settings hand_dice=yes"
    )
    await channel.do("Ben", "game join League")
    await channel.do(
        "Anna", "game join Duke", "unit edit Foot area=market", "game next", "game initiative Duke"
    )
    await channel.do(
        "Anna", "track set orders 3", "salt-road attack Foot Rangers hand=day-of-days,slow-start"
    )
    await channel.do("Ben", "choose option=stand")
    [last, _] = (await channel.do("Anna", "game pass done")).format_body()
    assert last.startswith("Last: Stood: Foot fought")


async def test_a_hand_is_closed_and_used_card_by_card(salt_road: Path) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start salt-road "First year" scenario=year', "game join Duke")
    await channel.do("Ben", "game join League")
    drawn = await channel.do("Anna", "deck draw duke 5 to=me")
    assert drawn.private
    await channel.fails("Anna", "deck draw duke to=me", "the limit is 5")
    hand = (await channel.do("Anna", "hand")).format_text()
    assert "orders" in hand
    assert "Your hand" not in (await channel.do("Ben", "deck show duke")).format_text()


async def test_a_phase_that_names_done_has_one_such_button(salt_road: Path) -> None:
    """No platform takes two buttons that do the same."""
    channel = await Channel.fresh()
    began = await channel.do("Anna", 'game start salt-road "First year" scenario=year')
    labels = [button.label for button in began.buttons]
    assert labels == ["Join Duke", "Join League", "Draw to five", "Done", "Proof"]


def test_the_form_says_no_formulas(salt_road: Path) -> None:
    """It asks for an army only where one counts, so nobody need read when that is."""
    spec = load_shared_registry().get(("salt-road", "use"))
    assert spec is not None
    field = build_form(
        spec, {"card": "lancers", "how": "support"}, CompletionContext(), Room()
    ).find_field("units")
    assert field is not None
    assert field.hint == "Which of your armies gets the support or men."
    assert (
        build_form(
            spec, {"card": "lancers", "how": "orders"}, CompletionContext(), Room()
        ).find_field("units")
        is None
    )


async def test_random_games_of_it_are_sound(salt_road: Path) -> None:
    tally = FuzzTally()
    assert await play_random_games(find_shared_system("salt-road"), 2, 3, tally) is None
    assert tally.plays == 2


async def test_an_evening_on_the_console_with_proof(salt_road: Path, tmp_path: Path) -> None:
    pack, years = load_pack(salt_road), list[Year]()
    assert isinstance(pack, PackSystem)

    async def played(say: Say) -> None:
        years.append(Year(say, pack))
        await years[0].evening()

    channel = await on_the_console_by(played)
    game = await channel.game()
    assert game.turn == 3
    assert len(years[0].played) == 12
    for who in ("Anna", "Ben"):
        hand = (await channel.do(who, "hand")).format_text()
        names = pack.decks[SIDES[who][1]].names
        assert all(names[card] in hand for card in years[0].hands[who])
    await agreed(channel, tmp_path)
    page = await ended(channel, tmp_path)
    await agreed(channel, tmp_path)
    assert "First year" in page


async def ended(channel: Channel, tmp_path: Path) -> str:
    """The page of the game once both sides agreed to open their hands."""
    await channel.do("Ben", "hand agree")
    await channel.do("Anna", "game end confirm")
    return await proved(channel, tmp_path)


@pytest.mark.slow
async def test_the_same_evening_by_post(salt_road: Path, tmp_path: Path) -> None:
    pack = load_pack(salt_road)
    assert isinstance(pack, PackSystem)
    channel, reminders = await by_post(lambda say: Year(say, pack).evening())
    assert (await channel.game()).turn == 3
    assert reminders
    await ended(channel, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("platform", [on_discord_by, on_slack_by], ids=["discord", "slack"])
async def test_the_same_evening_elsewhere(
    platform: Callable[[Path, Player, Path], Awaitable[dict[str, object]]],
    salt_road: Path,
    tmp_path: Path,
) -> None:
    pack = load_pack(salt_road)
    assert isinstance(pack, PackSystem)
    assert (await platform(salt_road, lambda say: Year(say, pack).evening(), tmp_path))["turn"] == 3
