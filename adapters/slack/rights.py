"""The rights of the bot in a channel of Slack, as Slack reports them."""

from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.installation import SCOPES
from adapters.slack.request import SlackRequest
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.ui.spec import BotRight

_INVITE = phrase("In this channel, type: `/invite @grognard`")
_REINSTALL = "Ask a workspace admin to install the app again: that adds the missing permissions."
MEMBER = "Member of this channel"


async def list_rights(wire: SlackApi, token: str, request: SlackRequest) -> tuple[BotRight, ...]:
    """List whether the bot is a member of the channel and which of its scopes the app has.

    Raises UserError if Slack does not say.
    """
    try:
        _, header = await wire.get_scopes(token)
        is_here = await _is_in_channel(wire, token, request)
    except (Busy, SlackRefused):
        raise UserError(
            "Slack does not say what the bot may do here.",
            hint="Try again in a moment.",
            code="platform-silent",
        ) from None
    granted = {scope.strip() for scope in header.split(",")}
    scopes = [
        BotRight(scope, purpose, scope in granted, _REINSTALL) for scope, purpose in SCOPES.items()
    ]
    purpose = "results, reminders and the board"
    return (BotRight(MEMBER, purpose, is_here, _INVITE), *scopes)


async def _is_in_channel(wire: SlackApi, token: str, request: SlackRequest) -> bool:
    """Return whether the bot is a member of the channel. It always is in direct messages.

    For a private channel without the bot, Slack says that it does not exist. Raises Busy or
    SlackRefused.
    """
    if request.channel.startswith("D"):
        return True
    try:
        info = await wire.call_with_form(token, "conversations.info", channel=request.channel)
    except SlackRefused as refused:
        if refused.error in ("channel_not_found", "missing_scope"):
            return False
        raise
    return bool((info.get("channel") or {}).get("is_member"))
