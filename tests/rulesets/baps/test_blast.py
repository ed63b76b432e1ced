"""Blasts around a known point, and artillery rounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.baps.rosters import changes, roster, unit


def blast(dice: list[int], **given: Any) -> list[dict[str, Any]]:
    out = play_example("baps", "blast", {"weapon": "grenade", **given}, dice).out
    assert list(out) == ["targets"]
    targets: list[dict[str, Any]] = out["targets"]
    return targets


def test_lethal_first_each_zone_in_its_own_column() -> None:
    """Two men in row 0 read column 2, one man in row -3 column 1."""
    targets = blast([13, 20, 14], lethal=2, burst="leader")
    assert targets[0] == {
        "unit": "soldier",
        "zone": "lethal",
        "row": 0,
        "passes": 1,
        "rolls": [13],
        "result": "suppressed",
        "wounds": 0,
        "after": "suppressed",
    }
    assert [(target["zone"], target["row"], target["result"]) for target in targets] == [
        ("lethal", 0, "suppressed"),
        ("lethal", 0, "killed"),
        ("burst", -3, "suppressed"),
    ]


def test_inside_adds_four_and_cover_is_subtracted() -> None:
    assert [target["row"] for target in blast([2, 2], lethal=1, burst=1, inside=True)] == [4, 1]
    assert [target["row"] for target in blast([2, 2], lethal=1, burst=1, cover="medium")] == [
        -5,
        -6,
    ]
    assert [
        target["row"]
        for target in blast([2, 2], lethal=1, burst=1, cover="very-heavy", inside=True)
    ] == [-5, -6]


def test_a_one_calls_for_no_ammunition_check_and_wounds_add_up() -> None:
    """Shared results in a blast: row -3, six men, 20 is 1/2/K; a 3 is wound-2, the third wound
    kills.
    """
    targets = blast([20, 3, 1, 1, 1, 1, 1], burst="soldier wounds=1; soldier count=5")
    assert (targets[0]["result"], targets[0]["wounds"], targets[0]["after"]) == (
        "wound-2",
        3,
        "killed",
    )


def test_the_roster_takes_what_a_blast_does() -> None:
    men = roster(unit("Abe"), unit("Bob", wounds=1))
    played = play_example("baps", "blast", {"weapon": "heavy", "lethal": "Abe; Bob"}, [15, 17], men)
    assert changes(played) == {"Abe": {"wounds": 1}, "Bob": {"state": "killed"}}
    assert played.resolution.headline == "1 of 2 killed, 1 wounded"
    assert played.resolution.unit_words == (("Abe", "1 wound"), ("Bob", "killed"))


def test_nobody_in_the_blast_is_refused() -> None:
    with refuses("nobody"):
        blast([])
    with refuses("unknown-attribute asleep"):
        blast([], lethal="soldier asleep")


def test_odds_match_the_card() -> None:
    """Row 0: 11-13 S, 14-16 1, 17-18 2, 19-20 K for one man."""
    chances = odds("baps", "blast", {"weapon": "grenade", "lethal": 1})
    assert chances == {
        "none": Fraction(10, 20),
        "suppressed": Fraction(3, 20),
        "wound-1": Fraction(3, 20),
        "wound-2": Fraction(2, 20),
        "killed": Fraction(2, 20),
    }
