"""Morale checks as after a Hit."""

from __future__ import annotations

from fractions import Fraction

import icepool
import pytest

from bot.rules.inputs.units import RosterUnit
from tests.examples import odds, play_example
from tests.refusing import refuses


def test_a_leader_who_passes_helps_the_squad_whoever_is_listed_first() -> None:
    """Hit-1. Leader 5: 4 + 1 is 5, passes. Squad 4 + 1: 4 + 1 is 5, passes."""
    played = play_example(
        "nhis",
        "morale",
        {"targets": "squad morale=4; leader morale=5 lr=1", "hit_number": 1},
        [4, 4],
    )
    squad, leader = played.out["targets"]
    assert leader == {
        "unit": "leader",
        "damage": 0,
        "check": 5,
        "needed": 5,
        "result": "none",
        "after": "good-order",
        "stops": False,
    }
    assert (squad["check"], squad["needed"], squad["result"]) == (5, 5, "none")
    assert [die.label for die in played.dice] == ["morale check leader", "morale check squad"]


def test_a_leader_who_fails_is_shaken_and_lends_nothing() -> None:
    played = play_example(
        "nhis", "morale", {"targets": "leader morale=5 lr=2; squad morale=4"}, [6, 5]
    )
    leader, squad = played.out["targets"]
    assert (leader["result"], leader["after"]) == ("shaken", "shaken")
    assert (squad["needed"], squad["after"]) == (4, "shaken")


def test_an_unshakable_leader_who_is_reduced_still_lends_and_the_best_of_two_counts() -> None:
    given = {"targets": "leader morale=3 lr=1; leader morale=3 lr=3 unshakable; mg morale=2"}
    leader, unshakable, mg = play_example("nhis", "morale", given, [1, 4, 5]).out["targets"]
    assert leader["after"] == "good-order"
    assert (unshakable["needed"], unshakable["after"]) == (3, "reduced")
    assert (mg["needed"], mg["result"]) == (5, "none")


def test_a_shaken_unit_that_fails_is_reduced_and_a_reduced_one_removed() -> None:
    given = {
        "targets": "squad morale=3 shaken; squad morale=3 reduced; squad morale=3 reduced shaken"
    }
    units = play_example("nhis", "morale", given, [4, 4, 4]).out["targets"]
    assert [unit["result"] for unit in units] == ["reduced", "shaken", "eliminated"]
    assert [unit["after"] for unit in units] == ["reduced-shaken", "reduced-shaken", "eliminated"]


@pytest.mark.parametrize(
    ("unit", "flamethrower", "stops"),
    [
        ("squad morale=3 moving", False, True),
        ("squad morale=3 crawling", False, True),
        ("squad morale=3 banzai", False, True),
        ("squad morale=3 unshakable moving", False, True),
        ("squad morale=3 unshakable banzai", False, False),
        ("squad morale=3 unshakable banzai", True, True),
        ("squad morale=3 reduced unshakable moving", False, False),  # eliminated
        ("squad morale=3", False, False),
    ],
)
def test_who_stops_after_a_failed_check(unit: str, flamethrower: bool, stops: bool) -> None:
    (answer,) = play_example(
        "nhis", "morale", {"targets": unit, "flamethrower": flamethrower}, [6]
    ).out["targets"]
    assert answer["stops"] is stops


def test_roster_units_take_over_their_state() -> None:

    unit = RosterUnit(
        "Able", "us1", "squad", "us", {"morale": 4}, "good-order", frozenset({"moving"})
    )
    played = play_example("nhis", "morale", {"targets": "able"}, [5], {"able": unit, "us1": unit})
    (change,) = played.resolution.changes
    assert (change.unit, change.set) == ("Able", {"state": "shaken"})
    assert "moving" in change.unmark


def test_odds_of_a_squad_led_by_a_leader_against_a_count_by_hand_and_icepool() -> None:
    """The leader passes on 1-5 of 6; then the squad needs 4 or less, else 3 or less."""
    given = {"targets": "leader morale=5 lr=1; squad morale=3"}
    chances = odds("nhis", "morale", given, "targets[1].result")
    assert chances == {"none": Fraction(5 * 4 + 1 * 3, 36), "shaken": Fraction(5 * 2 + 1 * 3, 36)}
    led = icepool.map(lambda leader, squad: squad <= 3 + (leader <= 5), icepool.d6, icepool.d6)
    assert chances["none"] == led.probability(True)


def test_odds_of_the_check_itself_count_every_face() -> None:
    chances = odds("nhis", "morale", {"targets": "squad morale=3"}, "targets[0].check")
    assert chances == {str(face): Fraction(1, 6) for face in range(1, 7)}


@pytest.mark.parametrize(
    ("targets", "says"),
    [
        ("squad", "unit-needs morale"),
        ("squad morale=4 unshakable shaken", "not-together shaken"),
        ("", "missing targets"),
        ("panzer morale=4", "unknown-unit panzer"),
        ("squad morale=0", "bad-value morale"),
    ],
)
def test_what_is_refused(targets: str, says: str) -> None:
    with refuses(says):
        play_example("nhis", "morale", {"targets": targets}, [])


LED = "leader morale=5 lr=2; squad morale=3"


def test_the_leaders_rating_may_be_declined() -> None:
    """5 passes against 3 + 2; without the leader the squad is shaken."""
    led = play_example("nhis", "morale", {"targets": LED}, [1, 5]).out["targets"][1]
    alone = play_example("nhis", "morale", {"targets": LED, "no_leadership": True}, [1, 5])
    assert (led["needed"], led["result"]) == (5, "none")
    squad = alone.out["targets"][1]
    assert (squad["needed"], squad["result"]) == (3, "shaken")
    assert alone.lines[-1].result == "over morale 3"


def test_odds_without_leadership_match_a_count_by_hand() -> None:
    """3 of 6 whatever the leader does."""
    given = {"targets": LED, "no_leadership": True}
    assert odds("nhis", "morale", given, "targets[1].result") == {
        "none": Fraction(3, 6),
        "shaken": Fraction(3, 6),
    }


def test_a_damaged_result_adds_the_leader_all_the_same() -> None:
    """The card lets nobody choose there: unshakable, 3 + 2, and 5 passes; on a Hit in the same
    fire it would not.
    """
    fire = {"attackers": "squad fp=8", "distance": 5, "no_leadership": True}
    units = "leader morale=5 lr=2 unshakable; squad morale=3 unshakable"
    hit = play_example("nhis", "fire", {**fire, "targets": units}, [3, 4, 1, 5])
    assert (hit.out["combat_result"], hit.out["targets"][1]["needed"]) == ("hit-1", 3)
    damaged = play_example("nhis", "fire", {**fire, "targets": units}, [2, 2, 1, 5])
    assert damaged.out["combat_result"].startswith("damaged")
    assert damaged.out["targets"][1]["needed"] == 5
