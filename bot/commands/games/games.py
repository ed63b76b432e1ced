"""`/game list`, `open`, `resume`: nothing that was played in a channel is ever buried."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.context import Context, server_of
from bot.commands.games.ending import last_words
from bot.commands.games.places import moved_from
from bot.commands.games.played import (
    Played,
    best_first,
    by_row,
    find_played,
    look_at,
    named,
    played_in,
    put_aside,
    standing,
)
from bot.commands.turns.turn_card import headline, phase_buttons
from bot.game.ledger import Ledger
from bot.game.phases import phase_of
from bot.game.rights import need_director
from bot.interface.reply.parts import Entry, Part
from bot.interface.reply.reply import Button, Reply
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.stores.records import Binding, Outgoing
from bot.systems.catalog import systems

MOST_SHOWN = 8
SHOWN = {
    "log": "log.log:handle",
    "stats": "log.luck:stats",
    "export": "games.export:export",
    "proof": "play.fair:show",
}
"""What can be read of a game by a button, and the function that answers."""
LABELS = {"log": "Log", "stats": "Statistics", "export": "Export", "proof": "Proof"}


async def listing(context: Context) -> Reply:
    """Every game that was played here, the one that is on first."""
    where = context.command.where
    games, moved = best_first(await played_in(context.store, where)), await moved_from(context.store, where.key)
    went = [moved.line] if moved is not None else []
    way = moved.buttons if moved is not None else ()
    if not games:
        lines = went or [phrase('Start a game: `/game start lnlt "Hill 875"`')]
        return Reply(
            "Nothing is kept here" if went else "Nothing has been played here yet",
            tuple(lines),
            private=True,
            buttons=way,
        )
    shown: list[Part] = [await _entry(context, one) for one in games[:MOST_SHOWN]]
    more = len(games) - MOST_SHOWN
    if more > 0:
        shown.append(phrase("{more} older: `/game open 1`, or by title", more=more))
    if earlier := [one for one in games if not one.is_on]:
        number = earlier[0].number
        shown.append(phrase("`/game open {n}` reads one, `/game resume {n}` takes it up again", n=number))
    count = "1 game" if len(games) == 1 else f"{len(games)} games"
    on = ", one is on" if games[0].is_on and not games[0].game.ended else ""
    return Reply(f"{count} played here{on}", (*shown, *went), private=True, buttons=way)


async def _entry(context: Context, one: Played) -> Entry:
    system = systems().get(one.game.system)
    name, label = _button(one)
    about = system.title.partition(" (")[0] if system is not None else ""
    said = await last_words(context.store, one.row, one.game)
    text = f"{standing(one)} · {said}" if said else standing(one)
    return Entry(f"{one.number}. {one.title}", about, text, f"{name}:{one.row}", label)


def _button(one: Played) -> tuple[str, str]:
    """What the button beside a game does, and what it says."""
    if one.is_on and not one.game.ended:
        return "open", "Status"
    return ("resume", "Resume") if one.game.started and not one.game.ended else ("open", "Read")


async def open_game(context: Context) -> Reply:
    """Everything about one of the games, privately."""
    typed = context.options()["game"]
    games = await played_in(context.store, context.command.where)
    return await _opened(context, find_played(games, typed) if typed else _latest(games))


async def press_open(context: Context, row: str) -> Reply:
    """The button of a game in the list."""
    return await _opened(context, await by_row(context, row))


async def _opened(context: Context, one: Played) -> Reply:
    from bot.commands.games.game import status

    await look_at(context, one)
    shown = await status(context)
    own = context.actor.person
    sealed = [number for number, who in one.game.sealed.items() if who == own]
    buttons = [
        *(context.button("read", label, what) for what, label in LABELS.items()),
        *(context.button("reveal", f"Open #{number}", number) for number in sealed[:5]),
    ]
    if not one.is_on or one.game.ended:
        buttons.append(Button(f"resume:{one.row}", "Resume", "primary"))
    how = standing(one).rpartition(" · #")[0] or standing(one) if not one.is_on or one.game.ended else ""
    title, lines = f"{one.title}: {how}" if how else shown.title, shown.lines
    if said := await last_words(context.store, one.row, one.game):
        lines = (said, *lines)
    if not one.is_on:
        lines = (*lines, phrase("By command too: `/log game={number}`", number=one.number))
    return Reply(title, lines, footer=shown.footer, private=True, buttons=tuple(buttons))


async def read(context: Context, what: str) -> Reply:
    """A button of an opened game: its log, statistics, export or proof, privately."""
    from bot.commands.context import repeated
    from bot.commands.dispatch import imported

    if what not in SHOWN:
        raise UserError("There is no such button here.", code="unknown-button")
    path = {"log": ("log",), "proof": ("fair", "show")}.get(what, ("game", what))
    reply: Reply = await imported(SHOWN[what])(repeated(context, path, {}))
    return replace(reply, private=True)


async def resume(context: Context) -> Reply:
    """Take a game up again: the one named, or the latest that made room for another or ended."""
    typed = context.options()["game"]
    games = await played_in(context.store, context.command.where)
    return await _resumed(context, find_played(games, typed) if typed else _latest(games))


async def press_resume(context: Context, row: str) -> Reply:
    """The button that takes a game up again."""
    return await _resumed(context, await by_row(context, row))


def _latest(games: list[Played]) -> Played:
    """The latest game that is not going on. Raises UserError where there is none."""
    found = [one for one in best_first(games) if not one.is_on or one.game.ended]
    if not found:
        raise UserError("No other game was played here.", hint=phrase("`/game list` shows all."), code="unknown-game")
    return next((one for one in found if one.game.started), found[0])


async def _resumed(context: Context, one: Played) -> Reply:
    """The game goes on with its own log and dice; the one that is on makes room."""
    if one.is_on and not one.game.ended:
        raise UserError(f"{one.title} is the game that is on here.", hint="Just play.", code="game-on")
    before = context.ledger.was
    if not one.is_on and context.ledger.exists and context.game.started and not context.game.ended:
        need_director(context.game, context.actor, f"put {named(context.game)} aside")
    places = await _places(context, one)
    aside = () if one.is_on else put_aside(before)
    ledger = Ledger(one.loaded, context.ledger.writer)
    _need_part(context, ledger)
    ledger.add("resume", replace(one.game, ended=False, winner=""))
    context.ledger = ledger
    if not one.is_on:
        was = before.row if before is not None else None
        context.bindings += [
            Binding(place, one.row, was, server_of(place), alone=place == places[-1]) for place in places
        ]
    game, lines, buttons = ledger.game, list(aside), tuple[Button, ...]()
    if game.started:
        brief = str(phase_of(game, context.system).get("brief") or "")
        lines = [f"{headline(game, context.system)}.", *([brief] if brief else []), *aside]
        buttons = tuple(phase_buttons(context))
    told = Reply(f"{context.who} takes {named(one.game)} up again", tuple(lines), buttons=buttons)
    here = context.command.where.key
    context.outgoing += [Outgoing(place, {}, context.now, told.to_json()) for place in places if place != here]
    return told


async def _places(context: Context, one: Played) -> tuple[str, ...]:
    """Where it is played from now on: in every channel that is linked with this one, if it was played in them all.

    Raises UserError where it was not: nobody there agreed to it.
    """
    here, was = context.command.where.key, context.ledger.was
    places = was.places if was is not None and not one.is_on else (here,)
    for place in places:
        if place != here and one.row not in (row for _, row in await context.store.played(place)):
            raise UserError(
                "This channel is linked with others, where that game was never played.",
                hint=phrase("End the link first: `/game link off`"),
                code="linked",
            )
    return tuple(dict.fromkeys((here, *places)))


def _need_part(context: Context, ledger: Ledger) -> None:
    """Raise UserError for a stranger to a game with sides."""
    from bot.game.rights import actor_in

    game = ledger.game
    actor = actor_in(game, ledger.known_person(), manager=context.command.who.manager)
    if game.started and game.sides and not actor.side and not actor.directs:
        raise UserError(
            f"Only those who played {named(game)} can take it up again.",
            hint="Ask one of its players, or a server manager.",
            code="not-player",
        )
