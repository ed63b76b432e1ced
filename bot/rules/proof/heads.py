"""The heads of a log: hashes that somebody kept from a chat (`#41 1c9e06d2`, or whole pasted messages), and whether its
events still have them, or its end was cut off, or it was rewritten."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bot.rules.errors import UserError
from bot.rules.proof.chain import SHORT, genesis
from bot.rules.text.phrase import phrase

ENOUGH = 16
"""Hex digits that nobody can forge; eight can be tried out in minutes."""
_NUMBERED = re.compile(r"#(\d{1,9})[ \t\u00a0]*[·|,]?[ \t\u00a0]*[`*]*([0-9a-fA-F]{8,64})\b")
_BARE = re.compile(r"[0-9a-f]+")


class Head(NamedTuple):
    """The first digits of an event's hash; `number` 0 where nobody knows which event's."""

    number: int
    digits: str


def read_heads(texts: Iterable[str]) -> tuple[Head, ...]:
    """The heads in texts: one bare hash each, or any text with `#number hash` in it.

    Raises UserError for a text in which there is none.
    """
    found: dict[Head, None] = {}
    for text in texts:
        bare = text.strip().lower()
        if _BARE.fullmatch(bare) and SHORT <= len(bare) <= 64:
            found[Head(0, bare)] = None
            continue
        numbered = [Head(int(number), digits.lower()) for number, digits in _NUMBERED.findall(text)]
        if not numbered:
            raise UserError(
                f"A head has {SHORT} to 64 hex digits; this is not one: {' '.join(text.split())[:70]}",
                hint=phrase(
                    "It is under the cards of start, turn, phase and hand-over, under undo and sealed rolls "
                    "(#41 · 1c9e06d2a4b80f13), and in `/fair show`."
                ),
                code="bad-head",
            )
        found |= dict.fromkeys(numbered)
    return tuple(found)


def head_faults(heads: Iterable[Head], game: str, hashes: Sequence[str]) -> Iterator[str]:
    """A line for each head that does not fit a log with these hashes of its events."""
    for head in heads:
        if not head.number:
            if not any(hash.startswith(head.digits) for hash in (*hashes, genesis(game))):
                yield f"No event has the head {head.digits}: the end was cut off, or the log rewritten."
        elif head.number > len(hashes):
            known = f"#{head.number} {head.digits}"
            yield f"The log ends with event {len(hashes)}, but {known} is known: its end was cut off."
        elif not hashes[head.number - 1].startswith(head.digits):
            known = hashes[head.number - 1][: len(head.digits)]
            yield f"Event {head.number} has the hash {known}, not {head.digits}: the log was rewritten."


def head_remarks(heads: Sequence[Head], hashes: Sequence[str] = ()) -> Iterator[str]:
    """What to know of heads that fit: how many, and how much of the log they hold."""
    if heads and hashes:
        found = (next((at for at, one in enumerate(hashes, 1) if one.startswith(head.digits)), 0) for head in heads)
        upto = max(head.number or at for head, at in zip(heads, found, strict=True))
        fit = "1 head fits: it holds" if len(heads) == 1 else f"{len(heads)} heads fit: they hold"
        yield f"{fit} {upto} of {len(hashes)} events."
    if heads and sum(len(head.digits) for head in heads) < ENOUGH:
        yield (
            f"{len(heads[0].digits)} digits of one head can be forged in minutes: give a longer one, "
            "or several (--heads takes text copied from the channel)."
        )
