"""The text form of commands: `/lnlt fire attackers="squad fp=4" tm=2 adjacent`. One parser for every place.

`key=value` sets an option; a bare word is a flag or the next positional option; a value may be quoted with
"…", '…' or “…”, opening only at its start, and the other kinds of quotes may stand inside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.command import CommandSpec
from bot.registry import Registry
from bot.rules.errors import UserError, did_you_mean
from bot.rules.options import INVISIBLE, Option

MAX_LENGTH = 8_000
MAX_TOKENS = 400
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u201e": "\u201c"}
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,40})=")
_SPACE = re.compile(r"\s+")
GREEDY = ("dice", "topic")
"""Options that take all bare words that follow: `roll 2d6 + 3`, `help lnlt fire`."""


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a command: an optional key, its value, whether the value was quoted, and its text."""

    key: str
    value: str
    quoted: bool
    at: int


@dataclass(frozen=True, slots=True)
class Typed:
    """A command as typed: what it is, and its options as text (flags as True)."""

    spec: CommandSpec
    options: Mapping[str, object]


def parse_text(text: str, registry: Registry) -> Typed:
    """The command that a line of text asks for. Raises UserError with what was wrong and what to type."""
    if len(text) > MAX_LENGTH:
        raise UserError(f"That line is too long: at most {MAX_LENGTH} characters.")
    tokens = tokenize(INVISIBLE.sub("", text).strip().removeprefix("/"))
    words = [token.value for token in tokens if not token.key]
    if not words:
        raise UserError("There is no command here.", hint="Type help to see what there is.")
    spec, used = registry.find([token.value if not token.key and not token.quoted else "" for token in tokens])
    return Typed(spec, read_tokens(spec, tokens[used:]))


def tokenize(text: str) -> list[Token]:
    """Split a line into tokens. Raises UserError for an unclosed quotation mark."""
    tokens: list[Token] = []
    at = 0
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if at >= len(text):
            return tokens
        start, key = at, ""
        if found := _KEY.match(text, at):
            key, at = found[1].replace("-", "_").casefold(), found.end()
        value, quoted, at = _value(text, at)
        tokens.append(Token(key, value, quoted, start))
        if len(tokens) > MAX_TOKENS:
            raise UserError("That line has too many words.")


def _value(text: str, at: int) -> tuple[str, bool, int]:
    closing = _QUOTES.get(text[at]) if at < len(text) else None
    if closing is None:
        space = _SPACE.search(text, at)
        end = space.start() if space else len(text)
        return text[at:end], False, end
    end = text.find(closing, at + 1)
    if end < 0:
        raise UserError(
            f"The quotation mark at character {at + 1} is not closed: {text[at : at + 20]}",
            hint=f"End it with {closing}",
        )
    return text[at + 1 : end], True, end + 1


def read_tokens(spec: CommandSpec, tokens: list[Token]) -> dict[str, object]:
    """The options that `tokens` give to `spec`, as typed. Raises UserError for what does not fit."""
    options = {option.name: option for option in spec.options}
    given: dict[str, object] = {}
    mods: list[str] = []
    positional = [option for option in spec.options if option.type not in ("bool", "mods")]
    stats = next((option.name for option in spec.options if option.complete == "stats"), "")
    loose: list[str] = []
    for token in tokens:
        if token.key in options:
            if token.key == "mods":
                mods.append(token.value)
            else:
                _put(given, token.key, token.value)
        elif token.key:
            if not stats:
                raise _unknown_key(spec, token, options)
            loose.append(f"{token.key}={token.value}")
        elif not token.quoted and (flag := _flag(token.value, options)):
            _put(given, flag, True)
        elif not token.quoted and _is_modifier(token.value, options):
            mods.append(token.value)
        else:
            _place(spec, positional, given, token)
    if mods:
        given["mods"] = " ".join(mods)
    if loose:
        given[stats] = " ".join([str(given[stats]), *loose]) if stats in given else " ".join(loose)
    return given


def _put(given: dict[str, object], name: str, value: object) -> None:
    if name in given:
        raise UserError(f"{name} stands twice.", hint="Type it once.", option=name)
    given[name] = value


def _flag(word: str, options: Mapping[str, Option]) -> str:
    name = word.casefold().replace("-", "_")
    option = options.get(name)
    return name if option is not None and option.type == "bool" else ""


def _is_modifier(word: str, options: Mapping[str, Option]) -> bool:
    mods = options.get("mods")
    return mods is not None and mods.type == "mods" and word.casefold().replace("-", "_") in mods.values


def _place(spec: CommandSpec, positional: list[Option], given: dict[str, object], token: Token) -> None:
    for option in positional:
        if option.type in GREEDY or option.complete in GREEDY:
            before = given.get(option.name)
            given[option.name] = token.value if before is None else f"{before} {token.value}"
            return
        if option.name not in given:
            given[option.name] = token.value
            return
    known = [option.name for option in spec.options]
    mods = spec.option("mods")
    near = did_you_mean(token.value.replace("-", "_"), [*known, *(mods.values if mods else ())])
    raise UserError(
        f'{spec.name} does not know what to do with "{token.value[:40]}".', hint=near or f"/help {' '.join(spec.path)}"
    )


def _unknown_key(spec: CommandSpec, token: Token, options: Mapping[str, Option]) -> UserError:
    near: str = did_you_mean(token.key, options)
    lists = [name for name, option in options.items() if option.type == "units"]
    if not near and lists:
        near = f'Is it a unit\'s number? Quote the whole list: {lists[0]}="squad fp=4; leader lm=1".'
    return UserError(
        f'{spec.name} has no option "{token.key}".', hint=near or f"/help {' '.join(spec.path)}", option=token.key
    )


def quoted(value: object) -> str:
    """A value as it must be typed: quoted if it holds spaces or quotation marks."""
    text = str(value)
    if text and not re.search(r"[\s\"'\u201c\u201d\u201e]", text):
        return text
    for opening in ('"', "'"):
        if opening not in text:
            return f"{opening}{text}{opening}"
    return "\u201c" + text.replace("\u201d", "'") + "\u201d"


def command_text(spec: CommandSpec, options: Mapping[str, object]) -> str:
    """The command ready to copy: `/lnlt fire attackers="squad fp=4" adjacent`."""
    pieces = [spec.name]
    for name, value in options.items():
        option = spec.option(name)
        if value is None or value is False or value == "" or value == ():
            continue
        if option is not None and option.type == "bool":
            pieces.append(name)
        elif name == "mods":
            pieces += [str(word) for word in (value if isinstance(value, list | tuple) else str(value).split())]
        else:
            pieces.append(f"{name}={quoted(value)}")
    return " ".join(pieces)
