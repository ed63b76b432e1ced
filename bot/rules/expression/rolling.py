"""Rolling a checked expression with dice from a Source, and what is on the table afterwards.

What an expression needs for that is made once and kept with it (`Form`); what a roll came to is worked out as far as
somebody asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from functools import partial

from bot.rules.dice import Die, Rolled, Source
from bot.rules.expression.cost import arithmetic, compute
from bot.rules.expression.form import Form, form_of
from bot.rules.expression.model import Expression, Number, Operand, Operator, Pool
from bot.rules.expression.throwing import KEPT, Draw, Thrown, show_of


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


_Once = tuple[list[Thrown], int | None]
"""One repeat: its pools on the table, and what they come to; None for words."""


class PoolRolled:
    """A pool on the table.

    `total` is the sum of its dice or the number of successes, 0 for words. `is_cut` says that rerolls or explosions
    were stopped by the limit.
    """

    __slots__ = ("_thrown", "is_cut", "pool", "total")

    def __init__(self, pool: Pool, thrown: Thrown) -> None:
        self.pool, self._thrown = pool, thrown
        self.total, self.is_cut = thrown[2], thrown[3]

    @property
    def drawn(self) -> tuple[Drawn, ...]:
        """Its dice in the order in which they were drawn."""
        values, fates, _, _ = self._thrown
        die = self.pool.die
        kept = fates or [KEPT] * len(values)
        return tuple(Drawn(die.rolled(value), Fate(fate)) for value, fate in zip(values, kept, strict=True))

    @property
    def faces(self) -> dict[int | str, int]:
        """How often each face shows among the dice that count, in the order of the faces of the die."""
        values, fates, _, _ = self._thrown
        shown = Counter(values if fates is None else [v for v, fate in zip(values, fates, strict=True) if fate & KEPT])
        if self.pool.faces is None:
            return dict(sorted(shown.items()))
        return {face: shown[face] for face in dict.fromkeys(self.pool.faces) if shown[face]}

    def text(self) -> str:
        """The dice for an answer: `[4, ~1~, 3]`. `~1~` is dropped, `1->4` rerolled, `6!` exploded, `(8)` a success."""
        return show_of(self.pool)(self._thrown)


class Result:
    """One roll of the expression. `total` is the number that it comes to; None when faces are counted instead."""

    __slots__ = ("_form", "expression", "thrown", "total")

    def __init__(self, expression: Expression, form: Form, thrown: list[Thrown], total: int | None) -> None:
        self.expression, self._form, self.thrown, self.total = expression, form, thrown, total

    @property
    def pools(self) -> tuple[PoolRolled, ...]:
        """Its pools on the table, as written."""
        return tuple(map(PoolRolled, self.expression.pools, self.thrown))

    @property
    def faces(self) -> dict[str, int] | None:
        """How often each word was rolled; None when the roll comes to a number."""
        if self.total is not None:
            return None
        return {str(face): count for face, count in self.pools[0].faces.items()}

    @property
    def passes(self) -> bool | None:
        """Whether the sum is what it was held against; None where it was held against nothing."""
        against = self.expression.against
        return None if against is None or self.total is None else against.fits(self.total)

    @property
    def answer(self) -> str:
        """What it comes to: `9`, `9, success`, `3 successes`, `2x hit, 1x miss`."""
        if self._form.is_count:
            return f"{self.total} {'success' if self.total == 1 else 'successes'}"
        if (faces := self.faces) is not None:
            return ", ".join(f"{count}x {face}" for face, count in faces.items())
        return str(self.total) if self.passes is None else f"{self.total}, {'success' if self.passes else 'failure'}"

    @property
    def added(self) -> tuple[tuple[str, int], ...] | None:
        """What is added to the only pool, with labels, where nothing else happens; see Form."""
        return self._form.added

    @property
    def is_plain(self) -> bool:
        """Whether every die simply counts: none is dropped, rerolled, exploded or a success."""
        return all(fates is None or fates.count(KEPT) == len(fates) for _, fates, _, _ in self.thrown)

    def work(self) -> str:
        """The expression with its dice in place, labels in front: `morale [4, 2] + leader 1`."""
        frames, shows, thrown = self._form.frames, self._form.shows, self.thrown
        shown = frames[0]
        for at, one in enumerate(thrown):
            shown += shows[at](one) + frames[at + 1]
        if any(one[3] for one in thrown):
            return f"{shown} (stopped at the limit of further dice)"
        return shown


class Rolling:
    """A rolled expression: one result for each repeat."""

    __slots__ = ("_form", "_rolled", "expression")

    def __init__(self, expression: Expression, form: Form, rolled: list[_Once]) -> None:
        self.expression, self._form, self._rolled = expression, form, rolled

    @property
    def notation(self) -> str:
        """What was rolled, as one would type it."""
        return self._form.notation

    @property
    def results(self) -> tuple[Result, ...]:
        """What came of each repeat."""
        return tuple([Result(self.expression, self._form, thrown, total) for thrown, total in self._rolled])

    @property
    def dice(self) -> tuple[Rolled, ...]:
        """Every die that was drawn, in order, dropped and rerolled ones too."""
        dice = self._form.dice
        return tuple(
            die.rolled(value)
            for thrown, _ in self._rolled
            for die, one in zip(dice, thrown, strict=True)
            for value in one[0]
        )

    @property
    def answer(self) -> str:
        """What it comes to, repeats one after another: `9` or `7, 9, 4`."""
        if len(self._rolled) == 1:
            return self.results[0].answer
        return ("; " if self._form.is_text or self.expression.against else ", ").join(
            result.answer for result in self.results
        )

    def text(self) -> str:
        """The roll in plain text: `2d6+3: [4, 2] + 3 = 9`; of a repeat one line with all results, then one for each."""
        form = self._form
        if pattern := form.pattern:
            thrown, total = self._rolled[0]
            return pattern % (*[value for one in thrown for value in one[0]], total)
        if self.expression.repeat is None:
            result = Result(self.expression, form, *self._rolled[0])
            return f"{form.notation}: {result.work()} = {result.answer}"
        lines = [f"{form.notation} = {self.answer}"]
        lines += [f"{place}: {result.work()} = {result.answer}" for place, result in enumerate(self.results, 1)]
        return "\n".join(lines)

    def out(self) -> dict[str, object]:
        """The roll for programs: `{"total": 9, "dice": [4, 2]}`, `{"faces": {"hit": 2}, "dice": [...]}`; of a repeat
        `{"totals": [...], ...}`, or a list under `faces`. `dice` holds every value drawn, in order."""
        is_text = self._form.is_text
        dice = [value for thrown, _ in self._rolled for one in thrown for value in one[0]]
        values = [result.faces for result in self.results] if is_text else [total for _, total in self._rolled]
        passes = [result.passes for result in self.results] if self.expression.against else []
        if self.expression.repeat is None:
            return {
                "faces" if is_text else "total": values[0],
                **({"success": passes[0]} if passes else {}),
                "dice": dice,
            }
        return {"faces" if is_text else "totals": values, **({"successes": passes} if passes else {}), "dice": dice}


def roll(expression: Expression, source: Source) -> Rolling:
    """`expression` rolled with dice from `source`, drawn as written from left to right; a die that is rerolled or
    explodes brings the next one at once. Raises what `source` raises, such as DieOwed."""
    form = expression.kept.get("form") or form_of(expression)
    draw: Draw = getattr(source, "draw_all", None) or partial(_one_by_one, source.draw)
    return Rolling(expression, form, [_roll_once(expression, form, draw) for _ in range(expression.repeat or 1)])


def _one_by_one(draw: Callable[[Die], int | str], die: Die, count: int) -> list[int | str]:
    """Dice of a source that gives only one at a time."""
    return [draw(die) for _ in range(count)]


def _roll_once(expression: Expression, form: Form, draw: Draw) -> _Once:
    thrown: list[Thrown] = []
    total = form.constant
    for throw, factor in form.throws:
        one = throw(draw)
        thrown.append(one)
        total += one[2] * factor
    if form.is_linear and not form.is_text:
        return thrown, total
    return thrown, None if form.is_text else _computed(expression, thrown)


def _computed(expression: Expression, thrown: list[Thrown]) -> int:
    """What it comes to where pools are multiplied or divided."""
    totals = iter([one[2] for one in thrown])

    def read(operand: Operand) -> int:
        return operand.value if isinstance(operand, Number) else next(totals)

    def apply(operator: Operator, left: int, right: int) -> int:
        return arithmetic(operator.sign, left, right)

    return compute(expression.program, read, apply)
