"""Dice that can be checked afterwards: each face follows from a secret seed that was promised
beforehand.

How they follow is a protocol, whose number the event that promises the seed names:

    HMAC-SHA256(key = seed, text = "2:GAME:EVENT:TEXTS:BLOCK")

All numbers in the text are decimal. EVENT is the event's number in the log, TEXTS the hex SHA-256
of the players' texts, joined by newlines. Each digest is read as eight big-endian 32-bit words;
those of the blocks 0, 1, 2 and so on are one row of words for the whole event. Each die in turn
takes the next word below floor(2^32 / n) * n and shows word % n + 1; higher words are skipped.
docs/dice.md has test vectors.
"""

import hmac
import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count

from bot.rules.dice import Die

_WORDS = struct.Struct(">8I")
_ALL = 2**32
MAX_SIDES = _ALL
PROTOCOL = 2
"""The number of the dice protocol. Lower ones were used by unreleased builds only."""


def compute_commitment(seed: bytes) -> str:
    """What is published before the first die: the seed's SHA-256 in hex."""
    return sha256(seed).hexdigest()


def compute_digest(texts: Sequence[str]) -> str:
    """TEXTS: hex SHA-256 of the players' texts, joined by newlines. No texts: the hash of
    nothing.
    """
    return sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


NO_TEXTS = compute_digest(())


def _below(sides: int) -> int:
    """The words from here on would favour low faces."""
    if not 1 <= sides <= MAX_SIDES:
        raise ValueError(f"a die has 1 to {MAX_SIDES} sides, not {sides}")
    return _ALL // sides * sides


class Stream:
    """The dice of one event, in the order in which they are asked for. A `Source`."""

    def __init__(self, seed: bytes, game: str, event: int, texts_digest: str = "") -> None:
        """`texts_digest` is "" if there are no texts."""
        self._seed = seed
        self._game = game
        self._event = event
        self._digest = texts_digest or NO_TEXTS
        self._words = self._generate_words()

    def draw(self, die: Die) -> int | str:
        """Return the value of the next die. A die that draws a card of known place is not
        thrown.
        """
        return die.value(self._face(die.sides)) if die.sides or die.pile is None else 1

    def draw_all(self, die: Die, count: int) -> list[int | str]:
        """Return the values of `count` identical dice."""
        return [die.value(self._face(die.sides)) for _ in range(count)]

    def _generate_words(self) -> Iterator[int]:
        """Yield the one row of words for all dice of the event."""
        for block in count():
            message = f"{PROTOCOL}:{self._game}:{self._event}:{self._digest}:{block}".encode()
            yield from _WORDS.unpack(hmac.digest(self._seed, message, "sha256"))

    def _face(self, sides: int) -> int:
        below = _below(sides)
        while (word := next(self._words)) >= below:
            pass
        return word % sides + 1
