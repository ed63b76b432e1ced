"""What dice text costs, from what was typed to the text of the answer, as multiples of PyPI d20 doing the same.

Run as `python -m benchmarks.dice`; where d20 is not installed (`pip install d20`) ours is printed alone. The two take
turns, and each round gives one ratio: median, lowest and highest are printed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib import import_module
from itertools import count

from bot.rules.expression import parse, roll
from bot.rules.proof.fair import Stream

ROUNDS, LEAST = 9, 0.05
SEED = bytes(range(32))
THEIRS = {
    "2d6+3": "2d6+3",
    "4d6kh3": "4d6kh3",
    "10d10>=8": "10d10>7",
    "1d20+1d4+5": "1d20+1d4+5",
    "2d6+1d8+4d6kh3-2d4+1d20*2+7": "2d6+1d8+4d6kh3-2d4+1d20*2+7",
}
"""Ours, and how d20 writes it."""
events = count(1)


def ours(text: str) -> Callable[[], object]:
    """One roll with the dice of its own event."""
    return lambda: roll(parse(text), Stream(SEED, "benchmark", next(events))).text()


def each(task: Callable[[], object]) -> float:
    """Microseconds of one run."""
    runs, start = 0, time.perf_counter()
    while (taken := time.perf_counter() - start) < LEAST:
        for _ in range(50):
            task()
        runs += 50
    return taken / runs * 1e6


def main() -> None:
    """Print a line for each expression."""
    try:
        d20 = import_module("d20")
    except ImportError:
        d20 = None
    for text, written in THEIRS.items():
        mine, found, ratios = ours(text), list[float](), list[float]()
        for _ in range(ROUNDS):
            found.append(each(mine))
            if d20 is not None:
                ratios.append(each(lambda written=written: str(d20.roll(written))) / found[-1])  # type: ignore[misc]
        line = f"{text:28} {statistics.median(found):7.1f} us"
        if ratios:
            line += f"   {statistics.median(ratios):5.2f} times d20 ({min(ratios):.2f} to {max(ratios):.2f})"
        print(line)


if __name__ == "__main__":
    main()
