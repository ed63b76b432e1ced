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
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import count
from typing import Any

from bot.rules.dice import Die

_WORDS = struct.Struct(">8I")
_FIRST = struct.Struct(">I28x")
"""The first word of a digest."""
_ALL = 2**32
MAX_SIDES = _ALL
PROTOCOLS = (1, 2)
PROTOCOL = 2
"""What new seeds are used under. Games go on under the protocol that they began with."""
SINCE = 1_795_392_000
"""Unix seconds from when every release promises new seeds under it."""
_BLOCK = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
"""What HMAC does to its key, byte by byte, for the hash within and the one around it (RFC 2104)."""


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


@lru_cache(64)
def _keyed(seed: bytes) -> tuple[Any, Any]:
    """The two halves of an HMAC after the key, to be copied."""
    key = (seed if len(seed) <= _BLOCK else sha256(seed).digest()).ljust(_BLOCK, b"\0")
    return sha256(key.translate(_INNER)), sha256(key.translate(_OUTER))


class Stream:
    """The dice of one event under protocol 1, in the order in which they are asked for. A `Source`."""

    def __init__(self, seed: bytes, game: str, event: int, texts_digest: str = NO_TEXTS) -> None:
        self._seed, self._game, self._event, self._digest = seed, game, event, texts_digest
        self._behind = f":{texts_digest}:0".encode()
        self._draw = 0
        inner, self._outer = _keyed(seed)
        self._inner = inner.copy()
        self._inner.update(f"{game}:{event}:".encode())

    def draw(self, die: Die) -> int | str:
        """The value of the next die; one that draws a card whose place is known is not thrown."""
        return self.draw_all(die, 1)[0] if die.sides or die.pile is None else 1

    def draw_all(self, die: Die, count: int) -> list[int | str]:
        """The values of so many dice alike: those of `face`, in a third of the time.

        The two halves of the HMAC go on from what is the same for all dice of the event, and only the first word is
        read; where that one does not count, `face` itself answers.
        """
        sides, first, behind = die.sides, self._draw, self._behind
        below = _below(sides)
        from_inner, from_outer, first_of = self._inner.copy, self._outer.copy, _FIRST.unpack
        found: list[int | str] = []
        for draw in range(first, first + count):
            inner, outer = from_inner(), from_outer()
            inner.update(b"%d%b" % (draw, behind))
            outer.update(inner.digest())
            (word,) = first_of(outer.digest())
            if word < below:
                found.append(word % sides + 1)
            else:
                found.append(face(self._seed, self._game, self._event, draw, sides, self._digest))
        self._draw = first + count
        return found if die.faces is None else [die.value(int(index)) for index in found]


class Words:
    """The dice of one event under protocol 2, in the order in which they are asked for. A `Source`."""

    def __init__(self, seed: bytes, game: str, event: int, texts_digest: str = NO_TEXTS) -> None:
        self._seed, self._about = seed, f"2:{game}:{event}:{texts_digest}:"
        self._blocks, self._words = 0, list[int]()

    def _block(self) -> list[int]:
        """The next words of the one row, the first of them last."""
        inner, outer = (half.copy() for half in _keyed(self._seed))
        inner.update(f"{self._about}{self._blocks}".encode())
        outer.update(inner.digest())
        self._blocks += 1
        return [*reversed(_WORDS.unpack(outer.digest()))]

    def draw(self, die: Die) -> int | str:
        """The value of the next die; one that draws a card whose place is known is not thrown."""
        return self.draw_all(die, 1)[0] if die.sides or die.pile is None else 1

    def draw_all(self, die: Die, count: int) -> list[int | str]:
        """The values of so many dice alike."""
        sides = die.sides
        below, found = _below(sides), list[int | str]()
        while len(found) < count:
            self._words = self._words or self._block()
            word = self._words.pop()
            if word < below:
                found.append(word % sides + 1)
        return found if die.faces is None else [die.value(int(index)) for index in found]


def dice_of(protocol: int, seed: bytes, game: str, event: int, texts_digest: str = "") -> Stream | Words:
    """The dice of an event, as the protocol has them. `texts_digest` is "" where there are no texts. Raises
    ValueError."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"dice have no protocol {protocol}")
    return (Stream if protocol == 1 else Words)(seed, game, event, texts_digest or NO_TEXTS)
