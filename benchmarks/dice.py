"""What dice text costs, from what was typed to the text of the answer, as multiples of PyPI d20 doing the same.

Run as `python -m benchmarks.dice`. Ours under both dice protocols and d20 take turns, and each round gives a ratio for
each: median, lowest and highest are printed.
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
from bot.rules.proof.fair import PROTOCOLS, dice_of

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
GOALS = {1: 2.5, 2: 2.5}
"""By protocol."""
events = count(1)


def ours(text: str, protocol: int) -> Callable[[], object]:
    """One roll with the dice of its own event."""
    return lambda: roll(parse(text), dice_of(protocol, SEED, GAME, next(events))).text()


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
        mine = {protocol: ours(text, protocol) for protocol in PROTOCOLS}
        found = {protocol: list[float]() for protocol in PROTOCOLS}
        ratios = {protocol: list[float]() for protocol in PROTOCOLS}
        for _ in range(ROUNDS):
            theirs = each(lambda written=written: str(d20.roll(written)))  # type: ignore[misc]
            for protocol in PROTOCOLS:
                found[protocol].append(each(mine[protocol]))
                ratios[protocol].append(theirs / found[protocol][-1])
        for protocol in PROTOCOLS:
            print(line(text, protocol, found[protocol], ratios[protocol]))
            goal(f"dice text, `{text}`, protocol {protocol}, beside d20", ratios[protocol], least=GOALS[protocol])


def line(text: str, protocol: int, found: list[float], ratios: list[float]) -> str:
    """What one expression costs under one protocol, and how that is to d20."""
    told = f"{text:28} protocol {protocol} {statistics.median(found):7.1f} us"
    return f"{told}   {statistics.median(ratios):5.2f} times d20 ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
