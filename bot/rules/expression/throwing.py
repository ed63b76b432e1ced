"""One pool of dice as two functions, made once: one throws it, one shows what it threw.

A thrown pool is plain values, since this is what a roll spends its time on: the faces in the order in which they were
drawn, what became of each (None where all simply count), what they come to, and whether rerolls or explosions were
stopped by the limit.
"""

from collections.abc import Callable, Iterator
from enum import IntFlag, auto

from bot.rules.dice import Die
from bot.rules.expression.model import FATE_FACES, Pool, Test


class Fate(IntFlag):
    """What became of a die that was drawn. Just one of the first three, and any of the others."""

    KEPT = auto()
    DROPPED = auto()
    REROLLED = auto()
    EXPLODED = auto()
    SUCCESS = auto()


Face = int | str
Draw = Callable[[Die, int], list[Face]]
"""So many dice alike, in the order in which they are asked for."""
Thrown = tuple[list[Face], list[int] | None, int, bool]
Throw = Callable[[Draw], Thrown]
Show = Callable[[Thrown], str]

KEPT, DROPPED, REROLLED, EXPLODED, SUCCESS = map(int, Fate)  # plain numbers are faster by far
COUNTED = KEPT | SUCCESS
MANY = 100
"""Sides of a die up to which the text of each face is made beforehand."""
MARKS = {KEPT: "%s", COUNTED: "(%s)", DROPPED: "~%s~"}


def throw_of(pool: Pool) -> Throw:
    """The function that throws `pool` with the dice of a source, each asked for in turn."""
    if pool.rerolls or pool.once or pool.explodes:
        return _chained(pool)
    die, count = pool.die, pool.count
    if pool.picks:
        judge = _judge(pool)

        def picked(draw: Draw) -> Thrown:
            values, fates = draw(die, count), [0] * count
            return values, fates, judge(values, fates), False

        return picked
    if pool.count_if is not None:
        low, high = pool.count_if.span

        def counted(draw: Draw) -> Thrown:
            values = draw(die, count)
            fates = [COUNTED if low <= value <= high else KEPT for value in values]  # type: ignore[operator]
            return values, fates, fates.count(COUNTED), False

        return counted
    if pool.is_text:
        return lambda draw: (draw(die, count), None, 0, False)

    def summed(draw: Draw) -> Thrown:
        values = draw(die, count)
        return values, None, sum(values), False  # type: ignore[arg-type]

    return summed


def _judge(pool: Pool) -> Callable[[list[Face], list[int]], int]:
    """Once all dice are on the table: what becomes of each is added to its fate; what they come to is given back."""
    slices, count_if = [pick.left for pick in pool.picks], pool.count_if
    low, high = count_if.span if count_if is not None else (0, 0)

    def judge(values: list[Face], fates: list[int]) -> int:
        places = [place for place, fate in enumerate(fates) if not fate & REROLLED]
        left = places
        if slices:  # among equal dice the earlier is the higher
            left = sorted(places, key=values.__getitem__, reverse=True)
            for one in slices:
                left = left[one]
        for place in places:
            fates[place] |= DROPPED
        total = 0
        for place in left:
            value: int = values[place]  # type: ignore[assignment]
            fates[place] += KEPT - DROPPED
            if count_if is None:
                total += value
            elif low <= value <= high:
                fates[place] |= SUCCESS
                total += 1
        return total

    return judge


def _chained(pool: Pool) -> Throw:
    """A die that is rerolled or explodes brings the next one at once, while the limit of further dice lasts."""
    die, count, extra = pool.die, pool.count, pool.extra
    judge = _judge(pool)

    def chained(draw: Draw) -> Thrown:
        values: list[Face] = []
        fates: list[int] = []
        more, cut, dice, is_new = extra, False, count, True  # a reroll that happens once may happen to a new die
        while dice:
            value: int = draw(die, 1)[0]  # type: ignore[assignment]
            values.append(value)
            if (again := _fits(pool.rerolls, value)) or (is_new and _fits(pool.once, value)):
                if more:
                    more -= 1
                    is_new = is_new and again
                    fates.append(REROLLED)
                    continue
                cut = True
            is_new, explodes = True, _fits(pool.explodes, value)
            if explodes and more:
                more -= 1
                fates.append(EXPLODED)
                continue  # one die more
            cut = cut or explodes
            fates.append(0)
            dice -= 1
        return values, fates, judge(values, fates), cut

    return chained


def _fits(tests: tuple[Test, ...], value: int) -> bool:
    return any(test.fits(value) for test in tests)


def show_of(pool: Pool) -> Show:
    """The function that shows them: `[4, ~1~, 3]`; `~1~` is dropped, `1->4` rerolled, `6!` exploded, `(8)` counts."""
    face: Callable[[Face], str] = _signed if pool.faces == FATE_FACES else str
    is_chained = bool(pool.rerolls or pool.once or pool.explodes)
    if pool.count_if is not None and not (is_chained or pool.picks) and pool.sides <= MANY:
        fits = pool.count_if.fits
        words = {value: f"({face(value)})" if fits(value) else face(value) for value in pool.values}
        return lambda thrown: f"[{', '.join([words[value] for value in thrown[0]])}]"  # type: ignore[index]

    def show(thrown: Thrown) -> str:
        values, fates = thrown[0], thrown[1]
        if fates is None:
            return f"[{', '.join(map(face, values))}]"
        if is_chained:
            return f"[{', '.join(marked(map(face, values), fates))}]"
        return f"[{', '.join([MARKS[fate] % face(value) for value, fate in zip(values, fates, strict=True)])}]"

    return show


def _signed(value: Face) -> str:
    """A face of a fate die."""
    return f"{value:+d}" if value else "0"


def marked(faces: Iterator[str], fates: list[int]) -> Iterator[str]:
    """Each die with its mark, in order: `~1~`, `6!`, `1->4`."""
    chain = ""
    for shown, fate in zip(faces, fates, strict=True):
        if fate & REROLLED:
            chain += f"{shown}->"
            continue
        if fate & EXPLODED:
            shown += "!"
        if fate & SUCCESS:
            shown = f"({shown})"
        yield f"~{chain}{shown}~" if fate & DROPPED else chain + shown
        chain = ""
