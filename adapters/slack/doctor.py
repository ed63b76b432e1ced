"""The Slack part of `grognard doctor`: checks of settings, tokens, scopes and blocks."""

import json

from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.installation import INSTALL_PATH, SCOPES, fetch_token
from adapters.slack.render import render_message
from adapters.slack.tables_and_charts import TYPES, find_refused_types
from bot.commands.dispatch import load_shared_registry
from bot.runtime.settings import Settings, has_oauth, list_missing_for_slack
from bot.ui.reply.parts import Grid, Odds
from bot.ui.reply.reply import Reply

OK, NOTE, FAULT = "ok", "note", "fault"

Finding = tuple[str, str]
"""A grade ("ok", "note" or "fault") and a line for the host."""
SAMPLE = Reply(
    "Odds",
    (
        Odds("Squad", (("hit", 0.5), ("no effect", 0.5))),
        Grid((("Unit", "Morale"), ("Squad", "5")), True),
    ),
)
"""A reply that contains each of Slack's own block types that answers use."""


async def check(settings: Settings) -> list[Finding]:
    """Check the bot's setup at Slack and return a finding for each thing checked.

    Without Slack settings return a single note. If Slack cannot be reached, the last finding is
    that fault.
    """
    if not (settings.slack_bot_token or settings.slack_client_id):
        return [(NOTE, "SLACK_BOT_TOKEN is not set: Slack is not served")]
    findings: list[Finding] = [
        (FAULT, f"Slack: {problem}") for problem in list_missing_for_slack(settings)
    ]
    wire = SlackApi()
    try:
        if settings.slack_bot_token:
            findings += await _check_bot_token(wire, settings.slack_bot_token)
        if has_oauth(settings):
            findings += await _check_client(wire, settings)
        elif settings.slack_client_id and settings.slack_app_token:
            note = "Slack: workspaces can install the app themselves only in HTTP mode"
            findings.append((NOTE, note))
        if settings.slack_app_token:
            findings += await _check_app_token(wire, settings.slack_app_token)
        else:
            port = settings.port
            note = f"Slack: HTTP mode, port {port}: Slack must reach /slack/events over HTTPS"
            findings.append((NOTE, note))
    except Busy as busy:
        findings.append((FAULT, f"Slack cannot be reached from here: {busy}"))
    finally:
        await wire.close()
    return findings


async def _check_bot_token(wire: SlackApi, token: str) -> list[Finding]:
    """Check the bot's token, its scopes, and the blocks that its workspace takes. Raises Busy."""
    try:
        bot, granted = await wire.get_scopes(token)
    except SlackRefused as refused:
        remedy = "copy it from OAuth & Permissions"
        return [(FAULT, f"Slack refuses SLACK_BOT_TOKEN ({refused.error}): {remedy}")]
    findings: list[Finding] = [
        (OK, f"Slack: the token belongs to {bot.get('user')} in {bot.get('team')}")
    ]
    if granted:
        missing = sorted(set(SCOPES) - {scope.strip() for scope in granted.split(",")})
        if missing:
            remedy = "install the app again from grognard manifest slack"
            fault = f"Slack: the app lacks the scopes {', '.join(missing)}; {remedy}"
            findings.append((FAULT, fault))
        else:
            findings.append((OK, "Slack: the app has all the scopes it needs"))
    return [*findings, await _check_blocks(wire, token)]


async def _check_blocks(wire: SlackApi, token: str) -> Finding:
    """Say which of Slack's own tables and charts the workspace takes. Nothing is posted for that.

    Raises Busy.
    """
    message = render_message(SAMPLE, "", load_shared_registry(), native_types=frozenset(TYPES))
    blocks = message.blocks
    try:
        await wire.call(token, "blocks.validate", blocks=json.dumps(blocks))
    except SlackRefused as refused:
        if not refused.faults:
            return (
                NOTE,
                f"Slack does not say which blocks the workspace supports ({refused.error})",
            )
        kinds = ", ".join(sorted(find_refused_types(refused.faults))) or "some blocks"
        return (
            NOTE,
            f"Slack: the workspace does not support {kinds}; they are sent as text instead",
        )
    return (OK, "Slack: the workspace supports Slack's own tables and charts")


async def _check_client(wire: SlackApi, settings: Settings) -> list[Finding]:
    """Check the app's id and secret by a call with an invalid code: if they are right, Slack
    objects only to the code. Raises Busy.
    """
    try:
        await fetch_token(wire, settings, "none")
    except SlackRefused as refused:
        if refused.error not in ("invalid_code", "code_already_used"):
            names = "SLACK_CLIENT_ID and SLACK_CLIENT_SECRET"
            remedy = "copy both from Basic Information"
            return [(FAULT, f"Slack refuses {names} ({refused.error}): {remedy}")]
    return [
        (OK, f"Slack: the app's ID and secret are right; workspaces install it at {INSTALL_PATH}")
    ]


async def _check_app_token(wire: SlackApi, token: str) -> list[Finding]:
    """Check the app-level token, which Socket Mode needs. Raises Busy."""
    try:
        await wire.call_with_form(token, "apps.connections.open")
    except SlackRefused as refused:
        hints = {
            "socket_mode_disabled": "switch Socket Mode on in the app's settings",
            "not_allowed_token_type": "it must be an app-level token (xapp-...) with connections:write",
        }
        default_hint = "make an app-level token with connections:write under Basic Information"
        hint = hints.get(refused.error, default_hint)
        return [(FAULT, f"Slack refuses SLACK_APP_TOKEN ({refused.error}): {hint}")]
    return [(OK, "Slack: Socket Mode is on")]
