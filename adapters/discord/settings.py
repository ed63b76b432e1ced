"""What Discord needs of the host's settings."""

from __future__ import annotations

from bot.process.settings import Settings
from bot.rules.errors import UserError


def check_settings(settings: Settings) -> None:
    """Raise UserError naming what is missing, with the line to add."""
    if not settings.discord_token:
        raise UserError(
            "DISCORD_TOKEN is not set.",
            hint="The line in .env: DISCORD_TOKEN=... (the bot's token)",
            code="bad-settings",
        )
