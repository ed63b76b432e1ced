"""Random commands: whatever can be typed, in all systems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from bot.interface.registry import registry
from bot.packs.linter import values_of
from bot.rules.inputs.options import Option
from bot.systems.catalog import systems
from bot.systems.system import System

LINES = (
    "roll 2d6+1", "roll 4d6kh3 label=fate", "roll d20 secret", "roll 3dF", "roll d[hit,miss,miss]", "roll 2dA+d100",
    "roll 3x2d6", "roll 2d6! hand=3,4", "roll 5d10c>6", "roll 2d6 hand=1,6 secret", "roll 7", "again", "again",
    "game next", "game next", "game pass", "game pass done", "game initiative", "game plan 9 fog", "game plan remove=9",
    "game initiative US", "game initiative VC",
    "order write hold", "order write 'to H5' command='roll 2d6'", "order write", "order deadline 2d", "order open",
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
        elif spec.family == "lookup" and (rolls := systems()[spec.system].tables[spec.target].rolls):
            words = spec.example.split(" ")
            names = tuple(f"{roll.option}=" for roll in rolls)
            found[spec.system].append(" ".join(word for word in words if not word.startswith(names)))
    return found


def sequence_line(chance: Random, system: str, names: dict[str, list[str]]) -> str:
    """A sequence or table of the system, with roster units in place of some of those of its example."""
    line = chance.choice(examples()[system])

    def exchanged(match: re.Match[str]) -> str:
        name, items = match[1], match[2].split("; ")
        for at, item in enumerate(items):
            known = names.get(item.split(" ")[0])
            if known and chance.random() < 0.7:
                items[at] = chance.choice(known)
        return f'{name}="{"; ".join(dict.fromkeys(items))}"'

    units = [option.name for option in _options(line) if option.type in ("units", "unit")]
    line = re.sub(rf'({"|".join(units) or "-"})="?([^"=]*(?:=[^"]*)?)"', exchanged, line)
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


def lines(chance: Random, number: int, system: str, roster: Sequence[str], *, tables: bool = False) -> Iterator[str]:
    """So many commands for a game with this roster, of lines `unit add NAME TYPE SIDE`; with `tables` every third is a
    look-up."""
    names: dict[str, list[str]] = {}
    for line in roster:
        found = re.match(r'unit add "?([A-Za-z]+) ?(?:1\.\.(\d))?[ \d]*"? (\S+)', line)
        assert found is not None
        last = int(found[2]) if found[2] else 0
        names.setdefault(found[3], []).extend([f"{found[1]} {n}" for n in range(1, last + 1)] if last else [found[1]])
    every = [name for listed in names.values() for name in listed]
    states = list(systems()[system].game["units"].get("states") or ("none",))
    switches = [f"game settings rule={rule}={on}" for rule in systems()[system].rules for on in ("on", "off")]
    for _ in range(number):
        pick = chance.random()
        if tables and (chance.random() < 0.33 or (pick < 0.5 and not examples()[system])):
            yield table_line(chance, system)
        elif pick < 0.5:
            yield sequence_line(chance, system, names)
        elif pick < 0.53:
            yield sequence_line(chance, chance.choice([id for id in systems() if examples()[id]]), {})
        elif pick < 0.62:
            name = chance.choice(every)
            yield chance.choice(
                [
                    f'unit edit "{name}" stats=state={chance.choice(states)}',
                    f'unit edit "{name}" stats="state={chance.choice(states)} side={chance.choice(["US", "VC"])}"',
                    f'unit remove "{name}"',
                    chance.choice(roster).replace('add "', 'add "Late ').replace("Late Late", "Late"),
                ]
            )
        else:
            yield chance.choice((*LINES, *switches))
