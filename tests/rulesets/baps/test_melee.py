"""Hand-to-hand combat."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.baps.rosters import changes, roster, unit

FACES = (2, 3, 3, 4, 4, 5)


def melee(dice: list[int], a: str, b: str) -> dict[str, Any]:
    return play_example("baps", "melee", {"a": a, "b": b}, dice).out


def test_the_loser_takes_the_difference() -> None:
    """5 + 1 + 1 against 3 - 1 is 7 to 2: five wounds kill."""
    assert melee([5, 3], "leader expert", "soldier wounds=1") == {
        "a_modifier": 2,
        "b_modifier": -1,
        "a_total": 7,
        "b_total": 2,
        "winner": "a",
        "a_wounds": 0,
        "b_wounds": 5,
        "a_after": "ready",
        "b_after": "killed",
    }


def test_a_tie_wounds_both() -> None:
    """3 + 1 terrain against 4; the suppressed man's -1 makes his 5 a 4."""
    out = melee([3, 5], "soldier terrain", "crewman suppressed wounds=2")
    assert (out["a_total"], out["b_total"], out["winner"]) == (4, 3, "a")
    out = melee([3, 5], "soldier", "soldier suppressed wounds=2")
    assert (out["a_total"], out["b_total"], out["winner"]) == (3, 3, "tie")
    assert (out["a_wounds"], out["b_wounds"], out["a_after"], out["b_after"]) == (
        1,
        1,
        "ready",
        "killed",
    )


def test_b_wins_and_two_wounds_do_not_kill() -> None:
    out = melee([2, 4], "soldier suppressed", "soldier outnumber berserk heroic suppressed")
    assert (out["a_modifier"], out["b_modifier"]) == (-1, 3)
    assert (out["winner"], out["a_wounds"], out["a_after"], out["b_after"]) == (
        "b",
        6,
        "killed",
        "suppressed",
    )
    out = melee([3, 5], "soldier suppressed", "soldier suppressed")
    assert (out["a_wounds"], out["a_after"]) == (2, "suppressed")


def test_the_roster_takes_the_wounds() -> None:
    men = roster(unit("Abe", "leader", wounds=1), unit("Bob", state="suppressed"))
    played = play_example("baps", "melee", {"a": "Abe", "b": "Bob terrain"}, [4, 4], men)
    assert changes(played) == {"Abe": {"wounds": 2}, "Bob": {"wounds": 1}}
    assert played.resolution.unit_words == (("Abe", "1 wound"), ("Bob", "1 wound"))


@pytest.mark.parametrize(
    ("a", "b", "problem"),
    [
        ("soldier outnumber", "soldier outnumber", "not-together b"),
        ("soldier; soldier", "soldier", "too-many a"),
        ("soldier", "squad", "unknown-unit squad"),
        ("soldier", "soldier wounds=3", "bad-value wounds"),
        ("soldier hidden", "soldier", "unknown-attribute hidden"),
    ],
)
def test_what_the_card_forbids_is_refused(a: str, b: str, problem: str) -> None:
    with refuses(problem):
        melee([], a, b)


def test_an_averaging_die_shows_no_six() -> None:
    with refuses("bad-face"):
        melee([6, 2], "soldier", "soldier")


def test_odds_match_a_count_of_all_36_rolls_and_icepool() -> None:
    wins = Counter(
        "a" if x + 1 > y else "b" if y > x + 1 else "tie" for x, y in product(FACES, repeat=2)
    )
    given = {"a": "soldier expert", "b": "soldier"}
    assert odds("baps", "melee", given) == {
        winner: Fraction(ways, 36) for winner, ways in wins.items()
    }
    die = icepool.Die(FACES)
    wounds = icepool.map(lambda x, y: 1 if x + 1 == y else max(0, x + 1 - y), die, die)
    chances = odds("baps", "melee", given, "b_wounds")
    assert chances == {
        str(taken): Fraction(ways, wounds.denominator()) for taken, ways in wounds.items()
    }
