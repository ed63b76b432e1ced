"""Slack's text as people typed it, and plain text made safe for Slack: nothing in it pings, links, formats or hides."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

MAX_NAME = 32
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_BLANKS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0\ufe00-\ufe0f]")
_CONTROL = re.compile(r"<([@#!])([^>|]*)(?:\|([^>]*))?>")
_LINK = re.compile(r"<((?:https?|mailto|tel):[^>|]*)(?:\|([^>]*))?>")
_TRANSFER = re.compile(r"\btransfer\b", re.IGNORECASE)
_MARK = re.compile(r"(?<!\w)[*_~](?=\S)")
_QUOTE = re.compile(r"^(\s*)(?=&gt;)", re.MULTILINE)
_COMMAND = re.compile(r"(?<=: )/[a-z][a-z-]*(?: [^`]*)?(?<!\.)$")
_LOOKALIKE = {"*": "\u2217", "_": "\u02cd", "~": "\u223c"}
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def typed(text: str) -> str:
    """What a person typed: links and names as words, channels by id where a game moves there, entities undone."""
    text = _LINK.sub(lambda found: found[2] or found[1], text)
    by_id = _TRANSFER.search(text) is not None
    text = _CONTROL.sub(lambda found: _reference(found, by_id=by_id), text)
    for entity, char in _ENTITIES:
        text = text.replace(entity, char)
    text = text.replace("\u00a0", " ").strip()
    if len(text) > 2 and text[0] == text[-1] == "`":
        text = text.strip("`").strip()  # a command copied as code
    return text


def _reference(found: re.Match[str], *, by_id: bool) -> str:
    kind, id, name = found[1], found[2], found[3]
    if kind == "#" and by_id:
        return f"#{id}"
    return ("@" if kind == "!" else kind) + (name or id)


def after_mention(text: str, bot: str) -> str:
    """The words behind the first mention of the bot, or those before it where none follow."""
    before, _, after = re.sub(rf"<@{re.escape(bot)}(?:\|[^>]*)?>", "\0", text, count=1).partition("\0")
    return after.strip(" :,\n") or before.strip()


def visible(text: str) -> str:
    """Text without what cannot be seen or turns its direction: such characters only spoof."""
    text = _BLANKS.sub("", text)
    return "".join(char for char in text if char in "\n\t " or unicodedata.category(char) not in _HIDDEN)


def clean_name(text: str) -> str:
    """A name without control, invisible and direction-changing characters, at most 32 long."""
    return " ".join(visible(text).split())[:MAX_NAME].strip()


def entities(text: str) -> str:
    """Text with `&`, `<` and `>` escaped: no control sequence of Slack survives it."""
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escaped(text: str) -> str:
    """Text of one line that shows as it is in mrkdwn: marks that would format give way to lookalikes."""
    text = entities(" ".join(text.split("\n"))).replace("`", "'")
    text = _MARK.sub(lambda found: _LOOKALIKE[found[0]], text)
    return _QUOTE.sub("\\1\u2060", text)


def bold(text: str) -> str:
    """One line in bold letters."""
    shown = escaped(text).replace("*", _LOOKALIKE["*"]).strip()
    return f"*{shown}*" if shown else ""


def code(text: str) -> str:
    """Text as code, which shows and copies unchanged."""
    return f"`{entities(text).replace('`', chr(39))}`"


def line(text: str) -> str:
    """One line of an answer: escaped, but a command to copy (behind a colon, to the line's end) stands as code."""
    found = _COMMAND.search(text)
    if found is None or "\n" in text:
        return escaped(text)
    return f"{escaped(text[: found.start()])}{code(found[0].strip())}"


def fenced(lines: Sequence[str]) -> str:
    """Lines in a fixed width; none of them can end the fence."""
    return "```\n" + "\n".join(entities(text).replace("`", "'") for text in lines) + "\n```"
