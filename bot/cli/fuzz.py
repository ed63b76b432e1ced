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
from bot.cli.cli import Arguments
from bot.game.cups import is_cup
from bot.packs.linter import list_values
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rulesets.catalog import PACKS, find_system, get_systems, load_shared_systems
from bot.rulesets.deck_file import list_named_sides
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.play_once import count_odds
from bot.rulesets.system import System
from bot.storage.sqlite import TemporaryStore
from bot.ui.registry import get_registry
from bot.ui.reply.packing import read_file_text
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Person, Place
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
def list_examples() -> dict[str, list[str]]:
    """The examples of every sequence, and every table that rolls its own dice, by system."""
    found: dict[str, list[str]] = {id: [] for id in get_systems()}
    for spec in get_registry():
        if spec.family == "sequence":
            found[spec.system].append(spec.example)
        elif spec.family == "lookup" and (
            rolls := get_systems()[spec.system].tables[spec.target].rolls
        ):
            words = spec.example.split(" ")
            names = tuple(f"{roll.option}=" for roll in rolls)
            found[spec.system].append(
                " ".join(word for word in words if not word.startswith(names))
            )
    return found


def build_sequence_line(chance: Random, system: str, names: dict[str, list[str]]) -> str:
    """A sequence or table of the system, with roster units in place of some of those of its
    example.
    """
    line = chance.choice(list_examples()[system])

    def replace_unit(match: re.Match[str]) -> str:
        name = match[1]
        items = match[2].split("; ")
        for at, item in enumerate(items):
            known = names.get(item.split(" ")[0])
            if known and chance.random() < 0.7:
                items[at] = chance.choice(known)
        return f'{name}="{"; ".join(dict.fromkeys(items))}"'

    units = [option.name for option in _list_options(line) if option.type in ("units", "unit")]
    line = re.sub(rf'({"|".join(units) or "-"})="([^"]*)"', replace_unit, line)
    return line + (" secret" if chance.random() < 0.15 and "-table" not in line else "")


@lru_cache(maxsize=500)
def _list_options(line: str) -> tuple[Option, ...]:
    return get_registry().find(line.removeprefix("/").split(" "))[0].options


def build_table_line(chance: Random, system: str) -> str:
    """A look-up in a table of the system, with values that its inputs declare."""
    game = get_systems()[system]
    return build_line_for_table(chance, game, chance.choice(list(game.tables)))


def build_line_for_table(chance: Random, game: System, id: str) -> str:
    """A look-up in this table, with values that its inputs declare."""
    table = game.tables[id]
    rolled = {roll.option for roll in table.rolls}
    words = [f"{game.id}-table {table.id}"]
    for option in table.inputs:
        leave_out = option.name in rolled or (not option.is_required and chance.random() < 0.5)
        if not leave_out:
            words.append(f'{option.name}="{chance.choice(list_values(option))}"')
    return " ".join(words)


def build_lines(
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
    states = list(get_systems()[system].game["units"].get("states") or ("none",))
    switches = [
        f"game settings rule={rule}={on}"
        for rule in get_systems()[system].rules
        for on in ("on", "off")
    ]
    for track in get_systems()[system].tracks.values():
        switches += [
            f"track set {track.name} {value}" for value in track.words or (track.min, track.max)
        ]
    asked = [
        choice
        for one in get_systems()[system].sequences.values()
        for choice in one.choices.values()
    ]
    answers = [f"choose option={option}" for choice in asked for option in choice.options] * 8
    for _ in range(number):
        pick = chance.random()
        if (
            tables
            and get_systems()[system].tables
            and (chance.random() < 0.33 or (pick < 0.5 and not list_examples()[system]))
        ):
            yield build_table_line(chance, system)
        elif pick < 0.5:
            yield build_sequence_line(chance, system, names)
        elif pick < 0.53:
            yield build_sequence_line(
                chance, chance.choice([id for id in get_systems() if list_examples()[id]]), {}
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
class FuzzTally:
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


def list_sides(system: System) -> tuple[str, ...]:
    """The sides of a random game: those that its chits name, where a cup leads a phase."""
    cups = (deck for id, deck in system.decks.items() if is_cup(id, system))
    return tuple(dict.fromkeys(side for deck in cups for side in list_named_sides(deck))) or SIDES


def build_roster_lines(system: System, chance: Random) -> tuple[str, ...]:
    """Lines that give both sides a few units of every second type or so, with numbers that its
    attributes allow.
    """
    words = system.words["units"]
    types = list(words.types)
    made = []
    for side in list_sides(system):
        for at, kind in enumerate(chance.sample(types, min(4, len(types)))):
            name = f"{'ABCD'[at] * 2}{side.lower()}"
            stats = " ".join(
                f"{key}={_choose_value(option, chance)}"
                for key, option in words.keys.items()
                if _is_plain(option)
            )
            made.append(
                f'unit add "{name} 1..2" {kind} {side}' + (f' stats="{stats}"' if stats else "")
            )
    return tuple(made)


def _is_plain(option: Option) -> bool:
    return option.type == "int" or (option.type == "enum" and bool(option.values))


def _choose_value(option: Option, chance: Random) -> object:
    if option.type == "enum":
        return chance.choice(option.values)
    low = int(option.min if option.min is not None else 1)
    high = int(option.max if option.max is not None else low + 9)
    return chance.randint(low, min(high, low + 9))


class RandomGame:
    """One random game on an app of its own."""

    def __init__(self, app: App, system: System, chance: Random, tally: FuzzTally) -> None:
        self._app = app
        self._system = system
        self._chance = chance
        self._tally = tally
        self._place = Place("console:fuzz", "console", "console")
        self._ids = count(1)

    async def play(self, number: int) -> Failure | None:
        """Play it; what did not hold, or None."""
        faults = [fault async for fault in self._find_faults()]
        loaded = await self._app.games.load_current(self._place.key)
        if loaded is not None:
            self._tally.events += loaded.game.last
            faults += await audit_game(self._app.store, loaded.row)
        faults += list(self._find_odds_faults())
        self._tally.plays += 1
        return Failure(number, tuple(faults), await self._export_game()) if faults else None

    async def _find_faults(self) -> Any:
        roster = build_roster_lines(self._system, self._chance)
        sides = list_sides(self._system)
        start = f'game start {self._system.home} "A game" sides="{", ".join(sides)}"'
        opening = (start, f"game join {sides[0]}", *roster)
        typed = build_lines(self._chance, LENGTH, self._system.id, roster, tables=True)
        for at, line in enumerate((*opening, *typed)):
            for theirs, side in zip(SIDES, sides, strict=False):
                line = re.sub(rf"\b{theirs}\b", side, line)
            who = self._chance.choice(PERSONS) if at >= len(opening) else PERSONS[0]
            reply = await self._run_line(who, line)
            self._tally.commands += 1
            self._tally.refused += reply.error
            if reply.code == UNFORESEEN:
                yield f"`{line}` crashed: {reply.format_text()}"
            elif reply.error and at < len(opening):
                yield f"`{line}` was refused: {reply.format_text()}"
            if self._chance.random() < 0.05:
                await self._open_sealed()

    async def _run_line(self, who: str, line: str) -> Reply:
        person = Person(f"console:{who.casefold()}", who, self._chance.random() < 0.2)
        return await self._app.run_text(line, person, self._place, f"f{next(self._ids)}")

    async def _open_sealed(self) -> None:
        loaded = await self._app.games.load_current(self._place.key)
        for number in list(loaded.game.sealed)[:2] if loaded is not None else ():
            for name in PERSONS:
                await self._run_line(name, f"game reveal {number}")

    def _find_odds_faults(self) -> Iterator[str]:
        """Sequences whose chances do not add up to one; one of them is tried for each game."""
        counted = [sequence for sequence in self._system.sequences.values() if sequence.odds_by]
        for sequence in self._chance.sample(counted, min(1, len(counted))):
            try:
                total = sum(
                    count_odds(sequence, sequence.add_default_choices(sequence.example)).values()
                )
            except UserError as error:
                if error.code == "blank-cell":  # its owner is still to type it
                    continue
                yield f"the odds of {sequence.id} cannot be counted for its example: {error}"
                continue
            self._tally.odds += 1
            if total != 1:
                yield f"the odds of {sequence.id} add up to {total}, not to 1"

    async def _export_game(self) -> str:
        person = Person("console:anna", "Anna", True)
        command = Command(("game", "export"), {}, person, self._place, "export")
        files = (await self._app.run(command)).files
        return read_file_text(files[0].data, files[0].name) if files else ""


async def play_random_games(
    system: System, plays: int, seed: int, tally: FuzzTally
) -> Failure | None:
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
                failure = await RandomGame(app, system, chance, tally).play(number)
            finally:
                await app.close()
        if failure is not None:
            return failure
    return None


def find_fuzz_system(name: str) -> System:
    """The system of this name, or the pack in a folder or zip, which is then in use. Raises
    UserError, TableError.
    """
    path = Path(name)
    if name in get_systems() or not path.exists():
        return find_system(name)
    pack = load_pack(path)
    pack.check_whole()
    return pack


# -- the command


def run_fuzz(words: list[str]) -> int:
    """Play random games of a system; 1 when something did not hold in one, which is then written
    to a file.
    """
    arguments = Arguments(words, flags={"plays": True, "seed": True})
    (name,) = arguments.take_only("SYSTEM")
    plays, seed = (
        arguments.get_number(flag, default) for flag, default in (("plays", 20), ("seed", 1))
    )
    system = find_fuzz_system(name)
    if system.id not in get_systems():
        os.environ[PACKS] = os.path.abspath(name)
        load_shared_systems.cache_clear()
    logging.disable(logging.CRITICAL)  # what goes wrong is told below
    tally = FuzzTally()
    since = monotonic()
    failure = asyncio.run(play_random_games(get_systems()[system.id], plays, seed, tally))
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
