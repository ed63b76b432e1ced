"""The commands that the bot prints for people to type, in the notation of the reader's platform.

Inside the bot a command is a `Typed` in the text form, `/game join US`. Before a reply is drawn,
`write_commands` turns each of them into the form that works in the channel where it is read. The
parser reads all these forms.
"""

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache, partial
from typing import Any, TypeVar, cast

from bot.rules.errors import UserError
from bot.rules.text.phrase import Phrase, Typed
from bot.rulesets.catalog import load_shared_systems
from bot.ui.registry import TABLE, Registry
from bot.ui.shown_options import list_shown_options
from bot.ui.typing.command_text import ParsedCommand, parse_text

T = TypeVar("T")


class CommandReader(Enum):
    """The place in which a command is read, and typed back: it decides the notation."""

    DISCORD = "discord"
    """A slash command whose values follow the names of their options."""
    SLACK = "slack"
    """A slash command of Slack, with its text as the console takes it."""
    MENTION = "mention"
    """A message that mentions the bot: Slack has no slash commands in threads."""
    DIRECT = "direct"
    """A message to the bot alone."""
    CONSOLE = "console"
    """A line at the console."""


SHARED_NAME = "grognard"
"""The bot's slash command on Slack, and its name in mentions."""
TAKEN = ("me",)
"""Our commands with the name of one of Slack's own: they are typed after `/grognard`."""
UNLISTED = (*TAKEN, "find")
"""Commands that are typed after `/grognard`. They are not in the manifest, which has room for few
names.
"""
OF_SLACK = ("invite",)
"""Slack's own commands that our texts tell people to type; they are never rewritten."""
_NAMED = re.compile(r' ([a-z][a-z0-9_-]*)=(?:"([^"]*)"|(\S*))')
ANYWHERE = (("game", "link"), ("seek", "link"))
"""Commands whose code is printed in one channel and typed in another, maybe on another platform."""


def write_commands(value: T, reader: CommandReader, commands: Registry) -> T:
    """Return a reply, or a part of one, with every command to copy as `reader` types it.

    `commands` are those of the server where it is read. All other text stays as it is. Call it only
    once for a reply: a written command would be written again.
    """
    return cast(T, _write_value(value, partial(write_command, reader=reader, commands=commands)))


def _write_value(value: object, write: Callable[[str], str]) -> object:
    """Return `value` with each `Typed` in it written; the same object if there is none."""
    if isinstance(value, Typed):
        return Typed(write(value))
    if isinstance(value, Phrase):
        return _write_phrase(value, write)
    if isinstance(value, tuple):
        items = [_write_value(item, write) for item in value]
        if all(item is old_value for item, old_value in zip(items, value, strict=True)):
            return value
        return cast(Any, type(value))(*items) if hasattr(value, "_fields") else tuple(items)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for field in fields(value):
            old_value = getattr(value, field.name)
            new_value = _write_value(old_value, write)
            if new_value is not old_value:
                changed[field.name] = new_value
        return replace(value, **changed) if changed else value
    return value


def _write_phrase(sentence: Phrase, write: Callable[[str], str]) -> Phrase:
    """Return `sentence` with its commands written; the same object if it has none."""
    if not any(isinstance(piece, Typed) for piece in sentence.pieces):
        return sentence
    return Phrase(*(_write_piece(piece, write) for piece in sentence.pieces))


def _write_piece(piece: str, write: Callable[[str], str]) -> str:
    return Typed(write(piece)) if isinstance(piece, Typed) else piece


@lru_cache(maxsize=4_000)
def write_command(text: str, reader: CommandReader, commands: Registry) -> str:
    """Return a command as `reader` types it. A text that begins with no command, or with one of
    Slack's own (OF_SLACK), stays as it is.
    """
    name = text.removeprefix("/").partition(" ")[0]
    is_command = text.startswith("/") or name.casefold() in commands.top_names
    if not is_command or name in OF_SLACK:
        return text
    line = text.removeprefix("/")
    parsed = _parse_or_none(line, commands)
    if reader is CommandReader.DISCORD:
        if parsed is None:
            return _rename_options(f"/{line}", commands)
        return _write_named(parsed)
    if parsed is not None and _is_typed_elsewhere(parsed):
        line = _write_named(parsed).removeprefix("/")
    if reader is CommandReader.SLACK:
        return f"/{line}" if _is_listed(name, commands) else f"/{SHARED_NAME} {line}"
    return f"@{SHARED_NAME} {line}" if reader is CommandReader.MENTION else line


def _parse_or_none(text: str, commands: Registry) -> ParsedCommand | None:
    """Return the command that a text is, or None if it cannot be parsed."""
    try:
        return parse_text(text, commands)
    except UserError:
        return None


def _is_typed_elsewhere(parsed: ParsedCommand) -> bool:
    """Return whether a command has a code for another channel. A link ends where `off` is read."""
    return parsed.spec.path in ANYWHERE and parsed.options.get("code") != "off"


def _write_named(parsed: ParsedCommand) -> str:
    """Return a command as Discord types it, with each value after the name of its option: `/unit
    edit name:us1 stats:shaken`.

    Flags that Discord has no room for join the modifiers, after `mods:`. Options that only exist in
    forms are left out.
    """
    spec = parsed.spec
    listed = {option.name for option in list_shown_options(spec)}
    pieces = [spec.name]
    mods = [str(parsed.options["mods"])] if parsed.options.get("mods") else []
    for name, value in parsed.options.items():
        option = spec.find_option(name)
        if name == "mods":
            continue
        if name in listed:
            pieces.append(f"{name}:{value}")
        elif option is not None and not option.form_only:  # a flag that Discord has no room for
            mods.append(name)
    if mods:
        pieces.append(f"mods:{' '.join(mods)}")
    return " ".join(pieces)


def _rename_options(text: str, commands: Registry) -> str:
    """Return a command with `hand:4` for `hand=4`, as Discord types it.

    Only for commands of packs that are not loaded; others could not be parsed and stay as they are.
    """
    if text[1:].partition(" ")[0] in commands.top_names:
        return text
    return _NAMED.sub(_write_colon, text)


def _write_colon(match: re.Match[str]) -> str:
    """Return ` name:value` for a match of _NAMED."""
    value = match[3] if match[2] is None else match[2]
    return f" {match[1]}:{value}"


def _is_listed(name: str, commands: Registry) -> bool:
    """Return whether a top-level command is in the manifest of the Slack app. Commands of a
    workspace's own packs are not.
    """
    if name in UNLISTED:
        return False
    if name == SHARED_NAME or commands.has_shared_command(name):
        return True
    return name.removesuffix(TABLE) in load_shared_systems()
