"""What of an answer a phone shows at once; the rest is its trace, behind *Dice* and in the console."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from bot.interface.parts import Group, Part, Small, part_lines
from bot.interface.reply import Reply, replaced
from bot.rules.inputs.options import Option
from bot.rules.line import Line

_DIE = re.compile(r"\[(\w+)\]")
"""A die, which a phone shows without brackets."""
PHONE = 39
"""Columns of a phone."""
FEW, MANY = 7, 12
"""Lines of a phone that an answer about a unit or two takes at most, and one that counts its units."""


def phone_lines(reply: Reply) -> int:
    """How many lines of a phone an answer takes without its trace and its number."""
    return _height([reply.first]) + _height(line for part in reply.shown for line in part_lines(part))


def brief(reply: Reply, options: Iterable[Option]) -> Reply:
    """The answer with what a phone need not show at once put into its trace: first what changed besides and notes, then
    whom nothing happened, then lines without dice, then single rolls; never the news itself.

    By the `options` of its command one about no list of targets stays as it is, unless it counts its units: a shot at
    a vehicle has its steps.
    """
    is_many = any(isinstance(part, Group) for part in reply.lines)
    if not is_many and not any(option.name == "targets" or option.many for option in options):
        return reply
    lightest = [*_by_weight(reply.lines, is_many=is_many)]
    if not lightest:
        return reply
    most, folded = (MANY if is_many else FEW), set(reply.trace)
    heights = [_height(part_lines(part)) for part in reply.lines]
    left = _height([reply.first]) + sum(height for at, height in enumerate(heights) if at not in folded)
    for at in lightest:
        if left <= most:
            break
        if at not in folded:
            folded.add(at)
            left -= heights[at]
    return replaced(reply, trace=tuple(sorted(folded)))


def _by_weight(parts: tuple[Part, ...], *, is_many: bool) -> Iterator[int]:
    """The places of the parts that may go, lightest first; with few units every line of the roll stays."""
    numbered = list(enumerate(parts))
    yield from (at for at, part in reversed(numbered) if isinstance(part, Small))
    if is_many:
        yield from (at for at, part in numbered if isinstance(part, Group) and part.label == "No effect")
        yield from (at for at, part in reversed(numbered) if isinstance(part, str))
        yield from (at for at, part in reversed(numbered) if isinstance(part, Line) and not part.dice)
        yield from (at for at, part in reversed(numbered) if isinstance(part, Line) and part.dice)
        yield from (at for at, part in reversed(numbered) if isinstance(part, Group) and not part.grave)


def _height(lines: Iterable[str]) -> int:
    return sum(map(_rows, lines))


def _rows(line: str) -> int:
    """How many lines of a phone one line takes: it breaks where `textwrap` would."""
    if "[" in line:
        line = _DIE.sub(r"\1", line)
    if len(line) <= PHONE and line.isprintable():
        return 1
    if "  " in line or not line.isprintable():  # there is more to it than words
        return max(1, len(textwrap.wrap(line, PHONE)))
    rows, start, end = 1, 0, len(line.rstrip())
    while end - start > PHONE:
        blank = line.rfind(" ", start, start + PHONE + 1)
        if blank <= start or "-" in line[blank : start + PHONE + 1]:  # it breaks inside a word
            return len(textwrap.wrap(line, PHONE))
        rows, start = rows + 1, blank + 1
    return rows
