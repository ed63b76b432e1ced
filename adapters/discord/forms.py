"""The guided form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from adapters.discord.ask import Ask
from bot.command import CommandSpec

if TYPE_CHECKING:
    from adapters.discord.client import Grognard


def needs_form(spec: CommandSpec, options: Mapping[str, object]) -> bool:
    """Whether a procedure lacks what it needs."""
    return False


async def open_form(bot: Grognard, ask: Ask, spec: CommandSpec, options: Mapping[str, object]) -> None:
    """Open the form."""
