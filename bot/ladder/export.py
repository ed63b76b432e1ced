"""The file of a ladder: its results in order, and the standings that follow from them.

Anybody can check it: `read_ladder_file` reads it, `find_ladder_faults` computes everything again.
docs/ladder.md describes it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.ladder.glicko import NEWCOMER, TAU
from bot.ladder.result import Result, Seat
from bot.ladder.season import (
    GAMES_BEFORE_RATING,
    MOST_RATED_A_MONTH,
    Ladder,
    Record,
    compute_ladder,
    get_month,
    get_order,
    select_rated,
)
from bot.rules.errors import TableError, UserError
from bot.rules.shapes import (
    ANY,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Key,
    Part,
    allow_items,
    build_name_mapping,
    check_shape,
    either,
    ref,
)

FORMAT = "grognard-ladder"
VERSION = 1
PRECISION = 0.005
"""Maximum difference of a rating in a file from ours: it is written with two decimals."""
FORMULA: Mapping[str, object] = {
    "name": "Glicko-2",
    "source": "http://www.glicko.net/glicko/glicko2.pdf",
    "tau": TAU,
    "rating": NEWCOMER.rating,
    "deviation": NEWCOMER.deviation,
    "volatility": NEWCOMER.volatility,
    "period": "a month of UTC",
    "games a month between two players": MOST_RATED_A_MONTH,
    "games before a rating is shown": GAMES_BEFORE_RATING,
}
"""The rules from which the ratings follow, besides the results."""
Json = dict[str, Any]

_MONTH = {
    "type": "string",
    "pattern": r"^20\d\d-(0[1-9]|1[0-2])$",
    "title": "month such as 2026-11",
}
_TIME = {"type": "number", "minimum": 0, "maximum": 10_000_000_000}
_FORMULA_VALUE = either(NUMBER, TEXT)
_PARTS = {
    "file": Part(
        {
            "format": Key(TEXT, "the name of the format"),
            "version": Key(WHOLE, "the version of the format"),
            "server": Key(TEXT, "the name of the server"),
            "system": Key(TEXT, "the id of the game being played"),
            "title": Key(TEXT, "the title of that game"),
            "created": Key(_TIME, "when the file was created, in Unix seconds"),
            "month": Key(_MONTH, "the month that the standings are for"),
            "formula": Key(
                build_name_mapping(_FORMULA_VALUE), "what the ratings are computed with"
            ),
            "players": Key(build_name_mapping(TEXT), "the names of the players by id"),
            "results": Key(allow_items(ref("result")), "the results in order of confirmation"),
            "standings": Key(allow_items(ref("standing")), "the standings"),
        },
        needed=("format", "version", "system", "month"),
    ),
    "result": Part(
        {
            "game": Key(TEXT, "the id of the game"),
            "commitment": Key(TEXT, "the commitment to the first seed of its dice"),
            "scenario": Key(TEXT, "the id of the scenario"),
            "title": Key(TEXT, "the title of the game"),
            "players": Key(
                {"type": "array", "items": ref("seat"), "minItems": 2, "maxItems": 2},
                "the two players",
            ),
            "winner": Key(
                either({"type": "integer", "minimum": 0, "maximum": 1}, {"type": "null"}),
                "0 or 1: which of the players won; left out for a draw",
            ),
            "ended": Key(WHOLE, "the number of the event that ended the game"),
            "confirmed": Key(WHOLE, "the number of the event that confirmed the result"),
            "head": Key(TEXT, "the hash of that event"),
            "time": Key(_TIME, "the time of that event, in Unix seconds"),
            "manager": Key(FLAG, "a manager confirmed it"),
            "series": Key(TEXT, "the id of the first game of its series"),
            "rated": Key(FLAG, "whether it counts toward the ratings"),
        },
        needed=("game", "players", "confirmed", "head", "time"),
    ),
    "seat": Part(
        {
            "player": Key(TEXT, "the id of the player"),
            "person": Key(TEXT, "the id of the player in the log of the game"),
            "side": Key(TEXT, "the side"),
        },
        needed=("player", "person"),
    ),
    "standing": Part(
        {
            "player": Key(TEXT, "the id of the player"),
            "rated": Key(WHOLE, "the number of rated games"),
            "rating": Key(NUMBER, "the rating"),
            "deviation": Key(NUMBER, "its standard deviation"),
            "volatility": Key(NUMBER, "the volatility"),
        },
        needed=("player",),
        other_keys=ANY,
    ),
}


@dataclass(frozen=True, slots=True)
class LadderFile:
    """The contents of a ladder's file."""

    system: str
    month: str
    created: float
    formula: Mapping[str, object]
    results: tuple[Result, ...]
    is_rated: tuple[bool, ...]
    """For each result: the file says that it is rated."""
    standings: tuple[Mapping[str, Any], ...]
    names: Mapping[str, str]
    """The names of the players by id."""


def build_ladder_file(
    results: Iterable[Result],
    ladder: Ladder,
    *,
    server: str,
    system: str,
    title: str,
    created: float,
) -> Json:
    """Build the file of a ladder with these results. `server` and `title` are names.

    Its players have numbers in place of their accounts.
    """
    ordered = sorted(results, key=get_order)
    rated = {(result.game, result.confirmed) for result in select_rated(ordered)}
    ids: dict[str, str] = {}
    for result in ordered:
        for seat in result.seats:
            ids.setdefault(seat.player, f"p{len(ids) + 1}")
    records = [record for player, record in ladder.records.items() if player in ids]
    return {
        "format": FORMAT,
        "version": VERSION,
        "server": server,
        "system": system,
        "title": title,
        "created": created,
        "month": ladder.month,
        "formula": dict(FORMULA),
        "players": {ids[record.player]: record.name for record in records},
        "results": [
            _build_result(result, ids, is_rated=(result.game, result.confirmed) in rated)
            for result in ordered
        ],
        "standings": [_build_standing(record, ids[record.player]) for record in records],
    }


def _build_result(result: Result, ids: Mapping[str, str], *, is_rated: bool) -> Json:
    players = [
        {"player": ids[seat.player], "person": seat.person, "side": seat.side}
        for seat in result.seats
    ]
    data: Json = {
        "game": result.game,
        "commitment": result.commitment,
        "scenario": result.scenario,
        "title": result.title,
        "players": players,
        "winner": result.winner,
        "ended": result.ended,
        "confirmed": result.confirmed,
        "head": result.head,
        "time": result.time,
        "manager": result.by_manager,
        "series": result.series,
        "rated": is_rated,
    }
    return {key: value for key, value in data.items() if value not in ("", None)}


def _build_standing(record: Record, id: str) -> Json:
    """Build an entry of the standings. It has figures from GAMES_BEFORE_RATING games on."""
    data: Json = {"player": id, "rated": record.rated}
    if record.has_rating:
        rating = record.rating
        data["rating"] = round(rating.rating, 2)
        data["deviation"] = round(rating.deviation, 2)
        data["volatility"] = round(rating.volatility, 6)
    return data


def is_ladder_file(data: object) -> bool:
    """Return whether parsed JSON calls itself the file of a ladder."""
    return isinstance(data, Mapping) and data.get("format") == FORMAT


def read_ladder_file(data: object) -> LadderFile:
    """Read the file of a ladder from parsed JSON.

    Raises UserError that names the faulty part, or says that a newer version wrote the file.
    """
    version = data.get("version") if isinstance(data, Mapping) else None
    if isinstance(version, int) and version > VERSION:
        raise UserError(
            "This ladder was written by a newer Grognard.",
            hint="Update this one, then try again.",
            code="newer-log",
        )
    try:
        check_shape(data, "file", _PARTS, "the file of the ladder")
    except TableError as error:
        raise UserError(str(error), hint="Export the ladder again.", code="damaged-log") from None
    assert isinstance(data, Mapping)
    system = data["system"]
    rows = data.get("results") or []
    return LadderFile(
        system=system,
        month=data["month"],
        created=data.get("created") or 0.0,
        formula=data.get("formula") or {},
        results=tuple(_read_result(row, system) for row in rows),
        is_rated=tuple(bool(row.get("rated")) for row in rows),
        standings=tuple(data.get("standings") or ()),
        names=data.get("players") or {},
    )


def _read_result(row: Mapping[str, Any], system: str) -> Result:
    first, second = (
        Seat(seat["player"], "", seat["person"], seat.get("side") or "", None, None)
        for seat in row["players"]
    )
    return Result(
        game=row["game"],
        system=system,
        scenario=row.get("scenario") or "",
        title=row.get("title") or "",
        seats=(first, second),
        winner=row.get("winner"),
        commitment=row.get("commitment") or "",
        ended=row.get("ended") or 0,
        confirmed=row["confirmed"],
        head=row["head"],
        time=row["time"],
        by_manager=bool(row.get("manager")),
        series=row.get("series") or "",
    )


def name_result(result: Result) -> str:
    """Return how a sentence names a result: by the title and the id of its game."""
    return f'"{result.title}" (game {result.game})'


def find_ladder_faults(file: LadderFile) -> Iterator[str]:
    """Yield a sentence for each thing in a ladder's file that does not follow from its results."""
    for key, value in FORMULA.items():
        if file.formula.get(key) != value:
            yield f"The formula has {key} {file.formula.get(key)}; every ladder has {value}."
    yield from _find_result_faults(file)
    yield from _find_repeated_games(file)
    yield from _find_limit_faults(file)
    yield from _find_standing_faults(file)


def _find_result_faults(file: LadderFile) -> Iterator[str]:
    """Yield a sentence for each game of one player alone, and for each that is out of order or
    outside its time.
    """
    for result in file.results:
        if result.seats[0].player == result.seats[1].player:
            yield f"{name_result(result)} has the same player on both sides."
        if get_month(result.time) > file.month:
            yield f"{name_result(result)} was confirmed after {file.month}, the month of the file."
        if file.created and result.time > file.created:
            yield f"{name_result(result)} was confirmed after the file was created."
    for previous, result in zip(file.results, file.results[1:], strict=False):
        if get_order(result) < get_order(previous):
            yield f"{name_result(result)} comes after {name_result(previous)}, but was confirmed earlier."


def _find_repeated_games(file: LadderFile) -> Iterator[str]:
    """Yield a sentence for each game that is listed twice, or has the dice of another one."""
    games = Counter(result.game for result in file.results)
    commitments = Counter(result.commitment for result in file.results if result.commitment)
    for game, count in games.items():
        if count > 1:
            result = next(result for result in file.results if result.game == game)
            yield f"{name_result(result)} is listed {count} times."
    for commitment, count in commitments.items():
        group = [result for result in file.results if result.commitment == commitment]
        if count > 1 and len({result.game for result in group}) > 1:
            first, second = group[:2]
            yield f"{name_result(second)} has the dice of {name_result(first)}."


def _find_limit_faults(file: LadderFile) -> Iterator[str]:
    """Yield a sentence for each game that the file wrongly says is rated, or is not."""
    rated = {id(result) for result in select_rated(file.results)}
    for result, is_rated in zip(file.results, file.is_rated, strict=True):
        month = get_month(result.time)
        names = " and ".join(_get_name(file, seat.player) for seat in result.seats)
        if is_rated and id(result) not in rated:
            yield (
                f"{name_result(result)} is rated, but {names} already had "
                f"{MOST_RATED_A_MONTH} rated games in {month} before it."
            )
        elif not is_rated and id(result) in rated:
            yield (
                f"{name_result(result)} is not rated, but it is among the first "
                f"{MOST_RATED_A_MONTH} games of {names} in {month}."
            )


def _find_standing_faults(file: LadderFile) -> Iterator[str]:
    """Yield a sentence for each player whose standing does not follow from the results."""
    records = compute_ladder(file.results, file.month).records
    listed = Counter(str(row["player"]) for row in file.standings)
    for player in records:
        if not listed[player]:
            yield f"{_get_name(file, player)} has played, but is not in the standings."
    for player, count in listed.items():
        if count > 1:
            yield f"{_get_name(file, player)} is in the standings {count} times."
        if player not in records:
            yield f"{_get_name(file, player)} is in the standings without a game."
    for row in file.standings:
        record = records.get(str(row["player"]))
        if record is not None:
            yield from _compare_standing(_get_name(file, record.player), row, record)


def _compare_standing(name: str, row: Mapping[str, Any], record: Record) -> Iterator[str]:
    """Yield a sentence for each figure of a player that is not what the results give."""
    if row.get("rated") != record.rated:
        yield f"The file gives {name} {row.get('rated')} rated games; it should be {record.rated}."
    if not record.has_rating:
        if row.get("rating") is not None:
            yield f"{name} has a rating after fewer than {GAMES_BEFORE_RATING} rated games."
        return
    figures: Sequence[tuple[str, float, float]] = (
        ("rating", record.rating.rating, PRECISION),
        ("deviation", record.rating.deviation, PRECISION),
        ("volatility", record.rating.volatility, PRECISION / 10_000),
    )
    for key, value, precision in figures:
        in_file = row.get(key)
        # a little more than half of the last decimal, for a computer that rounds otherwise
        if in_file is None or abs(in_file - value) > precision * 1.02:
            digits = 2 if precision == PRECISION else 6
            yield f"The file gives {name} a {key} of {in_file}; the results give {value:.{digits}f}."


def _get_name(file: LadderFile, player: str) -> str:
    return file.names.get(player) or player
