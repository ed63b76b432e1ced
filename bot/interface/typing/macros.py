"""Macros while they are typed: names with what they do, gaps that are still to be filled, commands to save."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bot.interface.registry import TABLE, Registry
from bot.interface.typing.macro import Macro
from bot.interface.typing.text import quoted


def macro_names(macros: Iterable[Macro], typed: str) -> Iterator[tuple[str, str]]:
    """What is shown and the name, of each macro that fits: those whose names begin so first."""
    part = typed.strip().casefold()
    found = [macro for macro in macros if part in macro.name or part in macro.text.casefold()]
    for macro in sorted(found, key=lambda macro: not macro.name.startswith(part)):
        yield f"{macro.name}: {macro.text}", macro.name


def gap_values(macros: Iterable[Macro], name: str, typed: str) -> Iterator[tuple[str, str]]:
    """The line so far with one more gap of this macro: `n=1`, with its default."""
    macro = next((macro for macro in macros if macro.name == name.casefold()), None)
    if macro is None:
        return
    before, space, part = typed.rpartition(" ")
    named = {word.partition("=")[0] for word in before.split()}
    for gap in macro.gaps:
        if gap.name not in named and gap.name.startswith(part.casefold()) and "=" not in part:
            line = f"{before}{space}{gap.name}={quoted(gap.default) if gap.default else ''}"
            yield line, line


def commands_so_far(registry: Registry, typed: str) -> list[str]:
    """Commands that a macro is likely made of; those of one game once it is named."""
    games = [game for game in registry.games.values() if typed.strip().removeprefix("/").startswith(game.id)]
    below = [f"{game.id} {id}" for game in games for id in game.sequences]
    below += [f"{game.id}{TABLE} {id}" for game in games for id in game.tables]
    return below or ["roll", "log", "again", *registry.games, *(f"{id}{TABLE}" for id in registry.games)]
