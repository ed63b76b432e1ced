"""Flame throwers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses


def flame(dice: list[int], **given: Any) -> dict[str, Any]:
    return play_example("baps", "flame", given, dice).out


def test_two_men_close_by() -> None:
    """12 and leader 1 less 3 is row 10: row 5 twice, column 2. The second man's 1 calls for a
    check on 1d6.
    """
    out = flame([20, 1, 8, 1], range=9, targets=2, leader=1)
    assert (out["attack"], out["column"]) == (13, 2)
    assert [target["rolls"] for target in out["targets"]] == [[20], [1, 8]]
    assert [target["result"] for target in out["targets"]] == ["killed", "suppressed"]
    assert out["ammo"] == [{"unit": "flame-thrower", "roll": 1, "result": "out-or-jammed"}]


def test_a_flame_thrower_is_no_automatic_weapon() -> None:
    assert flame([1, 2], range=27, targets=1)["ammo"][0]["result"] == "ok"


def test_halved_once_and_rounded_down() -> None:
    """2 at 20 inches is 1 when moving and hasty; leader -2 makes it -1. Less 3 and 9 is row -6."""
    out = flame([17], range=20, targets=1, moving=True, hasty=True, leader=-2, cover="very-heavy")
    assert out["attack"] == -1
    assert (out["targets"][0]["difference"], out["targets"][0]["result"]) == (-13, "suppressed")
    assert out["ammo"] == []


def test_the_unit_owes_a_morale_check() -> None:
    played = play_example("baps", "flame", {"range": 8, "targets": 1}, [2])
    assert any("flame-weapon" in line for line in played.resolution.next_steps)


def test_beyond_27_inches_is_refused() -> None:
    with refuses("out-of-reach range"):
        flame([], range=27.5, targets=1)
    with refuses("missing targets"):
        flame([], range=8, targets=0)


def test_odds_match_the_card() -> None:
    """8 at 15 inches less 3: row 5, one man."""
    chances = odds("baps", "flame", {"range": 15, "targets": 1})
    assert chances["killed"] == Fraction(4, 20)
    assert chances["none"] == Fraction(5, 20)
    assert odds("baps", "flame", {"range": 15, "targets": 1}, "ammo[0].result")[
        "out-or-jammed"
    ] == Fraction(1, 120)
