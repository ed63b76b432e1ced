"""An index of the log by kind, side and unit, with which `/log` finds events.

A block holds BLOCK events of a log that were written one after another. Events never change, so the
marks of a full block stay true. The last events, which fill no block yet, are read directly.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from bot.game.events import COMBAT, list_changed_units
from bot.presentation.events import QUIET

BLOCK = 500
EDITION = "1"
"""The edition of the marks. Raise it if events get other marks; blocks are then indexed once more.
"""
MARKED = ""
"""The mark of a block that has all its marks; it holds the edition."""
STILL = "quiet"
"""The mark of events that are no part of a story."""
GROUPS = {
    **dict.fromkeys(("reveal", "sealed", "roll"), "roll"), "redo": "undo", "table": "table",
    **dict.fromkeys(COMBAT, "sequence"),
    **dict.fromkeys(("deck", "draw", "cards"), "deck"),
}  # fmt: skip

Event = Mapping[str, Any]
Marks = Mapping[str, Collection[int]]
"""The numbers of the events under each mark of a block."""


def get_log_kind(event: Event) -> str:
    """Return the kind under which `/log` lists an event."""
    kind = event["kind"]
    if kind == "sealed":
        return str(event.get("of", "roll"))
    return kind if kind in ("unit", "fair", "undo") else GROUPS.get(kind, "game")


def list_unit_names(event: Event) -> Iterator[str]:
    """Yield the case-folded names of the units that an event uses or changes."""
    for item in event.get("used", ()):
        yield item["name"].casefold()
    yield from map(
        str.casefold, list_changed_units(event.get("before") or {}, event.get("after") or {})
    )


def build_mark(key: str, value: object) -> str:
    """Return the mark for a value: `kind:roll`, `side:us`, `unit:squad 1`, `undo:41`.

    The key is `kind`, `side` (of the player), `unit`, `undo` or `redo` (with the number of the
    event).
    """
    return f"{key}:{str(value).casefold()}"


def list_marks(event: Event) -> set[str]:
    """Return the marks of one event."""
    kind = event["kind"]
    marks = {build_mark("kind", get_log_kind(event)), build_mark("side", event.get("side", ""))}
    marks |= {build_mark("unit", name) for name in list_unit_names(event)}
    if kind in QUIET:
        marks.add(STILL)
    if kind in ("undo", "redo"):
        marks.add(build_mark(kind, event["event"]))
    return marks


def index_block(bodies: Iterable[str]) -> dict[str, list[int]]:
    """Return the numbers of the events under each of their marks. `bodies` are the events as JSON."""
    numbers_by_mark: dict[str, list[int]] = {}
    for event in map(json.loads, bodies):
        for mark in list_marks(event):
            numbers_by_mark.setdefault(mark, []).append(event["number"])
    return numbers_by_mark


def pack_numbers(block: int, numbers: Iterable[int]) -> str:
    """Return numbers of a block as text to store, each as its distance from the start of the block."""
    return " ".join(str(number - block * BLOCK) for number in numbers)


def unpack_numbers(block: int, text: str) -> list[int]:
    """Return the numbers that `pack_numbers` wrote."""
    return [block * BLOCK + int(piece) for piece in text.split()]
