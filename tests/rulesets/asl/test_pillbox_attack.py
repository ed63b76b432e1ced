"""Attacks on a pillbox's occupants, table 8."""

from __future__ import annotations

from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses


def attack(weapon: str, side: str = "ca", **given: object) -> tuple[Any, ...]:
    out = play_example("asl", "pillbox-attack", {"weapon": weapon, "from": side, **given}, []).out
    assert set(out) == {"result", "drm", "fp", "resolve_as"}
    return out["result"], out["drm"], out["fp"], out["resolve_as"]


@pytest.mark.parametrize(
    ("side", "basic_tk", "drm", "resolve_as"),
    [
        ("ca", 7, 0, "he-equivalency"),
        ("ca", 6, 3, "he-direct"),
        ("nca", 11, 0, "he-equivalency"),
        ("nca", 10, 5, "he-direct"),
        ("same-hex", 10, 5, "he-direct"),
    ],
)
def test_ap_needs_more_than_twice_the_tem(
    side: str, basic_tk: int, drm: int, resolve_as: str
) -> None:
    assert attack("ap", side, basic_tk=basic_tk) == ("attack", drm, "full", resolve_as)


def test_an_nca_tem_counts_for_nothing_on_a_critical_hit() -> None:
    assert attack("ap", "nca", basic_tk=0, critical_hit=True) == (
        "attack",
        0,
        "full",
        "he-equivalency",
    )
    assert attack("ap", "ca", basic_tk=6, critical_hit=True) == ("attack", 3, "full", "he-direct")
    assert attack("heat", "same-hex", critical_hit=True) == ("attack", 0, "full", "he-equivalency")
    assert attack("he-indirect", "ca", critical_hit=True) == ("attack", 0, "full", "normal")
    assert attack("dc", "same-hex", critical_hit=True) == ("attack", 3, "full", "normal")


def test_weapons_with_tem() -> None:
    assert attack("heat", "ca") == ("attack", 3, "full", "he-equivalency")
    assert attack("canister", "ca", ca_tem=2) == ("attack", 2, "half", "normal")
    assert attack("he-direct", "nca", nca_tem=7) == ("attack", 7, "full", "normal")
    assert attack("ft", "ca") == ("attack", 0, "full", "normal")
    assert attack("ft", "nca") == ("attack", 5, "full", "normal")
    assert attack("cc", "same-hex") == ("attack", 0, "full", "normal")
    assert attack("ffe", "same-hex") == ("attack", 5, "full", "normal")


def test_what_has_no_effect() -> None:
    assert attack("canister", "nca") == ("none", 0, "full", "normal")
    assert attack("small-arms", "same-hex") == ("none", 0, "full", "normal")
    assert attack("overrun", "ca") == ("not-applicable", 0, "full", "normal")
    assert attack("cc", "nca") == ("not-applicable", 0, "full", "normal")


def test_white_phosphorus() -> None:
    na = ("not-applicable", 0, "full", "normal")
    assert attack("wp-direct", "ca") == na
    assert attack("wp-direct", "ca", critical_hit=True) == ("nmc", 3, "full", "normal")
    assert attack("wp-direct", "nca", critical_hit=True) == na
    assert attack("wp-direct", "same-hex", critical_hit=True) == na
    assert attack("wp-direct", "same-hex", baz45=True) == na
    assert attack("wp-direct", "same-hex", critical_hit=True, baz45=True) == (
        "nmc",
        0,
        "full",
        "normal",
    )
    assert attack("wp-indirect", "ca", critical_hit=True) == na
    assert attack("wp-grenade", "nca") == na
    assert attack("wp-grenade", "same-hex") == ("nmc", -5, "full", "normal")
    assert attack("wp-grenade", "same-hex", critical_hit=True) == ("nmc", 0, "full", "normal")


def test_ap_without_its_tk_number_and_odds_without_dice_are_refused() -> None:
    with refuses("missing basic_tk"):
        attack("ap")
    with refuses("no-odds"):
        odds("asl", "pillbox-attack", {"weapon": "heat"})


def test_the_answer_agrees_with_the_modifier_that_it_gives() -> None:
    """An AP shot of basic TK# 6 does not exceed twice a CA TEM of 3: the answer must not say
    that no TEM counts.
    """
    given = {"weapon": "ap", "from": "ca", "basic_tk": 6}
    lines = play_example("asl", "pillbox-attack", given, []).lines
    assert (
        lines[0].label
        == "AP from the CA: Basic TK# 6 does not exceed twice the CA TEM of 3, so add the CA TEM."
    )
    strong = play_example("asl", "pillbox-attack", {**given, "basic_tk": 7}, []).lines
    assert (
        strong[0].label
        == "AP from the CA: Basic TK# 7 exceeds twice the CA TEM of 3, so there is no TEM."
    )
    for weapon, called in (("ap", "AP"), ("he-direct", "direct HE")):
        critical = {"weapon": weapon, "from": "nca", "basic_tk": 6, "critical_hit": True}
        lines = play_example("asl", "pillbox-attack", critical, []).lines
        assert lines[0].label == f"{called} from the NCA: A Critical Hit, so the NCA TEM is zero."
    close = play_example("asl", "pillbox-attack", {"weapon": "cc", "from": "same-hex"}, [])
    assert close.resolution.headline == "CC may take place"
