"""Dice words of /roll in `roll`: dice that are kept, dropped, rerolled or explode, thrown and counted as /roll does."""

from dataclasses import replace
from functools import lru_cache
from itertools import islice, product
from math import prod
from typing import Any, NamedTuple

from bot.rules.declared.formula_functions import MOST_DICE
from bot.rules.errors import UserError
from bot.rules.expression.chances import odds, one_die
from bot.rules.expression.counting import faces_of, is_chained, renewed, summed, unpack, width_of
from bot.rules.expression.model import Expression, ExpressionError, Pool
from bot.rules.expression.sum_parser import parse
from bot.rules.expression.throwing import KEPT, marked, throw_of
from bot.rules.odds.rolls import ROLLS_AT_ONCE, TooManyStates
from bot.rules.odds.rolls import pool as all_rolls

Tests = tuple[tuple[Any, ...], ...]
"""Of each test that looks at the dice: what it makes of each face."""


MOST_LAID = 500_000_000
"""Bytes that are added up for the odds of dice that go on, which takes about half a second."""


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
    return replace(pool, count=count, label=f"d{sides}{words}")


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
        if tests is None or summed or pool.picks:
            hint = "Their sum alone can be counted" + ("." if pool.picks else ", or how many of them pass a test.")
            what = f"The odds of {pool.count}{pool.label} cannot be counted die by die."
            raise UserError(what, hint=hint, code="no-odds")
        return _going_on(pool, tests)
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


def _going_on(pool: Pool, tests: Tests) -> Ways:
    """Dice that go on, by how many of those that lie in the end pass which tests; who passes none is left out."""
    seen = dict(zip(pool.values, zip(*tests, strict=True), strict=True))
    classes = [one for one in dict.fromkeys(seen.values()) if one != ((bool, True),) * len(tests)]
    most, width = pool.cost + 1, width_of(pool.sides**pool.cost)
    if most ** len(classes) * width * (pool.count * pool.extra if pool.once else pool.cost) > MOST_LAID:
        raise TooManyStates
    worth = {one: most**at for at, one in enumerate(classes)}
    if pool.once:
        fields = renewed(pool, [worth.get(seen[value], 0) for value in pool.values], 0, 8 * width)
    else:
        fields = summed(pool, faces_of(pool, [worth.get(one, 0) for one in seen.values()])[1], 0, 8 * width)
    shown = {worth[one]: value for value, one in seen.items() if one in worth}
    found = []
    for number, some in unpack(fields, width, 0).items():
        faces = [face for up, face in shown.items() for _ in range(number // up % most)]
        found.append((some, (Thrown(sum(faces), tuple(faces)),)))
    return tuple(found)
