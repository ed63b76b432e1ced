"""The documents of games that count: results and unfinished games of a server, and the own games
of each player.
"""

from collections.abc import Iterable
from typing import NamedTuple

from bot.ladder.result import Result
from bot.storage.records import Doc
from bot.storage.store import Store

RESULT = "result"
"""The kind of the documents with a confirmed result, by server, rule set, month and game."""
PLAYED = "played"
"""The kind of the documents with a game that counts, by user, server, rule set and game."""
UNFINISHED = "unfinished"
"""The kind of the documents with a game that counts and has no confirmed result yet, by server,
rule set and game.
"""
COUNTING, WAITS, CONFIRMED = "counting", "waits", "confirmed"
"""The states of a game that counts: it is played, its result waits to be confirmed, or it has a
confirmed result.
"""
WON, LOST, DREW = "won", "lost", "draw"
FORMER_PLAYER = "a former player"
"""The name in results of a player whose data was deleted."""


class Played(NamedTuple):
    """A game that counts, as it is stored for one of its two players."""

    state: str
    """COUNTING, WAITS or CONFIRMED."""
    title: str
    opponent: str
    """The visible name of the opponent."""
    opponent_key: str
    """The user key of the opponent; "" if it is not known."""
    side: str
    """The player's side; "" before they have one."""
    month: str
    """The UTC month in which the result was confirmed, such as 2026-11; "" before that."""
    outcome: str
    """WON, LOST or DREW; "" before the result is confirmed."""
    since: float
    """The time of the last change of `state`, in Unix seconds."""


class Unfinished(NamedTuple):
    """A game that counts and has no confirmed result, as it is stored for a server."""

    state: str
    """COUNTING or WAITS."""
    title: str
    players: tuple[str, ...]
    """The user keys of the two players; "" for one who is not known."""
    names: tuple[str, ...]
    """Their visible names."""

    def build_doc(self, server: str, system: str, game: str) -> Doc:
        """Return the document that stores it for a server."""
        return Doc(UNFINISHED, f"{server}/{system}/{game}", self._asdict(), None, server)

    def forget(self, user: str) -> "Unfinished":
        """Return it without the name and key of a user whose data is being deleted."""
        names = [
            FORMER_PLAYER if player == user else name
            for player, name in zip(self.players, self.names, strict=True)
        ]
        players = ["" if player == user else player for player in self.players]
        return self._replace(players=tuple(players), names=tuple(names))


def read_unfinished(doc: Doc) -> Unfinished:
    """Return the unfinished game that a document stores."""
    data = doc.data
    return Unfinished(data["state"], data["title"], tuple(data["players"]), tuple(data["names"]))


async def load_unfinished(store: Store, server: str, system: str) -> list[Unfinished]:
    """Load the unfinished games of a rule set on a server."""
    docs = await store.load_docs(UNFINISHED, under=f"{server}/{system}/")
    return [read_unfinished(doc) for doc in docs]


async def load_played(store: Store, user: str, server: str, system: str) -> list[Played]:
    """Load the games of a user that count for a rule set on a server, the latest change first."""
    docs = await store.load_docs(PLAYED, user, under=f"{user}/{server}/{system}/")
    games = [Played(**doc.data) for doc in docs]
    return sorted(games, key=lambda game: -game.since)


async def load_result_docs(store: Store, server: str, system: str, month: str) -> list[Doc]:
    """Load the documents with the results of a rule set on a server in a month."""
    return list(await store.load_docs(RESULT, under=f"{server}/{system}/{month}/"))


def read_results(docs: Iterable[Doc]) -> list[Result]:
    """Return the results that documents store."""
    return [Result.from_json(doc.data) for doc in docs]
