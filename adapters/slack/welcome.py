"""The welcome after an installation, to whoever installed the app, in their direct messages with it."""

from __future__ import annotations

import logging

from adapters.slack.calls import Busy, Refused, Wire
from adapters.slack.files import direct_messages
from adapters.slack.render import render
from adapters.slack.request import PLATFORM
from adapters.slack.teams import Team
from bot.app import App
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

WHO = "Invite @grognard to a channel, and anyone who can post there can play."


async def greet(app: App, wire: Wire, team: Team, user: str) -> None:
    """Send the welcome; an installation does not fail for want of it."""
    try:
        channel = await direct_messages(wire, team.token, user)
        message = render(await app.welcome(f"{PLATFORM}{team.id}", WHO), team.id)
        await wire.call(team.token, "chat.postMessage", channel=channel, text=message.text, blocks=message.blocks)
    except (Busy, Refused, UserError) as trouble:
        log.info("no welcome in workspace %s: %s", team.id, trouble)
