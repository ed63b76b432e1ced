"""Receipts: those that this process owes an answer, those that it takes over from a dead one, and
the time to show one.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from bot.outbox.leases import LEASE, Leases
from bot.rules.errors import UserError
from bot.rules.inputs.options import is_flag_on
from bot.runtime.logs import get_seldom_logger, log_failure
from bot.storage.base import StoreError
from bot.storage.journal import Journal
from bot.storage.records import compute_tombstone
from bot.ui.reply.reply import Reply
from bot.ui.spec import FLAGS, Command, Receipt

log = logging.getLogger(__name__)
often = get_seldom_logger(f"{__name__}.often")

RECEIPT_WRITE_SECONDS = 1.0
"""Seconds for writing a receipt down. The user sees nothing in this time."""
REFERENCE = "reference "
AT_ONCE = 50
EVERY = 1.0
NOT_WRITTEN = UserError(
    "The bot is too busy to do this now. Nothing was recorded.",
    hint="Try again in a moment; the host sees why in the log.",
    code="busy",
)


class Receipts:
    """The receipts of this process: written down, held while it works on them, dropped when
    answered.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._held = Leases[str](lambda ids: journal.renew(ids, LEASE))
        # written down too late: whoever asked has read that nothing happens
        self._refused: set[str] = set()
        self._dropping: asyncio.Future[None] | None = None

    async def note(self, command: Command, until: float) -> None:
        """Store a receipt that will be shown, and hold it.

        One that another process has stored before is left to it. Raise StoreError if that fails or
        takes longer than RECEIPT_WRITE_SECONDS. A receipt that is stored later all the same is dropped.
        """
        work = asyncio.ensure_future(self._journal.note(Receipt(command, until), LEASE))
        finished, _ = await asyncio.wait({work}, timeout=RECEIPT_WRITE_SECONDS)
        if not finished:
            self._refused.add(command.request_id)
            work.add_done_callback(lambda _: self._handle_late_note(work, command.request_id))
            raise StoreError("The receipt journal did not answer in time.")
        if work.result():
            self._held.hold(command.request_id)

    def _handle_late_note(self, work: asyncio.Future[bool], id: str) -> None:
        """Clean up after a receipt that was written too late, when its user had read a refusal.

        If this process wrote it, drop it. If the write failed, or another process had written it
        before, leave it, and forget that it was refused.
        """
        if not work.cancelled() and work.exception() is None and work.result():
            self._dropping = asyncio.ensure_future(self._drop(id))
        else:
            self._refused.discard(id)

    async def finish(self, id: str) -> None:
        """Drop a receipt that is answered, if this process holds it.

        A failure is logged: the receipt is claimed later, and found answered.
        """
        if id in self._held:
            await self._drop(id)
            self._held.let_go(id)

    def release(self, id: str) -> None:
        """Let go of a receipt that could not be answered now, so that it is claimed and tried
        again.
        """
        self._held.let_go(id)

    async def claim(self, platform: str) -> Sequence[Receipt]:
        """Claim receipts of a platform that nobody holds any more, and return them, held.

        This process holds at most AT_ONCE. Receipts that it had refused are dropped. Raise
        StoreError.
        """
        room = AT_ONCE - len(self._held)
        if room <= 0:
            return []
        claimed = await self._journal.claim(platform, LEASE, room)
        refused = self._refused & {receipt.command.request_id for receipt in claimed}
        for id in refused:
            await self._drop(id)
        receipts = list[Receipt]()
        for receipt in claimed:
            id = receipt.command.request_id
            if id not in refused and id not in self._held:
                receipts.append(receipt)
        self._held.hold(*(receipt.command.request_id for receipt in receipts))
        return receipts

    async def forget(self, user: str, places: Sequence[str], but: str) -> None:
        """Delete the receipts of a user or of places, apart from the request `but`.

        Receipts that are at work now are answered all the same. A failure is logged.
        """
        try:
            await self._journal.forget(user, places, but)
        except StoreError as error:
            log.error("could not delete receipts: %s", error.message)

    def close(self) -> None:
        """Stop holding receipts."""
        self._held.close()

    async def _drop(self, id: str) -> None:
        """Delete a receipt from the journal. A failure is only logged."""
        try:
            await self._journal.drop([id])
            self._refused.discard(id)
        except StoreError as error:  # it is claimed later, and found answered
            log_failure(often, "could not drop a receipt", error)


MOST_TYPED = 60


def build_not_run_reply(command: Command) -> Reply:
    """Build the reply for a command that was shown as under way, but not run before its token died."""
    return Reply(
        f"{command.who.name}, your command was not run",
        (
            f"{_describe_command(command)}: the bot was stopped before it got to it. Nothing was "
            "recorded: please try again.",
        ),
        footer=(
            f"{REFERENCE}{compute_tombstone(command.request_id)[:8]}",
        ),  # tells it from the next one, which reads alike
        mention=(command.who.key,),
    )


def _describe_command(command: Command) -> str:
    """Return a command as it was typed, cut to MOST_TYPED characters.

    Return only its name if others must not read its options, and a phrase for a pressed button.
    """
    name = "/" + " ".join(command.path)
    if command.path[0] == "button":
        return "A button you pressed"
    if command.path[0] == "order" or any(is_flag_on(command.options, flag) for flag in FLAGS):
        return name
    words = [name]
    for key, value in command.options.items():
        if value:
            words.append(key if value is True else f"{key}={value}")
    return " ".join(words)[:MOST_TYPED]


async def watch(
    receipts: Receipts, platform: str, answer: Callable[[Receipt], Awaitable[None]]
) -> None:
    """Claim receipts that nobody holds, until cancelled, and answer them in order of arrival by
    place.

    A receipt whose answer fails is released, and claimed again later.
    """
    at_work: set[asyncio.Task[None]] = set()
    try:
        while True:
            try:
                for receipt in await receipts.claim(platform):
                    task = asyncio.create_task(_try_answer(receipts, answer, receipt))
                    at_work.add(task)
                    task.add_done_callback(at_work.discard)
            except Exception as error:
                log_failure(often, "could not read the journal of receipts", error)
            await asyncio.sleep(EVERY)
    finally:
        for task in at_work:
            task.cancel()


async def _try_answer(
    receipts: Receipts, answer: Callable[[Receipt], Awaitable[None]], receipt: Receipt
) -> None:
    """Answer a receipt. If that fails, log the error and release the receipt, to be claimed again."""
    try:
        await answer(receipt)
    except Exception as error:  # held any longer, nobody would try again before this process ends
        receipts.release(receipt.command.request_id)
        log_failure(often, "could not answer a receipt; trying again", error)


CROWD = 12
"""Number of commands at work at which receipts are shown sooner, and at five times as many sooner
still.
"""
STEP = 0.1
"""Seconds between looks at how many others are at work."""


def get_patience_divisor(at_work: int) -> int:
    """Return the number by which patience is divided while `at_work` commands are at work."""
    if at_work < CROWD:
        return 1
    if at_work < 5 * CROWD:
        return 4
    return 16


async def wait_until_done(
    work: asyncio.Future[Any], patience: Callable[[], float], seconds_passed: float = 0.0
) -> bool:
    """Wait at most `patience()` seconds for the work. Return whether it is done.

    The work goes on if it is not. `seconds_passed` of them are over already. The patience is asked
    again every STEP, since it may shrink as others come.
    """
    clock = asyncio.get_running_loop().time
    start = clock() - seconds_passed
    first_wait = min(patience() - seconds_passed, STEP)
    await asyncio.wait({work}, timeout=max(0.0, first_wait))
    while not work.done():
        remaining = start + patience() - clock()
        if remaining <= 0:
            break
        await asyncio.wait({work}, timeout=min(remaining, STEP))
    return work.done()
