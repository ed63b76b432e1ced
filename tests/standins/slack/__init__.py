"""A stand-in for Slack that speaks its protocol: Web API, Socket Mode, signed requests, response URLs, OAuth.

A bot process is pointed at it by `SLACK_API` (see `SlackStandIn.env`), a client by `base_url=slack.api_url`.
"""

from __future__ import annotations

from .blocks import check_blocks, check_options
from .handle import Handle
from .messages import Message, StoredFile
from .settings import USUAL_SCOPES, Limits
from .signed import Answer
from .standin import SlackStandIn
from .user import User
from .views import OpenView, check_view
from .workspace import Channel, Workspace

__all__ = [
    "USUAL_SCOPES",
    "Answer",
    "Channel",
    "Handle",
    "Limits",
    "Message",
    "OpenView",
    "SlackStandIn",
    "StoredFile",
    "User",
    "Workspace",
    "check_blocks",
    "check_options",
    "check_view",
]
