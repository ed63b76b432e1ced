"""A receipt is a promise: what was shown as under way is answered or refused, also after a crash.
And dice while nothing can be saved: rolls, tables and sequences typed in full are answered, and
marked as not recorded.

They are thrown with dice of the moment, never with those of a game: whoever saw these would know
the next ones. And only where it is certain that the command itself was not stored, nor ever will
be.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

from cachetools import LRUCache

from bot.execution.budgets import CommandsInFlight, RunningCommand
from bot.execution.committer import DELETED, build_outgoing
from bot.outbox.receipts import NOT_WRITTEN, Receipts, build_not_run_reply
from bot.presentation.roll import look_up_table, roll_dice
from bot.presentation.run_sequence import run_sequence
from bot.rules.errors import UserError
from bot.rules.inputs.options import is_flag_on
from bot.rulesets.catalog import find_system
from bot.runtime.entropy import create_throwaway_source
from bot.runtime.logs import get_seldom_logger, log_failure
from bot.storage.base import Clock, Deleted, StoreError
from bot.storage.records import Commit
from bot.storage.store import Store
from bot.ui.reply.reply import Reply, build_error_reply
from bot.ui.spec import Command, CommandSpec, Receipt

log = logging.getLogger(__name__)
often = get_seldom_logger(f"{__name__}.often")

AWAY = "store-away"
STORED_WITHIN = 0.2
"""Seconds for which a commit that is being written is waited for, before the receipt is shown
without a note of it.
"""

NOTE = "Not recorded: nothing can be saved just now. The log has no trace of these dice, and no unit has changed."
DOWN = 15.0
"""Seconds for which a store that failed is taken to be down."""
KEPT = 1_000
"""Answers that are remembered, so that a request that comes twice is answered with the same
dice.
"""
_NEVER = ("secret", "odds", "compare", "rounds")
"""What needs more than dice: a log that keeps it, or the worker."""


class UnrecordedAnswers:
    """The answers that this process gave while nothing could be saved, by request."""

    def __init__(self, steady: Clock) -> None:
        self._steady = steady
        self._failed = -DOWN
        self.kept = LRUCache[str, Reply](KEPT)
        """The answers, by request id."""

    def answer_instead(self, error: UserError, command: Command, *, sure: bool) -> Reply | None:
        """The answer where the store failed so; None where the error is to be shown. `sure`:
        nothing was stored, and nothing will be."""
        if (
            not isinstance(error, StoreError)
            or error.is_short
            or error.code in ("busy", "our-fault")
        ):
            return None
        self._failed = self._steady()
        return self.answer(command) if sure or error.is_sure else None

    def answer_while_down(self, command: Command) -> Reply | None:
        """The answer to a command that was called off, where the store failed a moment ago; else
        None.
        """
        return self.answer(command) if self._steady() - self._failed < DOWN else None

    def answer(self, command: Command) -> Reply | None:
        """The answer to a command that is certainly not stored; None for one that needs the
        game, or has a mistake.
        """
        known = self.kept.get(command.request_id)
        if known is not None or command.spec is None:
            return known
        try:
            reply = _play_unrecorded(command, command.spec)
        except UserError:
            return None
        if reply is not None:
            log.warning("dice without a record: %s in %s", command.spec.name, command.where.key)
            self.kept[command.request_id] = reply
        return reply


def _play_unrecorded(command: Command, spec: CommandSpec) -> Reply | None:
    """A roll, a table or a sequence with thrown dice and no roster; None for anything else, and
    for one that draws.
    """
    options = {
        name: value for name, value in command.options.items() if value not in (None, "", ())
    }
    if any(is_flag_on(options, name) for name in _NEVER) or spec.wants_whole(options):
        return None
    who = command.who.name
    if spec.family == "roll":
        outcome = roll_dice(options, who, create_throwaway_source())
    elif spec.family == "lookup":
        game = find_system(spec.system)
        given = {
            name: value for name, value in options.items() if name not in ("picture", "private")
        }
        outcome = look_up_table(game.find_table(spec.target), given, who, create_throwaway_source())
    elif (
        spec.family == "sequence"
        and not (sequence := find_system(spec.system).find_sequence(spec.target)).decks
    ):
        outcome = run_sequence(sequence, spec, options, who, create_throwaway_source(), {})
    else:
        return None
    bare = replace(
        outcome.reply,
        buttons=(),
        menus=(),
        after="",
        private=outcome.reply.private or spec.is_private(options),
    )
    if outcome.happening is None:
        return bare  # a table read is nothing that is ever recorded
    return replace(bare, lines=(*bare.lines, NOTE))


class ReceiptPromises:
    """What this process has promised, and what it makes good for a dead one."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        receipts: Receipts,
        under_way: CommandsInFlight,
        unrecorded: UnrecordedAnswers,
    ) -> None:
        self._unrecorded = unrecorded
        self._store = store
        self._clock = clock
        self._receipts = receipts
        self._under_way = under_way

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
            return await hand_over_reply(work, STORED_WITHIN)
        if work is not None and work.command is not None:
            command = work.command
        if problem.code == AWAY:
            return self._unrecorded.answer_instead(
                problem, command, sure=True
            ) or build_error_reply(problem)
        return self._unrecorded.answer_while_down(command) or build_error_reply(NOT_WRITTEN)

    async def make_good(self, receipt: Receipt, run: Callable[[], Awaitable[Reply]]) -> Reply:
        """The answer to a receipt that was taken over: the command is run while its token lives.

        After that it is refused, which is stored like any answer: whoever was faster, only one of
        both is told.
        """
        command = receipt.command
        if self._clock() < receipt.until:
            return await run()
        reply = build_not_run_reply(command)
        commit = Commit(
            command.request_id, reply.to_json(), command.who.key, outbox=[*build_outgoing(command)]
        )
        try:
            done = await self._store.commit(commit)
        except Deleted:
            return replace(DELETED, seen=True)
        return replace(reply, seen=True) if done.seen else replace(reply, outbox=done.outbox[0])


async def hand_over_reply(work: RunningCommand, within: float) -> Reply | None:
    """The answer of what is just being stored, given to whoever could not show a receipt; None
    where it is not there within so many seconds."""
    done, _ = await asyncio.wait({work.task}, timeout=within)
    if not done:
        return None
    is_again, work.is_handed_over = work.is_handed_over, True  # the same request, delivered twice
    reply = work.task.result()
    return replace(reply, seen=True, outbox=0) if is_again else reply
