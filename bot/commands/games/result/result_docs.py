"""What is stored of games that count: the confirmed results of a server, and for each player their
own games.

Everything is written in the commit of the event that causes it, so it is stored once, however
often somebody presses.
"""

from collections.abc import Iterable

from bot.commands.context import Context
from bot.commands.ladder.ladder_docs import (
    CONFIRMED,
    DREW,
    FORMER_PLAYER,
    LOST,
    PLAYED,
    RESULT,
    UNFINISHED,
    WAITS,
    WON,
    Played,
    Unfinished,
    read_unfinished,
)
from bot.commands.ladder.standings_cache import drop_standings, register_ladder
from bot.game.loaded_game import is_imported
from bot.game.state import DRAW
from bot.ladder.result import Result, Seat
from bot.ladder.season import get_month
from bot.preferences.ladder_setting import is_ladder_on
from bot.rules.errors import UserError
from bot.runtime.entropy import create_id
from bot.storage.records import Doc
from bot.ui.spec import get_server_key

RESULT_OF = "result-of"
"""The kind of the documents that say under which key the result of a game is stored, by game and
server.
"""


def get_user(context: Context, person: str) -> str:
    """Return the key of the user who is a person of this game; "" if they are not known."""
    row = context.ledger.persons.get(person)
    return row.user if row is not None and not is_imported(row) else ""


async def list_ladder_servers(context: Context) -> list[str]:
    """Return the keys of the servers with a ladder on which this game is played, or was played
    when it began to count.
    """
    places = [context.command.where.server, *map(get_server_key, context.ledger.places)]
    row = context.ledger.row
    places += [binding.server for binding in context.commit.bindings if binding.game == row]
    for doc in await _load_played_docs(context):
        places.append(doc.key.rsplit("/", 3)[1])
    servers = dict.fromkeys(server for server in places if server)
    return [server for server in servers if await is_ladder_on(context.store, server)]


async def _load_played_docs(context: Context) -> list[Doc]:
    """Load the documents of both players about this game, on all servers."""
    game = context.game
    docs = list[Doc]()
    for person in game.counted:
        user = get_user(context, person)
        if user:
            stored = await context.store.load_docs(PLAYED, user, under=f"{user}/")
            docs += [doc for doc in stored if doc.key.endswith(f"/{game.id}")]
    return docs


async def store_played(context: Context, state: str, result: Result | None = None) -> None:
    """Store for both players, on each server with a ladder, that the game is in this state.

    `result` is the confirmed result, if there is one.
    """
    game = context.game
    servers = await list_ladder_servers(context)
    new_docs = []
    for index, person in enumerate(game.counted):
        user = get_user(context, person)
        if not user:
            continue
        opponent = game.counted[1 - index]
        played = Played(
            state=state,
            title=game.name,
            opponent=context.ledger.get_name(opponent),
            opponent_key=get_user(context, opponent),
            side=game.players.get(person, ""),
            month=get_month(result.time) if result is not None else "",
            outcome=_get_outcome(result, person) if result is not None else "",
            since=context.now,
        )
        for server in servers:
            key = f"{user}/{server}/{game.system}/{game.id}"
            new_docs.append(Doc(PLAYED, key, played._asdict(), None, user))
    new_keys = {doc.key for doc in new_docs}
    for doc in await _load_played_docs(context):
        if doc.key not in new_keys:
            context.commit.drop_docs.append((PLAYED, doc.key))
    context.commit.docs += new_docs
    await _store_unfinished(context, state, servers)


async def _store_unfinished(context: Context, state: str, servers: Iterable[str]) -> None:
    """Store on each server that the game is unfinished, or delete that if its result is confirmed."""
    game = context.game
    unfinished = Unfinished(
        state,
        game.name,
        tuple(get_user(context, person) for person in game.counted),
        tuple(context.ledger.get_name(person) for person in game.counted),
    )
    for server in servers:
        doc = unfinished.build_doc(server, game.system, game.id)
        if state != CONFIRMED:
            context.commit.docs.append(doc)
        else:
            await _drop_unfinished(context, doc.key)


async def _drop_unfinished(context: Context, key: str) -> None:
    if await context.store.load_doc(UNFINISHED, key) is not None:
        context.commit.drop_docs.append((UNFINISHED, key))


async def drop_played(context: Context) -> None:
    """Delete what is stored for both players of this game, which is being deleted."""
    for doc in await _load_played_docs(context):
        context.commit.drop_docs.append((PLAYED, doc.key))
    for server in await list_ladder_servers(context):
        await _drop_unfinished(context, f"{server}/{context.game.system}/{context.game.id}")


def _get_outcome(result: Result, person: str) -> str:
    """Return the outcome of a result for one of its two persons."""
    if result.winner is None:
        return DREW
    return WON if result.seats[result.winner].person == person else LOST


def build_seat(
    context: Context, person: str, side: str, reply_hours: float | None, luck: float | None
) -> Seat:
    """Build the seat of a person in the result of this game.

    A person whose data was deleted has a random id.
    """
    user = get_user(context, person)
    return Seat(
        player=user or create_id(),
        name=context.ledger.get_name(person) if user else FORMER_PLAYER,
        person=person,
        side=side,
        reply_hours=reply_hours,
        luck=luck,
    )


def find_winner(winner: str, seats: tuple[Seat, Seat]) -> int | None:
    """Return the index of the seat that plays the side `winner`, None for a draw."""
    if winner == DRAW:
        return None
    return next(index for index, seat in enumerate(seats) if seat.side == winner)


async def store_result(context: Context, result: Result) -> None:
    """Store a confirmed result on each server with a ladder, and for both players.

    Raises UserError if this game, or a copy of it that was imported, has a result there already.
    """
    month = get_month(result.time)
    for server in await list_ladder_servers(context):
        index_key = f"{result.game}/{server}"
        if await context.store.load_doc(RESULT_OF, index_key) is not None:
            raise UserError("This game already has a result.", code="no-change")
        key = f"{server}/{result.system}/{month}/{result.game}"
        index = {"key": key, "row": context.ledger.row}
        context.commit.docs += [
            Doc(RESULT, key, result.to_json(), None, server),
            Doc(RESULT_OF, index_key, index, None, server),
        ]
        await register_ladder(context, server, result.system)
    await store_played(context, CONFIRMED, result)


async def drop_result(context: Context) -> None:
    """Delete the stored results of this game on all servers. Their standings are no longer right."""
    game = context.game
    for index in await context.store.load_docs(RESULT_OF, under=f"{game.id}/"):
        if index.data["row"] != context.ledger.row:
            continue  # the result of a copy that was imported
        key = str(index.data["key"])
        server, system, month, _ = key.rsplit("/", 3)
        context.commit.drop_docs.append((RESULT_OF, index.key))
        if await context.store.load_doc(RESULT, key) is not None:
            context.commit.drop_docs.append((RESULT, key))
        await drop_standings(context, server, system, month)
    await store_played(context, WAITS)


async def load_result(context: Context, game: str) -> Result | None:
    """Load the confirmed result of the game with this id, or None.

    It is stored on the servers on which the game of this command is played.
    """
    for server in await list_ladder_servers(context):
        index = await context.store.load_doc(RESULT_OF, f"{game}/{server}")
        doc = await context.store.load_doc(RESULT, str(index.data["key"])) if index else None
        if doc is not None:
            return Result.from_json(doc.data)
    return None


async def forget_player(context: Context, user: str) -> None:
    """Replace a user whose data is being deleted by a random id in all results.

    It is the same id in all results of one server. Their own documents are deleted with their
    data; those of their opponents no longer name them.
    """
    ids: dict[str, str] = {}
    first_months: dict[tuple[str, str], str] = {}
    for doc in await context.store.load_docs(PLAYED, user, under=f"{user}/"):
        _, server, system, game = doc.key.rsplit("/", 3)
        await _forget_opponent(context, str(doc.data["opponent_key"]), user, doc)
        unfinished = await context.store.load_doc(UNFINISHED, doc.key.removeprefix(f"{user}/"))
        if unfinished is not None:
            new_data = read_unfinished(unfinished).forget(user)._asdict()
            context.commit.docs.append(unfinished._replace(data=new_data))
        index = await context.store.load_doc(RESULT_OF, f"{game}/{server}")
        stored = await context.store.load_doc(RESULT, str(index.data["key"])) if index else None
        if stored is None:
            continue
        new_id = ids.setdefault(server, create_id())
        result = Result.from_json(stored.data)
        seats = [
            seat._replace(player=new_id, name=FORMER_PLAYER) if seat.player == user else seat
            for seat in result.seats
        ]
        new_result = result._replace(seats=(seats[0], seats[1]))
        context.commit.docs.append(stored._replace(data=new_result.to_json()))
        month = get_month(result.time)
        first_months[server, system] = min(month, first_months.get((server, system), month))
    for (server, system), month in first_months.items():
        await drop_standings(context, server, system, month)


async def _forget_opponent(context: Context, opponent: str, user: str, doc: Doc) -> None:
    """Take the user's name from the document of their opponent in the same game."""
    key = f"{opponent}{doc.key.removeprefix(user)}"
    stored = await context.store.load_doc(PLAYED, key) if opponent else None
    if stored is not None:
        data = {**stored.data, "opponent": FORMER_PLAYER, "opponent_key": ""}
        context.commit.docs.append(stored._replace(data=data))


def sum_series(results: Iterable[Result]) -> dict[str, float]:
    """Return the points of each player in the results of a series: 1 for a win, half for a draw."""
    points: dict[str, float] = {}
    for result in results:
        for index, seat in enumerate(result.seats):
            points[seat.player] = points.get(seat.player, 0.0) + result.score(index)
    return points
