"""What a handler hands back: the reply, and what happened if anything did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.interface.reply.reply import Reply
from bot.rules.dice import Rolled
from bot.rules.sequence.sequence import Change


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that belongs in the game's log: what was asked, which dice fell, what came of it.

    `changes` are the roster units that it changes, `units` the names of those that its inputs call (`acting`:
    of those that act), `joins` those that come into play: type, and beside whom;
    `result` is what came of it in a few words, for the log.
    """

    kind: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    dice: tuple[Rolled, ...] = ()
    out: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    system: str = ""
    target: str = ""
    by_hand: bool = False
    units: tuple[str, ...] = ()
    acting: tuple[str, ...] = ()
    result: str = ""
    joins: tuple[tuple[str, str], ...] = ()

    def notes(self) -> list[dict[str, Any]]:
        """Its dice as the log keeps them; nobody knows the faces of a die that was thrown by hand."""
        dice = [replace(die, faces=None) for die in self.dice] if self.by_hand else self.dice
        return [die.note() for die in dice]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A reply, and the happening behind it (None for lookups, odds, help and lists); of a table also the inputs that it
    answers, with what was rolled."""

    reply: Reply
    happening: Happening | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
