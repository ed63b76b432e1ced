"""A manager who plays no side may agree in the place of the other one, where that is gone: left, or silent for long."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from bot.commands.context import Context, server_of
from bot.commands.turns.calls import place_of
from bot.game.state import Json
from bot.game.undo import LEFT, SILENCE, SILENT, are_silent, may_stand_in, then

HOME = "home"
"""Documents that say in which place a linked game began; who manages that one decides."""
PATIENCE = 1.0
"""Seconds for the platform to say who is there; what it does not say counts for nothing."""
PAGE = 500


async def stands_in(context: Context, event: Json, asked: str, others: frozenset[str], events: list[Json]) -> Json:
    """What the event says of a manager who agrees in the place of `others`; {} where they may not. `events` are those
    since, newest first."""
    game, person = context.game, context.ledger.person() if await _manages(context) else ""
    if not person or not may_stand_in(game, then(events, game, event["number"]), person, asked, event):
        return {}
    reason = await reason_to_stand_in(context, others)
    return {"by": "manager", "reason": reason} if reason else {}


async def _manages(context: Context) -> bool:
    """Whether who asks manages the place where the game began; nobody does in the console."""
    where, was = context.command.where, context.ledger.was
    if not context.command.who.manager or not where.server or where.owner or where.key.startswith("console:"):
        return False
    places = was.places if was is not None else ()
    if len(places) < 2:
        return True
    home = await context.store.doc(HOME, context.ledger.row)
    return home is not None and server_of(str(home.data["place"])) == where.server


async def reason_to_stand_in(context: Context, others: Iterable[str]) -> str:
    """Why the others cannot agree: silent for seven days, by the log, or left, as the platform says; "" for none."""
    heard, at, before = set(others), context.now - SILENT, None
    recent = list[Json]()
    while rows := await context.store.events(context.ledger.row, before=before, limit=PAGE, newest_first=True):
        recent += [row.data for row in rows]
        before = rows[-1].number
        if rows[-1].data["at"] <= at:
            break
    recent.reverse()
    heard = {person for person in heard if not are_silent(recent, [person], context.now)}
    if not heard:
        return SILENCE
    found = await asyncio.gather(*(_has_left(context, person) for person in heard))
    return LEFT if all(found) else ""


async def _has_left(context: Context, person: str) -> bool:
    """Whether somebody is not where the game is played any more, as far as the platform says so at this moment."""
    row = context.ledger.persons.get(person)
    if row is None:
        return True  # their data was deleted: nobody will answer for them
    ask = context.members.get(row.user.partition(":")[0])
    if row.is_imported or ask is None:
        return False
    try:
        return await asyncio.wait_for(ask(row.user, await place_of(context, row.user)), PATIENCE) is False
    except TimeoutError:
        return False
