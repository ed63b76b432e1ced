"""The tables of No Honor in Surrender against its card: printed cells, whole columns, and what
is refused.
"""

from __future__ import annotations

import pytest

from bot.rulesets.catalog import find_shared_system
from tests.examples import lookup
from tests.refusing import refuses


def ask(table: str, **given: object) -> dict[str, object]:
    return lookup("nhis", table, **given)


COLUMNS = {
    0: "damaged hit-1 hit hit hit none none none none none none",
    2: "damaged damaged hit-1 hit hit hit-1 none none none none none",
    4: "damaged damaged damaged hit-1 hit hit hit none none none none",
    6: "damaged-2 damaged damaged damaged hit-1 hit hit hit none none none",
    8: "damaged-2 damaged-2 damaged damaged damaged hit-1 hit hit hit none none",
    10: "damaged-2 damaged-2 damaged-2 damaged damaged damaged hit-1 hit hit hit none",
    12: "damaged-3 damaged-2 damaged-2 damaged-2 damaged damaged damaged hit-1 hit hit none",
    16: "damaged-3 damaged-3 damaged-2 damaged-2 damaged-2 damaged damaged damaged hit-1 hit none",
    20: "damaged-3 damaged-3 damaged-2 damaged-2 damaged-2 damaged-2 damaged damaged hit-1 hit none",
}


@pytest.mark.parametrize(("column", "results"), COLUMNS.items())
def test_the_columns_of_the_ranged_combat_table(column: int, results: str) -> None:
    answers = [ask("ranged-combat", firepower=column, roll=roll) for roll in range(2, 13)]
    assert [answer["result"] for answer in answers] == results.split()
    assert {answer["column"] for answer in answers} == {column}


@pytest.mark.parametrize(
    ("firepower", "shift", "column"),
    [(3, 0, 2), (15, 0, 12), (19, 0, 16), (45, 0, 20), (45, 2, 12), (3, 2, 0), (20, 8, 0)],
)
def test_the_column_is_the_highest_heading_moved_left(
    firepower: int, shift: int, column: int
) -> None:
    assert ask("ranged-combat", firepower=firepower, shift=shift, roll=7)["column"] == column


def test_a_negative_firepower_is_an_error_of_the_table() -> None:
    with refuses("bad-value firepower"):
        ask("ranged-combat", firepower=-1, roll=7)


@pytest.mark.parametrize(
    ("given", "total", "shift"),
    [
        ({"target_moved": True}, 2, 0),
        ({"target_moved": True, "target_in_brush": True}, 0, 0),
        ({"adjacent": True, "cover": 2}, 1, 0),
        ({"charging_units": 2, "night_units": 3}, -10, 0),
        ({"unmarked_cover_hex": True}, 0, 2),
        ({"unmarked_cover_hex": True, "infantry_vs_tank": True}, 0, 4),
    ],
)
def test_firepower_modifiers(given: dict[str, object], total: int, shift: int) -> None:
    assert ask("fire-modifiers", **given) == {"total": total, "halve": False, "shift": shift}


def test_long_range_halves() -> None:
    assert ask("fire-modifiers", long_range=True) == {"total": 0, "halve": True, "shift": 0}


def test_concealing_hexes_move_the_column() -> None:
    concealing = {"wooden-building", "hut", "rough", "lava-rock", "trees", "tall-grass", "brush"}
    for terrain in find_shared_system("nhis").lists["terrains"]:
        assert ask("column-shift", terrain=terrain)["shift"] == (2 if terrain in concealing else 0)
        assert ask("terrain", terrain=terrain)["conceals"] == (terrain in concealing)
    shifts = [
        ask("column-shift", feature=feature)["shift"]
        for feature in ("none", "foxhole", "bunker", "cave", "wreck")
    ]
    assert shifts == [0, 0, 0, 2, 2]
    assert ask("column-shift", terrain="trees", feature="cave", infantry_vs_tank=True)["shift"] == 4
    for marker in ("move", "fire", "charge"):
        assert ask("column-shift", terrain="trees", marker=marker)["shift"] == 0
        assert (
            ask("column-shift", terrain="trees", marker=marker, infantry_vs_tank=True)["shift"] == 2
        )


def test_what_a_result_does() -> None:
    def row(result: str) -> list[object]:
        out = ask("fire-results", result=result)
        return [out[name] for name in ("damage_points", "check", "check_add", "shaken")]

    assert row("none") == [0, "none", 0, "none"]
    assert row("hit") == [0, "all", 0, "if-failed"]
    assert row("hit-1") == [0, "all", 1, "if-failed"]
    assert [row(f"damaged{number}") for number in ("", "-2", "-3")] == [
        [points, "unshakable-unhurt", 0, "all-shakeable"] for points in (1, 2, 3)
    ]
    assert "two damage points" in str(ask("fire-results", result="damaged-2")["text"])


@pytest.mark.parametrize(
    ("kind", "state", "result", "after"),
    [
        ("shakeable", "good-order", "shaken", "shaken"),
        ("shakeable", "shaken", "reduced", "reduced-shaken"),
        ("shakeable", "reduced", "shaken", "reduced-shaken"),
        ("shakeable", "reduced-shaken", "eliminated", "eliminated"),
        ("unshakable", "good-order", "reduced", "reduced"),
        ("unshakable", "reduced", "eliminated", "eliminated"),
        ("unshakable", "shaken", "not-allowed", "not-allowed"),
    ],
)
def test_failing_a_morale_check(kind: str, state: str, result: str, after: str) -> None:
    assert ask("morale-fail", unit_class=kind, state=state) == {"result": result, "after": after}


@pytest.mark.parametrize(
    ("kind", "state", "hit", "answer"),
    [
        ("shakeable", "good-order", False, ("shaken", "shaken", False)),
        ("shakeable", "good-order", True, ("reduced-shaken", "reduced-shaken", False)),
        ("shakeable", "shaken", False, ("none", "shaken", False)),
        ("shakeable", "shaken", True, ("reduced", "reduced-shaken", False)),
        ("shakeable", "reduced", False, ("shaken", "reduced-shaken", False)),
        ("shakeable", "reduced", True, ("eliminated", "eliminated", False)),
        ("shakeable", "reduced-shaken", False, ("none", "reduced-shaken", False)),
        ("unshakable", "good-order", False, ("none", "good-order", True)),
        ("unshakable", "good-order", True, ("reduced", "reduced", False)),
        ("unshakable", "reduced", False, ("none", "reduced", True)),
        ("unshakable", "reduced", True, ("eliminated", "eliminated", False)),
        ("unshakable", "shaken", True, ("not-allowed", "not-allowed", False)),
    ],
)
def test_a_damaged_result_on_one_unit(
    kind: str, state: str, hit: bool, answer: tuple[str, str, bool]
) -> None:
    out = ask("damaged-effect", unit_class=kind, state=state, hit=hit)
    assert (out["result"], out["after"], out["check"]) == answer


def test_limits_stopping_and_leadership() -> None:
    actions = ("move-toward-enemy", "fire", "melee", "rally", "lead")
    statuses = [ask("shaken-limits", action=action)["status"] for action in actions]
    assert statuses == ["not-allowed", "not-allowed", "penalty", "allowed", "not-allowed"]
    assert ask("stop-moving", unit_class="shakeable", banzai=True) == {"stops": True}
    assert ask("stop-moving", unit_class="unshakable") == {"stops": True}
    assert ask("stop-moving", unit_class="unshakable", banzai=True) == {"stops": False}
    assert ask("stop-moving", unit_class="unshakable", banzai=True, flamethrower=True) == {
        "stops": True
    }
    assert [
        ask("leadership", unit=unit)["adds"] for unit in ("squad", "weapon-team", "leader")
    ] == [True, True, False]
    assert ask("leadership", unit="squad", leader_state="shaken") == {"adds": False}


def test_the_terrain_chart() -> None:
    assert ask("terrain", terrain="hill") == {
        "move_cost": 0,
        "move_note": "uphill-plus-1",
        "cover": 0,
        "cover_note": "plus-1-from-lower",
        "blocks_los": True,
        "conceals": False,
        "example_hex": "408",
    }
    assert ask("terrain", terrain="cave")["example_hex"] == ""
    blocking = [
        terrain
        for terrain in find_shared_system("nhis").lists["terrains"]
        if ask("terrain", terrain=terrain)["blocks_los"]
    ]
    assert blocking == ["wooden-building", "hut", "hill", "trees", "tall-grass"]


def test_what_stands_in_a_hex_adds_to_its_cover_but_a_bunker_replaces_it() -> None:
    features = ("none", "foxhole", "bunker", "cave", "wreck")
    assert [ask("cover", terrain="trees", feature=feature)["cover"] for feature in features] == [
        2,
        3,
        4,
        8,
        3,
    ]
    assert [
        ask("cover", terrain="hill", feature=feature, from_lower=True)["cover"]
        for feature in features
    ] == [
        1,
        2,
        4,
        7,
        2,
    ]


def test_roads_hills_and_the_japanese_in_trees() -> None:
    assert ask("move-cost", terrain="trees", japanese=True) == {"cost": 1}
    assert ask("move-cost", terrain="trees", along_road=True) == {"cost": 1}
    assert ask("move-cost", terrain="trees", along_road=True, uphill=True) == {"cost": 2}
    assert ask("move-cost", terrain="hill", uphill=True) == {"cost": 2}


def test_the_turn_record_ends_with_turn_12() -> None:
    assert ask("turn-record", turn=1) == {"next": "2", "left": 11}
    assert ask("turn-record", turn=12) == {"next": "end", "left": 0}
    with refuses("bad-value turn"):
        ask("turn-record", turn=13)
