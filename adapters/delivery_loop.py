"""Delivery of stored answers on every platform: an answer is claimed, held while it is posted, and
then confirmed or tried again later.

A platform supplies `post` and `edit`. They look for an answer that was posted already, post or
change it, and return the outcome.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
from cachetools import FIFOCache

from bot.app import App
from bot.commands.answer_footer import OR_POST
from bot.execution.budgets import Queues
from bot.outbox.waiting_answers import DueAnswer
from bot.rules.errors import UserError
from bot.runtime.logs import get_seldom_logger, log_failure
from bot.ui.reply.reply import LINK, Reply
from bot.ui.spec import Command, Person

log = logging.getLogger(__name__)
often = get_seldom_logger(f"{__name__}.often")

EVERY = 0.5
"""Seconds between reads of the outbox."""
AFTER_TROUBLE = 5.0
"""Seconds until the outbox is read again after a failure."""
MOST = 100
"""Maximum number of answers that are delivered at the same time."""
RETRY = (5.0, 15.0, 60.0, 300.0)
"""Seconds before each further attempt; the last one repeats."""
EDITS = 6
"""Attempts to change a message before a new one is posted if needed. The message may be too old to
be changed.
"""
GIVE_UP = 2_000
"""Attempts after which an answer is given up, about a week of them."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The outcome of an attempt after which the answer is posted, by it or an earlier attempt.

    `spot` is where the message is, as far as that is known.
    """

    spot: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class RetryLater:
    """The outcome of an attempt that failed for now.

    `seconds` is how long the platform asks to wait, 0 if it does not. `unsure`: the answer may have
    been posted although the attempt failed.
    """

    seconds: float = 0.0
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Undeliverable:
    """The outcome of an attempt after which no further one can succeed."""

    reason: str


Outcome = Delivered | RetryLater | Undeliverable
INSTEAD = "instead"
"""The mark in the spot of a message that was posted instead of a change (`Reply.instead`)."""


_UNPINNED = FIFOCache[str, bool](1_000)
"""Channels and reasons for which a user was told that a board could not be pinned."""


def explain_not_pinned(reason: str, channel: object) -> Reply | None:
    """Build the private note that a board could not be pinned, for the user who asked for it.

    Return None if this process built it before for this channel and reason.
    """
    key = f"{channel}/{reason}"
    if key in _UNPINNED:
        return None
    _UNPINNED[key] = True
    lines = (f"{reason} The board still works.",)
    return Reply("The board could not be pinned", lines, private=True)


async def settle_receipt(app: App, id: str, reply: Reply, posting: Awaitable[bool]) -> bool:
    """Await the posting of the answer to the request `id`, and end its receipt if that succeeds.

    Else the receipt is released for another attempt. The receipt of an answer that is stored ends
    at once, because the outbox delivers it from then on. Return whether the answer was posted;
    False if another delivery of the same request posts it.
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


async def draw_picture_after(
    app: App, reply: Reply, command: Command, user: Person
) -> Reply | None:
    """Draw the picture that is posted after an answer, or return None if there is none.

    If that fails, log it and return None, because the answer is complete without it.
    """
    if not reply.after or reply.seen:
        return None
    request_id = f"{command.request_id}/after"
    picture = await app.press(reply.after, user, command.where, request_id)
    if picture.error:
        log.warning("no picture for %s: %s", command.request_id, picture.title)
        return None
    return picture


def create_call_counter(app: App, platform: str) -> aiohttp.TraceConfig:
    """Create a trace for sessions that call a platform. It counts how often the platform asks to
    wait (status 429) or has an error of its own (500 and above).
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
    """Delivers the stored answers of one platform: several at once, those of one place in order."""

    def __init__(
        self,
        app: App,
        platform: str,
        post: Callable[[DueAnswer], Awaitable[Outcome]],
        edit: Callable[[DueAnswer, Mapping[str, Any]], Awaitable[Outcome]],
        at_once: int = MOST,
    ) -> None:
        """Create the outbox. `post` posts an answer, `edit` changes the message at a spot to it.

        `at_once` is the maximum number of answers that are posted at the same time.
        """
        self._app = app
        self._platform = platform
        self._post = post
        self._edit = edit
        self._is_stopping = asyncio.Event()
        self._queues = Queues()
        self._at_once = asyncio.Semaphore(at_once)
        self._under_way: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Deliver answers that are due, until `stop`. A failure of the store is logged."""
        while not self._is_stopping.is_set():
            pause = EVERY
            try:
                await self._look_for_answers()
            except Exception as error:
                pause = AFTER_TROUBLE
                log_failure(often, "could not read the outbox", error)
            try:
                await asyncio.wait_for(self._is_stopping.wait(), pause)
            except TimeoutError:
                pass

    async def stop(self, patience: float = 0.0) -> None:
        """Start no further deliveries, wait up to `patience` seconds for the running ones, and
        cancel the others. What was not delivered stays in the outbox.
        """
        self._is_stopping.set()
        if self._under_way and patience:
            await asyncio.wait(self._under_way, timeout=patience)
        for task in self._under_way:
            task.cancel()

    async def record_outcome(self, id: int, attempts: int, outcome: Outcome) -> None:
        """Save the outcome of an attempt for answer `id`: it is delivered, given up, or due again
        later. `attempts` is the number of earlier ones.

        An answer with the id 0 is not stored, so nothing is saved. If the store fails, that is
        logged, and the answer will be claimed again.
        """
        if isinstance(outcome, RetryLater) and attempts >= GIVE_UP:
            outcome = Undeliverable(f"it was tried {attempts} times")
        if isinstance(outcome, Undeliverable):
            log.error("an answer can never be posted: %s", outcome.reason)
        if not id:
            return
        try:
            if isinstance(outcome, RetryLater):
                pause = max(outcome.seconds, RETRY[min(attempts, len(RETRY) - 1)])
                await self._app.retry_answer(id, pause, unsure=outcome.unsure)
            else:
                spot = outcome.spot if isinstance(outcome, Delivered) else None
                await self._app.answers.mark_delivered(id, spot=spot)
        except UserError as error:
            log_failure(often, "could not save delivery status", error)

    async def _look_for_answers(self) -> None:
        """Claim due answers and start their deliveries, up to MOST at the same time."""
        room = MOST - len(self._under_way)
        if room <= 0:
            return
        for due in await self._app.answers.claim_due(self._platform, room):
            task = asyncio.create_task(self._deliver(due))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _deliver(self, due: DueAnswer) -> None:
        """Post or change one answer after the earlier ones of its place, and record the outcome.

        It is held meanwhile, so that no other process delivers it. One that is too late is dropped.
        """
        try:
            if due.is_too_late:
                log.info("a message for %s was not posted in time, and is not any more", due.place)
                await self._app.answers.mark_delivered(due.id)
                return
            with self._app.answers.hold_while_posting(due.id):
                async with self._queues.wait_for_turn(due.place), self._at_once:
                    if due.amends:
                        outcome = await self._amend(due)
                    else:
                        outcome = await self._post_or_call(due)
            await self.record_outcome(due.id, due.attempts, outcome)
        except Exception:
            log.exception("could not deliver answer %s; trying again", due.id)

    async def _post_or_call(self, due: DueAnswer) -> Outcome:
        """Post an answer. If it is a direct message that the person does not take, post it in the
        channel `due.instead`, where it calls them.
        """
        outcome = await self._post(due)
        if not isinstance(outcome, Undeliverable) or not due.instead:
            return outcome
        log.info("%s takes no direct messages, so they are called in %s", due.place, due.instead)
        buttons = tuple(button for button in due.reply.buttons if button.style != LINK)
        reply = replace(due.reply, mention=(due.place,), buttons=buttons)
        return await self._post(due._replace(place=due.instead, reply=reply))

    async def _amend(self, due: DueAnswer) -> Outcome:
        """Change the posted messages that an answer amends, in its place.

        If that fails, post the answer as a new message if its delivery says so; else only log it.
        """
        posted = await self._app.store.load_posted_messages(due.amends)
        spots = posted.spots.get(due.place, ())
        reason = "its message is unknown" if spots else "it was withdrawn before it was posted"
        outcome: Outcome = Undeliverable(reason)
        standalone = due._replace(reply=due.reply.standalone)
        for spot in filter(None, spots):
            outcome = await self._edit(standalone if spot.get(INSTEAD) else due, spot)
            if isinstance(outcome, RetryLater):
                break
        if isinstance(outcome, RetryLater) and due.attempts < EDITS:
            return RetryLater(outcome.seconds)  # not unsure: to change it twice does no harm
        if isinstance(outcome, Delivered):
            return outcome
        if due.delivery.get(OR_POST):
            outcome = await self._post(standalone._replace(delivery={}, amends=""))
            if isinstance(outcome, Delivered) and outcome.spot and due.reply.instead is not None:
                return Delivered({**outcome.spot, INSTEAD: True})
            return outcome
        log.info("a message in %s could not be changed: %s", due.place, outcome)
        return Delivered()
