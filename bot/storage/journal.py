"""The journal of receipts. Whoever is shown "thinking" is owed an answer, so it is written down
before that is shown.

It can be written while the database is locked, and outlives a kill. An entry goes when its answer
is on the disk (the outbox brings that) or, where nothing is stored, when it was posted. What a dead
process left behind another one takes over: it runs the command, which happens once whoever runs it,
or says that it was not run.
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from bot.storage.statements import NOW, OVERDUE, Engine, SqlStep, Talk
from bot.ui.spec import Command, Person, Place, Receipt


class Journal:
    """Keeps receipts by request id. Every method may raise StoreError."""

    def __init__(self, writer: Engine) -> None:
        self._writer = writer

    async def note(self, receipt: Receipt, lease: float) -> bool:
        """Write it down for good; nobody else claims it for `lease` seconds. False for one that
        is there already.
        """
        command = receipt.command
        row = (
            command.request_id,
            command.where.key,
            command.who.key,
            command_to_text(command),
            receipt.until,
        )
        insert = (
            'INSERT INTO receipts (id, place, "user", command, until, due) '
            f"VALUES (?1, ?2, ?3, ?4, ?5, {NOW} + ?6) "
            "ON CONFLICT DO NOTHING RETURNING number"
        )
        return bool(await self._writer.write([SqlStep(insert, (*row, lease))], is_safe=False))

    async def renew(self, ids: Sequence[str], lease: float) -> None:
        """Nobody else claims these for `lease` more seconds."""
        await self._writer.write([_extend_lease(id, lease) for id in ids])

    async def claim(self, platform: str, lease: float, limit: int) -> Sequence[Receipt]:
        """Receipts of places beginning with `platform` whose lease has run out, oldest first; as
        for the outbox.
        """

        def claim() -> Talk:
            rows = yield SqlStep(
                f"SELECT id, command, until FROM receipts WHERE {OVERDUE} "
                "AND substr(place, 1, length(?1)) = ?1 ORDER BY number LIMIT ?2 /*+ FOR UPDATE SKIP LOCKED */",
                (platform, limit),
            )
            for id, _, _ in rows:
                yield _extend_lease(id, lease)
            return [Receipt(command_from_text(command), until) for _, command, until in rows]

        return await self._writer.talk(claim) or ()

    async def drop(self, ids: Sequence[str]) -> None:
        """These are answered."""
        await self._writer.write(
            [SqlStep("DELETE FROM receipts WHERE id = ?1", (id,)) for id in ids]
        )

    async def forget(self, user: str, places: Sequence[str], but: str) -> None:
        """Delete what a user asked for, and all of these places; the request `but` stays."""
        theirs = SqlStep('DELETE FROM receipts WHERE "user" = ?1 AND id <> ?2', (user, but))
        delete = "DELETE FROM receipts WHERE place = ?1 AND id <> ?2"
        await self._writer.write([theirs, *(SqlStep(delete, (place, but)) for place in places)])

    async def close(self) -> None:
        """Let go of what they are written in."""
        await self._writer.close()


def _extend_lease(id: str, lease: float) -> SqlStep:
    return SqlStep(f"UPDATE receipts SET due = {NOW} + ?1 WHERE id = ?2", (lease, id))


_NOT_KEPT = ("spec", "bot_rights")
_KEPT = tuple(one.name for one in fields(Command) if one.name not in _NOT_KEPT)


def command_to_text(command: Command) -> str:
    """A command as one line of JSON."""
    return json.dumps(
        {name: getattr(command, name) for name in _KEPT}, separators=(",", ":"), default=_fields
    )


def _fields(part: Person | Place) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.__slots__}


def command_from_text(text: str) -> Command:
    """The command that `command_to_text` wrote."""
    data = json.loads(text)
    data["who"], data["where"] = Person(**data["who"]), _place(data["where"])
    data["channels"] = {name: _place(place) for name, place in data["channels"].items()}
    return Command(**{**data, "path": tuple(data["path"])})


def _place(data: dict[str, Any]) -> Place:
    parent = data.get("parent")
    return Place(**{**data, "parent": _place(parent) if parent else None})
