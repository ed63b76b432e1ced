"""Slack's text converted to what people typed, and plain text made safe for Slack: nothing in it
pings, links, formats or hides text.
"""

import re
from collections.abc import Sequence

from bot.rules.text.phrase import Address, Typed, When, split_pieces
from bot.rules.text.plain import isolate_text
from bot.ui.reply.parts import Pen
from bot.ui.typing.command_text import MAX_LENGTH

_CONTROL = re.compile(r"<([@#!])([^<>|]*)(?:\|([^<>]*))?>")
_LINK = re.compile(r"<((?:https?|mailto|tel):[^<>|]*)(?:\|([^<>]*))?>")
_TRANSFER = re.compile(r"\btransfer\b", re.IGNORECASE)
_MARK = re.compile(r"(?<!\w)[*_~](?=\S)")
_QUOTE = re.compile(r"^([^\S\n]*)(?=&gt;)", re.MULTILINE)
_LOOKALIKE = {"*": "\u2217", "_": "\u02cd", "~": "\u223c"}
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def remove_markup(text: str) -> str:
    """Return a message as its author typed it, without Slack's markup.

    Links and names become words, entities become characters. Channels keep their id in a command
    that moves a game. A text that is too long for a command is cut, but stays longer than the
    limit, so that the parser refuses it.
    """
    if len(text) > MAX_LENGTH:
        return text[: MAX_LENGTH + 1]
    text = _LINK.sub(lambda match: match[2] or match[1], text)
    by_id = _TRANSFER.search(text) is not None
    text = _CONTROL.sub(lambda match: _format_reference(match, by_id=by_id), text)
    for entity, char in _ENTITIES:
        text = text.replace(entity, char)
    text = text.replace("\u00a0", " ").strip()
    if len(text) > 2 and text[0] == text[-1] == "`":
        text = text.strip("`").strip()  # a command copied as code
    return text


def _format_reference(match: re.Match[str], *, by_id: bool) -> str:
    """Return a reference of Slack's (`<#C1|games>`) as people type it: by its name if it has one.

    With `by_id` a channel is written with its id.
    """
    kind = match[1]
    id = match[2]
    name = match[3]
    if kind == "#" and by_id:
        return f"#{id}"
    sign = "@" if kind == "!" else kind
    return sign + (name or id)


def get_text_after_mention(text: str, bot: str) -> str:
    """Return the text after the first mention of the bot, or before it if nothing follows.

    A text that is too long for a command is cut, but stays longer than the limit, so that the
    parser refuses it.
    """
    if len(text) > MAX_LENGTH:
        return text[: MAX_LENGTH + 1]
    marked_text = re.sub(rf"<@{re.escape(bot)}(?:\|[^<>]*)?>", "\0", text, count=1)
    text_before, _, text_after = marked_text.partition("\0")
    return text_after.strip(" :,\n") or text_before.strip()


def escape_entities(text: str) -> str:
    """Escape `&`, `<` and `>`, so that no control sequence of Slack remains."""
    return isolate_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_text(text: str) -> str:
    """Escape a text for mrkdwn, in one line. Marks that would format it are replaced by similar
    characters.
    """
    text = escape_entities(" ".join(text.split("\n"))).replace("`", "'")
    text = _MARK.sub(lambda match: _LOOKALIKE[match[0]], text)
    return _QUOTE.sub("\\1\u2060", text)


def format_bold(text: str) -> str:
    """Format one line in bold letters, or return "" for an empty one."""
    escaped = escape_text(text).replace("*", _LOOKALIKE["*"]).strip()
    return f"*{escaped}*" if escaped else ""


def format_code(text: str) -> str:
    """Format a command to copy as code. A text with a backtick or a line end is escaped instead."""
    if "`" in text or "\n" in text:
        return escape_text(text)
    return f"`{escape_entities(text).strip()}`"


def format_line(text: str) -> str:
    """Format one line of an answer as Slack's markup: text is escaped, commands to copy are code,
    times are Slack's own dates, and web addresses are links.
    """
    return "".join(map(_format_piece, split_pieces(text)))


def _format_piece(piece: str) -> str:
    """Format a piece of a line: a time, an address, a command to copy, or plain text."""
    if isinstance(piece, When):
        date_format = "{ago}" if piece.ago else "{date_short_pretty}, {time}"
        return f"<!date^{piece.at}^{date_format}|{escape_entities(piece)}>"
    if isinstance(piece, Address):
        return f"<{escape_entities(piece)}>"
    if isinstance(piece, Typed):
        return format_code(piece)
    return escape_text(piece)


PEN = Pen(
    format_line,
    escape_text,
    die=lambda text: f"[{escape_text(text)}]",
    strong=format_bold,
    small=format_line,
    struck=lambda text: f"~{escape_text(text)}~",
)
"""The pen that formats lines of an answer for Slack. Dice are in brackets, because Slack shows code
in red.
"""


def format_fenced(lines: Sequence[str]) -> str:
    """Format lines as a code block. Backticks in them are replaced, so that none can end it."""
    text = "\n".join(escape_entities(line).replace("`", "'") for line in lines)
    return f"```\n{text}\n```"
