"""Texts with formulas in braces, as the files of tables and of sequences have them.

`{n} hit{|s}` has a number and its plural, `{+drm}` a number with its sign, and
`{, crew lost when crew == 'lost' | , crew safe}` is said only if the test holds, else what follows
the bar.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BRACES = re.compile(r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
"""Formulas in texts, with parts in them that are said only sometimes: three deep."""
_QUOTED = re.compile(r"(?<!\w)'[^']*'|\"[^\"]*\"")
"""Words of a formula in quotes; the apostrophe of `the crew's` opens none."""
_SOMETIMES = re.compile(r"(.*) when ([^|]+?)(?: \| (.*)|)", re.DOTALL)
_ONE_OR_MANY = re.compile(r"([^|'\"]*)\|([^|'\"]*)")


class ValuePart(NamedTuple):
    """The value of a formula; with `has_sign` a number with its sign."""

    formula: str
    has_sign: bool = False


class PluralPart(NamedTuple):
    """A word that goes by the number before it."""

    one: str
    many: str


class ConditionalPart(NamedTuple):
    """What is said if the formula `test` holds, and what otherwise."""

    test: str
    parts: tuple[TemplatePart, ...]
    otherwise: tuple[TemplatePart, ...]


TemplatePart = str | ValuePart | PluralPart | ConditionalPart


def read_template(template: str) -> tuple[TemplatePart, ...]:
    """Return the parts of a text. Raises ValueError for a brace without its other half."""
    parts: list[TemplatePart] = []
    for index, piece in enumerate(_BRACES.split(template)):
        is_plain = index % 2 == 0
        if not is_plain:
            parts.append(_read_braces(piece))
        elif "{" in piece or "}" in piece:
            raise ValueError(f'"{template[:80]}" has a brace without its other half')
        elif piece:
            parts.append(piece)
    return tuple(parts)


def _read_braces(piece: str) -> TemplatePart:
    """Return the part in a pair of braces."""
    outline = _QUOTED.sub(_cover, _BRACES.sub(_cover, piece))
    if found := _SOMETIMES.fullmatch(outline):
        text, test, otherwise = (piece[slice(*found.span(group))] for group in (1, 2, 3))
        text += " " if text.endswith((",", ":", ";")) else ""
        return ConditionalPart(test, read_template(text), read_template(otherwise))
    if found := _ONE_OR_MANY.fullmatch(piece):
        return PluralPart(found[1], found[2])
    return ValuePart(piece.removeprefix("+"), piece.startswith("+"))


def _cover(found: re.Match[str]) -> str:
    """Return as many other characters, so that nothing in quotes or braces is looked at."""
    return "_" * len(found[0])
