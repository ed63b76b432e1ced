"""Dice words of /roll in `roll`: dice that are kept, dropped, rerolled or explode, thrown and counted as /roll does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from itertools import islice, product
from math import comb, prod
from typing import Any, NamedTuple

from bot.rules.declared.calls import MOST_DICE
from bot.rules.errors import UserError
from bot.rules.expression.chances import odds, one_die
from bot.rules.expression.counting import ENDING, EXPLODING, REROLLED, ends_of, is_chained
from bot.rules.expression.model import Expression, ExpressionError, Pool, Test
from bot.rules.expression.parser import parse
from bot.rules.expression.throwing import KEPT, marked, throw_of
from bot.rules.odds.rolls import ROLLS_AT_ONCE, TooManyStates, group_alike, group_values
from bot.rules.odds.rolls import pool as all_rolls

Tests = tuple[tuple[Any, ...], ...]
"""Of each test that looks at the dice: what it makes of each face."""


MOST_DRAWN = 4_000_000
"""Dice of all rolls together that are looked at for the odds of some that go on."""


class Thrown(NamedTuple):
    """What dice with words come to: the sum of what counts, these faces, and all as an answer shows them."""

    total: int
    faces: tuple[Any, ...]
    shown: tuple[Any, ...] = ()


NOTHING = Thrown(0, ())
Ways = tuple[tuple[int, tuple[Thrown]], ...]
"""What dice with words may come to, each with how many equally likely rolls come to it."""


@lru_cache(maxsize=256)
def pool_of(count: int, sides: object, words: str) -> Pool:
    """So many dice of so many sides with these words. Raises UserError for words that they do not take."""
    try:
        expression = parse(f"{MOST_DICE}d{sides}{words}")
    except ExpressionError as error:
        raise UserError(f"d{sides}{words} cannot be rolled: {error.reason}.", code="bad-dice") from None
    (pool,) = expression.pools or (None,)
    if pool is None or len(expression.program) > 1 or expression.against or pool.count_if:
        raise UserError(f'"{words}" is not for a roll here: how_many(roll, face >= 5) counts dice.', code="bad-dice")
    return replace(pool, count=count)


class _Owed(Exception):
    """More dice must fall."""


def fallen(pool: Pool, drawn: tuple[Any, ...]) -> Thrown | None:
    """What these dice come to, None while further ones are owed."""
    left = iter(drawn)

    def draw(_die: object, count: int) -> list[Any]:
        some = [*islice(left, count)]
        if len(some) < count:
            raise _Owed
        return some

    try:
        faces, fates, total, _ = throw_of(pool)(draw)
    except _Owed:
        return None
    if fates is None:
        return Thrown(total, tuple(faces), tuple(faces))
    shown = [int(one) if one.isdecimal() else one for one in marked(map(str, faces), fates)]
    kept = [face for face, fate in zip(faces, fates, strict=True) if fate & KEPT]
    return Thrown(total, tuple(kept), tuple(shown))


@lru_cache(maxsize=256)
def ways_of(pool: Pool, summed: bool, single: bool, tests: Tests | None) -> Ways:
    """The rolls that differ for whoever reads their sum, or single faces: by `tests` alone, or (None) in their order.

    Raises UserError for what is too much, or cannot be counted.
    """
    if not pool.count or not (summed or single):
        return ((1, (NOTHING,)),)
    if not single:
        ways = odds(Expression(None, (pool,), (pool,))).ways
        return tuple((some, (Thrown(int(total), ()),)) for total, some in ways.items())
    if is_chained(pool):
        if tests is None or summed or pool.once or pool.picks:
            hint = "Their sum can be counted, or how many of them pass a test."
            raise UserError(f"The odds of {pool.notation} cannot be counted die by die.", hint=hint, code="no-odds")
        return _chained(pool, tests)
    die, plain = one_die(pool), replace(pool, once=())
    classes = tuple([(some, (face,)) for face, some in die.items()])
    if tests is None:
        if len(die) ** pool.count > ROLLS_AT_ONCE:
            raise TooManyStates
        rolls: Any = product(classes, repeat=pool.count)
        found = [(prod(some for some, _ in roll), tuple(face for _, (face,) in roll)) for roll in rolls]
    else:
        found = list(all_rolls(pool.count, classes))
    return tuple((some, (fallen(plain, faces),)) for some, faces in found)  # type: ignore[misc]


def _chained(pool: Pool, tests: Tests) -> Ways:
    """By how many dice lie in the end that exploded, ended, and were cut short; of each kind by what tests see."""
    values = list(pool.values)
    seen = {value: tuple([test[at] for test in tests]) for at, value in enumerate(values)}
    first: dict[Any, Any] = {}
    for value in values:
        first.setdefault(seen[value], value)
    kinds: list[list[Any]] = [[], [], []]
    for value in values:
        kinds[_kind(pool, value)].append(first[seen[value]])
    classes = [group_values(faces, lambda face: face) for faces in kinds]
    found: Counter[tuple[Any, ...]] = Counter()
    work = 0
    for counts, times in ends_of(pool, len(kinds[REROLLED])):
        if any(count and not some for count, some in zip(counts, classes, strict=True)):
            continue
        rolls = prod(comb(count + max(len(some), 1) - 1, count) for count, some in zip(counts, classes, strict=True))
        work += rolls * sum(counts)
        if work > MOST_DRAWN:
            raise TooManyStates
        each = [group_alike(count, some) for count, some in zip(counts, classes, strict=True) if count]
        for roll in product(*each):
            lying = sorted(face for _, some in roll for face in some)
            found[tuple(lying)] += times * prod(some for some, _ in roll)
    return tuple((some, (Thrown(sum(faces), faces),)) for faces, some in found.items())


def _kind(pool: Pool, value: Any) -> int:
    if _fits(pool.rerolls, value):
        return REROLLED
    return EXPLODING if _fits(pool.explodes, value) else ENDING


def _fits(tests: Collection[Test], value: Any) -> bool:
    return any(test.fits(value) for test in tests)
