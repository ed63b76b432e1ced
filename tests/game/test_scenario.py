"""Scenarios: a game with sides and units in one command, and files with a fault that say where
it is.
"""

from __future__ import annotations

import pytest
import yaml

from bot.game.roster_file import build_scenario, find_scenario
from bot.rules.errors import TableError
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from tests.playing import Channel

GOOD = """
title: A Bridge
sides: [US, VC]
units:
  - {name: "Rifle 1..2", type: squad, side: US, morale: 5, fp: 2, reduced: {morale: 4, fp: 1}}
  - {name: Minh, type: leader, side: VC, morale: 5, lm: 1}
"""


async def test_a_scenario_is_ready_to_play_with_one_command() -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", "game start lnlt scenario=ford")
    assert reply.title == 'Anna starts "The Ford at Dawn"'
    assert [button.label for button in reply.buttons][:2] == ["Join US", "Join VC"]
    assert "US: 7 units, VC: 6 units" in reply.format_text()
    game = await channel.game()
    assert game.sides == ("US", "VC")
    assert len(game.units) == 13
    await channel.do("Anna", "game join US")
    await channel.do(
        "Bob", "game join VC", 'lnlt fire attackers="Local 1" targets="Rifle 1" hand="6,1,6"'
    )
    unit = (await channel.game()).units["rifle 1"]
    assert (unit.type, unit.numbers["fp"]) == ("half-squad", 1)


async def test_a_name_may_be_its_own_but_sides_and_units_come_from_the_scenario() -> None:
    channel = await Channel.fresh()
    await channel.refused(
        "Anna", "game start lnlt scenario=ford sides='A, B'", "not-together sides"
    )
    await channel.refused("Anna", "game start lnlt scenario=ferd", "bad-value ferd")
    await channel.refused("Anna", "game start nhis scenario=ford", "bad-value scenario")
    await channel.refused("Anna", "game start", "missing system")
    assert (
        await channel.do("Anna", "game start lnlt Monday scenario=ford")
    ).title == 'Anna starts "Monday"'


def test_every_scenario_that_comes_with_the_bot_loads() -> None:
    for game in load_shared_systems().values():
        for id in game.scenarios:
            assert find_scenario(game, id).units


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (("type: leader", "type: lieder"), "line 6, column"),
        (("morale: 5, lm", "courage: 5, lm"), "courage"),
        (("side: VC", "side: NVA"), '"NVA" is not one of its sides'),
        (("Minh", "Rifle 2"), "Rifle 2"),
        (("sides: [US, VC]", "sides: US"), "sides"),
        (("title:", "tilte:"), '"tilte" is not known'),
        (
            ("sides: [", "turns: six\nsides: ["),
            'turns: must be a whole number from 1 to 200, not "six"',
        ),
        (("sides: [", "turns: 0\nsides: ["), "turns: must be a whole number from 1 to 200, not 0"),
        (("sides: [", f"wins: {'x' * 201}\nsides: ["), "wins: must be a text of at most 200"),
    ],
)
def test_a_faulty_scenario_says_where(fault: tuple[str, str], said: str) -> None:
    assert (
        build_scenario(find_shared_system("lnlt"), "bridge", yaml.safe_load(GOOD), GOOD)
        .units["rifle 2"]
        .back
        is not None
    )
    text = GOOD.replace(*fault)
    with pytest.raises(TableError, match=said) as raised:
        build_scenario(find_shared_system("lnlt"), "bridge", yaml.safe_load(text), text)
    assert "lnlt/scenarios/bridge.yaml" in str(raised.value)


async def test_vehicles_bring_their_own_numbers() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start lnlt Tanks",
        'unit add T-54 armored-vehicle stats="morale=5 av=5 armor=6 turret_armor=7 he=4 mg=3 penetration=6"',
        'unit add M48 armored-vehicle stats="morale=5 armor=7 he=4 mg=5 penetration=7"',
    )
    shot = await channel.do(
        "Anna", 'lnlt ordnance-vehicle to_hit=8 target=T-54 unit=M48 hand="3,2,6,1,4"'
    )
    lines = [line for line in shot.format_body() if line.startswith(("Penetration", "Armor"))]
    assert [line.split(",")[0] for line in lines] == [
        "Penetration: [6] + 7 = 13",
        "Armor: [1] + 6 = 7",
    ]
    overrun = await channel.do(
        "Anna", 'lnlt overrun unit=M48 targets="squad morale=5" hand="6,1,6"'
    )
    assert "4 HE" in overrun.format_text()


async def playing(game: str, scenario: str) -> Channel:
    """A channel in which Anna plays the first side of a scenario and Bob the second."""
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {game} scenario={scenario}")
    first, second = (await channel.game()).sides
    await channel.do("Anna", f"game join {first}")
    await channel.do("Bob", f"game join {second}")
    return channel


async def test_a_turn_on_the_sandbar() -> None:
    """No Honor in Surrender: Marines fire at the charge; a squad that loses a step turns over
    with its firepower.
    """
    channel = await playing("nhis", "sandbar")
    await channel.do("Anna", "game next")
    shot = 'nhis fire attackers="Rifle Squad 1; MG Section" targets="Assault Squad 1" distance=4 terrain=open-ground'
    reply = await channel.do("Anna", f"{shot} hand=1,4")
    assert reply.title.startswith("Assault Squad 1 is reduced")
    squad = (await channel.game()).units["assault squad 1"]
    assert (squad.turned, squad.numbers["fp"]) == (True, 2)
    await channel.do("Anna", "game pass")
    await channel.do(
        "Bob",
        'nhis fire attackers="Nambu Section" targets="Rifle Squad 1" distance=6 terrain=brush',
    )
    await channel.do("Anna", "game next")
    assert (await channel.game()).turn == 2


async def test_a_turn_at_the_canal() -> None:
    """Advanced Squad Leader: the PIAT breaks down, a squad breaks in the smoke, and the Pak is
    taken from its crew, which the group allows.
    """
    channel = await playing("asl", "canal")
    await channel.do("Anna", "asl malfunction weapon=sw unit=PIAT hand=5,6", "game next")
    await channel.do(
        "Anna", "asl wp-morale target=personnel tem=none unit='Grenadier 1' hand=6,6", "game next"
    )
    await channel.do(
        "Bob",
        'asl recover unit="Grenadier 2" weapon=Pak phase=friendly-mph anyway=yes hand=1',
    )
    units = (await channel.game()).units
    assert [units[name].state for name in ("piat", "grenadier 1")] == ["malfunctioned", "broken"]
    assert (units["grenadier 2"].numbers.get("holds"), units["gun crew"].numbers.get("holds")) == (
        "Pak",
        None,
    )


async def test_a_turn_on_the_farm_lane() -> None:
    """Beer and Pretzels Skirmish: points, random orders, fire of all GIs and a morale check, to
    the next turn.
    """
    channel = await playing("baps", "farm")
    await channel.do(
        "Anna", 'baps leader-points unit="Sgt Cole"', 'baps random-order unit="GI 1..5"'
    )
    await channel.do(
        "Anna", 'baps fire attackers="GI 1..5; BAR" targets="Grenadier 1..3" range=20 cover=medium'
    )
    reply = await channel.do("Bob", "baps morale-check unit=Brandt event=mg-attack")
    assert reply.title.startswith("Brandt")
    await channel.do("Anna", *["game next"] * 9)
    game = await channel.game()
    assert (game.turn, len(game.units)) == (2, 17)


async def test_a_round_on_the_causeway() -> None:
    """Ultracombat Normandy: a squad spots and fires the weapons of all but the one who lost
    their AP by a natural 20; the MG Nest answers with one of its own.
    """
    channel = await playing("ucn", "causeway")
    spotted = await channel.do("Anna", 'ucn spot unit="1st Squad" hand=20,1,2,3,4,5,6,7')
    assert "of 8 at 12 or less" in spotted.format_text()
    await channel.do("Anna", 'ucn shoot shooters="1st Squad" target="Gruppe 1"')
    assert await weapons_of(channel) == [*["battle-rifle"] * 5, "automatic-rifle", "smg"]
    await channel.do("Bob", 'ucn shoot shooters="MG Nest weapon=mmg" target="2nd Squad"')
    assert await weapons_of(channel) == ["mmg"]
    await channel.do("Anna", "game next")


async def weapons_of(channel: Channel) -> list[str]:
    """What was fired last, character by character."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    event = (await channel.app.store.load_events(loaded.row, newest_first=True))[0].data
    return [shooter["weapon"] for shooter in event["out"]["shooters"]]
