"""The journal of receipts, in a table of the same database."""

from __future__ import annotations

from collections.abc import Sequence

from bot.interface.spec import Receipt
from bot.rules.text.plain import storable
from bot.stores.base import LONGEST_WAIT, Clock
from bot.stores.journal import from_text, to_text
from bot.stores.postgres.link import Link, Writer

_CLAIM = """
UPDATE receipts SET due = $4 FROM (
    SELECT number FROM receipts WHERE (due <= $2 OR due > $3) AND starts_with(place, $1)
    ORDER BY number LIMIT $5 FOR UPDATE SKIP LOCKED
) AS ready WHERE receipts.number = ready.number
RETURNING receipts.number, command, until"""


class PostgresJournal:
    """The Journal in the table of receipts."""

    def __init__(self, link: Link, writer: Writer, clock: Clock) -> None:
        self._link, self._writer, self._clock = link, writer, clock

    async def note(self, receipt: Receipt, lease: float) -> bool:
        """See Journal."""
        command = receipt.command
        row = {
            "id": storable(command.request_id),
            "place": command.where.key,
            "user": command.who.key,
            "command": to_text(command),
            "until": receipt.until,
            "due": self._clock() + lease,
        }
        return bool(await self._writer.run("note", row, is_safe=False))

    async def renew(self, ids: Sequence[str], lease: float) -> None:
        """See Journal."""
        due = self._clock() + lease
        await self._link.execute("UPDATE receipts SET due = $1 WHERE id = ANY ($2)", due, [storable(id) for id in ids])

    async def claim(self, platform: str, lease: float, limit: int) -> Sequence[Receipt]:
        """See Journal."""
        now = self._clock()
        rows = await self._link.fetch(_CLAIM, platform, now, now + LONGEST_WAIT, now + lease, limit)
        return [Receipt(from_text(command), until) for _, command, until in sorted(rows, key=lambda row: row[0])]

    async def drop(self, ids: Sequence[str]) -> None:
        """See Journal."""
        await self._writer.run("drop", [storable(id) for id in ids])

    async def forget(self, user: str, places: Sequence[str], but: str) -> None:
        """See Journal."""
        query = 'DELETE FROM receipts WHERE ("user" = $1 OR place = ANY ($2)) AND id <> $3'
        await self._link.execute(query, user, list(places), storable(but))

    async def close(self) -> None:
        """See Journal. The store closes what it shares with it."""
