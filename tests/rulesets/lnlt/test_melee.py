"""Melee, PAC 07."""

from fractions import Fraction
from typing import Any

import icepool
import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def melee(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one melee."""
    return play_example("lnlt", "melee", given, dice).out


def test_both_sides_strike_before_anybody_is_removed() -> None:
    """2 + 3 + M and the hero's 1 are 7 against 2: 4-1, a column up for the hero: 5-1, kill 3.

    2 against 7 is 1-3, kill 11: 5 + 6 eliminates the attackers too.
    """
    given = {
        "attackers": "squad fp=2 sw=3 m; hero fp=1; leader lm=1",
        "defenders": "squad fp=2; half-squad fp=1 shaken",
    }
    assert melee([1, 1, 5, 6], **given) == {
        "attack_fp": 7,
        "defense_fp": 2,
        "attack_odds": "5-1",
        "attack_kill": 3,
        "attack_total": 3,
        "defenders_eliminated": True,
        "counter_fp": 2,
        "counter_against": 7,
        "counter_odds": "1-3",
        "counter_kill": 11,
        "counter_total": 11,
        "attackers_eliminated": True,
        "outcome": "both",
    }


def test_defenders_all_shaken_are_eliminated_without_dice() -> None:
    """No other friendly unit in the hex can fight."""
    out = melee([], attackers="squad fp=2", defenders="squad fp=2 shaken; leader lm=1 shaken")
    assert (out["outcome"], out["defenders_eliminated"], out["attackers_eliminated"]) == (
        "defenders",
        True,
        False,
    )
    assert (out["attack_total"], out["counter_total"]) == ("none", "none")


def test_a_side_picks_whom_it_attacks_and_all_of_the_other_side_strike_back() -> None:
    """4 against the second squad's 2 is 2-1; 2 + 2 + 1 strike back at the first attacker's 3:
    2-1 and hero.
    """
    given = {
        "attackers": "squad fp=3; half-squad fp=1",
        "defenders": "squad fp=2; squad fp=2; hero fp=1",
        "attack_targets": "2",
        "counter_targets": "1",
    }
    out = melee([1, 1, 1, 2], **given)
    assert (out["attack_fp"], out["defense_fp"], out["attack_odds"], out["attack_kill"]) == (
        4,
        2,
        "2-1",
        6,
    )
    assert (
        out["counter_fp"],
        out["counter_against"],
        out["counter_odds"],
        out["counter_kill"],
    ) == (5, 3, "3-1", 5)
    assert out["outcome"] == "none"


def test_shaken_leaders_lend_nothing_and_the_highest_counts() -> None:
    """2 from the best of three; the shaken 3 does not count."""
    out = melee(
        [1, 2, 1, 2],
        attackers="squad fp=1; leader lm=1; leader lm=2; leader lm=3 shaken",
        defenders="squad fp=2",
    )
    assert (out["attack_total"], out["counter_total"]) == (5, 3)


def test_without_firepower_the_dice_are_rolled_and_nobody_falls() -> None:
    """Against no firepower the odds are 5-1."""
    out = melee([6, 6, 1, 2], attackers="leader lm=1", defenders="squad fp=2")
    assert (out["attack_odds"], out["attack_kill"], out["attack_total"]) == ("none", "none", 13)
    assert (out["counter_odds"], out["counter_kill"], out["outcome"]) == ("5-1", 3, "attackers")


def test_odds_go_on_by_the_ratio_beyond_the_card() -> None:
    """28 against 14 is 2-1."""
    out = melee([1, 1, 1, 1], attackers="squad fp=20; squad fp=8", defenders="squad fp=14")
    assert out["attack_odds"] == "2-1"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"attackers": "squad fp=2", "defenders": "armored-vehicle fp=3"},
            "wrong-type armored-vehicle",
        ),
        ({"attackers": "helicopter fp=2", "defenders": "squad fp=3"}, "wrong-type helicopter"),
        (
            {"attackers": "squad fp=2", "defenders": "squad fp=3", "attack_targets": "2"},
            "bad-value attack_targets",
        ),
        (
            {"attackers": "squad fp=2", "defenders": "squad fp=3", "counter_targets": "1 1"},
            "given-twice counter_targets",
        ),
        (
            {"attackers": "squad fp=2", "defenders": "squad fp=3", "attack_targets": "first"},
            "bad-value attack_targets",
        ),
        ({"attackers": "squad", "defenders": "squad fp=3"}, "unit-needs fp"),
        ({"attackers": "squad fp=2", "defenders": ""}, "missing defenders"),
    ],
)
def test_what_melee_does_not_know_is_refused(given: dict[str, str], words: str) -> None:
    """Vehicles, wrong positions, missing firepower."""
    with refuses(words):
        melee([], **given)


def test_the_losing_side_is_written_back() -> None:
    """Only the chosen units."""
    units = roster(unit("A", "squad", fp=4), unit("B", "squad", fp=1), unit("C", "squad", fp=1))
    given = {"attackers": "A", "defenders": "B; C", "attack_targets": "2"}
    played = play_example("lnlt", "melee", given, [6, 6, 1, 1], units)
    assert [(change.unit, dict(change.set)) for change in played.resolution.changes] == [
        ("C", {"state": "eliminated"})
    ]


def test_odds_at_1_1_match_a_count_by_hand() -> None:
    """8 or more on 2d6 is 15 of 36, for both."""
    kill = Fraction(15, 36)
    assert odds("lnlt", "melee", {"attackers": "squad fp=3", "defenders": "squad fp=3"}) == {
        "both": kill * kill,
        "defenders": kill * (1 - kill),
        "attackers": kill * (1 - kill),
        "none": (1 - kill) * (1 - kill),
    }


def test_odds_agree_with_icepool() -> None:
    """3-2 with a leader of 1 against 2-3: 7 and 9."""
    first, second = 2 @ icepool.d6 + 1 >= 7, 2 @ icepool.d6 >= 9
    chances = odds(
        "lnlt", "melee", {"attackers": "squad fp=3; leader lm=1", "defenders": "squad fp=2"}
    )
    assert chances["both"] == first.probability(True) * second.probability(True)


def test_firepower_beyond_the_table_goes_by_the_ratio() -> None:
    """80 against 41 is less than 2-1 and more than 3-2, so 2-1, kill 6; 41 against 80 is more
    than 1-2: 2-3, kill 9.
    """
    given = {"attackers": "squad fp=20 sw=20,20,20", "defenders": "squad fp=20 sw=20,1"}
    out = melee([2, 3, 4, 4], **given)
    assert (out["attack_odds"], out["attack_kill"], out["defenders_eliminated"]) == (
        "2-1",
        6,
        False,
    )
    assert (out["counter_odds"], out["counter_kill"], out["attackers_eliminated"]) == (
        "2-3",
        9,
        False,
    )
    assert (
        melee([1, 1, 1, 1], attackers="squad fp=20 sw=20,20,20", defenders="crew fp=1")[
            "attack_odds"
        ]
        == "5-1"
    )
    assert (
        melee([1, 1, 1, 1], attackers="crew fp=1", defenders="squad fp=20 sw=20,20,20")[
            "attack_odds"
        ]
        == "1-3"
    )
