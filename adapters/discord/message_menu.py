"""The menu of a message, under Apps: what its buttons do, also where they are far up, or have gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adapters.discord.payload import ENTRIES
from adapters.discord.render import ACTION
from adapters.discord.request import Request
from adapters.discord.work import Work
from bot.interface.reply.reply import error_reply
from bot.rules.errors import UserError


async def run_entry(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Do what the button of the message does that was chosen; whoever chose it is told where it has none."""
    from adapters.discord.buttons import press

    messages = (data.get("resolved") or {}).get("messages") or {}
    message = messages.get(str(data.get("target_id"))) or {}
    name = ENTRIES.get(str(data.get("name")), "")
    custom_id = next((found for found in _ids(message) if name and found.startswith(f"{ACTION}{name}:")), "")
    if custom_id:
        await press(work, request, {"custom_id": custom_id})
        return
    nothing = UserError("That message holds no roll whose odds or undo could be had.", code="not-repeatable")
    await work.delivery.say(request, error_reply(nothing))


def _ids(part: Any) -> Iterator[str]:
    """The custom ids of a message's buttons, however deep they are."""
    if isinstance(part, Mapping):
        if isinstance(found := part.get("custom_id"), str):
            yield found
        for inner in part.get("components") or ():
            yield from _ids(inner)
