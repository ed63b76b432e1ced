"""Buttons of answers: what they do, and how they go once that is done."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.slack.calls import Busy, Refused
from adapters.slack.render import ACTION
from adapters.slack.request import Request
from adapters.slack.work import Ack, Do, Quick, Work
from bot.interface.reply.reply import Reply
from bot.interface.spec import Person

log = logging.getLogger(__name__)

Json = dict[str, Any]

ONCE = ("close",)
"""Buttons of public messages that go when they were pressed."""
PRIVATE_PAGES = ("help", "whatif", "back")
"""Buttons whose private message becomes the next screen; under a message for all they open one."""
IN_PLACE = ("log", "die", "reveal", "consent", "refuse", "snooze")
"""Buttons whose message becomes the answer, or the next page."""
PATIENCE = 1.0  # the answer waits no longer for it


class Buttons:
    """Presses at work."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def press(
        self, ack: Ack, request: Request, action: str, message: Mapping[str, Any], quick: Quick | None = None
    ) -> None:
        """Do what a button stands for; `message` is the one under which it hangs, unless that is private. `quick` may
        take care of a quick reply by itself."""
        name, _, rest = action.partition(":")
        is_for_all = bool(message.get("blocks"))
        replaces = name in IN_PLACE or (name in PRIVATE_PAGES and not is_for_all)
        request = replace(request, replaces=replaces, pressed=is_for_all)
        press = self.work(request, action)

        async def then_take_away(who: Person) -> Reply:
            reply = await press(who)
            if name in ONCE and _worked(reply) and message.get("blocks"):
                self._work.beside(self._take_away(request, message))
            return reply

        command = request.command(("button", name), {"rest": rest})
        await self._work.answer(request, command, then_take_away, ack, quick=quick)

    def work(self, request: Request, action: str) -> Do:
        """What a button is for."""

        async def press(who: Person) -> Reply:
            where = await self._work.where(request, ("button", action.partition(":")[0]))
            return await self._work.app.press(action, who, where, request.request_id, request.to_json())

        return press

    async def _take_away(self, request: Request, message: Mapping[str, Any]) -> None:
        """Leave the message without the buttons that have done their work. It is no harm when that fails."""
        body = {"replace_original": True, "text": message.get("text") or "-", "blocks": without_once(message["blocks"])}
        try:
            await asyncio.wait_for(self._work.wire.respond(request.response_url, body), PATIENCE)
        except (Busy, Refused, TimeoutError) as trouble:
            log.info("could not remove buttons: %s", trouble)


def without_once(blocks: list[Json]) -> list[Json]:
    """Blocks without the buttons that are pressed once; an empty row goes too."""
    kept = []
    for block in blocks:
        if block.get("type") == "actions":
            block = block | {"elements": [element for element in block["elements"] if not _is_once(element)]}
            if not block["elements"]:
                continue
        kept.append(block)
    return kept


def _is_once(element: Mapping[str, Any]) -> bool:
    return str(element.get("action_id", "")).removeprefix(ACTION).partition(":")[0] in ONCE


def _worked(reply: Reply) -> bool:
    return not reply.error and not reply.seen
