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
TRIALS = 4
"""How often a growth that is too high is measured before it is believed: a busy machine can slow
down one side of a comparison, while quadratic cost shows every time.
"""


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
    cost = _seconds(run, longer)
    if cost < HARMLESS:
        return 0.0, cost
    least, cost = _compare(run, longer, shorter)
    for _ in range(TRIALS - 1):
        if least < MOST_GROWTH:
            break
        again, cost = _compare(run, longer, shorter)
        least = min(least, again)
    return least, cost


def _compare(run: Callable[[str], object], longer: str, shorter: str) -> tuple[float, float]:
    """Return the growth as measured once, and the cost of the longer text: best of five each."""
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
