"""The end of a declared sequence: what its notes on the way come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.rules.declared.calls import NONE, said
from bot.rules.inputs.units import Unit
from bot.rules.phrase import Phrase, Typed
from bot.rules.sequence import Change, Fate, Settlement

Note = tuple[str, Mapping[str, Any]]
"""Something for the end: its kind, and what it says."""
LISTS = ("mark", "unmark")
"""Keys of a change that hold markers."""


def settled(notes: Iterable[Note]) -> Settlement:
    """The end as the notes taken on the way say it, in their order."""
    units: list[tuple[str, str]] = []
    fates: list[Fate] = []
    changes: list[Change] = []
    told: dict[str, list[str]] = {}
    for kind, says in notes:
        if kind == "result":
            units.append((said(says["unit"]), said(says["is"])))
        elif kind == "fate":
            fates.append(Fate(said(says["unit"]), said(says["is"]), _blank(says.get("more"))))
        elif kind == "change":
            if (change := _change(says)) is not None:
                changes.append(change)
        elif (line := pieced(says["say"])) or kind == "headline":
            if kind in told:
                told[kind].append(line)
            else:
                told[kind] = [line]
    headline = told["headline"][-1] if "headline" in told else "; ".join([f"{unit} {word}" for unit, word in units])
    then, now, small = [tuple(told[kind]) if kind in told else () for kind in ("then", "now", "notes")]
    return Settlement(headline, tuple(units), then, tuple(changes), tuple(fates), now, notes=small)


def pieced(pieces: Sequence[str]) -> str:
    """A sentence of which every second piece is a command; nothing in a name can become one."""
    if len(pieces) == 1:
        return _blank(pieces[0])
    return Phrase(*(Typed(piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece))


def _blank(value: Any) -> str:
    if value.__class__ is str:
        return "" if value == NONE else value
    return "" if value is None or value == NONE else said(value)


def _change(one: Mapping[str, Any]) -> Change | None:
    """The change of a roster unit, or None for a unit that is not on the roster and where nothing changes."""
    unit = one["unit"]
    name = unit.name if isinstance(unit, Unit) else str(unit)
    if name in ("", NONE):
        return None
    new = {key: value for key, value in one.get("set", {}).items() if value != NONE}
    more = {key: int(value) for key, value in one.get("add", {}).items() if value != NONE and value}
    mark, unmark = (frozenset(word for word in one.get(kind, ()) if word and word != NONE) for kind in LISTS)
    if isinstance(unit, Unit):
        new |= _passed_on(unit, one.get("give", {}), one.get("take", {}))
    drop, turn = (one.get(key) is True for key in ("drop", "turn"))
    if not (new or more or mark or unmark or drop):
        return None
    return Change(name, new, mark, unmark, more, one.get("of", ""), drop, turn)


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
