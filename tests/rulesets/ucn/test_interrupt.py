"""Interrupts and the reaction to them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.ucn.plainly import every_face
from tests.rulesets.ucn.rosters import changes, roster, unit


def interrupt(shooters: str, dice: list[int], units: Any = None, **given: object) -> Any:
    return play_example("ucn", "interrupt", {"shooters": shooters, **given}, dice, units)


def test_character_by_character() -> None:
    """Moving target: 16 to spot, 7 to hit. The first does not spot, the second hits, the third
    is not saved from.
    """
    dice = [17, 3, 3, 8, 1, 1, 5, 1, 20]
    played = interrupt(
        "bolt-action-rifle n=2; smg", dice, spot_skill=12, skill=11, target_moving=True
    )
    assert played.out == {
        "shooters": [
            {
                "weapon": "bolt-action-rifle",
                "spot_final": 16,
                "spot_roll": 17,
                "spotted": False,
                "final_skill": 7,
                "roll": None,
                "hit": False,
                "saved": None,
                "damage": [],
            },
            {
                "weapon": "bolt-action-rifle",
                "spot_final": 16,
                "spot_roll": 3,
                "spotted": True,
                "final_skill": 7,
                "roll": 3,
                "hit": True,
                "saved": None,
                "damage": [{"roll": 8, "total": 8, "status": "pinned"}],
            },
            {
                "weapon": "smg",
                "spot_final": 16,
                "spot_roll": 1,
                "spotted": True,
                "final_skill": 7,
                "roll": 1,
                "hit": True,
                "saved": False,
                "damage": [
                    {"roll": 1, "total": 1, "status": "hesitant"},
                    {"roll": 20, "total": 20, "status": "combat-ineffective"},
                ],
            },
        ],
        "hits": 2,
        "saved": 0,
        "casualties": 1,
        "status": "combat-ineffective",
        "morale_loss": 2,
    }


def test_conditions_of_spotting_and_of_shooting_are_apart() -> None:
    """Concealed counts for the Spot roll only, cover for the attack only, a vehicle for the Spot
    roll only.
    """
    out = interrupt(
        "lmg spot=15 mod=2",
        [12, 4, 1, 2, 3],
        spot_skill=12,
        skill=11,
        target_concealed=True,
        target_in_cover=True,
        target_vehicle=True,
        mod=-1,
    ).out
    assert (out["shooters"][0]["spot_final"], out["shooters"][0]["final_skill"]) == (
        15 - 6 + 4 - 1,
        11 - 6 - 1 + 2,
    )
    assert (out["status"], out["hits"]) == ("hesitant", 1)


def test_spotted_automatically() -> None:
    out = interrupt("smg", [5, 2], skill=11, auto_spotted=True).out
    shooter = out["shooters"][0]
    assert (shooter["spot_final"], shooter["spot_roll"], shooter["spotted"]) == (None, None, True)
    assert (shooter["roll"], shooter["saved"], shooter["damage"]) == (5, True, [])
    assert (out["hits"], out["saved"], out["status"]) == (1, 1, "none")


@pytest.mark.parametrize("reason", ["activated", "marked"])
def test_who_may_not_interrupt(reason: str) -> None:
    played = interrupt("lmg", [], spot_skill=12, skill=11, **{reason: True})
    assert played.out == {
        "shooters": [],
        "hits": 0,
        "saved": 0,
        "casualties": 0,
        "status": "not-allowed",
        "morale_loss": 0,
    }
    assert reason in played.resolution.headline.replace("marker", "marked")
    given = {"shooters": "lmg", "spot_skill": 12, "skill": 11, reason: True}
    assert odds("ucn", "interrupt", given) == {"not-allowed": 1}


def test_what_is_missing() -> None:
    with refuses("missing spot_skill"):
        interrupt("lmg", [], skill=11)
    with refuses("missing skill"):
        interrupt("lmg", [], spot_skill=11)
    with refuses("card-refuses attacker_higher"):
        interrupt("lmg", [], spot_skill=11, skill=11, attacker_higher=True, attacker_lower=True)


SQUAD = unit("2nd Squad", weapon="bolt-action-rifle", firearms=11, spot=12)


def test_the_interrupting_element_has_activated() -> None:
    played = interrupt(
        "2nd Squad", [12, 11, 13], roster(SQUAD, unit("Foe", members=3)), target="Foe"
    )
    assert changes(played) == {
        "Foe": {"state": "pinned", "members": 2, "casualties": 1},
        "2nd Squad": {"mark": {"activated"}},
    }
    named = interrupt("lmg", [20], roster(SQUAD), unit="2nd Squad")
    assert named.out["shooters"][0]["final_skill"] == 11
    assert changes(named) == {"2nd Squad": {"mark": {"activated"}}}


def test_the_roster_knows_who_has_activated_and_who_is_marked() -> None:
    tired = unit("2nd Squad", weapon="lmg", firearms=11, spot=12, marks=("activated",))
    played = interrupt("2nd Squad", [], roster(tired))
    assert (played.out["status"], changes(played)) == ("not-allowed", {})
    shaken = unit("2nd Squad", weapon="lmg", firearms=11, spot=12, suppression_markers=1)
    assert interrupt("2nd Squad", [], roster(shaken)).out["status"] == "not-allowed"
    assert interrupt("2nd Squad", [20], roster(shaken), marked=False).out["status"] == "none"


def test_odds_match_a_count_by_hand() -> None:
    """12 of 20 spot, 11 of 20 hit, 8 of 20 a casualty."""
    counted = odds("ucn", "interrupt", {"shooters": "battle-rifle", "spot_skill": 12, "skill": 11})
    hit = Fraction(12, 20) * Fraction(11, 20)
    assert counted["combat-ineffective"] == hit * Fraction(8, 20)
    assert counted["none"] == 1 - hit


@pytest.mark.parametrize(
    "path",
    [
        "status",
        "casualties",
        "hits",
        "saved",
        "shooters[0].spot_roll",
        "shooters[1].damage[0].status",
    ],
)
def test_odds_are_those_of_every_face(path: str) -> None:
    given = {
        "shooters": "smg; pistol spot=5; sniper-rifle skill=20",
        "spot_skill": 12,
        "skill": 11,
        "mod": 2,
    }
    counted = odds("ucn", "interrupt", given, path)
    assert {str(value): chance for value, chance in counted.items()} == every_face(
        "interrupt", given, path
    )


# -- react ------------------------------------------------------------------------------------------------------------


def react(dice: list[int], units: Any = None, **given: object) -> Any:
    return play_example("ucn", "react", given, dice, units)


def test_each_character_reacts_for_himself() -> None:
    out = react([12, 13, 1, 20], morale=12, count=4).out
    assert out == {
        "results": ["act", "suppressed", "act", "suppressed"],
        "passed": 2,
        "suppressed": 2,
    }
    assert react([20], morale=30).out["results"] == ["suppressed"]
    assert react([1], morale=1).out["results"] == ["act"]


def test_a_roster_element_reacts_with_what_is_left_of_it() -> None:
    """Morale 12 less two casualties is 8; what is typed has its casualties taken off already."""
    squad = unit("2nd Squad", morale=12, members=2, casualties=2, suppression_markers=1)
    played = react([8, 9], roster(squad), unit="2nd Squad")
    assert played.out["results"] == ["act", "suppressed"]
    assert changes(played) == {"2nd Squad": {"suppression_markers": 2, "mark": {"moving"}}}
    assert react([12], roster(squad), unit="2nd Squad", morale=12, count=1).out["results"] == [
        "act"
    ]
    with refuses("nobody unit"):
        react([], roster(unit("Gone", morale=9, members=0)), unit="Gone")
    with refuses("missing morale"):
        react([])


def test_odds_of_a_reaction_match_a_count_by_hand() -> None:
    assert odds("ucn", "react", {"morale": 12, "count": 20}) == {
        "act": Fraction(12, 20),
        "suppressed": Fraction(8, 20),
    }
    both = odds("ucn", "react", {"morale": 12, "count": 3}, "results[0]", "results[2]", "passed")
    assert both["act|act|2"] == Fraction(12 * 12 * 8, 20**3)
    assert odds("ucn", "react", {"morale": 25, "count": 2}, "suppressed")["2"] == Fraction(1, 400)
