"""`/result count`: both players of a game agree before the first roll that it counts."""

from dataclasses import replace

from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.games.result.result_docs import list_ladder_servers, store_played
from bot.commands.ladder.ladder_docs import COUNTING
from bot.commands.ladder.setting import need_ladder
from bot.commands.requests import PendingRequest, load_open_request
from bot.commands.turns.mentions import call_users
from bot.game.results import find_first_roll
from bot.game.rights import need_player
from bot.game.state import Game
from bot.loading.log_reader import iterate_events
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.runtime.entropy import create_id
from bot.storage.base import DAY
from bot.storage.records import Doc
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import WAITING, Button, Reply

COUNT = "count-asked"
"""The kind of the document of an open request to let a game count, by game."""
CONFIRMED_LATER = "When it's over, the player who didn't end it confirms the result."
REQUEST_SECONDS = 7 * DAY
"""Seconds after which a request to let a game count lapses."""


@declare_command(
    "result count",
    "Let this game count, if your opponent agrees",
    title="Let the game count",
    verb="Ask",
    needs_game=True,
)
async def ask_to_count(context: Context) -> Reply:
    """Ask the opponent to let the game count, or agree to what they asked.

    Raises UserError for a game that cannot count, and for a user who does not play in it.
    """
    opponents = await _need_countable(context)
    doc = await context.store.load_doc(COUNT, context.ledger.row)
    if doc is not None and doc.data["asker"] in opponents:
        return await agree_to_count(context, str(doc.data["id"]))
    id = create_id()
    topic = context.build_topic(f"count-{id}")
    data = {"id": id, "topic": topic, "asker": context.ledger.ensure_person()}
    owner = context.command.who.key
    expires = context.now + REQUEST_SECONDS
    _build_request(Doc(COUNT, context.ledger.row, data, expires, owner)).register(context)
    context.about = topic
    names = [context.ledger.get_name(person) for person in opponents]
    users = [context.ledger.persons[person].user for person in opponents]
    return Reply(
        _describe_request(context, context.user_name),
        (
            f"{' or '.join(names)} must agree before the first roll.",
            Small(phrase("Press Agree or type `/result count`.")),
        ),
        tone=WAITING,
        buttons=_build_buttons(context, id),
        mention=await call_users(context, users),
    )


def _describe_request(context: Context, name: str) -> str:
    """Return the sentence with which the player `name` asks."""
    return f'{name} asks to let "{context.game.name}" count'


def _build_buttons(context: Context, id: str) -> tuple[Button, ...]:
    """Return the buttons that answer the request with this id."""
    return (
        context.build_button("countagree", "Agree", id, style="good"),
        context.build_button("countrefuse", "No", id),
    )


async def find_count_question(context: Context) -> Reply | None:
    """Return the open request to let the game count, if the user is asked, or None."""
    doc = await context.store.load_doc(COUNT, context.ledger.row)
    players = context.game.players
    side = context.actor.side
    if doc is None or not side or players.get(str(doc.data["asker"])) in (None, side):
        return None
    title = _describe_request(context, context.ledger.get_name(str(doc.data["asker"])))
    return Reply(title, buttons=_build_buttons(context, str(doc.data["id"])))


@declare_button("countagree", of=ButtonOf.GAME)
async def agree_to_count(context: Context, id: str) -> Reply:
    """Let the game count for the user and the opponent who asked.

    Raises UserError for a game that cannot count any more, for the player who asked and others on
    their side, and for a request that is no longer open.
    """
    doc = await _load_open_request(context, id)
    opponents = await _need_countable(context)
    asker = str(doc.data["asker"])
    if asker not in opponents:
        raise UserError("Your opponent has to agree.", code="not-yours")
    _build_request(doc).close_with_note(context, f"{context.user_name} agrees")
    record_count(context, asker)
    await store_played(context, COUNTING)
    return Reply(
        f'"{context.game.name}" counts: {describe_counted(context)}',
        (CONFIRMED_LATER,),
    )


@declare_button("countrefuse", of=ButtonOf.GAME)
async def refuse_to_count(context: Context, id: str) -> Reply:
    """Close the request to let the game count. Raises UserError for a stranger, and for a request
    that is no longer open.
    """
    doc = await _load_open_request(context, id)
    need_player(context.need_started(), context.actor)
    _build_request(doc).close_with_note(context, f"{context.user_name} says no")
    return Reply(f'"{context.game.name}" does not count', (f"{context.user_name} says no.",))


def record_count(context: Context, asker: str) -> None:
    """Record that the user agrees with the person `asker` that the game counts."""
    counted = (asker, context.ledger.ensure_person())
    context.ledger.add("count", replace(context.game, counted=counted), asked=asker)


def describe_counted(context: Context) -> str:
    """Return the two players of a game that counts: `Anna v Ben`."""
    return " v ".join(map(context.ledger.get_name, context.game.counted))


async def _need_countable(context: Context) -> list[str]:
    """Return the persons of the other side, one of whom must agree that the game counts.

    Raises UserError unless a server on which the game is played has a ladder, the user plays a side
    of a game of two, the other side has a player, and nothing was rolled yet.
    """
    if not await list_ladder_servers(context):
        await need_ladder(context)
    game = context.need_started()
    if game.counted:
        raise UserError(f"It already counts: {describe_counted(context)}.", code="no-change")
    _need_two_sides(game)
    need_player(game, context.actor)
    side = context.actor.side
    if not side:
        raise UserError("Only the players of a game can let it count.", code="not-player")
    opponents = [person for person, other in game.players.items() if other != side]
    if not opponents:
        other = next(other for other in game.sides if other != side)
        raise UserError(
            f"Nobody plays {other} yet.", hint="Ask again when somebody has joined.", code="nobody"
        )
    first_roll = await _find_first_roll(context)
    if first_roll:
        raise UserError(
            f"It is too late: the first roll was #{first_roll}.",
            hint="Agree on the next game before you roll.",
            code="not-countable",
        )
    return opponents


def _need_two_sides(game: Game) -> None:
    """Raise UserError unless the game has two sides, and people play both."""
    if len(game.sides) != 2:
        raise UserError("Only a game with two sides can count.", code="not-countable")
    if game.self_played:
        raise UserError(
            "A game against a side that plays itself cannot count.", code="not-countable"
        )


async def _find_first_roll(context: Context) -> int:
    """Return the number of the first roll of the game, 0 if there is none."""
    async for rows in iterate_events(context.store, context.ledger.row):
        number = find_first_roll(row.data for row in rows)
        if number:
            return number
    return find_first_roll(context.ledger.bodies)


def _build_request(doc: Doc) -> PendingRequest:
    return PendingRequest(doc, (str(doc.data["topic"]),), "a game that counts")


async def _load_open_request(context: Context, id: str) -> Doc:
    """Return the open request with this id. Raises UserError if there is none."""
    return await load_open_request(context, COUNT, context.ledger.row, "result count", id=id)
