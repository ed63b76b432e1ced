"""HE rounds of guns."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses


def shell(dice: list[int], **given: Any) -> dict[str, Any]:
    return play_example("baps", "he-gun", {"weapon": "medium", "range": 700, **given}, dice).out


def test_a_hit_bursts_with_the_class_of_the_gun() -> None:
    """11 is needed in band 3; 14 + 1 from the side - 4 hasty is 11."""
    out = shell([14, 17], side=True, hasty=True, lethal=1)
    assert (out["roll"], out["total"], out["need"], out["outcome"]) == (14, 11, 11, "hit")
    assert out["targets"][0]["result"] == "wound-2"
    assert (out["scatter"], out["direction"]) == ("none", "none")


def test_a_miss_scatters_by_band() -> None:
    assert shell([10, 3, 9], lethal=2)["scatter"] == 12
    assert shell([16, 3, 9, 5, 11], range=1000, direction=True)["direction"] == 11
    out = shell([2, 20], range=400)
    assert (out["need"], out["scatter"], out["targets"]) == (5, 20, [])


def test_a_twenty_hits_and_a_one_misses() -> None:
    """-6 for moving, -5 suppressed, -4 hull defilade, -2 smoke: 20 still hits. At need 3 a 1
    with +1 misses.
    """
    bad = {
        "firer_moving": True,
        "suppressed": True,
        "cover": "hull-defilade",
        "smoke": True,
        "lost_row": True,
    }
    assert shell([20], **bad)["total"] == -1
    assert shell([20], **bad)["outcome"] == "hit"
    assert shell([1, 7], range=100, side=True)["outcome"] == "miss"
    assert shell([2], range=100, side=True)["outcome"] == "hit"


def test_out_of_range_is_refused() -> None:
    with refuses("out-of-reach range"):
        shell([], range=1501)
    with refuses("bad-value weapon"):
        shell([], weapon="machine-gun")


def test_odds_match_a_count_by_hand() -> None:
    given = {"weapon": "medium", "range": 700, "target_move": "slow", "burst": 2}
    assert odds("baps", "he-gun", given) == {"hit": Fraction(8, 20), "miss": Fraction(12, 20)}
    assert odds("baps", "he-gun", given, "scatter")["2"] == Fraction(12, 2000)
    assert odds("baps", "he-gun", given, "targets[1].result")["killed"] == Fraction(8, 400)
