"""Which version of a pack a game is played with: the one that it was started with, until its settings say otherwise."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.context import Context
from bot.game.follows.packs import pack_words
from bot.game.state import Game
from bot.game.version import with_version
from bot.packs.stored import SHORT, Version, chosen, enabled, read_pack, server_key, versions
from bot.rules.errors import UserError


async def setting(context: Context, game: Game, wanted: str) -> tuple[Game, str]:
    """The game with another version of its pack, and what the log says of that. Raises UserError."""
    server = server_key(context.command.where)
    version = chosen(wanted, await versions(context.store, server), await enabled(context.store, server))
    if version.id != game.system:
        name = context.system.title if context.system is not None else "no system yet"
        raise UserError(
            f"{version.title} is another game than is played here: {name}.", option="pack", code="other-system"
        )
    if game.packs[-1:] == (version.hash,):
        raise UserError(f"This game is played with {version.named}.", option="pack", code="no-change")
    if await read_pack(context.store, version.hash) is None:
        raise UserError(
            "This pack's files are no longer here.", hint="Add it again.", option="pack", code="unknown-pack"
        )
    after = with_version(game.packs, version.hash)
    return replace(game, packs=after), pack_words(after)


async def named(context: Context, game: Game) -> str:
    """The version in force as it is told from others; "" for a game without one."""
    if not game.packs:
        return ""
    known: list[Version] = await versions(context.store, server_key(context.command.where))
    return next((one.named for one in known if one.hash == game.packs[-1]), game.packs[-1][:SHORT])
