"""Backward through a program: what matters for the outputs that are asked, and what each roll must remember."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from bot.rules.declared.program import (
    ALWAYS,
    NOTHING,
    Block,
    For,
    If,
    Keys,
    Let,
    Refuse,
    Roll,
    Say,
    Statement,
    Stop,
    Take,
    Tell,
    assigned,
    has_roll,
)


class Needed(NamedTuple):
    """What is kept, the keys read before any of it sets these, and whether anything is told."""

    block: Block
    live: Keys
    tells: bool


@dataclass
class Slicer:
    """Keeps of a program what the outputs `asked` need; in play (None) all that is read or said."""

    asked: frozenset[str] | None
    dice_decide: Keys

    def __post_init__(self) -> None:
        self._sites = count(1_000)
        self._live_after: list[Keys] = []

    def block(self, block: Block, live: Keys, tells: bool) -> Needed:
        """The block as far as it is needed before `live` are read."""
        kept: list[Statement] = []
        for one in reversed(block):
            found = self._one(one, live, tells)
            kept[:0] = found.block
            live, tells = found.live, found.tells
        return Needed(tuple(kept), live, tells)

    def _one(self, one: Statement, live: Keys, tells: bool) -> Needed:
        play, nothing = self.asked is None, Needed((), live, tells)
        if isinstance(one, If):
            return self._if(one, live, tells)
        if isinstance(one, For):
            return self._for(one, live, tells)
        if isinstance(one, Roll):
            if not play and not one.keys & live:
                return nothing
            one = replace(one, after=live - one.keys, faces=one.keys & live)
        elif not self._wanted(one, live, tells):
            return nothing
        tells = tells or isinstance(one, Tell | Say | Take)
        return Needed((one,), live_before(one, live), tells)

    def _wanted(self, one: Statement, live: Keys, tells: bool) -> bool:
        """Whether a statement that neither rolls nor chooses is kept."""
        play = self.asked is None
        if isinstance(one, Let):
            if one.drops:
                return one.key in live and one.key not in self._live_after[-1]
            return one.key in live
        if isinstance(one, Tell):
            return self.asked is None or one.path in self.asked
        if isinstance(one, Stop):
            return play or tells
        return play and not isinstance(one, Refuse)

    def _if(self, one: If, live: Keys, tells: bool) -> Needed:
        """The two ways; who rolls less often waits, so that equal states meet in one round."""
        then, other = self.block(one.then, live, tells), self.block(one.other, live, tells)
        if not then.block and not other.block:
            return Needed((), live, tells)
        ways = [then.block, other.block]
        if self.asked is not None and tells and frozenset(one.when.reads) & self.dice_decide:
            rolls = [most_rolls(way) for way in ways]
            if None not in rolls and not any(map(stops, ways)):
                for at in (0, 1):
                    more = (rolls[1 - at] or 0) - (rolls[at] or 0)
                    ways[at] += tuple(Roll(next(self._sites), (), (), live) for _ in range(more))
        new = If(one.when, ways[0], ways[1], any(map(has_roll, ways[0] + ways[1])), live)
        return Needed((new,), live_before(new, live), then.tells or other.tells)

    def _for(self, one: For, live: Keys, tells: bool) -> Needed:
        head, own = (
            live,
            frozenset((one.number, one.items, one.each.key, one.each.at)) | (frozenset((one.only,)) - {""}),
        )
        self._live_after.append(live)
        loop = frozenset((one.number, one.items)) | (frozenset((one.only,)) - {""})
        inner = self.block(one.body, head | loop, tells)
        while not (inner.live - own <= head and inner.tells == tells):
            head, tells = head | (inner.live - own), inner.tells or tells
            inner = self.block(one.body, head | loop, tells)
        self._live_after.pop()
        if not inner.block:
            return Needed((), live, tells)
        rolls = any(map(has_roll, inner.block))
        new = replace(one, body=inner.block, rolls=rolls, head=head, after=live)
        if self.asked is not None and not rolls and _alone(new):
            new = replace(new, asked=asked_key(len(one.within) - 1, one.within[-1][0]))
        return Needed((new,), live_before(new, live), inner.tells or tells)


def asked_key(deep: int, listed: str) -> str:
    """The key of the places in a list that odds ask for; it may be in another list."""
    return f"asked {deep} {listed}"


def _alone(one: For) -> bool:
    """Whether what is done for an item is of no use but for outputs of its own."""
    own = {one.number, one.items, one.each.key, one.each.at}
    if not one.within or one.only or one.within[-1][1] != one.number or stops(one.body):
        return False
    return not (assigned(one.body).keys() - own) & one.after and _tells_within(one.body, one.within)


def _tells_within(block: Block, within: tuple[tuple[str, str], ...]) -> bool:
    for one in block:
        ways = (one.then, one.other) if isinstance(one, If) else (one.body,) if isinstance(one, For) else ()
        if not all(_tells_within(way, within) for way in ways):
            return False
        if isinstance(one, Tell) and one.within[: len(within)] != within:
            return False
    return True


def live_before(one: Statement, live: Keys) -> Keys:
    """The keys that are read from a statement on, if `live` are read after it."""
    if isinstance(one, Let):
        return live - {one.key} | frozenset(one.value.reads)
    if isinstance(one, Tell):
        places = {number for _, number in one.within if number}
        return live | frozenset(one.value.reads) | places | (frozenset((one.once,)) - {""})
    if isinstance(one, Roll):
        spec = frozenset(key for _, *three in one.dice for formula in three for key in formula.reads)
        return live - one.keys | spec | frozenset(one.loops)
    if isinstance(one, Stop):
        return (NOTHING if one.when.source in ALWAYS else live) | frozenset(one.when.reads)
    if isinstance(one, If):
        found = frozenset(one.when.reads)
        for way in (one.then, one.other):
            inside = live
            for below in reversed(way):
                inside = live_before(below, inside)
            found |= inside
        return found
    if isinstance(one, For):
        reads = frozenset(one.each.items.reads) | frozenset(one.each.only.reads if one.each.only else ())
        return (one.head | live) - {one.number, one.items, one.only} | reads | frozenset((one.asked,)) - {""}
    return live | one.reads


def most_rolls(block: Block) -> int | None:
    """The most rolls on any way through; None where a list decides."""
    total = 0
    for one in block:
        if isinstance(one, For) and one.rolls:
            return None
        if isinstance(one, If):
            then, other = most_rolls(one.then), most_rolls(one.other)
            if then is None or other is None:
                return None
            total += max(then, other)
        total += isinstance(one, Roll)
    return total


def stops(block: Block) -> bool:
    """Whether the sequence may end in here."""
    return any(
        isinstance(one, Stop)
        or (isinstance(one, If) and (stops(one.then) or stops(one.other)))
        or (isinstance(one, For) and stops(one.body))
        for one in block
    )


def dice_decide(block: Block) -> Keys:
    """The keys that dice decide, always or on some way."""
    found: set[str] = set()
    while True:
        before = len(found)
        _decided(block, False, found)
        if len(found) == before:
            return frozenset(found)


def _decided(block: Block, by_dice: bool, found: set[str]) -> None:
    for one in block:
        if isinstance(one, Roll):
            found |= one.keys
        elif isinstance(one, Let):
            if by_dice or found & set(one.value.reads):
                found.add(one.key)
        elif isinstance(one, If):
            deeper = by_dice or bool(found & set(one.when.reads))
            _decided(one.then, deeper, found)
            _decided(one.other, deeper, found)
        elif isinstance(one, For):
            only = one.each.only
            deeper = by_dice or (only is not None and bool(found & set(only.reads)))
            if only is not None and found & set(only.reads):
                found.add(one.only)
            if found & set(one.each.items.reads):
                found |= {one.items, one.each.key}
            _decided(one.body, deeper, found)
