"""Compute every rating of an exported ladder again, by a program of its own.

    python -m tests.ladder.recompute_ratings ladder.json

It is written from Glickman's paper and docs/ladder.md, and imports nothing of the bot. It prints
each player with rating, deviation and volatility, and exits with 1 if the file has others.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from math import exp, log, pi, sqrt
from pathlib import Path
from typing import Any

TAU = 0.5
POINTS = 173.7178
Figures = tuple[float, float, float]
"""Rating, deviation and volatility."""
START: Figures = (1500.0, 350.0, 0.06)


def g(phi: float) -> float:
    return 1 / sqrt(1 + 3 * phi**2 / pi**2)


def expect(mu: float, other_mu: float, other_phi: float) -> float:
    return 1 / (1 + exp(-g(other_phi) * (mu - other_mu)))


def find_sigma(delta: float, phi: float, v: float, sigma: float) -> float:
    """Return the new volatility: the zero of f in step 5, found by halving an interval."""
    a = log(sigma**2)

    def f(x: float) -> float:
        numerator = exp(x) * (delta**2 - phi**2 - v - exp(x))
        return numerator / (2 * (phi**2 + v + exp(x)) ** 2) - (x - a) / TAU**2

    low, high = a - 50.0, a + 50.0
    while high - low > 1e-12 * abs(a):
        middle = (low + high) / 2
        if f(middle) > 0:  # f falls from left to right
            low = middle
        else:
            high = middle
    return exp((low + high) / 4)


def rate(
    rating: float, deviation: float, sigma: float, games: Sequence[tuple[float, float, float]]
) -> Figures:
    """Return the figures after a period. `games` are (rating, deviation, score) of opponents."""
    mu, phi = (rating - 1500) / POINTS, deviation / POINTS
    if not games:
        return rating, min(350.0, POINTS * sqrt(phi**2 + sigma**2)), sigma
    others = [((r - 1500) / POINTS, d / POINTS, s) for r, d, s in games]
    v = 1 / sum(g(p) ** 2 * expect(mu, m, p) * (1 - expect(mu, m, p)) for m, p, _ in others)
    gain = sum(g(p) * (s - expect(mu, m, p)) for m, p, s in others)
    sigma = find_sigma(v * gain, phi, v, sigma)
    new_phi = 1 / sqrt(1 / (phi**2 + sigma**2) + 1 / v)
    return 1500 + POINTS * (mu + new_phi**2 * gain), min(350.0, POINTS * new_phi), sigma


def get_month(time: float) -> str:
    day = datetime.fromtimestamp(time, timezone.utc)  # noqa: UP017
    return f"{day.year}-{day.month:02}"


def list_months(first: str, last: str) -> list[str]:
    year, month = int(first[:4]), int(first[5:])
    months = []
    while f"{year}-{month:02}" <= last:
        months.append(f"{year}-{month:02}")
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return months


def recompute(ladder: dict[str, Any]) -> dict[str, tuple[Figures, int]]:
    """Return the figures of each player, and the number of their rated games."""
    months: dict[str, list[dict[str, Any]]] = {}
    for result in ladder["results"]:
        months.setdefault(get_month(result["time"]), []).append(result)
    figures: dict[str, Figures] = {}
    counts: dict[str, int] = {}
    for month in list_months(min(months, default=ladder["month"]), ladder["month"]):
        played: dict[str, list[tuple[float, float, float]]] = {}
        meetings: dict[frozenset[str], int] = {}
        for result in months.get(month, []):
            first, second = (seat["player"] for seat in result["players"])
            pair = frozenset((first, second))
            meetings[pair] = meetings.get(pair, 0) + 1
            if meetings[pair] > 3:
                continue
            score = {0: 1.0, 1: 0.0, None: 0.5}[result.get("winner")]
            before = {player: figures.get(player, START) for player in pair}
            played.setdefault(first, []).append((*before[second][:2], score))
            played.setdefault(second, []).append((*before[first][:2], 1 - score))
        for player in figures.keys() | played.keys():
            games = played.get(player, [])
            counts[player] = counts.get(player, 0) + len(games)
            played_from = figures.get(player, START)
            played[player] = games
            figures[player] = played_from
        figures = {player: rate(*figures[player], played[player]) for player in figures}
    return {player: (figures[player], counts[player]) for player in figures}


def find_differences(ladder: dict[str, Any]) -> list[str]:
    """Return a line for each player whose figures in the file are not what the results give."""
    recomputed = recompute(ladder)
    lines = []
    for standing in ladder["standings"]:
        player = standing["player"]
        (rating, deviation, sigma), count = recomputed.pop(player)
        is_same = standing["rated"] == count
        if count >= 5:
            is_same = is_same and abs(standing["rating"] - rating) < 0.01
            is_same = is_same and abs(standing["deviation"] - deviation) < 0.01
            is_same = is_same and abs(standing["volatility"] - sigma) < 0.000002
        else:
            is_same = is_same and "rating" not in standing
        if not is_same:
            lines.append(f"{player}: {rating:.2f} {deviation:.2f} {sigma:.6f}, {count} games")
    return [*lines, *(f"{player} is missing" for player in recomputed)]


def main(path: str) -> int:
    ladder = json.loads(Path(path).read_text("utf-8"))
    for player, ((rating, deviation, sigma), count) in recompute(ladder).items():
        name = ladder["players"].get(player, player)
        print(f"{name}: {rating:.2f} ± {deviation:.2f}, {sigma:.6f}, {count} games")
    differences = find_differences(ladder)
    for line in differences:
        print(f"The file has others for {line}")
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
