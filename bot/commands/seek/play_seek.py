"""`/seek play` and the button *Play*: start the game of a seek with both of its players."""

from collections.abc import Mapping
from dataclasses import replace

from bot.commands.answer_footer import add_footer, store_first_line
from bot.commands.by_post.reminders import load_reminder_settings
from bot.commands.context import Context, build_play_facts
from bot.commands.declare import declare_button, declare_command
from bot.commands.games.result.count import CONFIRMED_LATER, record_count
from bot.commands.games.result.result_docs import store_played
from bot.commands.games.start_and_join import NewGame, read_new_game, set_up_game, take_side
from bot.commands.ladder.ladder_docs import COUNTING
from bot.commands.membership import has_left_channel
from bot.commands.seek.game_channels import (
    GameChannel,
    find_game_channel,
    link_game,
    open_card_thread,
)
from bot.commands.seek.open_seeks import (
    Seek,
    close_seek,
    load_prepared_seed,
    load_seek,
    need_server,
)
from bot.commands.turns.turn_card import (
    build_add_units_buttons,
    build_phase_buttons,
    count_buttons_across,
)
from bot.game.ledger import Ledger
from bot.preferences.ladder_setting import is_ladder_on
from bot.preferences.place_names import build_channel_button, name_place
from bot.preferences.platform_words import get_server_word
from bot.preferences.shared_seeks import is_server_away
from bot.presentation.play_record import apply_play_record
from bot.presentation.roll import roll_dice
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.line import Line
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.storage.records import Outgoing
from bot.ui.reply.parts import Part
from bot.ui.reply.reply import OVER, Button, Reply
from bot.ui.spec import Person, Place

REMINDER_HOURS = {"daily": 4, "weekly": 24}
"""Hours between two reminders at each pace that has reminders."""
SIDE_DIE = "1d2"


@declare_command(
    "seek play",
    "Accept a seek and start its game here",
    Option("id", "str", "the id on its card"),
    title="Accept a seek",
    verb="Play",
    needs_game=True,
)
async def type_play(context: Context) -> Reply:
    """Start the game of the seek with the typed id in this channel; see `play`."""
    return await play(context, await load_seek(context, context.clean_options()["id"]))


@declare_button("seekplay")
async def press_play(context: Context, id: str, origin: str) -> Reply:
    """Start the game of a seek by the button *Play*; see `play`.

    `origin` is empty if the button is on the seek's card. Then the game is played in a thread of
    the card, if there can be one, else in this channel.
    """
    seek = await load_seek(context, id)
    if not origin:
        context.pressed_topic = seek.get_topic(need_server(context))
    return await play(context, seek, on_card=not origin)


async def play(context: Context, seek: Seek, *, on_card: bool = False) -> Reply:
    """Start the game of a seek, with its writer as game master and both players at their sides.

    It is played in this channel, or with `on_card` in a thread of the card, if there can be one. If
    the seek is from a linked server, it is played from both: see `_play_across_servers`. The writer
    has agreed to that by the seek. If they have left the server, close the seek instead. Raises
    UserError for its writer, while another game is on here and there is no thread, and if the
    writer's server has removed the bot.
    """
    player = context.command.who
    if seek.writer == player.key:
        raise UserError(
            "This is your own seek, so somebody else has to accept it.",
            hint=phrase("To end it: `/seek withdraw {id}`", id=seek.id),
            code="not-yours",
        )
    if await is_server_away(context.store, seek.server):
        word = get_server_word(seek.channel)
        raise UserError(
            f"{seek.name}'s {word} has removed the bot, so this can't be played right now.",
            hint=phrase("Others who are looking for an opponent: `/seek list`"),
            code="nobody",
        )
    if await has_left_channel(context, seek.writer, seek.channel):
        await close_seek(context, seek, f"{seek.name} has left")
        return Reply(f"{seek.name} has left, so this seek has ended", private=True, tone=OVER)
    await context.use_systems_of_game(None)
    new_game = _read_sought_game(context, seek)
    if seek.server != need_server(context):
        return await _play_across_servers(context, seek, new_game)
    return await _play_locally(context, seek, new_game, on_card=on_card)


async def _play_locally(context: Context, seek: Seek, new_game: NewGame, *, on_card: bool) -> Reply:
    """Start the game of a seek of this server; see `play`."""
    player = context.command.who
    channel = context.command.where
    thread = await _open_thread(context, seek) if on_card else None
    if thread is not None:
        context.ledger = Ledger(None, context.ledger.writer, context.systems)
        context.command = replace(context.command, where=thread)
    elif context.ledger.row and context.game.started and not context.game.ended:
        hint = phrase("In a free channel or thread, type: `/seek play {id}`", id=seek.id)
        raise UserError(f'"{context.game.name}" is being played here.', hint=hint, code="game-on")
    card = await _start_game(context, seek, new_game, player)
    game_buttons = _build_game_buttons(context.command.where, channel)
    await close_seek(context, seek, f"{player.name} plays it", {seek.server: game_buttons})
    if thread is None:
        return card
    context.command = replace(context.command, where=channel)
    card = replace(card, mention=(seek.writer, player.key))
    await store_first_line(context, card)
    card = await add_footer(context, card)
    topic = context.build_topic(context.game.number)
    context.commit.outbox.append(Outgoing(thread.key, {}, 0.0, card.to_json(), topic))
    return Reply(
        f"Your game with {seek.name} has begun",
        ("It's in the thread under the card.",),
        private=True,
        buttons=game_buttons,
    )


async def _play_across_servers(context: Context, seek: Seek, new_game: NewGame) -> Reply:
    """Start the game of a seek from a linked server, played from both servers.

    Each player reads of it on their own server. Raises UserError if it has no place on one of them.
    """
    player = context.command.who
    channel = context.command.where
    player_channel = await find_game_channel(context, seek, channel.server)
    writer_channel = await find_game_channel(context, seek, seek.server)
    context.ledger = Ledger(writer_channel.replaced_game, context.ledger.writer, context.systems)
    context.is_local = True
    card = await _start_game(context, seek, new_game, player, (writer_channel, player_channel))
    context.command = replace(context.command, where=channel)
    buttons = {
        game_channel.place.server: _build_game_buttons(game_channel.place, game_channel.place)
        for game_channel in (player_channel, writer_channel)
    }
    await close_seek(context, seek, f"{player.name} plays it", buttons)
    await store_first_line(context, card)
    card = await add_footer(context, card)
    _post_first_cards(
        context, card, {player.key: player_channel.place, seek.writer: writer_channel.place}
    )
    return Reply(
        f"Your game with {seek.name} has begun",
        (
            f"It's played from both servers. You play in {_describe_game_place(player_channel.place)}.",
        ),
        private=True,
        buttons=_build_game_buttons(player_channel.place, channel),
    )


def _post_first_cards(context: Context, card: Reply, places: Mapping[str, Place]) -> None:
    """Post the first card of a game where each of its players plays, and mention them there.

    `places` are those of the players, by user.
    """
    topic = context.build_topic(context.game.number)
    for user, place in places.items():
        [other_place] = [other for other in places.values() if other != place]
        name = name_place(other_place.key, other_place.name, place.key)
        line = f"Also played from {name}: both see every roll."
        posted = replace(card, lines=(*card.lines, line), mention=(user,))
        context.commit.outbox.append(Outgoing(place.key, {}, 0.0, posted.to_json(), topic))


def _describe_game_place(place: Place) -> str:
    """Return where a player finds a game that is played here: in the thread under the card, or in the
    channel.
    """
    if place.parent is not None:
        return "the thread under the card"
    return name_place(place.key, place.name, f"{place.server}/")


def _build_game_buttons(place: Place, channel: Place) -> tuple[Button, ...]:
    """Return the link button *Open the game* for a card or answer that is read in `channel`.

    It opens `place`, even if that is the same channel. Return () if `place` is on no server, or on
    another platform than `channel`.
    """
    buttons = build_channel_button(place.key, "", channel.key)
    return tuple(button._replace(label="Open the game") for button in buttons)


def _read_sought_game(context: Context, seek: Seek) -> NewGame:
    """Return the game of a seek. Raises UserError if it can no longer be started here."""
    try:
        return read_new_game({**seek.start_options, "carry": None}, context.systems)
    except UserError as error:
        raise UserError(
            f"{seek.title} can no longer be started here.",
            hint="The game is no longer enabled, or it has changed.",
            code="not-enabled",
        ) from error


async def _open_thread(context: Context, seek: Seek) -> Place | None:
    """Make a thread of the pressed card, and return it. Return None if there can be none."""
    spot = context.command.delivery.get("pressed")
    if not isinstance(spot, Mapping):
        return None
    return await open_card_thread(context, seek, context.command.where, spot)


async def _start_game(
    context: Context,
    seek: Seek,
    new_game: NewGame,
    player: Person,
    channels: tuple[GameChannel, GameChannel] | None = None,
) -> Reply:
    """Start the game of a seek, and return its first card.

    Its writer starts it, and both players take their sides. `channels` are those of the writer and
    of the player, if they play from two servers; otherwise both play where the command is.
    """
    writer = Person(seek.writer, seek.name)
    prepared = await load_prepared_seed(context, seek)
    writer_place = player_place = context.command.where
    if channels is not None:
        writer_place, player_place = (channel.place for channel in channels)
    _act_as(context, writer, writer_place)
    series = prepared.game if seek.series and prepared is not None else ""
    game_lines = await set_up_game(
        context,
        new_game,
        prepared=prepared,
        series=series,
        names_replaced=channels is None,
    )
    if channels is not None:
        link_game(context, *channels)
    asker = context.ledger.find_person()
    _act_as(context, player, player_place)
    is_counted = seek.counts and await is_ladder_on(context.store, seek.server)
    if is_counted:
        record_count(context, asker)
    sides_line, writer_side = _draw_sides(context, seek)
    first, second = seek.sides
    _act_as(context, writer, writer_place)
    take_side(context, writer_side)
    _act_as(context, player, player_place)
    take_side(context, second if writer_side == first else first)
    if is_counted:
        await store_played(context, COUNTING)
        sides_line.append(f"It counts. {CONFIRMED_LATER}")
    if seek.series:
        sides_line.append("The return game, with sides swapped, comes after it.")
    lines = [*sides_line, *game_lines, *await _set_reminders(context, seek, player)]
    buttons = [
        *build_add_units_buttons(context),
        *build_phase_buttons(context, folded=True),
        context.build_proof_button(),
    ]
    system = new_game.system
    return Reply(
        f'{player.name} and {seek.name} play "{new_game.name}"',
        tuple(lines),
        by=system.title if new_game.name != system.title else "",
        buttons=tuple(buttons),
        across=count_buttons_across(buttons),
        mention=(seek.writer,),
    )


def _act_as(context: Context, user: Person, place: Place) -> None:
    """Record what follows as done by this user in this place. They have agreed to it beforehand."""
    context.act_as(user)
    context.command = replace(context.command, where=place)


def _draw_sides(context: Context, seek: Seek) -> tuple[list[Part], str]:
    """Return the line on who plays which side, and the side of the seek's writer.

    If the writer has not chosen a side, roll a die of the game for it, and log the roll, so that
    the log proves it. The user is to play the other side. The caller lets both take their sides.
    """
    first, second = seek.sides
    if seek.side:
        other = second if seek.side == first else first
        return [f"{seek.name} plays {seek.side}, {context.user_name} plays {other}."], seek.side
    label = f"sides: 1 and the seeker plays {first}, 2 and the seeker plays {second}"
    options = {"dice": SIDE_DIE, "label": label}
    _, record = roll_dice(options, context.user_name, context.get_dice())
    facts = build_play_facts(context, ("roll",), record, ())
    game_after = apply_play_record(context.game, record, context.systems)
    event = context.ledger.add(record.kind, game_after, texts={"label": label}, final=True, **facts)
    value = record.dice[0].value
    side = seek.sides[int(value) - 1]
    other = second if side == first else first
    result = f"{seek.name} plays {side}, {context.user_name} plays {other} (#{event['number']})"
    return [Line(f"Sides, {SIDE_DIE}", (value,), result=result)], side


async def _set_reminders(context: Context, seek: Seek, player: Person) -> list[Part]:
    """Set reminders that match the pace for the players who have set none, and return the line on
    that.

    Return no line if both have set some, or if the pace has no reminders.
    """
    hours = REMINDER_HOURS.get(seek.pace)
    if hours is None:
        return []
    names = []
    for user, name in ((seek.writer, seek.name), (player.key, player.name)):
        settings = await load_reminder_settings(context.store, user)
        if not settings.is_chosen:
            settings = settings._replace(interval=hours, is_chosen=True)
            context.commit.docs.append(settings.build_doc(user))
            names.append(name)
    if not names:
        return []
    line = phrase(
        "Reminders for {names}: every {hours} hours while it's their move. To change yours: `/me ping`",
        names=join_names(names),
        hours=str(hours),
    )
    return [line]
