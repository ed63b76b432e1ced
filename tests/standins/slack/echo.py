"""Slack tells an app of its own messages too: what it posts, edits and deletes where it listens
for messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import payloads
from .deliveries import EVENT, Delivery
from .messages import Message
from .settings import Json

if TYPE_CHECKING:
    from .standin import SlackStandIn


def echo(slack: SlackStandIn, message: Message, change: str) -> None:
    """Send the event of a message `posted` by the bot, or `changed` or `deleted` by anyone, in
    the background.
    """
    home, channel = message.channel.workspace, message.channel
    kind = {"im": "message.im", "group": "message.groups", "channel": "message.channels"}[
        channel.kind
    ]
    if (
        message.ephemeral_for is not None
        or kind not in slack.events
        or not home.installed
        or not channel.bot_member
    ):
        return
    if slack.transport == "http" and slack.request_url is None:
        return
    if change == "posted" and message.author != home.bot_user:
        return  # the person's own words are sent where they write them
    slack.courier.send_off(Delivery(EVENT, payloads.event(home, _inner(message, change)), home.id))


def _inner(message: Message, change: str) -> Json:
    where = {"channel": message.channel.id, "channel_type": message.channel.kind}
    if change == "posted":
        return message.as_slack() | where
    before = message.earlier[-1].as_slack() if message.earlier else message.as_slack()
    body: Json = {
        "type": "message",
        "subtype": f"message_{change}",
        "hidden": True,
        "previous_message": before,
        **where,
    }
    return body | (
        {"message": message.as_slack()} if change == "changed" else {"deleted_ts": message.ts}
    )
