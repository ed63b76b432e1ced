"""Beer and Pretzels Skirmish: cells, columns and readings of the cards, in whole columns."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rulesets.catalog import find_shared_system
from tests.examples import lookup
from tests.refusing import refuses

TABLES = find_shared_system("baps").tables


def read(table: str, **given: object) -> Any:
    """The answer of a table with one output, or all of its outputs."""
    out = lookup("baps", table, **given)
    return out if len(out) > 1 else next(iter(out.values()))


# -- orders, movement, morale -----------------------------------------------------------------------------------------


def test_the_phases_of_a_turn() -> None:
    names = [read("turn-sequence", phase=phase)["name"] for phase in range(1, 10)]
    assert names == [
        "leader-points",
        "place-orders",
        "random-orders",
        "reveal-orders",
        "hasty-fire",
        "movement",
        "normal-fire",
        "hand-to-hand",
        "morale",
    ]
    assert "known" in read("turn-sequence", phase=5)["text"]


def test_leader_points_by_state() -> None:
    assert read("leader-points", rating=-2, roll=2) == {"points": 1, "rolled": True}
    assert read("leader-points", rating=-2, state="bad-morale") == {"points": 1, "rolled": False}
    assert read("leader-points", rating=4, state="bad-morale") == {"points": 4, "rolled": False}
    assert read("leader-points", rating=4, state="suppressed") == {"points": 0, "rolled": False}
    with refuses("missing roll"):
        lookup("baps", "leader-points", rating=1)


def test_what_orders_cost() -> None:
    costs = {12: 1, 12.1: 2, 24: 2, 25: 3, 0: 1}
    assert {
        inches: read("order-cost", order="soldier", distance=inches) for inches in costs
    } == costs
    flat = {
        "self-fire": 2,
        "self-other": 1,
        "change-objective": 1,
        "hull-or-weapon": 1,
        "crew-bail-out": 1,
    }
    flat |= {"commander-move": 1, "commander-other": 2}
    assert {order: read("order-cost", order=order, distance=99) for order in flat} == flat
    assert read("pass-points", points=3, distance=24) == {"cost": 1, "given": 2}
    assert read("pass-points", points=3, distance=45) == {"cost": 2, "given": 1}
    assert read("pass-points", points=1, distance=45) == {"cost": 2, "given": 0}


def test_random_orders_in_good_morale() -> None:
    dagger = {roll for roll in range(1, 21) if read("random-orders", roll=roll)["mark"] == "dagger"}
    assert dagger == {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18}
    orders = [read("random-orders", roll=roll)["order"] for roll in range(1, 21)]
    assert orders == [
        "sprint-away-enemy",
        *["rush-toward-enemy"] * 2,
        *["none"] * 3,
        *["same-as-nearest-friend"] * 4,
        *["rush-toward-leader"] * 2,
        "same-as-last-turn",
        *["same-as-leader"] * 3,
        *["fire-nearest-enemy"] * 3,
        "heroic-action",
    ]


def test_random_orders_in_bad_morale() -> None:
    rows = [read("random-orders", morale="bad", roll=roll) for roll in range(1, 21)]
    assert [row["order"] for row in rows] == [
        "surrender",
        "sprint-away-enemy",
        "rush-nearest-cover",
        "fire-nearest-enemy",
        "move-toward-friend",
        "rush-random",
        "sprint-away-enemy",
        "move-away-enemy",
        "sprint-away-enemy",
        "sprint-random",
        "move-random",
        "sprint-nearest-cover",
        "rush-nearest-cover",
        *["none"] * 6,
        "berserk",
    ]
    assert [row["mark"] for row in rows] == ["double-dagger", *["none"] * 19]


def test_heroic_actions() -> None:
    results = [read("heroic-action", roll=roll)["result"] for roll in range(2, 13)]
    assert results[:4] == ["become-leader", "grenade-hit", "double-attack", "double-move"]
    assert results[4:8] == ["move-times-1-5", "one-action", "hasty-fire-and-move", "move-and-fire"]
    assert results[8:] == ["two-actions", "act-each-phase", "berserk"]
    assert read("heroic-action", roll=2) == {
        "result": "become-leader",
        "lasts": "turn",
        "orders_die": True,
    }
    assert read("heroic-action", roll=12) == {
        "result": "berserk",
        "lasts": "berserk",
        "orders_die": False,
    }


def test_morale_modifiers_each_by_itself() -> None:
    base: dict[str, object] = {"grade": "crack", "cover": "heavy"}
    assert read("morale-modifiers", **base) == 0
    events = {
        "soldier-killed": 0,
        "artillery-fire": 0,
        "mine": 2,
        "cut-off": -4,
        "threatened-cut-off": 4,
    }
    events |= {"surprised": 0, "flame-weapon": 3, "mg-attack": 1}
    for event, value in events.items():
        assert read("morale-modifiers", **base, event=event) == value
        assert read("morale-events", event=event) == value
    for given, value in (
        ({"state": "pinned"}, 1),
        ({"state": "broken"}, 2),
        ({"cannot_see": True}, 2),
        ({"dark": True}, 2),
        ({"vehicle": True}, 2),
        ({"leader": 2}, -2),
        ({"leader": -1}, 1),
    ):
        assert read("morale-modifiers", **base, **given) == value
    covers = {"open": 3, "light": 2, "medium": 1, "heavy": 0, "very-heavy": -1}
    assert {
        cover: read("morale-modifiers", grade="crack", cover=cover) for cover in covers
    } == covers
    grades = {"green": 2, "veteran": 1, "crack": 0, "elite": -1}
    assert {
        grade: read("morale-modifiers", grade=grade, cover="heavy") for grade in grades
    } == grades


def test_each_morale_condition_is_named_with_its_value() -> None:
    answer = TABLES["morale-modifiers"].read({"grade": "green", "event": "mine", "leader": 1})
    assert [(part.id, part.value) for part in answer.parts] == [
        ("mine", 2),
        ("leader", -1),
        ("cover-open", 3),
        ("green", 2),
    ]


def test_morale_results_in_the_order_of_the_card() -> None:
    """Less than the men first, so 11 passes with 12 men."""
    assert [read("morale-result", total=total, men=8) for total in (7, 8, 10, 11)] == [
        "pass",
        "pinned",
        "pinned",
        "broken",
    ]
    assert read("morale-result", total=11, men=12) == "pass"
    assert read("morale-result", total=11, men=4, crew_team=True) == "pass"


def test_leader_ratings_by_column() -> None:
    columns = {
        "green": "0001111122",
        "veteran": "0111112222",
        "crack": "1111122223",
        "elite": "1111222233",
    }
    for grade, printed in columns.items():
        assert (
            "".join(str(read("leader-rating", grade=grade, roll=roll)) for roll in range(1, 21, 2))
            == printed
        )
        assert (
            "".join(str(read("leader-rating", grade=grade, roll=roll)) for roll in range(2, 21, 2))
            == printed
        )


def test_movement_and_its_limits() -> None:
    moves = {"move": (1, 18), "rush": (18, 27), "sprint": (27, 36), "moving-fire": (1, 18)}
    assert {order: tuple(read("movement", order=order).values()) for order in moves} == moves
    limits = {
        order: [
            read("move-limits", order=order, wounds=wounds) == "allowed" for wounds in (0, 1, 2)
        ]
        for order in moves
    }
    assert limits == {
        "move": [True, True, True],
        "rush": [True, True, False],
        "sprint": [True, False, False],
        "moving-fire": [True, True, True],
    }
    assert read("move-limits", order="rush", wounds=1, suppressed=True) == "away-only"
    assert read("move-limits", order="rush", wounds=2, suppressed=True) == "not-allowed"


def test_half_first_then_six_inches_a_crossing() -> None:
    assert read("move-modifiers", max=27, half_ground=True, crossings=1) == 7.5
    assert read("move-modifiers", max=36, half_ground=True, crew_short=True) == 9
    assert read("move-modifiers", max=18, half_ground=True, crossings=2) == 0


# -- fire and hand-to-hand --------------------------------------------------------------------------------------------


def test_sighting() -> None:
    assert read("sighting", woods="light", roll=10) == 10
    assert read("sighting", woods="heavy", roll=1) == 3
    for woods, roll in (("light", 3), ("heavy", 5)):
        with refuses("bad-value roll"):
            lookup("baps", "sighting", woods=woods, roll=roll)


def test_attack_factors_band_by_band() -> None:
    rows: dict[str, list[Any]] = {
        "pistol": [2, 1, None, None, None],
        "carbine": [2, 2, 1, 1, None],
        "submachine-gun": [5, 3, 1, None, None],
        "rifle-bolt": [2, 2, 2, 1, 1],
        "rifle-semi": [3, 3, 2, 1, 1],
        "rifle-auto": [4, 3, 2, 1, None],
        "shotgun": [8, 2, None, None, None],
        "lmg-belt": [8, 8, 5, 3, 2],
        "lmg-magazine": [6, 6, 4, 2, 1],
        "medium-machine-gun": [12, 10, 8, 6, 4],
        "heavy-machine-gun": [20, 16, 16, 10, 6],
    }
    for weapon, factors in rows.items():
        expected = ["not-allowed" if factor is None else factor for factor in factors]
        for ranges in (
            (0, 15.1, 60.1, 150.1, 300.1),
            (15, 60, 150, 300, 10000),
            (15, 15.05, 60.05, 150.05, 300.05),
        ):
            assert [
                read("attack-factors", weapon=weapon, range=inches) for inches in ranges
            ] == expected


def test_attack_modifiers() -> None:
    assert read("attack-modifiers", suppressed=True, moving=True, hasty=True) == {
        "factor": 0.5,
        "add": 0,
    }
    assert read("attack-modifiers", hasty=True, no_assistant=True, leader=-2) == {
        "factor": 0.25,
        "add": -2,
    }
    assert read("attack-modifiers", heroic=True) == {"factor": 2, "add": 0}


def test_flame_thrower() -> None:
    ranges = (0, 9, 9.1, 18, 18.1, 27, 27.1)
    assert [read("flame-thrower", range=inches) for inches in ranges] == [
        12,
        12,
        8,
        8,
        2,
        2,
        "not-allowed",
    ]


@pytest.mark.parametrize(
    ("weapon", "ends", "need", "scatter"),
    [
        ("hand-grenade", (3, 9, 12, 15, 18, 99), "2 11 14 17 19 -", "1d4 3d4 3d4 3d4 3d4 none"),
        (
            "rifle-grenade",
            (18, 45, 90, 150, 225, 226),
            "- 12 9 12 18 -",
            "none 3d4 3d10 3d10 3d20 none",
        ),
        (
            "very-light-mortar",
            (12, 120, 600, 750, 10000),
            "- 12 10 15 -",
            "none 3d6 3d10 6d10 none",
        ),
        ("light-mortar", (18, 150, 1050, 1200, 10000), "- 12 10 15 -", "none 3d6 3d10 6d10 none"),
    ],
)
def test_special_weapons(weapon: str, ends: tuple[int, ...], need: str, scatter: str) -> None:
    answers = [read("special-weapons", weapon=weapon, range=inches) for inches in ends]
    assert [str(answer["need"]).replace("not-allowed", "-") for answer in answers] == need.split()
    assert [answer["scatter"] for answer in answers] == scatter.split()
    beyond = [read("special-weapons", weapon=weapon, range=inches + 0.1) for inches in ends[:-2]]
    assert [str(answer["need"]).replace("not-allowed", "-") for answer in beyond] == need.split()[
        1 : len(ends) - 1
    ]


def test_subsequent_shots_of_mortars() -> None:
    needs = [
        read("special-weapons", weapon="light-mortar", shot="subsequent", range=r)["need"]
        for r in (18, 19, 200)
    ]
    assert needs == ["not-allowed", 6, 4]
    assert (
        read("special-weapons", weapon="very-light-mortar", shot="subsequent", range=750)["need"]
        == 4
    )
    assert read("special-weapons", weapon="hand-grenade", shot="subsequent", range=5)["need"] == 11


def test_defense() -> None:
    stances = {"stationary": 3, "moving": 1, "moving-fire": 1, "rushing": 4, "sprinting": 2}
    assert {stance: read("defense-factors", stance=stance) for stance in stances} == stances
    covers = {"open": 0, "light": 3, "medium": 5, "heavy": 7, "very-heavy": 9}
    assert {cover: read("cover", cover=cover) for cover in covers} == covers
    assert read("cover-types", terrain="trench") == {"cover": "medium", "modifier": 5}
    assert read("cover-types", terrain="vehicle-hatch") == {"cover": "heavy", "modifier": 7}


def crt(row: int, men: int) -> list[str]:
    """The results of a cell for rolls 1 to 20, in one letter each."""
    letters = {"none": ".", "suppressed": "S", "wound-1": "1", "wound-2": "2", "killed": "K"}
    return [
        letters.get(r, r)
        for roll in range(1, 21)
        for r in [read("crt", row=row, men=men, roll=roll)["result"]]
    ]


@pytest.mark.parametrize(
    ("row", "men", "cell"),
    [
        (-6, 1, "................S12K"),
        (-2, 1, "............SSS1122K"),
        (0, 1, "..........SSS11122KK"),
        (3, 1, ".......SSS1111222KKK"),
        (6, 1, "....SSS11111222 2KKKK".replace(" ", "")),
        (7, 1, "..SSS1111122222KKKKK"),
        (8, 1, ".SS111111222222KKKKK"),
        (9, 1, "S1111111222222KKKKKK"),
        (9, 3, "..SSS1111122222KKKKK"),
        (9, 10, "..........SSS11122KK"),
        (4, 7, "............SSS1122K"),
        (-6, 12, "." * 19),
    ],
)
def test_cells_of_the_combat_resolution_table(row: int, men: int, cell: str) -> None:
    assert "".join(crt(row, men))[: len(cell)] == cell


def test_entries_that_need_another_die() -> None:
    assert [crt(-6, men)[19] for men in range(2, 11)] == [
        "roll-2-k",
        "roll-1-2-k",
        *["roll-note-1"] * 2,
        *["roll-note-2"] * 2,
        *["roll-note-3"] * 2,
        "roll-note-4",
    ]
    assert crt(2, 10)[18] == "1"
    assert crt(2, 10)[19] == "roll-2-k"


def test_each_further_man_moves_the_table_one_row_down() -> None:
    for row in range(-5, 10):
        for men in range(2, 11):
            assert crt(row, men) == crt(row - 1, men - 1), (row, men)


@pytest.mark.parametrize(
    ("row", "used", "passes"),
    [
        (-30, -6, 1),
        (9, 9, 1),
        (10, 5, 2),
        (18, 9, 2),
        (19, 9, 2),
        (20, 5, 4),
        (39, 9, 4),
        (40, 5, 8),
        (100, 6, 16),
    ],
)
def test_rows_off_the_table(row: int, used: int, passes: int) -> None:
    out = read("crt", row=row, men=2, roll=1)
    assert (out["row_used"], out["passes"]) == (used, passes)


def test_shared_results() -> None:
    entries = {
        "roll-2-k": ["wound-2"] * 3 + ["killed"] * 3,
        "roll-1-2-k": ["wound-1"] * 2 + ["wound-2"] * 2 + ["killed"] * 2,
        "roll-note-1": ["suppressed"] * 2 + ["wound-1"] * 2 + ["wound-2", "killed"],
        "roll-note-2": ["suppressed"] * 3 + ["wound-1", "wound-2", "killed"],
        "roll-note-3": ["suppressed"] * 4 + ["wound-1", "roll-2-k"],
        "roll-note-4": ["suppressed"] * 5 + ["roll-1-2-k"],
    }
    for entry, results in entries.items():
        assert [read("crt-split", entry=entry, roll=roll) for roll in range(1, 7)] == results


def test_wounds() -> None:
    rows = [tuple(read("wounds", wounds=wounds).values()) for wounds in range(4)]
    assert rows == [
        (True, True, 0, True),
        (False, True, -1, True),
        (False, False, -1, True),
        (False, False, 0, False),
    ]


def test_radii_of_effect() -> None:
    radii = {"grenade": (3, 6), "very-light": (6, 12), "light": (6.75, 13.5), "medium": (7.5, 15)}
    radii |= {"heavy": (8.25, 16.5), "very-heavy": (9, 18)}
    for weapon, (lethal, burst) in radii.items():
        assert read("he-radii", weapon=weapon, distance=lethal) == {"zone": "lethal", "row": 0}
        assert read("he-radii", weapon=weapon, distance=lethal + 0.01) == {
            "zone": "burst",
            "row": -3,
        }
        assert read("he-radii", weapon=weapon, distance=burst, inside=True) == {
            "zone": "burst",
            "row": 1,
        }
        assert read("he-radii", weapon=weapon, distance=burst + 0.01) == {
            "zone": "none",
            "row": "none",
        }


def test_hand_to_hand() -> None:
    plus = {"leader": 1, "expert": 1, "terrain": 1, "outnumber": 1, "berserk": 1, "heroic": 2}
    for flag, value in (plus | {"wounded": -1, "suppressed": -1}).items():
        assert read("melee-modifiers", **{flag: True}) == value
    assert read("melee-result", a=7, b=3) == {"winner": "a", "a_wounds": 0, "b_wounds": 4}
    assert [read("averaging-die", roll=roll) for roll in range(1, 7)] == [2, 3, 3, 4, 4, 5]


# -- vehicles ---------------------------------------------------------------------------------------------------------


def test_vehicle_actions() -> None:
    turret = {"allowed": True, "count": 1, "exclusive": True}
    assert read("vehicle-actions", position="one-man-turret", action="hasty-coax") == turret
    assert read("vehicle-actions", position="two-man-turret", action="load") == {
        "allowed": True,
        "count": 2,
        "exclusive": False,
    }
    assert read("vehicle-actions", position="hull", action="fire-coax") == {
        **turret,
        "allowed": False,
    }
    assert read("vehicle-actions", position="hull", action="pivot")["allowed"]


@pytest.mark.parametrize(
    ("weapon", "ends"),
    [
        ("machine-gun", (15, 60, 150, 300, 10000)),
        ("very-light", (120, 240, 360, 480, 600)),
        ("light", (240, 480, 720, 960, 1200)),
        ("medium", (300, 600, 900, 1200, 1500)),
        ("heavy", (360, 720, 1080, 1440, 1800)),
        ("very-heavy", (420, 840, 1260, 1680, 2100)),
    ],
)
def test_guns_against_vehicles(weapon: str, ends: tuple[int, ...]) -> None:
    answers = [
        tuple(read("vehicle-to-hit", weapon=weapon, range=inches).values()) for inches in ends
    ]
    assert answers == [
        (1, 3, "1d10", 0),
        (2, 5, "1d20", 0),
        (3, 11, "2d10", 0),
        (4, 17, "3d10", 1),
        (5, 20, "3d20", 1),
    ]
    for inches, band in zip(ends[:-1], (2, 3, 4, 5), strict=True):
        assert read("vehicle-to-hit", weapon=weapon, range=inches + 0.1)["band"] == band
    if weapon != "machine-gun":
        beyond = read("vehicle-to-hit", weapon=weapon, range=ends[-1] + 0.1)
        assert beyond == {"band": "none", "need": "not-allowed", "he_scatter": "none", "lower": 0}


@pytest.mark.parametrize(
    ("weapon", "ends", "classes"),
    [
        ("at-grenade", (3, 6, 9, 12, 15), ["medium"] * 5),
        ("at-rifle", (60, 120, 180, 240, 300), ["light"] * 3 + ["very-light"] * 2),
        ("light-at-weapon", (15, 30, 60, 75, 90), ["light"] * 5),
        ("medium-at-weapon", (90, 180, 270, 360, 450), ["medium"] * 5),
    ],
)
def test_shoulder_fired_weapons(weapon: str, ends: tuple[int, ...], classes: list[str]) -> None:
    answers = [read("at-to-hit", weapon=weapon, range=inches) for inches in ends]
    assert [answer["weapon_class"] for answer in answers] == classes
    assert [answer["need"] for answer in answers] == [3, 5, 11, 17, 20]
    assert [answer["band"] for answer in answers] == [1, 2, 3, 4, 5]
    assert read("at-to-hit", weapon=weapon, range=ends[-1] + 1)["need"] == "not-allowed"


def test_to_hit_modifiers_each_by_itself() -> None:
    for given, value in (
        ({"firer_moving": True}, -6),
        ({"target_move": "fast"}, -4),
        ({"target_move": "slow"}, -2),
        ({"side": True}, 1),
        ({"hasty": True}, -4),
        ({"suppressed": True}, -5),
        ({"cover": "light"}, -2),
        ({"cover": "medium"}, -3),
        ({"cover": "hull-defilade"}, -4),
        ({"smoke": True}, -2),
        ({"lost_row": True}, -4),
    ):
        assert read("hit-modifiers", **given) == value


def test_penetration_row_by_row() -> None:
    armor = find_shared_system("baps").lists["armor_columns"]
    rows = {
        "below-mmg": "15 17 19 20 - - - -",
        "medium-machine-gun": "13 15 17 19 20 - - -",
        "heavy-machine-gun": "11 13 15 17 19 20 - -",
        "below-very-light": "9 11 13 15 17 19 20 20",
        "very-light": "7 9 11 13 15 17 19 20",
        "light": "5 7 9 11 13 15 17 19",
        "medium": "3 5 7 9 11 13 15 17",
        "heavy": "2 3 5 7 9 11 13 15",
        "very-heavy": "2 2 3 5 7 9 11 13",
    }
    for weapon, printed in rows.items():
        needs = [
            str(read("penetration", weapon=weapon, armor=column)).replace("fail", "-")
            for column in armor
        ]
        assert needs == printed.split(), weapon


def test_armor_columns() -> None:
    assert read("armor-modifiers", armor="light", aspect="rear") == {
        "shift": -2,
        "column": "below-1",
    }
    assert read("armor-modifiers", armor="light", aspect="side", extra_armor=True) == {
        "shift": 0,
        "column": "light",
    }
    assert read("armor-modifiers", armor="very-heavy", extra_armor=True) == {
        "shift": 1,
        "column": "above-1",
    }


def test_one_class_lower_is_the_row_above() -> None:
    rows = find_shared_system("baps").lists["weapon_rows"]
    for weapon in (
        "medium-machine-gun",
        "heavy-machine-gun",
        "very-light",
        "light",
        "medium",
        "heavy",
        "very-heavy",
    ):
        assert read("weapon-lower", weapon=weapon) == rows[rows.index(weapon) - 1]


def test_damage_of_a_penetrating_round() -> None:
    assert read("penetrated-damage", area="main-gun", roll=4) == {
        "result": "destroyed",
        "row": 4,
        "bail_out": False,
    }
    assert read("penetrated-damage", area="ammunition", roll=4) == {
        "result": "explodes",
        "row": 9,
        "bail_out": True,
    }
    assert read("penetrated-damage", area="engine", die="d6", roll=6) == {
        "result": "explodes",
        "row": 7,
        "bail_out": True,
    }
    crew = [read("penetrated-damage", area="crew", roll=roll)["bail_out"] for roll in (1, 2, 3, 4)]
    assert crew == [False, False, True, True]
    crew = [
        read("penetrated-damage", area="crew", die="d6", roll=roll)["bail_out"]
        for roll in range(1, 7)
    ]
    assert crew == [False] * 4 + [True] * 2
    assert read("penetrated-damage", area="engine", die="d6", roll=4)["result"] == "none"
    with refuses("bad-value roll"):
        lookup("baps", "penetrated-damage", area="crew", roll=5)


def test_dice_of_penetrating_weapons() -> None:
    dice = {
        weapon: tuple(read("penetrating-dice", weapon=weapon).values())
        for weapon in ("medium-machine-gun", "very-heavy", "at-rifle", "medium-at-weapon")
    }
    assert dice == {
        "medium-machine-gun": ("d6", 2),
        "very-heavy": ("d4", 1),
        "at-rifle": ("d6", 1),
        "medium-at-weapon": ("d4", 1),
    }


def test_rounds_that_do_not_penetrate() -> None:
    edges = (1, 6, 7, 10, 11, 20)
    tank = [read("no-penetration", roll=roll) for roll in edges]
    assert tank == ["bail-out", "bail-out", "track-hit", "track-hit", "bounce", "bounce"]
    wheels = [
        read("no-penetration", vehicle_type="wheeled", machine_gun=True, roll=roll)
        for roll in edges
    ]
    assert wheels == ["none", "none", "tire-hit", "tire-hit", "bounce", "bounce"]
    tracks = [
        read("no-penetration", vehicle_type="tracked", machine_gun=True, roll=roll)
        for roll in edges
    ]
    assert tracks == ["none", "none", "none", "none", "bounce", "bounce"]
    assert read("no-penetration", vehicle_type="wheeled", roll=7) == "tire-hit"


def test_vehicle_movement() -> None:
    rows = {"very-light": 50, "light": 45, "medium": 40, "heavy": 35, "very-heavy": 30}
    for weight, slow in rows.items():
        assert read("vehicle-movement", weight=weight, speed="slowly") == {"min": 1, "max": slow}
        assert read("vehicle-movement", weight=weight, speed="quickly") == {
            "min": slow,
            "max": 2 * slow,
        }


def test_throwing_a_track() -> None:
    slow: dict[str, Any] = {
        "open": "never",
        "light": 20,
        "medium": 19,
        "heavy": 17,
        "very-heavy": 15,
    }
    fast: dict[str, Any] = {"open": 20, "light": 18, "medium": 16, "heavy": 14, "very-heavy": 12}
    for speed, needs in (("slow", slow), ("fast", fast)):
        for cover, need in needs.items():
            assert read("throwing-track", cover=cover, speed=speed, roll=19)["need"] == need
            thrown = need != "never" and need <= 19
            assert read("throwing-track", cover=cover, speed=speed, roll=19)["result"] == (
                "thrown" if thrown else "safe"
            )
    assert read("throwing-track", cover="open", speed="slow") == {"need": "never", "result": "safe"}


def test_random_orders_of_crewmen() -> None:
    printed = [read("random-orders-crew", driver=True, roll=roll) for roll in range(1, 21)]
    assert [row["order"] for row in printed] == [
        *["move-quickly-toward-enemy"] * 2,
        *["move-quickly-away-enemy"] * 2,
        *["none"] * 4,
        *["same-as-last-turn"] * 6,
        *["fire-nearest-enemy"] * 2,
        *["fire-random-enemy"] * 4,
    ]
    assert [row["dagger"] for row in printed] == [True] * 6 + [False] * 14
    assert [row["star"] for row in printed] == [True] * 4 + [False] * 16
    gunner = read("random-orders-crew", roll=2)
    assert gunner == {
        "printed": "move-quickly-toward-enemy",
        "order": "none",
        "dagger": True,
        "star": True,
    }


def test_crash() -> None:
    edges = {
        1: "half-straight-stop",
        4: "half-straight-stop",
        5: "half-left-stop",
        10: "half-left-stop",
    }
    edges |= {11: "half-right-stop", 16: "half-right-stop", 17: "stop", 20: "stop"}
    assert {roll: read("crash", roll=roll)["result"] for roll in edges} == edges
    assert read("crash", roll=20, moved_quickly=True) == {"total": 21, "result": "quick-straight"}
    assert read("crash", roll=20, moved_quickly=True, turned=True) == {
        "total": 22,
        "result": "flip",
    }
    rows = {"hit-half-speed": -2, "hit-full-speed": 0, "stop": 0, "flip": 2}
    assert {event: read("crash-injury", event=event)["row"] for event in rows} == rows


# -- artillery --------------------------------------------------------------------------------------------------------


def test_artillery_delay() -> None:
    steps: dict[tuple[str, bool], tuple[object, ...]] = {
        ("opportunity", True): ("none", 0, 1, 2, 3, "none"),
        ("opportunity", False): (0, 1, 2, 3, 4, "none"),
        ("pre-planned", True): ("none", "none", 0, 1, 2, "none"),
        ("pre-planned", False): (0, "none", 1, 2, 3, "none"),
        ("immediate", True): ("none", "none", "none", 0, 1, "none"),
        ("immediate", False): (0, "none", "none", 1, 2, "none"),
    }
    for (mission, see), expected in steps.items():
        out = read("artillery-delay", location="on-board", mission=mission, can_see=see)
        assert tuple(out.values()) == expected
    for mission, impact, dice in (
        ("opportunity", 4, "2d4"),
        ("pre-planned", 1, "1d4"),
        ("immediate", 1, "1d4"),
    ):
        out = read("artillery-delay", location="off-board", mission=mission)
        assert tuple(out.values()) == (0, "none", "none", "none", impact, dice)
    hand = read("artillery-delay", location="hand-held", mission="immediate")
    assert tuple(hand.values()) == ("none", "none", "none", 0, 1, "none")


def test_artillery_sheaf_and_its_zones() -> None:
    lines: list[tuple[tuple[str, ...], tuple[float, ...]]] = [
        (("light-mortar", "very-light-artillery"), (6, 0, 6.75, 13.5, 18)),
        (("medium-mortar", "light-artillery"), (9, 0, 8.25, 16.5, 36)),
        (("heavy-mortar", "medium-artillery"), (12, 4.5, 10.5, 21, 75)),
        (("very-heavy-mortar", "heavy-artillery"), (15, 7.5, 15, 30, 150)),
        (("very-heavy-artillery",), (18, 10.5, 21, 42, 300)),
    ]
    for weapons, (sheaf, vaporize, lethal, burst, least) in lines:
        for weapon in weapons:
            out = read("artillery-sheaf", weapon=weapon, guns=4)
            assert out == {
                "sheaf": sheaf,
                "sheaf_total": 3 * sheaf,
                "vaporize": vaporize,
                "lethal": lethal,
                "burst": burst,
                "min_range": least,
            }
            at_point = {"zone": "vaporize", "row": 6} if vaporize else {"zone": "lethal", "row": 0}
            assert read("sheaf-zone", weapon=weapon, distance=vaporize) == at_point
            assert read("sheaf-zone", weapon=weapon, distance=lethal, inside=True) == {
                "zone": "lethal",
                "row": 4,
            }
            assert read("sheaf-zone", weapon=weapon, distance=burst) == {"zone": "burst", "row": -3}
            assert read("sheaf-zone", weapon=weapon, distance=burst + 0.1) == {
                "zone": "none",
                "row": "none",
            }
