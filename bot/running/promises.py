"""A receipt is a promise: what was shown as under way is answered or refused, also after a crash."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.interface.reply.reply import Reply, error_reply
from bot.interface.spec import Command, Receipt
from bot.outbox.receipts import NOT_WRITTEN, Receipts, not_run
from bot.process.logs import seldom
from bot.rules.errors import UserError
from bot.running.storing import DELETED, outgoing
from bot.running.underway import UnderWay, handed_over
from bot.running.unrecorded import Unrecorded
from bot.stores.base import Clock, Deleted
from bot.stores.records import Commit
from bot.stores.store import Store

often = seldom(f"{__name__}.often")

AWAY = "store-away"
STORED_WITHIN = 0.2
"""Seconds for which a commit that is being written is waited for, before the receipt is shown without a note of it."""


class Promises:
    """What this process has promised, and what it makes good for a dead one."""

    def __init__(
        self, store: Store, clock: Clock, receipts: Receipts, under_way: UnderWay, unrecorded: Unrecorded
    ) -> None:
        self._unrecorded = unrecorded
        self._store, self._clock = store, clock
        self._receipts, self._under_way = receipts, under_way

    async def make(self, command: Command, until: float) -> Reply | None:
        """Write down that `command` will be answered or refused; see App.promised."""
        begun = self._under_way.get(command.request_id)
        try:
            await self._receipts.note(command, until)
            return None
        except UserError as error:
            often.error("could not save a receipt: %s", error.message)
            problem = error
        work = self._under_way.get(command.request_id) or begun
        if work is not None and not work.gate.call_off():
            return await handed_over(work, STORED_WITHIN)
        if work is not None and work.command is not None:
            command = work.command
        if problem.code == AWAY:
            return self._unrecorded.instead_of(problem, command, sure=True) or error_reply(problem)
        return self._unrecorded.while_down(command) or error_reply(NOT_WRITTEN)

    async def make_good(self, receipt: Receipt, run: Callable[[], Awaitable[Reply]]) -> Reply:
        """The answer to a receipt that was taken over: the command is run while its token lives.

        After that it is refused, which is stored like any answer: whoever was faster, only one of both is told.
        """
        command = receipt.command
        if self._clock() < receipt.until:
            return await run()
        reply = not_run(command)
        commit = Commit(command.request_id, reply.to_json(), command.who.key, outbox=outgoing(command, self._clock()))
        try:
            done = await self._store.commit(commit)
        except Deleted:
            return replace(DELETED, seen=True)
        return replace(reply, seen=True) if done.seen else replace(reply, outbox=done.outbox[0])
