"""The commands at work in this process: each runs once, and may be called off until it is stored. A receipt is a
promise: what was shown as under way is answered or refused, also after a crash."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from bot.interface.reply.reply import Reply, error_reply
from bot.interface.spec import Command, Receipt
from bot.outbox.receipts import NOT_WRITTEN, Receipts, not_run
from bot.process.logs import log_failure, seldom
from bot.rules.errors import UserError
from bot.running.storing import DELETED, outgoing
from bot.running.unrecorded import Unrecorded
from bot.stores.base import Clock, Deleted, Gate
from bot.stores.records import Commit
from bot.stores.store import Store

often = seldom(f"{__name__}.often")

AWAY = "store-away"
STORED_WITHIN = 0.2
"""Seconds for which a commit that is being written is waited for, before the receipt is shown without a note of it."""


@dataclass(slots=True)
class Work:
    """A command at work."""

    task: asyncio.Task[Reply]
    gate: Gate
    command: Command | None = None  # as it was read: a receipt may only know what was typed
    is_handed_over: bool = False  # its answer was given to whoever could not show a receipt


class UnderWay:
    """What is at work, by request id."""

    def __init__(self) -> None:
        self._works: dict[str, Work] = {}

    async def once(
        self, id: str, run: Callable[[Gate], Coroutine[Any, Any, Reply]], command: Command | None = None
    ) -> Reply:
        """What `run` answers, which passes the gate before it stores. A request that is already at work gets the same
        answer marked as `seen`."""
        work = self._works.get(id)
        if work is not None:
            reply = await asyncio.shield(work.task)
            return replace(reply, seen=True, outbox=0, elsewhere=not (reply.outbox or reply.seen))
        gate = Gate()
        work = self._works[id] = Work(asyncio.create_task(run(gate)), gate, command)
        work.task.add_done_callback(lambda _: self._works.pop(id, None))
        return await asyncio.shield(work.task)  # an adapter that gives up waiting must not leave half a command

    def get(self, id: str) -> Work | None:
        """The request, if it is at work."""
        return self._works.get(id)

    async def finish(self) -> None:
        """Wait for all that is at work."""
        await asyncio.gather(*(work.task for work in self._works.values()), return_exceptions=True)


async def handed_over(work: Work, within: float) -> Reply | None:
    """The answer of what is just being stored, given to whoever could not show a receipt; None where it is not there
    within so many seconds."""
    done, _ = await asyncio.wait({work.task}, timeout=within)
    if not done:
        return None
    is_again, work.is_handed_over = work.is_handed_over, True  # the same request, delivered twice
    reply = work.task.result()
    return replace(reply, seen=True, outbox=0) if is_again else reply


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
            log_failure(often, "could not save a receipt", error)
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
        commit = Commit(command.request_id, reply.to_json(), command.who.key, outbox=[*outgoing(command)])
        try:
            done = await self._store.commit(commit)
        except Deleted:
            return replace(DELETED, seen=True)
        return replace(reply, seen=True) if done.seen else replace(reply, outbox=done.outbox[0])
