"""The commands that the bot prints, collected from replies, sources, data and docs, and typed back
in the place where they were read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from adapters.discord.command_payload import build_payload
from adapters.slack.listeners import format_command_line
from adapters.slack.text import get_text_after_mention, remove_markup
from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError
from bot.rules.text.phrase import Address, Typed, When, split_pieces
from bot.ui.registry import Registry
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import ParsedCommand, parse_text
from bot.ui.typing.command_writer import OF_SLACK, CommandReader, write_command

ROOT = Path(__file__).parents[1]
BOT = "U0BOT"
FIELDS = ("title", "by", "lines", "footer", "announce", "instead", "buttons", "menus")
PLACEHOLDER = re.compile(r"\{[^{}]*\}")
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Found:
    """A command that is printed, and where."""

    text: str
    where: str


@lru_cache(maxsize=4)
def pattern_of(commands: Registry) -> re.Pattern[str]:
    """Return what finds a command in plain text: `/game board`."""
    names = "|".join(sorted(map(re.escape, commands.top_names), key=len, reverse=True))
    return re.compile(rf"(?<![\w/`<.}}-])/(?:{names})(?![\w/.-])(?: [a-z][a-z-]*)*")


def texts_in(value: object) -> Iterator[str]:
    """Yield every text of a reply."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Reply):
        for field in FIELDS:
            yield from texts_in(getattr(value, field, None))
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from texts_in(item)


def commands_in(reply: Reply, where: str) -> Iterator[Found]:
    """Yield the commands of a reply that are set apart for copying."""
    for text in texts_in(reply):
        for piece in split_pieces(text):
            if isinstance(piece, Typed) and is_command(piece):
                yield Found(piece, where)


def is_command(text: str) -> bool:
    """Return whether a text in code font is a command, not a value such as `us1..us4`."""
    return text.startswith("/") or text.partition(" ")[0] in load_shared_registry().top_names


def plain_commands_in(reply: Reply, where: str) -> Iterator[Found]:
    """Yield commands in the plain text of a reply, which no platform can write in its own form."""
    for text in texts_in(reply):
        for piece in split_pieces(text):
            if isinstance(piece, Typed | When | Address):
                continue
            if found := find_plain(piece):
                yield Found(found, f"{where}: {piece[:120]}")


def find_plain(text: str) -> str:
    """Return a command in the middle of a plain sentence, or ""."""
    if "/" not in text or text.startswith("/"):
        return ""
    found = pattern_of(load_shared_registry()).search(text)
    is_label = found is not None and text.endswith(f": {found[0]}")
    return found[0] if found is not None and not is_label else ""


# -- sources and data


@lru_cache(maxsize=1_000)
def literals(file: Path) -> tuple[tuple[str, bool], ...]:
    """Return the texts of a Python file that may hold a command, and whether each is inside
    `phrase(...)` or `Typed(...)`.
    """
    if "/" not in (text := file.read_text("utf-8")):
        return ()
    return tuple(one for one in _literals(text) if "/" in one[0])


def _literals(text: str) -> Iterator[tuple[str, bool]]:
    tree = ast.parse(text)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inside = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("phrase", "Typed")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in docstrings:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [
                part.value if isinstance(part, ast.Constant) else "{x}" for part in node.values
            ]
            yield "".join(map(str, parts)), id(node) in inside
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, id(node) in inside


def texts_of_data(value: Any) -> Iterator[str]:
    """Yield every text of a YAML file."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts_of_data(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of_data(item)


def filled_in(text: str) -> str:
    """Return a command with an example in place of each part that is put in later."""
    return PLACEHOLDER.sub("x1", text)


# -- typing back


def type_back(text: str, commands: Registry | None = None) -> Iterator[str]:
    """Yield why a printed command cannot be read where it was read, for each reader."""
    commands = commands or load_shared_registry()
    for reader in CommandReader:
        written = write_command(text, reader, load_shared_registry())
        try:
            _read(written, reader, commands)
        except (UserError, KeyError) as error:
            if isinstance(error, UserError) and error.code == "several-tables":
                continue  # they are offered
            yield f"{text} [{reader.value}] as {written}: {error}"


def _read(written: str, reader: CommandReader, commands: Registry) -> ParsedCommand | None:
    """Return what a platform makes of a line. Raises UserError, or KeyError for an option that
    Discord does not show.
    """
    name, _, rest = written.removeprefix("/").partition(" ")
    if name in OF_SLACK:
        return None
    if reader is CommandReader.DISCORD:
        parsed = parse_text(written, commands)
        if not parsed.spec.is_for_bot:  # which the menu does not list
            _type_on_discord(written, commands)
        return parsed
    if reader is CommandReader.SLACK:
        return parse_text(format_command_line(f"/{name}", remove_markup(rest)), commands)
    if reader is CommandReader.MENTION:
        mention = written.replace("@grognard", f"<@{BOT}>", 1)
        assert mention != written
        return parse_text(remove_markup(get_text_after_mention(mention, BOT)), commands)
    return parse_text(remove_markup(written), commands)


def _type_on_discord(written: str, commands: Registry) -> None:
    """Choose the command in the menu and its options by name, as Discord's client does."""
    words = written.removeprefix("/").split(" ")
    level: Mapping[str, Any] = _menu(commands)[words.pop(0)]
    while words and any(one["type"] < 3 for one in level.get("options", ())):
        word = words.pop(0)
        level = {one["name"]: one for one in level["options"]}[word]
    names = {option["name"] for option in level.get("options", ()) if option["type"] > 2}
    if not names and level.get("options"):
        return  # the menu shows what follows
    spec = parse_text(written, commands).spec
    own = {option.name for option in spec.options}
    used = [found[1] for found in re.finditer(r"(?:^| )([a-z_]+):", " ".join(words))]
    for name in used:
        if name in own | {"mods"} and name not in names:
            raise KeyError(name)


@lru_cache(maxsize=4)
def _menu(commands: Registry) -> dict[str, Any]:
    return {one["name"]: one for one in build_payload(commands)}


def failures(found: Iterable[Found]) -> list[str]:
    """Return what cannot be read of the commands, each text once."""
    seen = {one.text: one for one in found}
    return [f"{problem} ({one.where})" for one in seen.values() for problem in type_back(one.text)]
