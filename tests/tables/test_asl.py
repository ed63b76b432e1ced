"""Advanced Squad Leader situation tables: cells, whole columns, rulings and refusals, held
against the card.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from bot.cli import batch
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.tables.table import Answer, Table
from bot.rulesets.catalog import find_shared_system
from tests.examples import lookup
from tests.refusing import refuses

ASL = find_shared_system("asl")


def row(table: str, output: str, across: str, heads: list[Any], **given: object) -> list[Any]:
    """One row of a table, read from left to right."""
    return [lookup("asl", table, **{across: head}, **given)[output] for head in heads]


def refusal(table: str, **given: object) -> str:
    with pytest.raises(UserError) as caught:
        lookup("asl", table, **given)
    return str(caught.value)


def values(option: Option) -> list[Any]:
    if option.type == "bool":
        return [False, True]
    if option.type == "enum":
        return list(option.values)
    assert option.min is not None
    assert option.max is not None
    return list(range(int(option.min), int(option.max) + 1))


# -- every table ------------------------------------------------------------------------------------------


def only_declared_tokens(table: Table, out: dict[str, Any]) -> None:
    for name, value in out.items():
        tokens = table.outputs[name]
        if isinstance(tokens, tuple):
            assert all(item in tokens for item in (value if isinstance(value, list) else [value]))


def answer_or_refusal(table: Table, given: dict[str, Any]) -> Answer | None:
    try:
        return table.read(given)
    except UserError:
        return None


@pytest.mark.parametrize("id", [id for id in ASL.tables if id != "ch-dr"])
def test_every_combination_is_answered_in_declared_tokens_or_refused_by_rule(id: str) -> None:
    table = ASL.find_table(id)
    names = [option.name for option in table.inputs]
    answered = 0
    for combination in product(*(values(option) for option in table.inputs)):
        answer = answer_or_refusal(table, dict(zip(names, combination, strict=True)))
        if answer is None:
            assert table.refuse, combination
            continue
        answered += 1
        only_declared_tokens(table, dict(answer.out))
        assert set(table.outputs) - set(answer.out) <= {"limit"}
        if "text" in table.outputs:
            assert answer.text
    assert answered


# -- fire -------------------------------------------------------------------------------------------------

SITUATIONS = [
    ("stopped", "in-motion"),
    ("stopped", "expending-start-mp"),
    ("stopped", "moved-now-stopped"),
    ("in-motion", "in-motion"),
    ("in-motion", "moved-now-stopped"),
]


@pytest.mark.parametrize(
    ("attack_by", "case", "expected"),
    [
        ("defender", "case_l", "NO NO YES NO NO"),
        ("defender", "case_j", "YES NO YES YES YES"),
        ("attacker", "case_l", "NO NO YES NO NO"),
        ("attacker", "case_j", "NO NO NO YES YES"),
    ],
)
def test_cases_j_and_l_in_the_five_situations(attack_by: str, case: str, expected: str) -> None:
    got = [
        lookup("asl", "case-jl", attack_by=attack_by, defender=d, attacker=a) for d, a in SITUATIONS
    ]
    assert [out["situation"] for out in got] == [1, 2, 3, 4, 5]
    assert ["YES" if out[case] else "NO" for out in got] == expected.split()


def test_a_defender_in_motion_with_a_start_mp_is_not_on_the_card() -> None:
    said = refusal(
        "case-jl", attack_by="attacker", defender="in-motion", attacker="expending-start-mp"
    )
    assert "The card does not cover" in said


def test_situation_2_explains_the_start_mp() -> None:
    given = {"attack_by": "defender", "defender": "stopped", "attacker": "expending-start-mp"}
    assert "Start MP" in ASL.find_table("case-jl").read(given).text


FP_SITUATIONS = [
    "motion-dfph",
    "before-start-mp",
    "stopped-after-entry",
    "stopped-afph",
    "nonstopped-or-motion-afph",
]


@pytest.mark.parametrize(
    ("fp", "expected"),
    [
        ("mg-ife-passengers", "1/2 1/2 1/2 1/2 1/4"),
        ("mounted-fire", "1/4 1/4 1/4 1/4 1/8"),
        ("vehicular-ft", "1/2 1 1 1 1/2"),
    ],
)
def test_fp_multipliers(fp: str, expected: str) -> None:
    assert row("fp-multiplier", "multiplier", "situation", FP_SITUATIONS, fp=fp) == expected.split()


PILLBOX = {
    "ap": "zero-tem zero-tem zero-tem",
    "heat": "ca-tem nca-tem nca-tem",
    "canister": "ca-tem none none",
    "cc": "not-applicable not-applicable allowed",
    "dc": "ca-tem nca-tem ca-tem",
    "ffe": "not-applicable not-applicable nca-tem",
    "ft": "zero-tem nca-tem nca-tem",
    "he-direct": "ca-tem nca-tem nca-tem",
    "he-indirect": "nca-tem nca-tem not-applicable",
    "overrun": "not-applicable not-applicable none",
    "small-arms": "ca-tem none none",
    "wp-direct": "ch-only not-applicable baz45-ch-only",
    "wp-indirect": "not-applicable not-applicable not-applicable",
    "wp-grenade": "not-applicable not-applicable minus-nca-tem",
}


@pytest.mark.parametrize("weapon", PILLBOX)
def test_fire_at_a_pillbox(weapon: str) -> None:
    assert (
        row("pillbox-tem", "effect", "from", ["ca", "nca", "same-hex"], weapon=weapon)
        == PILLBOX[weapon].split()
    )
    halves = row("pillbox-tem", "fp", "from", ["ca", "nca", "same-hex"], weapon=weapon)
    assert halves == (["half", "full", "full"] if weapon == "canister" else ["full"] * 3)


def test_pillbox_texts_hold_the_notes_of_row_and_column() -> None:
    text = lookup("asl", "pillbox-tem", weapon="ap", **{"from": "nca"})["text"]
    assert "twice the CA or NCA TEM" in text
    assert "Critical Hit treats the NCA TEM as zero" in text


def test_what_counts_in_a_pillbox() -> None:
    topics = ASL.find_table("pillbox-notes").inputs[0].values
    applies = [topic for topic in topics if lookup("asl", "pillbox-notes", topic=topic)["applies"]]
    assert applies == [
        "own-hex-wp-grenade",
        "own-hex-thrown-dc",
        "own-hex-cc",
        "own-hex-dff-ca-hexside",
        "pillboxes-per-hex",
        "guns-per-pillbox",
    ]
    assert [
        topic for topic in topics if "limit" in lookup("asl", "pillbox-notes", topic=topic)
    ] == applies[4:]


def test_cases_of_an_original_2() -> None:
    heads = ["vehicle", "infantry", "area"]
    assert row("ch-case", "case", "target_type", heads, needed=1) == ["a", "b", "c"]
    assert row("ch-case", "case", "target_type", heads, needed=2) == ["d", "e", "f"]
    assert row("ch-case", "case", "target_type", heads, needed=3) == ["g", "h", "i"]
    assert row("ch-case", "subsequent_dr", "target_type", heads, needed=3) == [
        "never",
        "unless-below-half",
        "never",
    ]
    assert row("ch-case", "case", "needed", [-9, 0, 12], target_type="area") == ["c", "c", "i"]


def drs(**given: object) -> list[str]:
    got = [lookup("asl", "ch-dr", roll=roll, **given) for roll in range(1, 7)]
    return [f"{out['result']} {out['location']}" for out in got]


def test_subsequent_dr_of_cases_a_to_f() -> None:
    hull, turret, miss = "critical-hit hull", "critical-hit turret", "miss none"
    assert drs(case="a") == [hull, "hit turret", "hit hull", miss, miss, miss]
    assert drs(case="a", hull_down=True) == [turret, "hit turret", miss, miss, miss, miss]
    assert drs(case="b") == ["critical-hit none", "hit none", "hit none", miss, miss, miss]
    assert drs(case="c") == drs(case="a")
    assert drs(case="c", hull_down=True, afv=False) == drs(case="b")
    assert drs(case="a", afv=False) == drs(case="a")  # afv matters for c and f only
    assert drs(case="d") == [hull] + ["hit hull"] * 5
    assert drs(case="f", hull_down=True) == [turret] + ["hit turret"] * 5
    assert drs(case="f", hull_down=True, afv=False) == ["critical-hit none"] + ["hit none"] * 5


def test_half_of_the_th_number_is_not_rounded() -> None:
    critical, hit = "critical-hit none", "hit none"
    assert drs(case="e", th_number=7) == [critical] * 3 + [hit] * 3
    assert drs(case="e", th_number=8) == [critical] * 4 + [hit] * 2
    assert drs(case="e", th_number=-4) == [critical] + [hit] * 5  # a 1 always does
    assert drs(case="h", th_number=-4) == [hit] * 6
    assert drs(case="h", th_number=2) == [critical] + [hit] * 5
    assert drs(case="h", th_number=16) == [critical] * 6


def test_cases_e_and_h_need_the_th_number() -> None:
    assert "th_number" in refusal("ch-dr", case="e", roll=3)
    assert "roll" in refusal("ch-dr", case="a")
    assert "from 1 to 6" in refusal("ch-dr", case="a", roll=7)


def test_critical_hit_notes() -> None:
    topics = ASL.find_table("ch-notes").inputs[0].values
    facts = row("ch-notes", "fact", "topic", list(topics))
    assert facts.count("not-allowed") == 8
    assert lookup("asl", "ch-notes", topic="mg-15mm")["fact"] == "allowed"
    assert lookup("asl", "ch-notes", topic="att-rof")["fact"] == "consumed"


def test_hindrances_against_residual_fp_and_fire_lanes() -> None:
    heads = ["soft-between", "hard-between", "target-location"]
    assert row("rfp-hindrance", "effect", "where", heads, attack="residual-fp") == [
        "column-left",
        "column-left",
        "drm",
    ]
    assert row("rfp-hindrance", "effect", "where", heads, attack="fire-lane") == [
        "none",
        "drm",
        "drm",
    ]
    assert row("rfp-hindrance", "ffmo", "where", heads, attack="residual-fp") == [
        "none",
        "none",
        "applies",
    ]
    expected = ["cancelled", "none", "only-if-no-hindrance"]
    assert row("rfp-hindrance", "ffmo", "where", heads, attack="fire-lane") == expected


def test_hindrance_classes() -> None:
    kinds = ASL.find_table("hindrance-class").inputs[0].values
    soft = [
        "brush",
        "heavy-dust",
        "ffe",
        "grain",
        "hut",
        "kunai",
        "marsh",
        "paddy",
        "smoke",
        "vineyard",
    ]
    for kind in kinds:
        expected = "soft" if kind in soft else "neither" if kind in ("lv", "dlv") else "hard"
        assert lookup("asl", "hindrance-class", hindrance=kind)["class"] == expected


def test_only_ap_of_a_machine_gun_leaves_residual_fp() -> None:
    attacks = ASL.find_table("no-rfp").inputs[0].values
    assert [
        attack for attack in attacks if lookup("asl", "no-rfp", attack=attack)["leaves_rfp"]
    ] == ["mg-ap"]


def test_what_shifts_the_residual_fp_column() -> None:
    factors = ASL.find_table("rfp-shift").inputs[0].values
    assert row("rfp-shift", "shift", "factor", list(factors)) == ["left"] * 7 + ["none"] * 6 + [
        "right"
    ]


def test_fire_lane_conditions() -> None:
    topics = ASL.find_table("fire-lane-rules").inputs[0].values
    facts = row("fire-lane-rules", "fact", "topic", list(topics))
    assert facts == ["required"] * 5 + ["not-allowed"] + ["required"] * 2 + ["one-left"] + [
        "none"
    ] * 4 + ["possible"]


TK = {
    "mol-same-hex": "5 6 7 7 7 8 9 9",
    "mol-same-hex-elevated": "6 7 9 9 8 9 11 11",
    "mol-adjacent": "4 5 6 6 6 7 8 8",
    "mol-adjacent-elevated": "5 6 7 7 7 8 9 9",
    "mol-projector": "6 6 7 7 6 6 7 7",
    "ft-same-hex": "9 10 11 12 9 10 11 12",
    "ft-normal": "8 9 10 11 8 9 10 11",
    "ft-long": "4 5 6 7 4 5 6 7",
}


@pytest.mark.parametrize("weapon", TK)
def test_tk_numbers_in_the_eight_situations(weapon: str) -> None:
    cases = [
        (moving, afv) for moving in (True, False) for afv in ("ct-bu", "ct-ce", "ot-bu", "ot-ce")
    ]
    got = [
        lookup("asl", "tk-flame", weapon=weapon, afv=afv, moving=moving) for moving, afv in cases
    ]
    rear = [
        lookup("asl", "tk-flame", weapon=weapon, afv=afv, moving=moving, rear=True)
        for moving, afv in cases
    ]
    assert [out["situation"] for out in got] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [out["tk"] for out in got] == [int(figure) for figure in TK[weapon].split()]
    one = 1 if weapon in ("mol-projector", "ft-normal", "ft-long") else 0
    assert [out["tk"] for out in rear] == [out["tk"] + one for out in got]


NA = "not-applicable"
WP = [  # target, concealed, tem: direct TH, direct MC, indirect TH, indirect MC
    ("personnel", False, "none", 0, 0, 0, 0),
    ("personnel", False, "hedge", 0, -1, 0, 0),
    ("personnel", False, "wall", 0, -2, 0, -1),
    ("personnel", False, "wood-building", 0, -2, 0, -2),
    ("personnel", False, "stone-building", 0, -3, 0, -3),
    ("personnel", False, "woods", 0, -1, 0, 1),
    ("personnel", False, "height-advantage", 0, -1, 0, 0),
    ("personnel", True, "none", 2, 0, 2, 0),
    ("personnel", True, "hedge", 2, -1, 2, 0),
    ("personnel", True, "wall", 2, -2, 2, -1),
    ("personnel", True, "wood-building", 2, -2, 2, -2),
    ("personnel", True, "stone-building", 2, -3, 2, -3),
    ("personnel", True, "woods", 2, -1, 2, 1),
    ("personnel", True, "height-advantage", 2, -1, 2, 0),
    ("personnel", True, "pillbox-ca", 0, NA, 0, NA),
    ("personnel", True, "pillbox-nca", 0, NA, 0, NA),
    ("personnel", False, "pillbox-ca", 0, NA, 0, NA),
    ("emplaced-gun", False, "none", 1, -2, 1, -2),
    ("emplaced-gun", False, "hedge", 1, -2, 1, -2),
    ("emplaced-gun", False, "wall", 1, -2, 1, -2),
    ("emplaced-gun", False, "wood-building", 1, -2, 1, -2),
    ("emplaced-gun", False, "stone-building", 1, -3, 1, -3),
    ("emplaced-gun", False, "woods", 1, -2, 1, -1),
    ("emplaced-gun", False, "height-advantage", 1, -2, 1, -2),
    ("emplaced-gun", True, "none", 3, -2, 3, -2),
    ("emplaced-gun", True, "wall", 3, -2, 3, -2),
    ("emplaced-gun", True, "wood-building", 3, -2, 3, -2),
    ("emplaced-gun", True, "stone-building", 3, -3, 3, -3),
    ("emplaced-gun", True, "woods", 3, -2, 3, -1),
    ("emplaced-gun", True, "height-advantage", 3, -2, 3, -2),
    ("emplaced-gun", True, "pillbox-ca", 0, NA, 0, NA),
    ("emplaced-gun", True, "pillbox-nca", 0, NA, 0, NA),
    ("bu-ct-afv", False, "none", 1, NA, 1, NA),
    ("bu-ct-afv", False, "stone-building", 1, NA, 1, NA),
    ("ce-ct-afv", False, "none", 1, -2, 1, -2),
    ("ce-ct-afv", False, "hedge", 1, -2, 1, -2),
    ("ce-ct-afv", False, "wood-building", 1, -2, 1, -2),
    ("ce-ct-afv", False, "stone-building", 1, -3, 1, -3),
    ("ce-ct-afv", False, "woods", 1, -2, 1, -1),
    ("ot-afv", False, "woods", 1, -2, 1, -1),
    ("ot-afv", False, "height-advantage", 1, -2, 1, -2),
    ("ot-afv", False, "wood-building", "not-allowed", "not-allowed", "not-allowed", "not-allowed"),
]


@pytest.mark.parametrize("line", WP)
def test_wp_modifiers(line: tuple[Any, ...]) -> None:
    target, concealed, tem, *expected = line
    got = [
        lookup("asl", "wp-mods", target=target, concealed=concealed, tem=tem, fire=f)
        for f in ("direct", "indirect")
    ]
    assert [out[name] for out in got for name in ("th_drm", "mc_drm")] == expected


def test_what_table_18_does_not_hold_is_refused() -> None:
    assert "pillbox" in refusal("wp-mods", target="ot-afv", tem="pillbox-ca", fire="direct")
    assert "concealed" in refusal(
        "wp-mods", target="ce-ct-afv", tem="woods", fire="direct", concealed=True
    )


def test_blind_hexes() -> None:
    first = [1, 5, 10, 15, 20, 25, 30, 35, 40]
    last = [4, 9, 14, 19, 24, 29, 34, 39, 44]
    for ranges in (first, last):
        assert row("blind-hexes", "blind", "range", ranges, high_level=2) == [
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
        ]
        assert row("blind-hexes", "blind", "range", ranges, high_level=3) == [
            1,
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
        ]
        assert row("blind-hexes", "blind", "range", ranges, high_level=4) == [
            1,
            1,
            1,
            2,
            3,
            4,
            5,
            6,
            7,
        ]
        two = {"obstacle_level": 2}
        assert row("blind-hexes", "blind", "range", ranges, high_level=3, **two) == [
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
            10,
        ]
        assert row("blind-hexes", "blind", "range", ranges, high_level=4, **two) == [
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
        ]
    crest = row("blind-hexes", "blind", "range", first, high_level=3, crest_line=True)
    assert crest == [0, 0, 1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("levels", "same"),
    [
        ((3, 1, 2), (2, 0, 1)),
        ((4, 2, 3), (2, 0, 1)),
        ((4, 1, 2), (3, 0, 1)),
        ((4, 1, 3), (3, 0, 2)),
    ],
)
def test_blind_hexes_of_raised_levels(
    levels: tuple[int, int, int], same: tuple[int, int, int]
) -> None:
    names = ("high_level", "low_level", "obstacle_level")
    for distance in (4, 22, 44):
        raised = lookup(
            "asl", "blind-hexes", range=distance, **dict(zip(names, levels, strict=True))
        )
        assert raised == lookup(
            "asl", "blind-hexes", range=distance, **dict(zip(names, same, strict=True))
        )


def test_blind_hexes_off_the_card() -> None:
    assert "from 1 to 44" in refusal("blind-hexes", high_level=2, range=45)
    for high, obstacle in ((2, 2), (4, 3)):
        with refuses("card-refuses obstacle"):
            lookup("asl", "blind-hexes", high_level=high, obstacle_level=obstacle, range=9)


# -- vehicle ----------------------------------------------------------------------------------------------


def test_half_track_cases() -> None:
    """The twelve cases in the card's order; g f of case 12 stand in that order."""
    effects = ["none", "a b", "a b", "c d", "a c", "a c", "e", "e", "e", "g", "g h", "g f"]
    vehicle = ["none"] * 6 + ["stunned"] * 3 + ["recalled"] * 3
    combinations = product(("ok", "pin", "break", "k-kia"), ("ok", "pin", "break"))
    got = [
        lookup("asl", "ht-case", crew=crew, passenger=passenger) for crew, passenger in combinations
    ]
    assert [out["case"] for out in got] == list(range(1, 13))
    assert [" ".join(out["effects"]) for out in got] == effects
    assert [out["vehicle"] for out in got] == vehicle


NOT = "not-allowed"
SMOKE: dict[
    str, tuple[list[Any], str, str]
] = {  # CT BU, OT BU, CE, unarmored; not yet moved, in the MPh
    "sd": ([1, 1, 0, NOT], "dispersed", "own-hex"),
    "sn": ([1, NOT, 0, NOT], "dispersed", "own-hex"),
    "sm": ([1, 1, 0, NOT], "dispersed", "1-3-hexes-of-tca"),
    "sp": ([NOT, NOT, 0, NOT], "dispersed", "own-hex"),
    "smoke-grenade": ([NOT, 0, 0, 0], "full", "own-hex"),
}


@pytest.mark.parametrize("dispenser", SMOKE)
def test_smoke_usage(dispenser: str) -> None:
    drm, smoke, placement = SMOKE[dispenser]
    heads = ["ct-bu", "ot-bu", "ce", "unarmored"]
    assert row("smoke-usage", "drm", "crew", heads, dispenser=dispenser) == drm
    moved = 2 if dispenser == "sm" else 0
    expected = [NOT if figure == NOT else int(figure) + moved for figure in drm]
    assert row("smoke-usage", "drm", "crew", heads, dispenser=dispenser, moved=True) == expected
    for crew, figure in zip(heads, drm, strict=True):
        out = lookup("asl", "smoke-usage", dispenser=dispenser, crew=crew)
        if figure == NOT:
            assert (out["smoke"], out["hindrance"], out["placement"]) == ("none", 0, "none")
        else:
            assert (out["smoke"], out["hindrance"], out["placement"]) == (smoke, 2, placement)


def test_smoke_grenades_need_a_1_or_a_2() -> None:
    heads = ["ct-bu", "ot-bu", "ce", "unarmored"]
    assert row("smoke-usage", "needs", "crew", heads, dispenser="smoke-grenade") == [
        NOT,
        "dr-1",
        "dr-2",
        "dr-1",
    ]


def test_only_a_buttoned_up_sn_works_in_the_ccph() -> None:
    for dispenser, crew in product(SMOKE, ["ct-bu", "ot-bu", "ce", "unarmored"]):
        out = lookup("asl", "smoke-usage", dispenser=dispenser, crew=crew, phase="ccph")
        if (dispenser, crew) == ("sn", "ct-bu"):
            assert (out["drm"], out["needs"], out["smoke"]) == (0, "usage-number", "none")
        else:
            assert (out["drm"], out["needs"]) == (NOT, NOT)


MP = {  # enter[extra] -- exit, for one vehicle or wreck
    "bu-ft": "2[1]--1 2[1]--1 3[2]--1 5[4]--1",
    "bu-ht": "2[1]--1 2[1]--1 3[2]--1 5[4]--1",
    "ce-ft": "2[1]--1 2[1]--1 2.5[2]--0.5 4.5[4]--0.5",
    "ce-ht": "2[1]--1 2[1]--1 2.5[2]--0.5 4.5[4]--0.5",
    "ce-ac": "4[1]--3 4[1]--3 2.5[2]--0.5 4.5[4]--0.5",
    "bu-ac": "4[1]--3 4[1]--3 3[2]--1 5[4]--1",
    "truck": "5[1]--4 5[1]--4 2.5[2]--0.5 4.5[4]--0.5",
}


@pytest.mark.parametrize("vehicle", MP)
def test_mp_to_enter_and_leave(vehicle: str) -> None:
    terrains = ["open-ground", "road-no-rate", "road-rate", "special-road-rate"]
    got = [lookup("asl", "mp-cost", vehicle=vehicle, terrain=terrain) for terrain in terrains]
    assert [f"{out['enter']}[{out['extra']}]--{out['exit']}" for out in got] == MP[vehicle].split()
    for terrain in terrains:
        bare = lookup("asl", "mp-cost", vehicle=vehicle, terrain=terrain, count=0)
        assert bare["enter"] == bare["exit"]


COLLATERAL = {  # AP, MG, HE, Area HE
    "destroyed": "crew-survival crew-survival crew-survival crew-survival",
    "immobilized": "he-equivalency*5 not-applicable he-full*5 he-half*5",
    "shocked": "bu/he-equivalency not-applicable bu/he-full bu/he-half",
    "stunned": "not-applicable bu/mg-full not-applicable not-applicable",
    "unharmed": "he-equivalency mg-full he-full he-half",
}


@pytest.mark.parametrize("outcome", COLLATERAL)
def test_collateral_attacks(outcome: str) -> None:
    for attack, said in zip(["ap", "mg", "he"], COLLATERAL[outcome].split()[:3], strict=True):
        check_collateral(
            lookup("asl", "collateral", outcome=outcome, attack=f"vehicle-{attack}"), said
        )
    check_collateral(
        lookup("asl", "collateral", outcome=outcome, attack="area-he"),
        COLLATERAL[outcome].split()[3],
    )
    merged = lookup("asl", "collateral", outcome=outcome, attack="infantry-he")
    assert (merged["prc"], merged["fp"], merged["ce_drm"]) == (
        "general-collateral",
        "he-full",
        True,
    )


def check_collateral(out: dict[str, Any], said: str) -> None:
    if said in ("crew-survival", "not-applicable"):
        assert (out["prc"], out["fp"], out["ce_drm"], out["immobilization_tc"]) == (
            said,
            "none",
            False,
            False,
        )
        return
    assert out["prc"] == ("bu-riders-attacked" if said.startswith("bu/") else "attacked")
    assert out["fp"] == said.removeprefix("bu/").removesuffix("*5")
    assert out["ce_drm"] is not said.startswith("bu/")
    assert out["immobilization_tc"] is said.endswith("*5")


MELEE = {  # infantry, note, afv, note, may the AFV leave
    "prep-fire": [
        "held 0 tpbf 0 no",
        "fire-at-afv 2 no-prep-fire 0 no",
        "held 0 tpbf-no-bow-mg 0 no",
    ],
    "movement": ["held 0 tpbf 4 yes", "may-leave 0 tpbf 5 yes", "held 0 tpbf-no-bow-mg 4 no"],
    "defensive-fire": ["held 7 tpbf 0 no", "fire-at-afv 2 tpbf 5 no", "held 0 tpbf-no-bow-mg 0 no"],
    "close-combat": ["cc-attack 3 cct-attack 6 no"] * 3,
}


@pytest.mark.parametrize("phase", MELEE)
def test_melee_actions(phase: str) -> None:
    got = []
    for situation in ("mobile-stopped", "mobile-in-motion", "immobile-stopped"):
        out = lookup("asl", "melee-actions", phase=phase, situation=situation)
        leaves = "yes" if out["afv_may_leave"] else "no"
        got.append(
            f"{out['infantry']} {out['infantry_note']} {out['afv']} {out['afv_note']} {leaves}"
        )
    assert got == MELEE[phase]


def test_cc_modifiers_against_an_afv() -> None:
    def drm(*flags: str) -> int:
        return int(lookup("asl", "cc-afv-drm", **dict.fromkeys(flags, True))["drm"])

    assert [
        drm("moving"),
        drm("immobile"),
        drm("open_topped"),
        drm("no_manned_mg"),
        drm("bow_mg"),
    ] == [
        2,
        -1,
        -2,
        -1,
        0,
    ]
    assert drm("no_manned_mg", "bow_mg") == 0
    assert drm("no_manned_mg", "bow_mg", "immobile") == -2
    assert drm("immobile", "open_topped", "no_manned_mg") == -4
    assert "both moving and immobile" in refusal("cc-afv-drm", moving=True, immobile=True)


def test_what_an_afv_may_use_in_cc() -> None:
    weapons = ["cmg", "aamg", "ife", "rmg", "riders", "ht-passengers", "close-defense-weapon"]
    expected = [
        "not-if-vca-only",
        "ce-or-heroic-rider",
        "turreted-15mm-max",
        "none",
        "none",
        "ce",
        "none",
    ]
    assert row("afv-cc-weapons", "condition", "weapon", weapons) == expected
    assert row("afv-cc-weapons", "half_in_motion", "weapon", weapons) == [True] * 6 + [False]
    assert row("afv-cc-weapons", "odds_ratio", "weapon", weapons) == [True] * 6 + [False]


def test_facing_by_the_colored_die() -> None:
    assert row("facing-dr", "facing", "roll", [1, 2, 3, 4, 5, 6]) == [
        "rear",
        "rear",
        "side",
        "side",
        "front",
        "front",
    ]


# -- infantry ---------------------------------------------------------------------------------------------

VS_AFV = {  # CT BU; CT CE; OT
    "unmarked-ground": "b c d; a b c d; a b c d",
    "squad-first-fire-ground": "b c e; a b c e; a b c e",
    "hs-crew-first-fire-ground": "c e; a c e; a c e",
    "final-fire-ground": "c e; a c e; a c e",
    "unmarked-upper": "b f; a b c; a-ot b c",
    "squad-first-fire-upper": "b c; a b c; a-ot b c",
    "hs-crew-first-fire-upper": "c; a c; a-ot c",
    "final-fire-upper": "c; a c; a-ot c",
    "concealed-ground": "b c d g; a b c d g; a b c d g",
    "gun-crew-unmarked": "b c d h; a b c d h; a b c d h",
    "gun-crew-first-fire": "c e i; a c e i; a c e i",
    "gun-crew-final-fire": "c e; a c e; a c e",
}


def test_infantry_options_against_an_afv() -> None:
    for number, (defender, cells) in enumerate(VS_AFV.items(), 1):
        got = [
            lookup("asl", "vs-afv", defender=defender, afv=afv)
            for afv in ("ct-bu", "ct-ce", "ot-bu", "ot-ce")
        ]
        assert {out["case"] for out in got} == {number}
        closed, crew_exposed, open_topped = (cell.split() for cell in cells.split("; "))
        assert [out["effects"] for out in got] == [closed, crew_exposed, open_topped, open_topped]


def test_notes_go_with_their_letters() -> None:
    text = lookup("asl", "vs-afv", defender="unmarked-ground", afv="ct-bu")["text"]
    assert "No MOL" in text
    assert "colored die" in text
    assert (
        "No MOL" not in lookup("asl", "vs-afv", defender="gun-crew-first-fire", afv="ct-bu")["text"]
    )


VS_OVR = {  # CT BU before, after; any other AFV before, after; gun crews again when pinned
    "unmarked": "b; c g; a b; a c g",
    "squad-first-fire": "b; d g; a b; a d g",
    "hs-crew-first-fire": "none; d; a; a d",
    "final-fire": "none; f; none; f",
    "concealed": "e b; c g; e a b; a c g",
    "gun-crew-unmarked": "h; i; h a; i a",
    "gun-crew-first-fire": "m; l; m a; l a",
    "gun-crew-final-fire": "m; l; m a; l a",
}
VS_OVR_PINNED = {
    **VS_OVR,
    "gun-crew-unmarked": "j; k; j a; k a",
    "gun-crew-first-fire": "none; l; a; l a",
    "gun-crew-final-fire": "none; l; a; l a",
}


@pytest.mark.parametrize(("pinned", "printed"), [(False, VS_OVR), (True, VS_OVR_PINNED)])
def test_infantry_options_against_an_overrun(pinned: bool, printed: dict[str, str]) -> None:
    for number, (defender, cells) in enumerate(printed.items(), 1):
        columns = [(afv, moment) for afv in ("ct-bu", "ot-bu") for moment in ("before", "after")]
        for (afv, moment), cell in zip(columns, cells.split("; "), strict=True):
            out = lookup("asl", "vs-ovr", defender=defender, afv=afv, moment=moment, pinned=pinned)
            assert (out["case"], out["effects"]) == (number, cell.split())
            joined = "none" if " " not in cell else "and-or" if cell.startswith("e") else "or"
            assert out["join"] == joined
            if afv == "ot-bu":  # CE, and OT whether BU or CE, share a column
                for other in ("ct-ce", "ot-ce"):
                    given = {"defender": defender, "afv": other, "moment": moment, "pinned": pinned}
                    assert lookup("asl", "vs-ovr", **given) == out


@pytest.mark.parametrize(
    ("table", "across", "heads", "rows"),
    [
        (
            "fire-direction",
            "fp",
            ["vehicle-mg-atr", "passengers", "infantry"],
            ["a b c", "d a e", "f f a"],
        ),
        (
            "rally-direction",
            "unit",
            ["inherent-crew", "passengers", "infantry"],
            ["a b b", "c a d", "e f a"],
        ),
    ],
)
def test_leader_direction(table: str, across: str, heads: list[str], rows: list[str]) -> None:
    for leader, cells in zip(
        ["ce-armor-leader", "ce-passenger-leader", "infantry-leader"], rows, strict=True
    ):
        assert row(table, "effect", across, heads, leader=leader) == cells.split()


def test_leader_conditions() -> None:
    def both(table: str, leader: str, **given: str) -> tuple[bool, str]:
        out = lookup("asl", table, leader=leader, **given)
        return out["allowed"], out["condition"]

    assert both("fire-direction", "ce-armor-leader", fp="passengers") == (True, "same-fg")
    assert both("fire-direction", "ce-passenger-leader", fp="infantry") == (
        True,
        "same-fg-not-in-motion",
    )
    assert both("fire-direction", "infantry-leader", fp="vehicle-mg-atr") == (False, "none")
    assert both("rally-direction", "infantry-leader", unit="passengers") == (
        True,
        "non-moving-vehicle",
    )
    assert both("rally-direction", "ce-passenger-leader", unit="inherent-crew") == (False, "none")


def test_transfer_and_recovery_by_phase() -> None:
    phases = ["rally", "rout", "friendly-mph", "friendly-aph", "enemy-defensive-fire"]
    transfer = row("sw-phase", "effects", "phase", phases, action="transfer")
    recovery = row("sw-phase", "effects", "phase", phases, action="recovery")
    assert transfer == [["a", "t"], ["not-allowed"], ["t", "g"], ["c"], ["not-allowed"]]
    assert recovery == [["b", "e"], ["f"], ["d"], ["not-allowed"], ["f"]]


def test_recovery_modifiers_add_up() -> None:
    assert lookup("asl", "recovery-drm", cx=True, night=True, jungle=True) == {
        "drm": 4,
        "max_total": 5,
    }


def test_guards() -> None:
    assert lookup("asl", "guard", guard_us=3, prisoner_us=3)["cc_attack"] == "half-vs-others"
    assert lookup("asl", "guard", guard_us=3, prisoner_us=4)["ift"] == "not-allowed"
    assert lookup("asl", "guard", guard_us=3, prisoner_us=15)["legal"] is True
    assert lookup("asl", "guard", guard_us=3, prisoner_us=16)["cc_attack"] == "not-allowed"


# -- weapon -----------------------------------------------------------------------------------------------

USES = {
    "sustained_fire": (-2, 0, 0),
    "captured": (-2, 2, -1),
    "inexperienced": (-1, 0, 0),
    "non_qualified": (-2, 2, -1),
    "japanese_mg": (-1, 0, -1),
    "ft_dc_non_elite": (-2, 0, 0),
}


@pytest.mark.parametrize("use", USES)
def test_use_of_a_support_weapon(use: str) -> None:
    out = lookup("asl", "sw-use", **{use: True})
    assert (out["bx"], out["th_drm"], out["rof"]) == USES[use]
    assert (out["no_rof"], out["red_th"]) == (use == "sustained_fire", use == "captured")


def test_all_uses_add_up() -> None:
    out = lookup("asl", "sw-use", **dict.fromkeys(USES, True))
    assert out == {"bx": -10, "th_drm": 4, "rof": -3, "no_rof": True, "red_th": True}
    gun = lookup("asl", "gun-use", intensive_fire=True, captured=True)
    assert gun == {"bx": -4, "th_drm": 4, "rof": -1, "no_rof": True, "red_th": True}


def sw_numbers(**given: object) -> str:
    got = [
        lookup("asl", "b-sw", start=start, **given) for start in ("b10", "b11", "b12", "x10", "x11")
    ]
    return " ".join(
        f"X{out['x']}" if out["b"] == "none" else f"B{out['b']},X{out['x']}" for out in got
    )


B_SW = [  # others, inexperienced, shortage, as printed
    (0, False, False, "B10,Xnone B11,Xnone B12,Xnone X10 X11"),
    (0, True, False, "B9,X10 B10,X11 B11,X12 X9 X10"),
    (1, False, False, "B8,X10 B9,X11 B10,X12 X8 X9"),
    (1, True, False, "B7,X10 B8,X11 B9,X12 X7 X8"),
    (2, False, False, "B6,X10 B7,X11 B8,X12 X6 X7"),
    (2, True, False, "B5,X10 B6,X11 B7,X12 X5 X6"),
    (3, False, False, "B4,X10 B5,X11 B6,X12 X4 X5"),
    (3, True, False, "B3,X10 B4,X11 B5,X12 X3 X4"),
    (0, False, True, "B9,X10 B10,X11 B11,X12 X9 X10"),
    (0, True, True, "B8,X10 B9,X11 B10,X12 X8 X9"),
    (1, False, True, "B7,X10 B8,X11 B9,X12 X7 X8"),
    (1, True, True, "B6,X10 B7,X11 B8,X12 X6 X7"),
    (2, False, True, "B5,X10 B6,X11 B7,X12 X5 X6"),
    (2, True, True, "B4,X10 B5,X11 B6,X12 X4 X5"),
]


@pytest.mark.parametrize("line", B_SW)
def test_numbers_of_support_weapons(line: tuple[int, bool, bool, str]) -> None:
    others, inexperienced, shortage, printed = line
    assert sw_numbers(others=others, inexperienced=inexperienced, ammo_shortage=shortage) == printed


def gun_numbers(starts: str, **given: object) -> str:
    got = [lookup("asl", "b-gun", start=start, **given) for start in starts.split()]
    return " ".join(f"LA{out['la']},B{out['b']},X{out['x']}".replace("LAnone,", "") for out in got)


PLAIN, CIRCLED = "b10 b11 b12", "circled-9 circled-10 circled-11"
B_GUN = [
    (PLAIN, 0, False, False, "B10,Xnone B11,Xnone B12,Xnone"),
    (PLAIN, 1, False, False, "B8,X10 B9,X11 B10,X12"),
    (PLAIN, 2, False, False, "B6,X10 B7,X11 B8,X12"),
    (PLAIN, 3, False, False, "B4,X10 B5,X11 B6,X12"),
    (CIRCLED, 0, False, False, "LA9,B12,Xnone LA10,B12,Xnone LA11,B12,Xnone"),
    (CIRCLED, 1, False, False, "LA9,B10,X12 LA10,B10,X12 LA11,B10,X12"),
    (CIRCLED, 2, False, False, "LA9,B8,X12 LA10,B8,X12 LA11,B8,X12"),
    (CIRCLED, 3, False, False, "LA9,B6,X12 LA10,B6,X12 LA11,B6,X12"),
    (CIRCLED, 0, True, False, "B8,X9 B9,X10 B10,X11"),
    (CIRCLED, 1, True, False, "B6,X9 B7,X10 B8,X11"),
    (CIRCLED, 2, True, False, "B4,X9 B5,X10 B6,X11"),
    (CIRCLED, 3, True, False, "B2,X9 B3,X10 B4,X11"),
    (PLAIN, 0, False, True, "LA9,B10,Xnone LA10,B11,Xnone LA11,B12,Xnone"),
    (PLAIN, 1, False, True, "LA9,B8,X10 LA10,B9,X11 LA11,B10,X12"),
    (PLAIN, 2, False, True, "LA9,B6,X10 LA10,B7,X11 LA11,B8,X12"),
    (PLAIN, 0, True, True, "B8,X9 B9,X10 B10,X11"),
    (PLAIN, 2, True, True, "B4,X9 B5,X10 B6,X11"),
    (CIRCLED, 1, False, True, "B6,X9 B7,X10 B8,X11"),
]


@pytest.mark.parametrize("line", B_GUN)
def test_numbers_of_guns(line: tuple[str, int, bool, bool, str]) -> None:
    starts, conditions, counter, shortage, printed = line
    assert (
        gun_numbers(starts, conditions=conditions, low_ammo=counter, ammo_shortage=shortage)
        == printed
    )


def test_yellow_areas_are_where_the_b_number_does_not_exceed_the_la_number() -> None:
    def yellow(start: str, conditions: int, shortage: bool = False) -> bool:
        given = {"start": start, "conditions": conditions, "ammo_shortage": shortage}
        return bool(lookup("asl", "b-gun", **given)["both_at_la"])

    assert [yellow("circled-9", count) for count in range(4)] == [False, False, True, True]
    assert [yellow("circled-10", count) for count in range(4)] == [False, True, True, True]
    assert [yellow("b10", count, True) for count in range(3)] == [False, True, True]
    assert not yellow("b10", 3)


def test_what_table_12b_does_not_hold_is_refused() -> None:
    assert "Low Ammo counter" in refusal("b-gun", start="b11", low_ammo=True)
    assert "captured" in refusal("b-gun", start="b11", ammo_shortage=True, conditions=3)
    assert "captured" in refusal("b-sw", start="b11", ammo_shortage=True, others=3)


def test_breakdown_notes() -> None:
    topics = ASL.find_table("malf-notes").inputs[0].values
    assert row("malf-notes", "fact", "topic", list(topics)) == [
        "exempt",
        "add",
        "not-allowed",
        "replacement",
        "minus-1",
        "none",
        "red-numbers",
        "none",
        "none",
        "as-mmc",
        "low-ammo-and-depleted",
    ]


def test_a_use_that_changes_several_columns_names_each() -> None:
    """A captured MG: B# -2, TH DRM +2, ROF -1; three bare figures would not tell which is which."""
    request = {"op": "lookup", "system": "asl", "table": "sw-use", "in": {"captured": True}}
    said = batch.answer_request(request)["text"].splitlines()
    assert {"B#/X#: −2 captured", "TH DRM: +2 captured", "ROF: −1 captured"} < set(said)
