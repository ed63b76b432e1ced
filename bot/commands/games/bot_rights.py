"""`/setup rights`: the bot's permissions in this channel, the game master, and the enabled packs."""

from collections.abc import Iterable

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.game.loaded_game import is_imported
from bot.packs.pack_store import get_server_key, list_host_packs, list_versions, load_enabled
from bot.rules.text.names import format_count
from bot.ui.reply.reply import Reply
from bot.ui.spec import BotRight


@declare_command(
    "setup rights",
    "What the bot may do in this channel, and what to ask an admin for",
    private=True,
    needs_game=True,
)
async def list_rights(context: Context) -> Reply:
    """List what the bot may do in this channel, and how to grant what it lacks.

    The reply also names the game master here, and the packs that are enabled.
    """
    rights = context.command.bot_rights or ()
    missing = [right for right in rights if not right.is_granted]
    granted = [right for right in rights if right.is_granted]
    lines = [f"Missing: {right.name} ({right.purpose})." for right in missing]
    lines += dict.fromkeys(right.remedy for right in missing)
    if granted:
        lines.append(f"Granted: {', '.join(right.name for right in granted)}.")
    lines.append(_format_master(context))
    packs = await _list_pack_titles(context)
    lines.append(f"Packs enabled here: {', '.join(packs) or 'none'}.")
    return Reply(_format_title(context, missing), tuple(lines), private=True)


def _format_title(context: Context, missing: list[BotRight]) -> str:
    """Return a headline on the permissions that are missing, if any. A platform without permissions
    has one of its own.
    """
    if context.command.bot_rights is None:
        return "The bot needs no permissions here"
    if not missing:
        return "The bot has all the permissions it needs here"
    return f"The bot is missing {format_count(len(missing), 'permission')} here"


def _format_master(context: Context) -> str:
    """Return the sentence that says who is game master in this channel."""
    game = context.game
    if not context.ledger.row or not game.started or game.ended:
        return "No game is running in this channel."
    master = context.ledger.persons.get(game.master)
    if master is None or is_imported(master):
        return "The game in this channel has no game master."
    return f"Game master in this channel: {context.ledger.get_name(game.master)}."


async def _list_pack_titles(context: Context) -> Iterable[str]:
    """Return the titles, with versions, of the packs that this server has enabled."""
    server = get_server_key(context.command.where)
    hashes = set((await load_enabled(context.store, server)).values())
    versions = [*list_host_packs(), *await list_versions(context.store, server)]
    titles = (f"{pack.title} {pack.version}".strip() for pack in versions if pack.hash in hashes)
    return dict.fromkeys(titles)
