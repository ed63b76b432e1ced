"""Answers on their way: stored with their commit, and kept until somebody has seen them posted."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from bot.outbox.leases import LEASE, Leases
from bot.runtime.logs import get_seldom_logger, log_failure
from bot.storage.base import DRAFTS_KEPT, LONGEST_WAIT, StoreError
from bot.storage.records import UNTOLD, Doc
from bot.storage.store import Store
from bot.ui.reply.reply import Reply

often = get_seldom_logger(f"{__name__}.often")

GOOD_UNTIL = "good_until"
"""Key in the delivery of an unrequested answer: Unix seconds after which it should not be posted.
"""
INSTEAD = "instead"
"""Key in the delivery of a direct message: the channel to mention the user in if they take none."""
_OURS = (GOOD_UNTIL, INSTEAD)
NOTE_AGAIN = 3.0
"""Seconds until a failed write to the store is tried again."""


class DueAnswer(NamedTuple):
    """An answer that nobody has confirmed as posted, with its place and delivery."""

    id: int
    place: str
    reply: Reply
    delivery: Mapping[str, object]
    attempts: int
    created: float
    request_id: str
    about: str = ""
    amends: str = ""
    is_too_late: bool = False
    instead: str = ""


class Answers:
    """The outbox of one process.

    While it posts an answer, no other process gets it. Answers that are left over go to one of all
    processes.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._posting = Leases[int](self._keep)
        self._noting: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """Stop renewing claims, and stop trying to record shown answers: the process ends.

        Another process may take over the answers after LEASE seconds.
        """
        for task in self._noting:
            task.cancel()
        self._posting.close()

    async def mark_delivered(
        self, *answers: Reply | int, spot: Mapping[str, object] | None = None
    ) -> None:
        """Record that these answers were posted, or can never be.

        They are replies of `run`, or ids of `claim_due`. If the store cannot record it now, it is
        recorded later: the answer is on the screen, and must not appear twice. `spot` is where, for
        `amend`.
        """
        ids = [answer.outbox if isinstance(answer, Reply) else answer for answer in answers]
        ids = [id for id in ids if id]
        with self.hold_while_posting(*ids):  # until that is on the disk
            try:
                if ids:
                    await self._store.mark_outbox_done(*ids, spot=_plain(spot))
            except StoreError as error:
                log_failure(often, "could not save yet that answers were shown", error)
                self._posting.hold(*ids)
                task = asyncio.create_task(self._note_shown(ids, _plain(spot)))
                self._noting.add(task)
                task.add_done_callback(self._noting.discard)

    async def _note_shown(self, ids: Sequence[int], spot: dict[str, object] | None) -> None:
        """Record that these answers were shown, and let go of them.

        Try again every NOTE_AGAIN seconds, until the store allows it or the task is cancelled.
        `spot` is where they were shown.
        """
        while True:
            await asyncio.sleep(NOTE_AGAIN)
            with contextlib.suppress(StoreError):
                await self._store.mark_outbox_done(*ids, spot=spot)
                self._posting.let_go(*ids)
                return

    def hold_while_posting(self, *answers: Reply | int) -> AbstractContextManager[None]:
        """Hold these answers for the block, so that no other process gets them from `claim_due`."""
        ids = [answer.outbox if isinstance(answer, Reply) else answer for answer in answers]
        return self._posting.hold_during(*(id for id in ids if id))

    async def claim_due(self, platform: str, limit: int = 50) -> list[DueAnswer]:
        """Claim answers that were not posted in time, oldest first. The caller posts them at once.

        No other process gets them for LEASE seconds. Return at most `limit` of them for `platform`,
        without those that this process is posting now. Raise StoreError.
        """
        rows = await self._store.claim_outbox(LEASE, limit, platform)
        return [
            DueAnswer(
                row.id,
                row.place,
                Reply.from_json(row.reply),
                {name: value for name, value in row.delivery.items() if name not in _OURS},
                row.attempts,
                row.created,
                row.request_id,
                row.about,
                row.amends,
                row.delivery.get(GOOD_UNTIL, row.claimed) < row.claimed,
                row.delivery.get(INSTEAD, ""),
            )
            for row in rows
            if row.id not in self._posting
        ]

    async def keep_unseen(self, user: str, id: str, reply: Reply, now: float) -> None:
        """Keep an answer for a user, as long as a draft, once for each id."""
        await self._store.put_doc(
            Doc(UNTOLD, f"{user}/{id}", reply.to_json(), now + DRAFTS_KEPT, user)
        )

    async def list_unseen(self, user: str | None = None) -> list[tuple[str, Reply]]:
        """Return the kept answers of a user, or of all, as (key, reply). The key begins with the
        user.
        """
        return [
            (doc.key, Reply.from_json(doc.data))
            for doc in await self._store.load_docs(UNTOLD, user)
        ]

    async def mark_seen(self, key: str) -> None:
        """Delete a kept answer that its user has seen."""
        await self._store.take_doc(UNTOLD, key)

    async def retry(self, id: int, after: float, *, unsure: bool = False) -> None:
        """Schedule an answer again in `after` seconds (LONGEST_WAIT at most).

        It could not be posted, or (`unsure`) nobody knows whether it was.
        """
        await self._store.retry_outbox(min(after, LONGEST_WAIT), id, in_progress=unsure)

    async def _keep(self, ids: Sequence[int]) -> None:
        """Renew this process's claim on these answers for another LEASE seconds."""
        await self._store.retry_outbox(LEASE, *ids, in_progress=True)


def _plain(spot: Mapping[str, object] | None) -> dict[str, object] | None:
    return dict(spot) if spot is not None else None
