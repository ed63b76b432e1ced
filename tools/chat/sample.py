"""A whole game of The Ford at Dawn, from the first join to the revealed seed. It is shown in
docs/sample-report.html.

Two simple players play it on the app itself. Each decides by what the roster holds at that moment,
so the game goes on whatever the dice are, and it is played under today's rules. Seed, ids and clock
come from one number: it is the same game each time, until a rule or an answer changes.
"""

from __future__ import annotations

import asyncio
import json
from functools import lru_cache
from random import Random
from typing import Any
from unittest.mock import patch

from bot.app import App
from bot.game.state import Game
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.system import is_lost
from bot.storage.sqlite import TemporaryStore
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place

NUMBER = "delta"
"""The number behind all chance."""
BEGINS, STEP = 1_795_896_000.0, 55.0
"""The time of the first line, and the seconds from one line to the next."""
PLACE = Place("discord:1/2", "discord:1", "#ford-at-dawn")
PLAYERS = {"US": "Anna", "VC": "Ben"}
IDS = {"Anna": "101", "Ben": "102"}
FIRERS = ("squad", "half-squad", "weapon-team")
SHAKEN = ("shaken", "shaken-wounded")
SHOTS = 3
"""Shots of each side in a turn, at most."""
LAST_TURN = 4
CLOSE = 2
"""The turn from which the sides are in adjacent hexes."""


@lru_cache(None)
def play_sample() -> dict[str, Any]:
    """Play the game and return its export."""
    with patch("os.urandom", Random(NUMBER).randbytes):
        return asyncio.run(_play())


async def _play() -> dict[str, Any]:
    table = _Table()
    await table.open()
    try:
        await table.say("Anna", "/game start lnlt scenario=ford")
        await table.say("Anna", "/game join US")
        await table.say("Ben", "/game join VC")
        await table.say("Anna", '/fair add "lucky socks"')
        await table.say("Ben", '/fair add "rice and rain"')
        for turn in range(1, LAST_TURN + 1):
            await _play_turn(table, turn)
        return await _end(table)
    finally:
        await table.close()


class _Table:
    """One channel of an app in memory, whose clock moves on with each line."""

    def __init__(self) -> None:
        self.lines = 0

    async def open(self) -> None:
        """Start the app."""
        self.app = App(await TemporaryStore.make(self.read_clock), self.read_clock)

    async def close(self) -> None:
        """Stop the app and its helpers."""
        executor = self.app.executor
        for helper in (executor.worker, executor.checker, executor.pack_checker):
            await helper.close()
        await self.app.store.close()

    def read_clock(self) -> float:
        """Return the time of the current line."""
        return BEGINS + self.lines * STEP

    async def say(self, name: str, line: str) -> Reply:
        """Return the answer to a line. Raises ValueError if it is refused."""
        self.lines += 1
        person = Person(f"discord:{IDS[name]}", name)
        reply = await self.app.run_text(line, person, PLACE, str(self.lines))
        if reply.error:
            raise ValueError(f"{line}: {reply.format_text()}")
        return reply

    async def load_game(self) -> Game:
        """Return the game of the channel."""
        loaded = await self.app.games.load_current(PLACE.key)
        assert loaded is not None
        return loaded.game


async def _play_turn(table: _Table, turn: int) -> None:
    """Play the three phases of a turn."""
    await _advance_to(table, "rally")
    await table.say("Anna", "/game initiative")
    for side in PLAYERS:
        await _rally(table, side)
    await _advance_to(table, "operations")
    await _play_operations(table, turn)
    await _advance_to(table, "administrative")


async def _advance_to(table: _Table, phase: str) -> None:
    """Go on to a phase. The player of the side to play does it."""
    game = await table.load_game()
    while game.phase != phase:
        side = game.go[0] if game.go else "US"
        await table.say(PLAYERS[side], "/game next")
        game = await table.load_game()


async def _rally(table: _Table, side: str) -> None:
    """Try to rally the shaken units of a side, the leader first."""
    units = _list_units(await table.load_game(), side)
    units.sort(key=lambda unit: unit.type != "leader")
    for unit in units:
        has_leader = any(
            leader.type == "leader" and leader.state not in SHAKEN
            for leader in _list_units(await table.load_game(), side)
        )
        if unit.state not in SHAKEN or not (has_leader or unit.type == "leader"):
            continue
        with_leader = " rallier=leader" if has_leader else ""
        await table.say(PLAYERS[side], f"/lnlt rally units={unit.handle}{with_leader} cover")


async def _play_operations(table: _Table, turn: int) -> None:
    """Let the sides fire by turns, the one with the initiative first."""
    for shot in range(SHOTS):
        for _ in PLAYERS:
            game = await table.load_game()
            side = game.go[0]
            line = _choose_shot(game, side, turn, shot)
            if line:
                await table.say(PLAYERS[side], line)
            await table.say(PLAYERS[side], "/game pass done" if line else "/game pass")
            if (await table.load_game()).phase != "operations":
                return


def _list_units(game: Game, side: str) -> list[RosterUnit]:
    """Return the units of a side that are in the fight, in the order of their handles."""
    units = [unit for unit in game.units.values() if unit.side == side]
    units.sort(key=lambda unit: int(unit.handle.lstrip("uscv")))
    system = find_shared_system(game.system)
    return [unit for unit in units if not is_lost(unit, system)]


def _choose_shot(game: Game, side: str, turn: int, shot: int) -> str:
    """Return the line of a side's next shot, or "" if it has nobody to fire.

    Two units fire together, with the leader the first time. The targets are two neighbours of the
    other side, other ones with each shot.
    """
    ready = [
        unit
        for unit in _list_units(game, side)
        if unit.type in FIRERS and unit.state not in SHAKEN and "fired" not in unit.marks
    ]
    enemies = [
        unit
        for unit in _list_units(game, "VC" if side == "US" else "US")
        if unit.type in (*FIRERS, "leader")
    ]
    if not ready or not enemies:
        return ""
    firers = [unit.handle for unit in ready[:2]]
    leaders = [
        unit.handle
        for unit in _list_units(game, side)
        if unit.type == "leader" and unit.state not in SHAKEN and "fired" not in unit.marks
    ]
    if shot == 0:
        firers += leaders[:1]
    index = (turn + shot) % len(enemies)
    targets = [unit.handle for unit in (enemies + enemies[:1])[index : index + 2]]
    targets = list(dict.fromkeys(targets))
    terrain = "" if shot == 2 else " tm=1"
    adjacent = " adjacent" if turn >= CLOSE else ""
    firers_text, targets_text = "; ".join(firers), "; ".join(targets)
    return f'/lnlt fire attackers="{firers_text}" targets="{targets_text}"{terrain}{adjacent}'


async def _end(table: _Table) -> dict[str, Any]:
    """End the game for the side that has lost less, reveal the seed and return the export."""
    game = await table.load_game()
    left = {side: len(_list_units(game, side)) for side in PLAYERS}
    total = {side: sum(unit.side == side for unit in game.units.values()) for side in PLAYERS}
    winner = min(PLAYERS, key=lambda side: total[side] - left[side])
    loser = "VC" if winner == "US" else "US"
    text = f"The {loser} pulls out. The {winner} holds the ford."
    await table.say("Anna", f'/game end winner={winner} text="{text}" confirm')
    await table.say("Anna", "/fair reveal")
    export = await table.say("Anna", "/game export")
    exported: dict[str, Any] = json.loads(export.files[0].data)
    return exported
