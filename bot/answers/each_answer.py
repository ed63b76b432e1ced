"""The answer to a sequence that was played for several units: who fared alike in one line, worst first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.answers.each import Single
from bot.answers.headline import FOLDED, cause, fared, groups, news
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import Reply
from bot.rules.sequence.sequence import Fate, Line
from bot.rules.text.names import joined
from bot.rules.text.phrase import Phrase, pieces_of
from bot.systems.catalog import Sequence

MOST_SAID = 6
"""So many different notes are shown; how many more there are is said."""


def each_reply(who: str, sequence: Sequence, singles: tuple[Single, ...]) -> Reply:
    """The public answer: the news of all, then a line for each result with its units, or the dice of a few."""
    came = fared(sequence, (fate for one in singles for fate in fates_of(sequence, one)))
    told = news(sequence, came, "", (), who)
    lines: list[Part] = []
    if len(singles) >= FOLDED:
        lines += groups(came)
    else:
        lines += [_of(one.unit, line) for one in singles for line in one.played.lines]
    settled = [(one.unit, one.played.settlement) for one in singles]
    then = _said((unit, text) for unit, what in settled for text in what.then)
    lines += map(Small, then) if len(singles) >= FOLDED else then
    if now := _said((unit, text) for unit, what in settled for text in what.now):
        lines.append(Small(f"Now: {' · '.join(now)}"))
    lines += map(Small, _said((unit, text) for unit, what in settled for text in what.notes))
    return Reply(told.title, tuple(lines), by=_cause(sequence, singles, who), tone=told.tone)


def _cause(sequence: Sequence, singles: tuple[Single, ...], who: str) -> str:
    """Who did it: `GI 1-12 check`; where the sequence has no verb, `Alice rolls random orders`."""
    return cause(sequence, tuple(one.unit for one in singles), who, many=True)


def fates_of(sequence: Sequence, one: Single) -> tuple[Fate, ...]:
    """What came of it, by unit; where the sequence does not say, its main output is what came of the unit."""
    fates = tuple(fate for fate in one.played.settlement.fates if fate.unit)
    token = one.played.out.get(sequence.odds_by)
    return fates or (Fate(one.unit, one.result if token is None else str(token)),)


def _of(unit: str, line: Line) -> Line:
    """A line of the story with the unit that it is about."""
    return line if line.label.startswith(unit) else replace(line, label=f"{unit}, {line.label}")


def _said(texts: Iterable[tuple[str, str]]) -> list[str]:
    """Each text once, behind the units that it is for where it does not name them; at most a few."""
    units: dict[str, list[str]] = {}
    for unit, text in texts:
        units.setdefault(text, []).append(unit)
    said: list[str] = [
        text if all(name in text for name in names) else Phrase(f"{joined(names)}: ", *pieces_of(text))
        for text, names in units.items()
    ]
    more = len(said) - MOST_SAID
    return said if more <= 1 else [*said[:MOST_SAID], f"{more} more notes of this kind are left out."]
