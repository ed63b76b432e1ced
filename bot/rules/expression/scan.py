"""A cursor over the text of an expression. It steps back over a number at most, so no text takes long to read."""

from __future__ import annotations

from bot.rules.expression.model import MAX_LENGTH, MAX_NUMBER, Condition, ExpressionError, Test

# What phones and word processors make of plain signs; each stands for exactly one character, so that places hold.
_SAME = {ord(a): b for a, b in zip("−–×÷\t\n\r\u00a0\u202f\u3000", "--*/      ", strict=True)}
_CONDITIONS = {"<=": "<=", "=<": "<=", ">=": ">=", "=>": ">=", "≤": "<=", "≥": ">=", "<": "<", ">": ">", "=": "="}
DIGITS = "0123456789"


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
