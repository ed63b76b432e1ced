"""The other game of a series: a manager who played in it has no say in the result of this one."""

from typing import NamedTuple

from bot.commands.context import Context
from bot.commands.games.result.read_log import load_start
from bot.game.results import ELSEWHERE, CountedPlay
from bot.loading.load_game import load_game_by_id
from bot.loading.log_reader import iterate_events
from bot.rules.proof.chain import compute_person_key

RETURN_PLAYED = "return-played"
"""The kind of the document that a return game was started, by the id of the first game. It names
the return game.
"""


class OtherGame(NamedTuple):
    """The other game of a series."""

    id: str
    row: str
    """Its id in the store."""


async def find_other_game(context: Context) -> OtherGame | None:
    """Return the other game of the series of this game, or None if there is none yet."""
    game = context.game
    series = str((await load_start(context)).get("series", game.id))
    if series != game.id:
        return OtherGame(series, series)
    doc = await context.store.load_doc(RETURN_PLAYED, game.id)
    return OtherGame(str(doc.data["game"]), str(doc.data["row"])) if doc is not None else None


async def has_played_other_game(context: Context) -> bool:
    """Return whether the user ever played a side in the other game of the series.

    Of a game that was deleted, nobody can tell.
    """
    other = await find_other_game(context)
    loaded = await load_game_by_id(context.store, other.row) if other is not None else None
    if loaded is None:
        return False
    play = CountedPlay(())
    async for rows in iterate_events(context.store, loaded.row):
        for row in rows:
            play.note(row.data)
    user = context.command.who.key
    own_persons = {row.person for row in loaded.persons.values() if row.user == user}
    return bool(own_persons & play.players)


async def build_manager_texts(context: Context, reason: str) -> dict[str, str] | None:
    """Return the texts of an event by which a manager decides a result, or None without a reason.

    In a series they also hold the key by which the manager would be known in the log of the other
    game, so that `grognard verify` can check that they did not play there.
    """
    if not reason:
        return None
    other = await find_other_game(context)
    if other is None:
        return {"reason": reason}
    key = compute_person_key(other.id, context.command.who.key)
    return {"reason": reason, ELSEWHERE: f"{other.id} {key}"}
