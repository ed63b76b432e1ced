"""Shooting: who hits, who is saved, what each damage die does, and the exact odds of it."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import icepool
import pytest

from bot.rulesets.ucn.shooters import UNDER_FIRE, format_area
from tests.examples import odds, play_example, said
from tests.refusing import refuses
from tests.rulesets.ucn.plainly import every_face
from tests.rulesets.ucn.rosters import changes, roster, unit


def shoot(shooters: str, dice: list[int], units: Any = None, **given: object) -> Any:
    return play_example("ucn", "shoot", {"shooters": shooters, **given}, dice, units)


def test_all_dice_to_hit_come_first_then_save_and_damage_hit_by_hit() -> None:
    """In cover: rifles need 6, the LMG with 14 of its own 8, the SMG at -4 only 2."""
    shooters = "bolt-action-rifle n=2; lmg skill=14; smg mod=-4"
    played = shoot(shooters, [3, 20, 5, 2, 9, 1, 14, 2, 3, 6, 7], skill=12, target_in_cover=True)
    assert played.out == {
        "shooters": [
            {
                "weapon": "bolt-action-rifle",
                "final_skill": 6,
                "roll": 3,
                "hit": True,
                "loses_ap": False,
                "saved": None,
                "damage": [{"roll": 9, "total": 9, "status": "pinned"}],
            },
            {
                "weapon": "bolt-action-rifle",
                "final_skill": 6,
                "roll": 20,
                "hit": False,
                "loses_ap": True,
                "saved": None,
                "damage": [],
            },
            {
                "weapon": "lmg",
                "final_skill": 8,
                "roll": 5,
                "hit": True,
                "loses_ap": False,
                "saved": None,
                "damage": [
                    {"roll": 1, "total": 1, "status": "hesitant"},
                    {"roll": 14, "total": 14, "status": "combat-ineffective"},
                    {"roll": 2, "total": 2, "status": "hesitant"},
                ],
            },
            {
                "weapon": "smg",
                "final_skill": 2,
                "roll": 2,
                "hit": True,
                "loses_ap": False,
                "saved": False,
                "damage": [
                    {"roll": 6, "total": 6, "status": "hesitant"},
                    {"roll": 7, "total": 7, "status": "pinned"},
                ],
            },
        ],
        "hits": 3,
        "saved": 0,
        "casualties": 1,
        "status": "combat-ineffective",
        "morale_loss": 2,
    }
    labels = [die.label for die in played.dice]
    assert labels[:5] == [
        "1 bolt-action-rifle to hit",
        "2 bolt-action-rifle to hit",
        "3 lmg to hit",
        "4 smg to hit",
        "1 bolt-action-rifle damage",
    ]
    assert labels[8:] == ["4 smg save", "4 smg damage", "4 smg damage"]


def test_modifiers_of_all_weapons_are_said_once() -> None:
    """12 - 6 - 4 = 2 for the rifle; the SMG has 4 less of its own. One modifier stays in place."""
    weapons = "bolt-action-rifle; smg mod=-4"
    played = shoot(weapons, [20, 20], skill=12, target_in_cover=True, target_gone_firm=True)
    assert [
        (line.label, line.contributors, line.parts, line.total) for line in played.lines[:3]
    ] == [
        ("for all", (), (("target in cover", -6), ("target gone firm", -4)), -10),
        ("rifle", (("Firearms", 12),), (("for all", -10),), 2),
        ("SMG", (("Firearms", 12),), (("for all", -10), ("own modifier", -4)), -2),
    ]
    played = shoot(weapons, [20, 20], skill=12, target_in_cover=True)
    assert [line.parts for line in played.lines[:2]] == [
        (("target in cover", -6),),
        (("target in cover", -6), ("own modifier", -4)),
    ]


def test_a_saved_hit_does_nothing() -> None:
    out = shoot("smg n=2", [5, 5, 2, 3, 1, 1], skill=10).out
    assert out["shooters"][0]["saved"] is True
    assert out["shooters"][0]["damage"] == []
    assert [die["status"] for die in out["shooters"][1]["damage"]] == ["hesitant", "hesitant"]
    assert (out["hits"], out["saved"], out["status"], out["casualties"]) == (2, 1, "hesitant", 0)
    assert shoot("smg", [5, 1], skill=10).out["status"] == "none"


def test_without_saves_no_save_is_rolled() -> None:
    out = shoot("grenade", [5, 8, 13], skill=10, saves=False).out
    assert out["shooters"][0]["saved"] is None
    assert (out["saved"], out["casualties"], out["morale_loss"]) == (0, 1, 2)


def test_skill_above_twenty_and_the_sniper_rifle_add_to_each_die() -> None:
    out = shoot("sniper-rifle; lmg", [19, 1, 3, 1, 6, 7], skill=22, extra_ap=1).out
    assert [die["total"] for die in out["shooters"][0]["damage"]] == [3 + 6 + 4]
    assert [(die["total"], die["status"]) for die in out["shooters"][1]["damage"]] == [
        (7, "pinned"),
        (12, "pinned"),
        (13, "combat-ineffective"),
    ]


def test_a_one_hits_and_a_twenty_misses_whatever_the_skill() -> None:
    out = shoot(
        "pistol; pistol skill=30",
        [1, 20, 3, 10],
        skill=1,
        target_hidden=True,
        attacker_moving=True,
        mod=20,
    ).out
    assert [item["final_skill"] for item in out["shooters"]] == [2, 31]
    assert [item["hit"] for item in out["shooters"]] == [True, False]
    hopeless = shoot("pistol", [1, 3, 10], skill=1, target_hidden=True, mod=-40).out
    assert (hopeless["shooters"][0]["final_skill"], hopeless["hits"]) == (-54, 1)


@pytest.mark.parametrize(
    ("status", "final"), [("none", 10), ("hesitant", 6), ("hesitant-morale", 8), ("go-firm", 6)]
)
def test_status_of_the_shooters(status: str, final: int) -> None:
    assert shoot("pistol", [19], skill=10, status=status).out["shooters"][0]["final_skill"] == final


def test_modifiers_are_named_in_the_story() -> None:
    played = shoot(
        "lmg mod=2",
        [20],
        skill=10,
        target_moving=True,
        attacker_higher=True,
        status="hesitant",
        mod=-1,
    )
    assert played.out["shooters"][0]["final_skill"] == 10 - 4 + 4 - 4 - 1 + 2
    told = "Skill: Firearms 10 − 4 target moving + 4 shooter higher − 4 hesitant − 1 modifier + 2 own modifier = 7"
    assert played.lines[0].text() == told


def test_the_answer_names_totals_and_counts_casualties() -> None:
    """Sniper: +4 to his die. LMG with skill 24: +4 to each of three dice."""
    played = shoot("sniper-rifle; lmg skill=24", [12, 5, 9, 2, 3, 10], skill=12)
    assert tuple(line.text() for line in played.lines) == (
        "Sniper rifle: Firearms 12",
        "LMG: Firearms 24",
        "Sniper rifle to hit: [12], 12 or less needed",
        "LMG to hit: [5], 19 or less needed",
        "Sniper rifle damage: [9] + 4 damage = 13",
        "LMG damage: [2] [3] [10] + 4 each, 6, 7, 14",
    )
    assert played.resolution.headline == "combat-ineffective, 2 hits, 2 casualties, Morale -4"
    assert said("ucn", "shoot", played) == "The target takes 2 casualties and is pinned"
    assert played.resolution.state_changes == ("Morale −4", UNDER_FIRE["pinned"])


def test_refusals() -> None:
    with refuses("card-refuses attacker_higher"):
        shoot("lmg", [], skill=10, attacker_higher=True, attacker_lower=True)
    with refuses("missing skill"):
        shoot("lmg skill=10; smg", [])
    with refuses("unknown-unit bazooka"):
        shoot("bazooka", [], skill=10)
    with refuses("bad-unit shooters"):
        shoot("lmg weapon=smg", [], skill=10)
    with refuses("bad-unit shooters"):
        shoot("lmg activated", [], skill=10)
    with refuses("missing shooters"):
        shoot("", [], skill=10)
    with refuses("bad-value mod"):
        shoot("lmg mod=41", [], skill=10)


# -- the roster -------------------------------------------------------------------------------------------------------

SECOND = unit("2nd Squad", weapon="bolt-action-rifle", firearms=11, spot=12)


def test_a_roster_name_brings_weapon_and_skill() -> None:
    played = shoot('"2nd Squad" n=2; 2ndsquad weapon=lmg skill=15', [19, 19, 19], roster(SECOND))
    found = [(item["weapon"], item["final_skill"]) for item in played.out["shooters"]]
    assert found == [("bolt-action-rifle", 11), ("bolt-action-rifle", 11), ("lmg", 15)]
    with refuses("no-weapon Radio"):
        shoot("Radio", [], roster(unit("Radio", firearms=9)))
    with refuses("unit-unfit Gone"):
        shoot(
            "Gone", [], roster(unit("Gone", state="combat-ineffective", weapon="lmg", firearms=9))
        )


@pytest.mark.parametrize(
    ("damage", "state", "new"),
    [
        (4, "ready", {"state": "hesitant"}),
        (4, "pinned", {}),
        (9, "hesitant", {"state": "pinned"}),
        (13, "ready", {"state": "pinned", "members": 3, "casualties": 3}),
    ],
)
def test_the_target_takes_the_result(damage: int, state: str, new: dict[str, object]) -> None:
    target = unit("Grenadiers", state=state, members=4, casualties=2)
    played = shoot("pistol", [3, 3, damage], roster(target), skill=10, target="Grenadiers")
    assert changes(played) == ({"Grenadiers": new} if new else {})
    assert played.resolution.unit_words[0][0] == "Grenadiers"


def test_nobody_left_is_combat_ineffective() -> None:
    target = unit("Grenadiers", members=2)
    played = shoot("lmg", [3, 13, 14, 15], roster(target), skill=10, target="Grenadiers")
    assert played.out["casualties"] == 3
    assert changes(played) == {
        "Grenadiers": {"state": "combat-ineffective", "members": 0, "casualties": 2}
    }


# -- odds -------------------------------------------------------------------------------------------------------------


def test_who_is_alone_loses_no_more_than_himself_and_no_morale() -> None:
    """Two rifles hit a leader by himself: the dice come to two casualties, and there is only one
    to lose.
    """
    leader = roster(unit("Cole", "leader", members=1, morale=12))
    played = shoot("bolt-action-rifle n=2", [1, 1, 20, 20], leader, skill=12, target="Cole")
    (fate,) = played.resolution.unit_results
    assert (fate.token, fate.detail) == ("combat-ineffective", "1 casualty")
    assert played.resolution.state_changes == ("nobody is left",)
    assert played.resolution.headline == "combat-ineffective, 2 hits, 1 casualty"


def test_odds_of_one_rifle_match_a_count_by_hand() -> None:
    """12 of 20 hit; 6 faces hesitant, 6 pinned, 8 a casualty."""
    hit = Fraction(12, 20)
    assert odds("ucn", "shoot", {"shooters": "battle-rifle", "skill": 12}) == {
        "none": 1 - hit,
        "hesitant": hit * Fraction(6, 20),
        "pinned": hit * Fraction(6, 20),
        "combat-ineffective": hit * Fraction(8, 20),
    }


def test_odds_of_a_saved_hit_match_a_count_by_hand() -> None:
    """10 of 20 hit, 2 of 20 saved; both damage dice under 7 for hesitant."""
    counted = odds("ucn", "shoot", {"shooters": "smg", "skill": 10}, "status", "saved")
    assert counted["none|1"] == Fraction(10, 20) * Fraction(2, 20)
    assert counted["hesitant|0"] == Fraction(10, 20) * Fraction(18, 20) * Fraction(36, 400)
    assert counted["none|0"] == Fraction(10, 20)


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "path",
    [
        "status",
        "casualties",
        "hits",
        "saved",
        "morale_loss",
        "shooters[0].roll",
        "shooters[0].loses_ap",
        "shooters[1].hit",
        "shooters[1].saved",
        "shooters[1].damage[1].status",
        "shooters[1].damage[0].total",
        "shooters[0].final_skill",
    ],
)
def test_odds_are_those_of_every_roll(path: str) -> None:
    given = {"shooters": "sniper-rifle; smg skill=22; pistol mod=-3", "skill": 10}
    counted = odds("ucn", "shoot", given, path)
    assert {str(value): chance for value, chance in counted.items()} == every_face(
        "shoot", given, path
    )


def test_odds_match_a_second_opinion() -> None:
    """Three LMGs with 12 to hit: casualties by icepool."""
    die = icepool.d20
    one = icepool.map(
        lambda roll, out: out if roll == 1 or (roll != 20 and roll <= 12) else 0,
        die,
        3 @ (die >= 13),
    )
    casualties = 3 @ one
    counted = odds("ucn", "shoot", {"shooters": "lmg n=3", "skill": 12}, "casualties")
    assert {int(value): chance for value, chance in counted.items()} == {
        outcome: Fraction(quantity, casualties.denominator())
        for outcome, quantity in casualties.items()
    }


def test_all_outputs_together_agree_with_each_by_itself() -> None:
    given = {"shooters": "lmg n=2; smg n=2; sniper-rifle skill=25", "skill": 13}
    together = odds(
        "ucn", "shoot", given, "status", "casualties", "hits", "saved", "shooters[2].saved"
    )
    for place, path in enumerate(("status", "casualties", "hits", "saved", "shooters[2].saved")):
        single: dict[str, Fraction] = {}
        for values, chance in together.items():
            key = values.split("|")[place]
            single[key] = single.get(key, Fraction(0)) + chance
        assert single == {
            str(value): chance for value, chance in odds("ucn", "shoot", given, path).items()
        }


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "by", [("status",), ("casualties",), ("hits",), ("status", "casualties", "hits")]
)
@pytest.mark.parametrize(
    "shooters", ["lmg n=10", "lmg n=4; smg n=3; hmg skill=14; mmg skill=21; grenade"]
)
def test_ten_shooters_are_counted_at_once(shooters: str, by: tuple[str, ...]) -> None:
    given = {"shooters": shooters, "skill": 12}
    odds("ucn", "shoot", given, *by)
    best = min(_timed(given, by) for _ in range(5))
    assert best < 0.05


def _timed(given: dict[str, Any], by: tuple[str, ...]) -> float:
    begun = time.process_time()
    odds("ucn", "shoot", given, *by)
    return time.process_time() - begun


def test_a_target_that_a_failed_test_made_go_firm_has_four_more_cover() -> None:
    """12 less 6 for cover, 4 gone firm, 4 firm cover: -2, and only a 1 hits."""
    given = {"shooters": "pistol", "skill": 12, "target_in_cover": True, "target_gone_firm": True}
    assert play_example("ucn", "shoot", given, [3]).out["shooters"][0]["final_skill"] == 2
    firm = play_example("ucn", "shoot", {**given, "target_firm_cover": True}, [2])
    assert (firm.out["shooters"][0]["final_skill"], firm.out["hits"]) == (-2, 0)
    assert ("target's firm cover", -4) in firm.lines[0].parts
    assert odds("ucn", "shoot", {**given, "target_firm_cover": True}, "hits")["1"] == Fraction(
        1, 20
    )


def test_areas_of_effect_of_the_weapons_that_hit() -> None:
    given = {"shooters": "lmg; grenade; smg; pistol", "skill": 12, "saves": False}
    then = play_example(
        "ucn", "shoot", given, [1, 1, 13, 1, 1, 1, 1, 1, 1, 1], None
    ).resolution.next_steps
    areas = "LMG 3 x 2 inches, grenade kill zone 2.5 inches, danger zone 7.5 inches"
    assert then[-1] == f"Measure who else is in the area of effect: {areas}."
    pistol = play_example(
        "ucn", "shoot", {"shooters": "pistol", "skill": 12, "saves": False}, [1, 1]
    )
    assert not [line for line in pistol.resolution.next_steps if "area" in line]


def test_an_area_of_one_inch_is_an_inch() -> None:
    given = {"shooters": "battle-rifle n=5", "skill": 12, "saves": False}
    settled = play_example("ucn", "shoot", given, [1, 20, 19, 18, 17, 2]).resolution
    assert (
        settled.next_steps[-1]
        == "Measure who else is in the area of effect: battle rifle 1-inch radius."
    )
    assert (format_area("radius-1"), format_area("radius-2")) == (
        "1-inch radius",
        "2-inch radius",
    )
