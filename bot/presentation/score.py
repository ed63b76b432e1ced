"""The score of a game in words, and who wins by it."""

from bot.game.score import (
    Score,
    compute_score,
    find_final_winner,
    is_score_against,
    list_scores,
)
from bot.game.sides import fit_verb, format_possessive
from bot.game.state import DRAW, Game
from bot.rules.text.phrase import capitalize_first
from bot.rulesets.system import System

CONFIRM_SCORE = "Confirm"
"""The beginning of the label of the button that ends the game with the winner by the score."""


def describe_winner_by_score(winner: str) -> str:
    """Return a sentence on the winner that the score gives, a side or DRAW: `By the score, Duke
    wins.`
    """
    if winner == DRAW:
        return "By the score, it is a draw."
    return f"By the score, {winner} {fit_verb(winner, 'wins', 'win')}."


def describe_decision_against_score(winner: str) -> str:
    """Return a sentence on a `winner`, a side or DRAW, that the players name and the score does
    not.
    """
    outcome = "A draw" if winner == DRAW else capitalize_first(format_possessive(winner, "win"))
    return f"{outcome} is the players' decision; the score says otherwise."


def format_score(score: Score) -> str:
    """Return the score of a game by side: `Duke 9, League 3`."""
    sides: dict[str, list[str]] = {}
    for key, value in score.values.items():
        sides.setdefault(key.rpartition("/")[0], []).append(str(value))
    return ", ".join(f"{side} {' and '.join(values)}" for side, values in sides.items())


def list_score_lines(game: Game, system: System | None, winner: str) -> list[str]:
    """Return a line for each score track, before the game ends with this `winner`, and a sentence
    if the score gives another one. "" names nobody.
    """
    is_final = bool(find_final_winner(game, system))
    rows = list_scores(game, system, with_verdict=not is_final)
    lines = [f"{title}: {scores}" for title, scores in rows]
    if is_score_against(compute_score(game, system), winner):
        lines.append(describe_decision_against_score(winner))
    return lines
