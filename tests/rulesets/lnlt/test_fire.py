"""Direct fire, PAC 01-03, 05, 09 and 12."""

from fractions import Fraction
from typing import Any

import icepool
import pytest

from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import compute_each_odds
from tests.examples import odds, play_example
from tests.playing import Channel
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def fire(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one fire attack."""
    return play_example("lnlt", "fire", given, dice).out


def test_a_squad_and_its_weapon_shake_a_squad() -> None:
    """4 + 2 + 3 against 2 + 1 is 9 to 3; 1d6 of 2 + 6 is 8, over morale 5 and under 10."""
    assert fire([4, 2, 2], attackers="squad fp=2 sw=3", targets="squad morale=5", tm=1) == {
        "attack_fp": 5,
        "attack_roll": 4,
        "attack_mod": 0,
        "attack_total": 9,
        "defense_mod": 1,
        "defense_total": 3,
        "hit": True,
        "dc_mod": 6,
        "picked": "none",
        "targets": [
            {
                "unit": "squad",
                "roll": 2,
                "dc_total": 8,
                "result": "shaken",
                "becomes": "shaken",
                "hero": False,
            }
        ],
        "fire_check": "none",
        "outcome": "shaken",
    }


def test_a_tie_is_no_hit() -> None:
    """3 + 1 against 4: nothing happens, and no unit rolls."""
    out = fire([3, 4], attackers="squad fp=1", targets="squad morale=5; squad morale=4")
    assert (out["hit"], out["dc_mod"], out["targets"], out["outcome"]) == (False, 0, [], "none")


def test_further_units_add_half_and_weapons_count_in_full() -> None:
    """2 + 3, then half of 1 is 1, a hero's 1 is 1, a leader's weapon of 4 half: 2, two leaders'
    4 in full.
    """
    stack = "squad fp=2 sw=3; squad fp=1; hero fp=1; leader sw=4; leader sw=4 pair"
    assert fire([1, 6], attackers=stack)["attack_fp"] == 5 + 1 + 1 + 2 + 4


@pytest.mark.parametrize(
    ("attackers", "firepower"),
    [
        ("squad fp=3 sw=2,1", 3),
        ("squad fp=3 sw=2", 5),
        ("half-squad fp=1 sw=3", 3),
        ("crew sw=3", 3),
        ("squad fp=2 sw=3 ops", 2 + 2),
        ("leader sw=4 ops", 1),
        ("squad fp=0; squad fp=0", 0),
        ("squad fp=2; squad fp=3", 2 + 2),
        ("squad fp=2 motorcycle sw=2", 4),
        ("armored-vehicle fp=6", 6),
    ],
)
def test_firepower_of_a_stack(attackers: str, firepower: int) -> None:
    """PAC 09 and 12: who forfeits what."""
    assert fire([1, 6], attackers=attackers)["attack_fp"] == firepower


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"attackers": "squad fp=2 sw=1,1,1"}, "support-weapon at most 2"),
        ({"attackers": "squad fp=2 cavalry sw=1"}, "support-weapon horses"),
        ({"attackers": "squad fp=2 motorcycle sw=3"}, "support-weapon motorcycles"),
        ({"attackers": "medic sw=3"}, "support-weapon medic"),
        ({"attackers": "weapon-team fp=2 sw=3"}, "support-weapon weapon-team"),
        ({"attackers": "squad"}, "unit-needs fp"),
        ({"attackers": "leader lm=1; medic"}, "no-firepower leader and medic have no firepower"),
        ({"attackers": "squad fp=2 shaken"}, "unit-unfit squad"),
        ({"attackers": "squad fp=2", "targets": "squad"}, "unit-needs morale"),
        (
            {"attackers": "squad fp=2", "targets": "squad morale=5; armored-vehicle morale=5"},
            "bad-targets alone",
        ),
        (
            {"attackers": "squad fp=2", "targets": "armored-vehicle morale=5; squad morale=5"},
            "bad-targets alone",
        ),
        (
            {"attackers": "squad fp=2", "targets": "helicopter morale=5; helicopter morale=5"},
            "bad-targets one vehicle",
        ),
        (
            {"attackers": "squad fp=2", "targets": "squad morale=5 inside"},
            "passenger without a vehicle",
        ),
        ({"attackers": "squad fp=2", "targets": "squad morale=5 wounded"}, "wrong-type wounded"),
        ({"attackers": "squad fp=2", "targets": "aircraft morale=5"}, "wrong-type aircraft"),
        ({"attackers": "squad fp=2", "degrading": 3}, "bad-value degrading"),
        ({"attackers": ""}, "missing attackers"),
    ],
)
def test_what_the_card_forbids_is_refused_before_any_die(given: dict[str, Any], words: str) -> None:
    """Bad stacks, bad targets and a third degrading hex."""
    with refuses(words):
        fire([], **given)


def test_a_leader_who_comes_through_helps_those_after_him() -> None:
    """dc_mod 3: the leader's 3 + 3 is at his morale 6; the squad's 4 + 3 - 1 is 6, over 5:
    shaken.
    """
    out = fire([4, 2, 3, 4], attackers="squad fp=1", targets="leader morale=6 lm=1; squad morale=5")
    assert [(target["dc_total"], target["result"]) for target in out["targets"]] == [
        (6, "none"),
        (6, "shaken"),
    ]


def test_a_leader_who_is_shaken_helps_nobody() -> None:
    """The leader's 4 + 3 is over 6; the squad's 3 + 3 keeps its 6."""
    out = fire([4, 2, 4, 3], attackers="squad fp=1", targets="leader morale=6 lm=1; squad morale=5")
    assert [(target["dc_total"], target["result"]) for target in out["targets"]] == [
        (7, "shaken"),
        (6, "shaken"),
    ]


def test_a_natural_1_of_a_squad_rolls_for_a_hero_at_once() -> None:
    """The hero die of the first squad comes before the second squad's check; a leader's 1 brings
    none.
    """
    out = fire(
        [6, 1, 1, 4, 5, 1],
        attackers="squad fp=2",
        targets="squad morale=4; squad morale=4; leader morale=6",
    )
    assert [(target["roll"], target["hero"]) for target in out["targets"]] == [
        (1, True),
        (5, False),
        (1, False),
    ]


def test_no_hero_rolls_no_hero_die() -> None:
    """A nation without heroes."""
    out = fire([6, 1, 1], attackers="squad fp=2", targets="squad morale=4", no_hero=True)
    assert out["targets"][0]["hero"] is False


def test_a_sniper_picks_one_and_the_leader_beside_helps_him() -> None:
    """1d3 picks the squad; 2 + 3 + 1 against 3 is 3 higher; 4 + 3 less the unpicked leader's 1
    is 6.
    """
    targets = "leader morale=6 lm=1; squad morale=5; squad morale=5"
    out = fire([2, 2, 3, 3, 4], attackers="sniper fp=1", targets=targets, shooter="sniper")
    assert (out["picked"], out["attack_roll"], out["dc_mod"]) == (2, 5, 3)
    assert [(target["unit"], target["dc_total"]) for target in out["targets"]] == [("squad", 6)]
    assert out["outcome"] == "shaken"


def test_a_sniper_against_one_target_picks_without_a_die() -> None:
    """And a lone sniper's terrain is not doubled against him."""
    out = fire(
        [1, 1, 6], attackers="sniper fp=1", targets="sniper morale=6", shooter="sniper", tm=3
    )
    assert (out["picked"], out["defense_mod"]) == (1, 3)


@pytest.mark.parametrize(
    ("tm", "shooter", "defense"), [(3, "normal", 6), (6, "normal", 8), (6, "sniper", 4)]
)
def test_a_lone_sniper_doubles_his_terrain(tm: int, shooter: str, defense: int) -> None:
    """At most +4 before doubling, so +8; not against a sniper."""
    dice = [1, 6] if shooter == "normal" else [1, 1, 6]
    out = fire(dice, attackers="squad fp=1", targets="sniper morale=6", tm=tm, shooter=shooter)
    assert out["defense_mod"] == defense


def test_a_closed_armored_vehicle_is_not_checked_but_its_rider_is() -> None:
    """The tank's result is none without a die; the squad outside checks, is shaken and must
    disembark.
    """
    targets = "armored-vehicle av=2; squad morale=5 outside; squad morale=5 inside"
    out = fire([6, 2, 4], attackers="squad fp=2", targets=targets)
    assert out["defense_mod"] == 2
    assert out["targets"][0] == {
        "unit": "armored-vehicle",
        "roll": "none",
        "dc_total": "none",
        "result": "none",
        "becomes": "good-order",
        "hero": False,
        "crew": "none",
    }
    assert out["targets"][1] == {
        "unit": "squad",
        "roll": 4,
        "dc_total": 8,
        "result": "shaken",
        "hero": False,
        "bailout": "none",
        "mc": "none",
        "mc_total": "none",
        "disembarks": True,
        "becomes": "shaken",
    }
    assert (out["targets"][2]["roll"], out["targets"][2]["becomes"]) == ("none", "good-order")
    assert out["outcome"] == "none"


def test_a_destroyed_truck_its_crew_and_its_passengers() -> None:
    """Truck 4 + 4 is twice its morale: destroyed. Crew 1 survives. The squad's 1 + 4 passes,
    hero die, bail-out 2.
    """
    targets = "unarmored-vehicle morale=4; squad morale=5 inside; leader morale=3 inside"
    out = fire([6, 4, 4, 1, 1, 3, 2, 6], attackers="squad fp=2", targets=targets)
    truck, squad, leader = out["targets"]
    assert (truck["becomes"], truck["crew"]) == ("destroyed", "survives")
    assert (squad["dc_total"], squad["hero"], squad["bailout"], squad["becomes"]) == (
        5,
        False,
        "shaken",
        "shaken",
    )
    assert squad["disembarks"] is True
    assert (leader["result"], leader["becomes"], leader["bailout"]) == (
        "eliminated",
        "eliminated",
        "none",
    )


def test_a_passenger_made_a_half_squad_stays_one_after_the_bail_out() -> None:
    """8 + 2 is twice the squad's 5: casualties; the even die gets it out as a shaken half-squad."""
    targets = "unarmored-vehicle morale=4; squad morale=5 inside"
    out = fire([6, 1, 4, 5, 3, 2], attackers="squad fp=2", targets=targets)
    assert out["dc_mod"] == 7
    squad = out["targets"][1]
    assert (squad["result"], squad["bailout"], squad["becomes"]) == (
        "casualties",
        "shaken",
        "half-squad-shaken",
    )


def test_a_truck_shaken_again_is_abandoned_and_its_passengers_check_morale() -> None:
    """The truck's 3 + 3 is over 4 and under 8; shaken twice is abandoned, the crew is out; 2d6
    of 7 is over 5.
    """
    targets = "unarmored-vehicle morale=4 shaken; squad morale=5 inside"
    out = fire([3, 2, 3, 3, 4], attackers="squad fp=2", targets=targets)
    truck, squad = out["targets"]
    assert (truck["result"], truck["becomes"], truck["crew"]) == (
        "shaken",
        "abandoned",
        "shaken-moved",
    )
    assert (squad["mc"], squad["mc_total"], squad["disembarks"], squad["becomes"]) == (
        "fail",
        7,
        True,
        "shaken",
    )


def test_a_destroyed_helicopter_crashes_and_its_passengers_wait_for_that() -> None:
    """No terrain for helicopters; armor factor 1; no crew die, no passenger in the answer."""
    given = {
        "attackers": "squad fp=4",
        "targets": "helicopter morale=3 av=1; squad morale=5 inside",
        "tm": 3,
    }
    played = play_example("lnlt", "fire", given, [6, 2, 4])
    assert played.out["defense_mod"] == 1
    assert [target["becomes"] for target in played.out["targets"]] == ["destroyed"]
    assert any("crash" in line for line in played.resolution.next_steps)


def test_a_natural_6_in_a_flammable_hex_may_burn_even_after_a_miss() -> None:
    """The fire check comes last; 5 starts a fire."""
    out = fire([6, 6, 5], attackers="squad fp=0", targets="squad morale=5", flammable=True)
    assert (out["hit"], out["fire_check"]) == (False, "fire")
    out = fire([6, 1, 2, 4], attackers="squad fp=2", targets="squad morale=5", flammable=True)
    assert out["fire_check"] == "no-fire"
    assert fire([5, 6], attackers="squad fp=0", flammable=True)["fire_check"] == "none"


def test_without_targets_a_hit_asks_for_a_damage_check() -> None:
    """The players check for themselves."""
    assert fire([6, 1], attackers="squad fp=2")["outcome"] == "damage-check"


def test_results_are_written_back_to_the_roster() -> None:
    """A squad with casualties is a shaken half-squad, a wounded leader has 1 less morale and 1
    less LM.
    """
    units = roster(
        unit("1st Squad", "squad", fp=8),
        unit("Minh", "leader", morale=5, lm=1),
        unit("VC 1", "squad", morale=5),
    )
    given = {"attackers": "1st Squad", "targets": "Minh; VC 1"}
    played = play_example("lnlt", "fire", given, [5, 3, 2, 2], units)
    changes = {change.unit: change for change in played.resolution.changes}
    assert dict(changes["Minh"].set) == {"state": "shaken-wounded", "morale": 4, "lm": 0}
    assert dict(changes["VC 1"].set) == {"type": "half-squad", "state": "shaken"}
    assert changes["1st Squad"].mark == {"fired"}
    assert played.resolution.state_changes == (
        "Minh is wounded (morale 4) and shaken, and must stop",
        "VC 1 is a shaken half-squad (old numbers)",
    )
    assert played.resolution.notes == ()


def test_odds_against_one_squad_match_a_count_by_hand() -> None:
    """1d6 + 1 against 1d6: of 36 rolls 6, 5, 4, 3, 2, 1 give a difference of 1 to 6; morale 5
    and the die decide.
    """
    chances = odds("lnlt", "fire", {"attackers": "squad fp=1", "targets": "squad morale=5"})
    ways = {1: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1}
    shaken = sum(n * sum(5 < face + diff < 10 for face in range(1, 7)) for diff, n in ways.items())
    casualties = sum(
        n * sum(10 <= face + diff < 15 for face in range(1, 7)) for diff, n in ways.items()
    )
    assert chances["shaken"] == Fraction(shaken, 216)
    assert chances["casualties"] == Fraction(casualties, 216)
    assert chances["none"] == 1 - Fraction(shaken + casualties, 216)


def test_odds_of_the_third_target_agree_with_icepool() -> None:
    """A leader of morale 6, LM 1 before it: he helps exactly when his own check leaves him in
    good order.
    """

    def third(attack: int, defense: int, leader: int, squad: int) -> str:
        diff = attack + 5 - defense
        if diff <= 0:
            return "none"
        total = squad + diff - (1 if leader + diff <= 6 else 0)
        return ["none", "shaken", "casualties", "eliminated"][
            (total > 4) + (total >= 8) + (total >= 12)
        ]

    second = icepool.map(third, icepool.d6, icepool.d6, icepool.d6, icepool.d6)
    given = {
        "attackers": "squad fp=5",
        "targets": "leader morale=6 lm=1; squad morale=5; squad morale=4",
    }
    chances = odds("lnlt", "fire", given, "targets[2].result")
    assert chances == {word: second.probability(word) for word in second.outcomes()}


def test_odds_of_a_sniper_agree_with_icepool() -> None:
    """Two dice added, one of two picked."""

    def result(pick: int, attack: int, defense: int, check: int) -> str:
        diff = attack + 1 - defense
        if diff <= 0:
            return "none"
        morale, total = (4, check + diff) if pick == 1 else (6, check + diff)
        return ["none", "shaken", "casualties", "eliminated"][
            (total > morale) + (total >= 2 * morale) + (total >= 3 * morale)
        ]

    second = icepool.map(result, icepool.d(2), 2 @ icepool.d6, icepool.d6, icepool.d6)
    given = {
        "attackers": "sniper fp=1",
        "targets": "squad morale=4; squad morale=6",
        "shooter": "sniper",
    }
    assert odds("lnlt", "fire", given) == {
        word: second.probability(word) for word in second.outcomes()
    }


def test_odds_with_hero_crew_and_passengers_sum_to_1_for_each_output() -> None:
    """Each unit's follow-up dice are folded into its check."""
    given = {
        "attackers": "squad fp=4",
        "targets": "unarmored-vehicle morale=4; squad morale=5 inside",
        "flammable": True,
    }
    sequence = find_shared_system("lnlt").find_sequence("fire")
    paths = [
        "targets[0].crew",
        "targets[1].hero",
        "targets[1].bailout",
        "targets[1].becomes",
        "fire_check",
    ]
    for counted in compute_each_odds(sequence, given, paths).values():
        assert sum(counted.values()) == 1
    fires = compute_each_odds(sequence, given, ["fire_check"])["fire_check"]
    assert fires == {"none": Fraction(5, 6), "fire": Fraction(1, 18), "no-fire": Fraction(1, 9)}


def test_a_further_modifier_may_be_typed_as_an_option_of_its_own() -> None:
    """Thermal imaging sees through the smoke, written tis=yes or as a word of mods; twice is an
    error.
    """
    given = {"attackers": "squad fp=2", "smoke": True}
    assert fire([3, 3], **given)["attack_mod"] == -1
    assert fire([3, 3], **given, tis=True)["attack_mod"] == 0
    assert fire([3, 3], **given, mods="tis")["attack_mod"] == 0
    assert fire([3, 3], **given, tis=False, mods="mg_pivot")["attack_mod"] == -2
    with refuses("given-twice tis"):
        fire([3, 3], **given, tis=True, mods="tis")
    with refuses("unknown-modifier tis"):
        fire([3, 3], **given, tis=2)


@pytest.mark.parametrize(
    "line",
    [
        "fire attackers='squad fp=2'",
        "ordnance-infantry to_hit=9 he=3",
        "barrage weapon=mortar fp=2",
    ],
)
async def test_more_terrain_than_counts_is_remarked_on(line: str) -> None:
    """PAC 03: a target modifier is capped at 4; whoever typed 7 reads that."""
    channel = await Channel.fresh()
    less, more = [
        await channel.say("Anna", f"lnlt {line} targets='squad morale=5' tm={tm}") for tm in (4, 7)
    ]
    assert not more.error, more.format_text()
    assert ["capped at 4" in told.format_text() for told in (less, more)] == [False, True]
