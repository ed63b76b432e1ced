"""Damaged results: points drawn at random, the shaken, and checks of the unshakable."""

from __future__ import annotations

from fractions import Fraction

from tests.examples import odds, play_example
from tests.refusing import refuses


def test_one_point_on_three_units_and_the_unshakable_one_checks_without_help() -> None:
    """The point falls on the first squad; both shakeable units are shaken, so the leader lends
    nothing.
    """
    given = {"targets": "squad morale=4; squad morale=5 unshakable; leader morale=5 lr=2"}
    played = play_example("nhis", "damage", given, [1, 6])
    squad, unshakable, leader = played.out["targets"]
    assert (squad["damage"], squad["result"], squad["after"], squad["check"]) == (
        1,
        "reduced-shaken",
        "reduced-shaken",
        None,
    )
    assert (leader["damage"], leader["result"], leader["after"], leader["needed"]) == (
        0,
        "shaken",
        "shaken",
        None,
    )
    assert (unshakable["check"], unshakable["needed"], unshakable["after"]) == (6, 5, "reduced")
    assert [(die.label, die.sides) for die in played.dice] == [
        ("damage point", 3),
        ("morale check squad 2", 6),
    ]


def test_everybody_has_a_point_before_anybody_gets_a_second() -> None:
    """Three points on two squads: d2, the other one without a die, d2 for the third."""
    out = play_example("nhis", "damage", {"targets": "squad; mg", "points": 3}, [2, 1]).out[
        "targets"
    ]
    assert [unit["damage"] for unit in out] == [2, 1]
    assert [unit["after"] for unit in out] == ["eliminated", "reduced-shaken"]


def test_a_reduced_unit_is_eliminated_by_its_first_point_and_lost_points_are_lost() -> None:
    played = play_example("nhis", "damage", {"targets": "squad reduced", "points": 3}, [])
    assert played.out["targets"][0] == {
        "unit": "squad",
        "damage": 1,
        "check": None,
        "needed": None,
        "result": "eliminated",
        "after": "eliminated",
        "stops": False,
    }
    assert any(line.label == "damage points lost" for line in played.lines)


def test_a_point_left_over_goes_to_the_survivor() -> None:
    """The reduced squad dies of the first point; the second falls on the other without a die, so
    does the third.
    """
    out = play_example("nhis", "damage", {"targets": "squad reduced; squad", "points": 3}, [1]).out[
        "targets"
    ]
    assert [unit["damage"] for unit in out] == [1, 2]
    assert [unit["after"] for unit in out] == ["eliminated", "eliminated"]


def test_a_unit_shaken_before_loses_nothing_more() -> None:
    out = play_example("nhis", "damage", {"targets": "squad shaken moving; squad moving"}, [2]).out[
        "targets"
    ]
    assert [(unit["result"], unit["after"], unit["stops"]) for unit in out] == [
        ("none", "shaken", False),
        ("reduced-shaken", "reduced-shaken", True),
    ]
    out = play_example("nhis", "damage", {"targets": "squad shaken; squad reduced"}, [1]).out[
        "targets"
    ]
    assert [(unit["result"], unit["after"]) for unit in out] == [
        ("reduced", "reduced-shaken"),
        ("shaken", "reduced-shaken"),
    ]


def test_an_unshakable_leader_who_lost_a_step_still_lends_his_rating() -> None:
    given = {
        "targets": "leader morale=4 lr=2 unshakable; squad morale=3 unshakable; squad morale=3 unshakable reduced"
    }
    out = play_example("nhis", "damage", given, [1, 5, 6]).out["targets"]
    assert (out[0]["after"], out[0]["check"]) == ("reduced", None)
    assert (out[1]["needed"], out[1]["after"]) == (5, "good-order")
    assert (out[2]["needed"], out[2]["after"]) == (5, "eliminated")


def test_leaders_check_first_and_an_unshakable_moving_unit_that_lost_a_step_goes_on() -> None:
    given = {
        "targets": "squad morale=3 unshakable moving; mg morale=3 unshakable; leader morale=4 lr=1 unshakable"
    }
    played = play_example("nhis", "damage", given, [1, 4, 4])
    squad, mg, leader = played.out["targets"]
    assert (squad["after"], squad["stops"]) == ("reduced", False)
    assert (leader["check"], leader["needed"], leader["result"]) == (4, 4, "none")
    assert (mg["check"], mg["needed"], mg["result"]) == (4, 4, "none")


def test_odds_match_a_count_by_hand() -> None:
    """Either squad of two takes the point: reduced at once 1 of 2, else a failed check 1 of 6."""
    chances = odds(
        "nhis", "damage", {"targets": "squad morale=5 unshakable; squad morale=5 unshakable"}
    )
    assert chances == {
        "reduced": Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 6),
        "none": Fraction(5, 12),
    }


def test_two_points_on_three_units_spare_each_with_one_chance_in_three() -> None:
    chances = odds(
        "nhis", "damage", {"targets": "squad; squad; squad", "points": 2}, "targets[2].damage"
    )
    assert chances == {"1": Fraction(2, 3), "0": Fraction(1, 3)}


def test_without_dice_the_odds_are_certain() -> None:
    assert odds("nhis", "damage", {"targets": "squad morale=4"}) == {"reduced-shaken": 1}


def test_morale_is_asked_only_of_those_who_may_check() -> None:
    with refuses("unit-needs morale"):
        play_example("nhis", "damage", {"targets": "squad unshakable"}, [])
    with refuses("bad-value points"):
        play_example("nhis", "damage", {"targets": "squad", "points": 4}, [])
