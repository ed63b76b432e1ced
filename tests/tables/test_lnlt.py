"""The tables of Lock 'n Load Tactical against its cards: printed cells, whole columns, and what
is refused.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from tests.examples import lookup
from tests.refusing import refuses

ODDS = {
    "1-3": "1/3",
    "1-2": "1/2",
    "2-3": "2/3",
    "1-1": "1",
    "3-2": "3/2",
    "2-1": "2",
    "3-1": "3",
    "4-1": "4",
    "5-1": "5",
}


def ask(table: str, **given: object) -> dict[str, object]:
    return lookup("lnlt", table, **given)


# -- combat -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attack", "defense", "dc_mod"),
    [
        (2, 1, 1),
        (14, 1, 13),
        (14, 11, 3),
        (12, 11, 1),
        (11, 11, 0),
        (1, 1, 0),
        (20, 1, 19),
        (14, 14, 0),
        (3, -2, 5),
        (-1, -4, 3),
    ],
)
def test_a_damage_check_adds_the_difference_on_and_off_the_card(
    attack: int, defense: int, dc_mod: int
) -> None:
    result = "damage-check" if dc_mod else "none"
    assert ask("damage-check-calc", attack=attack, defense=defense) == {
        "result": result,
        "dc_mod": dc_mod,
    }


def test_every_printed_cell_of_the_calculation_is_the_difference() -> None:
    for attack, defense in product(range(1, 15), range(1, 12)):
        assert ask("damage-check-calc", attack=attack, defense=defense)["dc_mod"] == max(
            0, attack - defense
        )


@pytest.mark.parametrize(
    ("unit", "results"),
    [
        ("good-order-mmc", ["none", "shaken", "casualties", "eliminated"]),
        ("shaken-mmc", ["none", "casualties", "casualties", "eliminated"]),
        ("good-order-smc", ["none", "shaken", "wounded", "eliminated"]),
        ("hero-or-shaken-smc", ["none", "wounded", "wounded", "eliminated"]),
        ("armored-vehicle", ["none", "shaken", "shaken", "abandoned"]),
        ("unarmored-vehicle", ["none", "shaken", "destroyed", "destroyed"]),
        ("helicopter", ["none", "damaged", "destroyed", "destroyed"]),
    ],
)
def test_the_columns_of_the_damage_check_table(unit: str, results: list[str]) -> None:
    """Morale 4: the bands begin at 5, 8 and 12."""
    assert [
        ask("dct", unit=unit, morale=4, total=total)["result"] for total in (4, 5, 8, 12)
    ] == results
    assert [
        ask("dct", unit=unit, morale=4, total=total)["result"] for total in (-3, 7, 11, 60)
    ] == results


def test_with_morale_1_the_second_band_is_empty() -> None:
    bands = [
        ask("dct", unit="good-order-mmc", morale=1, total=total)["band"] for total in (1, 2, 3)
    ]
    assert bands == ["le-morale", "ge-2x", "ge-3x"]


@pytest.mark.parametrize(
    ("unit", "state", "result", "becomes"),
    [
        ("squad", "good-order", "casualties", "half-squad-shaken"),
        ("squad", "shaken", "none", "shaken"),
        ("half-squad", "good-order", "casualties", "eliminated"),
        ("weapon-team", "shaken", "casualties", "eliminated"),
        ("crew", "good-order", "shaken", "shaken"),
        ("squad", "good-order", "wounded", "not-applicable"),
        ("squad", "wounded", "none", "not-applicable"),
        ("smc", "good-order", "wounded", "shaken-wounded"),
        ("smc", "wounded", "shaken", "shaken-wounded"),
        ("smc", "wounded", "wounded", "eliminated"),
        ("smc", "shaken-wounded", "wounded", "eliminated"),
        ("hero", "good-order", "shaken", "good-order"),
        ("hero", "good-order", "wounded", "wounded"),
        ("hero", "wounded", "wounded", "eliminated"),
        ("hero", "shaken", "none", "not-applicable"),
        ("armored-vehicle", "good-order", "shaken", "shaken"),
        ("armored-vehicle", "shaken", "shaken", "abandoned"),
        ("unarmored-vehicle", "good-order", "destroyed", "destroyed"),
        ("unarmored-vehicle", "good-order", "damaged", "not-applicable"),
        ("helicopter", "good-order", "damaged", "damaged"),
        ("helicopter", "damaged", "damaged", "damaged"),
        ("helicopter", "good-order", "shaken", "not-applicable"),
    ],
)
def test_what_a_result_makes_of_a_unit(unit: str, state: str, result: str, becomes: str) -> None:
    assert ask("state-change", unit=unit, state=state, result=result) == {"becomes": becomes}


def test_effects_of_results() -> None:
    shaken = ask("result-effects", case="shaken-leader")
    assert (shaken["fires"], shaken["self_rally"], shaken["move"]) == (
        False,
        True,
        "not-toward-enemy",
    )
    assert "fires" not in ask("result-effects", case="destroyed")
    assert ask("result-effects", case="shaken-vehicle")["move"] == "half-round-down"
    assert ask("result-effects", case="damaged")["move"] == "must-exit"


def test_an_even_second_die_makes_a_hero() -> None:
    assert [ask("hero-creation", roll=roll)["hero"] for roll in range(1, 7)] == [False, True] * 3


def test_a_helicopter_crashes_half_the_second_die_away() -> None:
    assert [ask("crash-drift", direction=die, distance=die) for die in range(1, 7)] == [
        {"direction": "north", "hexes": 1},
        {"direction": "north-east", "hexes": 1},
        {"direction": "south-east", "hexes": 2},
        {"direction": "south", "hexes": 2},
        {"direction": "south-west", "hexes": 3},
        {"direction": "north-west", "hexes": 3},
    ]


ATTACKER = {
    "mg_pivot": -1, "mg_assault": -2, "night": -3, "attacker_flying": -2, "between_buildings": -2, "hit_and_run": -2,
    "smoke": -1, "assault": -2, "adjacent": 2, "adjacent_a": 3, "fired_ordnance_sw": 1, "target_moved": 1,
    "mounted_stationary": 1, "rubber_boat": 1, "vehicle_moved": -1, "target_flying": -2,
}  # fmt: skip


@pytest.mark.parametrize(("row", "value"), ATTACKER.items())
def test_each_row_of_the_direct_fire_modifiers(row: str, value: int) -> None:
    assert ask("dft-mods", **{row: True}) == {
        "attack_mod": value,
        "defense_mod": 0,
        "parts": [{"id": row, "value": value}],
    }


def test_direct_fire_modifiers_together() -> None:
    out = ask(
        "dft-mods",
        lm=2,
        degrading=2,
        ops_complete=3,
        skill=-1,
        smoke=True,
        tis=True,
        adjacent=True,
        adjacent_a=True,
    )
    assert out["attack_mod"] == 2 - 2 - 3 - 1 + 3
    assert [part["id"] for part in out["parts"]] == [  # type: ignore[attr-defined]
        "lm",
        "degrading",
        "ops_complete",
        "skill",
        "adjacent_a",
    ]


@pytest.mark.parametrize(
    ("tm", "lone", "mod"), [(2, False, 2), (4, False, 4), (9, False, 4), (2, True, 4), (9, True, 8)]
)
def test_the_target_modifier_has_a_ceiling_and_doubles_for_a_lone_sniper(
    tm: int, lone: bool, mod: int
) -> None:
    assert ask("dft-mods", tm=tm, lone_sniper=lone, armor=3)["defense_mod"] == mod + 3
    assert ask("oft-mods", tm=tm, lone_sniper=lone)["to_hit_mod"] == mod


@pytest.mark.parametrize("table", ["dft-mods", "oft-mods", "spotting-mods"])
def test_a_third_degrading_hex_blocks_the_line_of_sight(table: str) -> None:
    with refuses("bad-value degrading") as caught:
        ask(table, degrading=3)
    assert "blocks" in caught.value.hint


def test_weapons_against_targets() -> None:
    out = ask("attack-types", case="overrun")
    assert (out["attacker_dice"], out["attacker_adds"], out["defender_adds"], out["lm"]) == (
        "1d6",
        "he-mg-plus-2",
        "tm",
        True,
    )
    assert ask("attack-types", case="mortar-team")["attacker_dice"] == "best-of-2d6"
    assert ask("attack-types", case="ordnance-infantry")["lm"] is False


def test_melee_odds_are_the_ratio_rounded_up_to_printed_odds_on_and_off_the_card() -> None:
    printed = sorted(ODDS, key=lambda odds: Fraction(ODDS[odds]))
    for attack, defense in product(range(1, 61, 3), range(1, 61)):
        ratio = Fraction(attack, defense)
        expected = next((odds for odds in printed if Fraction(ODDS[odds]) >= ratio), "5-1")
        assert ask("melee-odds", attack=attack, defense=defense) == {"odds": expected}, (
            attack,
            defense,
        )


@pytest.mark.parametrize(
    ("attack", "defense", "odds"),
    [
        (1, 1, "1-1"),
        (5, 1, "5-1"),
        (9, 2, "5-1"),
        (2, 3, "2-3"),
        (7, 4, "2-1"),
        (4, 9, "1-2"),
        (13, 11, "3-2"),
        (28, 14, "2-1"),
    ],
)
def test_melee_odds_as_printed(attack: int, defense: int, odds: str) -> None:
    assert ask("melee-odds", attack=attack, defense=defense) == {"odds": odds}


def test_melee_kill_numbers_and_the_hero() -> None:
    assert [ask("melee-kill", odds=odds)["kill"] for odds in ODDS] == [11, 10, 9, 8, 7, 6, 5, 4, 3]
    assert [ask("melee-kill", odds=odds, hero=True)["kill"] for odds in ODDS] == [
        10,
        9,
        8,
        7,
        6,
        5,
        4,
        3,
        3,
    ]
    assert ask("melee-kill", odds="5-1", hero=True)["odds_used"] == "5-1"


def test_melee_weapons_fires_and_opportunity_fire() -> None:
    assert ask("melee-weapons", case="flamethrower") == {"eligible": "yes"}
    assert ask("melee-weapons", case="other") == {"eligible": "by-module"}
    assert [ask("fire-start", roll=roll)["fire"] for roll in range(1, 7)] == [False] * 4 + [
        True
    ] * 2
    assert ask("op-fire", case="ops-complete") == {
        "may_fire": "yes",
        "attack_mod": -1,
        "sw_fp": "half-up",
        "oft_mod": 2,
    }
    assert [
        ask("op-fire", case=case)["may_fire"] for case in ("unmarked", "fired", "target-stealth")
    ] == [
        "yes",
        "no",
        "if-spotted",
    ]


# -- ordnance ---------------------------------------------------------------------------------------------

TO_HIT: dict[tuple[str, object], int] = {
    ("lm", 2): -2, ("open", True): -1, ("turret_pivot", True): 1, ("assault", True): 1, ("degrading", 2): 2,
    ("smc_sw", True): 1, ("smoke", True): 1, ("chassis_pivot", True): 1, ("vehicle_assault", "standard"): 2,
    ("vehicle_assault", "modern"): 1, ("night", "unlit"): 3, ("night", "unlit-tis"): 1, ("between_buildings", True): 2,
    ("ops_complete", "standard"): 2, ("ops_complete", "modern"): 1, ("attacker_flying", True): 2,
    ("target_moved", "yes"): 1, ("target_moved", "fast"): 2, ("adjacent", True): -2, ("aircraft", "fixed-wing"): 2,
    ("aircraft", "hovering"): 1, ("aircraft", "flying"): 2, ("rubber_boat", True): -1,
    ("mounted_stationary", True): -1, ("size", -2): -2, ("acquisition", 2): -2, ("fired_ordnance_sw", True): -1,
}  # fmt: skip


@pytest.mark.parametrize(("row", "value"), TO_HIT.items())
def test_each_row_of_the_ordnance_modifiers(row: tuple[str, object], value: int) -> None:
    name, given = row
    assert ask("oft-mods", **{name: given}) == {
        "to_hit_mod": value,
        "parts": [{"id": name, "value": value}],
    }


def test_aircraft_have_no_terrain_and_thermal_sights_see_through_smoke() -> None:
    assert ask("oft-mods", tm=3, lone_sniper=True, aircraft="hovering")["to_hit_mod"] == 1
    assert ask("oft-mods", smoke=True, tis=True) == {"to_hit_mod": 0, "parts": []}


def test_even_rolls_above_2_hit_the_turret() -> None:
    places = [ask("hit-location", roll=roll)["location"] for roll in range(2, 13)]
    assert places == [
        "hull",
        "hull",
        "turret",
        "hull",
        "turret",
        "hull",
        "turret",
        "hull",
        "turret",
        "hull",
        "none",
    ]
    assert [ask("hit-location", roll=roll, turret=False)["location"] for roll in range(2, 13)] == [
        "hull"
    ] * 10 + ["none"]


def test_ordnance_against_armor_and_aircraft() -> None:
    def row(case: str, target: str) -> list[object]:
        out = ask("penetration", case=case, target=target)
        return [out["effect"], out["mc_mod"], out["mc_pass"], out["mc_fail"], out["acquire"]]

    for target in ("vehicle", "aircraft"):
        assert row("dud", target) == ["none", "none", "none", "none", True]
        assert (
            row("catastrophic", target)
            == row("greater", target)
            == ["destroyed", "none", "none", "none", False]
        )
    assert row("equal", "vehicle") == ["morale-check", "zero", "shaken", "abandoned", True]
    assert row("less", "vehicle") == ["morale-check", "minus-difference", "none", "shaken", True]
    assert row("equal", "aircraft") == ["damaged", "none", "none", "none", True]
    assert row("less", "aircraft") == ["morale-check", "minus-difference", "none", "damaged", True]


def test_bail_out() -> None:
    assert [ask("bail-out-roll", who="crew", roll=roll)["result"] for roll in range(1, 7)] == [
        "survives"
    ] + ["eliminated"] * 5
    assert [
        ask("bail-out-roll", who="passengers", roll=roll)["result"] for roll in range(1, 7)
    ] == [
        "eliminated",
        "shaken",
    ] * 3


@pytest.mark.parametrize(
    ("white", "degrading", "lm", "hexes"),
    [(1, 0, 0, 1), (6, 2, 0, 4), (4, 0, 1, 2), (1, 0, 3, 0), (1, 0, 1, 0)],
)
def test_the_spotting_round_drifts_half_way(
    white: int, degrading: int, lm: int, hexes: int
) -> None:
    out = ask("spotting-round", white=white, colored=5, degrading=degrading, lm=lm)
    assert out == {"hexes": hexes, "direction": "south-west"}


def test_firepower_of_fire_missions() -> None:
    def around(mission: str, fp: int) -> list[object]:
        return [
            ask("mission-fp", mission=mission, fp=fp, distance=distance)["fp"]
            for distance in range(3)
        ]

    assert around("standard", 5) == [5, 5, 0]
    assert around("loose", 5) == [2, 2, 2]
    assert around("concentrated", 5) == [8, 3, 0]
    assert around("line", 7) == around("walking-barrage", 7) == [7, 0, 0]
    assert ask("mission-fp", mission="loose", fp=1, distance=2) == {"attacked": True, "fp": 0}
    assert ask("mission-fp", mission="line", fp=1, distance=1) == {"attacked": False, "fp": 0}
    assert [ask("loose-fp", fp=fp)["fp"] for fp in range(1, 7)] == [0, 0, 1, 1, 2, 2]
    with refuses("card-refuses firepower"):
        ask("mission-fp", mission="loose", fp=7, distance=0)


def test_fire_missions() -> None:
    out = ask("fire-missions", case="walking-barrage")
    assert (out["center"], out["ring1"], out["ring2"], out["extra_turns"]) == (
        "full",
        "none",
        "none",
        2,
    )
    out = ask("fire-missions", case="concentrated")
    assert (out["center"], out["ring1"], out["ring2"], out["extra_turns"]) == (
        "one-and-a-half-up",
        "half-up",
        "none",
        0,
    )


# -- reference --------------------------------------------------------------------------------------------


def test_fate_of_crew_and_passengers() -> None:
    def row(cause: str, vehicle: str) -> list[object]:
        return [
            ask("crew-fate", cause=cause, vehicle=vehicle, who=who)["result"]
            for who in ("crew", "inside", "outside")
        ]

    assert (
        row("dft", "none")
        == row("dft", "shaken")
        == ["none", "damage-check-if-exposed", "damage-check"]
    )
    assert (
        row("dft", "abandoned")
        == row("oft", "abandoned")
        == ["shaken-crew"] + ["disembark-morale-check"] * 2
    )
    assert row("dft", "destroyed") == ["bail-out"] + ["damage-check-then-bail-out"] * 2
    assert row("oft", "none") == ["none", "none", "disembark-morale-check"]
    assert row("oft", "shaken") == ["none", "morale-check", "disembark-morale-check"]
    assert row("oft", "destroyed") == ["bail-out"] * 3
    assert row("close-assault", "none") == ["none", "none", "not-allowed"]
    assert row("close-assault", "destroyed") == ["eliminated", "eliminated", "not-allowed"]
    with refuses("card-refuses shaken"):
        row("close-assault", "shaken")


def test_support_weapons() -> None:
    smc = ask("sw-usage", case="smc")
    assert (smc["carry"], smc["fire"], smc["mp_penalty"]) == (1, "one-half-up", 2)
    assert "carry" not in ask("sw-usage", case="captured")
    assert ask("sw-usage", case="squad")["carry"] == 2
    assert [
        ask("sw-usage", case=case)["carry"]
        for case in ("medic", "sniper", "crew", "mounted-half-squad")
    ] == [
        0,
        0,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("given", "fast", "mod"),
    [
        ({"type": "t", "mf": 16}, True, 2),
        ({"type": "t", "mf": 15}, False, 1),
        ({"type": "o", "mf": 20}, True, 2),
        ({"type": "r", "mf": 12, "road_mp": 2}, True, 2),
        ({"type": "r", "mf": 40, "road_mp": 1}, False, 1),
        ({"type": "t", "mf": 30, "moved": False}, False, 0),
    ],
)
def test_speed(given: dict[str, object], fast: bool, mod: int) -> None:
    assert ask("speed-mods", **given) == {"fast": fast, "oft_mod": mod}


def test_passengers_stacking_and_mines() -> None:
    assert ask("passenger-capacity", case="po") == {
        "mmc": "half-squad",
        "sw": 1,
        "smc": 1,
        "ride": "outside",
    }
    assert ask("passenger-capacity", case="pp") == {
        "mmc": "squad",
        "sw": 2,
        "smc": 2,
        "ride": "inside",
    }
    assert ask("stacking", case="atgm-team") == {
        "counts_as": "squad",
        "equivalent": 0.5,
        "limit": 3,
    }
    assert ask("stacking", case="wreck") == {"counts_as": "vehicle", "equivalent": 1, "limit": 1}
    mines = [ask("mines-vehicle", roll=roll)["result"] for roll in range(1, 7)]
    assert mines == [
        "none",
        "shaken",
        "shaken",
        "shaken-immobilized",
        "shaken-immobilized",
        "destroyed",
    ]
    assert ask("mines-vehicle", roll=6)["crew_lost"] is True


def test_streams() -> None:
    cost = [
        [ask("streams", stream=stream, unit=unit).get("mp") for unit in "ltor"]
        for stream in range(1, 6)
    ]
    assert cost == [[0, 0, 0, 0], [1, 2, 3, 4], [2, 4, 6, None], [4, 8, None, None], [None] * 4]
    assert ask("streams", stream=5, unit="l") == {"allowed": False}


def test_thermal_sights() -> None:
    assert ask("tis", case="milan-wt") == {"nation": "france-british", "spotting_mod": -2}
    assert ask("tis", case="m901") == {"nation": "us", "spotting_mod": -2}


# -- outline of play --------------------------------------------------------------------------------------


def test_phases_rally_and_movement() -> None:
    assert [
        ask("phases", case=case)["order"] for case in ("rally", "operations", "administrative")
    ] == [1, 2, 3]
    assert ask("phases", case="operations")["passes_to_end"] == 3
    assert ask("phases", case="administrative")["section"] == "9.0"
    assert ask("rally-mods", cover=True, lm=2) == {"roll_mod": -4}
    assert ask("rally-mods", lm=2, is_leader=True) == {"roll_mod": 0}
    assert [ask("self-rally", case=case)["self_rally"] for case in ("vehicle", "crew")] == [
        "yes",
        "if-marked",
    ]
    fire = ask("movement", case="assault-fire")
    assert (fire["mp"], fire["dft_mod"], fire["oft_mod"], fire["vehicle_oft_mod"]) == (
        "half",
        -2,
        1,
        2,
    )
    assert "vehicle_oft_mod" not in ask("movement", case="stealth-movement")
    assert "dft_mod" not in ask("movement", case="double-time")


def test_spotting() -> None:
    assert ask("spotting", case="open") == {"automatic": True}
    assert ask("spotting", case="blocking") == {"automatic": False, "needed": 2}
    assert ask("spotting-mods", lm=1, degrading=2, tis=True, scout=True) == {"roll_mod": -3}
    assert ask("auto-spotted", case="stealth-in-cover") == {"spotted": False}
    assert ask("auto-spotted", case="hit-and-run") == {"spotted": True}


@pytest.mark.parametrize(
    ("table", "given", "says"),
    [
        ("dct", {"unit": "tank", "morale": 5, "total": 5}, "bad-value unit"),
        ("dct", {"unit": "helicopter", "morale": 13, "total": 5}, "bad-value morale"),
        ("melee-odds", {"attack": 0, "defense": 4}, "bad-value attack"),
        ("mines-vehicle", {"roll": 7}, "bad-value roll"),
        ("streams", {"stream": 2}, "missing unit"),
        ("spotting", {"case": "open", "lm": 1}, "unknown-option lm"),
    ],
)
def test_nonsense_is_refused_in_one_line(table: str, given: dict[str, object], says: str) -> None:
    with refuses(says):
        ask(table, **given)
