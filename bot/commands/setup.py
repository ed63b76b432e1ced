"""`/setup`: which rule sets a server uses, and which of its channels play a game together with others."""

from __future__ import annotations

import re

from bot.commands.context import Desk
from bot.commands.link import unlink
from bot.commands.places import called, is_private, listed, local_id, names_of
from bot.game.ledger import Ledger
from bot.game.loaded import Loaded, load
from bot.game.prepared import find
from bot.interface.reply import Reply
from bot.rules.errors import UserError, did_you_mean
from bot.stores.base import Doc

SETUP = "setup"
_HIDE = "A server can also hide commands itself: on Discord under Server Settings, Integrations, Grognard."


async def handle(desk: Desk) -> Reply:
    """Run one of `/setup`'s subcommands."""
    return await (_links if desk.spec.path[1] == "links" else _systems)(desk)


async def _systems(desk: Desk) -> Reply:
    """Show or set the rule sets of this server."""
    options, games = desk.options(), desk.registry.games
    server = desk.command.where.server or desk.command.where.key
    if not options["systems"]:
        doc = await desk.store.doc(SETUP, server)
        enabled = doc.data["systems"] if doc is not None else list(games)
        ready = await find(desk.store, desk.command.where)
        lines = [f"{id}: {game.title}{'' if id in enabled else ' (not enabled)'}" for id, game in games.items()]
        lines += ["Change: /setup systems lnlt ucn, or all.", _HIDE]
        if ready is not None:
            lines.append(f"Commitment to the dice of the next free play: {ready.commitment}")
        return Reply("Rule sets on this server", tuple(lines), private=True)
    if not desk.command.who.manager:
        raise UserError("Only who manages this server may choose its rule sets.")
    words = [word for word in re.split(r"[\s,;]+", options["systems"].casefold()) if word]
    chosen = list(games) if words == ["all"] else list(dict.fromkeys(words))
    for word in chosen:
        if word not in games:
            hint = did_you_mean(word, games) or f"There are {', '.join(games)}."
            raise UserError(f'No rule set "{word[:40]}".', hint=hint, option="systems")
    desk.docs.append(Doc(SETUP, server, {"systems": chosen}, None, server))
    return Reply(
        f"Enabled here: {', '.join(chosen)}", ("The others answer that they are not enabled.", _HIDE), private=True
    )


async def _links(desk: Desk) -> Reply:
    """The channels of this server whose rolls are seen elsewhere; `end` ends that for one of them."""
    if not desk.command.who.manager:
        raise UserError("Only a manager of this server may see and end its links.")
    where, wanted = desk.command.where, desk.options()["end"]
    found = await desk.store.linked(where.server or where.key)
    linked = {local_id(place): (place, game) for place, game in found if not is_private(place)}
    if wanted:
        return await _end(desk, linked, wanted.strip().strip("<#>"))
    lines = []
    for id, (place, game) in linked.items():
        loaded = await _loaded(desk, game)
        names = await names_of(desk.store, loaded.places)
        others = listed([other for other in loaded.places if other != place], names, where.key)
        title = f'"{loaded.game.name}"' if loaded.game.name else "free play"
        lines.append(f"{called(place, names.get(place, ''), where.key)}: {title}, also played from {others}.")
        lines.append(f"To end that, type: /setup links {id}")
    return Reply("Linked channels of this server", tuple(lines) or ("There are none.",), private=True)


async def _end(desk: Desk, linked: dict[str, tuple[str, str]], wanted: str) -> Reply:
    if wanted not in linked:
        raise UserError(
            f'No linked channel "{wanted[:40]}" on this server.', hint="/setup links lists them.", option="end"
        )
    place, game = linked[wanted]
    ledger = desk.ledger
    if not ledger.exists or ledger.row != game:
        ledger = Ledger(await _loaded(desk, game), desk.ledger.writer)
        desk.further.append(ledger)
    assert ledger.was is not None
    told = await unlink(desk, ledger, place)
    here_too = desk.command.where.key in ledger.was.places
    return Reply("The link has ended", told.lines, private=True, announce=told if here_too else None)


async def _loaded(desk: Desk, game: str) -> Loaded:
    saved = await desk.store.load_game_by_id(game)
    if saved is None:
        raise UserError("That game was deleted this moment.", hint="Try again.")
    return load(saved)
