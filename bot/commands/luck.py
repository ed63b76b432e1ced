"""`/game stats`: luck against expectation, by side and kind of sequence."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from bot.commands.context import Context
from bot.commands.played import turn_to
from bot.game.events import undone_events
from bot.game.stats import Luck, Try, Worth, many_worths, sentence, tries
from bot.interface.parts import Grid
from bot.interface.reply import Reply
from bot.rules.errors import UserError
from bot.rules.proof.chain import short
from bot.stores.records import EventRow
from bot.systems.catalog import system

AT_ONCE = 60
MOST = 3_000
KEPT = 10_000
QUICK = 5.0
"""Seconds after which the story of an ended game does without its luck."""
_known: OrderedDict[tuple[str, str, str, str], Worth | None] = OrderedDict()
"""What tries were worth, by inputs and outcome: the same for every game of this process."""


async def stats(context: Context) -> Reply:
    """Derived from the log each time, so undo cannot spoil it; counted in the worker, kept for the next time."""
    await turn_to(context, context.options()["game"])
    game = context.need_game()
    counted, left_out = await _tries(context)
    await _count(context, counted)
    by_side: dict[str, Luck] = {}
    by_kind: dict[tuple[str, str], Luck] = {}
    for item in counted:
        worth = _known.get(item.key)
        if worth is None:
            continue
        name = _whose(context, item)
        kind = system(item.system).sequence(item.sequence).title
        by_side[name] = by_side.get(name, Luck()).plus(worth)
        by_kind[name, kind] = by_kind.get((name, kind), Luck()).plus(worth)
    lines = [sentence(name, luck) for name, luck in sorted(by_side.items())]
    table = [
        (name[:10], kind[:16], f"{luck.count:>3}", f"{luck.worth:>6g}", f"{luck.mean:>8.1f}", f"{luck.z:>+5.2f}")
        for (name, kind), luck in sorted(by_kind.items())
    ]
    if table:
        table.insert(0, ("side", "sequence", f"{'n':>3}", "points", "expected", f"{'z':>5}"))
    if left_out:
        lines.append(f"The {left_out} oldest rolls are left out.")
    lines.append(
        "Dice by hand, undone and sealed rolls are left out. Points: how good each result is for the side that rolled."
    )
    answer = Reply(
        "Luck against expectation" if by_side else "No rolls to judge luck by yet",
        (*lines, Grid(tuple(table), head=True)),
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
    )
    if context.options()["game"]:
        return answer
    from bot.commands.pictures import NEVER, can_draw, mode, offered

    if by_side:
        answer = await offered(context, answer, context.button("luck", "").action)
    if game.sides and game.turn and game.units and can_draw() and await mode(context) != NEVER:
        answer = replace(answer, buttons=(*answer.buttons, context.button("losses", "Losses")))
    return answer


async def quick_luck(context: Context) -> tuple[dict[str, Luck], list[tuple[Try, Worth]]]:
    """The luck of each side, and what each roll was worth: as far as it is quickly counted."""
    counted, _ = await _tries(context)
    with contextlib.suppress(UserError, TimeoutError):
        await asyncio.wait_for(_fill(context, counted), QUICK)
    worths = [(item, worth) for item in counted if (worth := _known.get(item.key)) is not None]
    by_side: dict[str, Luck] = {}
    for item, worth in worths:
        by_side[_whose(context, item)] = by_side.get(_whose(context, item), Luck()).plus(worth)
    return dict(sorted(by_side.items())), worths


async def press_picture(context: Context, _about: str) -> Reply:
    """How each side's rolls ran against expectation, drawn: for the game that is played here."""
    from bot.commands.pictures import luck_shown

    game = context.need_game()
    counted, _ = await _tries(context)
    await _count(context, counted)
    tracks: dict[str, list[tuple[int, float]]] = {}
    for item in counted:
        if (worth := _known.get(item.key)) is not None:
            track = tracks.setdefault(_whose(context, item), [])
            track.append((item.number, (track[-1][1] if track else 0.0) + worth.got - worth.mean))
    title = f"Luck in {game.name}" if game.name else "Luck against expectation"
    return replace(await luck_shown(context, title, dict(sorted(tracks.items()))), private=True)


async def press_losses(context: Context, _about: str) -> Reply:
    """What each side lost, turn by turn, drawn: for the game that is played here."""
    from bot.commands.exporting import export_json
    from bot.commands.pictures import losses_shown

    game = context.need_game()
    title = f"Losses in {game.name}" if game.name else "Losses"
    return replace(await losses_shown(context, title, await export_json(context)), private=True)


async def _tries(context: Context) -> tuple[list[Try], int]:
    """The rolls of the game that count, and how many of the oldest were left out."""
    rows = await context.store.events(context.ledger.row)
    counted = await asyncio.to_thread(_read, rows, context.game.sides)
    return counted[-MOST:], max(0, len(counted) - MOST)


def _whose(context: Context, item: Try) -> str:
    return (item.side or "no side") if context.game.sides else context.ledger.name_of(item.side)


async def _fill(context: Context, counted: list[Try]) -> None:
    missing = [key for key in dict.fromkeys(item.key for item in counted) if key not in _known]
    for start in range(0, len(missing), AT_ONCE):
        keys = missing[start : start + AT_ONCE]
        _known.update(zip(keys, await context.apart(many_worths, keys), strict=True))


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
