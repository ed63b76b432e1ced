"""How long processes waited for a processor, so that seconds measured on a busy machine say something of the bot."""

from __future__ import annotations

import os

from tests.adapters.processors import waited
from tests.adapters.slack.process import Bot


def denied(bot: Bot) -> float:
    """Seconds in which the bot or this process could have run, but others had the processors; 0 where unknown."""
    return sum(waited(pid) for pid in (bot.process.pid, os.getpid()))
