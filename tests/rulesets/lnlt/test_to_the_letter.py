"""Sentences of the cards that are easily forgotten: each as an example of play."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Play
from bot.rulesets.catalog import find_shared_system
from tests.examples import odds, play_example
from tests.playing import Channel
from tests.rulesets.lnlt.rosters import roster, unit


def then(played: Play) -> str:
    """All that players must do next, and the small print."""
    return "\n".join((*played.resolution.next_steps, *played.resolution.notes))


def change_of(played: Play, name: str) -> dict[str, Any]:
    """What an answer makes of one roster unit, all its changes together."""
    found: dict[str, Any] = {"set": {}, "mark": set(), "unmark": set()}
    for change in played.resolution.changes:
        if change.unit == name:
            found["set"] |= change.set
            found["mark"] |= change.mark
            found["unmark"] |= change.unmark
    return found


# Spotting, PAC 11 (10.1)


async def test_a_spotter_who_succeeds_fires_at_once_without_ops_complete() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start lnlt "T" sides="A, B"', "game join A", "unit add Sp squad A fp=3 sw=5"
    )
    await channel.do("Anna", "lnlt spot unit=Sp terrain=degrading hand=2")
    assert (await channel.game()).units["sp"].marks == {"ops-complete", "spotter"}
    reply = await channel.do("Anna", 'lnlt fire attackers=Sp targets="squad morale=5" hand=3,2,4')
    assert "1 Ops Complete" not in reply.format_text()
    assert "+ 8 firepower" in reply.format_text(), "its weapon is not halved"
    assert "Ops Complete comes off" in reply.format_text()
    assert (await channel.game()).units["sp"].marks == {"fired"}


async def test_ops_complete_counts_where_the_spotter_does_not_fire_at_once() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start lnlt "T" sides="A, B"', "game join A", "unit add Sp squad A fp=3 sw=5"
    )
    await channel.do("Anna", "lnlt spot unit=Sp terrain=degrading hand=2")
    for item in ("Sp -spotter", "Sp spotter=no"):
        reply = await channel.do(
            "Anna", f'lnlt fire attackers="{item}" targets="squad morale=5" hand=1,6'
        )
        assert "1 Ops Complete" in reply.format_text()
        assert "+ 6 firepower" in reply.format_text(), "half of 5 rounds up to 3"
        assert "comes off" not in reply.format_text()


async def test_the_turn_takes_the_spotters_marker_off() -> None:
    phases = find_shared_system("lnlt").game["phases"]
    assert all(
        "spotter" in phase["clears"] for phase in phases if "ops-complete" in phase["clears"]
    )


def test_a_spotter_who_fails_is_ops_complete() -> None:
    played = play_example(
        "lnlt", "spot", {"terrain": "degrading", "unit": "Sp"}, [5], roster(unit("Sp", "squad"))
    )
    assert change_of(played, "Sp")["mark"] == {"ops-complete"}


# Wounds, hatches, damaged helicopters: PAC 02


def test_a_wounded_leader_has_less_range_too() -> None:
    units = roster(unit("Minh", "leader", morale=5, lm=1, lr=2))
    played = play_example("lnlt", "damage-check", {"targets": "Minh", "dc_mod": 7}, [3], units)
    assert change_of(played, "Minh")["set"] == {
        "state": "shaken-wounded",
        "morale": 4,
        "lm": 0,
        "lr": 1,
    }
    assert played.resolution.state_changes == (
        "Minh is wounded (morale 4) and shaken, and must stop",
    )
    assert "1 less" not in then(played), "the roster has it"
    played = play_example(
        "lnlt", "damage-check", {"targets": "leader morale=5 lm=1", "dc_mod": 7}, [3]
    )
    assert "leader: morale, leadership and leadership range are 1 less." in then(played)


def test_what_a_shaken_vehicle_and_a_damaged_helicopter_must_do() -> None:
    tank = play_example(
        "lnlt", "damage-check", {"targets": "armored-vehicle morale=4", "dc_mod": 2}, [3]
    )
    assert "armored-vehicle buttons up, moves at half its MF" in then(tank)
    chopper = play_example(
        "lnlt", "damage-check", {"targets": "helicopter morale=4", "dc_mod": 2}, [3]
    )
    assert "helicopter leaves the board at once" in then(chopper)
    mines = play_example("lnlt", "mines", {}, [2])
    assert "buttons up" in then(mines)
    shot = play_example(
        "lnlt",
        "ordnance-vehicle",
        {"to_hit": 8, "penetration": 5, "armor": 5, "morale": 12},
        [2, 3, 4, 4, 1, 1],
    )
    assert "The target buttons up" in then(shot)


# Helicopters have no target modifier: PAC 05, 06


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("barrage", {"weapon": "artillery", "fp": 3, "tm": 3}),
        ("crash", {"tm": 3, "stage": "attack"}),
        ("fire-mission", {"fp": 3, "stage": "attack"}),
    ],
)
def test_a_helicopter_has_no_target_modifier(id: str, given: dict[str, Any]) -> None:
    where = " hex=A dist=0 tm=3" if id == "fire-mission" else ""
    targets = f"helicopter morale=4 av=1{where}; squad morale=12; squad morale=12 inside"
    if id == "fire-mission":
        targets = f"helicopter morale=4 av=1{where}; squad morale=12 inside; squad morale=12"
    chances = odds(
        "lnlt",
        id,
        {**given, "targets": targets},
        "attacks[0].targets[0].hit" if where else "targets[0].hit",
    )
    fp = 6 if id == "crash" else 3
    hits = sum(attack + fp > defense + 1 for attack in range(1, 7) for defense in range(1, 7))
    assert chances.get("true", 0) == Fraction(hits, 36)


# Who leads, who picks: PAC 12


def test_a_leader_without_firepower_does_not_lead_the_fire() -> None:
    given = {"attackers": "leader; squad fp=3; squad fp=3", "targets": "squad morale=5"}
    assert play_example("lnlt", "fire", given, [1, 6]).out["attack_fp"] == 5
    given = {"attackers": "leader fp=1; squad fp=3", "targets": "squad morale=5"}
    assert play_example("lnlt", "fire", given, [1, 6]).out["attack_fp"] == 3, (
        "one who has firepower may lead"
    )


@pytest.mark.parametrize("kind", ["sniper", "marksman"])
def test_a_sniper_without_the_option_is_reminded(kind: str) -> None:
    given = {"attackers": f"{kind} fp=1", "targets": "squad morale=5"}
    assert f"with shooter={kind} they roll 2d6" in then(play_example("lnlt", "fire", given, [1, 6]))
    assert "2d6" not in then(play_example("lnlt", "fire", {**given, "shooter": kind}, [1, 1, 6]))


def test_why_a_closed_tank_is_not_checked() -> None:
    given = {"attackers": "squad fp=8", "targets": "armored-vehicle morale=4"}
    assert "armored-vehicle is armored and closed" in then(
        play_example("lnlt", "fire", given, [6, 1])
    )
    opened = {**given, "targets": "armored-vehicle morale=4 open"}
    assert "closed" not in then(play_example("lnlt", "fire", opened, [6, 1, 1]))


def test_small_arms_range_against_a_helicopter() -> None:
    given = {"attackers": "squad fp=1", "targets": "helicopter morale=4"}
    assert "half as far against helicopters" in then(play_example("lnlt", "fire", given, [1, 6]))


def test_the_first_line_of_a_shot_names_both() -> None:
    units = roster(unit("M48", "armored-vehicle"), unit("T-55", "armored-vehicle", morale=5))
    given = {"to_hit": 8, "penetration": 9, "armor": 5, "unit": "M48", "target": "T-55"}
    assert (
        play_example("lnlt", "ordnance-vehicle", given, [2, 3, 5, 1, 6], units).resolution.headline
        == "M48 at T-55: destroyed"
    )
    given = {"to_hit": 8, "penetration": 9, "armor": 5, "morale": 5}
    assert (
        play_example("lnlt", "ordnance-vehicle", given, [6, 6]).resolution.headline
        == "the target: miss"
    )


# Fire: PAC 12 (10.5.6), any attack on a flammable hex


FIRES: list[tuple[str, dict[str, Any], list[int]]] = [
    ("overrun", {"he": 1, "targets": "squad morale=12"}, [6, 1, 1, 3]),
    ("overrun", {"he": 1}, [6, 6]),
    ("air-support", {"value": 1, "targets": "squad morale=12"}, [6, 1, 1, 3]),
    ("air-support", {"value": 1, "targets": "armored-vehicle morale=6 av=9"}, [6, 5, 1, 1]),
    (
        "air-support",
        {"value": 1, "targets": "squad morale=12; armored-vehicle morale=6 av=9"},
        [2, 6, 6, 5, 1, 1],
    ),
    ("crash", {"stage": "attack", "targets": "squad morale=12", "tm": 1}, [6, 1, 1, 3]),
    ("ordnance-vehicle", {"to_hit": 8, "penetration": 3, "armor": 5, "morale": 6}, [2, 3, 6, 2, 2]),
    (
        "ordnance-vehicle",
        {"to_hit": 8, "penetration": 1, "armor": 5, "morale": 12, "passengers": "squad morale=5"},
        [2, 3, 6, 5, 1, 1],
    ),
]


@pytest.mark.parametrize(
    ("id", "given", "dice"), FIRES, ids=[f"{id}-{at}" for at, (id, _, _) in enumerate(FIRES)]
)
def test_a_six_may_set_the_hex_on_fire(id: str, given: dict[str, Any], dice: list[int]) -> None:
    plain = play_example("lnlt", id, given, dice)
    assert "fire_check" not in plain.out, "without flammable all is as before"
    for die, word in ((4, "no-fire"), (5, "fire")):
        burning = play_example("lnlt", id, {**given, "flammable": True}, [*dice, die])
        assert burning.out["fire_check"] == word
        assert {
            key: value for key, value in burning.out.items() if key != "fire_check"
        } == plain.out
        assert ("place Fire 1" in then(burning)) == (word == "fire")
    chances = odds("lnlt", id, {**given, "flammable": True}, "fire_check")
    assert chances["no-fire"] == 2 * chances["fire"]


def test_each_hex_of_a_fire_mission_may_burn_by_itself() -> None:
    targets = "squad morale=12 hex=A dist=0 flammable; squad morale=12 hex=B dist=1"
    given = {"fp": 1, "stage": "attack", "targets": targets}
    played = play_example("lnlt", "fire-mission", given, [6, 6, 3, 6, 6, 6, 3])
    first, second = played.out["attacks"]
    assert first["fire_check"] == "fire"
    assert "fire_check" not in second
    assert "A fire starts in hex A: place Fire 1." in then(played)
    chances = odds("lnlt", "fire-mission", given, "attacks[0].fire_check")
    assert chances == {"none": Fraction(5, 6), "no-fire": Fraction(1, 9), "fire": Fraction(1, 18)}


# Melee, passengers, acquisition, captured weapons, crash modifiers


def test_a_nation_whose_shaken_fight_on_in_melee() -> None:
    given = {"attackers": "squad fp=2", "defenders": "squad fp=2 shaken"}
    assert play_example("lnlt", "melee", given, []).out["defenders_eliminated"] is True
    played = play_example("lnlt", "melee", {**given, "shaken_fight": True}, [3, 4, 4, 4])
    assert (played.out["attack_odds"], played.out["counter_odds"]) == ("1-1", "1-1")
    assert played.out["outcome"] == "attackers"


def test_infantry_that_is_not_destroyed_is_acquired() -> None:
    given = {"to_hit": 9, "he": 8, "targets": "half-squad morale=1"}
    assert "acquired" in then(play_example("lnlt", "ordnance-infantry", given, [6, 6]))
    gone = play_example("lnlt", "ordnance-infantry", {**given, "no_hero": True}, [1, 2, 6, 1, 6])
    assert gone.out["targets"][0]["becomes"] == "eliminated"
    assert "acquired" not in then(gone)


def test_a_captured_weapon_whose_first_attack_does_nothing_is_removed() -> None:
    units = roster(
        unit("A", "squad", fp=1, sw=(3,), morale=5, marks=("captured",)),
        unit("T", "armored-vehicle"),
    )
    missed = play_example(
        "lnlt", "fire", {"attackers": "A", "targets": "squad morale=5"}, [1, 6], units
    )
    assert change_of(missed, "A") == {
        "set": {"sw": None},
        "mark": {"fired"},
        "unmark": {"captured"},
    }
    assert "A's captured weapon did nothing: remove it" in then(missed)
    hit = play_example(
        "lnlt", "fire", {"attackers": "A", "targets": "squad morale=5"}, [6, 1, 1, 3], units
    )
    assert change_of(hit, "A") == {"set": {}, "mark": {"fired"}, "unmark": {"captured"}}, (
        "it is kept for good"
    )
    close = play_example("lnlt", "close-assault", {"attackers": "A", "av": 9}, [1, 1, 1, 6], units)
    assert change_of(close, "A")["set"] == {"sw": None}
    gun = {"to_hit": 8, "he": 3, "mods": "captured"}
    assert "captured weapon did nothing" in then(
        play_example("lnlt", "ordnance-infantry", gun, [6, 6])
    )
    assert "captured" not in then(play_example("lnlt", "ordnance-infantry", gun, [1, 2, 1, 1]))


def test_a_crash_counts_target_modifiers_against_leg_units() -> None:
    given = {"stage": "attack", "targets": "squad morale=12; armored-vehicle morale=6", "tm": 4}
    still = play_example("lnlt", "crash", given, [1, 6])
    assert [target["attack_total"] for target in still.out["targets"]] == [7, 7]
    moving = play_example("lnlt", "crash", {**given, "mods": "target_moved"}, [1, 6])
    assert [target["attack_total"] for target in moving.out["targets"]] == [8, 7]
    with pytest.raises(UserError):
        play_example("lnlt", "crash", {**given, "mods": "target_moved=2"}, [1, 6])


def test_a_medics_work_is_done_by_hand_and_said_in_the_rally_phase() -> None:
    rally = next(
        phase for phase in find_shared_system("lnlt").game["phases"] if phase["name"] == "rally"
    )
    assert any("medic" in line and "/unit edit NAME -wounded" in line for line in rally["remember"])
