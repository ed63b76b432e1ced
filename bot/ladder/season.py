"""The seasons of a ladder: which results are rated, ratings month by month, and the standings.

A month is a month of UTC, written 2026-11. A result belongs to the month in which it was confirmed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from bot.ladder.glicko import NEWCOMER, RatedGame, Rating, rate
from bot.ladder.result import Result

MOST_RATED_A_MONTH = 3
"""Maximum number of rated games of a month between the same two players: the first ones."""
GAMES_BEFORE_RATING = 5
"""Rated games after which a player's rating is shown."""
FORM_LENGTH = 5
"""Number of last results that the form of a player shows."""
MOST_REPLIES = 10
"""Number of last games from which the usual reply time of a player is taken."""
_LETTERS = {1.0: "W", 0.5: "D", 0.0: "L"}
Json = dict[str, Any]
_DAY = 86400


@dataclass(frozen=True, slots=True)
class Record:
    """The entry of one player in a ladder."""

    player: str
    name: str
    rating: Rating = NEWCOMER
    rated: int = 0
    """The number of their rated games."""
    form: str = ""
    """Their last results, the latest last: W, L or D, also of games that are not rated."""
    replies: tuple[float, ...] = ()
    """The hours in which they usually replied, in each of their last games that say it."""

    @property
    def has_rating(self) -> bool:
        return self.rated >= GAMES_BEFORE_RATING


@dataclass(slots=True)
class _PlayerMonth:
    """The part that one player has in the results of a month."""

    name: str = ""
    form: str = ""
    replies: list[float] = field(default_factory=list)
    games: list[RatedGame] = field(default_factory=list)
    """Their rated games."""


class Ladder(NamedTuple):
    """A ladder after a month, or in the course of it."""

    month: str
    """The month; "" before the first one."""
    records: Mapping[str, Record]
    """The records by player."""

    def to_json(self) -> Json:
        """Return it as JSON, from which `from_json` makes an equal value."""
        records = [
            [record.player, record.name, *record.rating, record.rated, record.form, record.replies]
            for record in self.records.values()
        ]
        return {"month": self.month, "records": records}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Ladder":
        """Return the ladder that was stored as `data`."""
        records = {}
        for player, name, rating, deviation, volatility, rated, form, replies in data["records"]:
            strength = Rating(rating, deviation, volatility)
            records[player] = Record(player, name, strength, rated, form, tuple(replies))
        return cls(data["month"], records)


NO_LADDER = Ladder("", {})


def get_month(time: float) -> str:
    """Return the month of a time in Unix seconds, such as 2026-11."""
    return _get_month_of_day(int(time // _DAY))


@lru_cache(maxsize=1000)
def _get_month_of_day(day: int) -> str:
    """Return the month of a day, counted from the start of 1970."""
    return datetime.fromtimestamp(day * _DAY, UTC).strftime("%Y-%m")


def get_next_month(month: str) -> str:
    """Return the month after this one."""
    year, number = map(int, month.split("-"))
    return f"{year}-{number + 1:02}" if number < 12 else f"{year + 1:04}-01"


def get_previous_month(month: str) -> str:
    """Return the month before this one."""
    year, number = map(int, month.split("-"))
    return f"{year}-{number - 1:02}" if number > 1 else f"{year - 1:04}-12"


def get_order(result: Result) -> tuple[float, int, str]:
    """Return the key by which results are sorted: the earlier confirmation first."""
    return result.time, result.confirmed, result.game


def select_rated(results: Iterable[Result]) -> list[Result]:
    """Return the results that are rated, in order: the first ones of each month between the same
    two players.
    """
    return [result for group in _group_by_month(results).values() for result in _limit(group)]


def _group_by_month(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Return the results of each month, in order."""
    groups: dict[str, list[Result]] = {}
    for result in sorted(results, key=get_order):
        groups.setdefault(get_month(result.time), []).append(result)
    return groups


def _limit(results: Iterable[Result]) -> list[Result]:
    """Return the results of a month, in order, that are rated."""
    counts = Counter[frozenset[str]]()
    rated = []
    for result in results:
        players = frozenset((result.seats[0].player, result.seats[1].player))
        counts[players] += 1
        if counts[players] <= MOST_RATED_A_MONTH:
            rated.append(result)
    return rated


def compute_ladder(results: Iterable[Result], month: str, start: Ladder = NO_LADDER) -> Ladder:
    """Return the ladder after `month`, from the ladder after an earlier month and all results since.

    In a month that is not over, it is the ladder as it would be if no more results came.
    """
    by_month = _group_by_month(results)
    if start.month:
        next_month = get_next_month(start.month)
    else:
        next_month = min(by_month, default=month)
    ladder = start
    while next_month <= month:
        ladder = add_month(ladder, next_month, by_month.get(next_month, ()))
        next_month = get_next_month(next_month)
    return ladder


def add_month(ladder: Ladder, month: str, results: Sequence[Result]) -> Ladder:
    """Return the ladder after a further month with these results, in order.

    All games of the month count at once, against the ratings of the opponents before it.
    """
    months: dict[str, _PlayerMonth] = {}
    for result in results:
        for index, seat in enumerate(result.seats):
            player_month = months.setdefault(seat.player, _PlayerMonth())
            player_month.name = seat.name
            player_month.form += _LETTERS[result.score(index)]
            if seat.reply_hours is not None:
                player_month.replies.append(seat.reply_hours)
    newcomer = Record("", "")
    for result in _limit(results):
        for index, seat in enumerate(result.seats):
            opponent = ladder.records.get(result.seats[1 - index].player, newcomer).rating
            months[seat.player].games.append(RatedGame(opponent, result.score(index)))
    records = {}
    for player in dict.fromkeys((*ladder.records, *months)):
        record = ladder.records.get(player, newcomer)
        player_month = months.get(player, _PlayerMonth(record.name))
        records[player] = Record(
            player,
            player_month.name,
            rate(record.rating, player_month.games),
            record.rated + len(player_month.games),
            (record.form + player_month.form)[-FORM_LENGTH:],
            (*record.replies, *player_month.replies)[-MOST_REPLIES:],
        )
    return Ladder(month, records)


def sort_standings(ladder: Ladder) -> tuple[list[Record], list[Record]]:
    """Return the records of players with a rating that is shown, the best first, and those of the
    unrated, who have played most first.
    """
    shown = [record for record in ladder.records.values() if record.has_rating]
    unrated = [record for record in ladder.records.values() if not record.has_rating]
    shown.sort(key=lambda record: (-record.rating.rating, record.name, record.player))
    unrated.sort(key=lambda record: (-record.rated, record.name, record.player))
    return shown, unrated
