"""Reading a text costs no more than its length: every regular expression and every hand-written
parser is tried on repeated pieces of its own syntax. Four times the length costs less than eight
times as much processor time.

The quick run draws some of the pieces for each; the slow one tries all, on longer texts too.
"""

import random
from collections.abc import Iterable, Sequence
from functools import partial

import pytest

from tests.growth import LONG, MOST_GROWTH, growth
from tests.parsers import PIECES, Parser, parsers, repeated, text_functions
from tests.patterns import (
    Pattern,
    all_patterns,
    heads_of,
    pieces_of,
    run_method,
    subject,
    without_example,
)

SOME = 3
"""How many pieces are tried in the quick run."""
LONGER = 40_000
PARTS = 8
"""The patterns are tried in so many parts, each of which has the time limit of a test."""


@pytest.mark.slow
def test_every_pattern_is_found_also_those_that_are_made_inside_a_function() -> None:
    missing, stale = without_example()
    assert not missing, "put an example of each into tests/patterns.py, EXAMPLES"
    assert not stale
    assert len(all_patterns()) > 200


def test_the_cost_of_every_pattern_grows_with_the_length_of_the_text() -> None:
    slow = [
        said
        for pattern in all_patterns()
        for said in _slow_pattern(pattern, _drawn(pattern), ("",), LONG)
    ]
    assert not slow, slow


@pytest.mark.slow_sample(3)
@pytest.mark.slow
@pytest.mark.parametrize("first", range(PARTS))
def test_the_cost_of_every_pattern_grows_with_the_length_of_longer_texts(first: int) -> None:
    slow = []
    for pattern in all_patterns()[first::PARTS]:
        pieces = pieces_of(pattern.compiled)
        slow += _slow_pattern(pattern, pieces, heads_of(pattern.compiled), LONG)
        slow += _slow_pattern(pattern, _drawn(pattern), ("",), LONGER)
    assert not slow, slow


def _drawn(pattern: Pattern) -> list[str]:
    pieces = pieces_of(pattern.compiled)
    return random.Random(pattern.place).sample(pieces, min(SOME, len(pieces)))


def _slow_pattern(
    pattern: Pattern, pieces: list[str], heads: tuple[str, ...], length: int
) -> list[str]:
    found = []
    for method in pattern.methods:
        for piece in pieces:
            for head in heads:
                for is_broken in (False, True):
                    make = partial(subject, piece, head, is_broken=is_broken)
                    times, seconds = growth(
                        partial(run_method, pattern.compiled, method), make, length
                    )
                    if times >= MOST_GROWTH:
                        what = f"{pattern.place}.{method} on {head!r} + {piece!r} times {length}"
                        found.append(f"{what}: {times:.0f} times as much, {seconds:.3f} s")
    return found


@pytest.mark.parametrize(
    "some",
    [
        pytest.param(PIECES[::4], marks=pytest.mark.slow, id="a quarter"),
        pytest.param(PIECES, marks=pytest.mark.thorough, id="all"),
    ],
)
def test_the_cost_of_every_parser_grows_with_every_piece(some: Sequence[str]) -> None:
    slow = []
    for name, function in text_functions().items():
        slow += _slow_parser(name, function, LONG, some)
    for name, (parse, longest) in parsers().items():
        slow += _slow_parser(name, parse, min(LONG, longest), some)
    assert not slow, slow
    assert len(text_functions()) > 200


def _slow_parser(name: str, parse: Parser, length: int, pieces: Iterable[str]) -> list[str]:
    found = []
    for piece in pieces:
        times, seconds = growth(parse, partial(repeated, piece), length)
        if times >= MOST_GROWTH:
            found.append(
                f"{name} on {piece!r} times {length}: {times:.0f} times as much, {seconds:.3f} s"
            )
    return found
