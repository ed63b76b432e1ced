"""What counts for the luck of one game, up to an event: so that whoever asks again has only the new events read.

A tally keeps the latest rolls with what they were worth, and of older ones no more than their numbers: undo takes a
roll out of the count, redo puts it back. Whoever reads a log for it reads from its end, until enough rolls are found.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from bot.game.events import note_undo
from bot.game.state import Json
from bot.game.stats import Try, Worth, tries
from bot.stores.records import EventRow

MOST = 3_000
"""Rolls that are counted: the latest."""
SPARE = 200
"""Further ones that are kept, for those that are undone later."""
Key = tuple[str, str, str, str]


class Counted(NamedTuple):
    """A roll that counts: its event, whose it is, what was rolled, and a digest of inputs and outcome."""

    number: int
    side: str
    system: str
    sequence: str
    key: bytes


class Tally:
    """The rolls of a game that count, up to the event `upto` with the hash `head`."""

    def __init__(self, sides: tuple[str, ...], packs: tuple[str, ...]) -> None:
        self.sides, self.packs = sides, packs
        self.upto, self.head = 0, ""
        self.worths: dict[bytes, Worth | None] = {}
        self.asks: dict[bytes, Key] = {}
        self._kept: list[Counted] = []
        self._undone: set[int] = set()
        self._older = array("L")
        self._left_out = 0

    def counted(self) -> list[Counted]:
        """The latest rolls that count, the first one first."""
        return self._alive()[-MOST:]

    @property
    def left_out(self) -> int:
        """How many older rolls would count too."""
        return self._left_out + max(0, len(self._alive()) - MOST)

    @property
    def is_short(self) -> bool:
        """Whether so many were undone that older ones have to be read again."""
        return self._left_out > 0 and len(self._alive()) < MOST

    def add(self, news: News) -> None:
        """Take in what was read behind `upto`."""
        if news.newest is None:
            return
        for number, kind in reversed(news.undos):
            note_undo(self._undone, {"kind": kind, "event": number})
        if news.older:  # what was kept is older still
            self._older.extend(one.number for one in self._kept)
            self._older.extend(reversed(news.older))
            self._kept = []
        self._kept += reversed(news.latest)
        self.asks |= {key: ask for key, ask in news.asks.items() if key not in self.worths}
        self._trim()
        self._left_out = sum(number not in self._undone for number in self._older)
        self.upto, self.head = news.newest.number, news.newest.hash

    def learn(self, key: bytes, worth: Worth | None) -> None:
        """Keep what a roll was worth."""
        self.worths[key] = worth
        self.asks.pop(key, None)

    def _alive(self) -> list[Counted]:
        return [one for one in self._kept if one.number not in self._undone]

    def _trim(self) -> None:
        """Keep of the rolls in front of the latest their numbers alone."""
        alive = self._alive()
        if len(alive) <= MOST + SPARE:
            return
        first = alive[-MOST - SPARE].number
        self._older.extend(one.number for one in self._kept if one.number < first)
        self._kept = [one for one in self._kept if one.number >= first]
        keys = {one.key for one in self._kept}
        self.worths = {key: worth for key, worth in self.worths.items() if key in keys}
        self.asks = {key: ask for key, ask in self.asks.items() if key in keys}


class News:
    """What was read of a log behind a tally, newest first: `latest` are the rolls as far as they can count, `older`
    the numbers of the events of all others."""

    def __init__(self) -> None:
        self.newest: EventRow | None = None
        self.latest: list[Counted] = []
        self.asks: dict[bytes, Key] = {}
        self.older: list[int] = []
        self.undos: list[tuple[int, str]] = []
        self._verdicts: dict[int, bool] = {}
        self._alive = 0

    def see(self, rows: Sequence[EventRow]) -> list[str]:
        """Note a batch, newest first. The bodies in which rolls may be, the first one first."""
        if self.newest is None and rows:
            self.newest = rows[0]
        bodies = []
        for row in rows:
            if '"kind":"sequence"' in row.body:
                bodies.append(row.body)
            elif '"undo"' in row.body or '"redo"' in row.body:
                self._note(row.data)
        return bodies[::-1]

    @property
    def is_enough(self) -> bool:
        """Whether of all older rolls only the numbers matter."""
        return self._alive >= MOST + SPARE

    def found(self, items: Iterable[Try]) -> None:
        """Take in the rolls of a batch, the first one first."""
        for item in reversed(list(items)):
            key = _digest(item.key)
            self.latest.append(Counted(item.number, item.side, item.system, item.sequence, key))
            self.asks[key] = item.key
            self._alive += not self._verdicts.get(item.number, False)

    def _note(self, event: Json) -> None:
        if event["kind"] in ("undo", "redo"):
            self.undos.append((event["event"], event["kind"]))
            self._verdicts.setdefault(event["event"], event["kind"] == "undo")


def tries_in(bodies: Sequence[str], sides: tuple[str, ...]) -> list[Try]:
    """The rolls in some events that count unless they are undone."""
    return tries(map(json.loads, bodies), set(), sides)


def numbers_in(bodies: Sequence[str], sides: tuple[str, ...]) -> list[int]:
    """The event of each of them."""
    return [item.number for item in tries_in(bodies, sides)]


def _digest(key: Key) -> bytes:
    return sha256("\n".join(key).encode("utf-8", "replace")).digest()
