"""The ways to each sum of dice that are rerolled or explode, up to the limit of further dice, just as they are rolled.

Each die that is drawn either ends one of the dice written, or takes one of the further dice: it is rerolled, or it
explodes. So what counts is how many further dice there were before the last die ended; once all are used up, each die
that is still to come ends with whatever it shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb

from bot.rules.errors import UserError
from bot.rules.expression.kept import Counts, Window, lay, places, worths
from bot.rules.expression.model import Pool
from bot.rules.expression.packed import Budget, Packed

ENDING, EXPLODING, REROLLED = range(3)


def is_chained(pool: Pool) -> bool:
    """Whether a die of the pool may bring any number of further ones."""
    return bool(pool.rerolls or pool.explodes)


@dataclass(frozen=True, slots=True)
class _Draws:
    """The faces of a die: the kind of each, what it is worth (`low` less), and the ways to it, falling."""

    faces: list[tuple[int, int, int]]
    low: int

    def ways(self, kind: int) -> int:
        """How many faces are of this kind."""
        return sum(ways for of, _, ways in self.faces if of == kind)

    def packed(self, kind: int, bits: int) -> int:
        """The sum of one die of this kind, packed."""
        return sum(ways << bits * worth for of, worth, ways in self.faces if of == kind)


def chained(pool: Pool, budget: Budget) -> Packed:
    """The ways of such a pool. Raises UserError for too many dice, and with a reroll that happens once."""
    if pool.once:
        raise UserError(
            f"The odds of {pool.notation} cannot be counted: a reroll that happens once is counted only by itself.",
            hint="Leave out ro, or the other rerolls and explosions.",
            code="no-odds",
        )
    draws = _draws(pool)
    count, extra = pool.count, pool.extra
    highest = max(worth for _, worth, _ in draws.faces)
    most = count + extra
    total = pool.sides**most
    width = budget.room(most * highest + 1, total)
    if pool.picks:
        fields = _kept(pool, draws, 8 * width, budget)
    else:
        budget.spend((most * highest + 1) * width * extra // 32)
        fields = _summed(pool, draws, 8 * width)
    return Packed(draws.low * most, fields, width, total)


def _draws(pool: Pool) -> _Draws:
    faces = Counter(pool.values)
    worth = dict(zip(faces, worths(pool, faces), strict=True))
    low = min(0, *worth.values())

    def kind(value: int) -> int:
        if any(test.fits(value) for test in pool.rerolls):
            return REROLLED
        return EXPLODING if any(test.fits(value) for test in pool.explodes) else ENDING

    return _Draws([(kind(value), worth[value] - low, faces[value]) for value in sorted(faces, reverse=True)], low)


def _summed(pool: Pool, draws: _Draws, bits: int) -> int:
    """All dice added up: a closed form over the number of further dice. What is not drawn weighs as much as a die."""
    count, extra = pool.count, pool.extra
    nothing = 1 << bits * -draws.low
    ending, exploding = draws.packed(ENDING, bits), draws.packed(EXPLODING, bits)
    further = exploding + draws.ways(REROLLED) * nothing
    last = ending + exploding + draws.packed(REROLLED, bits)
    total = cut = 0
    power = 1
    for used in range(extra):
        undrawn = pool.sides ** (extra - used) << bits * -draws.low * (extra - used)
        total += power * (comb(count - 1 + used, used) * undrawn)
        power *= further
    done = 1
    for ended in range(count):
        cut += comb(extra - 1 + ended, ended) * done * last ** (count - ended)
        done *= ending
    return total * done + power * cut


def _kept(pool: Pool, draws: _Draws, bits: int, budget: Budget) -> int:
    """Those that are kept added up, by how many dice of each kind are on the table in the end."""
    limits = pool.count + pool.extra, pool.count, pool.count if pool.rerolls else 0
    budget.spend(len(draws.faces) * limits[0] * limits[1] * (limits[2] + 1) * 30)
    ways = Counter[Counts]()
    for counts, times in _tables(pool, draws):
        ways[counts] += times
    most = pool.count + pool.extra
    faces = [((EXPLODING, ENDING, REROLLED).index(kind), worth, some) for kind, worth, some in draws.faces]
    highest, lowest = _windows(pool, ways, most)
    windows = highest
    if len(set(lowest.values())) < len(set(highest.values())):
        faces, windows = faces[::-1], lowest
    laid = {window: lay(faces, limits, window, bits) for window in set(windows.values())}
    total = 0
    for counts, times in ways.items():
        first, last = places(pool.picks, sum(counts))
        undone = most - (last - first)
        total += laid[windows[counts]].get(counts, 0) * times << bits * -draws.low * undone
    return total


def _windows(pool: Pool, tables: Iterable[Counts], most: int) -> tuple[dict[Counts, Window], dict[Counts, Window]]:
    """The places of the dice that are kept of each table, counted from its highest die and from its lowest.

    A window that is open to the end goes up to `most`, so that many tables share one: all of 3d6!dh1 from the highest,
    all of 3d6!kl2 from the lowest.
    """
    highest: dict[Counts, Window] = {}
    lowest: dict[Counts, Window] = {}
    for counts in tables:
        dice = sum(counts)
        first, last = places(pool.picks, dice)
        highest[counts] = first, most if last == dice else last
        lowest[counts] = dice - last, most if first == 0 else dice - first
    return highest, lowest


def _tables(pool: Pool, draws: _Draws) -> Iterator[tuple[Counts, int]]:
    """How many dice may lie in the end that exploded, that ended, and that were cut short; and the ways to that.

    What its faces weigh is left out of the ways, but for the dice that were rerolled and those never drawn.
    """
    count, extra, again = pool.count, pool.extra, draws.ways(REROLLED)
    for used in range(extra):
        for exploded in range(used + 1) if again else (used,):
            here = comb(count - 1 + used, used) * comb(used, exploded) * again ** (used - exploded)
            yield (exploded, count, 0), here * pool.sides ** (extra - used)
    for exploded in range(extra + 1) if again else (extra,):
        before = comb(extra, exploded) * again ** (extra - exploded)
        for done in range(count):
            left = count - done
            for more in range(left + 1):
                for cut in range(left - more + 1) if again else (0,):
                    ways = comb(left, more) * comb(left - more, cut) * comb(extra - 1 + done, done)
                    yield (exploded + more, done + left - more - cut, cut), before * ways
