"""Links that are asked for: who may speak for a channel agrees or refuses there, for all to see."""

from __future__ import annotations

from collections.abc import Sequence as Many
from dataclasses import dataclass

from bot.commands.context import Context
from bot.commands.games.linking import bind, tell, title
from bot.commands.games.places import called, listed, name_doc, names_of
from bot.commands.log.amending import settled
from bot.commands.turns.expiring import expiry, expiry_key
from bot.game.ledger import Ledger
from bot.game.loaded import load
from bot.game.state import Game
from bot.interface.reply.reply import Button, Reply
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.stores.base import DAY
from bot.stores.records import Doc, DueRow, Json

REQUEST, ASKED = "link-request", "link-asked"
REQUEST_KEPT = DAY
WHAT = "the link that was requested"
MOST_ASKED = 10
"""Requests of one game in a day: they are posted also where whoever asks is not a member."""


@dataclass(frozen=True, slots=True)
class Request:
    """A link that is asked for: the game, the places that play it, the new one, and who has agreed so far.

    `aside` is what is played in the new one until then, and makes room.
    """

    code: str
    game: str
    places: tuple[str, ...]
    new: str
    agreed: tuple[str, ...]
    asker: str
    aside: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        """Every place that would see what is rolled in the others."""
        return (*self.places, self.new)

    @property
    def missing(self) -> tuple[str, ...]:
        """The places where nobody has agreed yet."""
        return tuple(place for place in self.all if place not in self.agreed)

    def topic(self, place: str) -> str:
        """What the message is about that asks in one of the places."""
        return f"{self.game}/link-{self.code}-{self.all.index(place)}"

    def due(self, expires: float, agreed: Many[str]) -> DueRow:
        """When it ends by itself, and the messages that ask until then."""
        asking = (self.topic(place) for place in self.all if place not in agreed)
        return expiry(expiry_key(self.game, self.code), expires, asking, WHAT)

    def doc(self, expires: float, agreed: Many[str] | None = None) -> Doc:
        """The request as it is stored."""
        data: Json = {"game": self.game, "places": list(self.places), "new": self.new, "aside": self.aside}
        data["agreed"] = list(self.agreed if agreed is None else agreed)
        return Doc(REQUEST, self.code, data, expires, self.asker)


async def ask(context: Context, game: Game, request: Request, names: dict[str, str]) -> Reply:
    """Post the request in each place that has not agreed; not too many of them, for nobody there asked for that."""
    known = await context.store.doc(ASKED, request.game)
    asked_at = [at for at in known.data["at"] if at > context.now - REQUEST_KEPT] if known is not None else []
    if len(asked_at) >= MOST_ASKED:
        raise UserError(
            f"{MOST_ASKED} links were requested for this game within a day.",
            hint=phrase("Managers on both sides can link without a request: each types `/game link`."),
            code="too-many-links",
        )
    context.docs.append(Doc(ASKED, request.game, {"at": [*asked_at, context.now]}, context.now + REQUEST_KEPT))
    context.docs.append(request.doc(context.now + REQUEST_KEPT))
    context.due.append(request.due(context.now + REQUEST_KEPT, request.agreed))
    here = context.command.where.key
    asked = {place: _request(context, game, request, names, place) for place in request.missing}
    names = names if here in request.places else {}  # what the others are called is theirs to tell
    tell(context, asked, {place: request.topic(place) for place in asked})
    if here in asked:
        context.about = request.topic(here)
    whom = listed(request.missing, names, here)
    lines = (f"A manager must agree first in {whom}. Until then nothing is linked.", "The request ends after 24 hours.")
    return Reply("The link is requested", lines, private=True, announce=asked.get(here))


def _request(context: Context, game: Game, request: Request, names: dict[str, str], reader: str) -> Reply:
    if reader == request.new and len(request.places) > 1:
        names = {}
    others = listed([place for place in request.all if place != reader], names, reader)
    what = f'play {title(game)} here too, together with {others}' if reader == request.new else (
        f"play this channel's game from {called(request.new, names.get(request.new, ''), reader)} too"
    )  # fmt: skip
    return Reply(
        f"{context.who} asks to {what}",
        (
            f"Agreed, every roll made in this channel is seen in {others}, and theirs here. Nothing is linked yet.",
            phrase(
                "Only a server manager or workspace admin can agree, within 24 hours. "
                "Press a button, or type: `/game link {code}`",
                code=request.code,
            ),
        ),
        buttons=(
            Button(f"agree:{request.code}", "Agree", "primary"),
            Button(f"decline:{request.code}", "Refuse"),
        ),
    )


async def agree(context: Context, code: str) -> Reply:
    """A manager of one of the places agrees; the last one links them."""
    ledger, request, expires = await _pending(context, code)
    here = context.command.where.key
    if not context.keeps:
        raise UserError(
            "Only a server manager or workspace admin can agree to that.", option="code", code="not-manager"
        )
    context.pressed = request.topic(here)
    if here in request.agreed:
        raise UserError("This channel has already agreed.", option="code", code="agreed-already")
    there = await context.store.load_game(request.new)
    if (there.game.id if there is not None else "") != request.aside or (there is not None and len(there.places) > 1):
        raise UserError(
            "A game has started in the other channel since.",
            hint=phrase("Ask again: `/game link`"),
            code="game-changed",
        )
    context.drop_docs.append((REQUEST, code))
    settled(context, request.topic(here), f"{context.who} agrees", WHAT)
    names = {**await names_of(context.store, request.all), here: context.command.where.name}
    context.docs.append(name_doc(context.command.where))
    missing = [place for place in request.missing if place != here]
    if not missing:
        context.drop_due.append((expiry_key(request.game, code), None))
        return bind(context, ledger, request.new, names, load(there) if there is not None else None)
    # The event lets of two who agree at once one wait for the other.
    ledger.add("link", result="a channel agreed to a link")
    context.ledger = ledger
    context.docs.append(request.doc(expires, [*request.agreed, here]))
    context.due.append(request.due(expires, [*request.agreed, here]))
    whom = listed(missing, names if here in request.places else {}, here)
    return Reply(f"{context.who} agrees to the link", (f"Still to agree: {whom}.",))


async def decline(context: Context, code: str) -> Reply:
    """A manager of one of the places refuses, or who asked takes it back."""
    _, request, _ = await _pending(context, code)
    if not context.keeps and request.asker != context.command.who.key:
        raise UserError("Only a server manager or workspace admin can refuse that.", option="code", code="not-manager")
    context.drop_docs.append((REQUEST, code))
    context.drop_due.append((expiry_key(request.game, code), None))
    context.pressed = request.topic(context.command.where.key)
    for place in request.missing:
        settled(context, request.topic(place), f"{context.who} refuses", WHAT)
    told = Reply(f"{context.who} refuses the link", ("Nothing is linked.",))
    tell(context, dict.fromkeys(request.all, told))
    return told


async def _pending(context: Context, code: str) -> tuple[Ledger, Request, float]:
    """The game that is to be linked, and the request, read after it: whoever changes one changes the other.

    Raises UserError for a request that is over, that is about other places, or whose game has moved on.
    """
    gone = UserError(
        "There is no open request for this link.", hint=phrase("Ask again: `/game link`"), code="not-asked"
    )
    doc = await context.store.doc(REQUEST, code)
    if doc is None:
        raise gone
    ledger = context.ledger
    if not ledger.exists or ledger.row != doc.data["game"]:
        saved = await context.store.load_game_by_id(str(doc.data["game"]))
        if saved is None:
            raise gone
        ledger = Ledger(load(saved), context.ledger.writer)
    doc = await context.store.doc(REQUEST, code)
    if doc is None or ledger.was is None:
        raise gone
    places, new, agreed = tuple(doc.data["places"]), str(doc.data["new"]), tuple(doc.data["agreed"])
    request = Request(code, str(doc.data["game"]), places, new, agreed, doc.owner, str(doc.data.get("aside", "")))
    if context.command.where.key not in request.all:
        raise UserError("That code is for other channels.", option="code", code="other-channels")
    if sorted(ledger.was.places) != sorted(places):
        raise UserError(
            "The game has moved elsewhere since.", hint=phrase("Ask again: `/game link`"), code="game-changed"
        )
    return ledger, request, doc.expires or 0.0
