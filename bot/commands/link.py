"""`/game link`: one game played from two channels, also on two networks. A code from one joins it in the other."""

from __future__ import annotations

from bot.commands.desk import Desk
from bot.game.ledger import Ledger
from bot.game.loaded import load
from bot.game.rights import need_director
from bot.reply import Reply
from bot.roller import new_code
from bot.rules.errors import UserError
from bot.stores.base import Binding, Doc

LINK = "link"
OFF = "off"
MINUTES = 15
_LOOKALIKES = str.maketrans("OIL", "011")


async def handle(desk: Desk) -> Reply:
    """Give a code, take one, or part again."""
    typed = desk.options()["code"]
    if not typed:
        return await _give(desk)
    return await _part(desk) if typed.strip().casefold() == OFF else await _take(desk, typed)


async def _give(desk: Desk) -> Reply:
    if desk.ledger.exists:
        need_director(desk.game, desk.actor, "link it")
    code, here = new_code(), desk.command.where
    row = desk.ledger.row if desk.ledger.exists else ""
    place = {"place": here.key, "server": here.server, "name": here.name, "game": row}
    desk.docs.append(Doc(LINK, code, place, desk.now + MINUTES * 60, desk.command.who.key))
    return Reply(
        f"The code is {code}",
        (
            f"In the other channel, here or on the other network, type: /game link {code}",
            f"It works once, and for {MINUTES} minutes. Then both channels play one game and see every result.",
        ),
        private=True,
    )


async def _take(desk: Desk, typed: str) -> Reply:
    code = typed.strip().upper().translate(_LOOKALIKES)
    doc = await desk.store.doc(LINK, code)
    if doc is None:
        raise UserError(
            "There is no such code: each works once, and for 15 minutes.",
            hint="Get a new one in the other channel: /game link",
            option="code",
        )
    here, there = desk.command.where, str(doc.data["place"])
    if there == here.key:
        raise UserError("That code is from this channel.", hint="Type it in the other one.", option="code")
    saved = await desk.store.load_game(there)
    if desk.ledger.exists and saved is not None:
        raise UserError(
            "A game is played in both channels.",
            hint="Only one of them may have one: /game transfer or /game delete frees a channel.",
            option="code",
        )
    desk.drop_docs.append((LINK, code))
    if desk.ledger.exists:
        need_director(desk.game, desk.actor, "link it")
        desk.bindings.append(Binding(there, desk.ledger.row, None, str(doc.data["server"])))
    elif saved is not None:
        if saved.game.id != doc.data["game"]:  # he who got the code had no say in what began there since
            raise UserError(
                "Another game has begun there since.", hint="Get a new code there: /game link", option="code"
            )
        desk.ledger = Ledger(load(saved), desk.ledger.writer)  # whose code it is was checked when he got it
        desk.bind(desk.ledger.row, None)
    else:
        raise UserError("No game is played in either channel.", hint='Start one first: /game start lnlt "Hill 875"')
    game = desk.game
    desk.ledger.add(LINK, result="played from two channels")
    name = f'"{game.name}"' if game.name else "The free play"
    told = Reply(
        f"{desk.who} links this game with another channel",
        (f"{name} is played from both now: every result appears here and there.",),
    )
    return Reply("The channels are linked", ("/game status shows the game.",), private=True, announce=told)


async def _part(desk: Desk) -> Reply:
    """This channel plays the game no more; it goes on in the others."""
    game, was = desk.need_game(), desk.ledger.was
    need_director(game, desk.actor, "part the channels")
    if was is None or len(was.places) < 2:
        raise UserError("The game is played in this channel alone.", option="code")
    desk.ledger.add(LINK, result="one channel fewer")
    desk.bind(None, desk.ledger.row)
    name = f'"{game.name}"' if game.name else "The free play"
    return Reply(
        f"{desk.who} parts the channels", (f"{name} goes on in the other one; this one is free for a new game.",)
    )
