"""What a result keeps on the roster beside a state, and every other feature: odds, seals, undo, a
restart, a proof.

`KEPT` is read from the games: each number that a phase takes off, and each that an option is lent
by; a new one fails here until `CASES` says how it comes about. `half`, `in` and several units at
once are there too. Left out: the numbers of a reduced side as they are typed (tests/scenarios).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from bot.app import App
from bot.game.roster import describe_unit
from bot.rulesets.catalog import load_shared_systems
from bot.ui.spec import Command, Place
from bot.verification.check_games import audit_games
from tests.fresh import fresh_app
from tests.playing import Channel
from tests.random_play import exported_text
from tests.seams.undo_helpers import PLACE, assert_verified, linked


@dataclass(frozen=True, slots=True)
class Case:
    """A game, its units of sides A and B, what is typed, its dice, and what the first unit bears
    after it.
    """

    system: str
    units: tuple[str, ...]
    command: str
    hand: str
    bears: str


CASES = {
    "lnlt acquired": Case(
        "lnlt",
        (
            "Gun armored-vehicle A penetration=5",
            "Prey armored-vehicle B morale=5 armor=9 turret_armor=9",
        ),
        "ordnance-vehicle unit=Gun target=Prey to_hit=6",
        "6,6",
        "acquired=Prey acquisition=1",
    ),
    "ucn spent": Case(
        "ucn",
        ("Red element A firearms=12 members=1 weapon=smg ap=3", "Blue element B morale=14"),
        "shoot shooters=Red target=Blue",
        "19",
        "spent=1",
    ),
    "ucn more_ap": Case(
        "ucn",
        (
            "Red element A firearms=12 members=1 weapon=smg ap=3 more_ap=2",
            "Blue element B morale=14",
        ),
        "shoot shooters=Red target=Blue extra_ap=1",
        "19",
        "more_ap=1",
    ),
    "ucn without_ap": Case(
        "ucn",
        ("Red element A firearms=12 members=2 weapon=smg ap=3", "Blue element B morale=14"),
        "shoot shooters=Red target=Blue",
        "20",
        "without_ap=1",
    ),
    "ucn idle_arms": Case(
        "ucn",
        (
            "Red element A firearms=12 members=2 loadout=automatic-rifle,smg ap=3",
            "Blue element B morale=14",
        ),
        "shoot shooters=Red target=Blue",
        "20,19",
        "idle_arms=automatic-rifle",
    ),
    "baps points": Case(
        "baps", ("Rock leader A lr=2", "Kim leader B"), "leader-points unit=Rock", "3", "points=5"
    ),
    "baps out-of-control": Case(
        "baps",
        ("Puma vehicle A vehicle_type=wheeled", "Kim leader B"),
        "crash unit=Puma",
        "3",
        "out-of-control",
    ),
    "nhis fired": Case(
        "nhis",
        ("Guns squad A morale=5 fp=1 range=6", "Cell squad B morale=5 fp=1 range=6"),
        "fire attackers=Guns targets=Cell distance=3 terrain=trees",
        "6,6",
        "fired",
    ),
    "nhis fired of several": Case(
        "nhis",
        ('"Guns 1..2" squad A morale=5 fp=1 range=6', "Cell squad B morale=5 fp=1 range=6"),
        'fire attackers="Guns 1..2" targets=Cell distance=3 terrain=trees',
        "6,6",
        "fired",
    ),
    "baps points of several": Case(
        "baps",
        ('"Rock 1..2" leader A lr=2', "Kim leader B"),
        'leader-points unit="Rock 1..2"',
        "3,4",
        "points=5",
    ),
    "lnlt half": Case(
        "lnlt",
        ("Cell squad B morale=5 fp=2 half=1/4", "Guns squad A fp=4 morale=5"),
        "fire attackers=Guns targets=Cell adjacent",
        "3,2,4",
        "half-squad fp=1 morale=4 shaken",
    ),
    "lnlt in": Case(
        "lnlt",
        (
            "Cell squad B morale=5 in=M113",
            "M113 unarmored-vehicle B morale=5",
            "Gun armored-vehicle A penetration=9",
        ),
        "ordnance-vehicle unit=Gun target=M113 to_hit=11 armor=1 turret_armor=1",
        "3,3,6,1,6,5",
        "eliminated",
    ),
}


def kept() -> set[str]:
    """The numbers of units that a phase takes off, or that an option is lent by, as `ucn spent`."""
    found = set()
    for name, system in load_shared_systems().items():
        numbers = system.game["units"]["attributes"]
        phases = system.game.get("phases") or ()
        found |= {
            f"{name} {word}"
            for phase in phases
            for word in phase.get("clears") or ()
            if word in numbers
        }
        options = [option for sequence in system.sequences.values() for option in sequence.inputs]
        found |= {f"{name} acquired" for option in options if "acquired" in (option.lends or {})}
    return found


def test_all_that_is_kept_is_tried() -> None:
    assert kept() <= CASES.keys()


async def ready(case: Case) -> Channel:
    """A game with the units, Anna's A and Bob's B."""
    channel = await Channel.fresh(place=PLACE)
    await channel.do("Anna", f'game start {case.system} Farm sides="A, B"', "game join A")
    await channel.do("Bob", "game join B")
    await channel.do("Anna", *(f"unit add {unit}" for unit in case.units))
    return channel


async def first(channel: Channel) -> str:
    """The first unit in words."""
    return describe_unit(next(iter((await channel.game()).units.values())))


async def rows(channel: Channel) -> list[dict[str, Any]]:
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return [row.data for row in await channel.app.store.load_events(loaded.row)]


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", CASES)
async def test_what_is_kept_meets_every_feature(name: str) -> None:
    case = CASES[name]
    channel = await ready(case)
    line, before = f"{case.system} {case.command}", await first(channel)
    assert case.bears not in before

    await channel.do("Anna", f"{line} odds")  # odds change nothing
    assert await first(channel) == before
    await linked(channel)  # typed dice, in another place of the game
    there = Channel(channel.app, Place("discord:55/901", "discord:55"), "other")
    await there.do("Anna", f"{line} hand={case.hand}")
    after = await first(channel)
    assert case.bears in after

    asked = await channel.say("Anna", "game undo")
    assert not (await channel.press("Bob", asked.buttons[0].action)).error
    assert await first(channel) == before
    asked = await channel.say("Anna", "game redo")
    assert not (await channel.press("Bob", asked.buttons[0].action)).error
    assert await first(channel) == after

    again = Channel(App(channel.app.store), PLACE, "restarted")  # from the events alone
    assert await first(again) == after
    await assert_verified(channel)
    assert await audit_games(channel.app.store) == (1, [])

    home = Channel(await fresh_app(), PLACE)
    file = await exported_text(channel)
    command = Command(("game", "import"), {"file": file}, home.who("Anna"), PLACE, "import")
    assert not (await home.app.run(command)).error
    assert await first(home) == after
    await assert_verified(home)


@pytest.mark.parametrize("name", CASES)
async def test_a_sealed_result_keeps_nothing_before_it_is_opened(name: str) -> None:
    case = CASES[name]
    channel = await ready(case)
    before = await first(channel)
    await channel.do("Anna", f"{case.system} {case.command} secret hand={case.hand}")
    assert await first(channel) == before
    sealed = min((await channel.game()).sealed)
    await channel.do("Anna", f"game reveal {sealed}")
    assert (await rows(channel))[-1]["kind"] == "reveal"
    await assert_verified(channel)
    assert await audit_games(channel.app.store) == (1, [])
