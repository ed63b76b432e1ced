"""Random games: several persons type whatever can be typed, in all systems; afterwards log, chain,
dice, state and odds must agree."""

import asyncio
import logging
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any
from unittest.mock import patch

from bot.app import App
from bot.game.cups import is_cup
from bot.host.cli import Arguments
from bot.interface.registry import registry
from bot.interface.reply.packing import file_text
from bot.interface.reply.reply import Reply
from bot.interface.spec import Command, Person, Place
from bot.packs.linter import values_of
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.stores.sqlite import TemporaryStore
from bot.systems.catalog import PACKS, everywhere, system, systems
from bot.systems.deck_file import sides_named
from bot.systems.packs.pack import load_pack
from bot.systems.resolve import count_odds
from bot.systems.system import System
from bot.verification.check_games import audit_game

LINES = (
    "roll 2d6+1", "roll 4d6kh3 label=fate", "roll d20 secret", "roll 3dF", "roll d[hit,miss,miss]", "roll 2dA+d100",
    "roll 3x2d6", "roll 2d6! hand=3,4", "roll 5d10c>6", "roll 2d6 hand=1,6 secret", "roll 7", "again", "again",
    "game next", "game next", "game pass", "game pass done", "game initiative", "game plan 9 fog", "game plan remove=9",
    "game initiative US", "game initiative VC",
    "order write hold", "order write 'to H5' command='roll 2d6'", "order write", "order deadline 2d", "order open",
    "deck make 1..6 cup", 'deck make "Raid x2, Ambush" cup', "deck draw cup 2", "deck draw cup 4", "deck shuffle cup",
    "deck discard all cup", "deck return all cup", "deck discard all cup out", "deck shuffle 'Ann, Bo'",
    "deck draw standard-52", "deck draw cup 2 me", "deck deal 1 cup", "deck play all",
    "deck peek 2 cup", "deck return all cup place=top", "deck return all cup place=bottom",
    "deck give all US", "hand agree",
    "game leave", "game join US", "game join VC",
    "game settings answers=compact", "game settings hand_dice=no", "game settings hand_dice=yes answers=full",
    "game settings master=Bob", "game undo", "game undo", "game undo", "game redo", "game redo", "fair add text",
    'fair add "für Elise"', "fair reveal", "privacy delete confirm", "log 5", "game status", "fair show",
)  # fmt: skip


@lru_cache(maxsize=1)
def examples() -> dict[str, list[str]]:
    """The examples of every sequence, and every table that rolls its own dice, by system."""
    found: dict[str, list[str]] = {id: [] for id in systems()}
    for spec in registry():
        if spec.family == "sequence":
            found[spec.system].append(spec.example)
        elif spec.family == "lookup" and (
            rolls := systems()[spec.system].tables[spec.target].rolls
        ):
            words = spec.example.split(" ")
            names = tuple(f"{roll.option}=" for roll in rolls)
            found[spec.system].append(
                " ".join(word for word in words if not word.startswith(names))
            )
    return found


def sequence_line(chance: Random, system: str, names: dict[str, list[str]]) -> str:
    """A sequence or table of the system, with roster units in place of some of those of its
    example.
    """
    line = chance.choice(examples()[system])

    def exchanged(match: re.Match[str]) -> str:
        name = match[1]
        items = match[2].split("; ")
        for at, item in enumerate(items):
            known = names.get(item.split(" ")[0])
            if known and chance.random() < 0.7:
                items[at] = chance.choice(known)
        return f'{name}="{"; ".join(dict.fromkeys(items))}"'

    units = [option.name for option in _options(line) if option.type in ("units", "unit")]
    line = re.sub(rf'({"|".join(units) or "-"})="([^"]*)"', exchanged, line)
    return line + (" secret" if chance.random() < 0.15 and "-table" not in line else "")


@lru_cache(maxsize=500)
def _options(line: str) -> tuple[Option, ...]:
    return registry().find(line.removeprefix("/").split(" "))[0].options


def table_line(chance: Random, system: str) -> str:
    """A look-up in a table of the system, with values that its inputs declare."""
    game = systems()[system]
    return table_line_of(chance, game, chance.choice(list(game.tables)))


def table_line_of(chance: Random, game: System, id: str) -> str:
    """A look-up in this table, with values that its inputs declare."""
    table = game.tables[id]
    rolled = {roll.option for roll in table.rolls}
    words = [f"{game.id}-table {table.id}"]
    for option in table.inputs:
        leave_out = option.name in rolled or (not option.required and chance.random() < 0.5)
        if not leave_out:
            words.append(f'{option.name}="{chance.choice(values_of(option))}"')
    return " ".join(words)


def lines(
    chance: Random, number: int, system: str, roster: Sequence[str], *, tables: bool = False
) -> Iterator[str]:
    """So many commands for a game with this roster, of lines `unit add NAME TYPE SIDE`; with
    `tables` every third is a look-up."""
    names: dict[str, list[str]] = {}
    for line in roster:
        found = re.match(r'unit add "?([A-Za-z]+) ?(?:1\.\.(\d))?[ \d]*"? (\S+)', line)
        assert found is not None
        last = int(found[2]) if found[2] else 0
        names.setdefault(found[3], []).extend(
            [f"{found[1]} {n}" for n in range(1, last + 1)] if last else [found[1]]
        )
    every = [name for listed in names.values() for name in listed]
    states = list(systems()[system].game["units"].get("states") or ("none",))
    switches = [
        f"game settings rule={rule}={on}"
        for rule in systems()[system].rules
        for on in ("on", "off")
    ]
    for track in systems()[system].tracks.values():
        switches += [
            f"track set {track.name} {value}" for value in track.words or (track.min, track.max)
        ]
    asked = [
        choice for one in systems()[system].sequences.values() for choice in one.choices.values()
    ]
    answers = [f"choose option={option}" for choice in asked for option in choice.options] * 8
    for _ in range(number):
        pick = chance.random()
        if (
            tables
            and systems()[system].tables
            and (chance.random() < 0.33 or (pick < 0.5 and not examples()[system]))
        ):
            yield table_line(chance, system)
        elif pick < 0.5:
            yield sequence_line(chance, system, names)
        elif pick < 0.53:
            yield sequence_line(
                chance, chance.choice([id for id in systems() if examples()[id]]), {}
            )
        elif pick < 0.62:
            name = chance.choice(every)
            yield chance.choice(
                [
                    f'unit edit "{name}" stats=state={chance.choice(states)}',
                    f'unit edit "{name}" stats="state={chance.choice(states)} side={chance.choice(["US", "VC"])}"',
                    f'unit remove "{name}"',
                    chance.choice(roster)
                    .replace('add "', 'add "Late ')
                    .replace("Late Late", "Late"),
                ]
            )
        else:
            yield chance.choice((*LINES, *switches, *answers))


PERSONS = ("Anna", "Bob", "Carl")
LENGTH = 40
"""Commands of one game."""
SIDES = ("US", "VC")
BEGUN = 1_700_000_000
UNFORESEEN = "our-fault"


@dataclass(slots=True)
class Tally:
    """What was done so far."""

    plays: int = 0
    commands: int = 0
    refused: int = 0
    events: int = 0
    odds: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """A game in which something did not hold: which, why, and the game as it can be imported."""

    play: int
    faults: tuple[str, ...]
    export: str


def sides_of(system: System) -> tuple[str, ...]:
    """The sides of a random game: those that its chits name, where a cup leads a phase."""
    cups = (deck for id, deck in system.decks.items() if is_cup(id, system))
    return tuple(dict.fromkeys(side for deck in cups for side in sides_named(deck))) or SIDES


def roster_for(system: System, chance: Random) -> tuple[str, ...]:
    """Lines that give both sides a few units of every second type or so, with numbers that its
    attributes allow.
    """
    words = system.words["units"]
    types = list(words.types)
    made = []
    for side in sides_of(system):
        for at, kind in enumerate(chance.sample(types, min(4, len(types)))):
            name = f"{'ABCD'[at] * 2}{side.lower()}"
            stats = " ".join(
                f"{key}={_value(option, chance)}"
                for key, option in words.keys.items()
                if _is_plain(option)
            )
            made.append(
                f'unit add "{name} 1..2" {kind} {side}' + (f' stats="{stats}"' if stats else "")
            )
    return tuple(made)


def _is_plain(option: Option) -> bool:
    return option.type == "int" or (option.type == "enum" and bool(option.values))


def _value(option: Option, chance: Random) -> object:
    if option.type == "enum":
        return chance.choice(option.values)
    low = int(option.min if option.min is not None else 1)
    high = int(option.max if option.max is not None else low + 9)
    return chance.randint(low, min(high, low + 9))


class Game:
    """One random game on an app of its own."""

    def __init__(self, app: App, system: System, chance: Random, tally: Tally) -> None:
        self._app = app
        self._system = system
        self._chance = chance
        self._tally = tally
        self._place = Place("console:fuzz", "console", "console")
        self._ids = count(1)

    async def play(self, number: int) -> Failure | None:
        """Play it; what did not hold, or None."""
        faults = [fault async for fault in self._faults()]
        loaded = await self._app.games.at(self._place.key)
        if loaded is not None:
            self._tally.events += loaded.game.last
            faults += await audit_game(self._app.store, loaded.row)
        faults += list(self._odds_faults())
        self._tally.plays += 1
        return Failure(number, tuple(faults), await self._export()) if faults else None

    async def _faults(self) -> Any:
        roster = roster_for(self._system, self._chance)
        sides = sides_of(self._system)
        start = f'game start {self._system.home} "A game" sides="{", ".join(sides)}"'
        opening = (start, f"game join {sides[0]}", *roster)
        typed = lines(self._chance, LENGTH, self._system.id, roster, tables=True)
        for at, line in enumerate((*opening, *typed)):
            for theirs, side in zip(SIDES, sides, strict=False):
                line = re.sub(rf"\b{theirs}\b", side, line)
            who = self._chance.choice(PERSONS) if at >= len(opening) else PERSONS[0]
            reply = await self._say(who, line)
            self._tally.commands += 1
            self._tally.refused += reply.error
            if reply.code == UNFORESEEN:
                yield f"`{line}` crashed: {reply.text()}"
            elif reply.error and at < len(opening):
                yield f"`{line}` was refused: {reply.text()}"
            if self._chance.random() < 0.05:
                await self._open_sealed()

    async def _say(self, who: str, line: str) -> Reply:
        person = Person(f"console:{who.casefold()}", who, self._chance.random() < 0.2)
        return await self._app.run_text(line, person, self._place, f"f{next(self._ids)}")

    async def _open_sealed(self) -> None:
        loaded = await self._app.games.at(self._place.key)
        for number in list(loaded.game.sealed)[:2] if loaded is not None else ():
            for name in PERSONS:
                await self._say(name, f"game reveal {number}")

    def _odds_faults(self) -> Iterator[str]:
        """Sequences whose chances do not add up to one; one of them is tried for each game."""
        counted = [sequence for sequence in self._system.sequences.values() if sequence.odds_by]
        for sequence in self._chance.sample(counted, min(1, len(counted))):
            try:
                total = sum(count_odds(sequence, sequence.decided(sequence.example)).values())
            except UserError as error:
                if error.code == "blank-cell":  # its owner is still to type it
                    continue
                yield f"the odds of {sequence.id} cannot be counted for its example: {error}"
                continue
            self._tally.odds += 1
            if total != 1:
                yield f"the odds of {sequence.id} add up to {total}, not to 1"

    async def _export(self) -> str:
        person = Person("console:anna", "Anna", True)
        command = Command(("game", "export"), {}, person, self._place, "export")
        files = (await self._app.run(command)).files
        return file_text(files[0].data, files[0].name) if files else ""


async def fuzz(system: System, plays: int, seed: int, tally: Tally) -> Failure | None:
    """So many random games, the same for the same seed; the first in which something did not
    hold.
    """
    for number in range(1, plays + 1):
        chance = Random(f"{system.id} {seed} {number}")
        clock = map(float, count(BEGUN, 7)).__next__
        with patch("os.urandom", chance.randbytes):
            # seeds, salts and ids follow from the seed as well
            store = await TemporaryStore.make(clock)
            app = App(store, clock)
            try:
                failure = await Game(app, system, chance, tally).play(number)
            finally:
                await app.close()
        if failure is not None:
            return failure
    return None


def find(name: str) -> System:
    """The system of this name, or the pack in a folder or zip, which is then in use. Raises
    UserError, TableError.
    """
    path = Path(name)
    if name in systems() or not path.exists():
        return system(name)
    pack = load_pack(path)
    pack.check_whole()
    return pack


# -- the command


def command(words: list[str]) -> int:
    """Play random games of a system; 1 when something did not hold in one, which is then written
    to a file.
    """
    arguments = Arguments(words, flags={"plays": True, "seed": True})
    (name,) = arguments.only("SYSTEM")
    plays, seed = (
        arguments.number(flag, default) for flag, default in (("plays", 20), ("seed", 1))
    )
    system = find(name)
    if system.id not in systems():
        os.environ[PACKS] = os.path.abspath(name)
        everywhere.cache_clear()
    logging.disable(logging.CRITICAL)  # what goes wrong is told below
    tally = Tally()
    since = monotonic()
    failure = asyncio.run(fuzz(systems()[system.id], plays, seed, tally))
    print(
        f"{system.id}: {tally.plays} games, {tally.commands} commands ({tally.refused} refused), "
        f"{tally.events} events, {tally.odds} odds counted, {monotonic() - since:.0f} s, seed {seed}"
    )
    if failure is None:
        return 0
    file = Path(f"fuzz-{system.id}-{seed}-{failure.play}.json")
    file.write_text(failure.export, encoding="utf-8")
    print(f"Game {failure.play} failed; {file} holds it for `/game import` and grognard verify:")
    print("\n".join(failure.faults[:10]))
    return 1
