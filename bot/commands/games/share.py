"""`/game share`: an address at which anybody who has it can watch the game, until it is ended."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from bot.commands.context import Context
from bot.commands.games.played import named
from bot.interface.reply.reply import Reply
from bot.process.entropy import new_address
from bot.rules.errors import UserError
from bot.rules.text.phrase import Address, Phrase, phrase
from bot.stores.records import Doc
from bot.stores.store import Store

SHARE, SHARED = "share", "shared"
"""Documents: the game behind an address, by the hash of what cannot be guessed in it; and that hash, by game."""
PATH = "g"


def key_of(token: str) -> str:
    """What is kept of an address: from it nobody finds the address again."""
    return sha256(f"grognard share\n{token}".encode()).hexdigest()


async def row_of(store: Store, key: str) -> str:
    """The game that is shared under a key; "" where none is, or no longer."""
    found = await store.doc(SHARE, key)
    row = str(found.data["game"]) if found is not None else ""
    return row if row and await shared_as(store, row) == key else ""


async def shared_as(store: Store, row: str) -> str:
    """The key under which a game is shared; "" where it is not."""
    found = await store.doc(SHARED, row)
    return str(found.data["key"]) if found is not None else ""


async def share(context: Context) -> Reply:
    """Make an address for the game, in place of the one before, or end it."""
    if context.options()["off"]:
        return await stop(context)
    _need_right(context)
    if not context.address:
        raise UserError(
            "This bot serves no live pages.",
            hint=phrase("Its host can: docs/sharing.md. As a file: `/game export html` or `grognard publish`"),
            code="not-served",
        )
    ledger, token = context.ledger, new_address()
    before = await shared_as(context.store, ledger.row)
    if before:
        context.drop_docs.append((SHARE, before))
    context.docs += [
        Doc(SHARE, key_of(token), {"game": ledger.row}),
        Doc(SHARED, ledger.row, {"key": key_of(token), "since": int(context.now)}),
    ]
    address = f"{context.address}/{PATH}/{token}"
    context.unstored = lambda reply: replace(reply, lines=(Phrase(Address(address)), *reply.lines[1:]))
    told = Reply(
        f"{context.who} shares {named(context.game)}",
        ("Whoever has the address can watch; what is sealed stays sealed.", phrase("To end it: `/game share off`")),
    )
    return Reply(
        f"Whoever has this address can watch {named(context.game)}",
        (
            phrase("Its address was shown once. `/game share` makes a new one, and the old one ends."),
            "It follows the game as it goes on, shows nothing that is sealed, and takes nothing from those who watch.",
            *(("The address of before has ended.",) if before else ()),
        ),
        private=True,
        announce=None if before else told,
        buttons=(context.button("unshare", "Stop sharing", style="danger"),),
    )


async def stop(context: Context, _about: str = "") -> Reply:
    """End the address; whoever watches is told so."""
    _need_right(context)
    if not await forget(context):
        raise UserError("This game is not shared.", hint=phrase("Share it: `/game share`"), code="not-shared")
    told = Reply(f"{context.who} no longer shares {named(context.game)}")
    return Reply("The address has ended", private=True, announce=told)


async def forget(context: Context) -> bool:
    """Drop the address of the game, also where it is deleted; whether there was one."""
    key = await shared_as(context.store, context.ledger.row)
    if not key:
        return False
    context.drop_docs += [(SHARED, context.ledger.row)]
    if await context.store.doc(SHARE, key) is not None:
        context.drop_docs.append((SHARE, key))
    return True


def _need_right(context: Context) -> None:
    """Raise UserError for who does not direct the game: it is shown to the world."""
    game, actor = context.need_game(), context.actor
    if not (actor.directs or (not game.started and context.keeps)):
        raise UserError(
            "Only the game master, a server manager or a workspace admin can share it.",
            hint=phrase("`/game status` says who is game master."),
            code="not-master",
        )
