"""Texts with formulas in braces, as the files of tables and of sequences have them.

`{n} hit{|s}` has a number and its plural, `{+drm}` a number with its sign, and
`{, crew lost when crew == 'lost' | , crew safe}` is the text before `when` if the test holds, else
the text after the bar.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BRACES = re.compile(r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
"""A pair of braces with its content, which may have braces of its own, three deep in all."""
_QUOTED = re.compile(r"(?<!\w)'[^']*'|\"[^\"]*\"")
"""Words of a formula in quotes. The apostrophe of `the crew's` opens no quote."""
_CONDITIONAL = re.compile(r"(.*) when ([^|]+?)(?: \| (.*)|)", re.DOTALL)
_PLURAL = re.compile(r"([^|'\"]*)\|([^|'\"]*)")


class ValuePart(NamedTuple):
    """The value of a formula; with `has_sign` a number with its sign."""

    formula: str
    has_sign: bool = False


class PluralPart(NamedTuple):
    """A word in two forms, chosen by the number before it."""

    singular: str
    plural: str


class ConditionalPart(NamedTuple):
    """Parts that are written if the formula `test` holds, and parts that are written if not."""

    test: str
    parts: tuple[TemplatePart, ...]
    otherwise: tuple[TemplatePart, ...]


TemplatePart = str | ValuePart | PluralPart | ConditionalPart


def read_template(template: str) -> tuple[TemplatePart, ...]:
    """Return the parts of a text with formulas in braces, in order.

    Raises ValueError for a brace without its other half.
    """
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
    """Return the part that the content of a pair of braces describes.

    A text that ends with a comma, colon or semicolon before its `when` gets a space.
    """
    outline = _QUOTED.sub(_mask, _BRACES.sub(_mask, piece))
    condition = _CONDITIONAL.fullmatch(outline)
    if condition:
        text, test, otherwise = (piece[slice(*condition.span(group))] for group in (1, 2, 3))
        if text.endswith((",", ":", ";")):
            text += " "
        return ConditionalPart(test, read_template(text), read_template(otherwise))
    forms = _PLURAL.fullmatch(piece)
    if forms:
        return PluralPart(forms[1], forms[2])
    return ValuePart(piece.removeprefix("+"), piece.startswith("+"))


def _mask(match: re.Match[str]) -> str:
    """Return underscores of the same length, so that quotes and braces hide their content."""
    return "_" * len(match[0])
