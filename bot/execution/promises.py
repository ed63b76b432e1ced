"""Receipts as promises, and dice while nothing can be saved.

A command that was shown as under way is answered or refused, also after a crash.

While nothing can be saved, rolls, tables and sequences typed in full are answered, and marked as
not recorded. They use throwaway dice, never those of a game: anyone who saw these would know the
next ones. They are rolled only if it is certain that the command itself was not and will not be
stored.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from cachetools import LRUCache

from bot.execution.budgets import CommandsInFlight, RunningCommand
from bot.execution.committer import DELETED, build_outgoing
from bot.outbox.receipts import NOT_WRITTEN, Receipts, build_not_run_reply
from bot.presentation.play_record import PlayRecord
from bot.presentation.roll import look_up_table, roll_dice
from bot.presentation.run_sequence import run_sequence
from bot.rules.errors import UserError
from bot.rules.inputs.options import is_flag_on
from bot.rulesets.catalog import load_shared_systems
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
"""Seconds to wait for a commit in progress before the receipt is shown without a note of it."""

NOTE = "Not recorded: nothing can be saved right now. The log has no trace of these dice, and no unit has changed."
DOWN = 15.0
"""Seconds for which a store counts as down after a failure."""
MAX_REMEMBERED_REPLIES = 1_000
"""Unrecorded replies that are remembered, so that a repeated request gets the same dice."""
_NEVER = ("secret", "odds", "compare", "rounds")
"""Options that need more than dice: a log that keeps the result, or the worker."""


class UnrecordedAnswers:
    """The replies of this process while nothing could be saved, by request."""

    def __init__(self, steady: Clock) -> None:
        self._steady = steady
        self._failed = -DOWN
        self.kept = LRUCache[str, Reply](MAX_REMEMBERED_REPLIES)
        """The answers, by request id."""

    def answer_instead(self, error: UserError, command: Command, *, sure: bool) -> Reply | None:
        """Return an unrecorded reply after a failure of the store, None if the error has to be shown.

        `sure`: nothing was stored, and nothing will be.
        """
        if not isinstance(error, StoreError) or error.is_short:
            return None
        if error.code in ("busy", "our-fault"):
            return None
        self._failed = self._steady()
        return self.answer(command) if sure or error.is_sure else None

    def answer_while_down(self, command: Command) -> Reply | None:
        """Return an unrecorded reply to a command that was called off, if the store has just
        failed.

        Otherwise return None.
        """
        return self.answer(command) if self._steady() - self._failed < DOWN else None

    def answer(self, command: Command) -> Reply | None:
        """Return an unrecorded reply to a command that is certainly not stored.

        Return None for a command that needs the game, or has a mistake.
        """
        earlier_reply = self.kept.get(command.request_id)
        if earlier_reply is not None or command.spec is None:
            return earlier_reply
        try:
            reply = _play_unrecorded(command, command.spec)
        except UserError:
            return None
        if reply is not None:
            log.warning("dice without a record: %s in %s", command.spec.name, command.where.key)
            self.kept[command.request_id] = reply
        return reply


def _play_unrecorded(command: Command, spec: CommandSpec) -> Reply | None:
    """Play a roll, table or sequence with throwaway dice and without a roster.

    Return None for any other command, and for one that draws cards, or has options that need more
    than dice. Raise UserError for a mistake.
    """
    options = {
        name: value for name, value in command.options.items() if value not in (None, "", ())
    }
    if any(is_flag_on(options, name) for name in _NEVER) or spec.wants_whole(options):
        return None
    answer = _play_with_throwaway_dice(spec, options, command.who.name)
    if answer is None:
        return None
    reply, record = answer
    is_private = reply.private or spec.is_private(options)
    reply = replace(reply, buttons=(), menus=(), after="", private=is_private)
    if record is None:
        return reply  # a table without a roll is never recorded
    return replace(reply, lines=(*reply.lines, NOTE))


def _play_with_throwaway_dice(
    spec: CommandSpec, options: Mapping[str, object], name: str
) -> tuple[Reply, PlayRecord | None] | None:
    """Return the reply and the record of a roll, table or sequence, None for any other command.

    `name` is the name of the player. A table without a roll has no record.
    """
    if spec.family == "roll":
        return roll_dice(options, name, create_throwaway_source())
    systems = load_shared_systems()  # the packs of servers are in the store, which fails
    if spec.family == "lookup":
        table = systems.find(spec.system).find_table(spec.target)
        inputs = {key: value for key, value in options.items() if key not in ("picture", "private")}
        look_up = look_up_table(table, inputs, name, create_throwaway_source())
        return look_up.reply, look_up.record
    if spec.family == "sequence":
        sequence = systems.find(spec.system).find_sequence(spec.target)
        if not sequence.decks:
            return run_sequence(sequence, spec, options, name, create_throwaway_source(), {})
    return None


class ReceiptPromises:
    """The promises of this process, and those that it keeps for a dead one."""

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
        """Store a receipt: the promise to answer or refuse `command`. See App.promise_answer.

        `until` is the Unix time after which it is refused. Return None if the receipt is stored.
        Else call off the command, and return the reply to show in place of the receipt: an error,
        or dice without a record. If the commit is in progress, it is too late for that: return the
        command's own reply, or None if it does not come soon.
        """
        earlier_work = self._under_way.get(command.request_id)
        try:
            await self._receipts.note(command, until)
            return None
        except UserError as error:
            log_failure(often, "could not save a receipt", error)
            problem = error
        work = self._under_way.get(command.request_id) or earlier_work
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
        """Return the reply to a receipt that was taken over from another process.

        Until the time of the receipt, that is the reply of `run`, which runs its command. Later the
        command is refused, and the refusal stored like any answer. If a reply was stored before, it
        is returned, marked as seen.
        """
        command = receipt.command
        if self._clock() < receipt.until:
            return await run()
        reply = build_not_run_reply(command)
        commit = Commit(
            command.request_id, reply.to_json(), command.who.key, outbox=[*build_outgoing(command)]
        )
        try:
            result = await self._store.commit(commit)
        except Deleted:
            return replace(DELETED, seen=True)
        return replace(reply, seen=True) if result.seen else replace(reply, outbox=result.outbox[0])


async def hand_over_reply(work: RunningCommand, within: float) -> Reply | None:
    """Return the reply of a command whose commit is in progress, to show in place of a receipt.

    Wait at most `within` seconds for it. Return None if it is not there then. If the same request
    was handed over before, its reply is marked as seen, and nobody posts it. Raise the error of a
    command that failed.
    """
    finished, _ = await asyncio.wait({work.task}, timeout=within)
    if not finished:
        return None
    is_repeated = work.is_handed_over  # the same request, delivered twice
    work.is_handed_over = True
    reply = work.task.result()
    return replace(reply, seen=True, outbox=0) if is_repeated else reply
