"""How stored answers leave, on every platform: claimed, held while one is tried, then confirmed or
tried again later.

A platform brings `post` alone: it looks whether the answer is there already, posts it, and says how
that went.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
from cachetools import FIFOCache

from bot.app import App
from bot.commands.log.answer_footer import OR_POST
from bot.execution.budgets import Queues
from bot.outbox.waiting_answers import DueAnswer
from bot.rules.errors import UserError
from bot.runtime.logs import get_seldom_logger, log_failure
from bot.ui.reply.reply import LINK, Reply
from bot.ui.spec import Command, Person

log = logging.getLogger(__name__)
often = get_seldom_logger(f"{__name__}.often")

EVERY = 0.5
AFTER_TROUBLE = 5.0
"""Seconds until the outbox is read again after that failed."""
MOST = 100
"""Left-over answers at work at once."""
RETRY = (5.0, 15.0, 60.0, 300.0)
EDITS = 6
"""Attempts to change a message, which may be too old for it; what became of it is told
elsewhere, too.
"""
GIVE_UP = 2_000
"""Attempts after which an answer is given up: about a week of them."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """It is there, by this attempt or by an earlier one; `spot` is where, as far as that is
    known.
    """

    spot: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class RetryLater:
    """Not now; the platform asks for so many seconds, if any. `unsure`: it may be there all the
    same.
    """

    seconds: float = 0.0
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Undeliverable:
    """No attempt will ever succeed."""

    why: str


Outcome = Delivered | RetryLater | Undeliverable
INSTEAD = "instead"
"""In the spot of a message that was posted instead of a change (`Reply.instead`)."""


_UNPINNED = FIFOCache[str, bool](1_000)
"""Channels in which somebody was told that a board could not be pinned."""


def explain_not_pinned(why: str, channel: object) -> Reply | None:
    """Return what whoever asked is told if a board could not be pinned; None if it was said in
    this channel before. It does no harm, as the message is there.
    """
    key = f"{channel}/{why}"
    if key in _UNPINNED:
        return None
    _UNPINNED[key] = True
    return Reply(
        "The board could not be pinned", (f"{why} The board works all the same.",), private=True
    )


async def settle_receipt(app: App, id: str, reply: Reply, posting: Awaitable[bool]) -> bool:
    """Return whether the answer to a request is there, whose receipt is done with then; not where
    another delivery of the same request posts it. What is on the disk is the outbox's from now on.
    """
    if not reply.elsewhere and (reply.outbox or reply.seen):
        await app.receipts.finish(id)
    is_there = await posting
    if reply.elsewhere:
        return False
    if is_there:
        await app.receipts.finish(id)
    else:
        app.receipts.release(id)
    return is_there


async def draw_picture_after(app: App, reply: Reply, command: Command, who: Person) -> Reply | None:
    """The picture that goes behind an answer that is there, if any. Where it fails that is logged:
    the answer has said it all."""
    if not reply.after or reply.seen:
        return None
    drawn = await app.press(reply.after, who, command.where, f"{command.request_id}/after")
    if drawn.error:
        log.warning("no picture for %s: %s", command.request_id, drawn.title)
        return None
    return drawn


def create_call_counter(app: App, platform: str) -> aiohttp.TraceConfig:
    """For a session that calls a platform: counts how often that asks to wait, and has errors of
    its own.
    """

    async def count_response(_: object, __: object, call: aiohttp.TraceRequestEndParams) -> None:
        if call.response.status == 429:
            app.counts.count("limited", platform)
        elif call.response.status >= 500:
            app.counts.count("refused", platform)

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(count_response)
    return trace


class Outbox:
    """Brings what is left over on one platform: several at once, those of one place in order."""

    def __init__(
        self,
        app: App,
        platform: str,
        post: Callable[[DueAnswer], Awaitable[Outcome]],
        edit: Callable[[DueAnswer, Mapping[str, Any]], Awaitable[Outcome]],
        at_once: int = MOST,
    ) -> None:
        """`post` brings an answer, `edit` changes the message at a spot to how it reads now."""
        self._app = app
        self._platform = platform
        self._post = post
        self._edit = edit
        self._end = asyncio.Event()
        self._queues = Queues()
        self._at_once = asyncio.Semaphore(at_once)
        self._under_way: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Look for answers that nobody brings, until `stop`."""
        while not self._end.is_set():
            pause = EVERY
            try:
                await self._look_for_answers()
            except Exception as error:
                pause = AFTER_TROUBLE
                log_failure(often, "could not read the outbox", error)
            try:
                await asyncio.wait_for(self._end.wait(), pause)
            except TimeoutError:
                pass

    async def stop(self, patience: float = 0.0) -> None:
        """Begin nothing more, finish what takes no longer than that; the rest stays in the
        outbox.
        """
        self._end.set()
        if self._under_way and patience:
            await asyncio.wait(self._under_way, timeout=patience)
        for task in self._under_way:
            task.cancel()

    async def record_outcome(self, id: int, attempts: int, outcome: Outcome) -> None:
        """Write down what became of answer `id` (0: it was not stored), after so many attempts
        before this one.

        Where the disk refuses that, the outbox looks into it later.
        """
        if isinstance(outcome, RetryLater) and attempts >= GIVE_UP:
            outcome = Undeliverable(f"it was tried {attempts} times")
        if isinstance(outcome, Undeliverable):
            log.error("an answer can never be posted: %s", outcome.why)
        if not id:
            return
        try:
            if isinstance(outcome, RetryLater):
                pause = max(outcome.seconds, RETRY[min(attempts, len(RETRY) - 1)])
                await self._app.retry_answer(id, pause, unsure=outcome.unsure)
            else:
                await self._app.answers.mark_delivered(
                    id, spot=outcome.spot if isinstance(outcome, Delivered) else None
                )
        except UserError as error:
            log_failure(often, "could not save delivery status", error)

    async def _look_for_answers(self) -> None:
        room = MOST - len(self._under_way)
        for due in await self._app.answers.claim_due(self._platform, room) if room > 0 else ():
            task = asyncio.create_task(self._deliver(due))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _deliver(self, due: DueAnswer) -> None:
        """Bring one after those of its place that came before it; it is held all the while."""
        try:
            if due.is_too_late:
                log.info("a message for %s was not posted in time, and is not any more", due.place)
                await self._app.answers.mark_delivered(due.id)
                return
            with self._app.answers.hold_while_posting(due.id):
                async with self._queues.wait_for_turn(due.place), self._at_once:
                    outcome = await (self._amend(due) if due.amends else self._post_or_call(due))
            await self.record_outcome(due.id, due.attempts, outcome)
        except Exception:
            log.exception("could not deliver answer %s; trying again", due.id)

    async def _post_or_call(self, due: DueAnswer) -> Outcome:
        """Post one; where a person takes no direct messages, it calls them in the channel
        instead.
        """
        outcome = await self._post(due)
        if not isinstance(outcome, Undeliverable) or not due.instead:
            return outcome
        log.info("%s takes no direct messages, so they are called in %s", due.place, due.instead)
        buttons = tuple(button for button in due.reply.buttons if button.style != LINK)
        told = replace(due.reply, mention=(due.place,), buttons=buttons)
        return await self._post(due._replace(place=due.instead, reply=told))

    async def _amend(self, due: DueAnswer) -> Outcome:
        """Change a message that no longer holds. Where it is gone, or too old, what became of it
        is said elsewhere.
        """
        shown = await self._app.store.load_posted_messages(due.amends)
        spots = shown.spots.get(due.place, ())
        outcome: Outcome = Undeliverable(
            "nobody knows where it is" if spots else "it was withdrawn before it was posted"
        )
        standalone = due._replace(reply=due.reply.standalone)
        for spot in filter(None, spots):
            outcome = await self._edit(standalone if spot.get(INSTEAD) else due, spot)
            if isinstance(outcome, RetryLater):
                break
        if isinstance(outcome, RetryLater) and due.attempts < EDITS:
            return RetryLater(outcome.seconds)  # to change it twice does no harm
        if isinstance(outcome, Delivered):
            return outcome
        if due.delivery.get(OR_POST):
            outcome = await self._post(standalone._replace(delivery={}, amends=""))
            if isinstance(outcome, Delivered) and outcome.spot and due.reply.instead is not None:
                return Delivered({**outcome.spot, INSTEAD: True})
            return outcome
        log.info("a message in %s could not be changed: %s", due.place, outcome)
        return Delivered()
