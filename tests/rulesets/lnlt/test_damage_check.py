"""Damage checks alone, PAC 02 and 05."""

from fractions import Fraction
from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def check(targets: str, dc_mod: int, dice: list[int], **given: Any) -> list[dict[str, Any]]:
    """The answers of the targets."""
    out = play_example(
        "lnlt", "damage-check", {"targets": targets, "dc_mod": dc_mod, **given}, dice
    ).out
    answers: list[dict[str, Any]] = out["targets"]
    assert out["outcome"] == answers[0]["result"]
    return answers


@pytest.mark.parametrize(
    ("target", "dc_mod", "die", "result", "becomes"),
    [
        ("squad morale=5", 0, 5, "none", "good-order"),
        ("squad morale=5", 4, 2, "shaken", "shaken"),
        ("squad morale=5 shaken", 4, 2, "casualties", "half-squad-shaken"),
        ("half-squad morale=5 shaken", 4, 2, "casualties", "eliminated"),
        ("weapon-team morale=5", 5, 5, "casualties", "eliminated"),
        ("crew morale=5", 10, 5, "eliminated", "eliminated"),
        ("leader morale=5", 4, 2, "shaken", "shaken"),
        ("leader morale=5 wounded", 4, 2, "shaken", "shaken-wounded"),
        ("leader morale=5", 5, 5, "wounded", "shaken-wounded"),
        ("leader morale=5 shaken", 4, 2, "wounded", "shaken-wounded"),
        ("leader morale=5 wounded", 5, 5, "wounded", "eliminated"),
        ("leader morale=5 shaken wounded", 4, 2, "wounded", "eliminated"),
        ("hero morale=5", 4, 2, "wounded", "wounded"),
        ("hero morale=5 wounded", 4, 2, "wounded", "eliminated"),
        ("armored-vehicle morale=5", 5, 5, "shaken", "shaken"),
        ("armored-vehicle morale=5", 10, 5, "abandoned", "abandoned"),
        ("armored-vehicle morale=5 shaken", 4, 2, "shaken", "abandoned"),
        ("helicopter morale=5", 4, 2, "damaged", "damaged"),
        ("helicopter morale=5 damaged", 4, 2, "damaged", "damaged"),
        ("squad morale=5", -6, 3, "none", "good-order"),
    ],
)
def test_each_kind_of_unit_in_its_states(
    target: str, dc_mod: int, die: int, result: str, becomes: str
) -> None:
    """Results of the damage check table and what they make of the unit."""
    (answer,) = check(target, dc_mod, [die])
    assert (answer["dc_total"], answer["result"], answer["becomes"]) == (
        die + dc_mod,
        result,
        becomes,
    )


def test_the_best_of_two_leaders_helps_not_the_sum() -> None:
    """Both leaders come through; the second is helped by the first; the squad has 2 taken off."""
    answers = check("leader morale=6 lm=1; leader morale=6 lm=2; squad morale=5", 3, [3, 4, 4])
    assert [answer["dc_total"] for answer in answers] == [6, 6, 5]


def test_a_wounded_leader_in_good_order_still_helps_and_a_leader_listed_later_does_not() -> None:
    """Only those after him."""
    answers = check("squad morale=5; leader morale=6 lm=1 wounded; squad morale=5", 2, [4, 4, 4])
    assert [answer["dc_total"] for answer in answers] == [6, 6, 5]


def test_no_leader_helps_a_vehicle() -> None:
    """Leg units only."""
    answers = check("leader morale=6 lm=2; unarmored-vehicle morale=5", 2, [2, 3])
    assert [answer["dc_total"] for answer in answers] == [4, 5]


def test_the_crew_of_a_destroyed_truck_rolls_at_once() -> None:
    """Crew before the next unit; the leader's hero is never rolled."""
    answers = check("unarmored-vehicle morale=4; squad morale=5", 4, [4, 6, 1, 2])
    assert answers[0]["crew"] == "eliminated"
    assert answers[1]["hero"] is True


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ("squad", "unit-needs morale"),
        ("squad morale=13", "bad-value morale"),
        ("sqad morale=3", "unknown-unit sqad"),
        ("squad morale=5 damaged", "wrong-type damaged"),
        ("armored-vehicle morale=5; helicopter morale=4 inside", "wrong-type passenger"),
        ("", "missing targets"),
    ],
)
def test_bad_lists_are_refused(targets: str, words: str) -> None:
    """What was wrong is said."""
    with refuses(words):
        check(targets, 1, [])


def test_an_eliminated_roster_unit_cannot_be_checked() -> None:
    """It is out of play."""
    units = roster(unit("VC 1", "squad", state="eliminated", morale=4))
    with refuses("unit-gone VC 1"):
        play_example("lnlt", "damage-check", {"targets": "VC 1", "dc_mod": 1}, [3], units)


def test_a_roster_unit_is_checked_once() -> None:
    """Listed twice it would take two results."""
    units = roster(unit("VC 1", "squad", morale=4))
    with refuses("unit-twice VC 1"):
        play_example("lnlt", "damage-check", {"targets": "VC 1; vc1", "dc_mod": 1}, [3, 3], units)


def test_a_disembarked_roster_unit_is_marked_moved() -> None:
    """The squad outside is shaken and dismounts."""
    units = roster(unit("VC 1", "squad", morale=4))
    given = {"targets": "armored-vehicle morale=9; VC 1 outside", "dc_mod": 2}
    played = play_example("lnlt", "damage-check", given, [3, 4], units)
    (change,) = played.resolution.changes
    assert (change.unit, dict(change.set), set(change.mark)) == (
        "VC 1",
        {"state": "shaken"},
        {"moved"},
    )


def test_odds_after_a_leader_match_a_count_by_hand() -> None:
    """Leader 6 at +4: 1 and 2 hold. Squad 5: 2 and up fail with +4; with his help the 2 holds
    too.
    """
    given = {"targets": "leader morale=6 lm=1; squad morale=5", "dc_mod": 4}
    chances = odds("lnlt", "damage-check", given, "targets[1].result")
    held = Fraction(2, 6)
    assert chances["none"] == held * Fraction(2, 6) + (1 - held) * Fraction(1, 6)
    assert chances["casualties"] == (1 - held) * Fraction(1, 6)


def test_odds_of_a_hero_are_one_in_twelve() -> None:
    """A 1, then an even die."""
    given = {"targets": "squad morale=5", "dc_mod": 1}
    assert odds("lnlt", "damage-check", given, "targets[0].hero")["true"] == Fraction(1, 12)
    both = odds("lnlt", "damage-check", given, "targets[0].roll", "targets[0].hero")
    assert both["1|true"] == Fraction(1, 12)
