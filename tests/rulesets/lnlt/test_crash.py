"""Crashes, PAC 02 and 06."""

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses


def crash(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one crash."""
    return play_example("lnlt", "crash", given, dice).out


def test_it_comes_down_and_attacks_each_unit_by_its_own_total() -> None:
    """3 is south-east, 5 is 3 hexes. 1 + 6 against 4 + 1: the squad is hit by 2, the tank with
    armor 2 is not.
    """
    out = crash([3, 5, 1, 4, 4], targets="squad morale=5; armored-vehicle morale=5 av=2", tm=1)
    assert (out["direction"], out["hexes"]) == ("south-east", 3)
    assert (out["attack_roll"], out["defense_roll"]) == (1, 4)
    squad, tank = out["targets"]
    assert (squad["attack_total"], squad["defense_total"], squad["dc_total"], squad["result"]) == (
        7,
        5,
        6,
        "shaken",
    )
    assert (tank["attack_total"], tank["defense_total"], tank["hit"], tank["crew"]) == (
        7,
        7,
        False,
        "none",
    )
    assert out["outcome"] == "shaken"


def test_without_targets_it_only_drifts() -> None:
    """Both and drift alike."""
    assert crash([1, 6]) == {
        "direction": "north",
        "hexes": 3,
        "attack_roll": "none",
        "defense_roll": "none",
        "targets": [],
        "outcome": "none",
    }
    assert crash([6, 1], stage="drift", targets="squad morale=5")["direction"] == "north-west"


def test_the_attack_alone() -> None:
    """A closed tank is checked too; terrain counts up to 4; the crew of a destroyed truck rolls."""
    out = crash(
        [6, 1, 3, 6, 1],
        stage="attack",
        targets="armored-vehicle morale=5; unarmored-vehicle morale=5",
        tm=7,
    )
    assert (out["direction"], out["hexes"]) == ("none", "none")
    assert [item["defense_total"] for item in out["targets"]] == [5, 5]
    assert [(item["becomes"], item["crew"]) for item in out["targets"]] == [
        ("shaken", "none"),
        ("destroyed", "survives"),
    ]


def test_refusals() -> None:
    """A missing morale, an unknown stage."""
    with refuses("unit-needs morale"):
        crash([], targets="squad")
    with refuses("bad-value stage"):
        crash([], stage="later")


def test_odds_match_a_count_by_hand() -> None:
    """Firepower 6 always beats a die without terrain; with +4 it misses in 6 of 36."""
    given = {"stage": "attack", "targets": "squad morale=1", "no_hero": True}
    assert "none" not in odds("lnlt", "crash", given)
    missed = odds("lnlt", "crash", given | {"tm": 4})["none"]
    assert missed == Fraction(
        sum(attack + 6 <= defense + 4 for attack in range(1, 7) for defense in range(1, 7)), 36
    )
    assert set(odds("lnlt", "crash", {}, "hexes").values()) == {Fraction(1, 3)}
