"""A fight of several rounds as an answer: the chances after so many, and those of a fight to its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from bot.answers.odds_answer import EXACT, inputs_in_words, odds_reply
from bot.interface.reply.parts import Odds, Small
from bot.interface.reply.reply import Reply
from bot.rules.sequence.rounds import UNDECIDED, Fought
from bot.rules.sequence.sequence import Outputs, Row
from bot.systems.catalog import Sequence

STILL = "still fighting"


def rounds_reply(sequence: Sequence, raw: Mapping[str, object], fought: Fought, rounds: int, *, by: str) -> Reply:
    """The private answer: what one decides by after these rounds, then both counts, and how long it takes."""
    heads = (f"After {rounds} {'round' if rounds == 1 else 'rounds'}", "To the end")
    rows = {head: Row(head, (), _unread, _said) for head in heads}
    counted = dict(zip(heads, (fought.after, fought.decided), strict=True))
    first = odds_reply(sequence, raw, {heads[0]: rows[heads[0]]}, {heads[0]: fought.after})
    bars = [bar for head in heads for bar in _bars(sequence, raw, rows[head], counted[head])]
    small = " ".join(filter(None, (inputs_in_words(sequence, raw), _lasting(fought), EXACT)))
    about = f"after {rounds} {'round' if rounds == 1 else 'rounds'}"
    return replace(first, lines=(*bars, Small(small)), by=", ".join(filter(None, (about, by))))


def _bars(sequence: Sequence, raw: Mapping[str, object], row: Row, counted: Mapping[str, Fraction]) -> Iterator[Odds]:
    for part in odds_reply(sequence, raw, {row.name: row}, {row.name: dict(counted)}).lines:
        if isinstance(part, Odds):
            yield replace(part, heading=row.name)


def _unread(_told: Outputs) -> None:
    return None


def _said(token: str) -> str:
    return STILL if token == UNDECIDED else token


def _lasting(fought: Fought) -> str:
    if fought.average is None:
        return "It may go on for ever."
    return f"It takes {float(fought.average):.1f} rounds on average."
