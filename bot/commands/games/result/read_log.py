"""What the log of a game says of its players and its result, read event by event."""

from collections.abc import AsyncIterator

from bot.commands.context import Context
from bot.game.results import CountedPlay
from bot.game.state import Json
from bot.loading.log_reader import iterate_events


async def iterate_bodies(context: Context) -> AsyncIterator[Json]:
    """Yield the events of the game in order, those of this command last."""
    stored = context.game.number - len(context.ledger.bodies)
    async for rows in iterate_events(context.store, context.ledger.row, last=stored):
        for row in rows:
            yield row.data
    for body in context.ledger.bodies:
        yield body


async def load_start(context: Context) -> Json:
    """Return the first event of the game."""
    async for body in iterate_bodies(context):
        return body
    raise AssertionError("a game has a start")


async def read_play(context: Context) -> CountedPlay:
    """Read what the log says of the two players: those who count, or else those who play now."""
    game = context.game
    play = CountedPlay(game.counted or game.players)
    async for body in iterate_bodies(context):
        play.note(body)
    return play


def list_own_persons(context: Context) -> set[str]:
    """Return the ids of the user in this game: several if they claimed one of an imported file."""
    user = context.command.who.key
    return {row.person for row in context.ledger.persons.values() if row.user == user}
