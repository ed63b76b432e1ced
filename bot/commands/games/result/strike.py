"""`/result strike`: a confirmed result that was wrong is taken back.

Both players agree on that, or a manager who has no part in the game decides it, with a reason for
the log. The game has ended as before, and can be resumed, ended and confirmed again.
"""

from dataclasses import replace

from bot.commands.channel_games import use_named_game
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.games.result.confirm import (
    CONFIRM,
    REASON,
    need_deciding_manager,
    need_reason,
)
from bot.commands.games.result.other_game import build_manager_texts
from bot.commands.games.result.read_log import list_own_persons, read_play
from bot.commands.games.result.result_docs import drop_result, get_user
from bot.commands.games.result.series import withdraw_return
from bot.commands.requests import PendingRequest, load_open_request
from bot.commands.turns.mentions import call_users
from bot.presentation.events import describe_past_outcome
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.runtime.entropy import create_id
from bot.storage.base import DAY
from bot.storage.records import Doc
from bot.ui.common_options import PAST_GAME
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import WAITING, Button, Reply

STRIKE = "strike-asked"
"""The kind of the document of an open request to strike a result, by game."""
REQUEST_SECONDS = 7 * DAY
"""Seconds after which a request to strike a result lapses."""


@declare_command(
    "result strike",
    "Take back a confirmed result, if both players agree",
    REASON,
    PAST_GAME,
    title="Strike a result",
    verb="Strike",
    needs_game=True,
)
async def strike_result(context: Context) -> Reply:
    """Ask the opponent to strike the confirmed result of this channel's game, or of the game that
    was typed; strike it as a manager, or if the opponent has asked for it.

    Raises UserError for a game without a confirmed result, and for a user who cannot strike it.
    """
    options = context.clean_options()
    await use_named_game(context, options["game"])
    game = context.need_game()
    _need_confirmed(context)
    own_persons = list_own_persons(context) & {*game.counted}
    if not own_persons:
        await need_deciding_manager(context, await read_play(context), "strike it")
        reason = str(options["reason"] or "")
        need_reason(reason)
        await _record_strike(context, reason=reason)
        return _build_answer(context, (f"Reason: {reason}",))
    doc = await context.store.load_doc(STRIKE, context.ledger.row)
    if doc is not None and doc.data["asker"] not in own_persons:
        return await agree_to_strike(context, str(doc.data["id"]))
    (opponent,) = {*game.counted} - own_persons
    return await _ask_opponent(context, own_persons.pop(), opponent)


async def _ask_opponent(context: Context, asker: str, opponent: str) -> Reply:
    """Return the request to strike the result, for the person `opponent`, and store it."""
    id = create_id()
    topic = context.build_topic(f"strike-{id}")
    data = {"id": id, "topic": topic, "asker": asker}
    expires = context.now + REQUEST_SECONDS
    owner = context.command.who.key
    _build_request(Doc(STRIKE, context.ledger.row, data, expires, owner)).register(context)
    context.about = topic
    user = get_user(context, opponent)
    return Reply(
        _describe_request(context, context.user_name),
        (
            f"It was: {describe_past_outcome(context.game.winner)}. "
            f"{context.ledger.get_name(opponent)} must agree.",
            Small(phrase("Press Agree or type `/result strike`.")),
        ),
        tone=WAITING,
        buttons=_build_buttons(context, id),
        mention=await call_users(context, [user] if user else []),
    )


def _describe_request(context: Context, name: str) -> str:
    """Return the sentence with which the player `name` asks."""
    return f'{name} asks to strike the result of "{context.game.name}"'


def _build_buttons(context: Context, id: str) -> tuple[Button, ...]:
    """Return the buttons that answer the request with this id."""
    return (
        context.build_button("strikeagree", "Agree", id, style="good"),
        context.build_button("strikerefuse", "Keep it", id),
    )


async def find_strike_question(context: Context) -> Reply | None:
    """Return the open request to strike the result, if the user is asked, or None."""
    doc = await context.store.load_doc(STRIKE, context.ledger.row)
    if doc is None:
        return None
    asker = str(doc.data["asker"])
    if not list_own_persons(context) & ({*context.game.counted} - {asker}):
        return None
    title = _describe_request(context, context.ledger.get_name(asker))
    return Reply(title, buttons=_build_buttons(context, str(doc.data["id"])))


@declare_button("strikeagree", of=ButtonOf.GAME, in_earlier_games=True)
async def agree_to_strike(context: Context, id: str) -> Reply:
    """Strike the result, as the opponent of the player who asked for it.

    Raises UserError for anybody else, and for a request that is no longer open.
    """
    doc = await _load_open_request(context, id)
    _need_confirmed(context)
    asker = str(doc.data["asker"])
    _need_opponent(context, asker)
    _build_request(doc).close_with_note(context, f"{context.user_name} agrees")
    await _record_strike(context, asker=asker)
    names = f"{context.ledger.get_name(asker)} asked, {context.user_name} agreed."
    return _build_answer(context, (names,))


@declare_button("strikerefuse", of=ButtonOf.GAME, in_earlier_games=True)
async def refuse_to_strike(context: Context, id: str) -> Reply:
    """Close the request to strike the result, which is kept.

    Raises UserError for anybody but the two players, and for a request that is no longer open.
    """
    doc = await _load_open_request(context, id)
    if not list_own_persons(context) & {*context.game.counted}:
        raise UserError("Only the two players can decide this.", code="not-yours")
    _build_request(doc).close_with_note(context, f"{context.user_name} does not agree")
    return Reply(
        f'The result of "{context.game.name}" is kept',
        (f"{context.user_name} does not agree to strike it.",),
    )


def _need_confirmed(context: Context) -> None:
    """Raise UserError unless the game has a confirmed result."""
    if context.game.confirmed:
        return
    if not context.game.counted:
        hint = phrase("A game counts if both players agree before the first roll: `/result count`")
        raise UserError(
            "This game doesn't count, so it has no result to strike.", hint=hint, code="not-counted"
        )
    raise UserError(
        "This game has no confirmed result.",
        hint=phrase("If it ended wrongly: `/game resume`, then `/game end`"),
        code="no-result",
    )


def _need_opponent(context: Context, asker: str) -> None:
    """Raise UserError unless the user is the opponent of the person `asker`."""
    if not list_own_persons(context) & ({*context.game.counted} - {asker}):
        raise UserError("The opponent has to agree.", code="not-yours")


async def _record_strike(context: Context, *, asker: str = "", reason: str = "") -> None:
    """Record that the result is struck, and delete it from what is stored.

    A player did so with the person `asker`, or a manager with a `reason`.
    """
    await withdraw_return(context)
    game = context.game
    context.ledger.add(
        "strike",
        replace(game, confirmed=0),
        texts=await build_manager_texts(context, reason),
        event=game.confirmed,
        asked=asker,
        by="manager" if reason else "",
    )
    await drop_result(context)


def _build_answer(context: Context, lines: tuple[str, ...]) -> Reply:
    """Return the answer after the result was struck."""
    return Reply(
        f'The result of "{context.game.name}" is struck',
        (
            *lines,
            phrase("Continue the game with `/game resume`, or confirm its result again."),
        ),
        buttons=(context.build_button(CONFIRM, "Confirm again"),),
    )


def _build_request(doc: Doc) -> PendingRequest:
    return PendingRequest(doc, (str(doc.data["topic"]),), "a result to be struck")


async def _load_open_request(context: Context, id: str) -> Doc:
    """Return the open request with this id. Raises UserError if there is none."""
    return await load_open_request(context, STRIKE, context.ledger.row, "result strike", id=id)
