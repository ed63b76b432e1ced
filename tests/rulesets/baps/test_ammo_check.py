"""Ammunition checks by themselves."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.baps.rosters import changes, roster, unit


def test_automatic_weapons_fail_on_two_others_on_one() -> None:
    given = {
        "attackers": "soldier weapon=lmg-magazine; soldier weapon=rifle-semi count=2; soldier weapon=flame-thrower"
    }
    out = play_example("baps", "ammo-check", given, [2, 2, 1, 6]).out
    assert [item["result"] for item in out["soldiers"]] == [
        "out-or-jammed",
        "ok",
        "out-or-jammed",
        "ok",
    ]
    assert out["soldiers"][0] == {"unit": "soldier", "roll": 2, "result": "out-or-jammed"}


@pytest.mark.parametrize(
    ("weapon", "fails"),
    [
        ("submachine-gun", True),
        ("rifle-auto", True),
        ("lmg-belt", True),
        ("medium-machine-gun", True),
        ("heavy-machine-gun", True),
        ("carbine", False),
        ("pistol", False),
        ("shotgun", False),
        ("rifle-bolt", False),
    ],
)
def test_a_two_by_weapon(weapon: str, fails: bool) -> None:
    out = play_example("baps", "ammo-check", {"attackers": f"soldier weapon={weapon}"}, [2]).out
    assert out["soldiers"][0]["result"] == ("out-or-jammed" if fails else "ok")


def test_a_jam_is_marked_on_the_roster() -> None:
    men = roster(unit("Abe", weapon="lmg-belt"), unit("Bob", weapon="pistol"))
    played = play_example("baps", "ammo-check", {"attackers": "Abe; Bob"}, [3, 1], men)
    assert changes(played) == {"Bob": {"mark": {"out-or-jammed"}}}
    assert played.resolution.headline == "1 of 2 out of ammunition or jammed"


def test_a_soldier_without_a_weapon_is_refused() -> None:
    with refuses("no-weapon soldier"):
        play_example("baps", "ammo-check", {"attackers": "soldier"}, [])


def test_odds() -> None:
    given = {"attackers": "soldier weapon=lmg-belt; soldier weapon=pistol"}
    assert odds("baps", "ammo-check", given) == {
        "out-or-jammed": Fraction(1, 3),
        "ok": Fraction(2, 3),
    }
    assert odds("baps", "ammo-check", given, "soldiers[1].result")["ok"] == Fraction(5, 6)
