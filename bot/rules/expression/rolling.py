"""Rolling a checked expression with dice from a Source, and what is on the table afterwards.

All that is the same for each roll of an expression is made once and kept with it (`Form`); what a roll came to is
worked out as far as somebody asks.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from bot.rules.dice import Die, Rolled, Source
from bot.rules.expression.model import FATE_FACES, Expression, Number, Operand, Pool, arithmetic, compute
from bot.rules.expression.throwing import KEPT, Draw, Show, Throw, Thrown, show_of, throw_of


class Form(NamedTuple):
    """`frames` are the texts before, between and behind the pools. `pattern` is the whole answer with places for the
    dice and what they come to, where these are all numbers that simply count; "" otherwise. `added` is what follows the
    only pool, with its label, where that is nothing but numbers that are added up; None otherwise."""

    expression: Expression
    notation: str
    is_text: bool
    dice: tuple[Die, ...]
    throws: tuple[Throw, ...]
    shows: tuple[Show, ...]
    frames: tuple[str, ...]
    pattern: str
    added: tuple[tuple[str, int], ...] | None


def _form_of(expression: Expression) -> Form:
    """The form of an expression, kept with it."""
    pools, frames = expression.pools, _frames(expression)
    form = expression.kept["form"] = Form(
        expression,
        notation=expression.notation,
        is_text=expression.is_text,
        dice=tuple(pool.die for pool in pools),
        throws=tuple(map(throw_of, pools)),
        shows=tuple(map(show_of, pools)),
        frames=frames,
        pattern=_pattern(expression, frames),
        added=_added(expression),
    )
    return form


def _frames(expression: Expression) -> tuple[str, ...]:
    frames = [""]
    for piece in expression.pieces:
        if isinstance(piece, str):
            frames[-1] += piece
            continue
        frames[-1] += f"{piece.label} " if piece.label else ""
        if isinstance(piece, Pool):
            frames.append("")
        else:
            frames[-1] += str(piece.value)
    return tuple(frames)


def _pattern(expression: Expression, frames: tuple[str, ...]) -> str:
    pools = expression.pools
    if expression.repeat is not None or expression.against or not all(map(_is_plain, pools)):
        return ""
    first, *behind = (frame.replace("%", "%%") for frame in frames)
    dice = (f"[{', '.join(['%d'] * pool.count)}]" for pool in pools)
    shown = "".join(f"{die}{frame}" for die, frame in zip(dice, behind, strict=True))
    return f"{expression.notation.replace('%', '%%')}: {first}{shown} = %d"


def _is_plain(pool: Pool) -> bool:
    """Whether each of its dice is a number that simply counts, and is shown as it is."""
    changes = pool.rerolls or pool.once or pool.explodes or pool.picks or pool.count_if
    return not (changes or pool.is_text or pool.faces == FATE_FACES)


def _added(expression: Expression) -> tuple[tuple[str, int], ...] | None:
    first, *rest = expression.pieces
    if not isinstance(first, Pool) or first.count_if is not None or first.is_text or len(rest) % 2:
        return None
    added = []
    for sign, number in zip(rest[::2], rest[1::2], strict=True):
        if sign not in (" + ", " - ") or not isinstance(number, Number):
            return None
        added.append((number.label, -number.value if sign == " - " else number.value))
    return tuple(added)


class Result:
    """One roll of the expression. `thrown` are its pools on the table, see `throwing`; `total` is the number that it
    comes to, None when faces are counted instead; `added` what is added to the only pool, with labels, where nothing
    else happens."""

    __slots__ = ("_form", "added", "expression", "thrown", "total")

    def __init__(self, form: Form, thrown: list[Thrown]) -> None:
        self._form, self.thrown, self.expression, self.added = form, thrown, form.expression, form.added
        self.total = None if form.is_text else _total(form, thrown)

    @property
    def faces(self) -> dict[str, int] | None:
        """How often each word was rolled, in the order of the die; None when the roll comes to a number."""
        if self.total is not None:
            return None
        shown = Counter(self.thrown[0][0])
        return {str(face): shown[face] for face in self.expression.pools[0].faces or () if shown[face]}

    @property
    def passes(self) -> bool | None:
        """Whether the sum is what it was held against; None where it was held against nothing."""
        against = self.expression.against
        return None if against is None or self.total is None else against.fits(self.total)

    @property
    def answer(self) -> str:
        """What it comes to: `9`, `9, success`, `3 successes`, `2x hit, 1x miss`."""
        if self.expression.is_count:
            return f"{self.total} {'success' if self.total == 1 else 'successes'}"
        if (faces := self.faces) is not None:
            return ", ".join(f"{count}x {face}" for face, count in faces.items())
        passes = self.passes
        return str(self.total) if passes is None else f"{self.total}, {'success' if passes else 'failure'}"

    @property
    def is_plain(self) -> bool:
        """Whether every die simply counts: none is dropped, rerolled, exploded or a success."""
        return all(fates is None or fates.count(KEPT) == len(fates) for _, fates, _, _ in self.thrown)

    def work(self) -> str:
        """The expression with its dice in place, labels in front: `morale [4, 2] + leader 1`. `~1~` is dropped, `1->4`
        rerolled, `6!` exploded, `(8)` a success."""
        shown, *behind = self._form.frames
        for show, one, frame in zip(self._form.shows, self.thrown, behind, strict=True):
            shown += show(one) + frame
        if any(one[3] for one in self.thrown):
            return f"{shown} (stopped at the limit of further dice)"
        return shown


class Rolling:
    """A rolled expression: one result for each repeat."""

    __slots__ = ("_form", "expression", "notation", "results")

    def __init__(self, form: Form, results: list[Result]) -> None:
        self._form, self.results = form, results
        self.expression, self.notation = form.expression, form.notation

    @property
    def dice(self) -> tuple[Rolled, ...]:
        """Every die that was drawn, in order, dropped and rerolled ones too."""
        return tuple(
            die.rolled(value)
            for result in self.results
            for die, one in zip(self._form.dice, result.thrown, strict=True)
            for value in one[0]
        )

    @property
    def answer(self) -> str:
        """What it comes to, repeats one after another: `9` or `7, 9, 4`."""
        between = "; " if self._form.is_text or self.expression.against else ", "
        return between.join([result.answer for result in self.results])

    def text(self) -> str:
        """The roll in plain text: `2d6+3: [4, 2] + 3 = 9`; of a repeat one line with all results, then one for each."""
        first, notation = self.results[0], self.notation
        if pattern := self._form.pattern:
            return pattern % (*[value for one in first.thrown for value in one[0]], first.total)
        if self.expression.repeat is None:
            return f"{notation}: {first.work()} = {first.answer}"
        lines = [f"{place}: {result.work()} = {result.answer}" for place, result in enumerate(self.results, 1)]
        return "\n".join([f"{notation} = {self.answer}", *lines])

    def out(self) -> dict[str, object]:
        """The roll for programs: `{"total": 9, "dice": [4, 2]}`, `{"faces": {"hit": 2}, "dice": [...]}`; of a repeat
        `{"totals": [...], ...}`, or a list under `faces`. `dice` holds every value drawn, in order."""
        is_text, results = self._form.is_text, self.results
        values: list[object] = [result.faces if is_text else result.total for result in results]
        passes = [result.passes for result in results] if self.expression.against else []
        found: dict[str, object]
        if self.expression.repeat is None:
            found = {"faces" if is_text else "total": values[0]} | ({"success": passes[0]} if passes else {})
        else:
            found = {"faces" if is_text else "totals": values} | ({"successes": passes} if passes else {})
        return {**found, "dice": [value for result in results for one in result.thrown for value in one[0]]}


def roll(expression: Expression, source: Source) -> Rolling:
    """`expression` rolled with dice from `source`, drawn as written from left to right; a die that is rerolled or
    explodes brings the next one at once. Raises what `source` raises, such as DieOwed."""
    form = expression.kept.get("form") or _form_of(expression)
    draw: Draw = getattr(source, "draw_all", None) or partial(_one_by_one, source.draw)
    return Rolling(form, [Result(form, [throw(draw) for throw in form.throws]) for _ in range(expression.repeat or 1)])


def _one_by_one(draw: Callable[[Die], int | str], die: Die, count: int) -> list[int | str]:
    """Dice of a source that gives only one at a time."""
    return [draw(die) for _ in range(count)]


def _total(form: Form, thrown: list[Thrown]) -> int:
    """What its numbers and the pools on the table come to."""
    if form.added is not None:
        return thrown[0][2] + sum([number for _, number in form.added])
    totals = iter([one[2] for one in thrown])

    def read(operand: Operand) -> int:
        return operand.value if isinstance(operand, Number) else next(totals)

    return compute(form.expression.program, read, lambda operator, left, right: arithmetic(operator.sign, left, right))
