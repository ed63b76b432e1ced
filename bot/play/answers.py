"""Tells a played sequence: who, what, result; then dice, modifiers, totals; then each unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.interface.parts import Part, Small, Thrown
from bot.interface.reply import Reply
from bot.play.news import FOLDED, are_counted, groups, news, unrolled
from bot.play.typed import relabelled, said
from bot.rules.phrase import Phrase, Typed
from bot.rules.sequence import Fate, Line, Played, Settlement
from bot.systems.catalog import Sequence

HANDFUL = 8
"""So many dice are shown in a line that says what they come to."""


def unit_lines(units: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What each unit suffers, alike ones counted together: `squad: casualties`, `3 x squad: no effect`."""
    counted: dict[tuple[str, str], int] = {}
    for unit, word in units:
        key = (unit, plain_word(word))
        counted[key] = counted.get(key, 0) + 1
    return tuple(
        f"{unit}: {word}" if count == 1 else f"{count} x {unit}: {word}" for (unit, word), count in counted.items()
    )


def plain_word(word: str) -> str:
    """A token as it is read aloud: none is no effect."""
    return "no effect" if word == "none" else word


def played_reply(who: str, sequence: Sequence, played: Played, actors: Iterable[str]) -> Reply:
    """The public answer to a sequence: the news, then dice and modifiers, then what changed besides.

    Many units are shown by their results, without the dice of each (these are in the log)."""
    settled = played.settlement
    told = news(sequence, settled.fates, settled.headline, actors, who)
    by = said(sequence, settled.by) or (told.by if played.dice else unrolled(told.by, who))
    lines: list[Part] = list(relabelled(sequence, settled.fates, _in_short(played.lines, settled)))
    if are_counted(sequence, settled.fates):
        lines = [*lines, *groups(sequence, settled.fates)]
    then, now, notes = (
        [said(sequence, text) for text in texts] for texts in (settled.then, settled.now, settled.notes)
    )
    lines = [*lines, *map(_begun, (() if settled.fates else unit_lines(settled.units))), *map(_begun, then)]
    small = (f"Now: {' · '.join(now)}" if now else "", " ".join(map(_begun, notes)))
    return Reply(told.title, (*lines, *map(Small, filter(None, small))), by=by, tone=told.tone)


def _begun(text: str) -> str:
    """A text as it begins a line: `squad shaken` as `Squad shaken`."""
    return text if text[:1].isupper() or isinstance(text, Phrase | Typed) else text[:1].upper() + text[1:]


def _in_short(lines: tuple[Line, ...], settled: Settlement) -> tuple[Line, ...]:
    """The lines without those of many single units, in whose place their sums come; few dice in each."""
    many = len(settled.fates) >= FOLDED
    rolling = {line.unit for line in lines if line.unit}
    summed = len(rolling) >= FOLDED
    kept: list[Line] = []
    for line in lines:
        if line.unit and summed:
            kept += () if settled.sums[:1] and settled.sums[0] in kept else settled.sums
        elif not many or not _of_a_unit(line, settled.fates):
            kept.append(_joined(kept, line))
    return tuple(kept)


def _joined(before: list[Line], line: Line) -> Line:
    """The line, with the bare dice of the one before where they are the same unit's; without dice that are many."""
    if len(line.dice) > HANDFUL and line.result:
        return replace(line, dice=())
    if before and before[-1] == Line(line.label, before[-1].dice) and before[-1].dice and line.dice and not line.parts:
        return replace(line, dice=(*before.pop().dice, *line.dice))
    return line


def _of_a_unit(line: Line, fates: Iterable[Fate]) -> bool:
    """Whether a line is about one unit alone: it begins with its name."""
    return any(line.label == fate.unit or line.label.startswith(f"{fate.unit} ") for fate in fates)


def compact(reply: Reply, dice: tuple[object, ...]) -> Reply:
    """The same answer in short: all dice in one line, no single rolls, and what it means for each unit."""
    kept = (part for part in reply.lines if not isinstance(part, Line | Thrown))
    return replace(reply, lines=(*((Thrown(dice),) if dice else ()), *kept))
