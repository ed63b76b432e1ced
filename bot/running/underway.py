"""The commands at work in this process: each runs once, and may be called off until it is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from bot.interface.reply.reply import Reply
from bot.interface.spec import Command
from bot.stores.base import Gate


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
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        work = self._works[id] = Work(asyncio.create_task(run(gate)), gate, command)

        def done(task: asyncio.Task[Reply]) -> None:  # what `shield` does, in one call in place of three
            self._works.pop(id, None)
            if task.cancelled():
                answered.cancel()
            elif (error := task.exception()) is not None:
                if not answered.done():
                    answered.set_exception(error)
            elif not answered.done():
                answered.set_result(task.result())

        work.task.add_done_callback(done)
        return await answered  # not the task: an adapter that gives up waiting must not leave half a command

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
