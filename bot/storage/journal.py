"""The journal of receipts. A user who sees "thinking" will get an answer, so the command is
recorded before that is shown.

The journal can be written while the database is locked, and survives a crash. An entry is deleted
when its answer is in the outbox or, if nothing is stored, when it was posted. Receipts of a process
that died are taken over by another one: it runs the command, which is stored only once however
often it runs, or reports that it was not run.
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from bot.storage.statements import NOW, OVERDUE, Engine, SqlStep, Talk
from bot.ui.spec import Command, Person, Place, Receipt


class Journal:
    """The receipts of all processes, by request id. Every method may raise StoreError."""

    def __init__(self, writer: Engine) -> None:
        self._writer = writer

    async def note(self, receipt: Receipt, lease: float) -> bool:
        """Record a receipt on the disk. No other process claims it for `lease` seconds.

        Return False if a receipt of this request is recorded already.
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
        """Have no other process claim these receipts for `lease` seconds from now."""
        await self._writer.write([_extend_lease(id, lease) for id in ids])

    async def claim(self, platform: str, lease: float, limit: int) -> Sequence[Receipt]:
        """Claim receipts whose lease has expired, for `lease` seconds: at most `limit` of places
        whose keys begin with `platform`, oldest first. Return them.
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
        """Delete the receipts of these requests, which are answered."""
        await self._writer.write(
            [SqlStep("DELETE FROM receipts WHERE id = ?1", (id,)) for id in ids]
        )

    async def forget(self, user: str, places: Sequence[str], kept_request: str) -> None:
        """Delete the receipts of a user, and all receipts of these places, but not that of
        `kept_request`.
        """
        delete_own = 'DELETE FROM receipts WHERE "user" = ?1 AND id <> ?2'
        delete_place = "DELETE FROM receipts WHERE place = ?1 AND id <> ?2"
        steps = [SqlStep(delete_own, (user, kept_request))]
        steps += [SqlStep(delete_place, (place, kept_request)) for place in places]
        await self._writer.write(steps)

    async def close(self) -> None:
        """Wait until everything is written, and close the journal."""
        await self._writer.close()


def _extend_lease(id: str, lease: float) -> SqlStep:
    """Return the step that reserves a receipt for `lease` seconds from now."""
    return SqlStep(f"UPDATE receipts SET due = {NOW} + ?1 WHERE id = ?2", (lease, id))


_UNSTORED_FIELDS = ("spec", "bot_rights")
_STORED_FIELDS = tuple(
    field.name for field in fields(Command) if field.name not in _UNSTORED_FIELDS
)


def command_to_text(command: Command) -> str:
    """Format a command as one line of JSON, without the fields that are looked up for each run."""
    data = {name: getattr(command, name) for name in _STORED_FIELDS}
    return json.dumps(data, separators=(",", ":"), default=_get_fields)


def _get_fields(part: Person | Place) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.__slots__}


def command_from_text(text: str) -> Command:
    """Parse a command that `command_to_text` formatted."""
    data = json.loads(text)
    data["path"] = tuple(data["path"])
    data["who"] = Person(**data["who"])
    data["where"] = _build_place(data["where"])
    data["channels"] = {name: _build_place(place) for name, place in data["channels"].items()}
    return Command(**data)


def _build_place(data: dict[str, Any]) -> Place:
    """Return the place with these fields, of which `parent` holds those of another place."""
    parent = data.get("parent")
    return Place(**{**data, "parent": _build_place(parent) if parent else None})
