"""Melee, grenades into rooms and building assaults."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import icepool
import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.ucn.plainly import every_face
from tests.rulesets.ucn.rosters import changes, roster, unit


def play(sequence: str, dice: list[int], units: Any = None, **given: object) -> Any:
    return play_example("ucn", sequence, given, dice, units)


def melee(dice: list[int], units: Any = None, **given: object) -> Any:
    pair = {"attackers": 2, "attacker_skill": 10, "defenders": 2, "defender_skill": 9}
    return play("melee", dice, units, **{**pair, **given})


def assault(dice: list[int], units: Any = None, **given: object) -> Any:
    pair = {"attackers": 2, "attacker_skill": 10, "defenders": 2, "defender_skill": 9}
    return play("building-assault", dice, units, **{**pair, **given})


# -- melee ------------------------------------------------------------------------------------------------------------


def test_more_successes_win_and_a_one_kills_one_more() -> None:
    """Attacker 10 + 4 SMG + 4 charging; defender 9."""
    assert melee([1, 15, 5, 20], attacker_smgs=1).out == {
        "attacker_final": 18,
        "defender_final": 9,
        "attacker_rolls": [1, 15],
        "defender_rolls": [5, 20],
        "attacker_successes": 2,
        "defender_successes": 1,
        "outcome": "attacker-wins",
        "attacker_casualties": 0,
        "defender_casualties": 2,
    }


@pytest.mark.parametrize(
    ("dice", "more", "gives"),
    [
        ([15, 16, 5, 20], {}, ("defender-wins", 1, 0)),
        ([1, 20, 1, 5], {}, ("defender-wins", 2, 1)),
        ([5, 20, 5, 20], {}, ("deadlock", 0, 0)),
        ([1, 20, 5, 20], {}, ("deadlock", 0, 1)),
        ([5, 20, 20, 9, 20], {"attackers": 3}, ("deadlock", 1, 1)),
        ([15, 20, 10, 20], {}, ("no-damage", 0, 0)),
    ],
)
def test_outcomes(dice: list[int], more: dict[str, object], gives: tuple[str, int, int]) -> None:
    played = melee(dice, **more)
    out = played.out
    assert (out["outcome"], out["attacker_casualties"], out["defender_casualties"]) == gives
    assert bool(played.resolution.state_changes) == (gives[0] in ("deadlock", "no-damage"))


def test_casualties_are_limited_to_those_present() -> None:
    out = melee([1, 1], attackers=1, defenders=1).out
    assert (out["outcome"], out["attacker_casualties"], out["defender_casualties"]) == (
        "deadlock",
        1,
        1,
    )
    out = melee([1, 1, 20], attackers=2, defenders=1).out
    assert (out["outcome"], out["defender_casualties"]) == ("attacker-wins", 1)


def test_final_skills() -> None:
    out = melee(
        [20] * 5,
        attackers=1,
        defenders=4,
        charging=False,
        attacker_suppressed=True,
        attacker_hesitant=True,
        attacker_mod=3,
        defender_smgs=2,
        defender_suppressed=True,
        defender_hesitant=True,
        defender_mod=-1,
    ).out
    assert out["attacker_final"] == 10 - 6 - 2 + 3
    assert out["defender_final"] == 9 - 6 - 2 + 2 * 4 + 3 * 4 - 1


def test_more_smgs_than_characters_is_refused() -> None:
    with refuses("bad-value attacker_smgs"):
        melee([], attacker_smgs=3)
    with refuses("bad-value defender_smgs"):
        melee([], defender_smgs=3)


SQUAD = unit("2nd Squad", melee=10, members=2, smgs=1)
PINNED = unit("Foe", melee=9, members=1, smgs=2, state="pinned", casualties=3)


def test_roster_elements_bring_their_numbers_and_take_the_result() -> None:
    played = play("melee", [5, 20, 20], roster(SQUAD, PINNED), unit="2nd Squad", target="Foe")
    assert (played.out["attacker_final"], played.out["defender_final"]) == (
        10 + 4 + 4 + 4,
        9 - 6 + 4,
    )
    assert changes(played) == {
        "Foe": {"casualties": 4, "members": 0, "state": "combat-ineffective"}
    }
    free = play(
        "melee",
        [20] * 3,
        roster(SQUAD, PINNED),
        unit="2nd Squad",
        target="Foe",
        defender_suppressed=False,
    )
    assert free.out["defender_final"] == 9 + 4
    with refuses("nobody attackers"):
        play(
            "melee", [], roster(unit("Gone", melee=9, members=0), PINNED), unit="Gone", target="Foe"
        )


def test_odds_of_a_duel_match_a_count_by_hand() -> None:
    """10 without charging against 9."""
    given = {
        "attackers": 1,
        "attacker_skill": 10,
        "defenders": 1,
        "defender_skill": 9,
        "charging": False,
    }
    assert odds("ucn", "melee", given) == {
        "attacker-wins": Fraction(10 * 11, 400),
        "defender-wins": Fraction(10 * 9, 400),
        "deadlock": Fraction(10 * 9, 400),
        "no-damage": Fraction(10 * 11, 400),
    }


@pytest.mark.parametrize(
    "path", ["outcome", "attacker_casualties", "defender_casualties", "attacker_rolls[1]"]
)
def test_odds_of_melee_are_those_of_every_face(path: str) -> None:
    given = {
        "attackers": 2,
        "attacker_skill": 10,
        "defenders": 1,
        "defender_skill": 12,
        "defender_smgs": 1,
    }
    counted = odds("ucn", "melee", given, path)
    assert {str(value): chance for value, chance in counted.items()} == every_face(
        "melee", given, path
    )


def test_odds_of_melee_match_a_second_opinion() -> None:
    """Four with 14 (charging) against four with 9: wins by icepool."""
    attackers, defenders = 4 @ (icepool.d20 <= 14), 4 @ (icepool.d20 <= 9)
    wins = icepool.map(lambda a, d: a > d, attackers, defenders)
    given = {"attackers": 4, "attacker_skill": 10, "defenders": 4, "defender_skill": 9}
    assert odds("ucn", "melee", given)["attacker-wins"] == Fraction(
        wins.quantity(True), wins.denominator()
    )


# -- grenade into a room ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "status", "left"),
    [([12, 1], "stunned", 2), ([12, 13], "pinned", 1), ([20, 13], "cleared", 0)],
)
def test_a_grenade(dice: list[int], status: str, left: int) -> None:
    out = play("grenade-assault", dice, occupants=2).out
    assert (out["status"], out["survivors"], out["casualties"]) == (status, left, 2 - left)
    assert out["morale_loss"] == 2 * (2 - left)
    assert out["results"] == ["stunned" if die < 13 else "combat-ineffective" for die in dice]


def test_the_element_in_the_room_takes_the_result() -> None:
    squad = roster(unit("Foe", members=2))
    assert changes(play("grenade-assault", [1, 2], squad, target="Foe")) == {
        "Foe": {"state": "stunned"}
    }
    pinned = changes(play("grenade-assault", [1, 13], squad, target="Foe"))
    assert pinned == {"Foe": {"state": "pinned", "members": 1, "casualties": 1}}
    cleared = changes(play("grenade-assault", [13, 13], squad, target="Foe"))
    assert cleared == {"Foe": {"state": "combat-ineffective", "members": 0, "casualties": 2}}
    with refuses("missing occupants"):
        play("grenade-assault", [])


def test_odds_of_a_grenade_match_a_count_by_hand() -> None:
    assert odds("ucn", "grenade-assault", {"occupants": 3}) == {
        "stunned": Fraction(12, 20) ** 3,
        "cleared": Fraction(8, 20) ** 3,
        "pinned": 1 - Fraction(12, 20) ** 3 - Fraction(8, 20) ** 3,
    }
    counted = odds("ucn", "grenade-assault", {"occupants": 3}, "results[1]", "casualties")
    assert counted["stunned|2"] == Fraction(12 * 8 * 8, 20**3)


# -- building assault -------------------------------------------------------------------------------------------------


def test_grenade_then_melee_with_the_survivors() -> None:
    """One of two is left: suppressed, with one of the two SMGs, outnumbered by one."""
    assert assault([13, 5, 1, 20, 7], defender_smgs=2).out == {
        "grenade_results": ["combat-ineffective", "stunned"],
        "grenade_casualties": 1,
        "defenders_left": 1,
        "attacker_final": 14,
        "defender_final": 9 - 6 + 4,
        "attacker_successes": 1,
        "defender_successes": 1,
        "outcome": "deadlock",
        "attacker_casualties": 1,
        "defender_casualties": 1,
    }


def test_a_room_cleared_by_the_grenade() -> None:
    assert assault([13, 20]).out == {
        "grenade_results": ["combat-ineffective", "combat-ineffective"],
        "grenade_casualties": 2,
        "defenders_left": 0,
        "attacker_final": None,
        "defender_final": None,
        "attacker_successes": None,
        "defender_successes": None,
        "outcome": "cleared",
        "attacker_casualties": 0,
        "defender_casualties": 0,
    }


def test_without_a_grenade_nobody_is_suppressed_and_nobody_charges() -> None:
    out = assault([10, 11, 9, 10], grenade=False).out
    assert out["grenade_results"] == []
    assert (out["grenade_casualties"], out["defenders_left"]) == (0, 2)
    assert (out["attacker_final"], out["defender_final"], out["outcome"]) == (10, 9, "deadlock")


def test_suppression_counts_once() -> None:
    out = assault([1, 1, 20, 20, 3, 4], defender_suppressed=True).out
    assert (out["defender_final"], out["defender_successes"], out["outcome"]) == (
        3,
        1,
        "defender-wins",
    )


def test_refusals_of_an_assault() -> None:
    with refuses("bad-value attackers"):
        assault([], attackers=1)
    with refuses("bad-value defender_smgs"):
        assault([], defender_smgs=3)


def test_both_elements_take_the_result_of_an_assault() -> None:
    units = roster(unit("2nd Squad", melee=10, members=3), unit("Foe", melee=9, members=3))
    dice = [13, 1, 1, 5, 20, 20, 1, 20]
    played = play("building-assault", dice, units, unit="2nd Squad", target="Foe")
    assert (played.out["outcome"], played.out["attacker_final"]) == ("deadlock", 14)
    assert changes(played) == {
        "2nd Squad": {"casualties": 2, "members": 1},
        "Foe": {"casualties": 2, "members": 1, "state": "pinned"},
    }
    gone = play("building-assault", [13, 13, 13], units, unit="2nd Squad", target="Foe")
    assert changes(gone) == {"Foe": {"casualties": 3, "members": 0, "state": "combat-ineffective"}}


def test_the_first_line_tells_the_grenade_from_the_melee() -> None:
    """One of two falls to the grenade, the other in melee: 10 + 4 for numbers against 9 - 6."""
    played = assault([13, 5, 14, 15, 4])
    assert (
        played.resolution.headline
        == "grenade takes out 1, attacker wins, attacker loses 0, defender loses 1"
    )
    assert tuple(line.text() for line in played.lines)[1:3] == (
        "Attackers: Melee 10 + 4 superior numbers = 14",
        "Defenders: Melee 9 − 6 suppressed = 3",
    )
    assert assault([13, 20]).resolution.headline == "grenade takes out 2, cleared"


def test_odds_of_an_assault_match_a_count_by_hand() -> None:
    """One occupant: cleared on 13 or more; else 10 + 4 twice against 3."""
    given = {"attackers": 2, "attacker_skill": 10, "defenders": 1, "defender_skill": 9}
    counted = odds("ucn", "building-assault", given)
    assert counted["cleared"] == Fraction(8, 20)
    neither = Fraction(6, 20) ** 2 * Fraction(17, 20)
    assert counted["no-damage"] == Fraction(12, 20) * neither


@pytest.mark.parametrize(
    "path", ["outcome", "defender_casualties", "attacker_successes", "defenders_left"]
)
def test_odds_of_an_assault_are_those_of_every_face(path: str) -> None:
    given = {"attackers": 2, "attacker_skill": 10, "defenders": 2, "defender_skill": 9}
    counted = odds("ucn", "building-assault", given, path)
    assert {str(value): chance for value, chance in counted.items()} == every_face(
        "building-assault", given, path
    )


def test_natural_twenties_lose_the_remaining_ap() -> None:
    """In melee, in a building assault and when reacting, as with every other skill roll."""
    fight = {"attackers": 2, "attacker_skill": 10, "defenders": 2, "defender_skill": 9}
    lines = play_example("ucn", "melee", fight, [20, 20, 5, 20]).lines
    assert lines[-2].result.endswith(
        "0 of 2 at 14 or less, 2 natural 20s: each loses the remaining AP"
    )
    assert lines[-1].result.endswith("1 of 2 at 9 or less, natural 20: loses the remaining AP")
    assault = play_example(
        "ucn", "building-assault", {**fight, "grenade": False}, [20, 5, 5, 5]
    ).lines
    assert "natural 20: loses the remaining AP" in assault[-2].result
    react = play_example("ucn", "react", {"morale": 12, "count": 2}, [20, 3]).lines
    assert "natural 20: loses the remaining AP" in react[-1].result
    assert "natural 20" not in play_example("ucn", "react", {"morale": 12}, [19]).lines[-1].result
