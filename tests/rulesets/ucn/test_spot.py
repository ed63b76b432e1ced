"""Spotting and saves."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.ucn.plainly import every_face
from tests.rulesets.ucn.rosters import roster, unit


def test_one_success_spots() -> None:
    """Moving and concealed: 11 + 4 - 6 is 9."""
    given = {"skill": 11, "count": 3, "target_moving": True, "target_concealed": True}
    assert play_example("ucn", "spot", given, [10, 20, 9]).out == {
        "final_skill": 9,
        "rolls": [10, 20, 9],
        "successes": 1,
        "ap_lost": 1,
        "result": "spotted",
    }


def test_nobody_spots() -> None:
    out = play_example("ucn", "spot", {"skill": 11, "count": 2}, [12, 20]).out
    assert list(out) == ["final_skill", "rolls", "successes", "ap_lost", "result"], (
        "in the order of the card"
    )
    assert (out["successes"], out["ap_lost"], out["result"]) == (0, 1, "not-spotted")


def test_a_one_spots_and_a_twenty_does_not() -> None:
    hopeless = {"skill": 3, "target_hidden": True, "status": "go-firm", "mod": -2}
    assert play_example("ucn", "spot", hopeless, [1]).out["result"] == "spotted"
    assert play_example("ucn", "spot", hopeless, [1]).out["final_skill"] == 3 - 15 - 4 - 2
    certain = {"skill": 30, "extra_ap": 10}
    assert play_example("ucn", "spot", certain, [20]).out["result"] == "not-spotted"
    assert play_example("ucn", "spot", certain, [19]).out["final_skill"] == 70


def test_status_and_every_condition() -> None:
    given = {
        "skill": 10,
        "target_gone_firm": True,
        "target_fired_suppression": True,
        "target_vehicle": True,
        "attacker_moving": True,
        "attacker_lower": True,
        "extra_ap": 2,
        "status": "hesitant-morale",
    }
    assert (
        play_example("ucn", "spot", given, [4]).out["final_skill"] == 10 - 4 + 6 + 4 - 4 - 2 + 8 - 2
    )


def test_refusals() -> None:
    with refuses("card-refuses attacker_higher"):
        play_example(
            "ucn", "spot", {"skill": 9, "attacker_higher": True, "attacker_lower": True}, []
        )
    with refuses("bad-value status"):
        play_example("ucn", "spot", {"skill": 9, "status": "pinned"}, [])


def test_odds_of_spotting_match_a_count_by_hand() -> None:
    missed = Fraction(11, 20) ** 3
    counted = odds("ucn", "spot", {"skill": 9, "count": 3})
    assert counted == {"spotted": 1 - missed, "not-spotted": missed}
    assert odds("ucn", "spot", {"skill": 30, "count": 2})["not-spotted"] == Fraction(1, 400)


@pytest.mark.parametrize("path", ["result", "successes", "ap_lost", "rolls[1]"])
def test_odds_of_spotting_are_those_of_every_face(path: str) -> None:
    given = {"skill": 9, "count": 2}
    counted = odds("ucn", "spot", given, path)
    assert {str(value): chance for value, chance in counted.items()} == every_face(
        "spot", given, path
    )


def test_twenty_spotters_are_counted() -> None:
    counted = odds("ucn", "spot", {"skill": 9, "count": 20}, "rolls[19]", "result")
    assert counted["9|spotted"] == Fraction(1, 20)


# -- save -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weapon", ["pistol", "smg", "rifle-grenade-launcher", "grenade", "blast"])
def test_one_and_two_save(weapon: str) -> None:
    out = play_example("ucn", "save", {"weapon": weapon, "count": 4}, [1, 2, 3, 20]).out
    assert out == {"results": ["saved", "saved", "not-saved", "not-saved"], "saved": 2}


def test_a_single_character() -> None:
    played = play_example("ucn", "save", {"weapon": "blast"}, [3])
    assert played.out == {"results": ["not-saved"], "saved": 0}
    assert played.resolution.headline == "not saved"


def test_no_save_from_other_weapons() -> None:
    with refuses("bad-value weapon"):
        play_example("ucn", "save", {"weapon": "lmg"}, [])


def test_odds_of_a_save() -> None:
    assert odds("ucn", "save", {"weapon": "smg", "count": 20}) == {
        "saved": Fraction(1, 10),
        "not-saved": Fraction(9, 10),
    }
    assert odds("ucn", "save", {"weapon": "smg", "count": 3}, "saved")["3"] == Fraction(1, 1000)
    both = odds("ucn", "save", {"weapon": "smg", "count": 3}, "results[0]", "results[2]", "saved")
    assert both["saved|not-saved|1"] == Fraction(1 * 9 * 9, 1000)


def test_a_roster_element_brings_its_spot_skill_and_its_members() -> None:
    squad = roster(unit("Alpha", spot=11, members=3))
    played = play_example("ucn", "spot", {"unit": "Alpha"}, [12, 11, 20], squad)
    assert (played.out["final_skill"], played.out["rolls"], played.out["result"]) == (
        11,
        [12, 11, 20],
        "spotted",
    )
    assert played.resolution.headline == "Alpha: spotted, 1 of 3 succeed"
    assert (
        play_example("ucn", "spot", {"unit": "Alpha", "skill": 5, "count": 1}, [6], squad).out[
            "final_skill"
        ]
        == 5
    )


def test_nobody_is_left_to_spot() -> None:
    with refuses("nobody Alpha"):
        play_example(
            "ucn", "spot", {"unit": "Alpha"}, [11], roster(unit("Alpha", spot=11, members=0))
        )
