"""Who is called when the go changes hands: every player of the side, once, in the channel in which they play.

Whoever has acted in the last five minutes is there: they are named in bold and not called, so that no phone buzzes at
every shot of an evening. If they stay silent for five minutes more, the first reminder calls them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.commands.context import Context
from bot.game.state import Game
from bot.stores.records import Doc

SEAT = "seat"
"""Documents that say in which of several linked channels somebody has joined."""
PRESENT = 300.0
"""Seconds after their last event in the log within which somebody is there."""
READ_BACK = 100


def take_seat(context: Context) -> None:
    """Remember that whoever asks plays from here."""
    where, user = context.command.where.key, context.command.who.key
    context.docs.append(Doc(SEAT, _seat(context, user), {"place": where}, None, user))


async def call_sides(
    context: Context, game: Game, sides: Collection[str], *, all_of_them: bool = False, spares: bool = True
) -> tuple[str, ...]:
    """Whom the answer calls here: the players of these sides but whoever acts (unless `all_of_them`) and, if it
    `spares` them, those who are there. Those elsewhere are called there."""
    rows = [context.ledger.persons.get(person) for person, side in game.players.items() if side in sides]
    asks = "" if all_of_them else context.command.who.key
    users = [row.user for row in rows if row is not None and not row.is_imported and row.user != asks]
    there = await _present(context) if spares and users else ()
    context.spared = tuple(user for user in users if user in there)
    return await call(context, (user for user in users if user not in there), but=asks)


async def _present(context: Context) -> set[str]:
    """Those of whom the log has an event of the last five minutes."""
    rows = await context.store.events(context.ledger.row, limit=READ_BACK, newest_first=True)
    acted = {row.data["who"] for row in rows if row.data["at"] > context.now - PRESENT}
    return {row.user for person, row in context.ledger.persons.items() if person in acted}


def addressed(context: Context, title: str) -> str:
    """A headline that names, in its bold letters, those who have the go and are not called; not a question."""
    names = [row.name for row in context.ledger.persons.values() if row.user in context.spared]
    return f"{title}, {' and '.join(names)}" if names and len(context.game.go) == 1 and title[-1] != "?" else title


async def call(context: Context, users: Iterable[str], but: str | None = None) -> tuple[str, ...]:
    """Whom of these people the answer calls here, but for whoever asks; the others are called where they play."""
    here = context.command.where.key
    context.called = context.called or {}
    for user in dict.fromkeys(users):
        if user != (context.command.who.key if but is None else but) and (place := await place_of(context, user)):
            context.called[place] = (*context.called.get(place, ()), user)
    return context.called.get(here, ())


async def place_of(context: Context, user: str) -> str:
    """The channel of the game in which somebody is called: where they joined, else the first that they can be in."""
    was = context.ledger.was
    places = dict.fromkeys((context.command.where.key, *(was.places if was is not None else ())))
    within = f"{user.rpartition('/')[0]}/" if "/" in user else f"{user.partition(':')[0]}:"
    fitting = [place for place in places if place.startswith(within)]
    if len(fitting) > 1 and (seat := await context.store.doc(SEAT, _seat(context, user))) is not None:
        fitting = [place for place in fitting if place == seat.data["place"]] or fitting
    return fitting[0] if fitting else ""


def _seat(context: Context, user: str) -> str:
    return f"{context.ledger.row}/{user}"
