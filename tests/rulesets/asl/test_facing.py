"""Target facing for an in-hex shot, tables 6a and 6b."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses


@pytest.mark.parametrize(
    ("dr", "facing"),
    [(1, "rear"), (2, "rear"), (3, "side"), (4, "side"), (5, "front"), (6, "front")],
)
def test_the_colored_die_gives_hull_and_turret(dr: int, facing: str) -> None:
    assert play_example("asl", "facing", {}, [dr]).out == {"facing": facing, "turret": "same"}


def test_bypass_is_a_side_shot_without_a_die() -> None:
    played = play_example("asl", "facing", {"bypass": True}, [])
    assert played.out == {"facing": "side", "turret": "by-tca"}
    assert "TCA" in played.resolution.notes[0]


def test_a_second_die_is_left_over() -> None:
    with refuses("dice-left-over"):
        play_example("asl", "facing", {}, [1, 2])


def test_odds_of_a_facing() -> None:
    third = Fraction(1, 3)
    assert odds("asl", "facing", {}) == {"rear": third, "side": third, "front": third}
    assert odds("asl", "facing", {"bypass": True}, "turret") == {"by-tca": Fraction(1)}
