"""The values of a dice expression: pools of dice, conditions, operators and their limits; its
arithmetic, and the error for an expression that cannot be rolled.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import add, mul, sub
from typing import Any, TypeVar

from bot.rules.dice import FATE_FACES, Die
from bot.rules.errors import UserError

# How much of everything there may be, so that an expression is bounded before a die is rolled.
MAX_LENGTH = 1_000  # characters of an expression
MAX_DEPTH = 50  # parentheses inside parentheses
MAX_NUMBER = 10**9  # any number that is typed
MAX_RESULT = 10**15  # any result; JSON readers keep whole numbers exact up to 9 * 10**15
MAX_DICE = 1_000  # dice of an expression, repeats and the worst of rerolls and explosions included
MAX_REPEATS = 20
MAX_WORDS = 40  # characters of a label or of a face
EXTRA_DICE = 20  # a pool that rerolls or explodes draws at most this many further dice, plus two for each die written
MAX_MODIFIERS = 12  # things that follow one pool
DIGIT_DICE = {44: (2, 4), 66: (2, 6), 88: (2, 8), 444: (3, 4), 666: (3, 6), 888: (3, 8)}
"""Numbers after a bare `d` that stand for dice read as digits: number of dice, and their sides."""

GUIDE = (
    ("2d6+3", "two six-sided dice plus 3; also - * / and parentheses"),
    ("4d6kh3", "keep the highest 3 (kl lowest; dh, dl drop)"),
    ("d20", "one die; d% has 100 sides"),
    ("d66", "two six-sided dice read as tens and ones, 11 to 66; d44, d88, d666 likewise"),
    ("2d6r1", "reroll each 1 (r<3, r>=5; ro1 rerolls only once)"),
    ("3d6!", "a 6 rolls another die (!5, !>=5)"),
    ("10d10>=8", "count the dice that show 8 or more (> < <= =)"),
    ("2d6+3>=8", "compare the sum with 8; for dice alone (2d6)>=8 or 2d6 sum>=8"),
    ("4dF", "fate dice: -1, 0 or +1"),
    ("3dA", "averaging dice: 2, 3, 3, 4, 4, 5"),
    ("DR", "two six-sided dice, the colored one first; dr is one of them"),
    ("2d[hit,miss,miss]", "dice with your own faces"),
    ("2d6 [morale] + 1 [leader]", "labels"),
    ("3x 2d6+1", "the same roll 3 times"),
)
"""Examples of expressions with their meaning, for help and completion."""
_BEYOND = 2 * MAX_NUMBER


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison for one die, such as `>=8`. The `sign` is one of < <= = >= >."""

    sign: str
    number: int

    __test__ = False  # the name is not a test for pytest

    @property
    def span(self) -> tuple[int, int]:
        """The lowest and the highest number that passes. An open end is beyond every face."""
        low = {">=": self.number, "=": self.number, ">": self.number + 1}.get(self.sign, -_BEYOND)
        high = {"<=": self.number, "=": self.number, "<": self.number - 1}.get(self.sign, _BEYOND)
        return low, high

    def fits(self, value: int) -> bool:
        """Return whether a die that shows `value` passes."""
        low, high = self.span
        return low <= value <= high

    def words(self) -> str:
        """Return the test in words: `8 or more`."""
        phrase = {
            "<": "less than {}",
            "<=": "{} or less",
            "=": "{}",
            ">=": "{} or more",
            ">": "more than {}",
        }
        return phrase[self.sign].format(self.number)

    def __str__(self) -> str:
        return f"{self.sign}{self.number}"


@dataclass(frozen=True, slots=True)
class DicePick:
    """Keep or drop `number` dice: `kh` and `kl` keep the highest or lowest, `dh` and `dl` drop
    them.
    """

    word: str
    number: int

    @property
    def slice_to_keep(self) -> slice:
        """The slice of dice in falling order that it keeps."""
        if self.word in ("kh", "dl"):
            return slice(None, self.number if self.word == "kh" else -self.number)
        return slice(self.number if self.word == "dh" else -self.number, None)

    def __str__(self) -> str:
        return f"{self.word}{self.number}"


def list_kept_indices(picks: Iterable[DicePick], count: int) -> range:
    """Return the indices of the dice that are kept, of `count` dice in falling order."""
    indices = range(count)
    for pick in picks:
        indices = indices[pick.slice_to_keep]
    return indices


def _format_short(test: Test) -> str:
    """Return a test as typed after r and !: `1` for `=1`."""
    return str(test.number) if test.sign == "=" and test.number >= 0 else str(test)


@dataclass(frozen=True, slots=True)
class Pool:
    """Identical dice that are rolled together, such as `4d6kh3`, and their modifiers.

    First a die is rerolled, then it may explode. After all dice are rolled, the `picks` apply in
    order, and `count_if` counts the dice that are left.
    """

    count: int
    sides: int
    faces: tuple[int | str, ...] | None = None
    """The faces of a die with faces of its own, in order."""
    rerolls: tuple[Test, ...] = ()
    """A die is rerolled until it passes none of these tests."""
    once: tuple[Test, ...] = ()
    """A die that passes one of these tests is rerolled at most one time."""
    explodes: tuple[Test, ...] = ()
    """A die that passes one of these tests is followed by another die."""
    picks: tuple[DicePick, ...] = ()
    count_if: Test | None = None
    label: str = ""
    word: str = ""
    """The game's name for these dice, if it was typed: `DR`."""
    as_digits: bool = False
    """Whether the dice are read as digits instead of added up: 3 and 6 are 36."""
    at: int = field(default=1, compare=False)
    """The position of its first character in the text, from 1."""
    end: int = field(default=1, compare=False)
    """The position of its last character."""

    @property
    def die(self) -> Die:
        """The die to draw. Without a label it is named by its notation."""
        return Die(self.label or self.notation, self.sides, self.faces)

    @property
    def is_text(self) -> bool:
        """True if a face is a word, so that dice are counted by face and never added."""
        return self.faces is not None and any(isinstance(face, str) for face in self.faces)

    @property
    def values(self) -> range | tuple[int, ...]:
        """The numbers on the faces of a die, one for each face. Empty if a face is a word."""
        if self.faces is None:
            return range(1, self.sides + 1)
        return () if self.is_text else tuple(face for face in self.faces if isinstance(face, int))

    @property
    def lowest(self) -> int:
        """The lowest number of a die, computed without a list of all faces."""
        return 1 if self.faces is None else min(self.values)

    @property
    def highest(self) -> int:
        """The highest number of a die."""
        return self.sides if self.faces is None else max(self.values)

    @property
    def extra(self) -> int:
        """The limit of dice that rerolls and explosions may add to `count`."""
        if self.rerolls or self.explodes:
            return EXTRA_DICE + 2 * self.count
        return self.count if self.once else 0

    @property
    def cost(self) -> int:
        """The most dice that this pool can draw."""
        return self.count + self.extra

    @property
    def line_name(self) -> str:
        """The name of a line with its dice: its label, else its digits notation."""
        if self.as_digits and not self.label:
            return ", ".join(("hundreds", "tens", "ones")[-self.count :])
        return self.label or "dice"

    @property
    def die_name(self) -> str:
        """The notation of the die after the count: d6, dF, d%, dA, d[hit,miss]."""
        if self.faces == FATE_FACES:
            return "dF"
        if self.faces is None and self.sides == 100:
            return "d%"
        return Die("", self.sides, self.faces).name

    @property
    def notation(self) -> str:
        """The notation of the pool, without its label."""
        is_bare = self.count == 1 and (self.faces is not None or self.sides not in DIGIT_DICE)
        count = "" if is_bare else str(self.count)
        dice = self.word or f"{count}{self.die_name}"
        rerolls = "".join(f"r{_format_short(test)}" for test in self.rerolls)
        rerolls += "".join(f"ro{_format_short(test)}" for test in self.once)
        explodes = "".join(f"!{_format_short(test)}" for test in self.explodes)
        if self.explodes and (self.picks or not self.count_if):
            explodes = "!" if self.explodes == (Test("=", self.highest),) else explodes
        picks = "".join(map(str, self.picks))
        return f"{dice}{rerolls}{explodes}{picks}{self.count_if or ''}"


@dataclass(frozen=True, slots=True)
class Number:
    """A typed number, 0 to 10^9, with an optional label: `3 [leader]`."""

    value: int
    label: str = ""


Operand = Pool | Number


@dataclass(frozen=True, slots=True)
class Operator:
    """One of + - * / and its position."""

    sign: str
    at: int = field(default=1, compare=False)


Step = Pool | Number | Operator


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression, ready to be rolled.

    `program` is the arithmetic in order of execution: operands first, then their operator. `pieces`
    is the same as written, with signs and parentheses, for answers. `against` is the comparison of
    the sum: `2d6+3>=8`, or `2d6 sum>=8`. Directly after dice a comparison counts them instead.
    """

    repeat: int | None
    program: tuple[Step, ...]
    pieces: tuple[Operand | str, ...]
    against: Test | None = None
    # what was worked out of it before
    kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def pools(self) -> tuple[Pool, ...]:
        """The pools of one repeat in the order in which they are rolled: as written, left to
        right.
        """
        return tuple(step for step in self.program if isinstance(step, Pool))

    @property
    def is_text(self) -> bool:
        """True if the result is a count of faces, not a number."""
        return any(pool.is_text for pool in self.pools)

    @property
    def is_count(self) -> bool:
        """True if the result is a number of successes and nothing else."""
        first = self.program[0]
        return (
            len(self.program) == 1
            and isinstance(first, Pool)
            and bool(first.count_if)
            and self.against is None
        )

    @property
    def notation(self) -> str:
        """The notation of the expression, without labels and spaces."""
        body = "".join(self._notations())
        if self.against is not None:
            body += f"{' sum' if isinstance(self.pieces[-1], Pool) else ''}{self.against}"
        return body if self.repeat is None else f"{self.repeat}x {body}"

    def _notations(self) -> Iterator[str]:
        for piece in self.pieces:
            if isinstance(piece, Pool):
                yield piece.notation
            else:
                yield str(piece.value) if isinstance(piece, Number) else piece.strip()


def join_digits(values: Iterable[int]) -> int:
    """Return the number that has these digits: 36 for 3 and 6."""
    number = 0
    for value in values:
        number = number * 10 + value
    return number


V = TypeVar("V")


def compute(
    program: tuple[Step, ...], read: Callable[[Operand], V], apply: Callable[[Operator, V, V], V]
) -> V:
    """Run `program` with `read` for operands and `apply` for operators.

    One program has several uses: dice, the range of results, exact odds. Operands are read in the
    order in which they were written.
    """
    stack: list[V] = []
    for step in program:
        if isinstance(step, Operator):
            right = stack.pop()
            stack.append(apply(step, stack.pop(), right))
        else:
            stack.append(read(step))
    return stack.pop()


def divide(left: int, right: int) -> int:
    """Return `left` / `right` without the fraction: 7/2 is 3 and -7/2 is -3."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


_SIGNS: Mapping[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul, "/": divide}


def arithmetic(sign: str, left: int, right: int) -> int:
    """Return `left` `sign` `right` for + - * and /."""
    return _SIGNS[sign](left, right)


_EXCERPT = 24  # characters of the text that are shown


class ExpressionError(UserError):
    """The error for a dice expression that cannot be rolled.

    `at` is the position, from 1. `reason` is the reason without the position. `excerpt` shows the
    text up to the position, or up to `end` if the faulty part is longer.
    """

    def __init__(self, reason: str, text: str, at: int, *, end: int = 0, hint: str = "") -> None:
        self.at = at
        self.reason = reason
        self.excerpt = excerpt(text, max(at, end))
        super().__init__(
            f'At character {at}, "{self.excerpt}": {reason}.',
            hint=hint,
            option="dice",
            code="bad-dice",
        )


def excerpt(text: str, position: int) -> str:
    """Return the text before and at the character `position`, from 1, in a form for one line."""
    visible = text[max(0, position - _EXCERPT) : position]
    clean = "".join(char if char.isprintable() else "?" for char in visible)
    return ("..." if position > _EXCERPT else "") + clean
