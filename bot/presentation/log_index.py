"""By what `/log` finds events: their kind, their side, the units in them; noted block by block.

A block is so many events of a log as were written one after another. As no event ever changes, what
is noted of a full block holds for good; the last events of a log, which are no full block yet, are
read as they are.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from bot.game.events import COMBAT, list_changed_units
from bot.presentation.events import QUIET

BLOCK = 500
EDITION = "1"
"""Raised when events are marked otherwise: then blocks are marked anew."""
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
    """The kind under which `/log` lists an event."""
    kind = event["kind"]
    if kind == "sealed":
        return str(event.get("of", "roll"))
    return kind if kind in ("unit", "fair", "undo") else GROUPS.get(kind, "game")


def list_unit_names(event: Event) -> Iterator[str]:
    """The names, folded, of the units that an event uses or changes."""
    for item in event.get("used", ()):
        yield item["name"].casefold()
    yield from map(
        str.casefold, list_changed_units(event.get("before") or {}, event.get("after") or {})
    )


def build_mark(key: str, value: object) -> str:
    """The mark of events that `/log` lists under a `kind`, that somebody of a `side` did, with a
    `unit`, or that are an `undo` or `redo` of an event."""
    return f"{key}:{str(value).casefold()}"


def list_marks(event: Event) -> set[str]:
    """The marks of one event."""
    kind = event["kind"]
    found = {build_mark("kind", get_log_kind(event)), build_mark("side", event.get("side", ""))}
    found |= {build_mark("unit", name) for name in list_unit_names(event)}
    if kind in QUIET:
        found.add(STILL)
    if kind in ("undo", "redo"):
        found.add(build_mark(kind, event["event"]))
    return found


def index_block(bodies: Iterable[str]) -> dict[str, list[int]]:
    """The numbers of some events under their marks."""
    found: dict[str, list[int]] = {}
    for event in map(json.loads, bodies):
        for mark in list_marks(event):
            found.setdefault(mark, []).append(event["number"])
    return found


def pack_numbers(block: int, numbers: Iterable[int]) -> str:
    """Numbers of a block as they are stored: how far each is from its beginning."""
    return " ".join(str(number - block * BLOCK) for number in numbers)


def unpack_numbers(block: int, text: str) -> list[int]:
    """The numbers that `pack_numbers` wrote."""
    return [block * BLOCK + int(piece) for piece in text.split()]
