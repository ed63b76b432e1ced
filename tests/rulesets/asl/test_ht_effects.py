"""Half-tracks and Carriers under fire, table 3."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import icepool
import pytest

from bot.rules.inputs.units import RosterUnit
from tests.examples import odds, play_example


def under_fire(dice: list[int], **given: object) -> dict[str, Any]:
    return play_example("asl", "ht-effects", given, dice).out


def test_passengers_check_first_then_the_crew() -> None:
    """1MC: 3 + 3 + 1 is 7, the passengers' morale: pinned. NMC: 4 + 5 is over 8: the crew
    breaks, case 8.
    """
    assert under_fire([3, 3, 4, 5], passenger="1mc", crew="nmc") == {
        "passenger_result": "pin",
        "passenger_casualty": False,
        "crew_result": "break",
        "crew_casualty": False,
        "case": 8,
        "effects": ["e"],
        "vehicle": "stunned",
        "crew_bu": True,
    }


def test_known_outcomes_take_no_dice() -> None:
    out = under_fire([], passenger="break", crew="k-kia")
    assert (out["case"], out["effects"], out["vehicle"], out["crew_bu"]) == (
        12,
        ["g", "f"],
        "recalled",
        False,
    )
    assert under_fire([])["effects"] == ["none"]


def test_a_carrier_crew_cannot_button_up() -> None:
    out = under_fire([], crew="break", carrier=True)
    assert (out["vehicle"], out["crew_bu"]) == ("stunned", False)


@pytest.mark.parametrize(("dice", "result"), [([3, 4], "ok"), ([4, 4], "pin"), ([6, 6], "pin")])
def test_a_pin_task_check_never_breaks(dice: list[int], result: str) -> None:
    out = under_fire(dice, passenger="ptc")
    assert (out["passenger_result"], out["passenger_casualty"]) == (result, False)


def test_an_unmodified_12_breaks_and_is_a_casualty() -> None:
    out = under_fire([6, 6], crew="nmc", crew_morale=10, crew_drm=-5)
    assert (out["crew_result"], out["crew_casualty"], out["vehicle"]) == ("break", True, "stunned")
    assert out["passenger_casualty"] is False


@pytest.mark.parametrize(
    ("check", "result"),
    [("nmc", "ok"), ("1mc", "ok"), ("2mc", "pin"), ("3mc", "break"), ("4mc", "break")],
)
def test_the_figure_of_the_check_is_added(check: str, result: str) -> None:
    """5 + the figure against 7."""
    assert under_fire([2, 3], passenger=check)["passenger_result"] == result


def test_leadership_helps() -> None:
    assert under_fire([4, 4], passenger="nmc", passenger_drm=-2)["passenger_result"] == "ok"


def test_the_vehicle_takes_its_state_and_brings_its_crews_morale() -> None:
    track = RosterUnit("SPW 1", "ge1", "half-track", numbers={"morale": 6})
    played = play_example(
        "asl", "ht-effects", {"crew": "nmc", "unit": "ge1"}, [3, 4], {"ge1": track}
    )
    (change,) = played.resolution.changes
    assert (change.unit, change.set) == ("SPW 1", {"state": "stunned"})
    assert (
        play_example(
            "asl", "ht-effects", {"crew": "pin", "unit": "ge1"}, [], {"ge1": track}
        ).resolution.changes
        == ()
    )


def test_odds_of_a_stun() -> None:
    """Morale 8: 9 or more breaks the crew, 10 of 36."""
    assert odds("asl", "ht-effects", {"crew": "nmc"}) == {
        "none": Fraction(26, 36),
        "stunned": Fraction(10, 36),
    }


def test_odds_of_both_checks_against_a_second_opinion() -> None:
    def outcome(dr: int, added: int, morale: int) -> str:
        if dr == 12 or dr + added > morale:
            return "break"
        return "pin" if dr + added == morale else "ok"

    two = 2 @ icepool.d6
    second = icepool.map(lambda p, c: f"{outcome(p, 2, 7)}|{outcome(c, 1, 8)}", two, two)
    counted = odds(
        "asl", "ht-effects", {"passenger": "2mc", "crew": "1mc"}, "passenger_result", "crew_result"
    )
    assert counted == {name: second.probability(name) for name in second.outcomes()}


def test_a_carrier_of_the_roster_keeps_its_crew_exposed() -> None:
    """A Carrier's crew cannot button up when it is stunned; nobody has to type that for a
    Carrier of the roster.
    """
    carrier = RosterUnit("Bren Carrier", "br1", "carrier")
    roster = {"br1": carrier}
    out = play_example("asl", "ht-effects", {"crew": "break", "unit": "br1"}, [], roster).out
    assert (out["vehicle"], out["crew_bu"]) == ("stunned", False)
    typed = play_example(
        "asl", "ht-effects", {"crew": "break", "unit": "br1", "carrier": False}, [], roster
    ).out
    assert typed["crew_bu"] is True


def test_the_first_line_says_how_everyone_fares() -> None:
    played = play_example("asl", "ht-effects", {"passenger": "1mc", "crew": "nmc"}, [4, 6, 3, 3])
    assert played.resolution.headline == "case 3: passengers break, crew ok, vehicle unaffected"


@pytest.mark.parametrize(
    ("before", "after"), [("normal", "stunned"), ("recalled", None), ("burning", None)]
)
def test_a_recalled_vehicle_is_recalled_although_it_is_stunned(
    before: str, after: str | None
) -> None:
    track = RosterUnit("SPW 1", "ge1", "half-track", state=before, numbers={"morale": 6})
    played = play_example(
        "asl", "ht-effects", {"crew": "nmc", "unit": "ge1"}, [3, 4], {"ge1": track}
    )
    assert played.out["vehicle"] == "stunned"
    assert [change.set for change in played.resolution.changes] == (
        [{"state": after}] if after else []
    )
    assert (f"SPW 1 is still {before}." in played.resolution.notes) == (after is None)
