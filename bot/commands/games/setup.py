"""`/setup`: which systems a server uses, and which of its channels play a game together with others."""

from __future__ import annotations

import re

from bot.commands.context import Context
from bot.commands.games.link import unlink
from bot.commands.games.places import called, is_private, listed, local_id, names_of
from bot.game.ledger import Ledger
from bot.game.loaded import Loaded, load
from bot.interface.reply.reply import Reply
from bot.packs.stored import SETUP
from bot.places.enabled import NotManager
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.phrase import phrase
from bot.stores.records import Doc
from bot.systems.catalog import everywhere

_HIDE = {"discord": "To hide a game's commands: Server Settings, Integrations, Grognard."}
"""How a server hides commands by itself, where its platform lets it."""


async def systems(context: Context) -> Reply:
    """Show or set the systems of this server."""
    options, games = context.options(), everywhere()
    server = context.command.where.server or context.command.where.key
    hide = [_HIDE[platform]] if (platform := server.partition(":")[0]) in _HIDE else []
    doc = await context.store.doc(SETUP, server)
    before = doc.data if doc is not None else {}
    if not options["systems"]:
        enabled, packs = before.get("systems", list(games)), before.get("packs") or {}
        lines = [f"{id}: {game.title}{'' if id in enabled else ' (not enabled)'}" for id, game in games.items()]
        if packs:
            lines.append(phrase("Packs: {packs}. `/pack list` shows them.", packs=", ".join(packs)))
        lines += [phrase("Change: `/setup systems lnlt ucn`, or all."), *hide]
        lines.append(f"Commitment to the dice of the next free play: {(await context.next_seed()).commitment}")
        return Reply("Systems here", tuple(lines), private=True)
    if not context.command.who.manager:
        raise NotManager("choose the rule sets", context.command.where)
    words = [word for word in re.split(r"[\s,;]+", options["systems"].casefold()) if word]
    chosen = list(games) if words == ["all"] else list(dict.fromkeys(words))
    for word in chosen:
        if word not in games:
            hint = did_you_mean(word, games) or f"Systems: {', '.join(games)}."
            raise UserError(f'No system "{word[:40]}".', hint=hint, option="systems", code="unknown-system")
    context.docs.append(Doc(SETUP, server, {**before, "systems": chosen}, None, server))
    others = (
        ["Commands of the other games now answer that they are not enabled here."] if len(chosen) < len(games) else []
    )
    return Reply(f"Enabled here: {', '.join(chosen)}", (*others, *hide), private=True)


async def links(context: Context) -> Reply:
    """The channels of this server whose rolls are seen elsewhere; `end` ends that for one of them."""
    if not context.command.who.manager:
        raise NotManager("see and end links here", context.command.where)
    where, wanted = context.command.where, context.options()["end"]
    found = await context.store.linked(where.server or where.key)
    linked = {local_id(place): (place, game) for place, game in found if not is_private(place)}
    if wanted:
        return await _end(context, linked, wanted.strip().strip("<#>"))
    lines = []
    for id, (place, game) in linked.items():
        loaded = await _loaded(context, game)
        names = await names_of(context.store, loaded.places)
        others = listed([other for other in loaded.places if other != place], names, where.key)
        title = f'"{loaded.game.name}"' if loaded.game.name else "free play"
        lines.append(f"{called(place, names.get(place, ''), where.key)}: {title}, also played from {others}.")
        lines.append(phrase("To end that, type: `/setup links {id}`", id=id))
    return Reply("Linked channels", tuple(lines) or ("There are none.",), private=True)


async def _end(context: Context, linked: dict[str, tuple[str, str]], wanted: str) -> Reply:
    if wanted not in linked:
        raise UserError(
            f'No linked channel "{wanted[:40]}" here.',
            hint=phrase("`/setup links` lists them."),
            option="end",
            code="unknown-channel",
        )
    place, game = linked[wanted]
    ledger = context.ledger
    if not ledger.exists or ledger.row != game:
        ledger = Ledger(await _loaded(context, game), context.ledger.writer)
        context.further.append(ledger)
    assert ledger.was is not None
    told = await unlink(context, ledger, place)
    here_too = context.command.where.key in ledger.was.places
    return Reply("The link has ended", told.lines, private=True, announce=told if here_too else None)


async def _loaded(context: Context, game: str) -> Loaded:
    saved = await context.store.load_game_by_id(game)
    if saved is None:
        raise UserError("That game was deleted this moment.", hint="Try again.", code="game-changed")
    return load(saved)
