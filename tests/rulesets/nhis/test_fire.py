"""Ranged fire, from firepower to the state of each unit in the hex."""

from __future__ import annotations

from fractions import Fraction
from time import process_time
from typing import Any

import icepool
import pytest

from tests.examples import lookup, odds, play_example
from tests.playing import Channel
from tests.refusing import refuses


def fire(dice: list[int], **given: object) -> dict[str, Any]:
    return play_example(
        "nhis", "fire", {"distance": 3, "targets": "squad morale=4", **given}, dice
    ).out


def test_a_stack_against_a_squad_and_its_leader_in_trees() -> None:
    """4 + 5 - 2 cover is 7, column 6, two left is 2; 3 + 4 is Hit-1. Leader 2 + 1 passes, squad
    6 + 1 fails.
    """
    given = {
        "attackers": "squad fp=4 range=6; mg fp=5 range=10",
        "targets": "leader morale=5 lr=1; squad morale=4",
        "distance": 5,
        "terrain": "trees",
    }
    played = play_example("nhis", "fire", given, [3, 4, 2, 6])
    assert played.out == {
        "base_fp": 9,
        "total_fp": 7,
        "column": 6,
        "final_column": 2,
        "roll": 7,
        "combat_result": "hit-1",
        "targets": [
            {
                "unit": "leader",
                "damage": 0,
                "check": 3,
                "needed": 5,
                "result": "none",
                "after": "good-order",
                "stops": False,
            },
            {
                "unit": "squad",
                "damage": 0,
                "check": 7,
                "needed": 5,
                "result": "shaken",
                "after": "shaken",
                "stops": False,
            },
        ],
        "modifiers": [{"id": "cover", "value": -2}, {"id": "unmarked_cover_hex", "value": 2}],
    }
    assert played.resolution.headline == "hit-1: squad shaken"
    assert [line.text() for line in played.lines] == [
        "Firepower: 4 + 5 − 2 cover = 7, column 2, 2 left of 6",
        "Attack: [3] [4] = 7, Hit -1",
        "Leader: [2] + 1 hit = 3, within morale 5",
        "Squad: [6] + 1 hit = 7, over morale 4 + 1 leader",
    ]


def test_no_effect_rolls_nothing_more() -> None:
    out = fire([6, 6], attackers="squad fp=20")
    assert out["combat_result"] == "none"
    assert out["targets"] == [
        {
            "unit": "squad",
            "damage": 0,
            "check": None,
            "needed": None,
            "result": "none",
            "after": "good-order",
            "stops": False,
        }
    ]


@pytest.mark.parametrize(
    ("attackers", "distance", "base"),
    [
        ("squad fp=5 range=3", 3, 5),
        ("squad fp=5 range=3", 4, 2),
        ("squad fp=5 range=3; mg fp=4", 6, 6),
        ("squad fp=5 range=3 charge; mg fp=4 charge", 4, 2),
        ("squad fp=1 charge", 2, -1),
    ],
)
def test_base_firepower(attackers: str, distance: int, base: int) -> None:
    assert fire([6, 6], attackers=attackers, distance=distance)["base_fp"] == base


def test_night_costs_each_firer_two() -> None:
    out = fire([6, 6], attackers="squad fp=4; squad fp=4", distance=4, visibility=3)
    assert (out["base_fp"], out["total_fp"]) == (4, 4)
    assert out["modifiers"] == [{"id": "night_units", "value": -4}]
    assert fire([6, 6], attackers="squad fp=4", distance=3, visibility=3)["base_fp"] == 4


@pytest.mark.parametrize(
    ("given", "total", "column", "final"),
    [
        ({"distance": 1}, 9, 8, 8),
        ({"target_moved": True}, 8, 8, 8),
        ({"targets": "squad morale=4 banzai"}, 8, 8, 8),
        ({"targets": "squad morale=4 crawling"}, 6, 6, 6),
        ({"target_moved": True, "terrain": "brush"}, 6, 6, 6),
        ({"terrain": "brush"}, 6, 6, 2),
        ({"terrain": "brush", "target_fired": True}, 6, 6, 6),
        ({"terrain": "brush", "targets": "squad morale=4 crawling"}, 6, 6, 2),
        ({"terrain": "trees", "targets": "squad morale=4 moving"}, 6, 6, 6),
        ({"terrain": "open-ground", "feature": "cave"}, 0, 0, 0),
        ({"terrain": "trees", "feature": "cave"}, -2, 0, 0),
        ({"feature": "cave", "cover": 0}, 6, 6, 2),
        ({"terrain": "hill", "from_lower": True}, 5, 4, 4),
        ({"attackers": "squad fp=15; squad fp=15"}, 30, 20, 20),
        ({"targets": "tank morale=4"}, 6, 6, 2),
        ({"targets": "tank morale=4", "terrain": "trees"}, 4, 4, 0),
        ({"targets": "tank morale=4", "attackers": "tank fp=6"}, 6, 6, 6),
        ({"targets": "tank morale=4", "attackers": "flamethrower fp=6"}, 6, 6, 6),
        ({"targets": "tank morale=4", "attackers": "flamethrower fp=3; leader fp=3"}, 6, 6, 2),
    ],
)
def test_modifiers_and_columns(
    given: dict[str, object], total: int, column: int, final: int
) -> None:
    out = fire([6, 6], **{"attackers": "squad fp=6", **given})
    assert (out["total_fp"], out["column"], out["final_column"]) == (total, column, final)


def test_damaged_2_deals_points_and_the_unshakable_check() -> None:
    """8 firepower, roll 3: Damaged-2. d3 picks the second, d2 the third; the first checks 4
    against 4 and passes.
    """
    targets = "squad morale=4 unshakable; squad morale=4; leader morale=5 lr=1"
    out = fire([1, 2, 2, 2, 4], attackers="squad fp=8", targets=targets)
    assert out["combat_result"] == "damaged-2"
    assert [unit["damage"] for unit in out["targets"]] == [0, 1, 1]
    assert [unit["after"] for unit in out["targets"]] == [
        "good-order",
        "reduced-shaken",
        "reduced-shaken",
    ]


def test_a_flamethrower_stops_a_banzai_charge() -> None:
    targets = "squad morale=3 unshakable banzai"
    assert (
        fire([4, 4, 6], attackers="flamethrower fp=6", targets=targets)["targets"][0]["stops"]
        is True
    )
    assert fire([4, 4, 6], attackers="squad fp=6", targets=targets)["targets"][0]["stops"] is False


def test_the_first_line_names_who_suffers_and_alike_units_are_numbered() -> None:
    """The MG has 5 // 2 beyond its range: 4 + 2 charging - 2 is 4, column 4; 1 + 2 is
    Damaged.
    """
    given = {
        "attackers": "squad fp=4 charge; mg fp=5 range=3",
        "targets": "squad morale=4 unshakable; squad morale=5 unshakable; squad morale=5 unshakable",
        "distance": 4,
    }
    played = play_example("nhis", "fire", given, [1, 2, 2, 3, 6])
    assert played.resolution.headline == "damaged: squad 2 reduced; squad 3 reduced"
    assert tuple(line.text() for line in played.lines) == (
        "Firepower: 4 + 2 at long range − 2 charging = 4, column 4",
        "Attack: [1] [2] = 3, Damaged",
        "Damage point: [2], squad 2",
        "Squad 1: [3], within morale 4",
        "Squad 3: [6], over morale 5",
    )
    assert played.resolution.unit_words == (
        ("squad", "no effect"),
        ("squad 2", "reduced"),
        ("squad 3", "reduced"),
    )
    five = {"attackers": "squad fp=4", "targets": "; ".join(["squad morale=1"] * 5), "distance": 4}
    assert (
        play_example("nhis", "fire", five, [1, 1, 3]).resolution.headline
        == "damaged: 5 of 5 affected"
    )


def test_odds_against_a_count_by_hand_and_icepool() -> None:
    """Column 8, morale 4: each result of 2d6 with what it does to one shakeable squad."""
    chances = odds(
        "nhis", "fire", {"attackers": "squad fp=8", "targets": "squad morale=4", "distance": 3}
    )

    def squad(roll: int, check: int) -> str:
        word = lookup("nhis", "ranged-combat", firepower=8, roll=roll)["result"]
        if word.startswith("damaged"):
            return "eliminated" if word != "damaged" else "reduced-shaken"
        if word == "none":
            return "none"
        return "shaken" if check + (word == "hit-1") > 4 else "none"

    second = icepool.map(squad, 2 @ icepool.d6, icepool.d6)
    assert chances == {word: second.probability(word) for word in chances}
    # 2 or 3 are Damaged-2, 4-6 Damaged, 7 Hit-1 (fails on 4-6), 8-10 Hit (fails on 5-6)
    assert chances["eliminated"] == Fraction(3, 36)
    assert chances["reduced-shaken"] == Fraction(12, 36)
    assert chances["shaken"] == Fraction(6, 36) * Fraction(1, 2) + Fraction(12, 36) * Fraction(1, 3)


def test_several_outputs_at_once() -> None:
    chances = odds(
        "nhis",
        "fire",
        {"attackers": "squad fp=4", "targets": "squad morale=4", "distance": 3},
        "combat_result",
        "targets[0].after",
    )
    assert chances["none|good-order"] == Fraction(15 - 5, 36)
    assert chances["damaged|reduced-shaken"] == Fraction(6, 36)


def test_ten_firers_and_ten_targets_are_counted_quickly() -> None:
    targets = (
        ["leader morale=5 lr=1 unshakable"]
        + ["squad morale=4 unshakable"] * 5
        + ["squad morale=3"] * 4
    )
    given = {
        "attackers": "; ".join(["squad fp=4"] * 10),
        "targets": "; ".join(targets),
        "distance": 2,
    }
    odds("nhis", "fire", given)
    start = process_time()
    odds("nhis", "fire", given, "targets[9].after")
    assert process_time() - start < 5  # a few hundredths here; the bound is for slow machines


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"attackers": "squad fp=4; mg fp=5 range=4", "distance": 9}, "out-of-reach attackers"),
        ({"attackers": "squad"}, "unit-needs fp"),
        ({"attackers": "squad fp=4 shaken"}, "unit-unfit squad"),
        ({"attackers": "squad fp=4", "targets": "squad"}, "unit-needs morale"),
        (
            {"attackers": "squad fp=4", "targets": "squad morale=4 unshakable shaken"},
            "not-together shaken",
        ),
        ({"attackers": "squad fp=4", "distance": 0}, "bad-value distance"),
        ({"attackers": "squad fp=4", "terrain": "jungle"}, "bad-value terrain"),
    ],
)
def test_what_is_refused(given: dict[str, object], says: str) -> None:
    with refuses(says):
        fire([], **given)


async def test_a_moving_unit_of_the_roster_counts_without_a_reminder() -> None:
    """4 + 2 for the target that moves - 2 for the charge is 4; nothing has to be typed."""
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start nhis "Night" sides="US, JP"')
    await channel.do("Anna", 'unit add "1st Squad" squad stats="fp=4 morale=4 charge"')
    await channel.do("Anna", 'unit add Reds squad stats="morale=4 moving"')
    text = (
        await channel.do("Anna", 'nhis fire attackers="1st Squad" targets=Reds distance=3 hand=6,6')
    ).format_text()
    assert "4 + 2 moving or marked − 2 charging = 4, column 4" in text
    assert "Remember" not in text


@pytest.mark.parametrize("marker", ["moving", "banzai"])
def test_what_is_typed_goes_before_a_marker_of_the_target(marker: str) -> None:
    """4 at one who stands, and 2 more at one who has moved, unless no is typed."""
    marked = f"squad morale=4 {marker}"
    assert fire([1, 2], attackers="squad fp=4", targets=marked)["total_fp"] == 6
    typed = fire([1, 2], attackers="squad fp=4", targets=marked, target_moved=False)
    assert typed["total_fp"] == 4


def test_a_typed_no_leaves_out_that_the_target_has_fired() -> None:
    """Trees conceal one who has not fired: two columns left, which a Fire marker takes away."""
    given = {"attackers": "squad fp=6", "terrain": "trees", "targets": "squad morale=4 fired"}
    seen = fire([1, 1], **given)["final_column"]
    assert fire([1, 1], **given, target_fired=False)["final_column"] < seen


def test_a_leader_in_the_fire_group_adds_nothing_and_is_no_fault() -> None:
    """MG and squad fire with their leader as they do without; leaders alone have nothing to fire
    with.
    """
    stack = "squad fp=4 range=6; mg fp=5 range=10"
    without = fire([1, 2], attackers=stack, visibility=2)
    assert fire([1, 2], attackers=f"leader morale=5 lr=1; {stack}", visibility=2) == without
    with refuses("no-firepower leader"):
        fire([], attackers="leader morale=5 lr=1")
