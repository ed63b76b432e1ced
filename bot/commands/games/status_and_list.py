"""`/game status`, `list`, `open`, `resume`: nothing that was played in a channel is ever buried."""

from dataclasses import replace

from bot.answers.defaults import rules_told
from bot.commands.channel_games import (
    Played,
    best_first,
    by_row,
    find_played,
    look_at,
    named,
    played_in,
    put_aside,
    standing,
    tell,
)
from bot.commands.context import Context, repeated
from bot.commands.log import log
from bot.commands.log.export_and_share import export
from bot.commands.log.stats import stats
from bot.commands.play.fair import show
from bot.commands.turns.mentions import calls
from bot.commands.turns.turn_card import headline, passes_told, phase_buttons
from bot.game.cups import is_drawn_next
from bot.game.ledger import Ledger
from bot.game.phases import phase_of, reminders, shown_phase, whose_go
from bot.game.rights import need_director
from bot.game.roster import count_units, is_gone
from bot.game.state import FULL, Game, actor_in
from bot.game.tracks import tracks_line
from bot.interface.reply.parts import Entry, Part, Small
from bot.interface.reply.reply import Button, Reply
from bot.interface.spec import server_of
from bot.places.place_names import list_places, moved_from, names_of
from bot.places.platform_words import manager_word
from bot.rules.errors import UserError
from bot.rules.text.names import counted
from bot.rules.text.phrase import phrase
from bot.stores.records import Binding
from bot.stores.store import Store
from bot.systems.catalog import systems

LOOK_BACK = 20
"""The end of a game is among so many of its last events: seeds may be revealed behind it, and
links ended.
"""

MOST_SHOWN = 8
SHOWN = {"log": log.handle, "stats": stats, "export": export, "proof": show}
"""What can be read of a game by a button, and the function that answers."""
LABELS = {"log": "Log", "stats": "Statistics", "export": "Export", "proof": "Proof"}


async def last_words(store: Store, row: str, game: Game) -> str:
    """The sentence with which a game ended; "" where nobody wrote one, or it was deleted."""
    if not game.ended:
        return ""
    after = max(0, game.number - LOOK_BACK)
    rows = await store.events(row, after=after, limit=LOOK_BACK, newest_first=True)
    number = next((event.number for event in rows if event.data["kind"] == "end"), 0)
    texts = await store.texts(row, after=number - 1, before=number + 1) if number else ()
    return next((text.text for text in texts if text.key == "text"), "")


async def listing(context: Context) -> Reply:
    """Every game that was played here, the one that is on first."""
    where = context.command.where
    games, (moved, way) = (
        best_first(await played_in(context.store, where)),
        await moved_from(context.store, where.key),
    )
    went = [moved] if moved else []
    if not games:
        lines = tuple(went or [phrase('Start a game: `/game start lnlt "Hill 875"`')])
        title = "Nothing is kept here" if went else "Nothing has been played here yet"
        return Reply(title, lines, private=True, buttons=way)
    shown: list[Part] = [await _entry(context, one) for one in games[:MOST_SHOWN]]
    more = len(games) - MOST_SHOWN
    if more > 0:
        shown.append(phrase("{more} older: `/game open 1`, or by title", more=more))
    if earlier := [one for one in games if not one.is_on]:
        number = earlier[0].number
        shown.append(
            phrase("`/game open {n}` reads one, `/game resume {n}` takes it up again", n=number)
        )
    on = ", one is on" if games[0].is_on and not games[0].game.ended else ""
    return Reply(
        f"{counted(len(games), 'game')} played here{on}", (*shown, *went), private=True, buttons=way
    )


async def _entry(context: Context, one: Played) -> Entry:
    system = systems().get(one.game.system)
    name = "open"
    label = "Read"
    if one.is_on and not one.game.ended:
        label = "Status"
    elif one.game.started and not one.game.ended:
        name = "resume"
        label = "Resume"
    about = system.title.partition(" (")[0] if system is not None else ""
    said = await last_words(context.store, one.row, one.game)
    text = f"{standing(one)} · {said}" if said else standing(one)
    return Entry(f"{one.number}. {one.title}", about, text, f"{name}:{one.row}", label)


async def open_game(context: Context, row: str | None = None) -> Reply:
    """Everything about one of the games, privately: the one named, or of whose row a button is."""
    one = await _meant(context, row)
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
    how = (
        standing(one).rpartition(" · #")[0] or standing(one)
        if not one.is_on or one.game.ended
        else ""
    )
    title = f"{one.title}: {how}" if how else shown.title
    lines = shown.lines
    if said := await last_words(context.store, one.row, one.game):
        lines = (said, *lines)
    if not one.is_on:
        lines = (*lines, phrase("By command too: `/log game={number}`", number=one.number))
    return Reply(title, lines, footer=shown.footer, private=True, buttons=tuple(buttons))


async def read(context: Context, what: str) -> Reply:
    """A button of an opened game: its log, statistics, export or proof, privately. Raises
    UserError.
    """
    if what not in SHOWN:
        raise UserError("There is no such button here.", code="unknown-button")
    path = {"log": ("log",), "proof": ("fair", "show")}.get(what, ("game", what))
    reply = await SHOWN[what](repeated(context, path, {}))
    return replace(reply, private=True)


async def _meant(context: Context, row: str | None) -> Played:
    """The game that a button names, or the one typed, else the latest that is not going on.
    Raises UserError.
    """
    games = await played_in(context.store, context.command.where)
    if row is not None:
        return by_row(games, row)
    if typed := context.options()["game"]:
        return find_played(games, typed)
    found = [one for one in best_first(games) if not one.is_on or one.game.ended]
    if not found:
        raise UserError(
            "No other game was played here.",
            hint=phrase("`/game list` shows all."),
            code="unknown-game",
        )
    return next((one for one in found if one.game.started), found[0])


async def resume(context: Context, row: str | None = None) -> Reply:
    """A game goes on with its own log and dice; the one that is on makes room. It is the one named,
    or of whose row a button is, else the latest that made room for another or ended. Raises
    UserError."""
    one = await _meant(context, row)
    if one.is_on and not one.game.ended:
        raise UserError(
            f"{one.title} is the game that is on here.", hint="Just play.", code="game-on"
        )
    before = context.ledger.was
    if not one.is_on and context.ledger.row and context.game.started and not context.game.ended:
        need_director(context.game, context.actor, f"put {named(context.game)} aside")
    places = await _places(context, one)
    aside = () if one.is_on else put_aside(before)
    ledger = Ledger(one.loaded, context.ledger.writer)
    _need_part(context, ledger)
    ledger.add("resume", replace(one.game, ended=False, winner=""))
    context.ledger = ledger
    if not one.is_on:
        was = before.row if before is not None else None
        context.commit.bindings += [
            Binding(place, one.row, was, server_of(place), alone=place == places[-1])
            for place in places
        ]
    game = ledger.game
    lines = list(aside)
    buttons = tuple[Button, ...]()
    if game.started:
        brief = str(phase_of(game, context.system).get("brief") or "")
        lines = [f"{headline(game, context.system)}.", *([brief] if brief else []), *aside]
        buttons = tuple(phase_buttons(context))
    told = Reply(f"{context.who} takes {named(one.game)} up again", tuple(lines), buttons=buttons)
    tell(context, dict.fromkeys(places, told))
    return told


async def _places(context: Context, one: Played) -> tuple[str, ...]:
    """Where it is played from now on: in every channel that is linked with this one, if it was
    played in them all.

    Raises UserError where it was not: nobody there agreed to it.
    """
    here = context.command.where.key
    places = (here,) if one.is_on else context.ledger.places
    for place in places:
        if place != here and one.row not in (row for _, row in await context.store.played(place)):
            what = "This channel is linked with others, where that game was never played."
            raise UserError(
                what, hint=phrase("End the link first: `/game link off`"), code="linked"
            )
    return tuple(dict.fromkeys((here, *places)))


def _need_part(context: Context, ledger: Ledger) -> None:
    """Raise UserError for a stranger to a game with sides."""
    game = ledger.game
    actor = actor_in(game, ledger.known_person(), manager=context.command.who.manager)
    if game.started and game.sides and not actor.side and not actor.directs:
        hint = f"Ask one of its players, or a {manager_word(context.command.where.key)}."
        raise UserError(
            f"Only those who played {named(game)} can take it up again.",
            hint=hint,
            code="not-player",
        )


async def status(context: Context) -> Reply:
    """Everything about the game that fits on a screen."""
    game = context.need_game()
    ledger = context.ledger
    title = f'"{game.name}"' if game.started else "Free play"
    where = "the game has ended" if game.ended else shown_phase(game, context.system)
    lines: list[Part] = [_side_line(context, side) for side in game.sides]
    others = [
        unit for unit in game.units.values() if unit.side not in game.sides and not is_gone(unit)
    ]
    if others:
        lines.append(f"{count_units(len(others))} of no side")
    if game.master:
        lines.append(f"Game master: {ledger.name_of(game.master)}")
    if unclaimed := ledger.unclaimed():
        lines.append(
            phrase(
                "Known from the imported file only: {unclaimed}. Is one of them you? `/game claim`",
                unclaimed=unclaimed,
            )
        )
    if game.go and not game.ended:
        passes = passes_told(game, context.system)
        people = ", ".join(ledger.players_of(*game.go))
        whose = " and ".join(game.go) + (f" ({people})" if people else "")
        whose = whose_go(game) if is_drawn_next(game) else whose
        lines.append(f"To play: {whose}" + (f"; {passes}" if passes else ""))
    for at, asks in game.waits.items():
        lines.append(f"#{at} waits for {asks.get('side') or 'somebody'}: {asks['ask']}")
    if game.initiative:
        lines.append(f"Initiative: {game.initiative}")
    if game.sealed:
        lines.append(
            "Sealed: "
            + ", ".join(f"#{at} by {ledger.name_of(who)}" for at, who in game.sealed.items())
        )
    if game.redo:
        lines.append(
            phrase(
                "Undone: {undone} (`/game redo`)",
                undone=", ".join(f"#{at}" for at in reversed(game.redo)),
            )
        )
    lines += filter(None, (tracks_line(game, context.system),))
    if rules := rules_told(context.system, game):
        lines.append(rules)
    answers = "in full" if game.answers == FULL else "in short"
    lines.append(
        f"Dice: seed {game.epoch}, commitment {game.commitment[:16]}; "
        f"real dice {'allowed' if game.hand_dice else 'not allowed'}; answers {answers}"
    )
    if len(places := ledger.places) > 1:
        names = {
            **await names_of(context.store, places),
            context.command.where.key: context.command.where.name,
        }
        lines.append(
            f"Played in {list_places(places, names, context.command.where.key)}; each sees every roll of the others."
        )
        lines.append(phrase("To end that for this channel, type: `/game link off`"))
    if not game.ended:
        called = await calls(context)
        lines += [call.line for call in called]
        lines += map(Small, reminders(game, context.system))
    of_what = context.system.title if context.system is not None else ""
    told = ": ".join(filter(None, (title, where)))
    return Reply(told, tuple(lines), by=of_what, footer=(f"#{game.number}",), private=True)


def _side_line(context: Context, side: str) -> str:
    game = context.game
    players = context.ledger.players_of(side)
    units = [unit for unit in game.units.values() if unit.side == side]
    gone = sum(is_gone(unit) for unit in units)
    lost = f", {gone} eliminated" if gone else ""
    return f"{side}: {', '.join(players) or 'nobody yet'}; {count_units(len(units) - gone)}{lost}"
