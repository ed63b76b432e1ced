"""Infantry against vehicles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.ucn.plainly import every_face
from tests.rulesets.ucn.rosters import changes, roster, unit

UNHURT = {
    "suppressed": False,
    "vehicle_ap": 4,
    "can_move": True,
    "can_shoot": True,
    "crew": "unhurt",
    "passengers": "none",
}
UNROLLED = {"location": None, "armour_result": None, "adjusted_armour": None, "damage_total": None}


def attack(dice: list[int], units: Any = None, **given: object) -> Any:
    """PEN 9 at hull 6, turret 8, with skill 13: 17 to hit a vehicle."""
    plain = {"skill": 13, "pen": 9, "hull": 6, "turret": 8}
    return play_example("ucn", "attack-vehicle", {**plain, **given}, dice, units)


def test_not_spotted() -> None:
    out = attack([17], spot_skill=12).out
    assert out == {
        "spot_final": 16,
        "shoot_final": None,
        **UNROLLED,
        "result": "not-spotted",
        **UNHURT,
    }


def test_a_miss() -> None:
    out = attack([16, 18], spot_skill=12, passengers=True).out
    assert out == {"spot_final": 16, "shoot_final": 17, **UNROLLED, "result": "miss", **UNHURT}
    assert attack([20], skill=30).out["result"] == "miss"


def test_equal_is_no_penetration_but_suppresses() -> None:
    """Turret 8 on a favourable slope is 9."""
    out = attack([1, 15, 6]).out
    assert out == {
        "spot_final": None,
        "shoot_final": 17,
        "location": "turret",
        "armour_result": "favourable-slope",
        "adjusted_armour": 9,
        "damage_total": None,
        "result": "no-penetration",
        **UNHURT,
        "suppressed": True,
    }


@pytest.mark.parametrize(
    ("die", "word", "armour"),
    [
        (1, "glancing-hit", 9),
        (2, "strong-point", 8),
        (10, "favourable-slope", 7),
        (19, "direct-hit", 6),
        (20, "weak-point", 5),
    ],
)
def test_armour_saves_on_the_hull(die: int, word: str, armour: int) -> None:
    out = attack([5, 14, die, 6] if armour < 9 else [5, 14, die]).out
    assert (out["location"], out["armour_result"], out["adjusted_armour"]) == ("hull", word, armour)


def test_without_a_turret_the_location_is_rolled_all_the_same() -> None:
    out = play_example(
        "ucn", "attack-vehicle", {"skill": 13, "pen": 9, "hull": 6}, [5, 20, 11, 6]
    ).out
    assert (out["location"], out["adjusted_armour"], out["result"]) == ("hull", 6, "mobility-kill")


@pytest.mark.parametrize(
    ("dice", "passengers", "gives"),
    [
        ([5, 15], True, ("spalling", True, 2, True, True, "injured", "disembark")),
        ([1, 16], False, ("spalling", True, 4, True, True, "unhurt", "none")),
        ([6], True, ("mobility-kill", True, 4, False, True, "unhurt", "disembark-pinned")),
        ([10], False, ("mobility-kill", True, 4, False, True, "unhurt", "none")),
        ([11, 15], True, ("mission-kill", False, 0, False, False, "unhurt", "combat-ineffective")),
        ([15, 16], True, ("mission-kill", False, 0, False, False, "unhurt", "disembark-pinned")),
        ([12], False, ("mission-kill", False, 0, False, False, "unhurt", "none")),
        (
            [16],
            True,
            (
                "catastrophic-kill",
                False,
                0,
                False,
                False,
                "combat-ineffective",
                "combat-ineffective",
            ),
        ),
        ([20], False, ("catastrophic-kill", False, 0, False, False, "combat-ineffective", "none")),
    ],
)
def test_damage(dice: list[int], passengers: bool, gives: tuple[object, ...]) -> None:
    out = attack([5, 1, 11, *dice], passengers=passengers).out
    names = ("result", "suppressed", "vehicle_ap", "can_move", "can_shoot", "crew", "passengers")
    assert tuple(out[name] for name in names) == gives
    assert out["damage_total"] == dice[0]


def test_skill_above_twenty_adds_to_the_damage() -> None:
    """13 + 4 + 2 AP is 25: 11 becomes 16."""
    out = attack([19, 1, 11, 11], extra_ap=2).out
    assert (out["shoot_final"], out["damage_total"], out["result"]) == (25, 16, "catastrophic-kill")


def test_both_columns_of_modifiers() -> None:
    given = {
        "spot_skill": 10,
        "target_moving": True,
        "fired_main_weapon": True,
        "target_in_cover": True,
        "target_hidden": True,
        "target_in_smoke": True,
        "open_topped": True,
        "attacker_vehicle_moving": True,
        "spot_extra_ap": 3,
        "extra_ap": 1,
        "status": "hesitant",
        "mod": 1,
    }
    out = attack([1, 20], **given).out
    assert out["spot_final"] == 10 + 4 + 4 + 6 - 6 - 15 - 10 + 4 + 4 + 12 - 4 + 1
    assert out["shoot_final"] == 13 + 4 - 4 + 0 - 6 - 15 - 10 + 4 - 10 + 4 - 4 + 1


def test_the_roster_brings_numbers_and_takes_the_result() -> None:
    units = roster(
        unit("Bazooka", firearms=13, pen=9),
        unit("Tank", "vehicle", hull=6, turret=8, ap=4, suppression_markers=1),
    )

    def against(dice: list[int]) -> Any:
        return play_example(
            "ucn", "attack-vehicle", {"unit": "Bazooka", "target": "Tank"}, dice, units
        )

    assert changes(against([5, 15, 6])) == {"Tank": {"suppression_markers": 2}}
    assert changes(against([5, 1, 11, 5, 3])) == {"Tank": {"suppression_markers": 2, "ap": 2}}
    assert changes(against([5, 1, 11, 6])) == {
        "Tank": {"suppression_markers": 2, "state": "immobilised"}
    }
    assert changes(against([5, 1, 11, 11])) == {"Tank": {"ap": 0, "state": "out-of-action"}}
    assert changes(against([5, 1, 11, 16])) == {"Tank": {"ap": 0, "state": "destroyed"}}
    assert changes(against([18])) == {}


def test_what_is_worse_already_stays() -> None:
    wreck = roster(unit("Tank", "vehicle", hull=6, ap=0, state="out-of-action"))
    given = {"skill": 13, "pen": 9, "target": "Tank"}
    assert changes(play_example("ucn", "attack-vehicle", given, [5, 1, 11, 6], wreck)) == {
        "Tank": {"suppression_markers": 1}
    }


def test_odds_match_a_count_by_hand() -> None:
    """17 of 20 hit; hull 14 of 20 with PEN above it but on a glancing hit, turret 6 of 20 only
    square or weak.
    """
    counted = odds("ucn", "attack-vehicle", {"skill": 13, "pen": 9, "hull": 6, "turret": 8})
    through = Fraction(17, 20) * (
        Fraction(14, 20) * Fraction(19, 20) + Fraction(6, 20) * Fraction(10, 20)
    )
    assert counted["miss"] == Fraction(3, 20)
    for result in ("spalling", "mobility-kill", "mission-kill", "catastrophic-kill"):
        assert counted[result] == through / 4


@pytest.mark.parametrize(
    "path", ["result", "crew", "passengers", "vehicle_ap", "adjusted_armour", "damage_total"]
)
def test_odds_are_those_of_every_face(path: str) -> None:
    given = {
        "skill": 13,
        "pen": 9,
        "hull": 6,
        "turret": 8,
        "spot_skill": 8,
        "passengers": True,
        "extra_ap": 2,
    }
    counted = odds("ucn", "attack-vehicle", given, path)
    assert {str(value): chance for value, chance in counted.items()} == every_face(
        "attack-vehicle", given, path
    )


TANK_AND_TEAM = roster(
    unit("Panzer", "vehicle", hull=6, turret=8, ap=4),
    unit("Team", firearms=13, pen=9),
    unit("Tired", firearms=13, pen=9, marks=("activated",)),
    unit("Shaky", firearms=13, pen=9, suppression_markers=1),
)


def interrupt(dice: list[int], who: str = "Team", **given: object) -> Any:
    plain = {"unit": who, "target": "Panzer", "interrupt": True}
    return play_example("ucn", "attack-vehicle", {**plain, **given}, dice, TANK_AND_TEAM)


def test_an_interrupt_with_an_anti_vehicle_weapon() -> None:
    """Spot and attack as ever; the element has given up its next activation, whatever came of
    it.
    """
    miss = interrupt([16, 18], spot_skill=12)
    assert miss.out["result"] == "miss"
    assert changes(miss) == {"Team": {"mark": {"activated"}}}
    assert miss.resolution.state_changes[-1].startswith("the attacker gives up its next activation")
    plain = play_example(
        "ucn", "attack-vehicle", {"unit": "Team", "target": "Panzer"}, [18], TANK_AND_TEAM
    )
    assert (changes(plain), plain.resolution.state_changes) == ({}, ())


@pytest.mark.parametrize(
    ("who", "given", "problem"),
    [
        ("Tired", {}, "not-together activated"),
        ("Shaky", {}, "not-together marker"),
        ("Team", {"activated": True}, "not-together activated"),
        ("Team", {"marked": True}, "not-together marker"),
        ("Team", {"spot_skill": 12, "spot_extra_ap": 1}, "not-together spot_extra_ap"),
        ("Team", {"extra_ap": 1}, "not-together extra_ap"),
    ],
)
def test_who_may_not_interrupt_and_with_what(who: str, given: dict[str, Any], problem: str) -> None:
    with refuses(problem):
        interrupt([], who, **given)
