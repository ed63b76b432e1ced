"""What of an answer a phone shows at once; the rest is its trace, behind *Dice* and in the console."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bot.interface.reply.parts import Group, Part, Small, part_lines
from bot.interface.reply.reply import Reply
from bot.rules.inputs.options import Option
from bot.rules.text.line import Line

_DIE = re.compile(r"\[(\w+)\]")
"""A die, which a phone shows without brackets."""
PHONE = 39
"""Columns of a phone."""
NOW, OUT = "Now: ", "Out: "
"""How lines begin that say what became of the units: beside the dice, and of their weapons."""
FEW, MANY = 7, 12
"""Lines of a phone that an answer about a unit or two takes at most, and one that counts its units."""


def phone_lines(reply: Reply) -> int:
    """How many lines of a phone an answer takes without its trace and its number, as `brief` counts them."""
    return _height([reply.first]) + sum(_heights(reply.shown))


def brief(reply: Reply, options: Iterable[Option]) -> Reply:
    """The answer with what a phone need not show at once put into its trace: first notes, then whom nothing happened,
    then lines without dice, then single rolls, then what that means; never the news itself nor what each unit came
    to or is to do. Of a unit or two that is small print beside the lines that count.

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
    heights = _heights(reply.lines)
    left = _height([reply.first]) + sum(height for at, height in enumerate(heights) if at not in folded)
    for at in lightest:
        if left <= most:
            break
        if at not in folded:
            folded.add(at)
            left -= heights[at]
    return replace(reply, trace=tuple(sorted(folded)))


def _by_weight(parts: tuple[Part, ...], *, is_many: bool) -> Iterator[int]:
    """The places of the parts that may go, lightest first; with few units every line of the roll stays."""
    numbered = list(enumerate(parts))
    yield from (at for at, part in reversed(numbered) if isinstance(part, Small) and not _is_now(part))
    if is_many:
        yield from (at for at, part in numbered if isinstance(part, Group) and part.label == "No effect")
        yield from (at for at, part in reversed(numbered) if isinstance(part, str) and not part.startswith(OUT))
        yield from (at for at, part in reversed(numbered) if isinstance(part, Line) and not part.dice)
        yield from (at for at, part in reversed(numbered) if isinstance(part, Line) and part.dice)
        yield from (at for at, part in numbered if _is_now(part))


def _heights(parts: tuple[Part, ...]) -> list[int]:
    """The lines that each part takes; what became of a unit or two is small print that is not counted."""
    is_many = any(isinstance(part, Group) for part in parts)
    return [0 if _is_now(part) and not is_many else _height(part_lines(part)) for part in parts]


def _is_now(part: Part) -> bool:
    """Whether a part says what became of the units, by which players act."""
    return isinstance(part, Small) and part.text.startswith(NOW)


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
