"""The events of a long game that fit what `/log` asks for, found by marks instead of by reading everything.

A block is marked when somebody looks through it for the first time, and is never read again but for what is shown.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from bot.answers.marks import (
    BLOCK,
    EDITION,
    MARKED,
    STILL,
    Marks,
    block_marks,
    of_kind,
    of_side,
    of_unit,
    of_verdict,
    packed,
    unpacked,
)
from bot.commands.context import Context
from bot.game.state import Json
from bot.stores.base import StoreError
from bot.stores.records import MarkRow

LONG = 2 * BLOCK
"""Events from which a log is looked through by marks."""
FEW = 2
"""Blocks that are marked without the worker."""
TOGETHER = 4
"""Blocks whose marks are written at once."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `/log` is to list: events with one of `units` (folded names), of a side, of a kind; none of it asked for
    where it is empty."""

    units: Collection[str] = ()
    side: str = ""
    kind: str = ""
    story: bool = False

    @property
    def marks(self) -> list[str]:
        """All marks that matter."""
        found = [*map(of_unit, self.units), *([of_side(self.side)] if self.side else [])]
        return [*found, *([of_kind(self.kind)] if self.kind else []), *([STILL] if self.story else [])]

    def among(self, marks: Marks) -> list[int]:
        """The numbers of a block's events that fit, the last one first."""
        sets = [{number for name in self.units for number in marks.get(of_unit(name), ())}] if self.units else []
        sets += [set(marks.get(of_side(self.side), ()))] if self.side else []
        sets += [set(marks.get(of_kind(self.kind), ()))] if self.kind else []
        fits = set.intersection(*sets)
        return sorted(fits.difference(marks.get(STILL, ())) if self.story else fits, reverse=True)


@dataclass(slots=True)
class _Log:
    """A log looked through from its end: the stored marks that matter by block, and those made just now."""

    context: Context
    stored: dict[int, dict[str, str]]
    done: set[int]
    is_new: bool  # so much of it has no marks that the worker makes them
    fresh: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    unwritten: list[int] = field(default_factory=list)

    async def marks(self, block: int) -> Marks:
        """The marks of a block that matter."""
        if block in self.done:
            return {mark: unpacked(block, at) for mark, at in self.stored.get(block, {}).items()}
        store, row, first = self.context.store, self.context.ledger.row, block * BLOCK
        rows = await store.events(row, after=first, before=first + BLOCK + 1)
        bodies = [event.body for event in rows]
        run = self.context.apart if self.is_new else asyncio.to_thread
        found: dict[str, list[int]] = await run(block_marks, bodies)
        self.fresh[block] = found
        if len(bodies) == BLOCK:
            self.unwritten.append(block)
            if len(self.unwritten) >= TOGETHER:
                await self.write()
        return found

    async def write(self) -> None:
        """Keep what was marked. Where that cannot be, it is done again the next time."""
        blocks, self.unwritten = self.unwritten, []
        rows = [
            MarkRow(self.context.ledger.row, mark, block, packed(block, numbers))
            for block in blocks
            for mark, numbers in self.fresh[block].items()
        ]
        rows += [MarkRow(self.context.ledger.row, MARKED, block, EDITION) for block in blocks]
        if rows:
            with contextlib.suppress(StoreError):
                await self.context.store.mark(rows)

    async def undone(self, numbers: Sequence[int]) -> set[int]:
        """Those of these events that are undone: the latest word on each counts."""
        latest: dict[int, tuple[int, str]] = {}
        for number, kind, said in [*self._said_now(numbers), *await self._said_before(numbers)]:
            latest[number] = max(latest.get(number, (0, "")), (said, kind))
        return {number for number, (_, kind) in latest.items() if kind == "undo"}

    def _said_now(self, numbers: Sequence[int]) -> Iterator[tuple[int, str, int]]:
        names = _verdicts(numbers)
        for marks in self.fresh.values():
            for name in names.keys() & marks.keys():
                for said in marks[name]:
                    yield *names[name], said

    async def _said_before(self, numbers: Sequence[int]) -> list[tuple[int, str, int]]:
        names = _verdicts(numbers)
        rows = await self.context.store.marks(self.context.ledger.row, list(names))
        return [
            (*names[row.mark], said) for row in rows if row.block in self.done for said in unpacked(row.block, row.at)
        ]


async def find(context: Context, wanted: Wanted, skip: int, count: int) -> tuple[list[tuple[Json, bool]], bool]:
    """`count` events that fit, newest first, behind the first `skip`, each with whether it is undone; and whether
    there are more."""
    row, found, more = context.ledger.row, list[int](), False
    log = await _looked_up(context, wanted)
    for block in range(context.game.number // BLOCK, -1, -1):
        numbers = wanted.among(await log.marks(block))
        found += numbers[skip:]
        skip = max(0, skip - len(numbers))
        if len(found) > count:
            more = True
            break
        await asyncio.sleep(0)
    await log.write()
    found = found[:count]
    bodies = {event.number: event.data for event in await context.store.events_at(row, found)}
    undone = await log.undone(found)
    return [(bodies[number], number in undone) for number in found if number in bodies], more


async def _looked_up(context: Context, wanted: Wanted) -> _Log:
    rows = await context.store.marks(context.ledger.row, [MARKED, *wanted.marks])
    done = {row.block for row in rows if row.mark == MARKED and row.at == EDITION}
    stored: dict[int, dict[str, str]] = {}
    for row in rows:
        if row.mark != MARKED:
            stored.setdefault(row.block, {})[row.mark] = row.at
    return _Log(context, stored, done, context.game.number // BLOCK - len(done) > FEW)


def _verdicts(numbers: Sequence[int]) -> dict[str, tuple[int, str]]:
    """The marks under which it is said whether events are undone."""
    return {of_verdict(kind, number): (number, kind) for number in numbers for kind in ("undo", "redo")}
