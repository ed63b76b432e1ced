"""Ordnance against infantry, PAC 04 and 06."""

from fractions import Fraction
from typing import Any

import icepool

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def shoot(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one shot at to-hit 7 with HE 3."""
    return play_example("lnlt", "ordnance-infantry", {"to_hit": 7, "he": 3, **given}, dice).out


def test_a_hit_and_its_damage_check() -> None:
    """3 + 4 hits at 7; 4 + 3 against 2 is 5 higher; 1d6 of 3 + 5 is over morale 5."""
    assert shoot([3, 4, 4, 2, 3], targets="squad morale=5") == {
        "to_hit_roll": 7,
        "to_hit_mod": 0,
        "to_hit_total": 7,
        "hit": True,
        "attack_total": 7,
        "defense_total": 2,
        "damage": True,
        "dc_mod": 5,
        "targets": [
            {
                "unit": "squad",
                "roll": 3,
                "dc_total": 8,
                "result": "shaken",
                "becomes": "shaken",
                "hero": False,
            }
        ],
        "atgm_expended": False,
        "fire_check": "none",
        "outcome": "shaken",
    }


def test_a_miss_rolls_nothing_more_and_does_not_burn() -> None:
    """The fire check needs a hit."""
    out = shoot([6, 6], targets="squad morale=5", flammable=True)
    assert (out["hit"], out["damage"], out["attack_total"], out["fire_check"]) == (
        False,
        False,
        "none",
        "none",
    )
    assert (out["targets"], out["outcome"], out["dc_mod"]) == ([], "none", 0)


def test_heat_in_the_open_has_one_less_and_in_a_building_not() -> None:
    """2 + 3 - 1 against 4 is a tie; with cover it is 1 higher."""
    assert shoot([1, 1, 2, 4], heat=True, targets="squad morale=5")["damage"] is False
    assert shoot([1, 1, 2, 4, 2], heat=True, cover=True, targets="squad morale=5")["dc_mod"] == 1


def test_terrain_counts_to_hit_only_and_is_doubled_for_a_lone_sniper() -> None:
    """+2 for one sniper, +1 for two men."""
    assert shoot([4, 4], tm=1, targets="sniper morale=6")["to_hit_mod"] == 2
    assert shoot([4, 4], tm=1, targets="sniper morale=6; squad morale=5")["to_hit_mod"] == 1
    assert shoot([4, 4], tm=9, targets="sniper morale=6")["to_hit_mod"] == 8


def test_the_leader_helps_and_a_hero_may_appear_and_the_hex_burns_last() -> None:
    """Attack 6: fire check after the hero die; the leader's 2 + 4 holds, the squad's 1 + 4 - 1
    too.
    """
    targets = "leader morale=6 lm=1; squad morale=5"
    out = shoot([2, 2, 6, 5, 2, 1, 6, 5], targets=targets, flammable=True)
    assert [(target["dc_total"], target["hero"]) for target in out["targets"]] == [
        (6, False),
        (4, True),
    ]
    assert out["fire_check"] == "fire"


def test_an_atgm_is_expended_by_its_colored_die_and_a_disrupted_one_misses() -> None:
    """The dice are rolled all the same."""
    out = shoot([1, 1], atgm_depletion=2, mods="disrupted")
    assert (out["hit"], out["atgm_expended"]) == (False, True)


def test_without_targets_damage_asks_for_a_damage_check() -> None:
    """The players check for themselves."""
    assert shoot([1, 2, 6, 1])["outcome"] == "damage-check"
    assert shoot([1, 2, 1, 6])["outcome"] == "none"


def test_refusals() -> None:
    """Vehicles have a sequence of their own."""
    with refuses("wrong-type unarmored-vehicle"):
        shoot([], targets="unarmored-vehicle morale=4")
    with refuses("passenger passenger"):
        shoot([], targets="squad morale=4 inside")
    with refuses("bad-value degrading"):
        shoot([], degrading=3)
    with refuses("missing he"):
        play_example("lnlt", "ordnance-infantry", {"to_hit": 7}, [])


def test_a_shaken_gun_does_not_fire() -> None:
    """Shaken units fire no weapons."""
    units = roster(unit("Gun", "weapon-team", state="shaken"))
    with refuses("unit-unfit Gun"):
        play_example("lnlt", "ordnance-infantry", {"to_hit": 7, "he": 3, "unit": "Gun"}, [], units)


def test_results_are_written_back() -> None:
    """The squad is shaken, the gun has fired."""
    units = roster(unit("VC 1", "squad", morale=5), unit("Gun", "weapon-team"))
    given = {"to_hit": 7, "he": 3, "targets": "VC 1", "unit": "Gun"}
    played = play_example("lnlt", "ordnance-infantry", given, [3, 4, 4, 2, 3], units)
    changes = {change.unit: change for change in played.resolution.changes}
    assert dict(changes["VC 1"].set) == {"state": "shaken"}
    assert changes["Gun"].mark == {"fired"}


def test_odds_match_a_count_by_hand() -> None:
    """To hit 7 is 21 of 36; 1d6 against 1d6 is higher in 15 of 36; morale 1 then never holds."""
    chances = odds("lnlt", "ordnance-infantry", {"to_hit": 7, "he": 0, "targets": "squad morale=1"})
    assert 1 - chances["none"] == Fraction(21, 36) * Fraction(15, 36)


def test_odds_agree_with_icepool() -> None:
    """HE 3, a hero of morale 5."""

    def result(hit: int, attack: int, defense: int, check: int) -> str:
        difference = attack + 3 - defense
        if hit > 7 or difference <= 0:
            return "none"
        total = check + difference
        return "none" if total <= 5 else "wounded" if total < 15 else "eliminated"

    second = icepool.map(result, 2 @ icepool.d6, icepool.d6, icepool.d6, icepool.d6)
    chances = odds("lnlt", "ordnance-infantry", {"to_hit": 7, "he": 3, "targets": "hero morale=5"})
    assert chances == {
        word: second.probability(word) for word in second.outcomes() if second.probability(word)
    }
