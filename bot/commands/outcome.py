"""What a handler hands back: the reply, and what happened if anything did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.reply import Reply
from bot.rules.dice import Rolled
from bot.rules.sequence import Change


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that belongs in the game's log: what was asked, which dice fell, what came of it.

    `changes` are the roster units that it changes, `tables` the digest of the table version it was read from.
    """

    kind: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    dice: tuple[Rolled, ...] = ()
    out: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    system: str = ""
    target: str = ""
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A reply, and the happening behind it (None for lookups, odds, help and lists)."""

    reply: Reply
    happening: Happening | None = None
