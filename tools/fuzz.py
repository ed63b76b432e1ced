"""Random games of a game or pack, in which several players type random commands.

    python -m tools.fuzz SYSTEM|FOLDER [--plays N] [--seed N] [--solo]

With `--solo` one player plays the scenario of `/solo` to its end by buttons and own attacks; nobody
types anything for the side that plays itself.

After each game log, chain, dice, state and odds must agree, and nothing may have crashed. A game
that fails is written to a file that `/game import` takes.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any
from unittest.mock import patch

from bot.app import App
from bot.commands.dispatch import load_shared_registry
from bot.game.cups import is_cup
from bot.game.phases import get_phase
from bot.game.self_play import find_self_played_side, list_able_units, list_enemies
from bot.game.state import Game
from bot.packs.linter import list_values
from bot.rules.errors import TableError, UserError
from bot.rules.inputs.options import Option
from bot.rulesets.catalog import PACKS, find_shared_system, load_shared_systems
from bot.rulesets.deck_file import list_named_sides
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.play_once import count_odds
from bot.rulesets.system import System, is_lost
from bot.storage.sqlite import TemporaryStore
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
    """Return the example commands of the sequences and of the tables that roll their own dice, by
    system. Those of tables leave out the values that are rolled.
    """
    examples: dict[str, list[str]] = {id: [] for id in load_shared_systems()}
    for spec in load_shared_registry():
        if spec.family == "sequence":
            examples[spec.system].append(spec.example)
        elif spec.family == "lookup":
            rolls = load_shared_systems()[spec.system].tables[spec.target].rolls
            if rolls:
                words = spec.example.split(" ")
                names = tuple(f"{roll.option}=" for roll in rolls)
                line = " ".join(word for word in words if not word.startswith(names))
                examples[spec.system].append(line)
    return examples


def build_sequence_line(chance: Random, system: str, names: dict[str, list[str]]) -> str:
    """Return the example of a random sequence or table of the system. Most units of a type that the
    roster has are replaced by roster units of that type, and a sequence is sometimes secret.

    `names` are the names of the roster units by type.
    """
    line = chance.choice(list_examples()[system])

    def replace_units(match: re.Match[str]) -> str:
        name = match[1]
        items = match[2].split("; ")
        for index, item in enumerate(items):
            candidates = names.get(item.split(" ")[0])
            if candidates and chance.random() < 0.7:
                items[index] = chance.choice(candidates)
        return f'{name}="{"; ".join(dict.fromkeys(items))}"'

    units = [option.name for option in _list_options(line) if option.type in ("units", "unit")]
    line = re.sub(rf'({"|".join(units) or "-"})="([^"]*)"', replace_units, line)
    return line + (" secret" if chance.random() < 0.15 and "-table" not in line else "")


@lru_cache(maxsize=500)
def _list_options(line: str) -> tuple[Option, ...]:
    """Return the options of the command that a line begins with."""
    spec, _ = load_shared_registry().find(line.removeprefix("/").split(" "))
    return spec.options


def build_table_line(chance: Random, system: str) -> str:
    """Return a look-up in a random table of the system (see `build_line_for_table`)."""
    game = load_shared_systems()[system]
    return build_line_for_table(chance, game, chance.choice(list(game.tables)))


def build_line_for_table(chance: Random, game: System, id: str) -> str:
    """Return a look-up in a table with random values of its inputs.

    Inputs that the table rolls itself are left out, and about half of the optional ones.
    """
    table = game.tables[id]
    rolled_names = {roll.option for roll in table.rolls}
    words = [f"{game.id}-table {table.id}"]
    for option in table.inputs:
        leave_out = option.name in rolled_names or (
            not option.is_required and chance.random() < 0.5
        )
        if not leave_out:
            words.append(f'{option.name}="{chance.choice(list_values(option))}"')
    return " ".join(words)


def build_lines(
    chance: Random, number: int, system: str, roster: Sequence[str], *, tables: bool = False
) -> Iterator[str]:
    """Yield `number` random commands for a game of a system: sequences, changes of units, and
    settings, rolls and cards.

    `roster` are the lines that added its units, `unit add NAME TYPE SIDE ...`. With `tables` about
    a third of the commands are look-ups.
    """
    names = _parse_unit_names(roster)
    unit_names = [name for names_of_type in names.values() for name in names_of_type]
    states = list(load_shared_systems()[system].game["units"].get("states") or ("none",))
    other_lines = (*LINES, *_list_system_lines(system))
    for _ in range(number):
        pick = chance.random()
        if (
            tables
            and load_shared_systems()[system].tables
            and (chance.random() < 0.33 or (pick < 0.5 and not list_examples()[system]))
        ):
            yield build_table_line(chance, system)
        elif pick < 0.5:
            yield build_sequence_line(chance, system, names)
        elif pick < 0.53:
            systems = [id for id in load_shared_systems() if list_examples()[id]]
            yield build_sequence_line(chance, chance.choice(systems), {})
        elif pick < 0.62:
            name = chance.choice(unit_names)
            yield _build_unit_line(chance, name, states, roster)
        else:
            yield chance.choice(other_lines)


def _parse_unit_names(roster: Sequence[str]) -> dict[str, list[str]]:
    """Return the names of the units that these lines add, by type: `Squad 1..3` adds three."""
    names: dict[str, list[str]] = {}
    for line in roster:
        match = re.match(r'unit add "?([A-Za-z]+) ?(?:1\.\.(\d))?[ \d]*"? (\S+)', line)
        assert match is not None
        names_of_type = names.setdefault(match[3], [])
        if match[2]:
            names_of_type += [f"{match[1]} {number}" for number in range(1, int(match[2]) + 1)]
        else:
            names_of_type.append(match[1])
    return names


def _list_system_lines(system: str) -> list[str]:
    """Return commands for the rules, tracks and choices of a system.

    They switch each optional rule on and off, set each track to its words or to both its ends, and
    answer each question of its sequences. Answers are repeated, as they seldom fit.
    """
    game = load_shared_systems()[system]
    lines = [f"game settings rule={rule}={value}" for rule in game.rules for value in ("on", "off")]
    for track in game.tracks.values():
        values = track.words or (track.min, track.max)
        lines += [f"track set {track.name} {value}" for value in values]
    answers = []
    for sequence in game.sequences.values():
        for choice in sequence.choices.values():
            answers += [f"choose option={option}" for option in choice.options]
    return lines + answers * 8


def _build_unit_line(
    chance: Random, name: str, states: Sequence[str], roster: Sequence[str]
) -> str:
    """Return a random command that edits or removes a unit, or adds one more."""
    return chance.choice(
        [
            f'unit edit "{name}" stats=state={chance.choice(states)}',
            f'unit edit "{name}" stats="state={chance.choice(states)} side={chance.choice(["US", "VC"])}"',
            f'unit remove "{name}"',
            chance.choice(roster).replace('add "', 'add "Late ').replace("Late Late", "Late"),
        ]
    )


PERSONS = ("Anna", "Bob", "Carl")
LENGTH = 40
"""Commands of one game, besides those that set it up."""
SIDES = ("US", "VC")
START_TIME = 1_700_000_000
"""Unix seconds at the start of each game."""
UNFORESEEN = "our-fault"
GOES_ON = ("initiative", "first", "next", "pass", "done", "selfplay", "handover")
"""Buttons with which a player alone plays on, besides the answers to orders."""
MOST_STEPS = 600
"""Steps after which a game against a side that plays itself must be over."""
OWN_ATTACKS = 0.8
"""How often the player alone attacks instead of pressing a button, if a unit still can."""
MOST_TOGETHER = 3
"""Maximum number of units in one attack of the player alone."""


@dataclass(slots=True)
class FuzzTally:
    """The counts of games, commands, refused commands, events, and odds that were checked."""

    plays: int = 0
    commands: int = 0
    refused: int = 0
    events: int = 0
    odds: int = 0
    ahead: Counter[str] = field(default_factory=Counter)
    """Games alone by the side that had more units left at the end, "" for none: no map says who
    won."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A game in which something did not hold: its number from 1, the faults, and the game as a text
    that `/game import` takes.
    """

    play: int
    faults: tuple[str, ...]
    export: str


def list_sides(system: System) -> tuple[str, ...]:
    """Return the sides of a random game: those that the chits in the system's cups name, or SIDES
    if none does.
    """
    cups = (deck for id, deck in system.decks.items() if is_cup(id, system))
    return tuple(dict.fromkeys(side for deck in cups for side in list_named_sides(deck))) or SIDES


def build_roster_lines(system: System, chance: Random) -> tuple[str, ...]:
    """Return the `unit add` commands for the roster of a random game.

    Each adds two units of one type, `AAus 1..2`, with random numbers that the system allows. Each
    side gets up to four types at random.
    """
    words = system.words["units"]
    types = list(words.types)
    lines = []
    for side in list_sides(system):
        for index, kind in enumerate(chance.sample(types, min(4, len(types)))):
            name = f"{'ABCD'[index] * 2}{side.lower()}"
            stats = " ".join(
                f"{key}={_choose_value(option, chance)}"
                for key, option in words.keys.items()
                if _can_choose_value(option)
            )
            suffix = f' stats="{stats}"' if stats else ""
            lines.append(f'unit add "{name} 1..2" {kind} {side}{suffix}')
    return tuple(lines)


def _can_choose_value(option: Option) -> bool:
    return option.type == "int" or (option.type == "enum" and bool(option.values))


def _choose_value(option: Option, chance: Random) -> object:
    """Return a random value of a number (at most 9 above its minimum) or an enum."""
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
        self._moment: tuple[object, ...] = ()
        """The turn and phase in which `_attackers` have attacked."""
        self._attackers: set[str] = set()

    async def play(self, number: int) -> Failure | None:
        """Play the game, which is number `number`, and check it. Return the failure, or None if
        everything held. The tally is updated.
        """
        faults = [fault async for fault in self._find_faults()]
        loaded = await self._app.games.load_current(self._place.key)
        if loaded is not None:
            self._tally.events += loaded.game.last
            faults += await self._audit(loaded.row)
        faults += list(self._find_odds_faults())
        self._tally.plays += 1
        if not faults:
            return None
        return Failure(number, tuple(faults), await self._export_game())

    async def _find_faults(self) -> AsyncIterator[str]:
        """Set the game up and type random commands. Yield a line for each that crashes, and for
        each refused one of the setup.
        """
        roster = build_roster_lines(self._system, self._chance)
        sides = list_sides(self._system)
        start = f'game start {self._system.home} "A game" sides="{", ".join(sides)}"'
        opening = (start, f"game join {sides[0]}", *roster)
        typed = build_lines(self._chance, LENGTH, self._system.id, roster, tables=True)
        for index, line in enumerate((*opening, *typed)):
            is_opening = index < len(opening)
            for placeholder, side in zip(SIDES, sides, strict=False):
                line = re.sub(rf"\b{placeholder}\b", side, line)
            name = PERSONS[0] if is_opening else self._chance.choice(PERSONS)
            reply = await self._run_line(name, line)
            self._tally.commands += 1
            self._tally.refused += reply.error
            if reply.code == UNFORESEEN:
                yield f"`{line}` crashed: {reply.format_text()}"
            elif reply.error and is_opening:
                yield f"`{line}` was refused: {reply.format_text()}"
            if self._chance.random() < 0.05:
                await self._open_sealed()

    async def _run_line(self, name: str, line: str) -> Reply:
        """Run a command as the player of this name, who is a manager in a fifth of all cases."""
        person = Person(f"console:{name.casefold()}", name, self._chance.random() < 0.2)
        return await self._app.run_text(line, person, self._place, f"f{next(self._ids)}")

    async def _open_sealed(self) -> None:
        """Have each player try to reveal the first two sealed events."""
        loaded = await self._app.games.load_current(self._place.key)
        for number in list(loaded.game.sealed)[:2] if loaded is not None else ():
            for name in PERSONS:
                await self._run_line(name, f"game reveal {number}")

    async def _audit(self, game: str) -> list[str]:
        """Return the faults of the played game's log, or one that says how their check crashed."""
        try:
            return await audit_game(self._app.store, game)
        except Exception as error:  # the game is kept, whatever is wrong with the code
            return [f"the check of its log crashed: {error!r}"]

    async def play_alone(self, number: int) -> Failure | None:
        """Play the scenario that plays itself as its only player, and check the game."""
        faults = [fault async for fault in self._play_to_the_end()]
        loaded = await self._app.games.load_current(self._place.key)
        assert loaded is not None
        self._tally.events += loaded.game.last
        faults += await self._audit(loaded.row)
        self._tally.plays += 1
        self._tally.ahead[self._find_side_ahead(loaded.game)] += 1
        return Failure(number, tuple(faults), await self._export_game()) if faults else None

    def _find_side_ahead(self, game: Game) -> str:
        """Return the side with more units left, "" if the first two have the same number."""
        units = Counter(
            unit.side for unit in game.units.values() if not is_lost(unit, self._system)
        )
        (side, most), (_, second) = sorted(
            ((side, units[side]) for side in game.sides), key=lambda pair: -pair[1]
        )[:2]
        return side if most > second else ""

    async def _play_to_the_end(self) -> AsyncIterator[str]:
        """Start the scenario, act for the own side and answer questions until it is over. Yield a
        line for each crash, and one if it does not end.
        """
        reply = await self._run_line(PERSONS[0], f"solo {self._system.id}")
        buttons = _list_useful_buttons(reply)
        for _ in range(MOST_STEPS):
            game = await self._load_game()
            if 0 < game.turns < game.turn:
                break
            own_attack = "" if _is_asked(buttons) else self._build_own_attack(game)
            if own_attack and self._chance.random() < OWN_ATTACKS:
                reply = await self._run_line(PERSONS[0], own_attack)
                step = own_attack
            else:
                step = self._chance.choice(buttons) if buttons else "game next"
                reply = await self._press_or_run(step)
            self._tally.commands += 1
            self._tally.refused += reply.error
            if reply.code == UNFORESEEN:
                yield f"`{step}` crashed: {reply.format_text()}"
            buttons = _list_useful_buttons(reply)
            if not buttons and find_self_played_side(await self._load_game()):
                buttons = _list_useful_buttons(await self._run_line(PERSONS[0], "game pass"))
        else:
            yield f"the game was not over after {MOST_STEPS} steps"
        reply = await self._run_line(PERSONS[0], "game end draw")
        if reply.error:
            yield f"the game could not be ended: {reply.format_text()}"

    async def _load_game(self) -> Game:
        loaded = await self._app.games.load_current(self._place.key)
        assert loaded is not None
        return loaded.game

    async def _press_or_run(self, step: str) -> Reply:
        """Press a button by its action, or run a line, as the only player."""
        if ":" not in step:
            return await self._run_line(PERSONS[0], step)
        person = Person(f"console:{PERSONS[0].casefold()}", PERSONS[0], False)
        return await self._app.press(step, person, self._place, f"f{next(self._ids)}")

    def _build_own_attack(self, game: Game) -> str:
        """Return an attack of the player's side, by the order of the other side that it could have
        had; "" if there is none. Each unit attacks once in a phase that offers the attack.
        """
        own_side = next(iter(game.players.values()), "")
        attacks = self._list_attacks(game)
        if own_side not in game.go or not attacks:
            return ""
        attack = self._chance.choice(attacks)
        enemies = list_enemies(game, self._system, own_side, attack)
        own_units = self._list_fresh_units(game, own_side, attack)
        if not own_units or not enemies:
            return ""
        number = 1
        if "together" in attack:
            number = self._chance.randint(1, min(MOST_TOGETHER, len(own_units)))
        attackers = self._chance.sample(own_units, number)
        self._attackers.update(attackers)
        target = self._chance.choice(enemies).handle
        situation = self._chance.choice([*attack.get("how", {}).values()] or [{}])
        inputs = {attack["unit"]: "; ".join(attackers), attack["against"]: target, **situation}
        words = [f'{name}="{value}"' for name, value in inputs.items()]
        return " ".join((self._system.id, attack["run"], *words))

    def _list_attacks(self, game: Game) -> list[dict[str, Any]]:
        """Return the orders of the side that plays itself whose attack the present phase offers."""
        offered = get_phase(game, self._system).get("buttons") or ()
        orders: dict[str, dict[str, Any]] = self._system.game["solo"]["orders"]
        return [
            order for order in orders.values() if "against" in order and order["run"] in offered
        ]

    def _list_fresh_units(self, game: Game, side: str, attack: dict[str, Any]) -> list[str]:
        """Return the handles of the side's units that can attack and have not in this phase."""
        moment = (game.turn, game.phase, game.turn_of)
        if moment != self._moment:
            self._moment = moment
            self._attackers = set()
        units = list_able_units(game, self._system, side, attack)
        return [unit.handle for unit in units if unit.handle not in self._attackers]

    def _find_odds_faults(self) -> Iterator[str]:
        """Yield a line if the chances of one random sequence do not add up to one, or cannot be
        counted.
        """
        sequences = [sequence for sequence in self._system.sequences.values() if sequence.odds_by]
        for sequence in self._chance.sample(sequences, min(1, len(sequences))):
            try:
                inputs = sequence.add_default_choices(sequence.example)
                total = sum(count_odds(sequence, inputs).values())
            except UserError as error:
                if error.code == "blank-cell":  # the pack's author has not typed it yet
                    continue
                yield f"the odds of {sequence.id} cannot be counted for its example: {error}"
                continue
            except Exception as error:  # the game is kept, whatever is wrong with the code
                yield f"counting the odds of {sequence.id} crashed: {error!r}"
                continue
            self._tally.odds += 1
            if total != 1:
                yield f"the odds of {sequence.id} add up to {total}, not to 1"

    async def _export_game(self) -> str:
        """Return the exported game as text, or "" if it cannot be exported."""
        person = Person("console:anna", "Anna", True)
        command = Command(("game", "export"), {}, person, self._place, "export")
        files = (await self._app.run(command)).files
        return read_file_text(files[0].data, files[0].name) if files else ""


def _list_useful_buttons(reply: Reply) -> list[str]:
    """Return the actions of the buttons with which a game goes on."""
    actions = [button.action for button in reply.buttons]
    answers = [action for action in actions if _is_asked([action])]
    return answers or [action for action in actions if action.partition(":")[0] in GOES_ON]


def _is_asked(buttons: Sequence[str]) -> bool:
    """Return whether these buttons answer the question of an order."""
    return any(action.startswith("order:") for action in buttons)


async def play_random_games(
    system: System, plays: int, seed: int, tally: FuzzTally, *, alone: bool = False
) -> Failure | None:
    """Play `plays` random games, the same for the same seed. Stop at the first in which something
    does not hold, and return its failure; None if there is none. The tally is updated.

    `alone`: one player plays the scenario that plays itself, to its end.
    """
    for number in range(1, plays + 1):
        chance = Random(f"{system.id} {seed} {number}")
        # A stream of its own: how many seeds, salts and ids are drawn can depend on the time that
        # odds take, and the commands must not.
        secrets = Random(f"{system.id} {seed} {number} secrets")
        clock = map(float, count(START_TIME, 7)).__next__
        with patch("os.urandom", secrets.randbytes):
            store = await TemporaryStore.make(clock)
            app = App(store, clock)
            try:
                game = RandomGame(app, system, chance, tally)
                failure = await (game.play_alone(number) if alone else game.play(number))
            finally:
                await app.close()
        if failure is not None:
            return failure
    return None


def find_fuzz_system(name: str) -> System:
    """Return the system of this name, or else the pack in the folder or zip of this name, checked
    whole. Raises UserError and TableError.
    """
    path = Path(name)
    if name in load_shared_systems() or not path.exists():
        return find_shared_system(name)
    pack = load_pack(path)
    pack.check_whole()
    return pack


# -- the command


def main(words: list[str] | None = None) -> int:
    """Play random games of a system and print a summary.

    Return the exit status: 1 if something did not hold in a game, which is then written to a file
    of the current folder. Turns logging off, and takes the packs of a folder into use for the whole
    process.
    """
    parser = argparse.ArgumentParser(description="Play random games and check each of them whole.")
    parser.add_argument("system", help="the id of a game, or the folder or zip of a pack")
    parser.add_argument("--plays", type=int, default=20, help="how many games")
    parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same games")
    parser.add_argument("--solo", action="store_true", help="play the scenario that plays itself")
    arguments = parser.parse_args(words)
    try:
        system = find_fuzz_system(arguments.system)
    except (UserError, TableError) as error:
        parser.error(str(error))
    if system.id not in load_shared_systems():
        os.environ[PACKS] = os.path.abspath(arguments.system)
        load_shared_systems.cache_clear()
        system = load_shared_systems()[system.id]
    logging.disable(logging.CRITICAL)  # faults are printed below
    tally = FuzzTally()
    since = monotonic()
    failure = asyncio.run(
        play_random_games(system, arguments.plays, arguments.seed, tally, alone=arguments.solo)
    )
    print(
        f"{system.id}: {tally.plays} games, {tally.commands} commands ({tally.refused} refused), "
        f"{tally.events} events, {tally.odds} odds counted, {monotonic() - since:.0f} s, "
        f"seed {arguments.seed}"
    )
    if tally.ahead:
        counts = (f"{side or 'neither'} {count}" for side, count in tally.ahead.most_common())
        print(f"More units left at the end: {', '.join(counts)}")
    if failure is None:
        return 0
    file = Path(f"fuzz-{system.id}-{arguments.seed}-{failure.play}.json")
    file.write_text(failure.export, encoding="utf-8")
    print(f"Game {failure.play} failed; {file} holds it for `/game import` and grognard verify:")
    print("\n".join(failure.faults[:10]))
    return 1


if __name__ == "__main__":
    sys.exit(main())
