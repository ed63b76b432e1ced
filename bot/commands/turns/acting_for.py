"""A game master who also plays is asked before they act for another player's side, once in each
game and for each side.

The answer is kept beside the game and not in its log: it proves nothing, since the log says who
acted, and with what.
"""

from collections.abc import Mapping

from bot.commands.context import Context
from bot.forms.drafts import build_earlier_game_error
from bot.game.rights import OtherSide
from bot.rules.errors import UserError
from bot.rules.text.names import join_names
from bot.runtime.entropy import create_id
from bot.storage.base import DAY
from bot.storage.records import Doc
from bot.ui.reply.reply import WAITING, Button, Reply

ASKED, AGREED = "act-for-asked", "act-for"
"""Kinds of documents: a command that waits for the answer, and the sides for which a game master
may act unasked.
"""
ANSWER_KEPT = 400 * DAY


async def load_agreed_sides(context: Context) -> frozenset[str]:
    """Return the sides of this game for which the actor has said that they mean to act."""
    doc = await context.store.load_doc(AGREED, _build_agreement_key(context))
    return frozenset(doc.data["sides"]) if doc is not None else frozenset()


def ask_to_act_for(context: Context, request: OtherSide) -> Reply:
    """Return the question whether the actor means to act for these sides, and keep their command
    until the answer.
    """
    command = context.command
    key = create_id()
    options = {name: value for name, value in command.options.items() if value is not None}
    data = {
        "row": context.ledger.row,
        "path": list(command.path),
        "options": options,
        "sides": list(request.sides),
    }
    context.commit.docs.append(Doc(ASKED, key, data, context.now + DAY, command.who.key))
    sides = join_names(request.sides)
    players = join_names(
        name for side in request.sides for name in context.ledger.list_players(side)
    )
    return Reply(
        f"{request.what} for {players}?",
        (f"You play {context.actor.side}. You're only asked once for {sides} in this game.",),
        private=True,
        tone=WAITING,
        buttons=(Button(f"actfor:{key}", f"Act for {sides}"),),
    )


async def agree_to_act_for(
    context: Context, key: str
) -> tuple[tuple[str, ...], Mapping[str, object]]:
    """Store that the actor means to act for the sides of the question with this key.

    Return path and options of the command that was waiting. Raises UserError if the question is
    another user's, too old, or of another game.
    """
    command = context.command
    doc = await context.store.load_doc(ASKED, key)
    if doc is None or doc.owner != command.who.key:
        raise UserError(
            "This question has been answered, or has expired.",
            hint="Do it again.",
            code="used-up",
        )
    if doc.data["row"] != context.ledger.row:
        raise build_earlier_game_error()
    context.acts_for |= await load_agreed_sides(context) | set(doc.data["sides"])
    data = {"sides": sorted(context.acts_for)}
    context.commit.drop_docs.append((ASKED, key))
    context.commit.docs.append(
        Doc(
            AGREED,
            _build_agreement_key(context),
            data,
            context.now + ANSWER_KEPT,
            command.who.key,
        )
    )
    return tuple(doc.data["path"]), doc.data["options"]


def _build_agreement_key(context: Context) -> str:
    return f"{context.ledger.row}:{context.command.who.key}"
