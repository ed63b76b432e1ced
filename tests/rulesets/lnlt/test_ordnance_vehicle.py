"""Ordnance against vehicles and aircraft, PAC 04, 06 and 09."""

from fractions import Fraction
from typing import Any

import icepool
import pytest

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit

SHOT = {"to_hit": 8, "penetration": 6, "armor": 5, "morale": 6}


def shoot(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one shot."""
    return play_example("lnlt", "ordnance-vehicle", {**SHOT, **given}, dice).out


def test_a_hit_that_penetrates_destroys_and_the_crew_rolls() -> None:
    """3 + 4 + 1 degrading is 8: hit; an odd 7 strikes the hull; 5 + 6 against 3 + 5; crew 1
    survives.
    """
    assert shoot([3, 4, 5, 3, 1], degrading=1, turret_armor=9) == {
        "to_hit_roll": 7,
        "to_hit_mod": 1,
        "to_hit_total": 8,
        "hit": True,
        "location": "hull",
        "attack_total": 11,
        "armor_total": 8,
        "impact": "greater",
        "mc_total": "none",
        "mc": "none",
        "result": "destroyed",
        "crew": "survives",
        "passengers": [],
        "acquire": False,
        "atgm_expended": False,
        "follow_up": "none",
        "outcome": "destroyed",
    }


def test_a_miss_tells_nothing_of_the_impact_and_acquires() -> None:
    """9 is over 8; the rider outside stays where he is."""
    out = shoot([4, 5], passengers="squad morale=5 outside")
    assert (out["hit"], out["impact"], out["location"], out["attack_total"]) == (
        False,
        "miss",
        "none",
        "none",
    )
    assert (out["result"], out["acquire"], out["passengers"], out["outcome"]) == (
        "none",
        True,
        [],
        "none",
    )


def test_a_natural_2_always_hits_the_hull_and_a_natural_12_always_misses() -> None:
    """Whatever the modifiers."""
    out = shoot([1, 1, 1, 6], degrading=2, night="unlit", to_hit=2, turret_armor=3)
    assert (out["hit"], out["location"], out["impact"]) == (True, "hull", "dud")
    assert shoot([6, 6], adjacent=True, to_hit=12)["hit"] is False


def test_an_even_roll_hits_the_turret_if_there_is_one() -> None:
    """6 against 2 on armor 9: 12 to 11."""
    out = shoot([2, 4, 6, 2, 6], turret_armor=9)
    assert (out["location"], out["armor_total"], out["result"], out["crew"]) == (
        "turret",
        11,
        "destroyed",
        "eliminated",
    )
    assert shoot([2, 4, 1, 2, 6, 6])["location"] == "hull"


def test_equal_totals_shake_who_passes_and_drive_out_who_fails() -> None:
    """2 + 6 against 3 + 5; 2d6 of 6 passes, 7 fails."""
    passed, failed = shoot([3, 4, 2, 3, 3, 3]), shoot([3, 4, 2, 3, 3, 4])
    assert (passed["impact"], passed["mc"], passed["mc_total"], passed["result"]) == (
        "equal",
        "pass",
        6,
        "shaken",
    )
    assert (failed["mc"], failed["result"], failed["crew"]) == ("fail", "abandoned", "shaken-moved")


def test_a_shaken_vehicle_shaken_again_is_abandoned() -> None:
    """The pass at equal totals shakes; so does the failure at less."""
    assert shoot([3, 4, 2, 3, 3, 3], shaken=True)["result"] == "abandoned"
    out = shoot([3, 4, 1, 3, 6, 4], shaken=True)
    assert (out["impact"], out["mc_total"], out["outcome"], out["crew"]) == (
        "less",
        9,
        "abandoned",
        "shaken-moved",
    )


def test_less_by_three_makes_the_check_three_easier() -> None:
    """1 + 6 against 5 + 5: 10 - 7 is taken off the 2d6."""
    out = shoot([3, 4, 1, 5, 4, 5])
    assert (out["attack_total"], out["armor_total"], out["mc_total"], out["mc"], out["result"]) == (
        7,
        10,
        6,
        "pass",
        "none",
    )


def test_heat_against_red_armor_has_four_less() -> None:
    """6 + 2 against 1 + 5 would be greater; 6 against 1 is catastrophic all the same."""
    out = shoot([3, 4, 6, 1, 2], heat_red=True, armor=20)
    assert (out["attack_total"], out["impact"], out["result"]) == (8, "catastrophic", "destroyed")
    assert shoot([3, 4, 5, 2, 1, 1], heat_red=True)["impact"] == "equal"


def test_the_colored_die_depletes_an_atgm_hit_or_miss() -> None:
    """Below 3 it is expended."""
    assert shoot([6, 2, 6, 1, 1], atgm_depletion=3)["atgm_expended"] is True
    assert shoot([6, 3], atgm_depletion=3)["atgm_expended"] is False
    assert shoot([1, 1], atgm_depletion=3, mods="disrupted") == {
        **shoot([6, 6]),
        "to_hit_roll": 2,
        "to_hit_total": 2,
        "atgm_expended": True,
    }


def test_aircraft_take_no_terrain_and_crash() -> None:
    """A flying helicopter: +2, guided weapons only; destroyed without a crew die, its passengers
    wait.
    """
    given = {
        "aircraft": "flying",
        "tm": 3,
        "mods": "guided_aa",
        "passengers": "squad morale=5 inside",
    }
    out = shoot([3, 3, 6, 2], **given)
    assert (out["to_hit_mod"], out["result"], out["crew"], out["follow_up"]) == (
        2,
        "destroyed",
        "none",
        "crash",
    )
    assert out["passengers"] == []
    damaged = shoot([3, 3, 2, 3, 3, 4], **given)
    assert (damaged["impact"], damaged["result"], damaged["mc"]) == ("equal", "damaged", "none")
    assert (damaged["passengers"][0]["mc"], damaged["passengers"][0]["becomes"]) == (
        "fail",
        "shaken",
    )
    with refuses("bad-targets guided"):
        shoot([], aircraft="flying")
    assert shoot([3, 4, 1, 6], aircraft="hovering")["impact"] == "dud"


def test_passengers_after_each_result() -> None:
    """A dud: outside dismounts and checks, inside nothing. Destroyed: both bail out, odd is
    lost, even is shaken.
    """
    riders = "squad morale=5 inside; hero morale=7 outside"
    out = shoot([3, 4, 1, 6, 4, 4], passengers=riders)
    assert (out["impact"], out["result"]) == ("dud", "none")
    squad, hero = out["passengers"]
    assert (squad["mc"], squad["becomes"], squad["disembarks"]) == ("none", "good-order", False)
    assert (hero["mc"], hero["mc_total"], hero["becomes"], hero["disembarks"]) == (
        "fail",
        8,
        "good-order",
        True,
    )
    out = shoot([3, 4, 6, 2, 6, 3, 4], passengers=riders)
    squad, hero = out["passengers"]
    assert (squad["bailout"], squad["becomes"], squad["disembarks"]) == (
        "eliminated",
        "eliminated",
        False,
    )
    assert (hero["bailout"], hero["becomes"], hero["disembarks"]) == ("shaken", "good-order", True)


def test_a_shaken_vehicle_makes_the_passengers_inside_check() -> None:
    """Without disembarking; abandoned, they get out."""
    out = shoot([3, 4, 2, 3, 3, 3, 6, 1], passengers="leader morale=6 wounded inside")
    (leader,) = out["passengers"]
    assert (leader["mc"], leader["becomes"], leader["disembarks"]) == (
        "fail",
        "shaken-wounded",
        False,
    )
    out = shoot([3, 4, 2, 3, 3, 4, 1, 1], passengers="squad morale=5 inside")
    assert (out["passengers"][0]["mc"], out["passengers"][0]["disembarks"]) == ("pass", True)


def test_the_roster_brings_the_morale_and_takes_the_result() -> None:
    """The tank is shaken twice: abandoned; the gun has fired."""
    units = roster(
        unit("T-55", "armored-vehicle", state="shaken", morale=6), unit("AT 1", "weapon-team")
    )
    given = {"to_hit": 8, "penetration": 6, "armor": 5, "target": "T-55", "unit": "AT 1"}
    played = play_example("lnlt", "ordnance-vehicle", given, [3, 4, 2, 3, 3, 3], units)
    assert played.out["result"] == "abandoned"
    changes = {change.unit: change for change in played.resolution.changes}
    assert dict(changes["T-55"].set) == {"state": "abandoned"}
    assert changes["AT 1"].mark == {"fired"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"to_hit": 13}, "bad-value to_hit"),
        ({"degrading": 3}, "bad-value degrading"),
        ({"passengers": "squad inside"}, "unit-needs morale"),
        ({"passengers": "helicopter morale=3 inside"}, "wrong-type passenger"),
        ({"mods": "opn"}, "unknown-modifier opn"),
        ({"target_moved": "faster"}, "bad-value target_moved"),
    ],
)
def test_bad_input_is_refused(given: dict[str, Any], words: str) -> None:
    """Before any die."""
    with refuses(words):
        shoot([], **given)


def test_odds_match_a_count_by_hand() -> None:
    """To hit 7: 21 of 36. 1d6 + 6 against 1d6 + 6 is greater in 15 of 36, less the natural 6:1
    counted there too.
    """
    given = {**SHOT, "to_hit": 7, "armor": 6}
    chances = odds("lnlt", "ordnance-vehicle", given)
    hit = Fraction(21, 36)
    equal = hit * Fraction(6, 36)
    assert chances["destroyed"] == hit * Fraction(15, 36)
    assert chances["abandoned"] == equal * Fraction(21, 36)


def test_odds_agree_with_icepool() -> None:
    """Turret and hull by the natural roll, the morale check eased by the difference."""

    def result(white: int, colored: int, attack: int, armor: int, check: int) -> str:
        natural = white + colored
        if natural == 12 or natural > 8:
            return "none"
        turret = natural > 2 and natural % 2 == 0
        difference = attack + 6 - armor - (8 if turret else 5)
        if (attack, armor) == (1, 6):
            return "none"
        if difference > 0 or (attack, armor) == (6, 1):
            return "destroyed"
        if difference == 0:
            return "shaken" if check <= 6 else "abandoned"
        return "none" if check + difference <= 6 else "shaken"

    second = icepool.map(result, icepool.d6, icepool.d6, icepool.d6, icepool.d6, 2 @ icepool.d6)
    chances = odds("lnlt", "ordnance-vehicle", {**SHOT, "turret_armor": 8})
    assert chances == {word: second.probability(word) for word in second.outcomes()}


def test_odds_of_a_passenger_follow_the_vehicle() -> None:
    """Destroyed and odd is lost; nothing else eliminates a rider."""
    given = {**SHOT, "passengers": "squad morale=5 inside"}
    lost = odds("lnlt", "ordnance-vehicle", given, "passengers[0].becomes")["eliminated"]
    assert lost == odds("lnlt", "ordnance-vehicle", given)["destroyed"] / 2
