"""A squad's state, grade and leader count for its men.

The roster is that of the shortest game in which they matter: squad Alpha (5 men, elite, broken) with
the soldier Bob and the leader Sarge (rating 2).
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.rules.inputs.units import RosterUnit
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.sequence import Line
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import count_odds
from bot.ui.reply.reply import Reply
from tests.examples import play_example
from tests.playing import Channel
from tests.refusing import refuses
from tests.rulesets.baps.rosters import roster, unit

ALPHA = unit("Alpha", "squad", state="broken", men=5, grade="elite")
BOB = unit("Bob", weapon="rifle-semi", squad="Alpha")
SARGE = unit("Sarge", "leader", lr=2, squad="Alpha")
UNITS = roster(ALPHA, BOB, SARGE)
SHOT = {"attackers": "Bob", "range": 20, "targets": 1}

COUNTED: tuple[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]], ...] = (
    ("random-order", {"unit": "Bob"}, {"morale": "bad", "grade": "elite"}, {"morale": "none"}),
    ("fire", SHOT, {"leader": 2}, {"leader": 0}),
    ("morale-check", {"unit": "Alpha"}, {"leader": 2, "state": "broken"}, {"leader": 0}),
    ("morale-check", {"unit": "Alpha", "leader": 0}, {"state": "broken"}, {"state": "none"}),
)
"""A sequence, what is typed for it, the same with all that counts typed, and what leaves it out."""


@pytest.mark.parametrize(("sequence", "given", "typed", "without"), COUNTED)
def test_what_counts_is_what_could_be_typed(
    sequence: str, given: dict[str, Any], typed: dict[str, Any], without: dict[str, Any]
) -> None:
    """The odds with the squad are those with the option typed, and differ from those without."""
    counted = odds_of(sequence, given)
    assert counted == odds_of(sequence, given | typed)
    assert counted != odds_of(sequence, given | without)


def odds_of(sequence: str, given: dict[str, Any]) -> Distribution:
    """The exact odds with the roster above."""
    return count_odds(find_shared_system("baps").find_sequence(sequence), given, (), UNITS)


def test_a_soldier_of_a_broken_squad_rolls_on_bad_morale() -> None:
    """Bad Morale, 1: attempt to surrender, with a double dagger; the grade is that of the squad."""
    out = play_example("baps", "random-order", {"unit": "Bob"}, [1], UNITS).out
    assert (out["order"], out["mark"]) == ("surrender", "double-dagger")
    good = play_example("baps", "random-order", {"unit": "Bob", "morale": "good"}, [1], UNITS).out
    assert (good["order"], good["may_change"]) == ("sprint-away-enemy", True)
    assert not order_of(unit("Bob", grade="green", squad="Alpha"), [1])["may_change"]


def order_of(soldier: RosterUnit, dice: list[int]) -> Any:
    """The random order of a soldier of Alpha, rolled on good morale."""
    units = roster(ALPHA, soldier)
    given = {"unit": soldier.name, "morale": "good"}
    return play_example("baps", "random-order", given, dice, units).out


def test_the_leader_of_a_broken_squad_has_no_die() -> None:
    """The rating alone, 2; suppressed it is 0, whatever the squad is; a squad has no points."""
    given = {"unit": "Sarge"}
    assert play_example("baps", "leader-points", given, [], UNITS).out["points"] == 2
    left_out = given | {"state": "none"}
    assert play_example("baps", "leader-points", left_out, [3], UNITS).out["points"] == 5
    suppressed = roster(ALPHA, unit("Sarge", "leader", state="suppressed", lr=2, squad="Alpha"))
    assert play_example("baps", "leader-points", given, [], suppressed).out["points"] == 0
    with refuses("wrong-type"):
        play_example("baps", "leader-points", {"unit": "Alpha"}, [4], UNITS)


def test_a_new_leader_is_rated_by_the_grade_of_the_squad() -> None:
    """A 5 is a higher rating with an elite squad than with a green one; the leader's own is first."""
    given = {"unit": "Sarge"}
    by_squad = play_example("baps", "leader-rating", given, [5], UNITS).out
    assert by_squad == play_example("baps", "leader-rating", {"grade": "elite"}, [5]).out
    green = roster(ALPHA, unit("Sarge", "leader", grade="green", squad="Alpha"))
    assert play_example("baps", "leader-rating", given, [5], green).out != by_squad


@pytest.mark.parametrize(
    ("attackers", "leader", "attack"),
    [
        ("Bob", SARGE, 5),  # semi-automatic rifle at 20 inches: 3, and 2 for Sarge
        ("Bob; Sarge", unit("Sarge", "leader", lr=2, squad="Alpha", weapon="rifle-semi"), 6),
        ("Bob", unit("Sarge", "leader", state="killed", lr=2, squad="Alpha"), 3),
        ("Bob", unit("Sarge", "leader", lr=2, squad="Beta"), 3),
        ("Bob", unit("Sarge", "leader", lr=-1, squad="Alpha"), 2),
        ("soldier weapon=rifle-semi", SARGE, 3),
    ],
)
def test_a_leader_of_the_squad_who_does_not_fire_adds_the_rating(
    attackers: str, leader: RosterUnit, attack: int
) -> None:
    units = roster(ALPHA, BOB, leader)
    given = SHOT | {"attackers": attackers}
    assert play_example("baps", "fire", given, [20], units).out["attack"] == attack


def test_firers_of_two_squads_are_no_one_unit() -> None:
    """Nobody leads both."""
    units = roster(ALPHA, BOB, SARGE, unit("Beta", "squad"), unit("Cy", squad="Beta"))
    given = SHOT | {"attackers": "Bob; Cy weapon=rifle-semi"}
    assert play_example("baps", "fire", given, [20], units).out["attack"] == 6


def test_a_morale_check_by_hand() -> None:
    """4 + 2 broken + 3 in the open - 1 elite - 2 for Sarge = 6."""
    assert play_example("baps", "morale-check", {"unit": "Alpha"}, [4], UNITS).out["total"] == 6


async def test_a_game_names_it_stores_it_and_counts_anew() -> None:
    """The line names Sarge; the event holds him as he was; *Again* counts what is true by then."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start baps sides=US,German",
        "unit add Alpha squad side=US men=5 grade=elite",
        "unit add Bob soldier side=US weapon=rifle-semi squad=Alpha",
        "unit add Sarge leader side=US lr=2 squad=Alpha",
        "unit add Gren soldier side=German",
        "unit edit Alpha state=broken",
    )
    shot = "baps fire attackers=Bob range=20 targets=Gren"
    assert "From Sarge: leader 2." in (await channel.do("Anna", f"{shot} odds")).format_text()
    assert ("Sarge", 2) in parts(await channel.do("Anna", f"{shot} hand=1,6"))
    event = await last(channel)
    assert [source["name"] for source in event["sources"]] == ["Sarge"]
    assert [used["name"] for used in event["used"]] == ["Bob", "Gren"]
    assert "leader" not in event["inputs"]
    number = event["number"]
    order = await channel.do("Anna", "baps random-order unit=Bob hand=1")
    assert "From Alpha: morale bad, grade elite." in order.format_text()
    await channel.do("Anna", "unit edit Sarge lr=1")
    again = await channel.press("Anna", await channel.under(number, "again"))
    assert ("Sarge", 1) in parts(again)
    assert "leader" not in (await last(channel))["inputs"]


def parts(reply: Reply) -> list[tuple[str, int | float]]:
    """The modifiers in the lines of an answer."""
    return [part for line in reply.lines if isinstance(line, Line) for part in line.parts]


async def last(channel: Channel) -> dict[str, Any]:
    """The last event of the game."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return (await channel.app.store.load_events(loaded.row, newest_first=True))[0].data
