"""`/game stats`: luck against expectation, by side and kind of sequence."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from bot.commands.context import Context
from bot.commands.exporting import undone_events
from bot.game.stats import Luck, Try, Worth, many_worths, sentence, tries
from bot.interface.parts import Grid
from bot.interface.reply import Reply
from bot.rules.errors import UserError
from bot.rules.proof.chain import short
from bot.stores.base import EventRow
from bot.systems.catalog import systems

AT_ONCE = 60
MOST = 3_000
KEPT = 10_000
_known: OrderedDict[tuple[str, str, str, str], Worth | None] = OrderedDict()
"""What tries were worth, by inputs and outcome: the same for every game of this process."""


async def stats(context: Context) -> Reply:
    """Derived from the log each time, so undo cannot spoil it; counted in the worker, kept for the next time."""
    game = context.need_game()
    rows = await context.store.events(context.ledger.row)
    counted = await asyncio.to_thread(_read, rows, game.sides)
    left_out = max(0, len(counted) - MOST)
    counted = counted[-MOST:]
    await _count(context, counted)
    by_side: dict[str, Luck] = {}
    by_kind: dict[tuple[str, str], Luck] = {}
    for item in counted:
        worth = _known.get(item.key)
        if worth is None:
            continue
        name = (item.side or "no side") if game.sides else context.ledger.name_of(item.side)
        kind = systems()[item.system].sequence(item.sequence).title
        by_side[name] = by_side.get(name, Luck()).plus(worth)
        by_kind[name, kind] = by_kind.get((name, kind), Luck()).plus(worth)
    lines = [sentence(name, luck) for name, luck in sorted(by_side.items())]
    table = [
        f"{name[:10]:<10} {kind[:16]:<16} {luck.count:>4} {luck.worth:>7g} {luck.mean:>8.1f} {luck.z:>+6.2f}"
        for (name, kind), luck in sorted(by_kind.items())
    ]
    if table:
        table.insert(0, f"{'side':<10} {'sequence':<16} {'n':>4} {'points':>7} {'expected':>8} {'z':>6}")
    if left_out:
        lines.append(f"The {left_out} oldest rolls are left out.")
    lines.append(
        "Dice by hand, undone and sealed rolls are left out. Points: how good each result is for the side that rolled."
    )
    return Reply(
        "Luck against expectation" if by_side else "No rolls to judge luck by yet",
        (*lines, Grid(tuple((row,) for row in table))),
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
    )


async def _alone(context: Context, key: tuple[str, str, str, str]) -> Worth | None:
    try:
        worths: list[Worth | None] = await context.apart(many_worths, [key])
    except UserError:
        return None
    return worths[0]


def _read(rows: Sequence[EventRow], sides: Sequence[str]) -> list[Try]:
    events = [row.data for row in rows]
    return tries(events, undone_events(events), sides)


async def _count(context: Context, counted: list[Try]) -> None:
    """Fill the cache for these tries."""
    missing = [key for key in dict.fromkeys(item.key for item in counted) if key not in _known]
    for start in range(0, len(missing), AT_ONCE):
        keys = missing[start : start + AT_ONCE]
        try:
            worths = await context.apart(many_worths, keys)
        except UserError:  # one of them takes too long: find out which
            worths = [await _alone(context, key) for key in keys]
        _known.update(zip(keys, worths, strict=True))
    while len(_known) > max(KEPT, len(counted)):
        _known.popitem(last=False)
