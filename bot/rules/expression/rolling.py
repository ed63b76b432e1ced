"""Rolling a checked expression with dice from a source, and the results.

Everything that is the same for each roll of an expression is made once and kept with it
(`AnswerForm`). Each pool becomes two functions: one rolls it, one shows its roll. A roll of a pool
is a tuple of plain values, for speed: the faces in the order drawn, the fate of each die (None if
all simply count), the total, and whether the limit stopped rerolls or explosions. Other results are
computed on request.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from enum import IntFlag, auto
from typing import NamedTuple

from bot.rules.dice import FATE_FACES, Die, RolledDie, Source
from bot.rules.expression.model import (
    Expression,
    Number,
    Operand,
    Pool,
    Test,
    arithmetic,
    compute,
    join_digits,
)


class DieFate(IntFlag):
    """The fate of a drawn die: exactly one of the first three, and any of the others."""

    KEPT = auto()
    DROPPED = auto()
    REROLLED = auto()
    EXPLODED = auto()
    SUCCESS = auto()


Face = int | str
Draw = Callable[[Die, int], list[Face]]
"""A function that draws a number of identical dice, in the order of the requests."""
Thrown = tuple[list[Face], list[int] | None, int, bool]
Throw = Callable[[Draw], Thrown]
Show = Callable[[Thrown], str]

KEPT, DROPPED, REROLLED, EXPLODED, SUCCESS = map(int, DieFate)  # plain numbers are faster by far
COUNTED = KEPT | SUCCESS
MANY = 100
"""The number of sides up to which the text of each face is made in advance."""
MARKS = {KEPT: "%s", COUNTED: "(%s)", DROPPED: "~%s~"}


def build_throw(pool: Pool) -> Throw:
    """Return the function that rolls `pool` with the dice of a source."""
    if pool.rerolls or pool.once or pool.explodes:
        return _build_chained_throw(pool)
    die = pool.die
    count = pool.count
    if pool.picks:
        judge = _build_judge(pool)

        def throw_picked(draw: Draw) -> Thrown:
            values = draw(die, count)
            fates = [0] * count
            return values, fates, judge(values, fates), False

        return throw_picked
    if pool.count_if is not None:
        low, high = pool.count_if.span

        def throw_counted(draw: Draw) -> Thrown:
            values = draw(die, count)
            fates = [COUNTED if low <= value <= high else KEPT for value in values]  # type: ignore[operator]
            return values, fates, fates.count(COUNTED), False

        return throw_counted
    if pool.as_digits:

        def throw_digits(draw: Draw) -> Thrown:
            values = draw(die, count)
            return values, None, join_digits(values), False  # type: ignore[arg-type]

        return throw_digits
    if pool.is_text:
        return lambda draw: (draw(die, count), None, 0, False)

    def throw_sum(draw: Draw) -> Thrown:
        values = draw(die, count)
        return values, None, sum(values), False  # type: ignore[arg-type]

    return throw_sum


def _build_judge(pool: Pool) -> Callable[[list[Face], list[int]], int]:
    """Return the function that adds to the fates of all dice of a roll and returns their total."""
    slices = [pick.slice_to_keep for pick in pool.picks]
    count_if = pool.count_if
    low, high = count_if.span if count_if is not None else (0, 0)

    def judge(values: list[Face], fates: list[int]) -> int:
        places = [place for place, fate in enumerate(fates) if not fate & REROLLED]
        in_play = places
        if slices:  # among equal dice the earlier is the higher
            in_play = sorted(places, key=values.__getitem__, reverse=True)
            for pick_slice in slices:
                in_play = in_play[pick_slice]
        for place in places:
            fates[place] |= DROPPED
        total = 0
        for place in in_play:
            value: int = values[place]  # type: ignore[assignment]
            fates[place] += KEPT - DROPPED
            if count_if is None:
                total += value
            elif low <= value <= high:
                fates[place] |= SUCCESS
                total += 1
        return total

    return judge


def _build_chained_throw(pool: Pool) -> Throw:
    """Return the function that rolls a pool with further dice: a rerolled or exploding die brings
    the next one at once, up to the limit.
    """
    die = pool.die
    count = pool.count
    extra = pool.extra
    judge = _build_judge(pool)

    def throw_chained(draw: Draw) -> Thrown:
        values: list[Face] = []
        fates: list[int] = []
        further = extra
        cut = False
        dice = count
        is_new = True  # a reroll that happens once may happen to a new die
        while dice:
            value: int = draw(die, 1)[0]  # type: ignore[assignment]
            values.append(value)
            if (again := _passes_any(pool.rerolls, value)) or (
                is_new and _passes_any(pool.once, value)
            ):
                if further:
                    further -= 1
                    is_new = is_new and again
                    fates.append(REROLLED)
                    continue
                cut = True
            is_new = True
            explodes = _passes_any(pool.explodes, value)
            if explodes and further:
                further -= 1
                fates.append(EXPLODED)
                continue  # one die more
            cut = cut or explodes
            fates.append(0)
            dice -= 1
        return values, fates, judge(values, fates), cut

    return throw_chained


def _passes_any(tests: tuple[Test, ...], value: int) -> bool:
    return any(test.fits(value) for test in tests)


def build_show(pool: Pool) -> Show:
    """Return the function that shows a roll of the pool: `[4, ~1~, 3]`; `~1~` is dropped, `1->4`
    rerolled, `6!` exploded, `(8)` counts.
    """
    face: Callable[[Face], str] = _format_signed if pool.faces == FATE_FACES else str
    is_chained = bool(pool.rerolls or pool.once or pool.explodes)
    if pool.count_if is not None and not (is_chained or pool.picks) and pool.sides <= MANY:
        fits = pool.count_if.fits
        words = {value: f"({face(value)})" if fits(value) else face(value) for value in pool.values}
        return lambda pool_roll: f"[{', '.join([words[value] for value in pool_roll[0]])}]"  # type: ignore[index]

    def show(pool_roll: Thrown) -> str:
        values = pool_roll[0]
        fates = pool_roll[1]
        if fates is None:
            return f"[{', '.join(map(face, values))}]"
        if is_chained:
            return f"[{', '.join(mark_dice(map(face, values), fates))}]"
        return f"[{', '.join([MARKS[fate] % face(value) for value, fate in zip(values, fates, strict=True)])}]"

    return show


def _format_signed(value: Face) -> str:
    """Return the text of a face of a fate die."""
    return f"{value:+d}" if value else "0"


def mark_dice(faces: Iterator[str], fates: list[int]) -> Iterator[str]:
    """Yield the text of each die with its marks, in order.

    `~1~` is dropped, `6!` exploded, `(6)` a success. `1->4` is one die that was rerolled.
    """
    chain = ""
    for mark, fate in zip(faces, fates, strict=True):
        if fate & REROLLED:
            chain += f"{mark}->"
            continue
        if fate & EXPLODED:
            mark += "!"
        if fate & SUCCESS:
            mark = f"({mark})"
        yield f"~{chain}{mark}~" if fate & DROPPED else chain + mark
        chain = ""


# -- a whole expression: its pools, what they come to, and how that reads


class AnswerForm(NamedTuple):
    """The fixed parts of the answers of one expression.

    `frames` are the texts before, between and after the pools. `pattern` is the whole answer with
    fields for dice and total, if all dice are numbers that simply count; else "". `added` are the
    numbers added to the only pool, with labels, if nothing else follows it; else None.
    """

    expression: Expression
    notation: str
    is_text: bool
    dice: tuple[Die, ...]
    throws: tuple[Throw, ...]
    shows: tuple[Show, ...]
    frames: tuple[str, ...]
    pattern: str
    added: tuple[tuple[str, int], ...] | None


def _get_form(expression: Expression) -> AnswerForm:
    """Return the form of an expression, which is cached in it."""
    pools = expression.pools
    frames = _build_frames(expression)
    form = expression.kept["form"] = AnswerForm(
        expression,
        notation=expression.notation,
        is_text=expression.is_text,
        dice=tuple(pool.die for pool in pools),
        throws=tuple(map(build_throw, pools)),
        shows=tuple(map(build_show, pools)),
        frames=frames,
        pattern=_build_pattern(expression, frames),
        added=_list_additions(expression),
    )
    return form


def _build_frames(expression: Expression) -> tuple[str, ...]:
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


def _build_pattern(expression: Expression, frames: tuple[str, ...]) -> str:
    """Return the pattern of the whole answer, for `%` with all dice and the total.

    Return "" for an expression that is repeated, compared or has dice that are not simply added.
    """
    pools = expression.pools
    if expression.repeat is not None or expression.against or not all(map(_is_plain, pools)):
        return ""
    first, *after = (frame.replace("%", "%%") for frame in frames)
    dice = (f"[{', '.join(['%d'] * pool.count)}]" for pool in pools)
    shown_pools = "".join(f"{die}{frame}" for die, frame in zip(dice, after, strict=True))
    return f"{expression.notation.replace('%', '%%')}: {first}{shown_pools} = %d"


def _is_plain(pool: Pool) -> bool:
    """Return whether each die of the pool is a number that simply counts and is shown as it is."""
    changes = pool.rerolls or pool.once or pool.explodes or pool.picks or pool.count_if
    return not (changes or pool.is_text or pool.faces == FATE_FACES)


def _list_additions(expression: Expression) -> tuple[tuple[str, int], ...] | None:
    """Return the label and value of each number that is added to the only pool of an expression.

    Return None for any other expression.
    """
    first, *pieces_left = expression.pieces
    if (
        not isinstance(first, Pool)
        or first.count_if is not None
        or first.is_text
        or len(pieces_left) % 2
    ):
        return None
    added = []
    for sign, number in zip(pieces_left[::2], pieces_left[1::2], strict=True):
        if sign not in (" + ", " - ") or not isinstance(number, Number):
            return None
        added.append((number.label, -number.value if sign == " - " else number.value))
    return tuple(added)


class RollResult:
    """One roll of the expression. `thrown` are the rolls of its pools, and `total` is the result,
    None if faces are counted. `added` are the numbers added to the only pool, with labels, if
    nothing else happens.
    """

    __slots__ = ("_form", "added", "expression", "thrown", "total")

    def __init__(self, form: AnswerForm, thrown: list[Thrown]) -> None:
        self._form = form
        self.thrown = thrown
        self.expression = form.expression
        self.added = form.added
        self.total = None if form.is_text else _compute_total(form, thrown)

    @property
    def faces(self) -> dict[str, int] | None:
        """The number of dice that show each word, in the order of the die; None if the result is a
        number.
        """
        if self.total is not None:
            return None
        shown = Counter(self.thrown[0][0])
        return {
            str(face): shown[face] for face in self.expression.pools[0].faces or () if shown[face]
        }

    @property
    def passes(self) -> bool | None:
        """True if the sum passes its comparison; None without one."""
        against = self.expression.against
        return None if against is None or self.total is None else against.fits(self.total)

    @property
    def answer(self) -> str:
        """The result in short: `9`, `9, success`, `3 successes`, `2x hit, 1x miss`."""
        if self.expression.is_count:
            return f"{self.total} {'success' if self.total == 1 else 'successes'}"
        if (faces := self.faces) is not None:
            return ", ".join(f"{count}x {face}" for face, count in faces.items())
        return (
            str(self.total)
            if self.passes is None
            else f"{self.total}, {'success' if self.passes else 'failure'}"
        )

    @property
    def is_plain(self) -> bool:
        """True if every die simply counts: none is dropped, rerolled, exploded or a success."""
        return all(
            fates is None or fates.count(KEPT) == len(fates) for _, fates, _, _ in self.thrown
        )

    def format_work(self) -> str:
        """Return the expression with its dice in place and labels in front: `morale [4, 2] + leader
        1`. `~1~` is dropped, `1->4` rerolled, `6!` exploded, `(8)` a success.
        """
        pools_shown, *after = self._form.frames
        for show, pool_roll, frame in zip(self._form.shows, self.thrown, after, strict=True):
            pools_shown += show(pool_roll) + frame
        if any(pool_roll[3] for pool_roll in self.thrown):
            return f"{pools_shown} (stopped at the limit for extra dice)"
        return pools_shown


class Rolling:
    """A rolled expression, with one result for each repeat."""

    __slots__ = ("_form", "expression", "notation", "results")

    def __init__(self, form: AnswerForm, results: list[RollResult]) -> None:
        self._form = form
        self.results = results
        self.expression = form.expression
        self.notation = form.notation

    @property
    def dice(self) -> tuple[RolledDie, ...]:
        """All dice that were drawn, in order, with dropped and rerolled ones."""
        return tuple(
            die.with_value(value)
            for result in self.results
            for die, roll_result in zip(self._form.dice, result.thrown, strict=True)
            for value in roll_result[0]
        )

    @property
    def answer(self) -> str:
        """The results of all repeats in short: `9` or `7, 9, 4`."""
        between = "; " if self._form.is_text or self.expression.against else ", "
        return between.join([result.answer for result in self.results])

    def format_text(self) -> str:
        """Format the roll as plain text: `2d6+3: [4, 2] + 3 = 9`. Repeats give one line with all
        results, then one line for each.
        """
        first = self.results[0]
        notation = self.notation
        if pattern := self._form.pattern:
            return pattern % (
                *[value for roll_result in first.thrown for value in roll_result[0]],
                first.total,
            )
        if self.expression.repeat is None:
            return f"{notation}: {first.format_work()} = {first.answer}"
        lines = [
            f"{place}: {result.format_work()} = {result.answer}"
            for place, result in enumerate(self.results, 1)
        ]
        return "\n".join([f"{notation} = {self.answer}", *lines])

    def to_output(self) -> dict[str, object]:
        """Return the roll for programs: `{"total": 9, "dice": [4, 2]}` or `{"faces": {"hit": 2},
        "dice": [...]}`. Repeats give `{"totals": [...], ...}`, or a list under `faces`. `dice`
        holds every value drawn, in order.
        """
        is_text = self._form.is_text
        results = self.results
        values: list[object] = [result.faces if is_text else result.total for result in results]
        passes = [result.passes for result in results] if self.expression.against else []
        output: dict[str, object]
        if self.expression.repeat is None:
            output = {"faces" if is_text else "total": values[0]} | (
                {"success": passes[0]} if passes else {}
            )
        else:
            output = {"faces" if is_text else "totals": values} | (
                {"successes": passes} if passes else {}
            )
        return {
            **output,
            "dice": [
                value
                for result in results
                for roll_result in result.thrown
                for value in roll_result[0]
            ],
        }


def roll(expression: Expression, source: Source) -> Rolling:
    """Roll `expression` with dice from `source`, drawn from left to right as written. A die that is
    rerolled or explodes brings the next one at once. Raises the errors of `source`, such as
    DieOwed.
    """
    form = expression.kept.get("form") or _get_form(expression)
    draw_one = source.draw  # of a source that gives only one die at a time
    draw: Draw = getattr(source, "draw_all", None) or (
        lambda die, count: [draw_one(die) for _ in range(count)]
    )
    return Rolling(
        form,
        [
            RollResult(form, [throw(draw) for throw in form.throws])
            for _ in range(expression.repeat or 1)
        ],
    )


def _compute_total(form: AnswerForm, pool_rolls: list[Thrown]) -> int:
    """Return the total of the numbers and the rolls of the pools."""
    if form.added is not None:
        return pool_rolls[0][2] + sum([number for _, number in form.added])
    totals = iter([pool_roll[2] for pool_roll in pool_rolls])

    def read(operand: Operand) -> int:
        return operand.value if isinstance(operand, Number) else next(totals)

    return compute(
        form.expression.program,
        read,
        lambda operator, left, right: arithmetic(operator.sign, left, right),
    )
