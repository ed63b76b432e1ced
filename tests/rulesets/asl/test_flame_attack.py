"""Flamethrowers and Molotov cocktails against AFVs, table 17."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.rules.inputs.units import RosterUnit
from tests.examples import odds, play_example, said
from tests.refusing import refuses


def attack(dice: list[int], weapon: str, **given: object) -> dict[str, Any]:
    return play_example("asl", "flame-attack", {"weapon": weapon, **given}, dice).out


@pytest.mark.parametrize(
    ("dice", "result"),
    [([2, 2], "burning"), ([2, 3], "destroyed"), ([5, 4], "equal"), ([5, 5], "none")],
)
def test_a_molotov_in_the_hex_of_an_open_topped_afv(dice: list[int], result: str) -> None:
    """TK# 9: up to 4.5 burns, up to 8 destroys."""
    assert attack(dice, "mol-same-hex", afv="ot-ce") == {"tk": 9, "dr": sum(dice), "result": result}


def test_half_the_number_burns() -> None:
    """TK# 8: a 4 is just half."""
    assert attack([2, 2], "ft-normal")["result"] == "burning"
    assert attack([2, 3], "ft-normal")["result"] == "destroyed"


def test_a_moving_target_from_the_rear() -> None:
    assert attack([4, 4], "ft-long", afv="ct-ce", moving=True, rear=True)["tk"] == 6
    assert attack([4, 4], "mol-adjacent", moving=True, rear=True) == {
        "tk": 4,
        "dr": 8,
        "result": "none",
    }


def test_equal_is_left_to_the_players() -> None:
    played = play_example("asl", "flame-attack", {"weapon": "ft-normal"}, [4, 4])
    assert played.out["result"] == "equal"
    assert (
        said("asl", "flame-attack", played)
        == "TK# equaled: the AFV is immobilized by a hull hit or shocked by a turret hit (C7.7)"
    )


@pytest.mark.parametrize(
    ("dice", "state"), [([1, 1], "burning"), ([3, 3], "destroyed"), ([4, 4], None), ([6, 6], None)]
)
def test_the_afv_takes_its_state(dice: list[int], state: str | None) -> None:
    tank = RosterUnit("T-34", "su1", "afv")
    played = play_example(
        "asl", "flame-attack", {"weapon": "ft-normal", "unit": "su1"}, dice, {"su1": tank}
    )
    assert [change.set for change in played.resolution.changes] == (
        [{"state": state}] if state else []
    )


def test_a_burning_wreck_burns_on() -> None:
    tank = RosterUnit("T-34", "su1", "afv", state="burning")
    played = play_example(
        "asl", "flame-attack", {"weapon": "ft-normal", "unit": "su1"}, [3, 3], {"su1": tank}
    )
    assert (played.out["result"], played.resolution.changes) == ("destroyed", ())
    assert played.resolution.notes == ("T-34 is still burning.",)


def test_a_unit_that_is_not_there_is_named() -> None:
    with refuses("unknown-unit Tiger"):
        attack([], "ft-normal", unit="Tiger")


def test_odds_of_a_molotov() -> None:
    """TK# 7: 2-3 burn (3 of 36), 4-6 destroy (12), 7 is equal (6), the rest nothing (15)."""
    counts = {"burning": 3, "destroyed": 12, "equal": 6, "none": 15}
    counted = odds("asl", "flame-attack", {"weapon": "mol-same-hex"})
    assert counted == {name: Fraction(count, 36) for name, count in counts.items()}


def test_a_roll_above_the_number_is_called_no_effect() -> None:
    played = play_example("asl", "flame-attack", {"weapon": "ft-long"}, [4, 4])
    assert played.lines[0].result == "against TK# 4 (situation 5, CT BU)"
