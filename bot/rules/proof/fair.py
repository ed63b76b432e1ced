"""Dice that can be checked afterwards: each face follows from a secret seed promised before.

The event that promises the seed names the number of a protocol. This is protocol 2:

    HMAC-SHA256(key = seed, text = "2:GAME:EVENT:TEXTS:BLOCK")

All numbers in the text are decimal. EVENT is the event's number in the log, TEXTS the hex SHA-256
of the players' texts, joined by newlines. Each digest is read as eight big-endian 32-bit words;
those of the blocks 0, 1, 2 and so on are one row of words for the whole event. Each die in turn
takes the next word below floor(2^32 / n) * n and shows word % n + 1; higher words are skipped.
docs/dice-protocol.md has test vectors.
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
    """Compute the commitment to a seed, published before the first die: its SHA-256 in hex."""
    return sha256(seed).hexdigest()


def compute_digest(texts: Sequence[str]) -> str:
    """Compute TEXTS of the protocol: the hex SHA-256 of the players' texts, joined by newlines.

    Without texts it is the hash of the empty string.
    """
    return sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


NO_TEXTS = compute_digest(())


def _compute_word_limit(sides: int) -> int:
    """Return the lowest word that a die skips, since words from there on would favor low faces.

    Raises ValueError for a number of sides that no die has.
    """
    if not 1 <= sides <= MAX_SIDES:
        raise ValueError(f"a die has 1 to {MAX_SIDES} sides, not {sides}")
    return _ALL // sides * sides


class Stream:
    """The dice of one event, drawn in the order of the rolls. A `Source` of dice."""

    def __init__(self, seed: bytes, game: str, event: int, texts_digest: str = "") -> None:
        """`texts_digest` is "" if there are no texts."""
        self._seed = seed
        self._game = game
        self._event = event
        self._digest = texts_digest or NO_TEXTS
        self._words = self._generate_words()

    def draw(self, die: Die) -> int | str:
        """Return the value of the next die.

        A die without sides draws a card at a known place of its pile: it takes no word and shows 1.
        """
        if die.sides or die.pile is None:
            return die.value(self._draw_face(die.sides))
        return 1

    def draw_all(self, die: Die, count: int) -> list[int | str]:
        """Return the values of `count` identical dice."""
        return [die.value(self._draw_face(die.sides)) for _ in range(count)]

    def _generate_words(self) -> Iterator[int]:
        """Yield the row of words for all dice of the event, without end."""
        for block in count():
            message = f"{PROTOCOL}:{self._game}:{self._event}:{self._digest}:{block}".encode()
            yield from _WORDS.unpack(hmac.digest(self._seed, message, "sha256"))

    def _draw_face(self, sides: int) -> int:
        """Return the next face from 1 to `sides`. Raises ValueError for a number no die has."""
        limit = _compute_word_limit(sides)
        while (word := next(self._words)) >= limit:
            pass
        return word % sides + 1
