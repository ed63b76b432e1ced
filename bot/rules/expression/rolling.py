"""Rolling a checked expression with dice from a Source, and what is on the table afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto

from bot.rules.dice import Die, Rolled, Source
from bot.rules.expression.cost import arithmetic, compute
from bot.rules.expression.model import FATE_FACES, Choice, Expression, Number, Operand, Operator, Pick, Pool, Test


class Fate(Flag):
    """What became of a die that was drawn. Just one of the first three, and any of the others."""

    KEPT = auto()
    DROPPED = auto()
    REROLLED = auto()
    EXPLODED = auto()
    SUCCESS = auto()


@dataclass(frozen=True, slots=True)
class Drawn:
    """A die that was drawn for a pool."""

    rolled: Rolled
    fate: Fate


@dataclass(frozen=True, slots=True)
class PoolRolled:
    """A pool on the table: its dice in the order in which they were drawn, and what they come to.

    `total` is their sum or the number of successes, 0 for words. `is_cut` says that rerolls or explosions were
    stopped by the limit.
    """

    pool: Pool
    drawn: tuple[Drawn, ...]
    total: int
    is_cut: bool

    @property
    def faces(self) -> dict[int | str, int]:
        """How often each face shows among the dice that count, in the order of the faces of the die."""
        shown = Counter(die.rolled.value for die in self.drawn if Fate.KEPT in die.fate)
        if self.pool.faces is None:
            return dict(sorted(shown.items()))
        return {face: shown[face] for face in dict.fromkeys(self.pool.faces) if shown[face]}

    def text(self) -> str:
        """The dice for an answer: `[4, ~1~, 3]`. `~1~` is dropped, `1->4` rerolled, `6!` exploded, `(8)` a success."""
        return f"[{', '.join(self._marked())}]"

    def _marked(self) -> Iterator[str]:
        chain = ""
        for die in self.drawn:
            shown = _face(self.pool, die.rolled.value)
            if Fate.REROLLED in die.fate:
                chain += f"{shown}->"
                continue
            if Fate.EXPLODED in die.fate:
                shown += "!"
            if Fate.SUCCESS in die.fate:
                shown = f"({shown})"
            shown = chain + shown
            chain = ""
            yield f"~{shown}~" if Fate.DROPPED in die.fate else shown


@dataclass(frozen=True, slots=True)
class Result:
    """One roll of the expression. `total` is the number that it comes to; None when faces are counted instead."""

    expression: Expression
    pools: tuple[PoolRolled, ...]
    total: int | None

    @property
    def faces(self) -> dict[str, int] | None:
        """How often each word was rolled; None when the roll comes to a number."""
        if self.total is not None:
            return None
        return {str(face): count for face, count in self.pools[0].faces.items()}

    @property
    def answer(self) -> str:
        """What it comes to: `9`, `3 successes`, `2x hit, 1x miss`."""
        if self.faces is not None:
            return ", ".join(f"{count}x {face}" for face, count in self.faces.items())
        if self.expression.is_count:
            return f"{self.total} {'success' if self.total == 1 else 'successes'}"
        return str(self.total)

    def work(self) -> str:
        """The expression with its dice in place, labels in front: `morale [4, 2] + leader 1`."""
        pools = iter(self.pools)
        shown: list[str] = []
        for piece in self.expression.pieces:
            if isinstance(piece, str):
                shown.append(piece)
            else:
                value = next(pools).text() if isinstance(piece, Pool) else str(piece.value)
                shown.append(f"{piece.label} {value}" if piece.label else value)
        cut = "" if not any(pool.is_cut for pool in self.pools) else " (stopped at the limit of further dice)"
        return "".join(shown) + cut


@dataclass(frozen=True, slots=True)
class Rolling:
    """A rolled expression: one result for each repeat."""

    expression: Expression
    results: tuple[Result, ...]

    @property
    def dice(self) -> tuple[Rolled, ...]:
        """Every die that was drawn, in order, dropped and rerolled ones too."""
        return tuple(die.rolled for result in self.results for pool in result.pools for die in pool.drawn)

    @property
    def answer(self) -> str:
        """What it comes to, repeats one after another: `9` or `7, 9, 4`."""
        return ("; " if self.expression.is_text else ", ").join(result.answer for result in self.results)

    def text(self) -> str:
        """The roll in plain text: `2d6+3: [4, 2] + 3 = 9`; of a repeat one line with all results, then one for each."""
        notation = self.expression.notation
        if self.expression.repeat is None:
            return f"{notation}: {self.results[0].work()} = {self.answer}"
        lines = [f"{notation} = {self.answer}"]
        lines += [f"{place}: {result.work()} = {result.answer}" for place, result in enumerate(self.results, 1)]
        return "\n".join(lines)

    def out(self) -> dict[str, object]:
        """The roll for programs: `{"total": 9, "dice": [4, 2]}`, `{"faces": {"hit": 2}, "dice": [...]}`; of a repeat
        `{"totals": [...], ...}`, or a list under `faces`. `dice` holds every value drawn, in order."""
        dice = [die.value for die in self.dice]
        what = "faces" if self.expression.is_text else "total"
        values = [result.faces if self.expression.is_text else result.total for result in self.results]
        if self.expression.repeat is None:
            return {what: values[0], "dice": dice}
        return {"faces" if self.expression.is_text else "totals": values, "dice": dice}


def roll(expression: Expression, source: Source) -> Rolling:
    """`expression` rolled with dice from `source`, drawn as written from left to right; a die that is rerolled or
    explodes brings the next one at once. Raises what `source` raises, such as DieOwed."""
    return Rolling(expression, tuple(_roll_once(expression, source) for _ in range(expression.repeat or 1)))


def _roll_once(expression: Expression, source: Source) -> Result:
    pools: list[PoolRolled] = []

    def read(operand: Operand) -> int:
        if isinstance(operand, Number):
            return operand.value
        pools.append(roll_pool(operand, source))
        return pools[-1].total

    def apply(operator: Operator, left: int, right: int) -> int:
        return arithmetic(operator.sign, left, right)

    total = compute(expression.program, read, apply)
    return Result(expression, tuple(pools), None if expression.is_text else total)


def roll_pool(pool: Pool, source: Source) -> PoolRolled:
    """`pool` rolled with dice from `source`."""
    throw = _Throw(pool, source)
    for _ in range(pool.count):
        while throw.draw_die():
            pass
    kept = set(_kept(throw.standing(), pool.picks))
    drawn = tuple(
        Drawn(throw.die.rolled(value), fate | _end(pool, value, fate, place in kept))
        for place, (value, fate) in enumerate(throw.drawn)
    )
    return PoolRolled(pool, drawn, _total(pool, drawn), throw.is_cut)


class _Throw:
    """Drawing the dice of one pool; `left` is how many further dice rerolls and explosions may still draw."""

    def __init__(self, pool: Pool, source: Source) -> None:
        self.pool = pool
        self.die: Die = pool.die
        self.source = source
        self.left = pool.extra
        self.drawn: list[tuple[int | str, Fate]] = []
        self.is_cut = False

    def draw_die(self) -> bool:
        """Draw one die until it holds; True when it explodes, so that another follows."""
        may_reroll_once = True
        while True:
            value = self.source.draw(self.die)
            again = _fits(self.pool.rerolls, value)
            once = not again and may_reroll_once and _fits(self.pool.once, value)
            if not (again or once) or not self._may_draw():
                break
            may_reroll_once = may_reroll_once and not once
            self.drawn.append((value, Fate.REROLLED))
        explodes = _fits(self.pool.explodes, value) and self._may_draw()
        self.drawn.append((value, Fate.EXPLODED if explodes else Fate(0)))
        return explodes

    def standing(self) -> list[tuple[int, int | str]]:
        """The place and value of each die that was not rerolled."""
        return [(place, value) for place, (value, fate) in enumerate(self.drawn) if Fate.REROLLED not in fate]

    def _may_draw(self) -> bool:
        if self.left == 0:
            self.is_cut = True
            return False
        self.left -= 1
        return True


def _fits(tests: tuple[Test, ...], value: int | str) -> bool:
    return isinstance(value, int) and any(test.fits(value) for test in tests)


def _kept(standing: list[tuple[int, int | str]], picks: tuple[Pick, ...]) -> list[int]:
    """The places of the dice that `picks` leave; among equal dice the earlier is the higher."""
    places = [place for place, _ in standing]
    if picks:
        places = [place for place, value in sorted(standing, key=lambda die: (-int(die[1]), die[0]))]
    for pick in picks:
        match pick.choice:
            case Choice.KEEP_HIGHEST:
                places = places[: pick.number]
            case Choice.KEEP_LOWEST:
                places = places[-pick.number :]
            case Choice.DROP_HIGHEST:
                places = places[pick.number :]
            case Choice.DROP_LOWEST:
                places = places[: -pick.number]
    return places


def _end(pool: Pool, value: int | str, fate: Fate, is_kept: bool) -> Fate:
    """What else became of a die, once all of them lie."""
    if Fate.REROLLED in fate:
        return fate
    if not is_kept:
        return Fate.DROPPED
    is_success = pool.count_if is not None and _fits((pool.count_if,), value)
    return Fate.KEPT | Fate.SUCCESS if is_success else Fate.KEPT


def _total(pool: Pool, drawn: tuple[Drawn, ...]) -> int:
    if pool.count_if:
        return sum(Fate.SUCCESS in die.fate for die in drawn)
    return sum(die.rolled.value for die in drawn if Fate.KEPT in die.fate and isinstance(die.rolled.value, int))


def _face(pool: Pool, value: int | str) -> str:
    """How a face is shown; the faces of a fate die carry their sign."""
    return f"{value:+d}" if pool.faces == FATE_FACES and isinstance(value, int) and value else str(value)
