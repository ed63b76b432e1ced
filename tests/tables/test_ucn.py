"""Ultracombat Normandy: cells, columns and readings of the sheet, in whole columns."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rulesets.catalog import find_shared_system
from tests.examples import lookup
from tests.refusing import refuses

TABLES = find_shared_system("ucn").tables


def read(table: str, **given: object) -> Any:
    """The answer of a table with one output, or all of its outputs without the text."""
    out = lookup("ucn", table, **given)
    out.pop("text", None)
    return out if len(out) > 1 else next(iter(out.values()))


def column(table: str, rolls: range = range(1, 21), **given: object) -> list[str]:
    """The first output that is a word, for each roll."""
    answers = [lookup("ucn", table, roll=roll, **given) for roll in rolls]
    return [next(value for value in out.values() if isinstance(value, str)) for out in answers]


# -- infantry ---------------------------------------------------------------------------------------------------------


def test_spotting_modifiers_each_by_itself() -> None:
    values = {
        "target_moving": 4,
        "target_concealed": -6,
        "target_hidden": -15,
        "target_gone_firm": -4,
        "target_fired_suppression": 6,
        "target_vehicle": 4,
        "attacker_moving": -4,
        "attacker_higher": 4,
        "attacker_lower": -2,
    }
    assert {name: read("spot-modifiers", **{name: True}) for name in values} == values
    assert read("spot-modifiers") == 0
    assert read("spot-modifiers", extra_ap=3) == 12
    everything = dict.fromkeys(values, True) | {"attacker_lower": False}
    assert read("spot-modifiers", **everything, extra_ap=1) == 4 - 6 - 15 - 4 + 6 + 4 - 4 + 4 + 4


def test_shooting_modifiers_each_by_itself() -> None:
    values = {
        "target_moving": -4,
        "target_in_cover": -6,
        "target_hidden": -15,
        "target_gone_firm": -4,
        "attacker_moving": -4,
        "attacker_higher": 4,
        "attacker_lower": -2,
    }
    assert {name: read("shoot-modifiers", **{name: True}) for name in values} == values
    assert read("shoot-modifiers", extra_ap=10) == 40


@pytest.mark.parametrize("table", ["spot-modifiers", "shoot-modifiers"])
def test_nobody_is_both_higher_and_lower(table: str) -> None:
    with refuses("card-refuses attacker_higher"):
        lookup("ucn", table, attacker_higher=True, attacker_lower=True)


def test_skill_checks() -> None:
    def successes(skill: int) -> int:
        return sum(read("skill-check", skill=skill, roll=roll)["success"] for roll in range(1, 21))

    counted = {skill: successes(skill) for skill in (-60, 0, 1, 2, 10, 19, 20, 80)}
    assert counted == {-60: 1, 0: 1, 1: 1, 2: 2, 10: 10, 19: 19, 20: 19, 80: 19}
    assert [
        roll for roll in range(1, 21) if read("skill-check", skill=10, roll=roll)["loses_ap"]
    ] == [20]
    assert [read("skill-check", skill=skill, roll=20)["over"] for skill in (-5, 20, 21, 26)] == [
        0,
        0,
        1,
        6,
    ]
    with refuses("bad-value skill"):
        lookup("ucn", "skill-check", skill=81, roll=3)


def test_who_is_spotted() -> None:
    seen = {
        who: read("spotted-area", who=who) for who in ("target", "within-1-inch", "rest-of-element")
    }
    assert seen == {"target": True, "within-1-inch": True, "rest-of-element": False}
    assert "not spotted" in lookup("ucn", "spotted-area", who="rest-of-element")["text"]


def test_saves_against_pistols_smgs_and_blasts_only() -> None:
    for weapon in (*find_shared_system("ucn").lists["weapons"], "blast"):
        printed = [read("save-roll", weapon=weapon, roll=roll) for roll in (1, 2, 3, 20)]
        if weapon in ("pistol", "smg", "grenade", "rifle-grenade-launcher", "blast"):
            assert printed == ["saved", "saved", "not-saved", "not-saved"]
        else:
            assert printed == ["not-allowed"] * 4
            assert read("save-roll", weapon=weapon) == "not-allowed"
    with refuses("missing roll"):
        lookup("ucn", "save-roll", weapon="smg")


def test_weapons() -> None:
    printed = {
        "firearms": {
            "bolt-action-rifle": (1, 0, "none", False),
            "battle-rifle": (1, 0, "radius-1", False),
            "smg": (2, 0, "radius-2", True),
            "pistol": (1, 0, "none", True),
        },
        "machine-guns": {
            "automatic-rifle": (2, 0, "radius-2", False),
            "lmg": (3, 0, "3x2", False),
            "mmg": (3, 0, "4x2", False),
            "hmg": (3, 0, "5x3", False),
        },
        "specialist-weapons": {
            "rifle-grenade-launcher": (2, 0, "kz-2.5-dz-7.5", True),
            "grenade": (2, 0, "kz-2.5-dz-7.5", True),
            "sniper-rifle": (1, 4, "none", False),
        },
    }
    for table, weapons in printed.items():
        for weapon, cells in weapons.items():
            assert tuple(read(table, weapon=weapon).values()) == cells, weapon


def test_the_weapon_tables_and_the_save_agree() -> None:
    tables = ("firearms", "machine-guns", "specialist-weapons")
    for table in tables:
        for weapon in next(
            option.values for option in TABLES[table].inputs if option.name == "weapon"
        ):
            allowed = read("save-roll", weapon=weapon, roll=1) != "not-allowed"
            assert read(table, weapon=weapon)["save"] is allowed, weapon


def test_status_damage() -> None:
    assert column("status-damage") == ["hesitant"] * 6 + ["pinned"] * 6 + ["combat-ineffective"] * 8
    assert read("status-damage", roll=2, bonus=4) == {
        "total": 6,
        "status": "hesitant",
        "skill_modifier": -4,
        "morale_modifier": 0,
        "figures_removed": 0,
    }
    assert read("status-damage", roll=12)["skill_modifier"] == -6
    assert tuple(read("status-damage", roll=20, bonus=60).values()) == (
        80,
        "combat-ineffective",
        -6,
        -2,
        1,
    )
    assert "4 inches" in lookup("ucn", "status-damage", roll=7)["text"]


def test_what_each_status_does() -> None:
    rows = {
        "hesitant": (-4, "crawl", True, 0),
        "pinned": (-6, "none", False, 4),
        "combat-ineffective": (-6, "none", False, 4),
        "stunned": (-6, "normal", True, 0),
        "let-loose": (0, "none", False, 0),
        "hesitant-morale": (-2, "crawl", True, 0),
        "go-firm": (-4, "up-to-6", True, 0),
        "withdraw": (0, "back-12", False, 0),
        "pinned-morale": (0, "none", False, 4),
    }
    for status, cells in rows.items():
        assert tuple(read("status-effects", status=status).values()) == cells, status
        assert lookup("ucn", "status-effects", status=status)["text"]


# -- assault ----------------------------------------------------------------------------------------------------------


def test_conditions_of_an_assault() -> None:
    rows = {
        "distance": (6, "inches"),
        "assaulters": (2, "room"),
        "grenades": (1, "room"),
        "damage-rolls": (1, "occupant"),
        "melee-dice": (1, "character"),
    }
    assert {item: tuple(read("assault-setup", item=item).values()) for item in rows} == rows


def test_a_grenade_in_a_room() -> None:
    assert column("grenade-damage") == ["stunned"] * 12 + ["combat-ineffective"] * 8
    assert tuple(read("grenade-damage", roll=12).values()) == ("stunned", -6, 0, 0)
    assert tuple(read("grenade-damage", roll=13).values()) == ("combat-ineffective", -6, -2, 1)


@pytest.mark.parametrize("side", ["attacker", "defender"])
def test_assault_modifiers_are_the_same_for_both_sides(side: str) -> None:
    assert read("assault-modifiers", side=side, suppressed=True) == -6
    assert read("assault-modifiers", side=side, hesitant=True) == -2
    assert read("assault-modifiers", side=side, smgs=3) == 12
    assert read("assault-modifiers", side=side, extra_characters=2) == 8
    assert read("assault-modifiers", side=side) == 0


def test_only_the_attacker_charges() -> None:
    assert read("assault-modifiers", side="attacker", charging=True) == 4
    with refuses("card-refuses attacker"):
        lookup("ucn", "assault-modifiers", side="defender", charging=True)


@pytest.mark.parametrize(
    ("attacker", "defender", "outnumbered", "gives"),
    [
        ((2, 0), (1, 0), False, ("attacker-wins", 1, 0)),
        ((2, 2), (1, 1), False, ("attacker-wins", 3, 1)),
        ((1, 0), (2, 0), True, ("defender-wins", 0, 1)),
        ((1, 1), (3, 2), False, ("defender-wins", 1, 3)),
        ((1, 0), (1, 0), False, ("deadlock", 0, 0)),
        ((1, 1), (1, 0), False, ("deadlock", 1, 0)),
        ((1, 1), (1, 1), True, ("deadlock", 2, 2)),
        ((0, 0), (0, 0), True, ("no-damage", 0, 0)),
    ],
)
def test_melee_outcomes(
    attacker: tuple[int, int],
    defender: tuple[int, int],
    outnumbered: bool,
    gives: tuple[object, ...],
) -> None:
    out = read(
        "melee-outcome",
        attacker_successes=attacker[0],
        attacker_ones=attacker[1],
        defender_successes=defender[0],
        defender_ones=defender[1],
        defender_outnumbered=outnumbered,
    )
    assert tuple(out.values()) == gives


def test_more_ones_than_successes_cannot_be() -> None:
    with refuses("card-refuses attacker"):
        lookup("ucn", "melee-outcome", attacker_successes=1, defender_successes=0, attacker_ones=2)
    with refuses("card-refuses defender"):
        lookup("ucn", "melee-outcome", attacker_successes=1, defender_successes=0, defender_ones=1)


# -- vehicles ---------------------------------------------------------------------------------------------------------


def test_vehicle_modifiers_in_both_columns() -> None:
    rows = {
        "target_vehicle": (4, 4),
        "target_moving": (4, -4),
        "fired_main_weapon": (6, 0),
        "target_in_cover": (-6, -6),
        "target_hidden": (-15, -15),
        "target_in_smoke": (-10, -10),
        "open_topped": (4, 4),
        "attacker_vehicle_moving": (4, -10),
    }
    for row, cells in rows.items():
        read_ = tuple(
            read("vehicle-modifiers", purpose=purpose, **{row: True})
            for purpose in ("spot", "shoot")
        )
        assert read_ == cells, row
    assert [
        read("vehicle-modifiers", purpose=purpose, extra_ap=2) for purpose in ("spot", "shoot")
    ] == [8, 8]


def test_hit_location() -> None:
    assert column("hit-location") == ["hull"] * 14 + ["turret"] * 6
    assert column("hit-location", no_turret=True) == ["hull"] * 20
    assert read("hit-location", no_turret=True) == "hull"


def test_armour_save() -> None:
    printed = [
        "glancing-hit",
        *["strong-point"] * 4,
        *["favourable-slope"] * 5,
        *["direct-hit"] * 9,
        "weak-point",
    ]
    assert column("armour-save") == printed
    assert [
        read("armour-save", roll=roll)["armour_modifier"] for roll in (1, 2, 5, 6, 10, 11, 19, 20)
    ] == [*(3, 2, 2, 1, 1, 0, 0, -1)]


def test_vehicle_damage() -> None:
    printed = (
        ["spalling"] * 5 + ["mobility-kill"] * 5 + ["mission-kill"] * 5 + ["catastrophic-kill"] * 5
    )
    assert column("vehicle-damage") == printed
    rows = {
        1: (1, "spalling", True, True, True, "roll", "disembark"),
        6: (6, "mobility-kill", False, True, True, "unhurt", "disembark-pinned"),
        11: (11, "mission-kill", False, False, False, "unhurt", "roll"),
        16: (
            16,
            "catastrophic-kill",
            False,
            False,
            False,
            "combat-ineffective",
            "combat-ineffective",
        ),
    }
    assert {roll: tuple(read("vehicle-damage", roll=roll).values()) for roll in rows} == rows
    assert read("vehicle-damage", roll=5, bonus=1)["result"] == "mobility-kill"


def test_crew_and_passengers() -> None:
    assert column("spalling-crew") == ["injured"] * 15 + ["unhurt"] * 5
    assert [read("spalling-crew", roll=roll)["vehicle_ap"] for roll in (15, 16)] == [2, 4]
    assert (
        column("mission-kill-passengers") == ["combat-ineffective"] * 15 + ["disembark-pinned"] * 5
    )


# -- command ----------------------------------------------------------------------------------------------------------


def test_who_tests_morale() -> None:
    cases = {
        "suppression-marker": True,
        "morale-marker": True,
        "failed-earlier": True,
        "none": False,
    }
    assert {case: read("morale-test-when", situation=case) for case in cases} == cases


def test_morale_modifiers() -> None:
    assert read("morale-modifiers", cover=True) == 2
    leaders = {"none": 0, "novice": 1, "average": 2, "veteran": 3}
    assert {grade: read("morale-modifiers", leader=grade) for grade in leaders} == leaders
    assert read("morale-modifiers", morale_markers=3) == -3
    assert read("morale-modifiers", suppression_markers=2) == -12


def test_failed_morale_test() -> None:
    loose, hesitant = ("let-loose", 0, "none", 0, 3, 0), ("hesitant", -2, "crawl", 0, 0, 0)
    firm, withdraw = ("go-firm", -4, "up-to-6", 4, 0, 0), ("withdraw", 0, "back-12", 0, 0, 0)
    pinned = ("pinned", 0, "none", 0, 0, 4)
    rows = [tuple(read("morale-failed", failed_by=by).values()) for by in range(1, 10)]
    assert rows == [loose, loose, hesitant, hesitant, firm, firm, withdraw, withdraw, pinned]
    assert read("morale-failed", failed_by=19)["result"] == "pinned"
    with refuses("bad-value failed_by"):
        lookup("ucn", "morale-failed", failed_by=0)


def test_reload() -> None:
    costs = {"rifle": 1, "smg": 1, "assault-rifle": 1, "heavy-weapon": 3}
    assert {weapon: read("reload-cost", weapon=weapon) for weapon in costs} == costs


def test_action_points() -> None:
    rows = {
        "infantry": (3, "character"),
        "heavy-weapon-crew": (4, "crew"),
        "vehicle": (4, "element"),
    }
    assert {unit: tuple(read("ap-allowance", unit=unit).values()) for unit in rows} == rows
    topics = {
        "officer": True,
        "nco": True,
        "junior-nco": True,
        "several-characters": False,
        "use-again": False,
    }
    topics["keep-unused"] = False
    assert {topic: read("additional-ap", topic=topic) == "allowed" for topic in topics} == topics


def test_what_actions_cost() -> None:
    costs = {
        "move": 1,
        "pass-information": 1,
        "turn-over-180": 1,
        "spot": 1,
        "shoot": 1,
        "go-firm": 1,
        "climb-low": 1,
        "climb-high": 3,
        "climb-window": 3,
        "throw-grenade": 2,
        "place-mine": 1,
        "set-up-lmg": 1,
        "set-up-mmg-hmg": 3,
        "forward-observation": 1,
        "embark": 3,
        "disembark": 3,
        "break-up-team": 3,
        "reload": 1,
        "form-team": 3,
        "melee": 0,
    }
    assert {action: read("ap-costs", action=action) for action in costs} == costs
    again = {action: read("ap-costs", action=action, second=True) for action in costs}
    assert again == costs | {"shoot": 2, "throw-grenade": 4}
    climbs = {action: read("ap-costs", action=action, stories=4) for action in costs}
    assert climbs == costs | {"climb-high": 12}


def test_interrupt_rules() -> None:
    allowed = {"fresh-element", "during-enemy-move", "several-targets", "enemy-continues"}
    topics = next(option.values for option in TABLES["interrupt-rules"].inputs)
    assert {
        topic for topic in topics if read("interrupt-rules", topic=topic) == "allowed"
    } == allowed
    assert len(topics) == 11
