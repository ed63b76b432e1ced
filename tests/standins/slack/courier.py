"""Brings deliveries to the app over either transport, waits for the acknowledgement, and repeats
what Slack repeats.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .deliveries import Delivery

if TYPE_CHECKING:
    from .standin import SlackStandIn


class Courier:
    """Every delivery ever made is in `known`, by envelope id."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self._tasks: set[asyncio.Task[None]] = set()
        self._twice: dict[str, tuple[int, int]] = {}
        self.known: dict[str, Delivery] = {}

    async def deliver(self, delivery: Delivery) -> Delivery:
        """Send it and wait for the acknowledgement, or for its time to run out; repeats go on in
        the background.
        """
        self.send_off(delivery)
        await delivery.first_try.wait()
        return delivery

    def send_off(self, delivery: Delivery) -> None:
        """Deliver in the background; nobody waits for it."""
        self.known[delivery.id] = delivery
        self._spawn(self._carry(delivery))

    async def again(self, delivery: Delivery, *, retry: int = 1, reason: str = "timeout") -> int:
        """The same envelope (and trigger) once more; how many acknowledgements there are after
        waiting for one.
        """
        before = len(delivery.acks) + len(delivery.refusals)
        await self._send(delivery, retry, reason)
        await self._answered(delivery, before)
        return len(delivery.acks)

    def duplicate(self, kind: str, times: int = 1, retry: int = 0) -> None:
        """Send the next `times` deliveries of this kind twice at once."""
        self._twice[kind] = (times, retry)

    async def close(self) -> None:
        """Stop everything under way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, delivery: Delivery) -> None:
        limits = self._slack.limits
        waits = limits.redeliver_after if delivery.kind in limits.redelivered else ()
        reason = ""
        try:
            for retry, wait in enumerate((0.0, *waits)):
                await asyncio.sleep(wait)
                if delivery.acks:
                    return
                reason = await self._attempt(delivery, retry, reason)
                if not reason:
                    return
                delivery.trouble = delivery.trouble or reason
                delivery.first_try.set()
                self._slack.watch.changed()
        finally:
            delivery.first_try.set()

    async def _attempt(self, delivery: Delivery, retry: int, reason: str) -> str:
        """Why the attempt failed, or nothing when it was acknowledged in time."""
        before = len(delivery.acks) + len(delivery.refusals)
        double = self._doubled(delivery.kind) if not retry else None
        copy = (
            asyncio.create_task(self._send(delivery, double, reason))
            if double is not None
            else None
        )
        reached = await self._send(delivery, retry, reason)
        if copy is not None:
            await copy
        if not reached:
            return "dispatch_failed"
        await self._answered(delivery, before)
        if delivery.acks:
            delivery.in_time = True
            delivery.trouble = None if not retry else delivery.trouble
            return ""
        return "http_error" if delivery.refusals else "operation_timeout"

    async def _send(self, delivery: Delivery, retry: int, reason: str) -> bool:
        if self._slack.transport == "http":
            return await self._slack.signed.send(delivery, retry, reason)
        return await self._slack.sockets.send(delivery, retry, "timeout" if reason else "")

    async def _answered(self, delivery: Delivery, before: int) -> None:
        seconds = self._slack.limits.ack_seconds
        if self._slack.transport == "http":
            return  # the post itself has waited
        try:
            await delivery.watch.until(
                lambda: len(delivery.acks) + len(delivery.refusals) > before,
                timeout=seconds,
                what="an acknowledgement",
            )
        except AssertionError:
            pass

    def _doubled(self, kind: str) -> int | None:
        times, retry = self._twice.get(kind, (0, 0))
        if not times:
            return None
        self._twice[kind] = (times - 1, retry)
        return retry

    def _spawn(self, work: object) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
