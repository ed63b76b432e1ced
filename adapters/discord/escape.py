"""Plain text made safe for Discord: nothing in it formats, links, pings, or hides."""

from __future__ import annotations

import re

from adapters.discord.request import visible

_MARKS = re.compile(r"([\\*_~|`<]|\](?=\())")
_LINE_START = re.compile(r"^(\s*\d*)(?=(?:[+.)-]|-?#+|>+)\s)", re.MULTILINE)
_LINK = re.compile(r"\b([a-z][a-z0-9+.-]{1,14}):(?=/)", re.IGNORECASE)
_INVITE = re.compile(r"\b(discord(?:app)?)\.(?=gg|com|me|io)", re.IGNORECASE)
_SAYS = "type|roll it|more|so far|example|try|join one|start one|add some|delete it|delete them"
_COMMAND = re.compile(rf"\b((?:{_SAYS}): )(/[a-z][a-z-]*(?: [^`]*)?)$", re.IGNORECASE)


def escaped(text: str) -> str:
    """Text that shows as it is."""
    text = _MARKS.sub(r"\\\1", visible(text))
    text = _LINE_START.sub(r"\1\\", text)
    text = _LINK.sub(r"\1\\:", text)
    return _INVITE.sub(r"\1\\.", text)


def line(text: str) -> str:
    """One line of an answer: escaped, but a command to copy at its end stands as code, which copies unchanged."""
    found = _COMMAND.search(text)
    if found is None or "\n" in text:
        return escaped(text)
    return f"{escaped(text[: found.start(2)])}`{visible(found[2]).strip()}`"


def fenced(lines: tuple[str, ...]) -> str:
    """Lines in a fixed width; none of them can end the fence."""
    return "```\n" + "\n".join(visible(text).replace("`", "'") for text in lines) + "\n```"
