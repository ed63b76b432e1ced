"""What the platforms need of the host's settings."""

from bot.process.settings import Settings
from bot.rules.errors import UserError


def need_discord(settings: Settings) -> None:
    """Raise UserError naming what is missing for Discord, with the line to add."""
    if not settings.discord_token:
        hint = "The line in .env: DISCORD_TOKEN=... (the bot's token)"
        raise UserError("DISCORD_TOKEN is not set.", hint=hint, code="bad-settings")


def need_slack(settings: Settings) -> None:
    """Raise UserError naming what is missing for Slack, with the line to add."""
    if problems := missing_for_slack(settings):
        raise UserError(" ".join(problems), code="bad-settings")


def missing_for_slack(settings: Settings) -> list[str]:
    """One line for each setting that is missing for Slack, with the line to add."""
    problems = []
    if settings.slack_client_id and not (settings.slack_client_secret or settings.slack_bot_token):
        problems.append("SLACK_CLIENT_ID is set, but not its secret. The line in .env: SLACK_CLIENT_SECRET=...")
    elif not settings.slack_bot_token and not has_oauth(settings):
        problems.append("SLACK_BOT_TOKEN is not set. The line in .env: SLACK_BOT_TOKEN=xoxb-...")
    if has_oauth(settings) and not settings.key:
        problems.append(
            "SLACK_CLIENT_SECRET is set, but not GROGNARD_KEY, which encrypts the tokens of workspaces. "
            "The line in .env: GROGNARD_KEY=... (.env.example shows how to make one)"
        )
    if not settings.slack_app_token and not settings.slack_signing_secret:
        problems.append(
            "Neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP mode) is set. "
            "The line in .env: SLACK_APP_TOKEN=xapp-..."
        )
    return problems


def has_oauth(settings: Settings) -> bool:
    """Whether workspaces can install the app by themselves: in HTTP mode only."""
    return bool(settings.slack_client_id and settings.slack_client_secret and not settings.slack_app_token)
