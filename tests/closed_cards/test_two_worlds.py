"""The attack: pairs of worlds that differ in one closed card only, and nobody but its holder can
tell them apart.

In both all else is the same, salts and seeds too: what the others do, see and are refused, every
file and the log. Only hashes and heads are masked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from random import Random
from unittest.mock import patch

import pytest

from tests.closed_cards.two_worlds_helpers import (
    World,
)
from tests.fresh import fresh_app, run
from tests.playing import Channel

WORDS = "Aa, Bbb, Cccc, Ddddd, Eeeeee, Fffffff, Gg, Hhhhhhhhhhhh"
"""Eight cards of different lengths."""
START = (
    ("Anna", 'game start lnlt Cards sides="US, VC, NVA"'), ("Anna", "game join US"), ("Bob", "game join VC"),
    ("Carl", "game join NVA"), ("Anna", f'deck make "{WORDS}" cup'),
)  # fmt: skip


async def played(
    faces: Mapping[int, Sequence[int]], lines: Sequence[tuple[str, str]], holder: str
) -> list[str]:
    clock = count(1_800_000_000, 7)
    world = World(Channel(await fresh_app(lambda: float(next(clock)), lambda: 0.0)), faces)
    for name, line in (*START, *lines):
        await world.do(name, line, holder=holder)
        if (name, line) not in START:
            await world.look()
    return world.seen


def seen(
    faces: Mapping[int, Sequence[int]], lines: Sequence[tuple[str, str]], holder: str = "Anna"
) -> list[str]:
    """What everybody but the holder sees of a game, the same for the same dice."""
    with patch("os.urandom", Random(26).randbytes):
        return run(played(faces, lines, holder))


PAIRS: dict[str, tuple[tuple[tuple[str, str], ...], dict[int, list[int]], dict[int, list[int]]]] = {
    # Event 6 draws Aa and then Bbb or Hhhhhhhhhhhh; event 7 draws Eeeeee openly, by another face.
    "another's hand": (
        (("Anna", "deck draw cup 2 me"), ("Bob", "deck draw cup")),
        {6: [1, 1], 7: [3]}, {6: [1, 7], 7: [4]},
    ),
    "a card played, another kept": (
        (("Anna", "deck draw cup 2 me"), ("Anna", "deck play Aa"), ("Bob", "deck draw cup")),
        {6: [1, 1], 8: [3]}, {6: [1, 7], 8: [4]},
    ),
    "a face that is a word of the answer": (
        (("Anna", "deck draw cup to=me"), ("Bob", "deck draw cup")),
        {6: [1], 7: [4]}, {6: [8], 7: [5]},
    ),
    "an undone draw": (
        (("Anna", "deck draw cup to=me"), ("Anna", "game undo"), ("Bob", "game undo"), ("Bob", "deck draw cup")),
        {6: [2], 8: [5]}, {6: [8], 8: [5]},
    ),
    "a given card": (
        (("Anna", "deck draw cup to=me"), ("Anna", "deck give all NVA"), ("Bob", "deck draw cup")),
        {6: [2], 8: [4]}, {6: [8], 8: [5]},
    ),
    "a card picked from a hand, another kept": (
        (("Anna", "deck draw cup 2 me"), ("Anna", "pick Play 0"), ("Bob", "deck draw cup")),
        {6: [1, 1], 8: [3]}, {6: [1, 7], 8: [4]},
    ),
    "a card picked to be given": (
        (("Anna", "deck draw cup 2 me"), ("Anna", "pick Give 1 NVA"), ("Bob", "deck draw cup")),
        {6: [1, 1], 8: [3]}, {6: [1, 7], 8: [4]},
    ),
    "a card put back": (
        (("Anna", "deck draw cup to=me"), ("Anna", "deck return all"), ("Bob", "deck draw cup")),
        {6: [2], 8: [5]}, {6: [8], 8: [5]},
    ),
    "a known top": (
        (("Anna", "deck peek 2 cup"), ("Anna", "deck draw cup to=me"), ("Anna", "deck shuffle cup"),
         ("Bob", "deck draw cup")),
        {6: [1, 1], 9: [4]}, {6: [7, 1], 9: [5]},
    ),
    "a top that is drawn with more": (
        (("Anna", "deck peek 1 cup"), ("Anna", "deck draw cup 2 me"), ("Bob", "deck draw cup")),
        {6: [2], 7: [1], 8: [3]}, {6: [8], 7: [1], 8: [4]},
    ),
    "an undone peek": (
        (("Anna", "deck peek 2 cup"), ("Anna", "game undo"), ("Bob", "game undo"), ("Bob", "deck draw cup")),
        {6: [2, 3], 8: [5]}, {6: [8, 3], 8: [5]},
    ),
    "a card of a hand put on top": (
        (("Anna", "deck draw cup to=me"), ("Anna", "deck return all place=top"),
         ("Anna", "deck draw cup to=me"), ("Bob", "deck draw cup")),
        {6: [2], 9: [4]}, {6: [8], 9: [5]},
    ),
    "a card of a hand put at the bottom": (
        (("Anna", "deck draw cup to=me"), ("Anna", "deck return all place=bottom"), ("Bob", "deck draw cup")),
        {6: [2], 8: [4]}, {6: [8], 8: [5]},
    ),
    "a hand that goes back with its side": (
        (("Anna", "deck draw cup to=me"), ("Anna", "game leave"), ("Bob", "deck draw cup")),
        {6: [2], 8: [5]}, {6: [8], 8: [5]},
    ),
}  # fmt: skip


@pytest.mark.slow_sample(3)
@pytest.mark.sample(2)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", PAIRS)
def test_two_worlds_that_differ_in_a_closed_card_look_the_same(name: str) -> None:
    lines, one, other = PAIRS[name]
    first, second = seen(one, lines), seen(other, lines)
    assert len(first) == len(second)
    for here, there in zip(first, second, strict=True):
        assert here == there
    assert any('"closed": [8' in part or '"closed":[8' in part for part in first)


def test_the_attack_would_see_an_open_card() -> None:
    """The same pair with an open draw is told apart at once, so the comparison is no empty one."""
    lines = (("Anna", "deck draw cup"),)
    assert seen({6: [2]}, lines, "") != seen({6: [8]}, lines, "")
    assert seen({6: [2]}, lines, "") == seen({6: [2]}, lines, "")


def test_the_holder_sees_the_difference() -> None:
    lines = (("Anna", "deck draw cup to=me"),)
    assert seen({6: [2]}, lines, "") != seen({6: [8]}, lines, "")
