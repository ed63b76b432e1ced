"""Artillery rounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses


def barrage(dice: list[int], **given: Any) -> list[dict[str, Any]]:
    targets: list[dict[str, Any]] = play_example("baps", "barrage", given, dice).out["targets"]
    return targets


def test_three_zones_in_order() -> None:
    """Rows 6, 0 and -3, one man each: 5 is S in row 6, 10 nothing in row 0, 19 wound-2 in row
    -3.
    """
    targets = barrage([5, 10, 19], weapon="heavy-mortar", vaporize=1, lethal=1, burst=1)
    assert [(target["zone"], target["row"], target["result"]) for target in targets] == [
        ("vaporize", 6, "suppressed"),
        ("lethal", 0, "none"),
        ("burst", -3, "wound-2"),
    ]


def test_vaporized_inside_a_building() -> None:
    """6 + 4 is row 10: row 5 twice, and dead men are not rolled for again."""
    targets = barrage([18, 9, 13], weapon="very-heavy-artillery", vaporize=2, inside=True)
    assert [(target["row"], target["passes"]) for target in targets] == [(5, 2), (5, 2)]
    assert [target["rolls"] for target in targets] == [[18], [9, 13]]
    assert [target["result"] for target in targets] == ["killed", "wound-1"]


def test_cover_is_subtracted() -> None:
    targets = barrage([20, 20], weapon="light-mortar", lethal=1, burst=1, cover="light")
    assert [target["row"] for target in targets] == [-3, -6]
    assert [target["result"] for target in targets] == ["killed", "killed"]


def test_the_unit_owes_a_morale_check() -> None:
    played = play_example("baps", "barrage", {"weapon": "light-mortar", "lethal": 1}, [2])
    assert any("artillery-fire" in line for line in played.resolution.next_steps)


def test_a_small_shell_vaporizes_nobody() -> None:
    for weapon in ("light-mortar", "very-light-artillery", "medium-mortar", "light-artillery"):
        with refuses(f"not-together {weapon}"):
            barrage([], weapon=weapon, vaporize=1)
    with refuses("nobody"):
        barrage([], weapon="heavy-mortar")


def test_odds_of_the_last_man_of_ten() -> None:
    """Row -3, ten men: only a 20, and then note (2)."""
    chances = odds("baps", "barrage", {"weapon": "heavy-mortar", "burst": 10}, "targets[9].result")
    assert chances == {
        "none": Fraction(19, 20),
        "suppressed": Fraction(3, 120),
        "wound-1": Fraction(1, 120),
        "wound-2": Fraction(1, 120),
        "killed": Fraction(1, 120),
    }


def test_odds_of_wounded_and_suppressed_match_a_count_by_hand() -> None:
    """Row 5 twice, one man: 1-5 nothing, 6-8 S, 9-12 a wound, 13-16 two, 17-20 killed; two of three
    wounds kill.

    Suppressed: an S and no death. S and nothing, S and S, S and a wound, each in both orders where
    they differ.
    """
    given = {"weapon": "heavy-mortar", "vaporize": 1, "inside": True}
    nothing, down, one, two = 5, 3, 4, 4
    both = odds("baps", "barrage", given, "targets[0].result", "targets[0].after")
    assert both["wound-1|suppressed"] == Fraction(2 * down * one, 400)
    assert both["wound-2|suppressed"] == Fraction(2 * down * two, 400)
    assert both["suppressed|suppressed"] == Fraction(2 * down * nothing + down * down, 400)
    assert both["wound-1|ready"] == Fraction(2 * nothing * one, 400)
