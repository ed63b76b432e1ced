"""`/game end` by players of different sides: one of them asks, and the others agree by a button."""

from bot.commands.cards.hands import agree_by_asking, ask_to_open, list_unopened_hands
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.games.end import (
    END,
    NOBODY,
    ask_or_end,
    build_request,
    check_sentence,
    check_winner,
    close_request,
    find_request,
    finish_game,
    press_end_now,
    read_winner,
    take_sentence,
)
from bot.commands.requests import load_open_request
from bot.commands.turns.mentions import call_sides
from bot.game.rights import find_end_partners, need_player
from bot.presentation.events import describe_outcome
from bot.presentation.score import list_score_lines
from bot.rules.errors import UserError
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.runtime.entropy import create_id
from bot.storage.base import DAY
from bot.storage.records import Doc
from bot.ui.common_options import build_flag, build_optional
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import WAITING, Button, Reply
from bot.ui.typing.command_text import quote_value

REQUEST_SECONDS = DAY
"""Seconds after which a request to end the game together lapses."""


@declare_command(
    "game end",
    "End the game with its story; asks first",
    build_optional("winner", "the side that won, draw or none", complete="winner"),
    build_optional("text", "how it ended, in a sentence"),
    build_flag("confirm", "end it now"),
    build_flag("reveal", "also reveal the seed, so that everybody can check the dice"),
    example='winner=US text="The hill is taken at a price."',
    private=True,
    needs_game=True,
)
async def end_game(context: Context) -> Reply:
    """Ask whether the game is to end, or end it, for `/game end`.

    If the users of other sides must agree and the user typed `confirm`, this posts a request to
    them, or agrees to the open request of another user for the same winner.

    Raises UserError if no game is on, for a user who may not end it, for an unknown winner, and
    while a choice is pending.
    """
    game = context.need_started()
    partners = find_end_partners(game, context.actor)
    options = context.clean_options()
    if not partners or not options["confirm"]:
        return await ask_or_end(context)
    winner = read_winner(context)
    doc = await find_request(context, winner)
    if doc is not None:
        reply = await agree_to_end(context, str(doc.data["id"]))
    else:
        context.ledger.need_choice_made()
        text = check_sentence(options["text"] or "")
        reply = await _ask_other_sides(context, winner, text, partners)
    if reply.private:
        return reply
    return Reply("The other players have been asked", private=True, announce=reply)


@declare_button("end", of=ButtonOf.GAME)
async def press_end(context: Context, winner: str) -> Reply:
    """End the game with this winner, by a button under the question.

    A player who does not direct the game asks the other sides to agree instead, or agrees to the
    open request of another user for the same winner. Raises UserError if no game is on, for a user
    who may not end it, and while a choice is pending.
    """
    game = context.need_started()
    partners = find_end_partners(game, context.actor)
    if not partners:
        return await press_end_now(context, winner)
    context.ledger.need_choice_made()
    winner = check_winner(game, winner)
    text = await take_sentence(context)
    doc = await find_request(context, winner)
    if doc is not None:
        return await agree_to_end(context, str(doc.data["id"]))
    return await _ask_other_sides(context, winner, text, partners)


async def _ask_other_sides(
    context: Context, winner: str, text: str, partners: tuple[str, ...]
) -> Reply:
    """Return the request to end the game, for the players of the sides `partners`, and store it.

    By asking, the user agrees to open their own hand.
    """
    hand_sentence = agree_by_asking(context)
    id = create_id()
    topic = context.build_topic(context.game.number if hand_sentence else f"end-{id}")
    data = {
        "id": id,
        "topic": topic,
        "side": context.actor.side,
        "asker": context.actor.person,
        "winner": winner,
        "text": text,
        "agreed": [],
    }
    owner = context.command.who.key
    doc = Doc(END, context.ledger.row, data, context.now + REQUEST_SECONDS, owner)
    build_request(doc).register(context)
    if not hand_sentence:
        context.about = topic
    lines: list[Part] = [text] if text else []
    lines += list_score_lines(context.game, context.system, winner)
    lines.append(_describe_who_agrees(context, partners))
    if hand_sentence:
        lines.append(hand_sentence)
    winner_option = f" winner={quote_value(winner or NOBODY)}" if context.game.sides else ""
    command = f"/game end{winner_option} confirm"
    lines.append(Small(phrase("Press Agree or type `{typed}`.", typed=command)))
    return Reply(
        f"{context.user_name} asks to end the game{describe_outcome(winner)}",
        tuple(lines),
        tone=WAITING,
        buttons=_build_buttons(context, id),
        mention=await call_sides(context, context.game, partners, spares=False),
    )


def _build_buttons(context: Context, id: str) -> tuple[Button, ...]:
    """Return the buttons that answer the request with this id."""
    return (
        context.build_button("endagree", "Agree", id, style="good"),
        context.build_button("endrefuse", "Play on", id),
    )


async def find_end_question(context: Context) -> Reply | None:
    """Return the open request to end the game, if the user can agree to it and has not, or None."""
    doc = await context.store.load_doc(END, context.ledger.row)
    actor = context.actor
    if doc is None or doc.owner == context.command.who.key or actor.person in doc.data["agreed"]:
        return None
    if not actor.directs and actor.side in ("", doc.data["side"]):
        return None
    name = context.ledger.get_name(str(doc.data["asker"]))
    title = f"{name} asks to end the game{describe_outcome(str(doc.data['winner']))}"
    return Reply(title, buttons=_build_buttons(context, str(doc.data["id"])))


def _describe_who_agrees(context: Context, partners: tuple[str, ...]) -> str:
    """Return a sentence on who must agree to end the game: a player of each of the sides
    `partners`, or the game master alone.
    """
    game = context.game
    players = context.ledger.list_players(*partners)
    if game.master not in context.ledger.persons:
        return f"{join_names(players)} must agree."
    master = context.ledger.get_name(game.master)
    side = game.players.get(game.master, "")
    if side in partners:
        if context.ledger.list_players(side) == [master]:
            return f"{master}, the game master, must agree."
        players = [name for name in players if name != master]
    return f"{join_names(players)} must agree, or {master}, the game master."


@declare_button("endagree", of=ButtonOf.GAME)
async def agree_to_end(context: Context, id: str) -> Reply:
    """Note that the user agrees to end the game, and end it once every other side with players has
    agreed, or at once for a director.

    If closed hands are left then, ask their owners to open them instead. Raises UserError for a
    user who may not agree, and for a request that is no longer open.
    """
    doc = await _load_open_request(context, id)
    game = context.need_started()
    context.ledger.need_choice_made()
    actor = context.actor
    asker = str(doc.data["side"])
    agreed = [*doc.data["agreed"]]
    if not actor.directs:
        need_player(game, actor)
        if doc.owner == context.command.who.key or actor.side == asker:
            raise UserError("Another side has to agree.", code="not-yours")
        agreed.append(actor.person)
        agreed_sides = {asker, *(game.players.get(person, "") for person in agreed)}
        other_sides = [side for side in game.sides if side not in agreed_sides]
        missing = [side for side in other_sides if side in game.players.values()]
        if missing:
            agree_by_asking(context)
            data = {**doc.data, "agreed": agreed}
            context.commit.docs.append(doc._replace(data=data))
            return Reply(
                f"{context.user_name} agrees to end the game",
                (f"{join_names(missing)} must agree too.",),
            )
    closed_hands = list_unopened_hands(context)
    if closed_hands:
        return await ask_to_open(context, closed_hands, str(doc.data["winner"]))
    winner = check_winner(game, str(doc.data["winner"]))
    return await finish_game(
        context, winner, str(doc.data["text"]), agreed=close_request(context, doc, agreed)
    )


@declare_button("endrefuse", of=ButtonOf.GAME)
async def refuse_to_end(context: Context, id: str) -> Reply:
    """Refuse the request to end the game, which goes on.

    Raises UserError for a stranger, and for a request that is no longer open.
    """
    doc = await _load_open_request(context, id)
    need_player(context.need_started(), context.actor)
    build_request(doc).close_with_note(context, f"{context.user_name} wants to play on")
    return Reply(f'"{context.game.name}" goes on', (f"{context.user_name} wants to play on.",))


async def _load_open_request(context: Context, id: str) -> Doc:
    """Return the open request with this id. Raises UserError if there is none."""
    return await load_open_request(context, END, context.ledger.row, "game end", id=id)
