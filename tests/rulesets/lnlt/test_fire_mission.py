"""Off-board artillery, PAC 05 and 08."""

from fractions import Fraction
from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses


def mission(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one fire mission with firepower 5."""
    return play_example("lnlt", "fire-mission", {"fp": 5, **given}, dice).out


def test_the_spotting_round_drifts() -> None:
    """3 + 1 - 2 is 2, halved 1; the colored 2 is north-east; nothing is attacked."""
    assert mission(
        [3, 2], stage="drift", degrading=1, lm=2, targets="squad morale=5 hex=A dist=0"
    ) == {
        "hexes": 1,
        "direction": "north-east",
        "attacks": [],
        "outcome": "none",
    }


def test_each_hex_has_dice_of_its_own_in_the_order_of_first_mention() -> None:
    """Concentrated 5 is 8 in the center and 3 beside; the leader of A stands third in the list,
    but second in A.
    """
    targets = (
        "squad morale=5 hex=A dist=0 tm=1; squad morale=6 hex=B dist=1; leader morale=8 lm=1 hex=A"
    )
    out = mission([1, 2, 1, 3, 4, 3, 1, 2], mission="concentrated", stage="attack", targets=targets)
    assert (out["hexes"], out["direction"]) == ("none", "none")
    first, second = out["attacks"]
    assert (first["hex"], first["fp"], first["attack_roll"], first["defense_roll"]) == (
        "A",
        8,
        1,
        2,
    )
    squad, leader = first["targets"]
    assert (squad["attack_total"], squad["defense_total"], squad["dc_total"], squad["hero"]) == (
        9,
        3,
        7,
        False,
    )
    assert (leader["roll"], leader["dc_total"], leader["result"]) == (4, 10, "shaken")
    assert (second["hex"], second["fp"], second["targets"][0]["hit"]) == ("B", 3, True)
    assert out["outcome"] == "shaken"


def test_drift_and_attack_in_one() -> None:
    """White and colored die first; a hex that is missed rolls no checks."""
    out = mission([6, 4, 1, 6], fp=2, targets="squad morale=5 hex=here dist=1")
    assert (out["hexes"], out["direction"], out["outcome"]) == (3, "south", "none")
    assert out["attacks"][0]["targets"][0]["roll"] == "none"


def test_a_loose_mission_attacks_with_firepower_0() -> None:
    """2 is 0 on the chart: 5 against 1."""
    out = mission(
        [5, 1, 2], mission="loose", fp=2, stage="attack", targets="squad morale=9 hex=A dist=2"
    )
    assert (out["attacks"][0]["fp"], out["attacks"][0]["targets"][0]["attack_total"]) == (0, 5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mission": "loose", "fp": 7}, "card-refuses firepower"),
        ({"targets": "squad morale=5 hex=A dist=2"}, "out-of-reach hex A"),
        ({"mission": "line", "targets": "squad morale=5 hex=A dist=1"}, "out-of-reach hex A"),
        ({"targets": "squad morale=5 hex=A"}, "unit-needs dist"),
        ({"targets": "squad morale=5 dist=1"}, "unit-needs hex"),
        (
            {"targets": "squad morale=5 hex=A dist=1; squad morale=5 hex=A dist=0"},
            "given-twice dist",
        ),
        ({"degrading": 3}, "bad-value degrading"),
    ],
)
def test_refusals(given: dict[str, Any], words: str) -> None:
    """What the card does not print."""
    with refuses(words):
        mission([], **given)


def test_the_next_steps_are_named() -> None:
    """The shift of the round, and the walking barrage's later turns."""
    given = {"fp": 5, "mission": "walking-barrage", "stage": "drift"}
    settled = play_example("lnlt", "fire-mission", given, [1, 1]).resolution
    assert settled.next_steps == (
        "Place the marker; a spotter who still sees it may first shift it one hex within line of sight.",
    )
    assert settled.notes == (
        "In each of the next two turns the markers move one hex and attack again (stage attack).",
    )


def test_odds_of_two_hexes_are_independent() -> None:
    """1d6 + 5 against 1d6 is no hit only at 1 against 6; the second hex has chances of its own."""
    targets = "squad morale=1 hex=A dist=0; squad morale=1 hex=B dist=1"
    given = {"fp": 5, "stage": "attack", "targets": targets, "no_hero": True}
    miss = Fraction(1, 36)
    assert odds("lnlt", "fire-mission", given, "attacks[1].targets[0].hit")["false"] == miss
    both = odds("lnlt", "fire-mission", given, "outcome", "attacks[1].targets[0].result")
    assert both["none|none"] == miss * miss
    drift = odds("lnlt", "fire-mission", given | {"stage": "drift"}, "direction")
    assert drift["south"] == Fraction(1, 6)
