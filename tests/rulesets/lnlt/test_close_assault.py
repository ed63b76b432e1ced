"""Close assaults, PAC 01 and 09."""

from fractions import Fraction
from typing import Any

import icepool
import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def assault(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one close assault on armor 3."""
    return play_example("lnlt", "close-assault", {"av": 3, **given}, dice).out


def test_all_check_first_and_the_leader_helps_the_first_who_attacks() -> None:
    """The squad fails with 8; the hero passes with 7 and attacks 3 + 1 + 1 against 1 + 3; the
    crew is eliminated.
    """
    out = assault(
        [4, 4, 3, 4, 3, 1], attackers="squad morale=5 fp=2 sw=4; hero morale=7 fp=1", lm=1
    )
    assert out == {
        "units": [
            {
                "unit": "squad",
                "mc_total": 8,
                "mc": "fail",
                "attack_total": "none",
                "vehicle_total": "none",
                "destroyed": False,
            },
            {
                "unit": "hero",
                "mc_total": 7,
                "mc": "pass",
                "attack_total": 5,
                "vehicle_total": 4,
                "destroyed": True,
            },
        ],
        "vehicle_destroyed": True,
        "crew": "eliminated",
        "outcome": "destroyed",
    }


def test_once_destroyed_nobody_attacks_any_more() -> None:
    """The second squad passed its check and keeps still."""
    out = assault([1, 1, 1, 1, 6, 1], attackers="squad morale=5 fp=2; squad morale=5 fp=2")
    assert [item["attack_total"] for item in out["units"]] == [8, "none"]
    assert [item["mc"] for item in out["units"]] == ["pass", "pass"]


def test_a_tie_leaves_the_vehicle_and_the_next_attacks_with_a_die_of_its_own() -> None:
    """3 + 2 + 2 of the leader against 4 + 3; then 2 + 2 against 1 + 3 is a tie too."""
    out = assault(
        [1, 1, 1, 1, 3, 4, 2, 1], attackers="squad morale=5 fp=2; squad morale=5 fp=2", lm=2
    )
    assert [(item["attack_total"], item["vehicle_total"]) for item in out["units"]] == [
        (7, 7),
        (4, 4),
    ]
    assert (out["outcome"], out["crew"]) == ("none", "none")


def test_the_leader_helps_the_unit_he_is_told_to() -> None:
    """The second; and nobody when that unit fails its check."""
    attackers = "squad morale=5 fp=1; squad morale=5 fp=1"
    out = assault([1, 1, 1, 1, 1, 6, 1, 6], attackers=attackers, lm=2, lm_unit=2)
    assert [item["attack_total"] for item in out["units"]] == [2, 4]
    out = assault([1, 1, 6, 6, 1, 6], attackers=attackers, lm=2, lm_unit=2)
    assert [item["attack_total"] for item in out["units"]] == [2, "none"]


def test_when_all_fail_nobody_attacks() -> None:
    """mc_mod makes it harder."""
    out = assault([2, 2], attackers="squad morale=5 fp=1", mc_mod=2)
    assert (out["units"][0]["mc_total"], out["units"][0]["mc"], out["outcome"]) == (
        6,
        "fail",
        "none",
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"attackers": "squad morale=5 fp=2", "outside_passengers": True}, "passenger outside"),
        ({"attackers": "leader morale=5 fp=2"}, "wrong-type leader"),
        ({"attackers": "armored-vehicle morale=5 fp=2"}, "wrong-type armored-vehicle"),
        ({"attackers": "squad fp=2"}, "unit-needs morale"),
        ({"attackers": "squad morale=5"}, "unit-needs fp"),
        ({"attackers": "squad morale=5 fp=2", "lm_unit": 2}, "bad-value lm_unit"),
    ],
)
def test_refusals(given: dict[str, Any], words: str) -> None:
    """Before any die."""
    with refuses(words):
        assault([], **given)


def test_the_vehicle_is_written_back() -> None:
    """It brings its armor, too."""
    units = roster(unit("T-55", "armored-vehicle", morale=6, av=3))
    given = {"attackers": "squad morale=5 fp=2", "target": "T-55"}
    played = play_example("lnlt", "close-assault", given, [1, 1, 6, 1], units)
    assert [
        (change.unit, dict(change.set)) for change in played.resolution.changes if not change.of
    ] == [("T-55", {"state": "destroyed"})]


def test_odds_of_one_squad_match_a_count_by_hand() -> None:
    """Morale 7 is 21 of 36; 1d6 + 3 against 1d6 + 3 is higher in 15 of 36."""
    chances = odds("lnlt", "close-assault", {"av": 3, "attackers": "squad morale=7 fp=3"})
    assert chances["destroyed"] == Fraction(21, 36) * Fraction(15, 36)


def test_odds_of_two_agree_with_icepool() -> None:
    """The leader's 1 goes to the first who attacks."""

    def result(first: int, second: int, one: int, two: int) -> bool:
        """`one` and `two` are attack less vehicle."""
        if first <= 5:
            return one + 1 > 0 or (second <= 7 and two - 1 > 0)
        return second <= 7 and two > 0

    check, duel = 2 @ icepool.d6, icepool.d6 - icepool.d6
    counted = icepool.map(result, check, check, duel, duel)
    given = {"av": 3, "attackers": "squad morale=5 fp=3; hero morale=7 fp=2", "lm": 1}
    assert odds("lnlt", "close-assault", given)["destroyed"] == counted.probability(True)


def test_odds_of_many_attackers_are_counted_one_after_the_other() -> None:
    """Twelve alike, each destroying with 21/36 * 15/36 unless it is done."""
    attackers = "; ".join(["squad morale=7 fp=3"] * 12)
    chances = odds("lnlt", "close-assault", {"av": 3, "attackers": attackers})
    each = Fraction(21, 36) * Fraction(15, 36)
    assert chances["none"] == (1 - each) ** 12


def test_odds_of_each_unit_hang_on_those_before_it() -> None:
    """The second attacks when it passes and the first did not destroy; it checks in any case."""
    given = {"av": 3, "attackers": "squad morale=7 fp=3; squad morale=7 fp=3"}
    first = Fraction(21, 36) * Fraction(15, 36)
    both = odds("lnlt", "close-assault", given, "units[1].mc", "units[1].destroyed")
    assert both["pass|true"] == (1 - first) * first
    assert both["fail|false"] == Fraction(15, 36)
