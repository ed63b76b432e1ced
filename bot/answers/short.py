"""The lines of a story as the answer has them: few, and with units called as the first line calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.answers.headline import FOLDED, Fared, said
from bot.rules.sequence.sequence import Line, Settlement

HANDFUL = 8
"""So many dice are shown in a line that says what they come to."""
DOZEN = 12
"""So many in the sum of several units."""


def in_short(lines: tuple[Line, ...], settled: Settlement, came: Fared) -> list[Line]:
    """The lines to show: those of many single units are left out, and in their place are their sums."""
    kept = _kept(lines, settled)
    types, counted = came.wording.types, (_own_lines(came.mixed, kept) if came.mixed else {})
    for place, line in enumerate(kept):
        label = line.label
        head, blank, rest = label.partition(" ")
        if head in types:
            number = ""
            if head in counted:
                counted[head] += not rest
                number = f" {counted[head]}" if counted[head] else ""
            label = f"{types[head]}{number}{blank}{rest}"
        result = said(types, line.result) if "-" in line.result else line.result
        if label != line.label or result != line.result:
            kept[place] = replace(line, label=label, result=result)
    return kept


def _own_lines(mixed: Mapping[str, int], lines: Iterable[Line]) -> dict[str, int]:
    """The types whose units have numbers that lines need as well, each at 0: every unit has one line of its own."""
    labels = [line.label for line in lines]
    return {type: 0 for type, count in mixed.items() if labels.count(type) == count}


def _kept(lines: tuple[Line, ...], settled: Settlement) -> list[Line]:
    """The lines without those of many single units, in whose place their sums come; few dice in each."""
    begins = tuple(f"{fate.unit} " for fate in settled.fates) if len(settled.fates) >= FOLDED else ()
    is_summed = len(lines) >= FOLDED and len({line.unit for line in lines if line.unit}) >= FOLDED
    owed = settled.sums if is_summed else ()
    kept: list[Line] = []
    for line in lines:
        if is_summed and line.unit:
            if owed:
                kept += () if owed[0] in kept else (_few(one, DOZEN) for one in owed)
                owed = ()
        elif not begins or not f"{line.label} ".startswith(begins):
            kept.append(_joined(kept, line))
    return kept


def _joined(before: list[Line], line: Line) -> Line:
    """The line, with the bare dice of the one before where they are the same unit's; without dice that are many."""
    if not line.dice:
        return line
    line = _few(line, HANDFUL)
    if before and not line.parts and before[-1].label == line.label and _is_bare(before[-1]):
        return replace(line, dice=(*before.pop().dice, *line.dice))
    return line


def _few(line: Line, most: int) -> Line:
    """The line without its dice where they are more than so many and something says what they come to."""
    return replace(line, dice=()) if len(line.dice) > most and line.result else line


def _is_bare(line: Line) -> bool:
    """Whether a line has dice and says nothing of them."""
    more = line.parts or line.result or line.contributors or line.unit
    return bool(line.dice) and line.total is None and not more
