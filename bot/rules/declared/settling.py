"""The end of a declared sequence: what its notes on the way come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.rules.declared.calls import NONE, said
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change, Fate, Settlement
from bot.rules.text.phrase import Phrase, Typed

Note = tuple[str, Any]
"""Something for the end: its kind, and what it says."""
LISTS = ("mark", "unmark")
"""Keys of a change that hold markers."""
_NOTHING: Mapping[str, Any] = {}
_NO_WORDS: frozenset[str] = frozenset()


def settled(notes: Iterable[Note]) -> Settlement:
    """The end as the notes taken on the way say it, in their order."""
    units: list[tuple[str, str]] = []
    fates: list[Fate] = []
    changes: list[Change] = []
    told: dict[str, tuple[str, ...]] = {}
    headline = None
    for kind, says in notes:
        if kind == "fate":
            fates.append(says)
        elif kind == "headline":
            headline = says
        elif kind == "result":
            units.append(says)
        elif kind == "change":
            if says is not None:
                changes.append(says)
        elif says:
            told[kind] = (*told.get(kind, ()), says)
    if headline is None:
        headline = "; ".join([f"{unit} {word}" for unit, word in units])
    then, now, small = (told.get("then", ()), told.get("now", ()), told.get("notes", ())) if told else ((), (), ())
    return Settlement(headline, tuple(units), then, tuple(changes), tuple(fates), now, "", small)


def fate(unit: Any, token: str, more: str = "") -> Note:
    """The note of what came of a unit."""
    return "fate", Fate(said(unit), token, "" if more == NONE else more)


def result(unit: Any, word: str) -> Note:
    """The note of a unit's result."""
    return "result", (said(unit), word)


def pieced(pieces: Sequence[str]) -> str:
    """A sentence of which every second piece is a command; nothing in a name can become one."""
    if len(pieces) == 1:
        return plainly(pieces[0])
    return Phrase(*(Typed(piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece))


def plainly(value: str) -> str:
    """The text, empty where it says none."""
    return "" if value == NONE else value


def change(
    unit: Any,
    *,
    set: Mapping[str, Any] = _NOTHING,
    add: Mapping[str, Any] = _NOTHING,
    mark: Iterable[str] = (),
    unmark: Iterable[str] = (),
    give: Mapping[str, Any] = _NOTHING,
    take: Mapping[str, Any] = _NOTHING,
    of: str = "",
    drop: Any = False,
    turn: Any = False,
) -> Note:
    """The note of a change of a roster unit: None for a unit that is not on the roster and where nothing changes."""
    listed = unit.__class__ is Unit
    name = unit.name if listed else str(unit)
    if name in ("", NONE):
        return "change", None
    new = {key: value for key, value in set.items() if value != NONE}
    more = {key: int(value) for key, value in add.items() if value != NONE and value} if add else {}
    marks, unmarks = [
        frozenset([word for word in words if word and word != NONE]) if words else _NO_WORDS for words in (mark, unmark)
    ]
    if listed and (give or take):
        new |= _passed_on(unit, give, take)
    if not (new or more or marks or unmarks or drop is True):
        return "change", None
    return "change", Change(name, new, marks, unmarks, more, of, drop is True, turn is True)


def _passed_on(unit: Unit, give: Mapping[str, Any], take: Mapping[str, Any]) -> dict[str, Any]:
    """The lists of names among a unit's attributes that get a name more or a name less; None for an empty list.

    What is on the roster is entered though it is there: an earlier change may have dropped it.
    """
    new: dict[str, Any] = {}
    for key, thing in give.items():
        names = _names(unit, key)
        if said(thing) not in names or (isinstance(thing, Unit) and thing.name):
            new[key] = ",".join(dict.fromkeys((*names, said(thing))))
    for key, thing in take.items():
        names = _names(unit, key)
        kept = [name for name in names if name.casefold() != said(thing).casefold()]
        if kept != names:
            new[key] = ",".join(kept) or None
    return new


def _names(unit: Unit, key: str) -> list[str]:
    return [name.strip() for name in str(unit.numbers.get(key, "")).split(",") if name.strip()]
