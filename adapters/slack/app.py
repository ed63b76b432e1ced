"""The slack-bolt app: which listener hears what, and whose token answers."""

from __future__ import annotations

import logging
import re
import traceback
from typing import Any

import aiohttp
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError

from adapters.slack.calls import Wire
from adapters.slack.incoming import Listeners
from adapters.slack.teams import Teams
from bot.rules.errors import UserError

NOT_HERE = "Grognard is not installed in this workspace, so it cannot answer here. An admin can add it."
ALL = re.compile(".*", re.DOTALL)


def make_bolt(listeners: Listeners, teams: Teams, wire: Wire) -> AsyncApp:
    """The bolt app with all listeners. Requests over HTTP are verified before they come here."""

    async def authorize(enterprise_id: str | None, team_id: str | None) -> Any:
        team = await teams.find(team_id or enterprise_id or "")
        if team is None and team_id and enterprise_id:
            team = await teams.within(enterprise_id, team_id)
        if team is None:
            return None
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            bot_token=team.token,
            bot_user_id=team.bot_user,
            bot_id=team.bot_id,
        )

    log = logging.getLogger("adapters.slack.bolt")
    log.setLevel(logging.ERROR)  # it warns of variables of the environment, which we read ourselves
    bolt = AsyncApp(
        logger=log,
        name="grognard",
        client=wire.client(),
        signing_secret="",
        authorize=authorize,
        request_verification_enabled=False,
        user_facing_authorize_error_message=NOT_HERE,
    )
    log.setLevel(max(logging.INFO, logging.getLogger().level))  # its DEBUG lines show what people typed

    @bolt.error
    async def failed(error: Exception) -> BoltResponse:
        """Only the library itself raises what the network did: it tells people of a workspace without the app."""
        if isinstance(error, aiohttp.ClientError | TimeoutError | OSError | SlackApiError):
            log.warning("could not tell somebody that the app is not installed: %s", type(error).__name__)
            return BoltResponse(status=200)
        # A form that is none of ours (commands answer for themselves), or a shape that the library did not expect.
        if isinstance(error, UserError) or not _is_ours(error):
            log.warning("Slack sent something that makes no sense: %r", error)
            return BoltResponse(status=400)
        log.error("a request failed", exc_info=error)
        return BoltResponse(status=500)

    # A listener is matched for everything: what we do not know is acknowledged and left alone.
    bolt.command(ALL)(listeners.on_command)
    bolt.action(ALL)(listeners.on_action)
    bolt.view_submission(ALL)(listeners.forms.on_submit)
    bolt.shortcut(ALL)(listeners.on_shortcut)
    bolt.event("app_home_opened")(listeners.home.on_opened)
    bolt.event("app_mention")(listeners.on_mention)
    bolt.event("message")(listeners.on_message)
    bolt.event("app_uninstalled")(listeners.on_uninstalled)
    bolt.event("tokens_revoked")(listeners.on_revoked)
    for listener in bolt._async_listeners:
        listener.auto_acknowledgement = False  # of events: ours say when, so that Slack repeats what was lost
    return bolt


def _is_ours(error: Exception) -> bool:
    """Whether it was raised while our own code was at work."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(str(frame.f_globals.get("__name__")).startswith(("adapters.", "bot.")) for frame, _ in frames)
