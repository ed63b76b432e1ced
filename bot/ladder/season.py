"""The seasons of a ladder: which results are rated, ratings month by month, and the standings.

A month is a month of UTC, written 2026-11. A result belongs to the month in which it was confirmed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
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
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m")


def get_next_month(month: str) -> str:
    """Return the month after this one."""
    year, number = map(int, month.split("-"))
    return f"{year}-{number + 1:02}" if number < 12 else f"{year + 1:04}-01"


def get_order(result: Result) -> tuple[float, int, str]:
    """Return the key by which results are sorted: the earlier confirmation first."""
    return result.time, result.confirmed, result.game


def select_rated(results: Iterable[Result]) -> list[Result]:
    """Return the results that are rated, in order: the first ones of each month between the same
    two players.
    """
    counts = Counter[tuple[str, ...]]()
    rated = []
    for result in sorted(results, key=get_order):
        players = sorted(seat.player for seat in result.seats)
        encounter = (get_month(result.time), *players)
        counts[encounter] += 1
        if counts[encounter] <= MOST_RATED_A_MONTH:
            rated.append(result)
    return rated


def compute_ladder(results: Iterable[Result], month: str, start: Ladder = NO_LADDER) -> Ladder:
    """Return the ladder after `month`, from the ladder after an earlier month and all results since.

    In a month that is not over, it is the ladder as it would be if no more results came.
    """
    by_month: dict[str, list[Result]] = {}
    for result in sorted(results, key=get_order):
        by_month.setdefault(get_month(result.time), []).append(result)
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
    records = dict(ladder.records)
    for result in results:
        for index, seat in enumerate(result.seats):
            record = records.get(seat.player, Record(seat.player, seat.name))
            form = (record.form + _LETTERS[result.score(index)])[-FORM_LENGTH:]
            replies = record.replies
            if seat.reply_hours is not None:
                replies = (*replies, seat.reply_hours)[-MOST_REPLIES:]
            records[seat.player] = replace(record, name=seat.name, form=form, replies=replies)
    games: dict[str, list[RatedGame]] = {player: [] for player in records}
    for result in select_rated(results):
        for index, seat in enumerate(result.seats):
            opponent = records[result.seats[1 - index].player].rating
            games[seat.player].append(RatedGame(opponent, result.score(index)))
    for player, record in records.items():
        rating = rate(record.rating, games[player])
        records[player] = replace(record, rating=rating, rated=record.rated + len(games[player]))
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
