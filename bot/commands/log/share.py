"""`/game share`: an address at which anybody can watch the game until it is ended."""

from dataclasses import replace
from hashlib import sha256

from bot.commands.channel_games import format_game_name
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.rules.errors import UserError
from bot.rules.text.phrase import Address, Phrase, phrase
from bot.runtime.entropy import create_address
from bot.storage.records import Doc
from bot.storage.store import Store
from bot.ui.common_options import build_flag
from bot.ui.reply.reply import Reply

SHARE, SHARED = "share", "shared"
"""Kinds of documents: the game of a shared address, by the hash of the address's token; and that
hash, by game.
"""
PATH = "g"


def hash_share_token(token: str) -> str:
    """Return the hash of an address's token, from which nobody can compute the address."""
    return sha256(f"grognard share\n{token}".encode()).hexdigest()


async def find_shared_game(store: Store, key: str) -> str:
    """Return the row id of the game that is now shared under this key; "" if there is none."""
    doc = await store.load_doc(SHARE, key)
    row = str(doc.data["game"]) if doc is not None else ""
    if row and await find_share_key(store, row) == key:
        return row
    return ""


async def find_share_key(store: Store, row: str) -> str:
    """Return the key under which a game is shared; "" if it is not shared."""
    doc = await store.load_doc(SHARED, row)
    return str(doc.data["key"]) if doc is not None else ""


@declare_command(
    "game share",
    "A link for spectators to watch the game live",
    build_flag("off", "end the link"),
    private=True,
    needs_game=True,
)
async def share_game(context: Context) -> Reply:
    """Create a new address for the game, which ends an earlier one, or end it with `off`.

    Raises UserError for a user who may not share the game, and if the bot serves no live pages.
    """
    if context.clean_options()["off"]:
        return await stop_sharing(context)
    _need_share_right(context)
    if not context.address:
        message = "Live pages are off."
        hint = phrase(
            "The host can turn them on (docs/sharing.md). As a file: `/game export html` or `grognard publish`"
        )
        raise UserError(message, hint=hint, code="not-served")
    ledger = context.ledger
    token = create_address()
    key = hash_share_token(token)
    old_key = await find_share_key(context.store, ledger.row)
    if old_key:
        context.commit.drop_docs.append((SHARE, old_key))
    context.commit.docs += [
        Doc(SHARE, key, {"game": ledger.row}),
        Doc(SHARED, ledger.row, {"key": key, "since": int(context.now)}),
    ]
    address = f"{context.address}/{PATH}/{token}"
    context.unstored = lambda reply: replace(
        reply, lines=(Phrase(Address(address)), *reply.lines[1:])
    )
    announcement = Reply(
        f"{context.user_name} shares {format_game_name(context.game)}",
        (
            "Anyone with the link can watch; sealed rolls and orders stay sealed.",
            phrase("To end it: `/game share off`"),
        ),
    )
    return Reply(
        f"Anyone with this link can watch {format_game_name(context.game)}",
        (
            phrase(
                "The link was shown only once. `/game share` makes a new one, and the old one stops working."
            ),
            "The page follows the game live, shows nothing that is sealed, and collects no data about spectators.",
            *(("The earlier link no longer works.",) if old_key else ()),
        ),
        private=True,
        announce=None if old_key else announcement,
        buttons=(context.build_button("unshare", "Stop sharing", style="danger"),),
    )


@declare_button("unshare", of=ButtonOf.GAME, private=True)
async def stop_sharing(context: Context) -> Reply:
    """End the address of the game, and tell the players.

    Raises UserError if the game is not shared, and for a user who may not share it.
    """
    _need_share_right(context)
    if not await delete_share(context):
        raise UserError(
            "This game is not shared.", hint=phrase("Share it: `/game share`"), code="not-shared"
        )
    announcement = Reply(f"{context.user_name} no longer shares {format_game_name(context.game)}")
    return Reply("The link no longer works", private=True, announce=announcement)


async def delete_share(context: Context) -> bool:
    """Delete the address of the game. Return whether there was one."""
    key = await find_share_key(context.store, context.ledger.row)
    if not key:
        return False
    context.commit.drop_docs += [(SHARED, context.ledger.row)]
    if await context.store.load_doc(SHARE, key) is not None:
        context.commit.drop_docs.append((SHARE, key))
    return True


def _need_share_right(context: Context) -> None:
    """Raise UserError if this user may not show the game to the world.

    The game master may, and so may a manager before the start.
    """
    game = context.need_game()
    may_share = context.actor.directs or (not game.started and context.can_manage)
    if not may_share:
        message = "Only the game master or a manager can share it."
        raise UserError(
            message, hint=phrase("`/game status` shows who is game master."), code="not-master"
        )
