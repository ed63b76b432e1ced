"""`grognard doctor` for Slack: whether settings, tokens and scopes are right."""

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
SAMPLE = Reply(
    "Odds",
    (
        Odds("Squad", (("hit", 0.5), ("no effect", 0.5))),
        Grid((("Unit", "Morale"), ("Squad", "5")), True),
    ),
)
"""Something of each block of Slack's own that answers have."""


async def check(settings: Settings) -> list[Finding]:
    """("ok" | "note" | "fault", line) for each thing looked at; only a note where nothing of
    Slack is set.
    """
    if not (settings.slack_bot_token or settings.slack_client_id):
        return [(NOTE, "SLACK_BOT_TOKEN is not set: Slack is not served")]
    found: list[Finding] = [
        (FAULT, f"Slack: {problem}") for problem in list_missing_for_slack(settings)
    ]
    wire = SlackApi()
    try:
        if settings.slack_bot_token:
            found += await _check_bot_token(wire, settings.slack_bot_token)
        if has_oauth(settings):
            found += await _check_client(wire, settings)
        elif settings.slack_client_id and settings.slack_app_token:
            found.append(
                (NOTE, "Slack: workspaces install the app by themselves in HTTP mode only")
            )
        if settings.slack_app_token:
            found += await _check_app_token(wire, settings.slack_app_token)
        else:
            found.append(
                (
                    NOTE,
                    f"Slack: HTTP mode, port {settings.port}: Slack must reach /slack/events over HTTPS",
                )
            )
    except Busy as busy:
        found.append((FAULT, f"Slack cannot be reached from here: {busy}"))
    finally:
        await wire.close()
    return found


async def _check_bot_token(wire: SlackApi, token: str) -> list[Finding]:
    try:
        who, granted = await wire.get_scopes(token)
    except SlackRefused as refused:
        return [
            (
                FAULT,
                f"Slack refuses SLACK_BOT_TOKEN ({refused.error}): copy it from OAuth & Permissions",
            )
        ]
    found: list[Finding] = [
        (OK, f"Slack: the token is that of {who.get('user')} in {who.get('team')}")
    ]
    if granted:
        lacking = sorted(set(SCOPES) - {scope.strip() for scope in granted.split(",")})
        if lacking:
            remedy = "install the app anew from grognard manifest slack"
            found.append((FAULT, f"Slack: the app lacks the scopes {', '.join(lacking)}; {remedy}"))
        else:
            found.append((OK, "Slack: the app has all scopes that it needs"))
    return [*found, await _check_blocks(wire, token)]


async def _check_blocks(wire: SlackApi, token: str) -> Finding:
    """Which of Slack's own tables and charts the workspace takes, as Slack says without anything
    being posted.
    """
    blocks = render_message(SAMPLE, "", load_shared_registry(), own=frozenset(TYPES)).blocks
    try:
        await wire.call(token, "blocks.validate", blocks=json.dumps(blocks))
    except SlackRefused as refused:
        if not refused.faults:
            return (NOTE, f"Slack does not say which blocks the workspace takes ({refused.error})")
        kinds = ", ".join(sorted(find_refused_types(refused.faults, blocks))) or "some blocks"
        return (NOTE, f"Slack: the workspace does not take {kinds}; the same words go out as text")
    return (OK, "Slack: the workspace takes Slack's own tables and charts")


async def _check_client(wire: SlackApi, settings: Settings) -> list[Finding]:
    """Return whether Slack knows the app by its id and secret: then it objects to nothing but the
    code.
    """
    try:
        await fetch_token(wire, settings, "none")
    except SlackRefused as refused:
        if refused.error not in ("invalid_code", "code_already_used"):
            names = "SLACK_CLIENT_ID and SLACK_CLIENT_SECRET"
            return [
                (
                    FAULT,
                    f"Slack refuses {names} ({refused.error}): copy both from Basic Information",
                )
            ]
    return [
        (OK, f"Slack: id and secret of the app are right; workspaces install it at {INSTALL_PATH}")
    ]


async def _check_app_token(wire: SlackApi, token: str) -> list[Finding]:
    try:
        await wire.call_with_form(token, "apps.connections.open")
    except SlackRefused as refused:
        hint = {
            "socket_mode_disabled": "switch Socket Mode on in the app's settings",
            "not_allowed_token_type": "it must be an app-level token (xapp-...) with connections:write",
        }.get(
            refused.error, "make an app-level token with connections:write under Basic Information"
        )
        return [(FAULT, f"Slack refuses SLACK_APP_TOKEN ({refused.error}): {hint}")]
    return [(OK, "Slack: Socket Mode is on")]
