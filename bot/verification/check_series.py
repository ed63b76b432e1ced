"""The check of the two games of a series against each other: a manager who decided the result of
one played in neither.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.game.results import ELSEWHERE, CountedPlay
from bot.verification.export_format import Exported


class ManagerDecision(NamedTuple):
    """An event by which a manager confirmed or struck a result."""

    number: int
    time: int
    """In Unix seconds."""
    names_other_game: bool
    other_game: str
    """The id of the other game that it names, "" if it names none or its text was deleted."""
    key: str
    """The key of the manager there."""


class SeriesGame(NamedTuple):
    """What the log of a game says to the check of its series."""

    game: str
    first_game: str
    """The id of the first game of its series; its own if it is in none."""
    started: int
    """In Unix seconds."""
    player_keys: frozenset[str]
    """The keys of all who ever played a side."""
    decisions: tuple[ManagerDecision, ...]


def read_series_game(log: Exported) -> SeriesGame:
    """Read from a sound log what the check of its series needs."""
    bodies = [event.body for event in log.events]
    start = bodies[0]
    players = CountedPlay.read(bodies, ()).players
    return SeriesGame(
        game=log.game,
        first_game=str(start.get("series", log.game)),
        started=int(start["at"]),
        player_keys=frozenset(
            person.key for person in log.persons if person.key and person.person in players
        ),
        decisions=tuple(
            _read_decision(log, body)
            for body in bodies
            if body["kind"] in ("confirm", "strike") and "by" in body
        ),
    )


def _read_decision(log: Exported, body: Mapping[str, Any]) -> ManagerDecision:
    """Read an event by which a manager decided a result."""
    number = int(body["number"])
    texts = (row.text for row in log.texts if (row.event, row.key) == (number, ELSEWHERE))
    other_game, _, key = next(texts, "").partition(" ")
    return ManagerDecision(
        number, int(body["at"]), ELSEWHERE in body.get("texts", {}), other_game, key
    )


def find_series_faults(games: Iterable[SeriesGame]) -> Iterator[tuple[str, str]]:
    """Yield the id of a game and a sentence for each manager who decided its result, and played in
    the other game of the series, or does not say who they are there.
    """
    games = [*games]
    for game in games:
        for sibling in games:
            if sibling.game != game.game and sibling.first_game == game.first_game:
                for decision in game.decisions:
                    fault = _find_decision_fault(decision, sibling)
                    if fault:
                        yield game.game, f"event {decision.number}: {fault}"


def _find_decision_fault(decision: ManagerDecision, sibling: SeriesGame) -> str:
    """Return the fault of a manager's decision against the `sibling`, the other game of the series, else ""."""
    if not decision.names_other_game and sibling.started <= decision.time:
        return "a manager does not say who they are in the other game of the series."
    if decision.key and decision.other_game != sibling.game:
        return "a manager names another game as the other one of the series."
    if decision.key in sibling.player_keys:
        return "a manager who played in the other game of the series decided the result."
    return ""
