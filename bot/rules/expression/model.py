"""What a dice expression says, as values: pools of dice, conditions, operators, how much there may
be of each; how its arithmetic is done, and the error for one that cannot be rolled."""

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
"""Numbers after a bare `d` that stand for dice read as digits: how many dice, and their sides."""

GUIDE = (
    ("2d6+3", "two six-sided dice plus 3; also - * / and parentheses"),
    ("4d6kh3", "keep the highest 3 (kl lowest; dh, dl drop)"),
    ("d20", "one die; d% has 100 sides"),
    ("d66", "two six-sided dice read as tens and ones, 11 to 66; d44, d88, d666 likewise"),
    ("2d6r1", "reroll each 1 (r<3, r>=5; ro1 rerolls only once)"),
    ("3d6!", "a 6 brings another die (!5, !>=5)"),
    ("10d10>=8", "count the dice that show 8 or more (> < <= =)"),
    ("2d6+3>=8", "hold the sum against 8; of dice alone (2d6)>=8 or 2d6 sum>=8"),
    ("4dF", "fate dice: -1, 0 or +1"),
    ("3dA", "averaging dice: 2, 3, 3, 4, 4, 5"),
    ("DR", "two six-sided dice, the colored one first; dr is one of them"),
    ("2d[hit,miss,miss]", "dice with faces of your own"),
    ("2d6 [morale] + 1 [leader]", "labels"),
    ("3x 2d6+1", "the same roll 3 times"),
)
"""What can be written, for help and completion: each example, and what it does."""
_BEYOND = 2 * MAX_NUMBER


@dataclass(frozen=True, slots=True)
class Test:
    """A question to one die: `>=8`; the `sign` is one of < <= = >= >."""

    sign: str
    number: int

    __test__ = False  # the name is not a test for pytest

    @property
    def span(self) -> tuple[int, int]:
        """The lowest and the highest number that fits; what has no end on a side ends beyond
        every face.
        """
        low = {">=": self.number, "=": self.number, ">": self.number + 1}.get(self.sign, -_BEYOND)
        high = {"<=": self.number, "=": self.number, "<": self.number - 1}.get(self.sign, _BEYOND)
        return low, high

    def fits(self, value: int) -> bool:
        """Return whether a die that shows `value` answers yes."""
        low, high = self.span
        return low <= value <= high

    def words(self) -> str:
        """The test as one says it: `8 or more`."""
        said = {
            "<": "less than {}",
            "<=": "{} or less",
            "=": "{}",
            ">=": "{} or more",
            ">": "more than {}",
        }
        return said[self.sign].format(self.number)

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
        """What it leaves of dice in falling order."""
        if self.word in ("kh", "dl"):
            return slice(None, self.number if self.word == "kh" else -self.number)
        return slice(self.number if self.word == "dh" else -self.number, None)

    def __str__(self) -> str:
        return f"{self.word}{self.number}"


def list_kept_indices(picks: Iterable[DicePick], count: int) -> range:
    """Which of so many dice in falling order are kept: their places, from 0."""
    left = range(count)
    for pick in picks:
        left = left[pick.slice_to_keep]
    return left


def _format_short(test: Test) -> str:
    """`1` for `=1`, as one types it after r and !."""
    return str(test.number) if test.sign == "=" and test.number >= 0 else str(test)


@dataclass(frozen=True, slots=True)
class Pool:
    """Alike dice rolled together: `4d6kh3`, and what happens to them.

    First a die is rerolled (`rerolls` until it fits none of them, `once` at most one time), then it
    may explode; when all lie, the `picks` follow one another; `count_if` counts the dice that are
    left. `word` is what a game calls such dice, if they were typed so: `DR`. Dice `as_digits` are not
    added up: 3 and 6 are 36.
    """

    count: int
    sides: int
    faces: tuple[int | str, ...] | None = None
    rerolls: tuple[Test, ...] = ()
    once: tuple[Test, ...] = ()
    explodes: tuple[Test, ...] = ()
    picks: tuple[DicePick, ...] = ()
    count_if: Test | None = None
    label: str = ""
    word: str = ""
    as_digits: bool = False
    at: int = field(default=1, compare=False)  # where it is in the text, from its first character
    end: int = field(default=1, compare=False)  # to its last

    @property
    def die(self) -> Die:
        """The die to draw; without a label of its own it is called by its notation."""
        return Die(self.label or self.notation, self.sides, self.faces)

    @property
    def is_text(self) -> bool:
        """Return whether a face is a word, so that the dice are counted by face and never added."""
        return self.faces is not None and any(isinstance(face, str) for face in self.faces)

    @property
    def values(self) -> range | tuple[int, ...]:
        """The numbers that a die shows, one for each face. Empty when a face is a word."""
        if self.faces is None:
            return range(1, self.sides + 1)
        return () if self.is_text else tuple(face for face in self.faces if isinstance(face, int))

    @property
    def lowest(self) -> int:
        """The lowest number that a die shows. A die of a million sides is not walked for it."""
        return 1 if self.faces is None else min(self.values)

    @property
    def highest(self) -> int:
        """The highest number that a die shows."""
        return self.sides if self.faces is None else max(self.values)

    @property
    def extra(self) -> int:
        """Return how many dice rerolls and explosions may draw beyond `count`, all together."""
        if self.rerolls or self.explodes:
            return EXTRA_DICE + 2 * self.count
        return self.count if self.once else 0

    @property
    def cost(self) -> int:
        """The most dice that this pool can draw."""
        return self.count + self.extra

    @property
    def line_name(self) -> str:
        """What a line with its dice is called: its label, else the digits that they are read as."""
        if self.as_digits and not self.label:
            return ", ".join(("hundreds", "tens", "ones")[-self.count :])
        return self.label or "dice"

    @property
    def die_name(self) -> str:
        """How the die is written after the count: d6, dF, d%, dA, d[hit,miss]."""
        if self.faces == FATE_FACES:
            return "dF"
        if self.faces is None and self.sides == 100:
            return "d%"
        return Die("", self.sides, self.faces).name

    @property
    def notation(self) -> str:
        """The pool as one would type it, without its label."""
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
    """A number that was typed, 0 to 10^9, perhaps with a label: `3 [leader]`."""

    value: int
    label: str = ""


Operand = Pool | Number


@dataclass(frozen=True, slots=True)
class Operator:
    """One of + - * / and where it is."""

    sign: str
    at: int = field(default=1, compare=False)


Step = Pool | Number | Operator


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression, ready to be rolled.

    `program` is the arithmetic in the order in which it is done (operands first, then their
    operator); `pieces` is the same as it was written, operands between signs and parentheses, for
    answers to show. `against` is what the sum is held against: `2d6+3>=8`, or `2d6 sum>=8`; right
    behind dice a comparison counts them instead.
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
        """Return whether the answer is a count of faces, not a number."""
        return any(pool.is_text for pool in self.pools)

    @property
    def is_count(self) -> bool:
        """Return whether the answer is a number of successes and nothing else."""
        first = self.program[0]
        return (
            len(self.program) == 1
            and isinstance(first, Pool)
            and bool(first.count_if)
            and self.against is None
        )

    @property
    def notation(self) -> str:
        """The expression as one would type it, without labels and spaces."""
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

    One program is read in several ways: with dice, with the reach of each pool, with exact odds.
    Operands are read in the order in which they were written.
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
    """`left` / `right` without the fraction: 7/2 is 3 and -7/2 is -3."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


_SIGNS: Mapping[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul, "/": divide}


def arithmetic(sign: str, left: int, right: int) -> int:
    """`left` `sign` `right` for + - * and /."""
    return _SIGNS[sign](left, right)


_EXCERPT = 24  # characters of the text that are shown


class ExpressionError(UserError):
    """A dice expression cannot be rolled. `at` is the place, counted from 1; `reason` says why,
    without the place; `excerpt` shows the text up to there, or up to `end` when the thing at fault
    is longer."""

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


def excerpt(text: str, end: int) -> str:
    """What is before and at character `end`, counted from 1, fit to be shown in one line."""
    shown = text[max(0, end - _EXCERPT) : end]
    clean = "".join(char if char.isprintable() else "?" for char in shown)
    return ("..." if end > _EXCERPT else "") + clean
