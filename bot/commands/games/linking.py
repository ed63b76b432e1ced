"""Places that play one game: linked, no longer linked, and told so wherever it is seen."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import replace
from types import MappingProxyType

from bot.commands.context import Context, server_of
from bot.commands.games.places import PLACE, called, listed, name_doc, names_of
from bot.commands.games.played import put_aside
from bot.commands.log.standing_in import HOME
from bot.game.ledger import Ledger
from bot.game.loaded import Loaded
from bot.game.state import Game
from bot.interface.reply.reply import Reply
from bot.interface.spec import Place
from bot.rules.text.phrase import phrase
from bot.stores.base import Store
from bot.stores.records import Binding, Commit, Doc, Outgoing


def bind(context: Context, ledger: Ledger, new: str, names: Mapping[str, str], aside: Loaded | None = None) -> Reply:
    """Let a new place play the ledger's game too, and tell it in all of them; what is told here comes back.

    `aside` is what made room for it there.
    """
    assert ledger.was is not None
    places = (*ledger.was.places, new)
    ledger.add("link", result="played from two channels")
    context.ledger = ledger
    if len(places) == 2:
        context.docs.append(Doc(HOME, ledger.row, {"place": places[0]}, None, server_of(places[0])))
    context.bindings.append(Binding(new, ledger.row, aside.row if aside is not None else None, server_of(new)))
    told = {place: _notice(context, ledger.game, places, names, place) for place in places}
    told[new] = replace(told[new], lines=(*told[new].lines, *put_aside(aside)))
    tell(context, told)
    return told[context.command.where.key]


def _notice(context: Context, game: Game, places: Many[str], names: Mapping[str, str], reader: str) -> Reply:
    others = listed([place for place in places if place != reader], names, reader)
    return Reply(
        f"{context.who} links this channel with {others}",
        (
            f"{title(game, capital=True)} is played from both: every roll made here is seen there, and theirs here.",
            phrase("`/game status` lists the channels. A manager ends this here with: `/game link off`"),
        ),
    )


def title(game: Game, *, capital: bool = False) -> str:
    """A game as answers about links call it."""
    return f'"{game.name}"' if game.name else "The free play" if capital else "the free play"


async def unlink(context: Context, ledger: Ledger, place: str) -> Reply:
    """One of the places that play the ledger's game plays it no more; all are told, and so is who did it."""
    assert ledger.was is not None
    places = ledger.was.places
    names = await names_of(context.store, places)
    ledger.add("link", result="one channel fewer")
    context.bindings.append(Binding(place, None, ledger.row, server_of(place)))
    name, told = title(ledger.game, capital=True), dict[str, Reply]()
    for reader in places:
        if reader == place:
            rest = listed([other for other in places if other != place], names, reader)
            lines = (f"{name} goes on in {rest}. Nothing rolled here is seen there any more.",)
        else:
            lines = (f"{name} goes on here without {called(place, names.get(place, ''), reader)}.",)
        told[reader] = Reply(f"{context.who} ends the link of {called(place, names.get(place, ''), reader)}", lines)
    tell(context, told)
    return told.get(context.command.where.key, told[place])


async def server_back(store: Store, server: str) -> None:
    """The bot is on a server (again). After an absence its linked channels are told who sees what is rolled there.

    So is a channel that was linked by a release that did not ask its managers; it has no document with its name yet.
    """
    was_away, told, docs = await store.server_joined(server), list[Outgoing](), list[Doc]()
    for place, row in await store.linked(server):
        is_new = await store.doc(PLACE, place) is None
        if not (was_away or is_new):
            continue
        docs += [name_doc(Place(place, server))] if is_new else []
        saved = await store.load_game_by_id(row)
        places = [other for other in saved.places if other != place] if saved is not None else []
        others = listed(places, await names_of(store, places), place)
        lines = (
            phrase("Every roll made here is seen there, and theirs here. A manager ends this with: `/game link off`"),
        )
        told.append(Outgoing(place, {}, 0.0, Reply(f"This channel is linked with {others}", lines).to_json()))
    if told:
        await store.commit(Commit(outbox=tuple(told), docs=tuple(docs)))


def tell(context: Context, told: Mapping[str, Reply], about: Mapping[str, str] = MappingProxyType({})) -> None:
    """Post what is told in each place, but this one: here it is the answer. `about` is what a message is about that
    will change."""
    here = context.command.where.key
    context.outgoing += [
        Outgoing(place, {}, context.now, reply.to_json(), about.get(place, ""))
        for place, reply in told.items()
        if place != here
    ]
