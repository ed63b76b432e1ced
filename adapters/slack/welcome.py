"""The welcome after an installation, to whoever installed the app, in their direct messages with it."""

from __future__ import annotations

import logging

from adapters.slack.calls import Busy, Refused, Wire
from adapters.slack.files import direct_messages
from adapters.slack.render import render
from adapters.slack.teams import Team
from bot.interface.registry import registry
from bot.interface.welcome import welcome

log = logging.getLogger(__name__)

WHO = "Invite @grognard to a channel, and anyone who can post there can play."


async def greet(wire: Wire, team: Team, user: str) -> None:
    """Send the welcome; an installation does not fail for want of it."""
    try:
        channel = await direct_messages(wire, team.token, user)
        message = render(welcome(registry(), WHO), team.id)
        await wire.call(team.token, "chat.postMessage", channel=channel, text=message.text, blocks=message.blocks)
    except (Busy, Refused) as trouble:
        log.info("no welcome in workspace %s: %s", team.id, trouble)
