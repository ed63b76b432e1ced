"""Declared sequences of a game, in `steps/<id>.yaml` or under `steps` in sequences.yaml, and what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.rules.declared.declared import Declared, Library
from bot.rules.declared.setting import Head, Path, Setting
from bot.rules.errors import TableError

if TYPE_CHECKING:
    from bot.systems.catalog import System

STEPS, SHARED = "steps", "steps/shared"
"""The folder, and in it the file with lists, formulas and blocks for all of its sequences."""
SHARES = ("lists", "formulas", "blocks")


def declared_in(system: System, id: str) -> Declared:
    """The sequence `id` of a game, read and checked. Raises TableError naming file, step, line and column."""
    sequence, shared = system.sequences[id], _shared(system)
    inline = bool(sequence.steps)
    name = "sequences" if inline else f"{STEPS}/{id}"
    source: dict[str, Any] = {"steps": sequence.steps} if inline else _read(system, name)
    merged: dict[str, Any] = {key: {**_mapping(shared, key), **_mapping(source, key)} for key in SHARES}
    merged["sequences"] = {id: {key: value for key, value in source.items() if key not in SHARES}}
    classes = system.game["units"].get("classes") or {}
    lists = {word: tuple(items) for word, items in {**system.lists, **classes}.items()}

    def place(path: Path) -> str:
        from bot.systems.yaml_file import place_of

        if path[:1] == ("sequences",):
            inside: Path = (id, *path[2:]) if inline else path[2:]
            return place_of(system.text(name).encode(), inside)
        if len(path) > 1 and path[1] in _mapping(source, str(path[0])):
            return place_of(system.text(name).encode(), path)
        for text in _shared_texts(system):
            if found := place_of(text.encode(), path):
                return f"{found} of {SHARED}.yaml"
        return ""

    setting = Setting(f"{system.id}/{name}.yaml", system.tables, lists, system.words, place)
    head = Head(sequence.inputs, sequence.outputs, sequence.odds_by)
    return Library(merged, setting, {id: head}).declared(id)


def _shared(system: System) -> dict[str, Any]:
    """What the sequences of a game share; a list, formula or block of a pack replaces its parent's whole."""
    own = _read(system, SHARED) if SHARED.rpartition("/")[2] in system.declared else {}
    if system.parent is None:
        return own
    parent = _shared(system.parent)
    return {key: {**_mapping(parent, key), **_mapping(own, key)} for key in SHARES}


def _shared_texts(system: System) -> list[str]:
    """The files of what is shared, the pack's own before its parent's."""
    systems = [system] if system.parent is None else [system, system.parent]
    return [one.text(SHARED) for one in systems if SHARED.rpartition("/")[2] in one.declared]


def _mapping(source: dict[str, Any], key: str) -> dict[str, Any]:
    found = source.get(key) or {}
    return found if isinstance(found, dict) else {}


def _read(system: System, name: str) -> dict[str, Any]:
    data = system.read(name)
    if not isinstance(data, dict):
        raise TableError(f"{system.id}/{name}.yaml", "must be a mapping with steps")
    return data
