"""How the cost of a call grows with the length of its text, in processor time."""

import inspect
from collections.abc import Callable
from time import process_time

SHORT, LONG = 1_000, 4_000
MOST_GROWTH = 8.0
"""Four times the length may cost less than eight times as much; sixteen times as much is
quadratic.
"""
HARMLESS = 0.004
"""Seconds of the longer text below which growth is not asked for: noise would be most of it."""


class TooDeep(AssertionError):
    """A parser that calls itself for each piece of a text."""


def growth(
    run: Callable[[str], object], make: Callable[[int], str], long: int = LONG
) -> tuple[float, float]:
    """Return how many times as much a text of `long` characters costs as one of a quarter, and its
    cost in seconds.

    The growth is 0 where the longer one costs next to nothing. Raises TooDeep.
    """
    longer, shorter = make(long), make(long * SHORT // LONG)
    if (cost := _seconds(run, longer)) < HARMLESS:
        return 0.0, cost
    cost = min(_seconds(run, longer) for _ in range(5))
    if cost < HARMLESS:
        return 0.0, cost
    return cost / max(1e-6, min(_seconds(run, shorter) for _ in range(5))), cost


def _seconds(run: Callable[[str], object], text: str) -> float:
    begin = process_time()
    try:
        result = run(text)
        if inspect.isgenerator(result):
            for _ in result:
                pass
    except RecursionError:
        raise TooDeep(f"{text[:20]!r}, {len(text)} characters") from None
    except Exception:
        pass  # most of these texts are refused; how, other tests ask
    return process_time() - begin
