"""The declared sequences of the built-in games: `tables/<system>/steps/<id>.yaml`, and what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.rules.declared.declared import Declared, Library
from bot.rules.declared.setting import Head, Path, Setting
from bot.rules.errors import TableError

if TYPE_CHECKING:
    from bot.systems.catalog import System

STEPS, SHARED = "steps", "shared"
"""The folder, and the file with lists, formulas and blocks for all of its sequences."""
SHARES = ("lists", "formulas", "blocks")


def declared_in(system: System, id: str) -> Declared:
    """The sequence `id` of a game, read and checked. Raises TableError naming file, step, line and column."""
    files = system.names(STEPS)
    source = _read(system, id)
    shared = _read(system, SHARED) if SHARED in files else {}
    own = {key: value for key, value in source.items() if key not in SHARES}
    merged: dict[str, Any] = {key: {**shared.get(key, {}), **source.get(key, {})} for key in SHARES}
    merged["sequences"] = {id: own}
    classes = system.game["units"].get("classes") or {}
    lists = {name: tuple(items) for name, items in {**system.lists, **classes}.items()}

    def place(path: Path) -> str:
        from bot.systems.yaml_file import place_of

        in_file = path[2:] if path[:1] == ("sequences",) else path
        for name in (id, SHARED):
            if name in files:
                found = place_of(system.text(f"{STEPS}/{name}").encode(), in_file)
                if found:
                    return found if name == id else f"{found} of {SHARED}.yaml"
        return ""

    setting = Setting(f"{system.id}/{STEPS}/{id}.yaml", system.tables, lists, system.words, place)
    sequence = system.sequences[id]
    head = Head(sequence.inputs, sequence.outputs, sequence.odds_by)
    return Library(merged, setting, {id: head}).declared(id)


def _read(system: System, name: str) -> dict[str, Any]:
    data = system.read(f"{STEPS}/{name}")
    if not isinstance(data, dict):
        raise TableError(f"{system.id}/{STEPS}/{name}.yaml", "must be a mapping with steps")
    return data
