"""A stand-in for Slack that speaks its protocol: Web API, Socket Mode, signed requests, response
URLs, OAuth.

A client is pointed at it by `AsyncWebClient(base_url=slack.api_url)`; a bot process by the
environment variable `SLACK_API`, which only tests set: it takes the place of
`https://slack.com/api/`, and the page where a person agrees to an installation is
`oauth/v2/authorize` beside it. `slack.env(workspace)` has all a process needs.

    slack = await SlackStandIn.start("socket")          # or "http", with slack.request_url = the app's address
    home = slack.workspace("T1")
    anna, games = home.user("Anna"), home.channel("games", bot_member=True)
    handle = await anna.slash(games, "/roll", "2d6")    # acknowledged, or handle.trouble says how it failed
    message = await handle.answer()                     # the last answer Anna sees
    again = await anna.press(message, "Again")
    view = await (await anna.slash(games, "/roll")).modal()
    done = await anna.submit(view, {"dice": {"value": "2d6"}})   # done.errors by block_id
    thread = await anna.mention(games, "roll 2d6", thread=message.ts)

What it takes for granted where Slack's papers are silent: an answer to a press replaces the pressed
message unless it says `replace_original: false` or names a `response_type`; an answer to a slash
command replaces nothing; a refused post to a response URL is HTTP 400 and counts as a use; an
answer stays out of a thread unless it names `thread_ts`.
"""

from __future__ import annotations

from .blocks import check_blocks, check_options
from .handle import Handle
from .manifest import check_manifest
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
    "check_manifest",
    "check_options",
    "check_view",
]
