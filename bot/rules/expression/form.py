"""All of an expression that is the same for each of its rolls, made once: how its pools are thrown, what is between
them in the answer, and what each counts for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat

from bot.rules.dice import Die
from bot.rules.expression.cost import arithmetic, compute
from bot.rules.expression.model import FATE_FACES, Expression, Number, Operand, Operator, Pool
from bot.rules.expression.throwing import Show, Throw, show_of, throw_of


@dataclass(frozen=True, slots=True)
class Form:
    """`throws` has of each pool how it is thrown, and how often it counts beside `constant`; `is_linear` unless pools
    are multiplied with each other or divided. `frames` are the texts before, between and behind the pools. `pattern` is
    the whole answer with places for the dice and what they come to, where these are all numbers that simply count; ""
    otherwise. `added` is what follows the only pool, with its label, where that is nothing but numbers that are added
    up; None otherwise."""

    notation: str
    is_text: bool
    is_count: bool
    dice: tuple[Die, ...]
    throws: tuple[tuple[Throw, int], ...]
    shows: tuple[Show, ...]
    frames: tuple[str, ...]
    constant: int
    is_linear: bool
    pattern: str
    added: tuple[tuple[str, int], ...] | None


def form_of(expression: Expression) -> Form:
    """The form of an expression, kept with it."""
    known: Form | None = expression.kept.get("form")
    if known is not None:
        return known
    pools = expression.pools
    constant, factors = _factors(expression)
    frames = _frames(expression)
    form = expression.kept["form"] = Form(
        notation=expression.notation,
        is_text=expression.is_text,
        is_count=expression.is_count,
        dice=tuple(pool.die for pool in pools),
        throws=tuple((throw_of(pool), factor) for pool, factor in zip(pools, factors or repeat(0), strict=False)),
        shows=tuple(map(show_of, pools)),
        frames=frames,
        constant=constant,
        is_linear=factors is not None,
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


class _NotLinear(Exception):
    """Pools are multiplied with each other, or divided."""


Sum = tuple[int, dict[int, int]]
"""A constant, and how often each pool is added, by its place."""


def _factors(expression: Expression) -> tuple[int, tuple[int, ...] | None]:
    pools = iter(range(len(expression.pools)))

    def read(operand: Operand) -> Sum:
        return (operand.value, {}) if isinstance(operand, Number) else (0, {next(pools): 1})

    def apply(operator: Operator, left: Sum, right: Sum) -> Sum:
        return _combined(operator.sign, left, right)

    try:
        constant, found = compute(expression.program, read, apply)
    except _NotLinear:
        return 0, None
    return constant, tuple(found[at] for at in range(len(expression.pools)))


def _combined(sign: str, left: Sum, right: Sum) -> Sum:
    if sign in "+-":
        once = 1 if sign == "+" else -1
        return left[0] + once * right[0], {**left[1], **{at: once * count for at, count in right[1].items()}}
    if not (left[1] or right[1]):
        return arithmetic(sign, left[0], right[0]), {}
    if sign == "/" or (left[1] and right[1]):
        raise _NotLinear
    times, (constant, found) = (left[0], right) if right[1] else (right[0], left)
    return constant * times, {at: count * times for at, count in found.items()}


def _added(expression: Expression) -> tuple[tuple[str, int], ...] | None:
    first, *rest = expression.pieces
    if not isinstance(first, Pool) or first.count_if is not None or first.is_text:
        return None
    signs, numbers = rest[::2], rest[1::2]
    if len(signs) != len(numbers):
        return None
    added = []
    for sign, number in zip(signs, numbers, strict=True):
        if sign not in (" + ", " - ") or not isinstance(number, Number):
            return None
        added.append((number.label, -number.value if sign == " - " else number.value))
    return tuple(added)
