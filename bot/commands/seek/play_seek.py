"""`/seek play` and the button *Play*: start the game of a seek with both of its players."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from bot.commands.answer_footer import add_footer, store_first_line
from bot.commands.by_post.reminders import WISHES, ReminderSettings
from bot.commands.context import Context, build_play_facts
from bot.commands.declare import declare_button, declare_command
from bot.commands.games.result.count import CONFIRMED_LATER, record_count
from bot.commands.games.result.result_docs import store_played
from bot.commands.games.start_and_join import NewGame, read_new_game, set_up_game, take_side
from bot.commands.ladder.ladder_docs import COUNTING
from bot.commands.membership import has_left_channel
from bot.commands.seek.open_seeks import Seek, close_seek, load_prepared_seed, load_seek
from bot.commands.turns.turn_card import build_phase_buttons, count_buttons_across
from bot.game.ledger import Ledger
from bot.preferences.ladder_setting import is_ladder_on
from bot.preferences.place_names import build_channel_button
from bot.presentation.play_record import apply_play_record
from bot.presentation.roll import roll_dice
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.line import Line
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.storage.records import Outgoing
from bot.ui.reply.parts import Part
from bot.ui.reply.reply import OVER, Reply
from bot.ui.spec import Person, Place

REMINDER_HOURS = {"daily": 4, "weekly": 24}
"""Hours between two reminders at each pace that has reminders."""
SIDE_DIE = "1d2"
THREAD_SECONDS = 2.0
"""Seconds that a platform has to make a thread. After that the game is played in the channel."""


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
        context.pressed_topic = seek.topic
    return await play(context, seek, on_card=not origin)


async def play(context: Context, seek: Seek, *, on_card: bool = False) -> Reply:
    """Start the game of a seek, with its writer as game master and both players at their sides.

    It is played in this channel, or with `on_card` in a thread of the card, if there can be one.
    The writer has agreed to that by the seek. If they have left the server, close the seek instead.
    Raises UserError for its writer, and while another game is on here and there is no thread.
    """
    player = context.command.who
    if seek.writer == player.key:
        raise UserError(
            "This is your own seek, so somebody else has to accept it.",
            hint=phrase("To end it: `/seek withdraw {id}`", id=seek.id),
            code="not-yours",
        )
    if await has_left_channel(context, seek.writer, seek.channel):
        await close_seek(context, seek, f"{seek.name} has left")
        return Reply(f"{seek.name} has left, so this seek has ended", private=True, tone=OVER)
    await context.use_systems_of_game(None)
    new_game = _read_sought_game(context, seek)
    channel = context.command.where
    thread = await _open_thread(context, seek) if on_card else None
    if thread is not None:
        context.ledger = Ledger(None, context.ledger.writer, context.systems)
        context.command = replace(context.command, where=thread)
    elif context.ledger.row and context.game.started and not context.game.ended:
        hint = phrase("In a free channel or thread, type: `/seek play {id}`", id=seek.id)
        raise UserError(f'"{context.game.name}" is being played here.', hint=hint, code="game-on")
    card = await _start_game(context, seek, new_game, player)
    game_buttons = [
        button._replace(label="Open the game")
        for button in build_channel_button(context.command.where.key, "", channel.key)
    ]
    await close_seek(context, seek, f"{player.name} plays it", *game_buttons)
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
        buttons=tuple(game_buttons),
    )


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
    """Make a thread of the pressed card, and return it.

    Return None if there can be none, or if a game is played in it already.
    """
    channel = context.command.where
    platform = channel.key.partition(":")[0]
    spot = context.command.delivery.get("pressed")
    open_thread = context.threads.get(platform)
    if open_thread is None or channel.parent is not None or not isinstance(spot, Mapping):
        return None
    try:
        opening = open_thread(channel.key, dict(spot), seek.title)
        key = await asyncio.wait_for(opening, THREAD_SECONDS)
    except TimeoutError:
        return None
    if not key or await context.store.load_game_version(key) is not None:
        return None
    return Place(key, channel.server, parent=channel)


async def _start_game(context: Context, seek: Seek, new_game: NewGame, player: Person) -> Reply:
    """Start the game of a seek where the command is, and return its first card.

    Its writer starts it, and both players take their sides.
    """
    writer = Person(seek.writer, seek.name)
    prepared = await load_prepared_seed(context, seek)
    context.act_as(writer)
    series = prepared.game if seek.series and prepared is not None else ""
    game_lines = await set_up_game(context, new_game, prepared=prepared, series=series)
    asker = context.ledger.find_person()
    context.act_as(player)
    is_counted = seek.counts and await is_ladder_on(context.store, seek.server)
    if is_counted:
        record_count(context, asker)
    sides_line, writer_side = _assign_sides(context, seek)
    first, second = seek.sides
    context.act_as(writer)
    take_side(context, writer_side)
    context.act_as(player)
    take_side(context, second if writer_side == first else first)
    if is_counted:
        await store_played(context, COUNTING)
        sides_line.append(f"It counts. {CONFIRMED_LATER}")
    if seek.series:
        sides_line.append("The return game, with sides swapped, comes after it.")
    lines = [*sides_line, *game_lines, *await _set_reminders(context, seek, player)]
    buttons = [*build_phase_buttons(context, folded=True), context.build_proof_button()]
    system = new_game.system
    return Reply(
        f'{player.name} and {seek.name} play "{new_game.name}"',
        tuple(lines),
        by=system.title if new_game.name != system.title else "",
        buttons=tuple(buttons),
        across=count_buttons_across(buttons),
        mention=(seek.writer,),
    )


def _assign_sides(context: Context, seek: Seek) -> tuple[list[Part], str]:
    """Return the line on who plays which side, and the side of the seek's writer.

    A die of the game, which its log proves, draws the sides unless the writer has chosen one.
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
    event = context.ledger.add(record.kind, game_after, texts={"label": label}, **facts)
    value = record.dice[0].value
    side = seek.sides[int(value) - 1]
    other = second if side == first else first
    result = f"{seek.name} plays {side}, {context.user_name} plays {other} (#{event['number']})"
    return [Line(f"Sides, {SIDE_DIE}", (value,), result=result)], side


async def _set_reminders(context: Context, seek: Seek, player: Person) -> list[Part]:
    """Set reminders that match the pace for the players who have set none, and return the line on
    that.
    """
    hours = REMINDER_HOURS.get(seek.pace)
    if hours is None:
        return []
    names = []
    for user, name in ((seek.writer, seek.name), (player.key, player.name)):
        if await context.store.load_doc(WISHES, user) is None:
            context.commit.docs.append(ReminderSettings(interval=hours).build_doc(user))
            names.append(name)
    if not names:
        return []
    line = phrase(
        "Reminders for {names}: every {hours} hours while it's their move. To change yours: `/me ping`",
        names=join_names(names),
        hours=str(hours),
    )
    return [line]
