"""Choices while an option is typed."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from adapters.discord.calls import CHOICES, Refused, Unsure
from adapters.discord.incoming import read_command
from adapters.discord.request import Request
from adapters.discord.work import Work
from bot.rules.text.plain import visible

log = logging.getLogger(__name__)

MAX_LENGTH = 100


async def complete(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Answer with at most 25 choices; a choice that does not fit is left out rather than cut."""
    read = read_command(data, request.where.server)
    found = await work.app.complete(read.path, read.focused, read.typed, read.options, request.who, request.where)
    choices = [
        {"name": visible(choice.name)[:MAX_LENGTH].strip() or choice.value, "value": choice.value}
        for choice in found
        if 0 < len(choice.value) <= MAX_LENGTH
    ]
    try:
        await work.wire.respond(request, CHOICES, data={"choices": choices[:25]})
    except (Refused, Unsure) as error:
        log.info("suggestions came too late: %s", error)
