"""`/game link`: one game played from several channels, also on two networks.

A code from one channel is typed in another. Nothing is bound before somebody who may speak for it has agreed in each
channel whose rolls the others will see: a manager of its server, or the person whose own conversation with the bot it
is. Who may not is welcome to ask; then a request with a button appears there, for all to see.
"""

from __future__ import annotations

from bot.commands.context import Context
from bot.commands.games.link_request import REQUEST, Request, agree, ask
from bot.commands.games.linking import bind, unlink
from bot.commands.games.places import name_doc, names_of
from bot.game.ledger import Ledger
from bot.game.loaded import Loaded, load
from bot.game.rights import need_director
from bot.interface.reply.reply import Reply
from bot.interface.spec import Place
from bot.process.entropy import new_code
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.stores.records import Doc

LINK = "link"
OFF = "off"
MINUTES = 15
OVER, BARE, ROSTER, RUNNING = range(4)
"""How much a game would be missed where another takes its place: one that has ended, mere rolls, a roster, a game."""
_LOOKALIKES = str.maketrans("OIL", "011")


async def handle(context: Context) -> Reply:
    """Give a code, take one, or end the link of this channel."""
    typed = context.options()["code"]
    if not typed:
        return await _give(context)
    if typed.strip().casefold() == OFF:
        return await _end(context)
    code = typed.strip().upper().translate(_LOOKALIKES)
    return await (agree if await context.store.doc(REQUEST, code) is not None else _take)(context, code)


async def _give(context: Context) -> Reply:
    """A code; given by a manager it says, in public, that the channel may be linked."""
    if context.ledger.exists:
        need_director(context.game, context.actor, "link it")
    code, here = new_code(), context.command.where
    row = context.ledger.row if context.ledger.exists else ""
    place = {"place": here.key, "server": here.server, "name": here.name, "game": row, "agreed": context.keeps}
    context.docs.append(Doc(LINK, code, place, context.now + MINUTES * 60, context.command.who.key))
    lines = [
        phrase("In the other channel, here or on the other network, type: `/game link {code}`", code=code),
        f"It works once, and for {MINUTES} minutes. Then both channels play one game, and each sees every roll.",
    ]
    told = None
    if not context.keeps:
        lines.append("A server manager or workspace admin must agree too: they are asked here once the code is used.")
    elif not here.owner:
        sees = (
            f"For {MINUTES} minutes a code links this channel with another one, which then sees every roll made here."
        )
        told = Reply(
            f"{context.who} offers to link this channel", (sees, phrase("To end a link, type: `/game link off`"))
        )
    return Reply(f"The code is {code}", tuple(lines), private=True, announce=told)


async def _take(context: Context, code: str) -> Reply:
    """Link at once where all have agreed, else ask those who have not."""
    doc = await context.store.doc(LINK, code)
    if doc is None:
        raise UserError(
            "There is no such code: each works once, and for 15 minutes.",
            hint=phrase("Get a new one in the other channel: `/game link`"),
            option="code",
            code="unknown-code",
        )
    here, there = context.command.where, str(doc.data["place"])
    if there == here.key:
        raise UserError(
            "That code is from this channel.", hint="Type it in the other one.", option="code", code="same-channel"
        )
    saved = await context.store.load_game(there)
    if (saved.game.id if saved is not None else "") != doc.data["game"]:  # its giver had no say in what began since
        raise UserError(
            "Another game has started there since.",
            hint=phrase("Get a new code there: `/game link`"),
            option="code",
            code="game-changed",
        )
    context.drop_docs.append((LINK, code))
    context.docs += [name_doc(here), name_doc(Place(there, str(doc.data["server"]), str(doc.data["name"])))]
    names = {there: str(doc.data["name"]), here.key: here.name}
    ledger, new, aside = _shared(context, load(saved) if saved is not None else None, there)
    assert ledger.was is not None
    agreed = [place for place, said in ((here.key, context.keeps), (there, doc.data["agreed"] is True)) if said]
    row = aside.row if aside is not None else ""
    request = Request(code, ledger.row, ledger.was.places, new, tuple(agreed), context.command.who.key, row)
    names = {**await names_of(context.store, request.places), **names}
    if not request.missing:
        told = bind(context, ledger, new, names, aside)
        return Reply(
            "The channels are linked", (phrase("`/game status` shows the game."),), private=True, announce=told
        )
    return await ask(context, ledger.game, request, names)


def _shared(context: Context, other: Loaded | None, there: str) -> tuple[Ledger, str, Loaded | None]:
    """The game that both channels are to play, the one that is new to it, and what makes room for it there.

    Raises UserError where there is no game, or one in each that nobody would give up.
    """
    here, own = context.command.where.key, context.ledger.was
    if own is None and other is None:
        raise UserError(
            "No game is played in either channel.",
            hint=phrase('Start one first: `/game start lnlt "Hill 875"`'),
            code="no-game",
        )
    if other is not None and (own is None or _weight(other) >= _weight(own)):
        kept, aside, shared, new = other, own, Ledger(other, context.ledger.writer), here
    else:
        assert own is not None
        need_director(context.game, context.actor, "link it")  # of the other side, who gave the code had the right to
        kept, aside, shared, new = own, other, context.ledger, there
    if aside is not None and _weight(aside) >= max(ROSTER, _weight(kept)):
        raise UserError(
            "Both channels already have a game.",
            hint=phrase("Only one of them can have one: `/game end` or `/game transfer` frees a channel."),
            option="code",
            code="two-games",
        )
    if aside is not None and len(aside.places) > 1:
        raise UserError(
            "One of the channels is linked with others already.",
            hint=phrase("End that there first: `/game link off`"),
            option="code",
            code="linked",
        )
    return shared, new, aside


def _weight(loaded: Loaded) -> int:
    """How much the game would be missed."""
    if loaded.game.ended:
        return OVER
    return RUNNING if loaded.game.started else ROSTER if loaded.game.units else BARE


async def _end(context: Context) -> Reply:
    """This channel plays the game no more; it goes on in the others."""
    context.need_game()
    was = context.ledger.was
    if was is None or len(was.places) < 2:
        raise UserError("The game is played in this channel alone.", option="code", code="not-linked")
    if not (context.keeps or context.actor.directs):
        raise UserError(
            "Only the game master, a server manager or a workspace admin can end the link.",
            option="code",
            code="not-master",
        )
    return await unlink(context, context.ledger, context.command.where.key)
