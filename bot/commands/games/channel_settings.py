"""What `/game settings` says of the channel itself, whatever is played in it."""

from __future__ import annotations

from bot.commands.context import Context
from bot.game.rights import need_director
from bot.places.threads import APART, apart_doc, channel_of, is_apart


async def threads(context: Context, wanted: str | None) -> str:
    """What to say of the channel's threads, which play its game (`channel`) or games of their own; "" where nothing
    was asked."""
    if not wanted:
        return ""
    if context.ledger.exists:
        need_director(context.game, context.actor, "change its settings")
    channel = channel_of(context.command.where)
    was_apart = await is_apart(context.store, channel)
    if wanted == "own" and not was_apart:
        context.docs.append(apart_doc(channel))
    elif wanted == "channel" and was_apart:
        context.drop_docs.append((APART, channel.key))
    return "threads play games of their own" if wanted == "own" else "threads play this channel's game"
