"""Dice while nothing can be saved: rolls, tables and sequences typed in full are answered, and marked as not recorded.

They are thrown with dice of the moment, never with those of a game: whoever saw these would know the next ones. And
only where it is certain that the command itself was not stored, nor ever will be.
"""

import logging
from dataclasses import replace

from cachetools import LRUCache

from bot.answers.roll import read_table, roll_dice
from bot.answers.shot import run_sequence
from bot.interface.reply.reply import Reply
from bot.interface.spec import Command, CommandSpec
from bot.process.entropy import throwaway
from bot.rules.errors import UserError
from bot.rules.inputs.options import flag
from bot.stores.base import Clock, StoreError
from bot.systems.catalog import system

log = logging.getLogger(__name__)

NOTE = "Not recorded: nothing can be saved just now. The log has no trace of these dice, and no unit has changed."
DOWN = 15.0
"""Seconds for which a store that failed is taken to be down."""
KEPT = 1_000
"""Answers that are remembered, so that a request that comes twice is answered with the same dice."""
_NEVER = ("secret", "odds", "compare", "rounds")
"""What needs more than dice: a log that keeps it, or the worker."""


class Unrecorded:
    """The answers that this process gave while nothing could be saved, by request."""

    def __init__(self, steady: Clock) -> None:
        self._steady, self._failed = steady, -DOWN
        self.kept = LRUCache[str, Reply](KEPT)
        """The answers, by request id."""

    def instead_of(self, error: UserError, command: Command, *, sure: bool) -> Reply | None:
        """The answer where the store failed so; None where the error is to be shown. `sure`: nothing was stored, and
        nothing will be."""
        if not isinstance(error, StoreError) or error.is_short or error.code in ("busy", "our-fault"):
            return None
        self._failed = self._steady()
        return self.answer(command) if sure or error.is_sure else None

    def while_down(self, command: Command) -> Reply | None:
        """The answer to a command that was called off, where the store failed a moment ago; else None."""
        return self.answer(command) if self._steady() - self._failed < DOWN else None

    def answer(self, command: Command) -> Reply | None:
        """The answer to a command that is certainly not stored; None for one that needs the game, or has a mistake."""
        known = self.kept.get(command.request_id)
        if known is not None or command.spec is None:
            return known
        try:
            reply = _played(command, command.spec)
        except UserError:
            return None
        if reply is not None:
            log.warning("dice without a record: %s in %s", command.spec.name, command.where.key)
            self.kept[command.request_id] = reply
        return reply


def _played(command: Command, spec: CommandSpec) -> Reply | None:
    """A roll, a table or a sequence with thrown dice and no roster; None for anything else, and for one that draws."""
    options = {name: value for name, value in command.options.items() if value not in (None, "", ())}
    if any(flag(options, name) for name in _NEVER) or spec.wants_whole(options):
        return None
    who = command.who.name
    if spec.family == "roll":
        outcome = roll_dice(options, who, throwaway())
    elif spec.family == "lookup":
        game = system(spec.system)
        given = {name: value for name, value in options.items() if name not in ("picture", "private")}
        outcome = read_table(game.table(spec.target), given, who, throwaway())
    elif spec.family == "sequence" and not (sequence := system(spec.system).sequence(spec.target)).decks:
        outcome = run_sequence(sequence, spec, options, who, throwaway(), {})
    else:
        return None
    bare = replace(
        outcome.reply, buttons=(), menus=(), after="", private=outcome.reply.private or spec.is_private(options)
    )
    if outcome.happening is None:
        return bare  # a table read is nothing that is ever recorded
    return replace(bare, lines=(*bare.lines, NOTE))
