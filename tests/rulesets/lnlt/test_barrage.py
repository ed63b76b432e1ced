"""Mortars and artillery on one hex, PAC 05 and 12."""

from fractions import Fraction
from typing import Any

import icepool
import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def barrage(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one barrage."""
    return play_example("lnlt", "barrage", {"weapon": "artillery", "fp": 3, **given}, dice).out


def test_a_mortar_keeps_the_higher_die() -> None:
    """Of 2 and 5 the 5: 5 + 3 against 2 + 1 is 5 higher; 1d6 of 3 + 5 is over morale 5."""
    assert barrage([2, 5, 2, 3], weapon="mortar", targets="squad morale=5", tm=1) == {
        "attack_roll": 5,
        "defense_roll": 2,
        "attack_mod": 0,
        "hit": True,
        "targets": [
            {
                "unit": "squad",
                "attack_total": 8,
                "defense_total": 3,
                "hit": True,
                "roll": 3,
                "dc_total": 8,
                "result": "shaken",
                "becomes": "shaken",
                "hero": False,
                "crew": "none",
            }
        ],
        "fire_check": "none",
        "outcome": "shaken",
    }


def test_one_pair_of_dice_gives_each_unit_its_own_totals() -> None:
    """3 + 3 against 2: the squad that moved is hit at 7, the truck at 6 to 2 + 1, the tank holds
    with 2 + 4.
    """
    targets = "squad morale=6; unarmored-vehicle morale=5 av=1; armored-vehicle morale=6 av=4"
    out = barrage([3, 2, 1, 6, 1], targets=targets, mods="target_moved")
    assert out["attack_mod"] == 1
    squad, truck, tank = out["targets"]
    assert (squad["attack_total"], squad["defense_total"], squad["dc_total"]) == (7, 2, 6)
    assert (truck["attack_total"], truck["defense_total"], truck["dc_total"], truck["result"]) == (
        6,
        3,
        4,
        "none",
    )
    assert (tank["defense_total"], tank["hit"], tank["roll"], tank["result"]) == (
        6,
        False,
        "none",
        "none",
    )
    assert tank["becomes"] == "good-order"


def test_closed_tanks_are_checked_too() -> None:
    """Open or not: 6 + 3 against 1 + 2; 2 + 6 is over 6."""
    out = barrage([6, 1, 2], targets="armored-vehicle morale=6 av=2")
    assert out["targets"][0]["becomes"] == "shaken"


@pytest.mark.parametrize(
    ("given", "defense"),
    [
        ({"tm": 6}, 5),
        ({"tm": 3, "wall_or_hill": True}, 1),
        ({"tm": -1}, 0),
        ({"tm": 3, "degrading": 2}, 4),
    ],
)
def test_terrain_counts_up_to_four_and_not_from_walls(given: dict[str, Any], defense: int) -> None:
    """Never doubled, not for a lone sniper either."""
    out = barrage([1, 1, 1] if defense < 4 else [1, 1], targets="sniper morale=9", **given)
    assert out["targets"][0]["defense_total"] == defense


def test_the_kept_die_lights_a_fire() -> None:
    """6 of 6 and 1; also after a miss of all."""
    out = barrage(
        [1, 6, 6, 5], weapon="mortar", fp=0, tm=4, targets="squad morale=5", flammable=True
    )
    assert (out["hit"], out["fire_check"], out["outcome"]) == (False, "fire", "none")


def test_a_leader_who_is_hit_and_holds_helps_the_squad() -> None:
    """Both are hit by 3; his 3 + 3 is at 6; the squad has 1 taken off."""
    out = barrage([3, 3, 3, 4], targets="leader morale=6 lm=1; squad morale=6")
    assert [target["dc_total"] for target in out["targets"]] == [6, 6]


def test_passengers_are_hit_with_their_vehicle() -> None:
    """The truck is missed with the squad inside; or it is destroyed and the squad checks, then
    bails out.
    """
    targets = "unarmored-vehicle morale=4 av=2; squad morale=5 inside; squad morale=5"
    missed = barrage([1, 2, 3], targets=targets)
    assert [target["hit"] for target in missed["targets"]] == [False, False, True]
    assert missed["targets"][1]["becomes"] == "good-order"
    out = barrage([6, 1, 3, 6, 2, 4, 2], targets=targets)
    truck, rider, squad = out["targets"]
    assert (truck["becomes"], truck["crew"]) == ("destroyed", "eliminated")
    assert (rider["dc_total"], rider["bailout"], rider["becomes"]) == (8, "shaken", "shaken")
    assert squad["dc_total"] == 10


def test_without_targets_the_leg_totals_decide() -> None:
    """4 + 3 against 2 + 1."""
    assert barrage([4, 2], tm=1)["outcome"] == "damage-check"
    assert barrage([1, 6], tm=1)["outcome"] == "none"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"degrading": 3}, "bad-value degrading"),
        ({"targets": "squad"}, "unit-needs morale"),
        ({"targets": "aircraft morale=4"}, "wrong-type aircraft"),
        ({"weapon": "howitzer"}, "bad-value weapon"),
        ({"mods": "lm"}, "unknown-modifier lm"),
        ({"mods": "smoke=2"}, "unknown-modifier smoke"),
    ],
)
def test_refusals(given: dict[str, Any], words: str) -> None:
    """Before any die."""
    with refuses(words):
        barrage([], **given)


def test_results_are_written_back() -> None:
    """The truck's state; the mortar has fired."""
    units = roster(unit("Truck", "unarmored-vehicle", morale=4), unit("Mortar", "weapon-team"))
    given = {"weapon": "mortar", "fp": 3, "targets": "Truck", "unit": "Mortar"}
    played = play_example("lnlt", "barrage", given, [3, 3, 3, 2], units)
    changes = {change.unit: change for change in played.resolution.changes}
    assert dict(changes["Truck"].set) == {"state": "shaken"}
    assert changes["Mortar"].mark == {"fired"}


def test_odds_of_a_mortar_match_a_count_by_hand() -> None:
    """The better of two dice shows k in 2k - 1 of 36; with fp 0 it must beat the defense die."""
    hit = Fraction(sum((2 * kept - 1) * (kept - 1) for kept in range(1, 7)), 216)
    chances = odds("lnlt", "barrage", {"weapon": "mortar", "fp": 0, "targets": "squad morale=1"})
    assert 1 - chances["none"] == hit
    assert odds("lnlt", "barrage", {"weapon": "mortar", "fp": 0}, "hit")["true"] == hit


def test_odds_of_the_second_unit_agree_with_icepool() -> None:
    """A truck with av 2 behind a leader."""

    def truck(attack: int, defense: int, check: int) -> str:
        difference = attack + 3 - defense - 2
        if difference <= 0 or check + difference <= 4:
            return "none"
        return "shaken" if check + difference < 8 else "destroyed"

    second = icepool.map(truck, icepool.d6.pool(2).highest().sum(), icepool.d6, icepool.d6)
    given = {
        "weapon": "mortar",
        "fp": 3,
        "targets": "leader morale=6 lm=2; unarmored-vehicle morale=4 av=2",
    }
    chances = odds("lnlt", "barrage", given, "targets[1].result")
    assert chances == {word: second.probability(word) for word in second.outcomes()}
