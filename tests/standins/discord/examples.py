"""Commands and a bot for the stand-in's own tests."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

import discord

from tests.standins.discord.bare import Answering, bare_client
from tests.standins.discord.server import DiscordStandIn

Asked = discord.Interaction[Any]
STRING, INTEGER, BOOLEAN, ATTACHMENT = 3, 4, 5, 11


def option(name: str, kind: int = STRING, **more: Any) -> dict[str, Any]:
    """One option of a command."""
    return {"name": name, "description": f"the {name}", "type": kind, **more}


def command(name: str, *options: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One command."""
    return {"name": name, "description": f"the {name} command", "options": list(options), **more}


def sub(name: str, *options: dict[str, Any], kind: int = 1) -> dict[str, Any]:
    """A subcommand, or with kind=2 a group."""
    return {"name": name, "description": f"the {name}", "type": kind, "options": list(options)}


ROLL = command(
    "roll",
    option("dice", required=True, autocomplete=True),
    option("times", INTEGER, min_value=1, max_value=9),
)
FIRE = command(
    "lnlt", sub("fire", option("attackers"), option("odds", BOOLEAN), option("fire-power", INTEGER))
)
COMMANDS = [
    ROLL,
    FIRE,
    command(
        "tables", sub("unit", sub("show", option("name", autocomplete=True)), kind=2), sub("list")
    ),
    command("import", option("file", ATTACHMENT)),
    command("setup", default_member_permissions="32", contexts=[0]),
]


def bot(
    standin: DiscordStandIn, answer: Answering | None = None, client: discord.Client | None = None
) -> AbstractAsyncContextManager[discord.Client]:
    """A client in this process, with COMMANDS registered; `answer` handles interactions."""
    return bare_client(standin.url, standin.token, COMMANDS, answer, client)


async def echo(interaction: Asked) -> None:
    """Answer publicly with the interaction's data."""
    await interaction.response.send_message(f"you said {interaction.data}")
