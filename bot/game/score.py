"""The score of a game: the tracks that say who wins, and the winner that they give.

Play and `grognard verify` share these functions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.game.phases import is_past_last_turn
from bot.game.state import DRAW, Game, Json
from bot.rules.inputs.tracks import HIGHEST, Track
from bot.rulesets.system import System


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a game at some time."""

    winner: str
    """The side that wins by it, DRAW if it is level, "" if it names nobody."""
    values: Mapping[str, Any]
    """The values of its tracks by their keys in the game, such as `US/points`."""

    def to_json(self) -> Json:
        """Return it as the end of a game records it."""
        data: Json = {"tracks": dict(self.values)}
        return {"winner": self.winner, **data} if self.winner else data


def compute_score(game: Game, system: System | None) -> Score | None:
    """Return the score of a game, or None without a track that says who wins, or without sides."""
    tracks = _list_score_tracks(game, system)
    if not tracks:
        return None
    leaders = [_list_leaders(game, track) for track in tracks]
    winner = ""
    if all(sides == leaders[0] for sides in leaders):
        if len(leaders[0]) == 1:
            winner = leaders[0][0]
        elif leaders[0] == [*game.sides]:
            winner = DRAW
    values = {
        track.get_key(side): track.get_value(game.tracks, side)
        for track in tracks
        for side in game.sides
    }
    return Score(winner, values)


def find_final_winner(game: Game, system: System | None) -> str:
    """Return the winner by the score after the last turn of a scenario: a side or DRAW.

    Return "" before that, without a score, and if it names nobody.
    """
    score = compute_score(game, system) if is_past_last_turn(game) else None
    return score.winner if score is not None else ""


def is_score_against(score: Score | None, winner: str) -> bool:
    """Return whether a game with this score names another winner than the score gives.

    `winner` is the side that the players name, or DRAW. If it is "", or the score names nobody,
    nothing is against the score.
    """
    return bool(winner) and score is not None and score.winner not in ("", winner)


def list_scores(
    game: Game, system: System | None, *, with_verdict: bool = True
) -> list[tuple[str, str]]:
    """Return the title and standing of each score track: `Duke 9, League 3: Duke is ahead`.

    The last part is left out unless `with_verdict`.
    """
    rows = list[tuple[str, str]]()
    for track in _list_score_tracks(game, system):
        leaders = _list_leaders(game, track)
        verdict = ": level"
        if len(leaders) == 1:
            verdict = f": {leaders[0]} is ahead"
        scores = ", ".join(f"{side} {track.get_value(game.tracks, side)}" for side in game.sides)
        rows.append((track.title, scores + verdict if with_verdict else scores))
    return rows


def get_logged_score(end: Mapping[str, Any] | None) -> Score | None:
    """Return the score that the end of a game recorded, or None if it recorded none."""
    data = (end or {}).get("score")
    if data is None:
        return None
    return Score(data.get("winner", ""), data["tracks"])


def _list_score_tracks(game: Game, system: System | None) -> list[Track]:
    """Return the tracks that say who wins, if the game has sides."""
    if system is None or not game.sides:
        return []
    return [track for track in system.tracks.values() if track.wins]


def _list_leaders(game: Game, track: Track) -> list[str]:
    """Return the sides with the best value of a track that is the score."""
    values = {side: track.get_value(game.tracks, side) for side in game.sides}
    best = min(values.values())
    if track.wins == HIGHEST:
        best = max(values.values())
    return [side for side, value in values.items() if value == best]
