"""`/game status`, `list`, `open` and `resume`: show the games of a channel, and resume one."""

from dataclasses import replace

from bot.commands.by_post.choose import can_choose
from bot.commands.channel_games import (
    ChannelGame,
    describe_replaced_game,
    find_game,
    find_game_by_row,
    format_game_name,
    format_status,
    load_channel_games,
    post_in_other_channels,
    sort_current_first,
    use_game,
)
from bot.commands.context import Context, replace_command
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.games.open_questions import collect_buttons, list_open_questions
from bot.commands.games.result.result_docs import store_played
from bot.commands.games.stats import show_stats
from bot.commands.ladder.ladder_docs import COUNTING
from bot.commands.log import log
from bot.commands.log.export import export_game
from bot.commands.play.fair import show_fairness
from bot.commands.turns.mentions import list_calls
from bot.commands.turns.turn_card import (
    build_add_units_buttons,
    build_phase_buttons,
    format_headline,
    format_passes,
)
from bot.commands.turns.upkeep import list_owed
from bot.game.cups import is_drawn_next
from bot.game.ledger import Ledger
from bot.game.phases import describe_whose_go, format_numbered_phase, get_phase, list_reminders
from bot.game.rights import need_director
from bot.game.roster import count_units
from bot.game.sides import describe_no_player
from bot.game.state import FULL, Game, get_actor
from bot.game.tracks import format_tracks
from bot.preferences.place_names import find_moved_game, list_places, load_place_names
from bot.preferences.platform_words import get_manager_word
from bot.presentation.derived_inputs import format_rules_in_force
from bot.rules.errors import UserError
from bot.rules.text.names import format_count
from bot.rules.text.phrase import phrase
from bot.rulesets.system import is_lost
from bot.storage.records import Binding
from bot.storage.store import Store
from bot.ui.common_options import PAST_GAME
from bot.ui.reply.parts import Entry, Part, Small
from bot.ui.reply.reply import GAME, WAITING, Button, Reply
from bot.ui.spec import get_server_key

MAX_EVENTS_SINCE_END = 20
"""Number of last events among which the end of a game is looked for. After it, seeds may be
revealed and links ended.
"""

MOST_SHOWN = 8
SHOWN = {"log": log.show_log, "stats": show_stats, "export": export_game, "proof": show_fairness}
"""The pages of a past game that have a button, and the function that builds each."""
LABELS = {"log": "Log", "stats": "Statistics", "export": "Export", "proof": "Proof"}


async def load_closing_sentence(store: Store, row: str, game: Game) -> str:
    """Load the sentence with which a game ended. Return "" if nobody wrote one, if it was deleted,
    or if the game has not ended.
    """
    if not game.ended:
        return ""
    first_number = max(0, game.number - MAX_EVENTS_SINCE_END)
    rows = await store.load_events(
        row, after=first_number, limit=MAX_EVENTS_SINCE_END, newest_first=True
    )
    number = next((event.number for event in rows if event.data["kind"] == "end"), 0)
    texts = await store.load_texts(row, after=number - 1, before=number + 1) if number else ()
    return next((text.text for text in texts if text.key == "text"), "")


@declare_command("game list", "All games that were played in this channel", private=True)
async def list_games(context: Context) -> Reply:
    """List the games that were played in this channel, the one that is on first.

    A game that has moved to another channel is mentioned, with a button that leads there.
    """
    channel = context.command.where
    games = sort_current_first(await load_channel_games(context.store, channel))
    moved_line, moved_buttons = await find_moved_game(context.store, channel.key)
    if not games:
        title = "No saved games here"
        line = moved_line
        if not moved_line:
            title = "Nothing has been played here yet"
            line = phrase('Start a game: `/game start lnlt "Hill 875"`')
        return Reply(title, (line,), private=True, buttons=moved_buttons)
    lines: list[Part] = [await _build_entry(context, game) for game in games[:MOST_SHOWN]]
    left_out = len(games) - MOST_SHOWN
    if left_out > 0:
        lines.append(phrase("{more} older: `/game open 1`, or by title", more=left_out))
    past_games = [game for game in games if not game.is_on]
    if past_games:
        number = past_games[0].number
        lines.append(
            phrase("`/game open {n}` shows one, `/game resume {n}` continues it", n=number)
        )
    if moved_line:
        lines.append(moved_line)
    running = ", one in progress" if games[0].is_on and not games[0].game.ended else ""
    return Reply(
        f"{format_count(len(games), 'game')} played here{running}",
        tuple(lines),
        private=True,
        buttons=moved_buttons,
    )


async def _build_entry(context: Context, channel_game: ChannelGame) -> Entry:
    """Return the entry of one game in the list, with a button that shows or resumes it."""
    game = channel_game.game
    name = "open"
    label = "Read"
    if channel_game.is_on and not game.ended:
        label = "Status"
    elif game.started and not game.ended:
        name = "resume"
        label = "Resume"
    system = context.systems.get(game.system)
    about = system.title.partition(" (")[0] if system is not None else ""
    text = format_status(channel_game, context.systems)
    sentence = await load_closing_sentence(context.store, channel_game.row, game)
    if sentence:
        text = f"{text} · {sentence}"
    title = f"{channel_game.number}. {channel_game.title}"
    return Entry(title, about, text, f"{name}:{channel_game.row}", label)


@declare_command(
    "game open",
    "Read a game that was played here",
    PAST_GAME,
    example="1",
    private=True,
    needs_game=True,
)
@declare_button("open", private=True)
async def show_past_game(context: Context, row: str | None = None) -> Reply:
    """Show the status of one of the channel's games to the user alone.

    It has buttons for the game's log, statistics, export and proof. See `_choose_past_game` for
    which game. Raises UserError if there is none.
    """
    past_game = await _choose_past_game(context, row)
    await use_game(context, past_game)
    status = await _build_status(context, asks=past_game.is_on)
    person = context.actor.person
    own_sealed = [number for number, roller in past_game.game.sealed.items() if roller == person]
    buttons = [
        *status.buttons,
        *(context.build_button("read", label, page) for page, label in LABELS.items()),
        *(context.build_button("reveal", f"Open #{number}", number) for number in own_sealed[:5]),
    ]
    title = status.title
    if not past_game.is_on or past_game.game.ended:
        buttons.append(Button(f"resume:{past_game.row}", "Resume", "primary"))
        status_text = format_status(past_game, context.systems)
        title = f"{past_game.title}: {status_text.rpartition(' · #')[0] or status_text}"
    lines = status.lines
    sentence = await load_closing_sentence(context.store, past_game.row, past_game.game)
    if sentence:
        lines = (sentence, *lines)
    if not past_game.is_on:
        lines = (*lines, phrase("Or type: `/log game={number}`", number=past_game.number))
    return Reply(
        title, lines, footer=status.footer, private=True, buttons=tuple(buttons), menus=status.menus
    )


@declare_button("read", of=ButtonOf.GAME, private=True, in_earlier_games=True)
async def press_past_game_button(context: Context, page: str) -> Reply:
    """Show a page of the game to the user alone: `log`, `stats`, `export` or `proof`.

    Raises UserError for another page.
    """
    if page not in SHOWN:
        raise UserError("There is no such button here.", code="unknown-button")
    path = {"log": ("log",), "proof": ("fair", "show")}.get(page, ("game", page))
    reply = await SHOWN[page](replace_command(context, path, {}))
    return replace(reply, private=True)


async def _choose_past_game(context: Context, row: str | None) -> ChannelGame:
    """Return the game with the id `row` of a button, or the game that was typed.

    Without either, return the last updated game that was put aside or has ended; a started game
    goes before free play. Raises UserError if there is none.
    """
    games = await load_channel_games(context.store, context.command.where)
    if row is not None:
        return find_game_by_row(games, row)
    typed = context.clean_options()["game"]
    if typed:
        return find_game(games, typed)
    candidates = [game for game in sort_current_first(games) if not game.is_on or game.game.ended]
    if not candidates:
        raise UserError(
            "No other games were played here.",
            hint=phrase("`/game list` shows them all."),
            code="unknown-game",
        )
    return next((game for game in candidates if game.game.started), candidates[0])


@declare_command(
    "game resume",
    "Resume a game that was played here",
    PAST_GAME,
    example="1",
    needs_game=True,
)
@declare_button("resume")
async def resume_game(context: Context, row: str | None = None) -> Reply:
    """Resume a game with its own log and dice. The game that is on here is put aside.

    See `_choose_past_game` for which game. Raises UserError if it is on already, for a user who
    may not put the present game aside, and for a stranger to the resumed game.
    """
    past_game = await _choose_past_game(context, row)
    if past_game.is_on and not past_game.game.ended:
        raise UserError(
            f"{past_game.title} is the game in progress here.", hint="Just play.", code="game-on"
        )
    current_game = context.ledger.loaded
    is_game_on = bool(context.ledger.row) and context.game.started and not context.game.ended
    if is_game_on and not past_game.is_on:
        need_director(context.game, context.actor, f"pause {format_game_name(context.game)}")
    channels = await _list_channels_to_resume(context, past_game)
    replaced_lines = () if past_game.is_on else describe_replaced_game(current_game)
    ledger = Ledger(past_game.loaded, context.ledger.writer, context.systems)
    _need_participant(context, ledger)
    _need_unconfirmed(past_game.game)
    ledger.add("resume", replace(past_game.game, ended=False, winner=""))
    context.ledger = ledger
    if ledger.game.counted:
        await store_played(context, COUNTING)
    if not past_game.is_on:
        current_row = current_game.row if current_game is not None else None
        for channel in channels:
            is_last = channel == channels[-1]
            server = get_server_key(channel)
            context.commit.bindings.append(
                Binding(channel, past_game.row, current_row, server, alone=is_last)
            )
    game = ledger.game
    lines: list[str] = []
    buttons: tuple[Button, ...] = ()
    if game.started:
        lines.append(f"{format_headline(game, context.system)}.")
        brief = str(get_phase(game, context.system).get("brief") or "")
        if brief:
            lines.append(brief)
        buttons = (*build_phase_buttons(context), *build_add_units_buttons(context))
    lines += replaced_lines
    reply = Reply(
        f"{context.user_name} resumes {format_game_name(past_game.game)}",
        tuple(lines),
        buttons=buttons,
    )
    post_in_other_channels(context, dict.fromkeys(channels, reply))
    return reply


def _need_unconfirmed(game: Game) -> None:
    """Raise UserError for a game with a confirmed result."""
    if game.confirmed:
        raise UserError(
            f"The result of {format_game_name(game)} is confirmed.",
            hint=phrase("Strike it first: `/result strike`"),
            code="no-result",
        )


async def _list_channels_to_resume(context: Context, past_game: ChannelGame) -> tuple[str, ...]:
    """Return the channels that play the game once it is resumed: this one, and those that are
    linked with it.

    Raises UserError if the game was never played in one of them, because nobody there agreed to it.
    """
    current_channel = context.command.where.key
    channels = (current_channel,) if past_game.is_on else context.ledger.places
    for channel in channels:
        if channel == current_channel:
            continue
        history = await context.store.load_game_history(channel)
        if past_game.row not in [row for _, row in history]:
            raise UserError(
                "This channel is linked with others, where that game was never played.",
                hint=phrase("End the link first: `/game link off`"),
                code="linked",
            )
    return tuple(dict.fromkeys((current_channel, *channels)))


def _need_participant(context: Context, ledger: Ledger) -> None:
    """Raise UserError if the game has sides and the user neither plays one nor directs it."""
    game = ledger.game
    if not game.started or not game.sides:
        return
    actor = get_actor(game, ledger.find_person(), manager=context.command.who.manager)
    if actor.side or actor.directs:
        return
    manager_word = get_manager_word(context.command.where.key)
    raise UserError(
        f"Only the players of {format_game_name(game)} can resume it.",
        hint=f"Ask one of its players, or a {manager_word}.",
        code="not-player",
    )


@declare_command("game status", "The game's sides, turn, phase and dice", private=True)
async def show_status(context: Context) -> Reply:
    """Show the status of the game to the user alone: sides, move, open matters, settings and
    dice, with buttons for the questions that wait for the user.

    Raises UserError if no game is played here.
    """
    return await _build_status(context, asks=True)


async def _build_status(context: Context, *, asks: bool) -> Reply:
    """Return the status of the game. If it `asks`, it has the questions that wait for the user.

    Raises UserError if no game is played here.
    """
    game = context.need_game()
    title = f'"{game.name}"' if game.started else "Free play"
    phase = "the game has ended" if game.ended else format_numbered_phase(game, context.system)
    if phase:
        title = f"{title}: {phase}"
    lines = _list_sides_and_people(context)
    if game.go and not game.ended:
        lines.append(_format_side_to_play(context))
    questions = await list_open_questions(context) if asks else []
    lines += _list_questions(questions)
    lines += _list_open_matters(context)
    lines += _list_settings(context)
    if len(context.ledger.places) > 1:
        lines += await _list_linked_channels(context)
    if not game.ended:
        lines += await _list_what_is_due(context)
    system_title = context.system.title if context.system is not None else ""
    return Reply(
        title,
        tuple(lines),
        by=system_title if system_title != game.name else "",
        footer=(f"#{game.number}",),
        private=True,
        tone=WAITING if questions else GAME,
        buttons=(*collect_buttons(questions), *build_add_units_buttons(context)),
        menus=tuple(menu for question in questions for menu in question.menus),
    )


def _list_settings(context: Context) -> list[Part]:
    """Return the lines on tracks, rules in force, dice and settings."""
    game = context.game
    tracks = format_tracks(game, context.system)
    rules = format_rules_in_force(context.system, game)
    answers = "in full" if game.answers == FULL else "in short"
    real_dice = "allowed" if game.hand_dice else "not allowed"
    dice = (
        f"Dice: seed {game.epoch}, commitment {game.commitment[:16]}; "
        f"real dice {real_dice}; answers {answers}"
    )
    return [line for line in (tracks, rules, dice) if line]


def _list_questions(questions: list[Reply]) -> list[Part]:
    """Return a line for each question that waits for the reader, numbered if there are several."""
    if len(questions) == 1:
        return [f"Waiting for you: {questions[0].title}"]
    return [
        f"Waiting for you ({number}): {question.title}"
        for number, question in enumerate(questions, 1)
    ]


async def _list_what_is_due(context: Context) -> list[Part]:
    """Return the lines on what has to be rolled, and on what to remember in the present phase."""
    game = context.game
    lines = list[Part]()
    if game.started:
        lines += await list_owed(context)
    lines += [call.line for call in await list_calls(context)]
    lines += [Small(reminder) for reminder in list_reminders(game, context.system)]
    return lines


def _list_sides_and_people(context: Context) -> list[Part]:
    """Return a line for each side, and for units without a side, the game master, and persons who
    are known from an imported file only.
    """
    game = context.game
    lines: list[Part] = [_format_side(context, side) for side in game.sides]
    fighting_units = [unit for unit in game.units.values() if not is_lost(unit, context.system)]
    without_side = [unit for unit in fighting_units if unit.side not in game.sides]
    if without_side:
        lines.append(f"{count_units(len(without_side))} without a side")
    if game.master:
        lines.append(f"Game master: {context.ledger.get_name(game.master)}")
    if game.counted:
        players = " v ".join(map(context.ledger.get_name, game.counted))
        result = f"; result confirmed in #{game.confirmed}" if game.confirmed else ""
        lines.append(f"It counts: {players}{result}")
    unclaimed = context.ledger.list_unclaimed_names()
    if unclaimed:
        lines.append(
            phrase(
                "Players known only from the imported file: {unclaimed}. Is one of them you? `/game claim`",
                unclaimed=unclaimed,
            )
        )
    return lines


def _format_side_to_play(context: Context) -> str:
    """Return the sides that are to play with their players, and who has passed."""
    game = context.game
    sides = describe_whose_go(game)
    if not is_drawn_next(game):
        sides = ", ".join(f"{side} ({_list_players_of(context, side)})" for side in game.go)
    passes = format_passes(game, context.system)
    return f"To play: {sides}; {passes}" if passes else f"To play: {sides}"


def _list_players_of(context: Context, side: str) -> str:
    """Return the names of a side's players, or the words for a side without one."""
    players = ", ".join(context.ledger.list_players(side))
    return players or describe_no_player(context.game, side)


def _list_open_matters(context: Context) -> list[Part]:
    """Return a line each for choices that others have to make, the initiative, sealed rolls and undone events."""
    game = context.game
    lines: list[Part] = []
    for number, choice in game.waits.items():
        if not can_choose(context, choice):
            lines.append(f"#{number} is waiting for {choice['side']}: {choice['ask']}")
    if game.initiative:
        lines.append(f"{game.initiative} has the initiative.")
    if game.sealed:
        rolls = [
            f"#{number} by {context.ledger.get_name(person)}"
            for number, person in game.sealed.items()
        ]
        lines.append(f"Sealed: {', '.join(rolls)}")
    if game.redo:
        undone = ", ".join(f"#{number}" for number in reversed(game.redo))
        lines.append(phrase("Undone: {undone} (`/game redo`)", undone=undone))
    return lines


async def _list_linked_channels(context: Context) -> list[Part]:
    """Return the channels that play the game, and how to end the link of this one."""
    channels = context.ledger.places
    current_channel = context.command.where
    names = {
        **await load_place_names(context.store, channels),
        current_channel.key: current_channel.name,
    }
    channel_list = list_places(channels, names, current_channel.key)
    return [
        f"Played in {channel_list}; each sees every roll made in the others.",
        phrase("To unlink this channel, type: `/game link off`"),
    ]


def _format_side(context: Context, side: str) -> str:
    """Return `US: anna, ben; 7 units, 2 lost`. Lost units are not among the 7."""
    units = [unit for unit in context.game.units.values() if unit.side == side]
    lost_count = sum(is_lost(unit, context.system) for unit in units)
    players = _list_players_of(context, side)
    lost_text = f", {lost_count} lost" if lost_count else ""
    return f"{side}: {players}; {count_units(len(units) - lost_count)}{lost_text}"
