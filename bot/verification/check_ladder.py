"""The check of a ladder's file: ratings and standings by computing them again, and each result
against the log of its game.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.game.events import apply
from bot.game.results import CountedPlay
from bot.game.state import DRAW, Game
from bot.ladder.export import (
    FORMAT,
    LadderFile,
    find_ladder_faults,
    name_result,
    read_ladder_file,
)
from bot.ladder.result import Result
from bot.rules.text.names import format_count
from bot.verification.check_file import check, read_file_text, read_raw_text
from bot.verification.check_series import find_series_faults, read_series_game
from bot.verification.export_format import Exported, read_export, read_json

Body = Mapping[str, Any]
_HEAD = 500
"""Number of characters at the beginning of a ladder's file that name its format."""


@dataclass(frozen=True, slots=True)
class LadderFindings:
    """The findings of the check of a ladder: faults, one line each, and what could be checked."""

    faults: tuple[str, ...]
    results: int
    proved: int
    """The number of results that were compared with the log of their game."""
    remarks: tuple[str, ...] = ()
    """Lines that are no faults, but worth knowing."""

    @property
    def status(self) -> int:
        """The exit status: 0 if all is sound, 1 for faults, 3 if logs of results are missing."""
        if self.faults:
            return 1
        return 3 if self.proved < self.results else 0

    def format_summary(self) -> list[str]:
        """Format the findings as lines to print: counts and remarks. Faults are only counted."""
        lines = [
            f"{format_count(self.results, 'result')}, {self.proved} compared with their logs, "
            f"{format_count(len(self.faults), 'fault')}."
        ]
        missing = self.results - self.proved
        if missing:
            lines.append(
                f"{format_count(missing, 'result')} without a log: "
                "list the files from /game export after the file of the ladder."
            )
        return [*lines, *self.remarks]


def is_ladder(path: Path) -> bool:
    """Return whether a file is that of a ladder, compressed or not. Raises UserError if it is
    unreadable.
    """
    text = read_raw_text(path)
    return f'"{FORMAT}"' in text[:_HEAD]


def check_ladder_files(ladder: Path, logs: Sequence[Path]) -> LadderFindings:
    """Check the file of a ladder with the files of games, exports or after-action pages.

    Raises UserError for files that are none.
    """
    data = read_json(read_raw_text(ladder), f"The file {ladder}")
    log_data = [read_json(read_file_text(log), f"The file {log}") for log in logs]
    return check_ladder(data, log_data)


def check_ladder(data: object, logs: Sequence[object] = ()) -> LadderFindings:
    """Check a ladder (parsed JSON), its results against the `logs` of games (parsed JSON).

    Raises UserError for data that is no ladder, and for a log that is none.
    """
    ladder = read_ladder_file(data)
    faults = list(find_ladder_faults(ladder))
    remarks: list[str] = []
    results = {result.game: result for result in ladder.results}
    proved = set()
    series_games = []
    for log_data in logs:
        log = read_export(log_data)
        result = results.get(log.game)
        if result is None:
            remarks += _describe_other_log(log, ladder)
            continue
        proved.add(log.game)
        name = name_result(result)
        findings = check(log_data)
        faults += [f"{name}, its log: {fault}" for fault in findings.faults]
        remarks += [f"{name}, its log: {remark}" for remark in findings.remarks]
        if not findings.faults:
            faults += [f"{name}: {fault}" for fault in _find_result_faults(result, log)]
            series_games.append(read_series_game(log))
    for game, fault in find_series_faults(series_games):
        faults.append(f"{name_result(results[game])}: {fault}")
    return LadderFindings(tuple(faults), len(ladder.results), len(proved), tuple(remarks))


def _describe_other_log(log: Exported, ladder: LadderFile) -> Iterator[str]:
    """Yield a remark on a log whose game is not in the ladder."""
    game = _replay_log(log, len(log.events))
    if game.confirmed and game.system == ladder.system:
        yield (
            f"The game {log.game} has a confirmed result in its log, and is not in the ladder. "
            "It may count on another server."
        )
    else:
        yield f"The game {log.game} is not in the ladder."


def _find_result_faults(result: Result, log: Exported) -> Iterator[str]:
    """Yield a sentence for each part of a result that its sound log does not say."""
    bodies = {event.number: event.body for event in log.events}
    confirmation = bodies.get(result.confirmed, {})
    if confirmation.get("kind") != "confirm":
        yield f"its log confirms no result in event {result.confirmed}."
        return
    hashes = {event.number: event.hash for event in log.events}
    if hashes[result.confirmed] != result.head:
        yield f"event {result.confirmed} has another hash in its log than in the ladder."
    game = _replay_log(log, result.confirmed)
    yield from _compare_players(result, log, game)
    yield from _compare_facts(result, log, confirmation, game)
    if _replay_log(log, len(log.events)).confirmed != result.confirmed:
        yield "its result was taken back later in the log."


def _compare_players(result: Result, log: Exported, game: Game) -> Iterator[str]:
    """Yield a sentence if other players agreed, played other sides, or if another one won.

    `game` is the state of the game when the result was confirmed.
    """
    persons = {seat.person for seat in result.seats}
    if persons != {*game.counted}:
        yield "the players in the ladder are not those who let the game count in its log."
        return
    bodies = (event.body for event in log.events if event.number <= result.confirmed)
    sides = CountedPlay.read(bodies, game.counted).sides
    for seat in result.seats:
        in_log = sides.get(seat.person, "")
        if in_log != seat.side:
            yield f"a player has the side {seat.side} in the ladder, and {in_log} in its log."
    in_ladder = DRAW if result.winner is None else result.seats[result.winner].side
    if game.winner != in_ladder:
        yield f"the ladder says {_name_winner(in_ladder)}, its log {_name_winner(game.winner)}."


def _name_winner(winner: str) -> str:
    return "a draw" if winner == DRAW else f"{winner} won"


def _compare_facts(result: Result, log: Exported, confirmation: Body, game: Game) -> Iterator[str]:
    """Yield a sentence for each other fact of a result that is not that of the `confirmation`."""
    if confirmation["event"] != result.ended:
        yield f"the ladder says it ended in event {result.ended}, its log {confirmation['event']}."
    if confirmation["at"] != result.time:
        yield "the ladder has another time of the confirmation than its log."
    if ("by" in confirmation) != result.by_manager:
        yield "the ladder and its log do not agree on whether a manager confirmed it."
    if game.system != result.system:
        yield f"it was played by the rules of {game.system}, not of {result.system}."
    start = log.events[0].body
    if log.seeds and log.seeds[0].commitment != result.commitment:
        yield "the ladder has another commitment to its dice than its log."
    if start.get("scenario", "") != result.scenario:
        yield "the ladder has another scenario than its log."
    if start.get("series", "") != result.series:
        yield "its series on the ladder is not the one in its log."


def _replay_log(log: Exported, number: int) -> Game:
    """Return the game after the event with this number."""
    game = Game(log.game)
    for event in log.events:
        if event.number <= number:
            game = apply(game, event.body)
    return game
