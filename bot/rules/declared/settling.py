"""The end of a declared sequence: what its notes on the way come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bot.rules.declared.calls import NONE, said
from bot.rules.inputs.units import Unit
from bot.rules.phrase import Phrase, Typed
from bot.rules.sequence import Change, Fate, Settlement


class Note(NamedTuple):
    """Something for the end: its kind, and what it says."""

    kind: str
    says: Mapping[str, Any]


LISTS = ("mark", "unmark")
"""Keys of a change that hold markers."""


def settled(notes: Iterable[Note]) -> Settlement:
    """The end as the notes taken on the way say it, in their order."""
    by: dict[str, list[Mapping[str, Any]]] = {}
    for note in notes:
        if note.says.get("when", True):
            by.setdefault(note.kind, []).append(note.says)
    units = tuple((said(one["unit"]), said(one["is"])) for one in by.get("result", ()))
    fates = tuple(Fate(said(one["unit"]), said(one["is"]), _blank(one.get("more"))) for one in by.get("fate", ()))
    changes = tuple(change for one in by.get("change", ()) if (change := _change(one)) is not None)
    headlines = by.get("headline")
    headline = "".join(headlines[-1]["say"]) if headlines else "; ".join(f"{unit} {word}" for unit, word in units)
    then, now, notes_ = (
        tuple(line for one in by.get(kind, ()) if (line := pieced(one["say"]))) for kind in ("then", "now", "notes")
    )
    return Settlement(headline, units, then, changes, fates, now, notes=notes_)


def pieced(pieces: Sequence[str]) -> str:
    """A sentence of which every second piece is a command; nothing in a name can become one."""
    if len(pieces) == 1:
        return _blank(pieces[0])
    return Phrase(*(Typed(piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece))


def _blank(value: Any) -> str:
    return "" if value is None or value == NONE else said(value)


def _change(one: Mapping[str, Any]) -> Change | None:
    """The change of a roster unit, or None for a unit that is not on the roster and where nothing changes."""
    unit = one["unit"]
    if not isinstance(unit, Unit) or not unit.name:
        return None
    new = {key: value for key, value in one.get("set", {}).items() if value != NONE}
    more = {key: int(value) for key, value in one.get("add", {}).items() if value != NONE and value}
    mark, unmark = (frozenset(word for word in one.get(kind, ()) if word and word != NONE) for kind in LISTS)
    if not (new or more or mark or unmark):
        return None
    return Change(unit.name, new, mark, unmark, more, one.get("of", ""))
