"""The parser of dice expressions: one forward pass by recursive descent, from sums to operands. It
also computes the most dice and the range of results, so that these are known before the first die.

A minus sign before an operand means "minus one times", and binds closer than the other signs.
"""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from bot.rules.expression.dice_parser import (
    DIGITS,
    Cursor,
    is_at_dice,
    is_at_modifier,
    read_pool,
    read_word,
)
from bot.rules.expression.model import (
    MAX_DEPTH,
    MAX_DICE,
    MAX_REPEATS,
    MAX_RESULT,
    MAX_WORDS,
    Expression,
    ExpressionError,
    Number,
    Operand,
    Operator,
    Pool,
    Step,
    Test,
    arithmetic,
    compute,
    join_digits,
    list_kept_indices,
)


def compute_worst_cost(expression: Expression) -> int:
    """Return the most dice that rolling `expression` can draw, with all repeats; at most 1,000."""
    return (expression.repeat or 1) * sum(pool.cost for pool in expression.pools)


class ResultRange(NamedTuple):
    """The lowest and the highest possible value. Nothing is known for words."""

    low: int
    high: int
    is_text: bool = False


def compute_range(pool: Pool) -> ResultRange:
    """Return the range of the total (or the count) of `pool`."""
    if pool.is_text:
        return ResultRange(0, 0, is_text=True)
    if pool.as_digits:
        return ResultRange(join_digits([1] * pool.count), join_digits([pool.sides] * pool.count))
    # Only an explosion puts more dice on the table; a reroll replaces one.
    most_dice = pool.cost if pool.explodes else pool.count
    most_kept = len(list_kept_indices(pool.picks, most_dice))
    if pool.count_if:
        return ResultRange(0, most_kept)
    fewest_kept = len(list_kept_indices(pool.picks, pool.count))
    low = min(pool.lowest * fewest_kept, pool.lowest * most_kept)
    high = max(pool.highest * fewest_kept, pool.highest * most_kept)
    return ResultRange(low, high)


def check_cost(expression: Expression, text: str) -> None:
    """Raise ExpressionError if too many dice could be drawn, at the pool that exceeds the limit."""
    times = expression.repeat or 1
    total = 0
    for pool in expression.pools:
        total += pool.cost * times
        if total > MAX_DICE:
            reason = f"this could roll up to {total:,} dice, and at most {MAX_DICE:,} are allowed"
            raise ExpressionError(reason, text, pool.at, end=pool.end)


def check_range(expression: Expression, text: str) -> ResultRange:
    """Return the range of the result. Raises ExpressionError for a division by zero, for arithmetic
    on words and for results beyond 10^15, each at its operator.
    """

    def read(operand: Operand) -> ResultRange:
        if isinstance(operand, Number):
            return ResultRange(operand.value, operand.value)
        return compute_range(operand)

    def apply(operator: Operator, left: ResultRange, right: ResultRange) -> ResultRange:
        sign = operator.sign
        operator_place = operator.at
        if left.is_text or right.is_text:
            raise ExpressionError(
                "faces that are words can only be counted, not added or multiplied",
                text,
                operator_place,
            )
        if sign == "/" and right.low <= 0 <= right.high:
            is_sure = right.low == right.high == 0
            problem = "this divides by 0" if is_sure else "this could divide by 0"
            raise ExpressionError(problem, text, operator_place)
        # Each operation rises or falls steadily in each operand, so the extremes lie among these.
        corners = [
            arithmetic(sign, a, b) for a in (left.low, left.high) for b in (right.low, right.high)
        ]
        if max(map(abs, corners)) > MAX_RESULT:
            raise ExpressionError(f"the result could pass {MAX_RESULT:,}", text, operator_place)
        return ResultRange(min(corners), max(corners))

    return compute(expression.program, read, apply)


# -- reading

_RANK = {"+": 1, "-": 1, "*": 2, "/": 2}
_SHOWN = {"+": " + ", "-": " - ", "*": " * ", "/": " / "}
_OTHER_TOOLS = re.compile("([tk]) ?([1-9][0-9]{0,2})(?![0-9a-z])")
"""Notations of other tools after dice or a number: `t5`, `k3`."""
_AFTER_DICE = ("kh", "kl", "dh", "dl", "k", "ro", "r", "!")
MAX_CACHED_EXPRESSIONS, MAX_CACHED_LENGTH = 256, 120
"""The number of expressions that are cached by their texts, and the longest text of these, to limit
memory.
"""


def parse(text: str, *, is_early: bool = False) -> Expression:
    """Return the expression that `text` describes, checked so that rolling it is bounded and cannot
    fail.

    Raises ExpressionError with the position for anything else. Short texts are cached. `is_early`
    parses as early logs did, where d66 is a die of 66 sides.
    """
    return (_remembered if len(text) <= MAX_CACHED_LENGTH else _parse)(text, is_early)


def _parse(text: str, is_early: bool = False) -> Expression:
    """Parse an expression, without a look at the cache. Raises ExpressionError."""
    cursor = Cursor(text, is_early=is_early)
    if not cursor.peek():
        raise cursor.make_error("a dice expression is missing", hint="For example 2d6+3.")
    repeat = _read_repeat(cursor)
    reader = _SumReader(cursor, after="" if repeat is None else "x")
    reader.read()
    expression = Expression(repeat, reader.build_steps(), reader.build_pieces(), reader.against)
    check_cost(expression, cursor.typed)
    check_range(expression, cursor.typed)
    return expression


_remembered = lru_cache(MAX_CACHED_EXPRESSIONS)(_parse)


def find_fault(text: str) -> str:
    """Return "" if `text` can be rolled, else a short reason to show during typing, at most 100
    characters: `2d6+ : a number or dice must follow "+"`.
    """
    try:
        _parse(text)
    except ExpressionError as error:
        return f"{error.excerpt.strip()} : {error.reason}".removeprefix(" : ")[:100]
    return ""


def _read_repeat(cursor: Cursor) -> int | None:
    """Read the repetition at the start, such as `3x`. Without one, return None and do not move.

    Raises ExpressionError.
    """
    start = cursor.pos
    count = cursor.read_number()
    if count is None or not cursor.take("x", "#"):
        cursor.pos = start
        return None
    if not 1 <= count <= MAX_REPEATS:
        raise cursor.make_error(f"a roll can be repeated 1 to {MAX_REPEATS} times", start)
    return count


@dataclass(slots=True)
class _SumReader:
    """One parse. Program and pieces refer to operands by index, because a label may still follow an
    operand.
    """

    cursor: Cursor
    after: str  # what the next operand must follow; empty at the start
    operands: list[Operand] = field(default_factory=list)
    program: list[int | Operator | Number] = field(default_factory=list)
    pieces: list[int | str] = field(default_factory=list)
    depth: int = 0
    against: Test | None = None
    part: range = range(0)  # the operands that a label would belong to now

    def read(self) -> None:
        """Parse to the end. Raises ExpressionError."""
        self._read_signed(1)
        if self.cursor.peek() == ")":
            raise self.cursor.make_error('there is no "(" for this ")"')

    def build_steps(self) -> tuple[Step, ...]:
        """Return the program with its operands."""
        return tuple(
            self.operands[step] if isinstance(step, int) else step for step in self.program
        )

    def build_pieces(self) -> tuple[Operand | str, ...]:
        """Return the pieces with their operands."""
        return tuple(
            self.operands[piece] if isinstance(piece, int) else piece for piece in self.pieces
        )

    def _read_signed(self, rank: int) -> None:
        """Read operands as long as the signs between them bind at least as closely as `rank`."""
        self._read_operand()
        while (sign := self._peek_sign()) and _RANK[sign] >= rank:
            place = self.cursor.pos
            self.cursor.take(sign)
            self.pieces.append(_SHOWN[sign])
            self.after = sign
            self._read_signed(_RANK[sign] + 1)
            self.program.append(Operator(sign, place + 1))

    def _read_operand(self) -> None:
        """Read an operand or parentheses, with the signs and the label before it."""
        cursor = self.cursor
        label = ""
        negative = list[int]()
        while (char := cursor.peek()) and char in "[+-":
            if char == "[":
                if label:
                    raise cursor.make_error("there is already a label here")
                label = self._read_label()
            elif cursor.take(char) == "-":
                negative.append(cursor.pos)
                self.pieces.append("-")
            self.after = "]" if char == "[" else char
        if char == "(":
            self._read_group(label)
        elif char and (is_at_dice(cursor) or char in DIGITS):
            self._add(_read_number_or_pool(cursor), label)
        else:
            raise self._make_missing_operand_error(char)
        for place in reversed(negative):
            self.program += (Number(-1), Operator("*", place))

    def _read_group(self, label: str) -> None:
        """Read a sum in parentheses; `label` is the label before it, or "". Raises ExpressionError."""
        cursor = self.cursor
        first = len(self.operands)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise cursor.make_error(f"parentheses can be nested {MAX_DEPTH} deep")
        self.after = cursor.take("(")
        self.pieces.append("(")
        self._read_signed(1)
        if cursor.peek() != ")":
            raise cursor.make_expected_error('a ")" must follow')
        place = cursor.pos
        self.pieces.append(cursor.take(")"))
        self.depth -= 1
        self.part = range(first, len(self.operands))
        if label:
            self._give_label(label, place)

    def _peek_sign(self) -> str:
        """Return the sign after an operand and its labels; "" at the end of the text or of the
        parentheses.
        """
        cursor = self.cursor
        while cursor.peek() == "[":
            place = cursor.pos
            self._give_label(self._read_label(), place)
        char = cursor.peek()
        if char == ")" or self.against is not None or self._read_against():
            return ""
        if char and char not in _SHOWN:
            raise self._make_missing_sign_error(char)
        return char

    def _read_against(self) -> bool:
        """Read the comparison of the whole sum, which must come last. Return False if there is
        none.
        """
        cursor = self.cursor
        place = cursor.pos
        word = cursor.take("sum")
        self.against = cursor.read_test()
        if word and self.against is None:
            raise cursor.make_expected_error('a comparison must follow "sum": 2d6 sum>=8')
        if self.against is None:
            return False
        if cursor.peek() or self.depth:
            raise cursor.make_error(
                "the number to compare the sum with comes last: (2d6+3)>=8", place
            )
        if any(isinstance(operand, Pool) and operand.is_text for operand in self.operands):
            raise cursor.make_error("faces that are words cannot be added up", place)
        return True

    def _add(self, operand: Operand, label: str) -> None:
        """Add an operand to the program and the pieces; `label` is the label before it, or ""."""
        index = len(self.operands)
        self.operands.append(operand)
        self.program.append(index)
        self.pieces.append(index)
        self.part = range(index, index + 1)
        if label:
            self._give_label(label, self.cursor.pos)

    def _read_label(self) -> str:
        """Read a label in brackets, with single spaces. Raises ExpressionError if it is empty or too
        long.
        """
        place = self.cursor.pos
        label = " ".join(self.cursor.read_bracketed().split())
        if not label:
            raise self.cursor.make_error("this label is empty", place)
        if len(label) > MAX_WORDS:
            raise self.cursor.make_error(f"a label can have at most {MAX_WORDS} characters", place)
        return label

    def _give_label(self, label: str, place: int) -> None:
        """Label the dice of the part just read that have no label yet; without dice, its first
        number.
        """
        bare = [index for index in self.part if not self.operands[index].label]
        pools = [index for index in bare if isinstance(self.operands[index], Pool)]
        if not bare:
            raise self.cursor.make_error("what comes before already has a label", place)
        for index in pools or bare[:1]:
            self.operands[index] = replace(self.operands[index], label=label)

    def _make_missing_operand_error(self, char: str) -> ExpressionError:
        """Return the error for a text that has `char`, or "" at its end, in place of an operand."""
        if not self.after:
            return self.cursor.make_error(
                f'"{self.cursor.word()}" is neither a number nor dice', hint="For example 2d6+3."
            )
        reason = f'a number or dice must follow "{self.after}"'
        return self.cursor.make_error(f'{reason}, not "{self.cursor.word()}"' if char else reason)

    def _make_missing_sign_error(self, char: str) -> ExpressionError:
        """Return the error for a text that has `char` after an operand, which is no sign."""
        cursor = self.cursor
        if char == "x":
            return cursor.make_error('"x" repeats a roll and comes first: 3x 2d6')
        if error := self._find_two_readings():
            return error
        for word in _AFTER_DICE if char == "!" or is_at_modifier(cursor) else ():
            if cursor.text.startswith(word, cursor.pos):
                example = "!" if word == "!" else f"{word}1"
                return cursor.make_error(
                    f'"{word}" must come right after the dice, as in 4d6{example}'
                )
        return self._make_unknown_word_error(char)

    def _make_unknown_word_error(self, char: str) -> ExpressionError:
        """Return the refusal of a word that is neither a sign nor belongs to dice."""
        cursor = self.cursor
        word = cursor.word()
        is_apart = cursor.text[cursor.pos - 1] == " "
        is_note = is_apart and word.isalpha() and len(word) > 2 and not word.startswith("drop")
        if not is_note and char == "d" and isinstance(self.operands[-1], Pool):
            return cursor.make_error('"d" rolls dice; to drop dice write dl1 or dh1')
        if not is_note and (char in "d(" or char in DIGITS):
            return cursor.make_error(f'a sign (+ - * /) must come before "{word}"')
        return cursor.make_error(
            f'"{word}" is not part of a dice expression',
            hint=self._make_note_hint(is_apart) if word.isalpha() else "",
        )

    def _make_note_hint(self, is_apart: bool) -> str:
        """Return how the words that are left can be typed as a note."""
        cursor = self.cursor
        note = cursor.typed[cursor.pos :].strip()
        is_words = len(note) <= MAX_WORDS and note.replace(" ", "").isalpha()
        if is_apart and is_words and not self.depth:
            return f"Put a note in brackets: {cursor.typed[: cursor.pos].strip()} [{note}]."
        return "Put a note in brackets: 2d6 [rally]."

    def _find_two_readings(self) -> ExpressionError | None:
        """Return the refusal of what other tools write for several things: `4d6t5`, `5k3`."""
        cursor = self.cursor
        typed = _OTHER_TOOLS.match(cursor.text, cursor.pos)
        if typed is None:
            return None
        word = typed[1]
        number = int(typed[2])
        earlier = self.operands[-1]
        if isinstance(earlier, Number):
            is_close = cursor.text[cursor.pos - 1] in DIGITS
            readings = _list_readings_after_number(earlier.value, word, number, is_close=is_close)
        else:
            readings = _list_readings_after_dice(earlier, number) if word == "t" else []
        if not readings:
            return None
        several = "can mean two things" if len(readings) > 1 else "is not part of a dice expression"
        return cursor.make_error(f'"{cursor.word()}" {several}', hint=" ".join(readings))


def _list_readings_after_number(count: int, word: str, number: int, *, is_close: bool) -> list[str]:
    """Return what `5k3` or `5t3` can mean, each with how it is written here."""
    readings = []
    is_count = 1 <= count <= MAX_REPEATS
    if is_close and is_count:
        readings.append(f"For dice of {number} sides write {count}d{number}.")
    if word == "t":
        readings.append(f"To compare the sum with {number} write >={number} at the end.")
    elif is_count and number <= count:
        readings.append(f"To keep {number} of {count} ten-sided dice write {count}d10kh{number}.")
    return readings


def _list_readings_after_dice(pool: Pool, number: int) -> list[str]:
    """Return the sentences about the possible meanings of `t8` after dice, each with its notation
    in this program.
    """
    if pool.is_text or pool.as_digits or pool.count_if:
        return []
    dice = pool.notation
    readings = [f"To compare the sum with {number} write ({dice})>={number}."]
    if pool.lowest <= number <= pool.highest:
        readings.insert(0, f"To count the dice that show {number} or more write {dice}>={number}.")
    return readings


def _read_number_or_pool(cursor: Cursor) -> Operand:
    """Read a number, dice, or a word that stands for dice. Raises ExpressionError."""
    word_pool = read_word(cursor)
    if word_pool is not None:
        return word_pool
    start = cursor.pos
    number = cursor.read_number()
    if is_at_dice(cursor):
        return read_pool(cursor, number, start)
    return Number(number or 0)
