"""Grenades and light mortars, and HE rounds of guns."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses


def throw(dice: list[int], **given: Any) -> dict[str, Any]:
    return play_example(
        "baps", "he-attack", {"weapon": "hand-grenade", "range": 8, **given}, dice
    ).out


def test_a_grenade_hits_and_bursts() -> None:
    """11 is needed at 8 inches; 14 less 3 for light cover is just that."""
    out = throw([14, 19, 13], lethal=1, burst=1, cover="light")
    assert (out["roll"], out["total"], out["need"], out["outcome"]) == (14, 11, 11, "hit")
    assert (out["scatter"], out["direction"]) == ("none", "none")
    assert [(target["zone"], target["row"], target["result"]) for target in out["targets"]] == [
        ("lethal", 0, "killed"),
        ("burst", -3, "none"),
    ]


def test_a_miss_scatters_and_rolls_for_nobody() -> None:
    out = throw([13, 1, 4, 2], lethal=3, cover="light")
    assert (out["total"], out["outcome"], out["scatter"], out["direction"]) == (
        10,
        "miss",
        7,
        "none",
    )
    assert out["targets"] == []


def test_a_direction_is_rolled_only_if_asked_for_and_only_on_a_miss() -> None:
    assert throw([2, 4, 4, 4, 12], direction=True)["direction"] == 12
    assert throw([20], direction=True)["direction"] == "none"


def test_twenty_is_no_automatic_hit() -> None:
    """20 less 9 is 11, and 14 is needed at 12 inches."""
    out = throw([20, 1, 1, 1], range=12, cover="very-heavy")
    assert (out["total"], out["need"], out["outcome"]) == (11, 14, "miss")


def test_close_by_scatter_is_one_d4() -> None:
    out = throw([1, 3], range=3)
    assert (out["need"], out["scatter"]) == (2, 3)


def test_a_hero_does_not_roll() -> None:
    out = throw([20], auto_hit=True, lethal=1)
    assert (out["roll"], out["total"], out["need"], out["outcome"]) == ("none", "none", 11, "hit")
    assert out["targets"][0]["result"] == "killed"


def test_a_mortar_finds_its_range() -> None:
    """First shot 10 or more at 700 inches, later ones 4; the light mortar's last band scatters
    6d10.
    """
    given = {"weapon": "light-mortar", "range": 700}
    assert throw([9, 1, 1, 1], **given)["outcome"] == "miss"
    assert throw([9], **given, shot="subsequent")["outcome"] == "hit"
    assert throw([3, 1, 2, 3, 4, 5, 6], weapon="light-mortar", range=1200)["scatter"] == 21


def test_cover_between_man_and_impact_is_another_thing() -> None:
    out = throw([11, 20, 2], lethal=1, burst=1, inside=True, blast_cover="light")
    assert [target["row"] for target in out["targets"]] == [1, -2]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"range": 18.5}, "out-of-reach range"),
        ({"weapon": "rifle-grenade", "range": 18}, "out-of-reach range"),
        ({"weapon": "light-mortar", "range": 1201}, "out-of-reach range"),
        ({"weapon": "rifle-grenade", "range": 30, "auto_hit": True}, "not-together auto_hit"),
    ],
)
def test_what_the_card_forbids_is_refused(given: dict[str, Any], problem: str) -> None:
    with refuses(problem):
        throw([], **given)


def test_odds_match_a_count_by_hand() -> None:
    """11 of 20 hit... 10 of 20 do: 11 to 20. The man in the lethal radius then dies on 19 and
    20.
    """
    given = {"weapon": "hand-grenade", "range": 8, "lethal": 1}
    assert odds("baps", "he-attack", given) == {"hit": Fraction(1, 2), "miss": Fraction(1, 2)}
    assert odds("baps", "he-attack", given, "targets[0].result")["killed"] == Fraction(1, 20)
    assert odds("baps", "he-attack", given, "scatter")["3"] == Fraction(1, 128)
    assert odds("baps", "he-attack", given, "scatter")["none"] == Fraction(1, 2)
    assert odds("baps", "he-attack", {**given, "direction": True}, "direction")["7"] == Fraction(
        1, 24
    )
    assert odds("baps", "he-attack", {**given, "auto_hit": True}) == {"hit": Fraction(1)}
