"""Recovery of support weapons and Guns, table 7."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.rules.inputs.units import RosterUnit
from tests.examples import odds, play_example
from tests.refusing import refuses


def recover(dice: list[int], **given: object) -> dict[str, Any]:
    return play_example("asl", "recover", given, dice).out


def test_a_squad_picks_up_a_weapon_in_its_mph() -> None:
    """Case D costs one MF; 4 with CX is 5, which is enough."""
    assert recover([4], cx=True) == {
        "case": "d",
        "drm": 1,
        "total": 5,
        "result": "recovered",
        "mf": 1,
        "sole_action": False,
    }


def test_night_in_the_jungle() -> None:
    """3 + CX 1 + night 1 + jungle 2 is 7, over 5."""
    out = recover([3], phase="rally", cx=True, night=True, jungle=True)
    assert (out["case"], out["drm"], out["total"], out["result"]) == ("b", 4, 7, "failed")
    assert out["sole_action"] is True
    assert out["mf"] == 0


@pytest.mark.parametrize(
    ("phase", "source", "case", "sole"),
    [
        ("rally", "broken-unit", "e", True),
        ("friendly-mph", "broken-unit", "g", False),
        ("rally", "lost-unit", "f", False),
        ("rout", "lost-unit", "f", False),
        ("friendly-aph", "lost-unit", "f", False),
        ("enemy-defensive-fire", "lost-unit", "f", False),
    ],
)
def test_what_only_a_smc_may_take(phase: str, source: str, case: str, sole: bool) -> None:
    given = {"phase": phase, "from": source}
    smc = recover([5], by="smc", **given)
    assert (smc["case"], smc["result"], smc["mf"], smc["sole_action"]) == (
        case,
        "recovered",
        0,
        sole,
    )
    mmc = recover([], by="mmc", **given)
    assert mmc == {"case": "none", "result": "not-allowed", "mf": 0, "sole_action": False}


@pytest.mark.parametrize(
    ("phase", "source"),
    [
        ("rout", "unpossessed"),
        ("friendly-aph", "unpossessed"),
        ("rout", "broken-unit"),
        ("friendly-aph", "broken-unit"),
    ],
)
def test_what_the_table_does_not_allow_rolls_no_die(phase: str, source: str) -> None:
    assert recover([], phase=phase, by="smc", **{"from": source})["result"] == "not-allowed"


def test_odds_of_a_recovery() -> None:
    """With +2 only 1, 2 and 3 recover."""
    assert odds("asl", "recover", {"jungle": True}) == {
        "recovered": Fraction(3, 6),
        "failed": Fraction(3, 6),
    }
    assert odds("asl", "recover", {"phase": "rout"}) == {"not-allowed": Fraction(1)}


def test_names_that_no_roster_knows_are_for_the_report() -> None:
    played = play_example("asl", "recover", {"unit": "Sgt. Hill", "weapon": "HMG"}, [2])
    assert played.resolution.headline == "HMG recovered"
    assert played.resolution.unit_words == (("Sgt. Hill", "recovered"),)
    assert played.resolution.changes == ()


def test_the_weapon_goes_to_what_the_unit_holds() -> None:
    squad = RosterUnit("1st Squad", "us1", "squad", numbers={"holds": "DC"})
    given = {"unit": "us1", "weapon": "HMG"}
    played = play_example("asl", "recover", given, [2], {"us1": squad, "1st squad": squad})
    (change,) = played.resolution.changes
    assert (change.unit, change.set) == ("1st Squad", {"holds": "DC,HMG"})
    failed = play_example("asl", "recover", given, [6], {"us1": squad})
    assert failed.resolution.changes == ()


def test_a_word_that_is_no_phase_is_refused() -> None:
    with refuses("bad-value phase"):
        recover([], phase="prep-fire")


def test_a_leader_of_the_roster_is_a_smc_without_saying_so() -> None:
    """Case E takes a SMC: the leader may try and rolls 4, the squad beside him may not, and is
    told why.
    """
    leader, squad = RosterUnit("Lt. Orr", "us1", "leader"), RosterUnit("1st Squad", "us2", "squad")
    roster = {"us1": leader, "us2": squad}
    given = {"phase": "rally", "from": "broken-unit"}
    assert play_example("asl", "recover", {**given, "unit": "us1"}, [4], roster).out["case"] == "e"
    refused = play_example("asl", "recover", {**given, "unit": "us2"}, [], roster)
    assert (refused.out["result"], refused.lines[0].result) == (
        "not-allowed",
        "case E is only for an SMC",
    )
    typed = play_example("asl", "recover", {**given, "unit": "us1", "by": "mmc"}, [], roster)
    assert typed.out["result"] == "not-allowed"


def test_a_weapon_is_held_once_however_the_list_is_typed() -> None:
    squad = RosterUnit("1st Squad", "us1", "squad", numbers={"holds": "LMG, DC"})
    again = play_example("asl", "recover", {"unit": "us1", "weapon": "DC"}, [2], {"us1": squad})
    assert again.resolution.changes == ()
    more = play_example("asl", "recover", {"unit": "us1", "weapon": "MMG"}, [2], {"us1": squad})
    assert more.resolution.changes[0].set == {"holds": "LMG,DC,MMG"}


def test_the_weapon_leaves_the_one_who_held_it() -> None:
    """A weapon by its kind leaves the holder that is named; without one the answer says what to
    do.
    """
    leader, broken = (
        RosterUnit("Orr", "us1", "leader"),
        RosterUnit("B", "us2", "squad", numbers={"holds": "DC, LMG"}, state="broken"),
    )
    roster = {"orr": leader, "b": broken}
    given = {"phase": "rally", "from": "broken-unit", "unit": "Orr", "weapon": "LMG"}
    named = play_example("asl", "recover", {**given, "holder": "B"}, [2], roster)
    assert [(change.unit, change.set) for change in named.resolution.changes] == [
        ("B", {"holds": "DC"}),
        ("Orr", {"holds": "LMG"}),
    ]
    unnamed = play_example("asl", "recover", given, [2], roster)
    assert "Remove LMG from its last holder" in unnamed.resolution.next_steps[-1]
    assert [change.unit for change in unnamed.resolution.changes] == ["Orr"]
    failed = play_example("asl", "recover", {**given, "holder": "B"}, [6], roster)
    assert failed.resolution.changes == ()
