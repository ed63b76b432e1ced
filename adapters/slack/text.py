"""Slack's text as people typed it, and plain text made safe for Slack: nothing in it pings,
links, formats or hides.
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
    text = _LINK.sub(lambda found: found[2] or found[1], text)
    by_id = _TRANSFER.search(text) is not None
    text = _CONTROL.sub(lambda found: _format_reference(found, by_id=by_id), text)
    for entity, char in _ENTITIES:
        text = text.replace(entity, char)
    text = text.replace("\u00a0", " ").strip()
    if len(text) > 2 and text[0] == text[-1] == "`":
        text = text.strip("`").strip()  # a command copied as code
    return text


def _format_reference(found: re.Match[str], *, by_id: bool) -> str:
    kind = found[1]
    id = found[2]
    name = found[3]
    if kind == "#" and by_id:
        return f"#{id}"
    return ("@" if kind == "!" else kind) + (name or id)


def get_text_after_mention(text: str, bot: str) -> str:
    """The words behind the first mention of the bot, or those before it where none follow.

    A text that is too long for a command comes back cut, and still too long: whoever parses it
    refuses it.
    """
    if len(text) > MAX_LENGTH:
        return text[: MAX_LENGTH + 1]
    before, _, after = re.sub(rf"<@{re.escape(bot)}(?:\|[^<>]*)?>", "\0", text, count=1).partition(
        "\0"
    )
    return after.strip(" :,\n") or before.strip()


def escape_entities(text: str) -> str:
    """Text with `&`, `<` and `>` escaped: no control sequence of Slack survives it."""
    return isolate_text(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_text(text: str) -> str:
    """Text of one line that shows as it is in mrkdwn: marks that would format give way to
    lookalikes.
    """
    text = escape_entities(" ".join(text.split("\n"))).replace("`", "'")
    text = _MARK.sub(lambda found: _LOOKALIKE[found[0]], text)
    return _QUOTE.sub("\\1\u2060", text)


def format_bold(text: str) -> str:
    """One line in bold letters."""
    shown = escape_text(text).replace("*", _LOOKALIKE["*"]).strip()
    return f"*{shown}*" if shown else ""


def format_code(text: str) -> str:
    """A command to copy, as code; one that code cannot hold is escaped."""
    return (
        escape_text(text) if "`" in text or "\n" in text else f"`{escape_entities(text).strip()}`"
    )


def format_line(text: str) -> str:
    """Return one line of an answer as Slack's markup: text is escaped, commands to copy are in
    code, times are Slack's own dates and web addresses are links.
    """
    return "".join(map(_format_piece, split_pieces(text)))


def _format_piece(piece: str) -> str:
    if isinstance(piece, When):
        return f"<!date^{piece.at}^{'{ago}' if piece.ago else '{date_short_pretty}, {time}'}|{escape_entities(piece)}>"
    if isinstance(piece, Address):
        return f"<{escape_entities(piece)}>"
    return format_code(piece) if isinstance(piece, Typed) else escape_text(piece)


PEN = Pen(
    format_line,
    escape_text,
    die=lambda text: f"[{escape_text(text)}]",
    strong=format_bold,
    small=format_line,
    struck=lambda text: f"~{escape_text(text)}~",
)
"""How Slack writes the lines of an answer: its code is red, so dice are in brackets."""


def format_fenced(lines: Sequence[str]) -> str:
    """Lines in a fixed width; none of them can end the fence."""
    return "```\n" + "\n".join(escape_entities(text).replace("`", "'") for text in lines) + "\n```"
