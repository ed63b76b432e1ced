"""Plain text made safe for Discord: nothing in it formats, links or hides; whom a message may ping
is said in `render.py`, `allowed_mentions`. Commands to copy are as Discord takes them, ready to
paste: `/lnlt fire attackers:us3; us4 targets:vc5 tm:1`."""

import re
from collections.abc import Iterable

from bot.rules.text.phrase import Address, Typed, When, split_pieces
from bot.rules.text.plain import isolate_text, remove_invisible
from bot.ui.reply.parts import Pen
from bot.ui.typing.command_writer import CommandReader, write_command

_MARKS = re.compile(r"([\\*_~|`<]|\](?=\())")
_LINE_START = re.compile(r"^([^\S\n]*\d*)(?=(?:[+.)-]|-?#+|>+)\s)", re.MULTILINE)
_LINK = re.compile(r"\b([a-z][a-z0-9+.-]{1,14}):(?=/)", re.IGNORECASE)
_INVITE = re.compile(r"\b(discord(?:app)?)\.(?=gg|com|me|io)", re.IGNORECASE)


def escape_text(text: str) -> str:
    """Text that shows as it is."""
    return _LINE_START.sub(r"\1\\", _escape_piece(text))


def _escape_piece(text: str) -> str:
    """`escaped`, of a piece within a line."""
    text = _MARKS.sub(r"\\\1", isolate_text(text))
    text = _LINK.sub(r"\1\\:", text)
    return _INVITE.sub(r"\1\\.", text)


def format_code(text: str) -> str:
    """A die, or a command to copy, as code; what code cannot hold is escaped."""
    return (
        _escape_piece(text)
        if "`" in text or "\n" in text
        else f"`{remove_invisible(text).strip()}`"
    )


def format_line(text: str) -> str:
    """One line of an answer: escaped, but commands to copy are code, which copies unchanged, and
    moments Discord's.
    """
    return _LINE_START.sub(r"\1\\", "".join(map(_format_piece, split_pieces(text))))


def _format_piece(piece: str) -> str:
    if isinstance(piece, When):
        return f"<t:{piece.at}:{'R' if piece.ago else 'f'}>"
    if isinstance(piece, Address):
        return str(piece)
    return (
        format_code(write_command(piece, CommandReader.DISCORD))
        if isinstance(piece, Typed)
        else _escape_piece(piece)
    )


def format_bold(text: str) -> str:
    """One line in bold letters."""
    shown = escape_text(text).strip()
    return f"**{shown}**" if shown else ""


PEN = Pen(
    format_line,
    _escape_piece,
    format_code,
    strong=lambda text: f"**{_escape_piece(text)}**",
    small=lambda text: f"-# {format_line(text)}",
    struck=lambda text: f"~~{_escape_piece(text)}~~",
)
"""How Discord writes the lines of an answer: dice as code, small print small."""


def format_fenced(lines: Iterable[str]) -> str:
    """Lines in a fixed width; none of them can end the fence."""
    return "```\n" + "\n".join(isolate_text(text).replace("`", "'") for text in lines) + "\n```"
