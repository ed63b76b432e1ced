"""The command that an interaction asks for: its path, and its options as they were typed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.discord.calls import Unsure, Wire
from adapters.discord.payload import ATTACHMENT, CHANNEL
from bot.interface.reply.packing import MOST_BYTES, file_text, too_large
from bot.interface.spec import Path
from bot.rules.errors import UserError

_BRANCHES = (1, 2)


@dataclass(frozen=True, slots=True)
class Read:
    """A path, its options as typed (a file as Discord describes it), the option under the cursor, and channels.

    Each channel is as Discord resolved it for who asks; {} for an id that it did not resolve.
    """

    path: Path
    options: dict[str, object]
    focused: str = ""
    typed: str = ""
    channels: Mapping[str, Mapping[str, Any]] | None = None


def read_command(data: Mapping[str, Any], server: str) -> Read:
    """What the data of an interaction says. A channel becomes its place's key."""
    path = [str(data["name"])]
    entries: Sequence[Mapping[str, Any]] = data.get("options") or ()
    while len(entries) == 1 and entries[0]["type"] in _BRANCHES:
        path.append(str(entries[0]["name"]))
        entries = entries[0].get("options") or ()
    options: dict[str, object] = {}
    channels: dict[str, Mapping[str, Any]] = {}
    focused = typed = ""
    resolved = data.get("resolved") or {}
    attached, known = resolved.get("attachments") or {}, resolved.get("channels") or {}
    for entry in entries:
        name, value = str(entry["name"]), entry.get("value")
        if entry.get("focused"):
            focused, typed = name, str(value or "")
        elif entry["type"] == ATTACHMENT:
            options[name] = attached.get(str(value), {})
        elif entry["type"] == CHANNEL:
            options[name] = f"{server}/{value}"
            channels[name] = known.get(str(value)) or {}
        else:
            options[name] = value
    return Read(tuple(path), options, focused, typed, channels)


async def fetch_files(options: dict[str, object], wire: Wire) -> None:
    """Put the text of attached files in their place. Raises UserError for one that is too large or no text."""
    for name, file in list(options.items()):
        if not isinstance(file, Mapping):
            continue
        shown = str(file.get("filename") or "the file")[:60]
        if int(file.get("size") or 0) > MOST_BYTES:
            raise too_large(shown)
        try:
            data = await wire.download(str(file["url"]), MOST_BYTES)
            options[name] = await asyncio.to_thread(file_text, data, shown)
        except ValueError:
            raise too_large(shown) from None
        except (Unsure, KeyError):
            raise UserError(
                f"{shown} could not be fetched from Discord.", hint="Try again.", option=name, code="unreadable-file"
            ) from None
