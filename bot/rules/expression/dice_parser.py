"""The parser of one pool of dice with its modifiers, such as `4d6kh3`, `10d10>=8`, `4dF` or
`d[hit,miss]`.

It uses a cursor that steps back over one number at most, so that no text takes long to parse.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.dice import AVERAGING, FATE_FACES, MAX_SIDES
from bot.rules.expression.model import (
    DIGIT_DICE,
    MAX_DICE,
    MAX_LENGTH,
    MAX_MODIFIERS,
    MAX_NUMBER,
    MAX_REPEATS,
    MAX_WORDS,
    DicePick,
    ExpressionError,
    Pool,
    Test,
    list_kept_indices,
)
from bot.rules.text.normalize import plain_signs, replace_strays
from bot.rules.text.plain import remove_control

_NUMERIC = re.compile(r"[+-]?[0-9]+")
_SAME = {ord(a): b for a, b in zip("−–×÷\t\n\r\u00a0\u202f\u3000", "--*/      ", strict=True)}
"""Typographic signs with the plain sign for each. Both have one character, so that positions stay
right. In a label in brackets no other signs change.
"""
_TIMES = {ord("\u00b7"): "*", ord("\u22c5"): "*", ord("\u2022"): "*", ord("\u2715"): "*"}
_ZERO_WIDTH = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
"""Invisible characters that web pages and keyboards insert."""
_LABEL = re.compile(r"(\[[^\[\]]*\])")
_CONDITIONS = {
    "<=": "<=",
    "=<": "<=",
    ">=": ">=",
    "=>": ">=",
    "≤": "<=",
    "≥": ">=",
    "<": "<",
    ">": ">",
    "=": "=",
}
DIGITS = "0123456789"
_FURTHER = {"ro": "once", "r": "rerolls", "!": "explodes"}
"""The modifiers that add further dice, with the field of the pool that takes their tests."""


def _refuse_control(text: str) -> None:
    """Raise ExpressionError for the first control character, if there is one."""
    clean = remove_control(text)
    if clean == text:
        return  # joined emoji in a label
    place = next(
        (
            index
            for index, (typed, allowed) in enumerate(zip(text, clean, strict=False))
            if typed != allowed
        ),
        len(clean),
    )
    reason = f"a control character (U+{ord(text[place]):04X}) cannot be rolled"
    raise ExpressionError(reason, text, place + 1)


class Cursor:
    """A position in the text. `text` has small letters; `typed` keeps them as typed."""

    def __init__(self, text: str, *, is_early: bool = False) -> None:
        """Raises ExpressionError for a text that is too long or holds control characters.

        `is_early` reads as early logs do, where d66 is a die of 66 sides.
        """
        self.is_early = is_early
        if len(text) > MAX_LENGTH:
            reason = f"an expression can have at most {MAX_LENGTH:,} characters, but this one has {len(text):,}"
            raise ExpressionError(reason, text, MAX_LENGTH + 1)
        text = replace_strays(text, _ZERO_WIDTH, "")
        self.typed = "".join(
            piece if piece.startswith("[") else plain_signs(piece).translate(_TIMES)
            for piece in _LABEL.split(text.translate(_SAME))
        )
        # Only ASCII letters become small: others may change their length, and then places would not
        # hold.
        self.text = "".join(char.lower() if char.isascii() else char for char in self.typed)
        self.pos = 0
        if not self.typed.isprintable():
            _refuse_control(self.typed)

    def make_error(self, reason: str, pos: int | None = None, *, hint: str = "") -> ExpressionError:
        """Return an error about the text from `pos` (from 0) to the cursor, or about the word at
        the cursor.
        """
        if pos is None:
            return ExpressionError(
                reason, self.typed, self.pos + 1, end=self.pos + len(self.word()), hint=hint
            )
        return ExpressionError(reason, self.typed, pos + 1, end=self.pos, hint=hint)

    def word(self) -> str:
        """The text at the cursor as typed: a word or number of up to 20 characters, else one
        character.
        """
        following = self.typed[self.pos : self.pos + 20]
        length = next(
            (place for place, char in enumerate(following) if not char.isalnum()), len(following)
        )
        return following[: max(1, length)]

    def skip(self) -> None:
        """Move past spaces."""
        while self.text.startswith(" ", self.pos):
            self.pos += 1

    def peek(self) -> str:
        """Return the next character that is not a space, "" at the end."""
        self.skip()
        return self.text[self.pos : self.pos + 1]

    def take(self, *words: str) -> str:
        """Move past the first of `words` that is at the cursor and return it, or return ""."""
        self.skip()
        for word in words:
            if self.text.startswith(word, self.pos):
                self.pos += len(word)
                return word
        return ""

    def read_number(self) -> int | None:
        """Read a whole number without a sign, None if there is none.

        Raises ExpressionError if it is more than 10^9.
        """
        self.skip()
        start = self.pos
        while self.pos < len(self.text) and self.text[self.pos] in DIGITS:
            self.pos += 1
        if start == self.pos:
            return None
        digits = self.text[start : self.pos].lstrip("0") or "0"
        if len(digits) > len(str(MAX_NUMBER)) or int(digits) > MAX_NUMBER:
            raise self.make_error(f"numbers go up to {MAX_NUMBER:,}", start)
        return int(digits)

    def read_signed(self) -> int | None:
        """Read a number with an optional sign. If there is none, return None and do not move."""
        start = self.pos
        sign = self.take("+", "-")
        number = self.read_number()
        if number is None:
            self.pos = start
            return None
        return -number if sign == "-" else number

    def read_test(self) -> Test | None:
        """Read a comparison such as `>=8`, None if there is none. Raises ExpressionError."""
        word = self.take(*_CONDITIONS)
        if not word:
            return None
        if word in ("<", ">"):  # `> =`
            word += self.take("=")
        number = self.read_signed()
        if number is None:
            raise self.make_expected_error(f'a number must follow "{word}"')
        return Test(_CONDITIONS[word], number)

    def read_bracketed(self) -> str:
        """Read the text between `[` and `]`, as typed. The cursor must be at the `[`. Raises
        ExpressionError.
        """
        start = self.pos
        closing = self.text.find("]", start)
        if closing < 0:
            raise self.make_error('a "]" is missing for this "["', start)
        inner = self.typed[start + 1 : closing]
        if "[" in inner:
            raise self.make_error('a "]" is missing before this "["', start + 1 + inner.index("["))
        self.pos = closing + 1
        return inner

    def make_expected_error(self, reason: str) -> ExpressionError:
        """Return an error at the next character that is not a space: something else is expected
        there.
        """
        self.skip()
        return self.make_error(reason)


_OTHER_D = re.compile("w[0-9]")
_MODIFIER_WORDS = re.compile(r"(?:kh|kl|dh|dl|k|ro|r)+(?![a-z])")


def is_at_modifier(cursor: Cursor) -> bool:
    """Return whether the letters at the cursor can follow dice: not those of ` kill`."""
    cursor.skip()
    is_close = cursor.text[cursor.pos - 1 : cursor.pos] != " "
    return is_close or bool(_MODIFIER_WORDS.match(cursor.text, cursor.pos))


def is_at_dice(cursor: Cursor) -> bool:
    """Return whether a `d` is at the cursor, or the `w` that other tools write for it: 2w6."""
    return cursor.peek() == "d" or bool(_OTHER_D.match(cursor.text, cursor.pos))


DICE_BY_WORD = {
    "DR": Pool(2, 6, label="colored, white", word="DR"),
    "dr": Pool(1, 6, label="die", word="dr"),
    "Dr": Pool(1, 6, label="die", word="dr"),  # as a phone begins a sentence
}
"""Dice that Advanced Squad Leader names by a word. Only here capitals matter."""


def read_word(cursor: Cursor) -> Pool | None:
    """Read the dice that a word stands for, None for no such word."""
    pool = DICE_BY_WORD.get(cursor.word())
    if pool is None:
        return None
    start = cursor.pos
    cursor.pos += len(pool.word)
    return replace(pool, at=start + 1, end=cursor.pos)


def read_pool(cursor: Cursor, typed: int | None, start: int) -> Pool:
    """Read the pool whose `d` is at the cursor, with `typed` dice. Raises ExpressionError.

    `start` is the position at which the pool begins, from 0. Spaces may be anywhere but between `d`
    and `[`.
    """
    count = 1 if typed is None else typed
    if count == 0:
        raise cursor.make_error("at least 1 die must be rolled", start)
    if count > MAX_DICE:
        raise cursor.make_error(f"at most {MAX_DICE:,} dice can be rolled, not {count:,}", start)
    cursor.take("d", "w")
    pool = Pool(count, *_read_die(cursor))
    if pool.faces is None and pool.sides in DIGIT_DICE:
        if cursor.is_early:
            pool = replace(pool, word=f"d{pool.sides}" if count == 1 else "")
        elif typed is None:
            return replace(_read_digits(cursor, pool.sides), at=start + 1, end=cursor.pos)
        elif count > 1:
            raise _make_two_readings_error(cursor, count, pool.sides, start)
    reader = _PoolReader(cursor, start, pool)
    reader.read()
    return replace(reader.pool, at=start + 1, end=cursor.pos)


def _read_digits(cursor: Cursor, sides: int) -> Pool:
    """Return the dice that `d66` or `d666` stands for. Raises ExpressionError for what follows."""
    count, faces = DIGIT_DICE[sides]
    place = cursor.pos
    if word := cursor.take("kh", "kl", "dh", "dl", "k", *_FURTHER):
        raise cursor.make_error(
            f'"{word}" cannot follow d{sides}, whose dice are read as digits',
            place,
            hint=f"Write 1d{sides} for a die of {sides} sides.",
        )
    return Pool(count, faces, word=f"d{sides}", as_digits=True)


def _make_two_readings_error(cursor: Cursor, count: int, sides: int, start: int) -> ExpressionError:
    times = min(count, MAX_REPEATS)
    return cursor.make_error(
        f"{count}d{sides} can mean two things",
        start,
        hint=f"For dice of {DIGIT_DICE[sides][1]} sides read as digits write {times}x d{sides}. "
        f"For dice of {sides} sides write 1d{sides} for each: 1d{sides}+1d{sides}.",
    )


def _read_die(cursor: Cursor) -> tuple[int, tuple[int | str, ...] | None]:
    """Read the kind of die after the `d`: its sides, and its faces if they are not 1..sides.

    Raises ExpressionError.
    """
    if cursor.text.startswith("[", cursor.pos):
        faces = _read_faces(cursor)
        return len(faces), faces
    word = cursor.take("%", "f", "a")
    if word:
        faces_of: dict[str, tuple[int | str, ...]] = {"f": FATE_FACES, "a": AVERAGING}
        return (100, None) if word == "%" else (len(faces_of[word]), faces_of[word])
    if cursor.peek() == "[":
        raise cursor.make_error('faces must follow "d" without a space')
    place = cursor.pos
    sides = cursor.read_number()
    if sides is None:
        raise cursor.make_expected_error('sides must follow "d": a number, %, F, A or [faces]')
    if not 1 <= sides <= MAX_SIDES:
        raise cursor.make_error(f"a die must have 1 to {MAX_SIDES:,} sides", place)
    return sides, None


def _read_faces(cursor: Cursor) -> tuple[int | str, ...]:
    """Read the faces of a die in brackets, separated by commas. Raises ExpressionError."""
    place = cursor.pos + 1
    faces: list[int | str] = []
    for word in cursor.read_bracketed().split(","):
        faces.append(_read_face(cursor, word.strip(), place))
        place += len(word) + 1
    return tuple(faces)


def _read_face(cursor: Cursor, word: str, place: int) -> int | str:
    """Return a face, as a number if it looks like one. `place` is its position for errors.

    Raises ExpressionError.
    """
    if not word:
        raise cursor.make_error("a face is empty", place)
    if len(word) > MAX_WORDS:
        raise cursor.make_error(f"a face can have at most {MAX_WORDS} characters", place)
    if not _NUMERIC.fullmatch(word):
        return word
    if abs(int(word)) > MAX_NUMBER:
        raise cursor.make_error(f"numbers go up to {MAX_NUMBER:,}", place)
    return int(word)


@dataclass(slots=True)
class _PoolReader:
    """A parser of the modifiers of a pool."""

    cursor: Cursor
    start: int
    pool: Pool
    place: int = 0  # where the thing begins that is being read
    again: int = 0  # where the last reroll or explosion is

    def read(self) -> None:
        """Read all modifiers. Raises ExpressionError, also for dice that would be rolled for
        ever.
        """
        cursor = self.cursor
        modifiers_read = 0
        place = self.cursor.pos
        while self._read_modifier():
            modifiers_read += 1
            if modifiers_read > MAX_MODIFIERS:
                raise cursor.make_error(
                    f"at most {MAX_MODIFIERS} things may follow the dice", place
                )
            place = cursor.pos
        rerolls = self.pool.rerolls
        explodes = self.pool.explodes
        if _all_fit((*rerolls, *explodes), self.pool):
            verb = " or ".join(["is rerolled"] * bool(rerolls) + ["explodes"] * bool(explodes))
            raise cursor.make_error(
                f"this would never end: {self.pool.die_name} {verb} on every face", self.again
            )

    def _read_modifier(self) -> bool:
        """Read one modifier into `pool`, such as kh3, r1, ! or >=5. Return False if there is none.

        Raises ExpressionError.
        """
        cursor = self.cursor
        pool = self.pool
        cursor.skip()
        self.place = cursor.pos
        words = ("kh", "kl", "dh", "dl", "k", "ro", "r") if is_at_modifier(cursor) else ()
        if word := cursor.take(*words[:5]):
            self.pool = replace(
                pool, picks=(*pool.picks, self._read_pick("kh" if word == "k" else word))
            )
        elif word := cursor.take(*words[5:], "!"):
            tests: dict[str, Any] = {
                _FURTHER[word]: (*getattr(pool, _FURTHER[word]), self._read_condition(word))
            }
            self.pool = replace(pool, **tests)
            self.again = self.place
        elif test := cursor.read_test():
            if pool.count_if:
                raise self._make_error(
                    "these dice are already counted", "To test the count: (3d6>=5)>=2"
                )
            self._check_numeric()
            hint = f"For their sum: ({cursor.typed[self.start : self.place].strip()}){test}"
            self._check_possible(test, "none would count", hint)
            self.pool = replace(pool, count_if=test)
        else:
            return False
        return True

    def _make_error(self, reason: str, hint: str = "") -> ExpressionError:
        """Return an error about the current modifier."""
        return self.cursor.make_error(reason, self.place, hint=hint)

    def _read_pick(self, word: str) -> DicePick:
        """Return how many dice are kept or dropped, 1 without a number."""
        self._check_numeric()
        number = self.cursor.read_number()
        number = 1 if number is None else number
        keeps = word[0] == "k"
        remaining = len(list_kept_indices(self.pool.picks, self.pool.count))
        if number == 0:
            raise self._make_error(f"{'keep' if keeps else 'drop'} at least 1 die")
        if keeps and number > remaining:
            raise self._make_error(f"{number:,} dice cannot be kept out of {remaining:,}")
        if not keeps and number >= remaining:
            raise self._make_error(f"no die would be left: {number:,} dropped of {remaining:,}")
        return DicePick(word, number)

    def _read_condition(self, word: str) -> Test:
        """Read the condition after r, ro or !: a comparison or a number. After ! a number needs a
        sign, and the default is the highest face.
        """
        self._check_numeric()
        test = self.cursor.read_test()
        bursts = word == "!"
        if test is None:
            number = self.cursor.read_number() if bursts else self.cursor.read_signed()
            if number is None and not bursts:
                raise self.cursor.make_expected_error(
                    f'what to reroll must follow "{word}": {word}1 or {word}<3'
                )
            test = Test("=", self.pool.highest if number is None else number)
        self._check_possible(test, "nothing can explode" if bursts else "nothing can be rerolled")
        return test

    def _check_numeric(self) -> None:
        """Raise ExpressionError if the faces of the dice are words, which cannot be compared."""
        if self.pool.is_text:
            raise self._make_error(
                f"the faces of {self.pool.die_name} are words and cannot be compared"
            )

    def _check_possible(self, test: Test, reason: str, hint: str = "") -> None:
        """Raise ExpressionError if no face of the dice passes the test.

        `reason` says for the error what follows from that, as in "none would count".
        """
        if not _has_fitting_face(test, self.pool):
            raise self._make_error(
                f"no {self.pool.die_name} shows {test.words()}, so {reason}", hint
            )


def _has_fitting_face(test: Test, plain: Pool) -> bool:
    if plain.faces is not None:
        return any(map(test.fits, plain.values))
    low, high = test.span
    return max(low, 1) <= min(high, plain.sides)


def _all_fit(tests: tuple[Test, ...], plain: Pool) -> bool:
    """Return whether every face fits a test. A die of a million sides is not walked face by face."""
    if plain.faces is not None:
        return not plain.is_text and all(
            any(test.fits(value) for test in tests) for value in plain.values
        )
    covered = 0
    for low, high in sorted(test.span for test in tests):
        if low > covered + 1:
            return False
        covered = max(covered, high)
    return covered >= plain.sides
