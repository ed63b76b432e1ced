"""Reading one pool of dice: `4d6kh3`, `10d10>=8`, `4dF`, `d[hit,miss]`, with all that may follow the dice; by a cursor
over the text, which steps back over a number at most, so that no text takes long to read."""

import re
from dataclasses import dataclass, replace

from bot.rules.dice import AVERAGING, MAX_SIDES
from bot.rules.expression.model import (
    FATE_FACES,
    MAX_DICE,
    MAX_LENGTH,
    MAX_MODIFIERS,
    MAX_NUMBER,
    MAX_WORDS,
    Choice,
    Condition,
    ExpressionError,
    Pick,
    Pool,
    Test,
    places,
)

_NUMERIC = re.compile(r"[+-]?[0-9]+")
# What phones and word processors make of plain signs; each stands for exactly one character, so that places hold.
_SAME = {ord(a): b for a, b in zip("−–×÷\t\n\r\u00a0\u202f\u3000", "--*/      ", strict=True)}
_CONDITIONS = {"<=": "<=", "=<": "<=", ">=": ">=", "=>": ">=", "≤": "<=", "≥": ">=", "<": "<", ">": ">", "=": "="}
DIGITS = "0123456789"
_CHOICES = {"k": "kh", **{choice.value: choice.value for choice in Choice}}


class Cursor:
    """Where in the text we are. Letters are small in `text`; `typed` keeps them as they were."""

    def __init__(self, text: str) -> None:
        """Raises ExpressionError for a text that is too long or holds control characters."""
        if len(text) > MAX_LENGTH:
            reason = f"an expression has at most {MAX_LENGTH:,} characters, this one has {len(text):,}"
            raise ExpressionError(reason, text, MAX_LENGTH + 1)
        self.typed = text.translate(_SAME)
        # Only ASCII letters become small: others may change their length, and then places would not hold.
        self.text = "".join(char.lower() if char.isascii() else char for char in self.typed)
        self.pos = 0
        for place, char in enumerate(self.typed):
            if not char.isprintable():
                raise ExpressionError(f"a control character (U+{ord(char):04X}) cannot be rolled", text, place + 1)

    def error(self, reason: str, pos: int | None = None, *, hint: str = "") -> ExpressionError:
        """An error at `pos` (from 0) about what is from there to the cursor, or about the word at the cursor."""
        if pos is None:
            return ExpressionError(reason, self.typed, self.pos + 1, end=self.pos + len(self.word()), hint=hint)
        return ExpressionError(reason, self.typed, pos + 1, end=self.pos, hint=hint)

    def word(self) -> str:
        """What is here, as typed: a word or number up to 20 characters, anything else as one character."""
        rest = self.typed[self.pos : self.pos + 20]
        length = next((place for place, char in enumerate(rest) if not char.isalnum()), len(rest))
        return rest[: max(1, length)]

    def skip(self) -> None:
        """Go over spaces."""
        while self.text.startswith(" ", self.pos):
            self.pos += 1

    def peek(self) -> str:
        """The next character that is not a space; empty at the end."""
        self.skip()
        return self.text[self.pos : self.pos + 1]

    def take(self, *words: str) -> str:
        """The first of `words` that is here, gone over; or an empty string."""
        self.skip()
        for word in words:
            if self.text.startswith(word, self.pos):
                self.pos += len(word)
                return word
        return ""

    def number(self) -> int | None:
        """The whole number that is here, gone over; None when there is none. Raises ExpressionError beyond 10^9."""
        self.skip()
        start = self.pos
        while self.pos < len(self.text) and self.text[self.pos] in DIGITS:
            self.pos += 1
        if start == self.pos:
            return None
        digits = self.text[start : self.pos].lstrip("0") or "0"
        if len(digits) > len(str(MAX_NUMBER)) or int(digits) > MAX_NUMBER:
            raise self.error(f"numbers go up to {MAX_NUMBER:,}", start)
        return int(digits)

    def signed(self) -> int | None:
        """A number that may have a sign, gone over; None, and no step forward, when there is none."""
        start = self.pos
        sign = self.take("+", "-")
        number = self.number()
        if number is None:
            self.pos = start
            return None
        return -number if sign == "-" else number

    def test(self) -> Test | None:
        """The comparison here, `>=8`; None when there is none."""
        word = self.take(*_CONDITIONS)
        if not word:
            return None
        number = self.signed()
        if number is None:
            raise self.expected(f'a number must follow "{word}"')
        return Test(Condition(_CONDITIONS[word]), number)

    def bracketed(self) -> str:
        """What is between `[` and `]`, as typed. Call it at the `[`."""
        start = self.pos
        end = self.text.find("]", start)
        if end < 0:
            raise self.error('a "]" is missing for this "["', start)
        inner = self.typed[start + 1 : end]
        if "[" in inner:
            raise self.error('a "]" is missing before this "["', start + 1 + inner.index("["))
        self.pos = end + 1
        return inner

    def expected(self, reason: str) -> ExpressionError:
        """An error at the next thing that is not a space: what is there is not what must be."""
        self.skip()
        return self.error(reason)


@dataclass(slots=True)
class _Draft:
    """A pool while it is being read."""

    pool: Pool
    start: int
    again: int = 0  # where the last reroll or explosion is


def read_pool(cursor: Cursor, count: int, start: int) -> Pool:
    """The pool whose `d` is at the cursor, `count` dice of it. Raises ExpressionError.

    `start` is where the pool begins, from 0. Spaces may be anywhere but between `d` and `[`.
    """
    if count == 0:
        raise cursor.error("at least 1 die must be rolled", start)
    if count > MAX_DICE:
        raise cursor.error(f"at most {MAX_DICE:,} dice can be rolled, not {count:,}", start)
    cursor.take("d")
    sides, faces = _read_die(cursor)
    draft = _Draft(Pool(count, sides, faces), start)
    read = 0
    place = cursor.pos
    while _read_modifier(cursor, draft):
        read += 1
        if read > MAX_MODIFIERS:
            raise cursor.error(f"at most {MAX_MODIFIERS} things may follow the dice", place)
        place = cursor.pos
    _check_end(cursor, draft)
    return replace(draft.pool, at=start + 1, end=cursor.pos)


def _read_die(cursor: Cursor) -> tuple[int, tuple[int | str, ...] | None]:
    if cursor.text.startswith("[", cursor.pos):
        faces = _read_faces(cursor)
        return len(faces), faces
    word = cursor.take("%", "f", "a")
    if word:
        faces_of: dict[str, tuple[int | str, ...]] = {"f": FATE_FACES, "a": AVERAGING}
        return (100, None) if word == "%" else (len(faces_of[word]), faces_of[word])
    if cursor.peek() == "[":
        raise cursor.error('faces must follow "d" without a space')
    place = cursor.pos
    sides = cursor.number()
    if sides is None:
        raise cursor.expected('sides must follow "d": a number, %, F, A or [faces]')
    if not 1 <= sides <= MAX_SIDES:
        raise cursor.error(f"a die has 1 to {MAX_SIDES:,} sides", place)
    return sides, None


def _read_faces(cursor: Cursor) -> tuple[int | str, ...]:
    place = cursor.pos + 1
    faces: list[int | str] = []
    for word in cursor.bracketed().split(","):
        faces.append(_read_face(cursor, word.strip(), place))
        place += len(word) + 1
    return tuple(faces)


def _read_face(cursor: Cursor, word: str, place: int) -> int | str:
    if not word:
        raise cursor.error("a face is empty", place)
    if len(word) > MAX_WORDS:
        raise cursor.error(f"a face has at most {MAX_WORDS} characters", place)
    if not _NUMERIC.fullmatch(word):
        return word
    if abs(int(word)) > MAX_NUMBER:
        raise cursor.error(f"numbers go up to {MAX_NUMBER:,}", place)
    return int(word)


def _read_modifier(cursor: Cursor, draft: _Draft) -> bool:
    """Read one thing that follows the dice into `draft`; False when there is none here."""
    cursor.skip()
    place = cursor.pos
    if word := cursor.take("kh", "kl", "dh", "dl", "k"):
        _add_pick(cursor, draft, word, place)
    elif cursor.take("ro"):
        once = (*draft.pool.once, _needed_test(cursor, draft, "ro", place))
        draft.pool, draft.again = replace(draft.pool, once=once), place
    elif cursor.take("r"):
        rerolls = (*draft.pool.rerolls, _needed_test(cursor, draft, "r", place))
        draft.pool, draft.again = replace(draft.pool, rerolls=rerolls), place
    elif cursor.take("!"):
        explodes = (*draft.pool.explodes, _explosion(cursor, draft, place))
        draft.pool, draft.again = replace(draft.pool, explodes=explodes), place
    elif test := cursor.test():
        if draft.pool.count_if:
            raise cursor.error("these dice are counted already", place, hint="What the count comes to: (3d6>=5)>=2")
        _check_numeric(cursor, draft, place)
        hint = f"For their sum: ({cursor.typed[draft.start : place].strip()}){test}"
        _check_possible(cursor, draft, test, place, "none would count", hint)
        draft.pool = replace(draft.pool, count_if=test)
    else:
        return False
    return True


def _add_pick(cursor: Cursor, draft: _Draft, word: str, place: int) -> None:
    _check_numeric(cursor, draft, place)
    number = cursor.number()
    pick = Pick(Choice(_CHOICES[word]), 1 if number is None else number)
    keeps = pick.choice in (Choice.KEEP_HIGHEST, Choice.KEEP_LOWEST)
    left = len(places(draft.pool.picks, draft.pool.count))
    if pick.number == 0:
        raise cursor.error(f"{'keep' if keeps else 'drop'} at least 1 die", place)
    if keeps and pick.number > left:
        raise cursor.error(f"{pick.number:,} dice cannot be kept of {left:,}", place)
    if not keeps and pick.number >= left:
        raise cursor.error(f"no die would be left: {pick.number:,} dropped of {left:,}", place)
    draft.pool = replace(draft.pool, picks=(*draft.pool.picks, pick))


def _needed_test(cursor: Cursor, draft: _Draft, word: str, place: int) -> Test:
    """The condition after r or ro, a comparison or a bare number."""
    _check_numeric(cursor, draft, place)
    test = cursor.test()
    if test is None:
        number = cursor.signed()
        if number is None:
            raise cursor.expected(f'what to reroll must follow "{word}": {word}1 or {word}<3')
        test = Test(Condition.EQUAL, number)
    _check_possible(cursor, draft, test, place, "nothing can be rerolled")
    return test


def _explosion(cursor: Cursor, draft: _Draft, place: int) -> Test:
    """The condition after `!`: a comparison, a bare number without a sign, or else the highest face."""
    _check_numeric(cursor, draft, place)
    test = cursor.test()
    if test is None:
        number = cursor.number()
        test = Test(Condition.EQUAL, draft.pool.highest if number is None else number)
    _check_possible(cursor, draft, test, place, "nothing can explode")
    return test


def _check_numeric(cursor: Cursor, draft: _Draft, place: int) -> None:
    if draft.pool.is_text:
        raise cursor.error(f"the faces of {draft.pool.die_name} are words and cannot be compared", place)


def _check_possible(cursor: Cursor, draft: _Draft, test: Test, place: int, why: str, hint: str = "") -> None:
    if not _fits_some(test, draft.pool):
        raise cursor.error(f"no {draft.pool.die_name} shows {test.words()}, so {why}", place, hint=hint)


def _check_end(cursor: Cursor, draft: _Draft) -> None:
    """Refuse dice that could never come to rest."""
    if not _all_fit((*draft.pool.rerolls, *draft.pool.explodes), draft.pool):
        return
    what = "is rerolled" if draft.pool.rerolls else "explodes"
    if draft.pool.rerolls and draft.pool.explodes:
        what = "is rerolled or explodes"
    reason = f"this would never end: {draft.pool.die_name} {what} on every face"
    raise cursor.error(reason, draft.again)


def _fits_some(test: Test, plain: Pool) -> bool:
    if plain.faces is not None:
        return any(map(test.fits, plain.values))
    low, high = test.span
    return max(low, 1) <= min(high, plain.sides)


def _all_fit(tests: tuple[Test, ...], plain: Pool) -> bool:
    """Whether every face fits a test. A die of a million sides is not walked face by face."""
    if plain.faces is not None:
        return not plain.is_text and all(any(test.fits(value) for test in tests) for value in plain.values)
    covered = 0
    for low, high in sorted(test.span for test in tests):
        if low > covered + 1:
            return False
        covered = max(covered, high)
    return covered >= plain.sides
