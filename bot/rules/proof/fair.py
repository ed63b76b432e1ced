"""Dice that can be checked afterwards: each face follows from a secret seed that was promised beforehand.

How they follow is a protocol, which the event that promises the seed names. All of it is HMAC-SHA256 with the seed as
key; each digest is read as eight big-endian 32-bit words, and a word below floor(2^32 / n) * n makes a die with n sides
show word % n + 1. All numbers in the text are decimal: EVENT is the event's number in the log, TEXTS the hex SHA-256 of
the players' texts, joined by newlines. docs/dice.md has test vectors.

1: each die has digests of its own, over GAME:EVENT:DRAW:TEXTS:TRY. DRAW counts the dice of one event from 0. The first
word that is low enough counts; where none of the eight is, TRY goes up by one from 0.
2: the digests over 2:GAME:EVENT:TEXTS:BLOCK, BLOCK 0, 1, 2 and so on, are one row of words for the whole event. Each
die in turn takes the next word; those that are not low enough are passed over.
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
PROTOCOLS = (1, 2)
PROTOCOL = 2
"""What new seeds are used under. Games go on under the protocol that they began with."""
SINCE = 1_795_392_000
"""Unix seconds from when every release promises new seeds under it."""


def commitment(seed: bytes) -> str:
    """What is published before the first die: the seed's SHA-256 in hex."""
    return sha256(seed).hexdigest()


def digest(texts: Sequence[str]) -> str:
    """TEXTS: hex SHA-256 of the players' texts, joined by newlines. No texts: the hash of nothing."""
    return sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


NO_TEXTS = digest(())


def face(seed: bytes, game: str, event: int, draw: int, sides: int, texts_digest: str = NO_TEXTS) -> int:
    """1..sides, for the die number `draw` (from 0) of event number `event`. `sides` is 1 to 2^32."""
    below = _below(sides)
    for attempt in count():
        message = f"{game}:{event}:{draw}:{texts_digest}:{attempt}".encode()
        for word in _WORDS.unpack(hmac.digest(seed, message, "sha256")):
            if word < below:
                return int(word) % sides + 1
    raise AssertionError("there is no last attempt")


def _below(sides: int) -> int:
    """The words from here on would favour low faces."""
    if not 1 <= sides <= MAX_SIDES:
        raise ValueError(f"a die has 1 to {MAX_SIDES} sides, not {sides}")
    return _ALL // sides * sides


class Stream:
    """The dice of one event under protocol 1, in the order in which they are asked for. A `Source`."""

    def __init__(self, seed: bytes, game: str, event: int, texts_digest: str = NO_TEXTS) -> None:
        self._seed, self._game, self._event, self._digest = seed, game, event, texts_digest
        self._draws = count()

    def draw(self, die: Die) -> int | str:
        """The value of the next die; one that draws a card whose place is known is not thrown."""
        return die.value(self._face(die.sides)) if die.sides or die.pile is None else 1

    def draw_all(self, die: Die, count: int) -> list[int | str]:
        """The values of so many dice alike."""
        return [die.value(self._face(die.sides)) for _ in range(count)]

    def _face(self, sides: int) -> int:
        return face(self._seed, self._game, self._event, next(self._draws), sides, self._digest)


class Words(Stream):
    """The same under protocol 2."""

    def __init__(self, seed: bytes, game: str, event: int, texts_digest: str = NO_TEXTS) -> None:
        super().__init__(seed, game, event, texts_digest)
        self._words = self._row()

    def _row(self) -> Iterator[int]:
        """The one row of words for all dice of the event."""
        for block in count():
            message = f"2:{self._game}:{self._event}:{self._digest}:{block}".encode()
            yield from _WORDS.unpack(hmac.digest(self._seed, message, "sha256"))

    def _face(self, sides: int) -> int:
        below = _below(sides)
        while (word := next(self._words)) >= below:
            pass
        return word % sides + 1


def dice_of(protocol: int, seed: bytes, game: str, event: int, texts_digest: str = "") -> Stream:
    """The dice of an event, as the protocol has them. `texts_digest` is "" where there are no texts. Raises
    ValueError."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"dice have no protocol {protocol}")
    return (Stream if protocol == 1 else Words)(seed, game, event, texts_digest or NO_TEXTS)
