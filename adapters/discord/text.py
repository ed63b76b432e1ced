"""Plain text made safe for Discord: nothing in it formats, links or hides text.

Pings are limited by `allowed_mentions` in `render.py`. Commands to copy are written as Discord
takes them, ready to paste: `/lnlt fire attackers:us3; us4 targets:vc5 tm:1`.
"""

import re
from collections.abc import Iterable

from bot.rules.text.phrase import Address, Typed, When, split_pieces
from bot.rules.text.plain import isolate_text, remove_invisible
from bot.ui.reply.parts import Pen

_MARKS = re.compile(r"([\\*_~|`<]|\](?=\())")
_LINE_START = re.compile(r"^([^\S\n]*\d*)(?=(?:[+.)-]|-?#+|>+)\s)", re.MULTILINE)
_LINK = re.compile(r"\b([a-z][a-z0-9+.-]{1,14}):(?=/)", re.IGNORECASE)
_INVITE = re.compile(r"\b(discord(?:app)?)\.(?=gg|com|me|io)", re.IGNORECASE)


def escape_text(text: str) -> str:
    """Escape a text, of one or more lines, so that Discord shows it unchanged."""
    return _LINE_START.sub(r"\1\\", _escape_piece(text))


def _escape_piece(text: str) -> str:
    """Escape a piece of a line. Marks that count only at the beginning of a line stay."""
    text = _MARKS.sub(r"\\\1", isolate_text(text))
    text = _LINK.sub(r"\1\\:", text)
    return _INVITE.sub(r"\1\\.", text)


def format_code(text: str) -> str:
    """Format a die or a command to copy as code. A text with a backtick or a line end is escaped
    instead.
    """
    if "`" in text or "\n" in text:
        return _escape_piece(text)
    return f"`{remove_invisible(text).strip()}`"


def format_line(text: str) -> str:
    """Format one line of an answer: escaped, with commands to copy as code and times as Discord's
    timestamps.
    """
    return _LINE_START.sub(r"\1\\", "".join(map(_format_piece, split_pieces(text))))


def _format_piece(piece: str) -> str:
    """Format a piece of a line: a time, an address, a command to copy, or plain text."""
    if isinstance(piece, When):
        return f"<t:{piece.at}:{'R' if piece.ago else 'f'}>"
    if isinstance(piece, Address):
        return str(piece)
    if isinstance(piece, Typed):
        return format_code(piece)
    return _escape_piece(piece)


def format_bold(text: str) -> str:
    """Format one line in bold letters, or return "" for an empty one."""
    escaped = escape_text(text).strip()
    return f"**{escaped}**" if escaped else ""


PEN = Pen(
    format_line,
    _escape_piece,
    format_code,
    strong=lambda text: f"**{_escape_piece(text)}**",
    small=lambda text: f"-# {format_line(text)}",
    struck=lambda text: f"~~{_escape_piece(text)}~~",
)
"""The pen that formats lines of an answer for Discord: dice as code, small print small."""


def format_fenced(lines: Iterable[str]) -> str:
    """Format lines as a code block. Backticks in them are replaced, so that none can end it."""
    text = "\n".join(isolate_text(line).replace("`", "'") for line in lines)
    return f"```\n{text}\n```"
