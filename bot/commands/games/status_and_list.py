"""`/game status`, `list`, `open`, `resume`: nothing that was played in a channel is ever buried."""

from dataclasses import replace

from bot.commands.channel_games import (
    ChannelGame,
    describe_replaced_game,
    find_game,
    find_game_by_row,
    format_game_name,
    format_status,
    load_channel_games,
    sort_current_first,
    tell,
    use_game,
)
from bot.commands.context import Context, replace_command
from bot.commands.log import log
from bot.commands.log.export_and_share import export_game
from bot.commands.log.stats import show_stats
from bot.commands.play.fair import show_fairness
from bot.commands.turns.mentions import list_calls
from bot.commands.turns.turn_card import build_phase_buttons, format_headline, format_passes
from bot.game.cups import is_drawn_next
from bot.game.ledger import Ledger
from bot.game.phases import describe_whose_go, format_numbered_phase, get_phase, list_reminders
from bot.game.rights import need_director
from bot.game.roster import count_units, has_left_fight
from bot.game.state import FULL, Game, get_actor
from bot.game.tracks import format_tracks
from bot.preferences.place_names import find_moved_game, list_places, load_place_names
from bot.preferences.platform_words import get_manager_word
from bot.presentation.derived_inputs import format_rules_in_force
from bot.rules.errors import UserError
from bot.rules.text.names import format_count
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import get_systems
from bot.storage.records import Binding
from bot.storage.store import Store
from bot.ui.reply.parts import Entry, Part, Small
from bot.ui.reply.reply import Button, Reply
from bot.ui.spec import get_server_key

LOOK_BACK = 20
"""The end of a game is among so many of its last events: seeds may be revealed behind it, and
links ended.
"""

MOST_SHOWN = 8
SHOWN = {"log": log.show_log, "stats": show_stats, "export": export_game, "proof": show_fairness}
"""What can be read of a game by a button, and the function that answers."""
LABELS = {"log": "Log", "stats": "Statistics", "export": "Export", "proof": "Proof"}


async def load_closing_sentence(store: Store, row: str, game: Game) -> str:
    """The sentence with which a game ended; "" where nobody wrote one, or it was deleted."""
    if not game.ended:
        return ""
    after = max(0, game.number - LOOK_BACK)
    rows = await store.load_events(row, after=after, limit=LOOK_BACK, newest_first=True)
    number = next((event.number for event in rows if event.data["kind"] == "end"), 0)
    texts = await store.load_texts(row, after=number - 1, before=number + 1) if number else ()
    return next((text.text for text in texts if text.key == "text"), "")


async def list_games(context: Context) -> Reply:
    """Every game that was played here, the one that is on first."""
    where = context.command.where
    games, (moved, way) = (
        sort_current_first(await load_channel_games(context.store, where)),
        await find_moved_game(context.store, where.key),
    )
    went = [moved] if moved else []
    if not games:
        lines = tuple(went or [phrase('Start a game: `/game start lnlt "Hill 875"`')])
        title = "Nothing is kept here" if went else "Nothing has been played here yet"
        return Reply(title, lines, private=True, buttons=way)
    shown: list[Part] = [await _build_entry(context, one) for one in games[:MOST_SHOWN]]
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
        f"{format_count(len(games), 'game')} played here{on}",
        (*shown, *went),
        private=True,
        buttons=way,
    )


async def _build_entry(context: Context, one: ChannelGame) -> Entry:
    system = get_systems().get(one.game.system)
    name = "open"
    label = "Read"
    if one.is_on and not one.game.ended:
        label = "Status"
    elif one.game.started and not one.game.ended:
        name = "resume"
        label = "Resume"
    about = system.title.partition(" (")[0] if system is not None else ""
    said = await load_closing_sentence(context.store, one.row, one.game)
    text = f"{format_status(one)} · {said}" if said else format_status(one)
    return Entry(f"{one.number}. {one.title}", about, text, f"{name}:{one.row}", label)


async def show_past_game(context: Context, row: str | None = None) -> Reply:
    """Everything about one of the games, privately: the one named, or of whose row a button is."""
    one = await _choose_past_game(context, row)
    await use_game(context, one)
    shown = await show_status(context)
    own = context.actor.person
    sealed = [number for number, who in one.game.sealed.items() if who == own]
    buttons = [
        *(context.build_button("read", label, what) for what, label in LABELS.items()),
        *(context.build_button("reveal", f"Open #{number}", number) for number in sealed[:5]),
    ]
    if not one.is_on or one.game.ended:
        buttons.append(Button(f"resume:{one.row}", "Resume", "primary"))
    how = (
        format_status(one).rpartition(" · #")[0] or format_status(one)
        if not one.is_on or one.game.ended
        else ""
    )
    title = f"{one.title}: {how}" if how else shown.title
    lines = shown.lines
    if said := await load_closing_sentence(context.store, one.row, one.game):
        lines = (said, *lines)
    if not one.is_on:
        lines = (*lines, phrase("By command too: `/log game={number}`", number=one.number))
    return Reply(title, lines, footer=shown.footer, private=True, buttons=tuple(buttons))


async def press_past_game_button(context: Context, what: str) -> Reply:
    """A button of an opened game: its log, statistics, export or proof, privately. Raises
    UserError.
    """
    if what not in SHOWN:
        raise UserError("There is no such button here.", code="unknown-button")
    path = {"log": ("log",), "proof": ("fair", "show")}.get(what, ("game", what))
    reply = await SHOWN[what](replace_command(context, path, {}))
    return replace(reply, private=True)


async def _choose_past_game(context: Context, row: str | None) -> ChannelGame:
    """The game that a button names, or the one typed, else the latest that is not going on.
    Raises UserError.
    """
    games = await load_channel_games(context.store, context.command.where)
    if row is not None:
        return find_game_by_row(games, row)
    if typed := context.clean_options()["game"]:
        return find_game(games, typed)
    found = [one for one in sort_current_first(games) if not one.is_on or one.game.ended]
    if not found:
        raise UserError(
            "No other game was played here.",
            hint=phrase("`/game list` shows all."),
            code="unknown-game",
        )
    return next((one for one in found if one.game.started), found[0])


async def resume_game(context: Context, row: str | None = None) -> Reply:
    """A game goes on with its own log and dice; the one that is on makes room. It is the one named,
    or of whose row a button is, else the latest that made room for another or ended. Raises
    UserError."""
    one = await _choose_past_game(context, row)
    if one.is_on and not one.game.ended:
        raise UserError(
            f"{one.title} is the game that is on here.", hint="Just play.", code="game-on"
        )
    before = context.ledger.was
    if not one.is_on and context.ledger.row and context.game.started and not context.game.ended:
        need_director(context.game, context.actor, f"put {format_game_name(context.game)} aside")
    places = await _list_places_to_resume(context, one)
    aside = () if one.is_on else describe_replaced_game(before)
    ledger = Ledger(one.loaded, context.ledger.writer)
    _need_participant(context, ledger)
    ledger.add("resume", replace(one.game, ended=False, winner=""))
    context.ledger = ledger
    if not one.is_on:
        was = before.row if before is not None else None
        context.commit.bindings += [
            Binding(place, one.row, was, get_server_key(place), alone=place == places[-1])
            for place in places
        ]
    game = ledger.game
    lines = list(aside)
    buttons = tuple[Button, ...]()
    if game.started:
        brief = str(get_phase(game, context.system).get("brief") or "")
        lines = [f"{format_headline(game, context.system)}.", *([brief] if brief else []), *aside]
        buttons = tuple(build_phase_buttons(context))
    told = Reply(
        f"{context.user_name} takes {format_game_name(one.game)} up again",
        tuple(lines),
        buttons=buttons,
    )
    tell(context, dict.fromkeys(places, told))
    return told


async def _list_places_to_resume(context: Context, one: ChannelGame) -> tuple[str, ...]:
    """Where it is played from now on: in every channel that is linked with this one, if it was
    played in them all.

    Raises UserError where it was not: nobody there agreed to it.
    """
    here = context.command.where.key
    places = (here,) if one.is_on else context.ledger.places
    for place in places:
        if place != here and one.row not in (
            row for _, row in await context.store.load_game_history(place)
        ):
            what = "This channel is linked with others, where that game was never played."
            raise UserError(
                what, hint=phrase("End the link first: `/game link off`"), code="linked"
            )
    return tuple(dict.fromkeys((here, *places)))


def _need_participant(context: Context, ledger: Ledger) -> None:
    """Raise UserError for a stranger to a game with sides."""
    game = ledger.game
    actor = get_actor(game, ledger.find_person(), manager=context.command.who.manager)
    if game.started and game.sides and not actor.side and not actor.directs:
        hint = f"Ask one of its players, or a {get_manager_word(context.command.where.key)}."
        raise UserError(
            f"Only those who played {format_game_name(game)} can take it up again.",
            hint=hint,
            code="not-player",
        )


async def show_status(context: Context) -> Reply:
    """Everything about the game that fits on a screen."""
    game = context.need_game()
    ledger = context.ledger
    title = f'"{game.name}"' if game.started else "Free play"
    where = "the game has ended" if game.ended else format_numbered_phase(game, context.system)
    lines: list[Part] = [_format_side(context, side) for side in game.sides]
    others = [
        unit
        for unit in game.units.values()
        if unit.side not in game.sides and not has_left_fight(unit)
    ]
    if others:
        lines.append(f"{count_units(len(others))} of no side")
    if game.master:
        lines.append(f"Game master: {ledger.get_name(game.master)}")
    if unclaimed := ledger.list_unclaimed_names():
        lines.append(
            phrase(
                "Known from the imported file only: {unclaimed}. Is one of them you? `/game claim`",
                unclaimed=unclaimed,
            )
        )
    if game.go and not game.ended:
        passes = format_passes(game, context.system)
        people = ", ".join(ledger.list_players(*game.go))
        whose = " and ".join(game.go) + (f" ({people})" if people else "")
        whose = describe_whose_go(game) if is_drawn_next(game) else whose
        lines.append(f"To play: {whose}" + (f"; {passes}" if passes else ""))
    for at, asks in game.waits.items():
        lines.append(f"#{at} waits for {asks.get('side') or 'somebody'}: {asks['ask']}")
    if game.initiative:
        lines.append(f"Initiative: {game.initiative}")
    if game.sealed:
        lines.append(
            "Sealed: "
            + ", ".join(f"#{at} by {ledger.get_name(who)}" for at, who in game.sealed.items())
        )
    if game.redo:
        lines.append(
            phrase(
                "Undone: {undone} (`/game redo`)",
                undone=", ".join(f"#{at}" for at in reversed(game.redo)),
            )
        )
    lines += filter(None, (format_tracks(game, context.system),))
    if rules := format_rules_in_force(context.system, game):
        lines.append(rules)
    answers = "in full" if game.answers == FULL else "in short"
    lines.append(
        f"Dice: seed {game.epoch}, commitment {game.commitment[:16]}; "
        f"real dice {'allowed' if game.hand_dice else 'not allowed'}; answers {answers}"
    )
    if len(places := ledger.places) > 1:
        names = {
            **await load_place_names(context.store, places),
            context.command.where.key: context.command.where.name,
        }
        lines.append(
            f"Played in {list_places(places, names, context.command.where.key)}; each sees every roll of the others."
        )
        lines.append(phrase("To end that for this channel, type: `/game link off`"))
    if not game.ended:
        called = await list_calls(context)
        lines += [call.line for call in called]
        lines += map(Small, list_reminders(game, context.system))
    of_what = context.system.title if context.system is not None else ""
    told = ": ".join(filter(None, (title, where)))
    return Reply(told, tuple(lines), by=of_what, footer=(f"#{game.number}",), private=True)


def _format_side(context: Context, side: str) -> str:
    game = context.game
    players = context.ledger.list_players(side)
    units = [unit for unit in game.units.values() if unit.side == side]
    gone = sum(has_left_fight(unit) for unit in units)
    lost = f", {gone} eliminated" if gone else ""
    return f"{side}: {', '.join(players) or 'nobody yet'}; {count_units(len(units) - gone)}{lost}"
