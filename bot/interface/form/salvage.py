"""What can be kept of a line that cannot be read, so that a form opens with it."""

from __future__ import annotations

from bot.interface.registry import Registry
from bot.interface.typing.text import Parsed, Token, read_tokens, tokenize
from bot.rules.errors import UserError
from bot.rules.text.plain import without_control

MOST = 60
"""Words that are looked at; who types more has pasted something else."""
_CLOSING = ("", '"', "'", "\u201d", "\u2019")


def salvaged(text: str, registry: Registry) -> Parsed:
    """The command with all its words that fit, in order: one that is misspelt or given twice is left out, a mark that
    is not closed is closed at the end. Raises UserError where no command is named."""
    tokens = _tokens(without_control(text).strip().removeprefix("/"))[:MOST]
    spec, used = registry.find([token.value if not token.key and not token.quoted else "" for token in tokens])
    kept: list[Token] = []
    options: dict[str, object] = {}
    for token in tokens[used:]:
        try:
            options = read_tokens(spec, [*kept, token])
        except UserError:
            continue
        kept.append(token)
    return Parsed(spec, options)


def _tokens(text: str) -> list[Token]:
    for mark in _CLOSING:
        try:
            return tokenize(text + mark)
        except UserError:
            continue
    return tokenize(text.replace('"', " ").replace("'", " "))
