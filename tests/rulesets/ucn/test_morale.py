"""Morale tests."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.ucn.rosters import changes, roster, unit


def morale(die: int, units: Any = None, **given: object) -> Any:
    return play_example("ucn", "morale", given, [die], units)


def test_everything_that_counts() -> None:
    given = {
        "morale": 14,
        "casualties": 1,
        "leader": "average",
        "suppression_markers": 1,
        "cover": True,
    }
    assert morale(10, **given, morale_markers=2, mod=2).out == {
        "final": 14 - 2 + 2 - 6 + 2 - 2 + 2,
        "roll": 10,
        "passed": True,
        "failed_by": 0,
        "result": "passed",
        "loses_ap": False,
    }


@pytest.mark.parametrize(
    ("die", "result"),
    [
        (10, "passed"),
        (11, "let-loose"),
        (12, "let-loose"),
        (13, "hesitant"),
        (14, "hesitant"),
        (15, "go-firm"),
        (16, "go-firm"),
        (17, "withdraw"),
        (18, "withdraw"),
        (19, "pinned"),
    ],
)
def test_how_much_it_fails_by(die: int, result: str) -> None:
    out = morale(die, morale=10).out
    assert (out["result"], out["failed_by"], out["passed"]) == (result, max(0, die - 10), die == 10)


def test_one_passes_and_twenty_fails() -> None:
    hopeless = morale(1, morale=5, suppression_markers=3).out
    assert (hopeless["final"], hopeless["passed"]) == (-13, True)
    certain = morale(20, morale=25).out
    assert (certain["passed"], certain["failed_by"], certain["result"]) == (False, 1, "let-loose")
    assert certain["loses_ap"]
    far = morale(20, morale=5).out
    assert (far["failed_by"], far["result"], far["loses_ap"]) == (15, "pinned", True)


@pytest.mark.parametrize(
    ("die", "new"),
    [
        (8, {"state": "ready"}),
        (9, {"state": "let-loose", "spent": 3, "mark": {"firm", "reload"}}),
        (11, {"state": "hesitant-morale"}),
        (13, {"state": "go-firm"}),
        (15, {"state": "withdraw"}),
        (17, {}),
        (20, {"spent": 3}),
    ],
)
def test_the_roster_brings_numbers_and_takes_the_result(die: int, new: dict[str, object]) -> None:
    """Morale 17, one casualty, one marker of each kind: 8. It was pinned before."""
    numbers: dict[str, Any] = {
        "morale": 17,
        "casualties": 1,
        "morale_markers": 1,
        "suppression_markers": 1,
        "ap": 3,
    }
    played = morale(die, roster(unit("2nd Squad", state="pinned", **numbers)), unit="2nd Squad")
    assert played.out["final"] == 8
    assert changes(played) == ({"2nd Squad": new} if new else {})


def test_the_dead_do_not_test_and_a_damaged_vehicle_stays_damaged() -> None:
    with refuses("nobody B"):
        morale(5, roster(unit("B", morale=14, members=0, state="combat-ineffective")), unit="B")
    tank = unit("Tank", type="vehicle", morale=10, suppression_markers=1, ap=4, state="immobilised")
    assert changes(morale(3, roster(tank), unit="Tank")) == {"Tank": {}}


@pytest.mark.parametrize(
    ("die", "state"),
    [(5, "let-loose"), (7, "hesitant-morale"), (9, "go-firm"), (12, "withdraw"), (13, "pinned")],
)
def test_a_vehicle_that_fails_changes_its_state(die: int, state: str) -> None:
    """Morale 10 less 6 is 4. One that cannot move goes on in that state once it passes."""
    tank = unit("Tank", type="vehicle", morale=10, suppression_markers=1, ap=4)
    failed = morale(die, roster(tank), unit="Tank")
    assert changes(failed)["Tank"]["state"] == state
    assert "crawls" not in " ".join(failed.resolution.state_changes)
    stuck = unit("Tank", type="vehicle", morale=10, suppression_markers=1, state="immobilised")
    told = changes(morale(die, roster(stuck), unit="Tank"))["Tank"]
    assert told["state"] == state
    assert "cannot-move" in told["mark"]
    again = unit("Tank", type="vehicle", morale=10, state=state, marks=("cannot-move",))
    (change,) = morale(3, roster(again), unit="Tank").resolution.changes
    assert (change.set["state"], change.unmark) == ("immobilised", {"cannot-move"})


def test_morale_is_needed() -> None:
    with refuses("missing morale"):
        play_example("ucn", "morale", {"casualties": 1}, [])


def test_odds_match_a_count_by_hand() -> None:
    assert odds("ucn", "morale", {"morale": 10}) == {
        "passed": Fraction(10, 20),
        "let-loose": Fraction(2, 20),
        "hesitant": Fraction(2, 20),
        "go-firm": Fraction(2, 20),
        "withdraw": Fraction(2, 20),
        "pinned": Fraction(2, 20),
    }
    assert odds("ucn", "morale", {"morale": 24}) == {
        "passed": Fraction(19, 20),
        "let-loose": Fraction(1, 20),
    }


@pytest.mark.parametrize(
    ("die", "loses"), [(10, False), (11, True), (13, False), (19, False), (20, True)]
)
def test_let_loose_and_a_twenty_lose_all_ap(die: int, loses: bool) -> None:
    assert morale(die, morale=10).out["loses_ap"] is loses


def test_odds_of_losing_all_ap_match_a_count_by_hand() -> None:
    """11, 12 and 20."""
    lost = odds("ucn", "morale", {"morale": 10}, "loses_ap")
    assert lost == {"true": Fraction(3, 20), "false": Fraction(17, 20)}


FOES = roster(
    unit("A"), unit("B", suppression_markers=1), unit("C"), unit("D"), unit("Us", morale=10)
)


def test_let_loose_hands_out_three_markers_to_the_nearest() -> None:
    """The fourth enemy gets none; a Morale marker where the weapon has it so; none on any other
    result.
    """
    played = morale(11, FOES, unit="Us", enemies="A; B; C; D")
    more = {name: {"suppression_markers": count} for name, count in (("A", 1), ("B", 2), ("C", 1))}
    assert changes(played) == {"Us": {"state": "let-loose", "mark": {"firm", "reload"}}, **more}
    assert played.resolution.state_changes[-1] == "a Suppression marker on A, B and C"
    assert changes(morale(11, FOES, unit="Us", enemies="B", marker="morale"))["B"] == {
        "morale_markers": 1
    }
    assert set(changes(morale(13, FOES, unit="Us", enemies="A; B"))) == {"Us"}


def test_one_marker_per_element() -> None:
    with refuses("given-twice A"):
        morale(11, FOES, unit="Us", enemies="A; A")
