"""Air support, PAC 05 and 06."""

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def attack(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one run with value 6."""
    return play_example("lnlt", "air-support", {"value": 6, **given}, dice).out


def test_leg_units_first_then_each_vehicle() -> None:
    """2 + 6 against 3 + 1; the tank 4 + 6 against 1 + 5 is destroyed, its crew lost; the truck 1
    against 6 is a dud.
    """
    targets = "armored-vehicle morale=6 av=5; squad morale=5; unarmored-vehicle morale=4"
    out = attack([2, 3, 2, 4, 1, 2, 1, 6], targets=targets, tm=1)
    assert (out["attack_roll"], out["attack_total"], out["defense_total"], out["dc_mod"]) == (
        2,
        8,
        4,
        4,
    )
    assert [target["result"] for target in out["targets"]] == ["shaken"]
    tank, truck = out["vehicles"]
    assert tank == {
        "unit": "armored-vehicle",
        "attack_total": 10,
        "armor_total": 6,
        "impact": "greater",
        "mc_total": "none",
        "mc": "none",
        "result": "destroyed",
        "crew": "eliminated",
    }
    assert (truck["impact"], truck["result"], truck["crew"]) == ("dud", "none", "none")
    assert out["outcome"] == "shaken"


def test_vehicles_alone_take_no_attack_dice_and_no_terrain() -> None:
    """Equal totals: 2d6 of 7 over 6 abandons."""
    out = attack([3, 4, 3, 4], targets="armored-vehicle morale=6 av=5", tm=3)
    assert (out["attack_roll"], out["attack_total"], out["hit"], out["dc_mod"]) == (
        "none",
        "none",
        False,
        0,
    )
    assert (out["outcome"], out["vehicles"][0]["crew"]) == ("abandoned", "shaken-moved")


def test_a_shaken_tank_shaken_again_is_abandoned_and_a_helicopter_is_damaged() -> None:
    """Less by 2 eases the check by 2: 2d6 of 9 - 2 is over 6."""
    out = attack(
        [3, 6, 4, 5, 3, 5], targets="armored-vehicle morale=6 av=5 shaken; helicopter morale=5 av=4"
    )
    tank, bird = out["vehicles"]
    assert (tank["mc_total"], tank["mc"], tank["result"]) == (7, "fail", "abandoned")
    assert (bird["impact"], bird["result"], bird["crew"]) == ("equal", "damaged", "none")


def test_a_miss_of_the_leg_units_still_attacks_the_vehicles() -> None:
    """Walls do not count, other terrain up to 4 does."""
    out = attack(
        [1, 6, 6, 1, 1], value=3, targets="squad morale=5; armored-vehicle morale=6 av=20", tm=6
    )
    assert (out["hit"], out["targets"], out["outcome"], out["defense_total"]) == (
        False,
        [],
        "none",
        10,
    )
    assert (out["vehicles"][0]["impact"], out["vehicles"][0]["crew"]) == (
        "catastrophic",
        "survives",
    )
    assert (
        attack([1, 6, 1], targets="squad morale=9", tm=4, wall_or_hill=True, no_hero=True)["dc_mod"]
        == 1
    )


def test_modifiers_count_against_leg_units_only() -> None:
    """Target moved and a skill of 1."""
    out = attack(
        [1, 1, 5, 1, 1, 1],
        targets="squad morale=9; unarmored-vehicle morale=4",
        mods="target_moved",
        skill=1,
    )
    assert out["attack_total"] == 9
    assert out["vehicles"][0]["attack_total"] == 7


def test_passengers_are_left_to_bail_out_of_which_the_answer_reminds() -> None:
    """Penetration 4 + 6 against 1 + 5 destroys the tank with two aboard; its crew is lost on a
    2.
    """
    given = {
        "value": 6,
        "targets": "armored-vehicle morale=6 av=5; squad morale=5 inside; hero morale=7 outside",
    }
    played = play_example("lnlt", "air-support", given, [4, 1, 2])
    assert (played.out["targets"], played.out["outcome"]) == ([], "destroyed")
    assert played.resolution.next_steps == (
        "Run bail-out with cause=oft vehicle=destroyed for squad, hero, who ride on armored-vehicle.",
    )


def test_refusals() -> None:
    """Targets are needed; a passenger rides on something, and a vehicle is none."""
    with refuses("missing targets"):
        attack([])
    with refuses("passenger without a vehicle"):
        attack([], targets="squad morale=5 inside; armored-vehicle morale=6")
    with refuses("wrong-type passenger"):
        attack([], targets="armored-vehicle morale=6; unarmored-vehicle morale=5 inside")
    with refuses("unit-needs morale"):
        attack([], targets="armored-vehicle av=3")


def test_results_are_written_back() -> None:
    """Squad and tank."""
    units = roster(unit("VC 1", "squad", morale=5), unit("T-55", "armored-vehicle", morale=6, av=5))
    played = play_example(
        "lnlt", "air-support", {"value": 6, "targets": "VC 1; T-55"}, [2, 3, 2, 4, 1, 1], units
    )
    assert {change.unit: dict(change.set) for change in played.resolution.changes} == {
        "VC 1": {"state": "shaken"},
        "T-55": {"state": "destroyed"},
    }


def test_odds_of_a_vehicle_do_not_hang_on_the_leg_units() -> None:
    """1d6 + 6 against 1d6 + 6 is greater in 15 of 36."""
    alone = odds("lnlt", "air-support", {"value": 6, "targets": "armored-vehicle morale=6 av=6"})
    beside = {
        "value": 6,
        "targets": "squad morale=5; squad morale=5; armored-vehicle morale=6 av=6",
    }
    assert alone["destroyed"] == Fraction(15, 36)
    assert odds("lnlt", "air-support", beside, "vehicles[0].result") == alone
