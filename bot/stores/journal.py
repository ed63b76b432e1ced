"""The journal of receipts. Whoever is shown "thinking" is owed an answer, so it is written down before that is shown.

It can be written while the database is locked, and outlives a kill. An entry goes when its answer is on the disk (the
outbox brings that) or, where nothing is stored, when it was posted. What a dead process left behind another one takes
over: it runs the command, which happens once whoever runs it, or says that it was not run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Protocol

from bot.interface.spec import Command, Person, Place, Receipt


class Journal(Protocol):
    """Keeps receipts by request id. Every method may raise StoreError."""

    async def note(self, receipt: Receipt, lease: float) -> bool:
        """Write it down for good; nobody else claims it for `lease` seconds. False for one that is there already."""
        ...

    async def renew(self, ids: Sequence[str], lease: float) -> None:
        """Nobody else claims these for `lease` more seconds."""
        ...

    async def claim(self, platform: str, lease: float, limit: int) -> Sequence[Receipt]:
        """Receipts of places beginning with `platform` whose lease has run out, oldest first; as for the outbox."""
        ...

    async def drop(self, ids: Sequence[str]) -> None:
        """These are answered."""
        ...

    async def forget(self, user: str, places: Sequence[str], but: str) -> None:
        """Delete what a user asked for, and all of these places; the request `but` stays."""
        ...

    async def close(self) -> None:
        """Let go of the file."""
        ...


_KEPT = tuple(one.name for one in fields(Command) if one.name != "spec")


def to_text(command: Command) -> str:
    """A command as one line of JSON."""
    return json.dumps({name: getattr(command, name) for name in _KEPT}, separators=(",", ":"), default=_fields)


def _fields(part: Person | Place) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.__slots__}


def from_text(text: str) -> Command:
    """The command that `to_text` wrote."""
    data = json.loads(text)
    data["who"], data["where"] = Person(**data["who"]), _place(data["where"])
    data["channels"] = {name: _place(place) for name, place in data["channels"].items()}
    return Command(**{**data, "path": tuple(data["path"])})


def _place(data: dict[str, Any]) -> Place:
    parent = data.get("parent")
    return Place(**{**data, "parent": _place(parent) if parent else None})
