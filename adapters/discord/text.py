"""Plain text made safe for Discord: nothing in it formats, links or hides; whom a message may ping
is said in `render.py`, `allowed_mentions`. Commands to copy are as Discord takes them, ready to
paste: `/lnlt fire attackers:us3; us4 targets:vc5 tm:1`."""

import re
from collections.abc import Iterable
from functools import lru_cache

from adapters.discord.command_payload import shown_options
from bot.interface.registry import Registry, registry
from bot.interface.reply.parts import Pen
from bot.interface.typing.command_text import parse_text
from bot.rules.errors import UserError
from bot.rules.text.phrase import Address, Typed, When, pieces_of
from bot.rules.text.plain import isolated, visible

_MARKS = re.compile(r"([\\*_~|`<]|\](?=\())")
_LINE_START = re.compile(r"^([^\S\n]*\d*)(?=(?:[+.)-]|-?#+|>+)\s)", re.MULTILINE)
_LINK = re.compile(r"\b([a-z][a-z0-9+.-]{1,14}):(?=/)", re.IGNORECASE)
_INVITE = re.compile(r"\b(discord(?:app)?)\.(?=gg|com|me|io)", re.IGNORECASE)


def escaped(text: str) -> str:
    """Text that shows as it is."""
    return _LINE_START.sub(r"\1\\", _within(text))


def _within(text: str) -> str:
    """`escaped`, of a piece within a line."""
    text = _MARKS.sub(r"\\\1", isolated(text))
    text = _LINK.sub(r"\1\\:", text)
    return _INVITE.sub(r"\1\\.", text)


def code(text: str) -> str:
    """A die, or a command to copy, as code; what code cannot hold is escaped."""
    return _within(text) if "`" in text or "\n" in text else f"`{visible(text).strip()}`"


def line(text: str) -> str:
    """One line of an answer: escaped, but commands to copy are code, which copies unchanged, and
    moments Discord's.
    """
    return _LINE_START.sub(r"\1\\", "".join(map(_piece, pieces_of(text))))


def _piece(piece: str) -> str:
    if isinstance(piece, When):
        return f"<t:{piece.at}:{'R' if piece.ago else 'f'}>"
    if isinstance(piece, Address):
        return str(piece)
    return code(as_typed(piece)) if isinstance(piece, Typed) else _within(piece)


def bold(text: str) -> str:
    """One line in bold letters."""
    shown = escaped(text).strip()
    return f"**{shown}**" if shown else ""


PEN = Pen(
    line,
    _within,
    code,
    strong=lambda text: f"**{_within(text)}**",
    small=lambda text: f"-# {line(text)}",
    struck=lambda text: f"~~{_within(text)}~~",
)
"""How Discord writes the lines of an answer: dice as code, small print small."""


def fenced(lines: Iterable[str]) -> str:
    """Lines in a fixed width; none of them can end the fence."""
    return "```\n" + "\n".join(isolated(text).replace("`", "'") for text in lines) + "\n```"


LINK = ("game", "link")
"""A command that is shown here to be typed elsewhere, on any network."""

_NAMED = re.compile(r' ([a-z][a-z0-9_-]*)=(?:"([^"]*)"|(\S*))')


def as_typed(text: str) -> str:
    """A command of the text form with each value behind its option's name; what is no whole
    command stays.
    """
    return _as_typed(text, registry()) if text.startswith("/") else text


@lru_cache(maxsize=2_000)
def _as_typed(text: str, seen: Registry) -> str:
    try:
        parsed = parse_text(text, seen)
    except UserError:
        return _rewrite_options(text, seen)
    if parsed.spec.path == LINK:
        return text
    spec = parsed.spec
    listed = {option.name for option in shown_options(parsed.spec)}
    pieces = [spec.name]
    words = [str(parsed.options["mods"])] if parsed.options.get("mods") else []
    for name, value in parsed.options.items():
        if name != "mods" and name not in listed:  # a flag that Discord has no room for
            words.append(name)
        elif name != "mods":
            pieces.append(f"{name}:{value}")
    return " ".join([*pieces, *([f"mods:{' '.join(words)}"] if words else [])])


def _rewrite_options(text: str, seen: Registry) -> str:
    """Rewrite `name=value` as `name:value` in a command that the registry does not know."""
    if text[1:].partition(" ")[0] in seen.top:
        return text
    return _NAMED.sub(
        lambda found: f" {found[1]}:{found[2] if found[2] is not None else found[3]}", text
    )
