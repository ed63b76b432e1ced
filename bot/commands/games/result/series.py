"""The return game: the same two players play the same game again, with sides swapped.

*Play the return game* is under a confirmed result, and under the end of a first game of a series
that does not count. If both agreed to a series when they found each other, it starts at once;
otherwise the opponent agrees or declines, by a button or with `/result return`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.commands.channel_games import use_named_game
from bot.commands.context import Amendment, Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.games.result.count import CONFIRMED_LATER, record_count
from bot.commands.games.result.other_game import RETURN_PLAYED
from bot.commands.games.result.read_log import load_start, read_play
from bot.commands.games.result.result_docs import (
    get_user,
    list_ladder_servers,
    store_played,
)
from bot.commands.games.start_and_join import NewGame, read_new_game, set_up_game, take_side
from bot.commands.ladder.ladder_docs import COUNTING
from bot.commands.requests import PendingRequest, load_open_request
from bot.commands.turns.mentions import call_users
from bot.commands.turns.turn_card import (
    build_add_units_buttons,
    build_phase_buttons,
    count_buttons_across,
    remove_buttons,
)
from bot.game.ledger import Ledger
from bot.game.results import CountedPlay
from bot.game.state import Json
from bot.loading.load_game import restore_game
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.runtime.entropy import create_id
from bot.storage.base import DAY
from bot.storage.records import Doc
from bot.ui.common_options import PAST_GAME, build_flag
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import OVER, WAITING, Button, Reply
from bot.ui.spec import Person

RETURN = "returngame"
"""The name of the button *Play the return game*."""
RETURN_GAME = "return-game"
"""The kind of the document that a return game may be played, by the id of the first game."""
RETURN_ASKED = "return-asked"
"""The kind of the document of an open request for a return game, by the id of the first game."""
OFFER_KEPT = 90 * DAY
"""Seconds after which the return game can no longer be started."""


@dataclass(frozen=True, slots=True)
class FirstGame:
    """A game that has ended, and what its return game needs to know."""

    id: str
    topic: str
    """The topic of the message with the button."""
    options: Mapping[str, Any]
    """The options of `/game start` that start the same game."""
    sides: Mapping[str, str]
    """The sides of its two players, by user."""
    names: Mapping[str, str]
    """The names of everybody in it, by user."""
    counts: bool
    is_series: bool
    """Whether both players agreed to a return game beforehand."""


async def offer_return(context: Context, start: Json, play: CountedPlay) -> list[Button]:
    """Return the button *Play the return game*, and store that it may be played, once.

    `start` is the first event of the game, `play` what its log says of the two players. No button
    is returned after a return game, if there was one already, and if one of the two is not known.
    """
    game = context.game
    is_return = start.get("series", game.id) != game.id
    if is_return or await context.store.load_doc(RETURN_PLAYED, game.id) is not None:
        return []
    if not _find_sides(context, play):
        return []
    expires = context.now + OFFER_KEPT
    server = context.command.where.server
    doc = Doc(RETURN_GAME, game.id, {"number": game.number}, expires, server)
    context.commit.docs.append(doc)
    return [context.build_button(RETURN, "Play the return game")]


def _find_sides(context: Context, play: CountedPlay) -> dict[str, str]:
    """Return the sides of the two players by the keys of their users.

    Return {} if they did not play the two sides, or if one of them is not known here.
    """
    sides = {get_user(context, person): side for person, side in play.sides.items()}
    if "" in sides or sorted(sides.values()) != sorted(context.game.sides):
        return {}
    return sides


async def withdraw_return(context: Context) -> None:
    """Take back the offer of a return game, because the result was struck."""
    if await context.store.load_doc(RETURN_GAME, context.game.id) is not None:
        context.commit.drop_docs.append((RETURN_GAME, context.game.id))
    request = await context.store.load_doc(RETURN_ASKED, context.game.id)
    if request is not None:
        _build_request(request).close_with_note(context, "The result was struck")
    topic = context.build_topic(context.game.confirmed)
    context.amendments.append(Amendment(topic, lambda reply: remove_buttons(reply, (RETURN,))))


@declare_command(
    "result return",
    "Play the return game with sides swapped, if your opponent agrees",
    build_flag("decline", "say no to your opponent's request, or withdraw your own"),
    PAST_GAME,
    title="Play the return game",
    verb="Play",
    needs_game=True,
)
async def type_return(context: Context) -> Reply:
    """Ask for the return game of this channel's game, or of the game that was typed; agree to what
    the opponent asked, or decline it.

    Raises UserError as `ask_for_return` and `decline_return` do.
    """
    options = context.clean_options()
    await use_named_game(context, options["game"])
    if options["decline"]:
        return await decline_return(context)
    return await ask_for_return(context)


@declare_button(RETURN, of=ButtonOf.GAME, in_earlier_games=True)
async def press_return(context: Context) -> Reply:
    """Ask for the return game by the button under the result; see `ask_for_return`."""
    return await ask_for_return(context)


async def ask_for_return(context: Context) -> Reply:
    """Start the return game of the game that has ended, or ask the opponent to agree to it.

    If the opponent has asked for it, this agrees. Raises UserError for anybody but the two players,
    and if it was started already.
    """
    first = await _load_first_game(context)
    context.pressed_topic = context.pressed_topic or first.topic
    user = context.command.who
    opponent = _find_opponent(first, user.key)
    if first.is_series:
        return await _start_return_game(context, first, user)
    request = await context.store.load_doc(RETURN_ASKED, first.id)
    if request is not None and request.owner == opponent:
        return await _start_return_game(context, first, Person(opponent, first.names[opponent]))
    await _need_free_channel(context)
    id = create_id()
    topic = context.build_topic(f"return-{id}")
    data = {"id": id, "topic": topic}
    expires = context.now + OFFER_KEPT
    _build_request(Doc(RETURN_ASKED, first.id, data, expires, user.key)).register(context)
    context.about = topic
    return Reply(
        _describe_request(context, user.name),
        (
            f"{first.names[opponent]} would play {first.sides[user.key]}, "
            f"and {user.name} {first.sides[opponent]}.",
            Small(phrase("Press Agree or type `/result return`.")),
        ),
        tone=WAITING,
        buttons=_build_buttons(context, id),
        mention=await call_users(context, [opponent]),
    )


def _describe_request(context: Context, name: str) -> str:
    """Return the sentence with which the player `name` asks."""
    return f'{name} asks for a return game of "{context.game.name}"'


def _build_buttons(context: Context, id: str) -> tuple[Button, ...]:
    """Return the buttons that answer the request with this id."""
    return (
        context.build_button("returnagree", "Agree", id, style="good"),
        context.build_button("returnrefuse", "No", id),
    )


async def find_return_question(context: Context) -> Reply | None:
    """Return the open request for a return game, if the user is asked, or None."""
    doc = await context.store.load_doc(RETURN_ASKED, context.game.id)
    user = context.command.who.key
    if doc is None or doc.owner == user:
        return None
    try:
        first = await _load_first_game(context)
    except UserError:  # it was started already
        return None
    if user not in first.sides:
        return None
    title = _describe_request(context, first.names[doc.owner])
    return Reply(title, buttons=_build_buttons(context, str(doc.data["id"])))


@declare_button("returnagree", of=ButtonOf.GAME, in_earlier_games=True)
async def agree_to_return(context: Context, id: str) -> Reply:
    """Start the return game that the opponent asked for.

    Raises UserError for the player who asked and for strangers, and for a request that is no longer
    open.
    """
    first = await _load_first_game(context)
    asker = (await _load_open_request(context, id=id)).owner
    if _find_opponent(first, context.command.who.key) != asker:
        raise UserError("Your opponent has to agree.", code="not-yours")
    return await _start_return_game(context, first, Person(asker, first.names[asker]))


@declare_button("returnrefuse", of=ButtonOf.GAME, in_earlier_games=True)
async def refuse_return(context: Context, id: str) -> Reply:
    """Decline the return game by the button *No*; see `decline_return`."""
    await _load_open_request(context, id=id)
    return await decline_return(context)


async def decline_return(context: Context) -> Reply:
    """Close the request for the return game, which the opponent declines or the player who asked
    withdraws.

    Raises UserError for anybody but the two players, and if no request is open.
    """
    doc = await _load_open_request(context)
    first = await _load_first_game(context)
    user = context.command.who
    _find_opponent(first, user.key)
    note = f"{user.name} withdraws it" if doc.owner == user.key else f"{user.name} says no"
    _build_request(doc).close_with_note(context, note)
    return Reply(f'No return game of "{context.game.name}"', (f"{note}.",), tone=OVER)


async def _load_open_request(context: Context, **expected: object) -> Doc:
    """Return the open request for the return game of the channel's game.

    Raises UserError if there is none, or if its data differ from the `expected` values.
    """
    key = context.need_game().id
    return await load_open_request(context, RETURN_ASKED, key, "result return", **expected)


async def _load_first_game(context: Context) -> FirstGame:
    """Return what is stored for the return game. Raises UserError if it was started already."""
    game = context.need_game()
    doc = await context.store.load_doc(RETURN_GAME, game.id)
    sides = _find_sides(context, await read_play(context))
    if doc is None or not sides:
        raise UserError("The return game can no longer be started.", code="not-asked")
    start = await load_start(context)
    scenario = str(start.get("scenario", ""))
    options = {
        "system": None if "/" in scenario else game.system,
        "scenario": scenario or None,
        "name": game.name,
        "sides": "" if scenario else ", ".join(game.sides),
        "carry": None,
    }
    return FirstGame(
        id=game.id,
        topic=context.build_topic(doc.data["number"]),
        options=options,
        sides=sides,
        names={row.user: row.name for row in context.ledger.persons.values()},
        counts=bool(game.counted),
        is_series="series" in start,
    )


def _find_opponent(first: FirstGame, user: str) -> str:
    """Return the key of the user's opponent. Raises UserError for anybody but the two players."""
    if user not in first.sides:
        raise UserError("Only the two players of that game can do this.", code="not-yours")
    return next(other for other in first.sides if other != user)


async def _need_free_channel(context: Context) -> None:
    """Switch to the game that this channel plays now, which must be over. Raises UserError if it
    goes on.
    """
    saved = await context.store.load_game(context.command.where.key)
    loaded = restore_game(saved) if saved is not None else None
    if loaded is not None and loaded.game.started and not loaded.game.ended:
        raise UserError(
            f'"{loaded.game.name}" is being played here.',
            hint=phrase("Press the button again once it is over: `/game end`"),
            code="game-on",
        )


async def _start_return_game(context: Context, first: FirstGame, asker: Person) -> Reply:
    """Start the return game in this channel, and return its first card.

    `asker` asked for it and is its game master. The other player has agreed, by the seek of both
    games or just now.
    """
    await _need_free_channel(context)
    opponent_key = _find_opponent(first, asker.key)
    opponent = Person(opponent_key, first.names[opponent_key])
    saved = await context.store.load_game(context.command.where.key)
    current = restore_game(saved) if saved is not None else None
    context.commit.drop_docs.append((RETURN_GAME, first.id))
    request = await context.store.load_doc(RETURN_ASKED, first.id)
    if request is not None:
        _build_request(request).close_with_note(context, f"{opponent.name} agrees")
    context.amendments.append(
        Amendment(first.topic, lambda reply: remove_buttons(reply, (RETURN,)))
    )
    context.ledger = Ledger(current, context.ledger.writer, context.systems)
    await context.use_systems_of_game(None)
    new_game = _read_game(first, context)
    presser = context.command.who
    context.act_as(asker)
    game_lines = await set_up_game(context, new_game, series=first.id)
    played = {"game": context.game.id, "row": context.ledger.row}
    server = context.command.where.server
    context.commit.docs.append(Doc(RETURN_PLAYED, first.id, played, None, server))
    person = context.ledger.find_person()
    context.act_as(opponent)
    is_counted = first.counts and bool(await list_ladder_servers(context))
    if is_counted:
        record_count(context, person)
    for player, side in ((asker, first.sides[opponent_key]), (opponent, first.sides[asker.key])):
        context.act_as(player)
        take_side(context, side)
    context.act_as(presser)
    sides_line = (
        f"{asker.name} plays {first.sides[opponent_key]}, "
        f"{opponent.name} plays {first.sides[asker.key]}."
    )
    if is_counted:
        await store_played(context, COUNTING)
        sides_line = f"{sides_line} It counts. {CONFIRMED_LATER}"
    buttons = [
        *build_add_units_buttons(context),
        *build_phase_buttons(context, folded=True),
        context.build_proof_button(),
    ]
    return Reply(
        f'{asker.name} and {opponent.name} play the return game of "{new_game.name}"',
        (sides_line, *game_lines),
        buttons=tuple(buttons),
        across=count_buttons_across(buttons),
        mention=tuple(user for user in (asker.key, opponent_key) if user != presser.key),
    )


def _build_request(doc: Doc) -> PendingRequest:
    return PendingRequest(doc, (str(doc.data["topic"]),), "a return game")


def _read_game(first: FirstGame, context: Context) -> NewGame:
    """Return the game to start. Raises UserError if it can no longer be started here."""
    try:
        return read_new_game(first.options, context.systems)
    except UserError as error:
        raise UserError(
            f"{first.options['name']} can no longer be started here.",
            hint="The game is no longer enabled, or it has changed.",
            code="not-enabled",
        ) from error
