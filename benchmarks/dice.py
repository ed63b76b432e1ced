"""What dice text costs, from what was typed to the text of the answer, as multiples of PyPI d20
doing the same.

Run as `python -m benchmarks.dice`. Ours and d20 take turns, and each round gives a ratio:
median, lowest and highest are printed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from itertools import count

import d20

from benchmarks.goals import goal
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from bot.rules.proof.fair import Stream

ROUNDS, LEAST = 15, 0.03
SEED, GAME = bytes(range(32)), "a1b2c3d4e5f60718"
THEIRS = {
    "2d6+3": "2d6+3",
    "4d6kh3": "4d6kh3",
    "10d10>=8": "10d10>7",
    "1d20+1d4+5": "1d20+1d4+5",
    "2d6+1d8+4d6kh3-2d4+1d20*2+7": "2d6+1d8+4d6kh3-2d4+1d20*2+7",
}
"""Ours, and how d20 writes it."""
GOAL = 2.5
"""How many times as fast as d20 ours should be."""
events = count(1)


def make_roll(text: str) -> Callable[[], object]:
    """Return a function that rolls `text` with the dice of a new event."""
    return lambda: roll(parse(text), Stream(SEED, GAME, next(events))).format_text()


def each(task: Callable[[], object]) -> float:
    """Microseconds of processor time for one run: others on the machine do not count."""
    runs, start = 0, time.process_time()
    while (taken := time.process_time() - start) < LEAST:
        for _ in range(50):
            task()
        runs += 50
    return taken / runs * 1e6


def main() -> None:
    """Print a line for each expression."""
    for text, written in THEIRS.items():
        roll_ours = make_roll(text)
        times = list[float]()
        ratios = list[float]()
        for _ in range(ROUNDS):
            theirs = each(lambda written=written: str(d20.roll(written)))  # type: ignore[misc]
            times.append(each(roll_ours))
            ratios.append(theirs / times[-1])
        print(format_line(text, times, ratios))
        goal(f"dice text, `{text}`, beside d20", ratios, least=GOAL)


def format_line(text: str, times: list[float], ratios: list[float]) -> str:
    """Format what one expression costs, in microseconds and as a multiple of d20."""
    cost = f"{text:28} {statistics.median(times):7.1f} us"
    return f"{cost}   {statistics.median(ratios):5.2f} times d20 ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
