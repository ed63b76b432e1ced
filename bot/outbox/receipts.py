"""The receipts that this process owes an answer and those that it takes over from a dead one,
and when one is shown.
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

PATIENCE = 1.0
"""Seconds for writing a receipt down: whoever waits for it sees nothing yet."""
REFERENCE = "reference "
AT_ONCE = 50
EVERY = 1.0
NOT_WRITTEN = UserError(
    "The bot is too busy to do this now. Nothing was recorded.",
    hint="Try again in a moment; the host sees why in the log.",
    code="busy",
)


class Receipts:
    """Written down, held while this process works on them, dropped when answered."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._held = Leases[str](lambda ids: journal.renew(ids, LEASE))
        # written down too late: whoever asked has read that nothing happens
        self._refused: set[str] = set()
        self._dropping: asyncio.Future[None] | None = None

    async def note(self, command: Command, until: float) -> None:
        """Write down that a receipt will be shown. Raises StoreError when that cannot be done in
        time.
        """
        work = asyncio.ensure_future(self._journal.note(Receipt(command, until), LEASE))
        done, _ = await asyncio.wait({work}, timeout=PATIENCE)
        if not done:
            self._refused.add(command.request_id)
            work.add_done_callback(lambda _: self._handle_late_note(work, command.request_id))
            raise StoreError("The journal of receipts takes too long.")
        if work.result():
            self._held.hold(command.request_id)

    def _handle_late_note(self, work: asyncio.Future[bool], id: str) -> None:
        """It was written too late, or not at all; one that another process had written is that
        one's.
        """
        if not work.cancelled() and work.exception() is None and work.result():
            self._dropping = asyncio.ensure_future(self._drop(id))
        else:
            self._refused.discard(id)

    async def finish(self, id: str) -> None:
        """It is answered. One that this process does not hold is left alone: it is another's."""
        if id in self._held:
            await self._drop(id)
            self._held.let_go(id)

    def release(self, id: str) -> None:
        """It could not be answered now: whoever claims it tries again."""
        self._held.let_go(id)

    async def claim(self, platform: str) -> Sequence[Receipt]:
        """Receipts that nobody holds any more, now held here."""
        room = AT_ONCE - len(self._held)
        found = await self._journal.claim(platform, LEASE, room) if room > 0 else ()
        refused = self._refused & {receipt.command.request_id for receipt in found}
        for id in refused:
            await self._drop(id)
        mine = [
            one
            for one in found
            if (id := one.command.request_id) not in refused and id not in self._held
        ]
        self._held.hold(*(receipt.command.request_id for receipt in mine))
        return mine

    async def forget(self, user: str, places: Sequence[str], but: str) -> None:
        """Delete what is about a user or places; their receipts of this moment are answered all
        the same.
        """
        try:
            await self._journal.forget(user, places, but)
        except StoreError as error:
            log.error("could not delete receipts: %s", error.message)

    def close(self) -> None:
        """Hold nothing any more."""
        self._held.close()

    async def _drop(self, id: str) -> None:
        try:
            await self._journal.drop([id])
            self._refused.discard(id)
        except StoreError as error:  # it is claimed later, and found answered
            log_failure(often, "could not drop a receipt", error)


MOST_TYPED = 60


def build_not_run_reply(command: Command) -> Reply:
    """The answer where a command was shown as under way, but not run before its token died."""
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
    """Which command it was: the beginning of what they typed, where others may read that."""
    name = "/" + " ".join(command.path)
    if command.path[0] == "button":
        return "A button you pressed"
    if command.path[0] == "order" or any(is_flag_on(command.options, one) for one in FLAGS):
        return name
    said = (
        key if value is True else f"{key}={value}"
        for key, value in command.options.items()
        if value
    )
    return " ".join([name, *said])[:MOST_TYPED]


async def watch(
    receipts: Receipts, platform: str, answer: Callable[[Receipt], Awaitable[None]]
) -> None:
    """Look for receipts that nobody holds, for ever, and answer them, those of one place in order
    of arrival. One whose answer failed is `broken`, and comes again."""
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
    try:
        await answer(receipt)
    except Exception as error:  # held any longer, nobody would try again before this process ends
        receipts.release(receipt.command.request_id)
        log_failure(often, "could not answer a receipt; trying again", error)


CROWD = 12
"""With so many at work at once receipts are shown sooner, and with five times as many at once."""
STEP = 0.1
"""Seconds after which somebody who waits for an answer looks how many others have come."""


def get_patience_divisor(at_work: int) -> int:
    """What patience is divided by while so many are at work at once."""
    return 1 if at_work < CROWD else 4 if at_work < 5 * CROWD else 16


async def wait_until_done(
    work: asyncio.Future[Any], patience: Callable[[], float], spent: float = 0.0
) -> bool:
    """Return whether the work is done before so many seconds are over, of which some are `spent`;
    they may become fewer as others come.
    """
    clock = asyncio.get_running_loop().time
    begun = clock() - spent
    await asyncio.wait({work}, timeout=max(0.0, min(patience() - spent, STEP)))
    while not work.done() and (left := begun + patience() - clock()) > 0:
        await asyncio.wait({work}, timeout=min(left, STEP))
    return work.done()
