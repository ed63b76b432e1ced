"""`/game stats`: luck against expectation, by side and kind of sequence; and the same rolls for
the story of a game.
"""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple

from cachetools import LRUCache

from bot.commands.channel_games import turn_to
from bot.commands.context import Context
from bot.commands.log.export_and_share import check_length, export_json
from bot.commands.pictures import NEVER, can_draw, losses_shown, luck_shown, mode, offered
from bot.game.events import is_continuation
from bot.game.loaded import BATCH, in_batches
from bot.game.luck import (
    NO_SIDE,
    Luck,
    ScoredRoll,
    Tally,
    Worth,
    may_count,
    measure_all,
    scan_texts,
    summed,
    tenth,
)
from bot.interface.reply.parts import Grid
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.proof.chain import SEALED, short
from bot.rules.text.line import minus
from bot.rules.text.names import counted
from bot.stores.records import EventRow
from bot.systems.catalog import system

MOST = 3_000
"""Rolls that are measured: the latest."""
AT_ONCE = 60
"""Rolls that the worker measures in one go."""
KEPT = 10_000
"""Rolls whose worth is remembered."""
QUICK = 5.0
"""Seconds after which the story of an ended game does without its luck."""
_known = LRUCache[bytes, Worth | None](KEPT)
"""The worth of rolls by digest: the same in every game of this process."""
Measure = Callable[[Context, list[ScoredRoll]], Awaitable[list[Worth | None]]]


class Measured(NamedTuple):
    """The rolls of a game that count, each with its worth, of how many rolls in all."""

    rolls: list[tuple[ScoredRoll, Worth]]
    total: int
    left_out: int = 0  # the oldest rolls of a very long game, which are not measured

    @property
    def summary(self) -> str:
        """`28 rolls`, or `21 of 28 rolls count`."""
        return counted_of(len(self.rolls), self.total)


def counted_of(count: int, total: int) -> str:
    """Return `28 rolls` if all of them count, else `21 of 28 rolls count`."""
    if count == total:
        return counted(total, "roll")
    return f"{count} of {counted(total, 'roll')} {'counts' if count == 1 else 'count'}"


async def stats(context: Context) -> Reply:
    """Show each side's luck; rolls are measured in the worker, and their worth is kept."""
    await turn_to(context, context.options()["game"])
    game = context.need_game()
    measured = await _measure_rolls(context, await read_tally(context), _patiently)
    by_side, by_kind = _sums(context, measured)
    lines = [f"{name}: {luck.sentence}" for name, luck in sorted(by_side.items())]
    table = [(f"{'n':>3}", "score", "usual", "rolled")] if by_kind else []
    for name, whole in sorted(by_side.items()):
        table.append(_row(f"{name}, all", whole))
        table += (
            _row(kind, luck) for (side, kind), luck in sorted(by_kind.items()) if side == name
        )
    if measured.left_out:
        lines.append(f"The {measured.left_out} oldest rolls are left out.")
    lines.append(
        f"{measured.summary}. Dice by hand, rolls still sealed and rolls without a score are left out. "
        "Score: how good the results are for the side that rolled; usual: the average for such rolls."
    )
    answer = Reply(
        "Luck against expectation" if by_side else "No rolls to judge luck by yet",
        (*lines, Grid(tuple(table), head=True)),
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
    )
    if context.options()["game"]:
        return answer
    if by_side:
        answer = await offered(context, answer, context.button("luck", "").action)
    if game.sides and game.turn and game.units and can_draw() and await mode(context) != NEVER:
        answer = replace(answer, buttons=(*answer.buttons, context.button("losses", "Losses")))
    return answer


async def quick_luck(context: Context, tally: Tally) -> tuple[dict[str, Luck], Measured]:
    """Return the luck of each side, and the worth of each roll; empty if that takes too long."""
    measured = Measured([], tally.total)
    with contextlib.suppress(UserError, TimeoutError):
        async with asyncio.timeout(QUICK):
            measured = await _measure_rolls(context, tally, _measured)
    return dict(sorted(_sums(context, measured)[0].items())), measured


async def press_picture(context: Context, _about: str) -> Reply:
    """Draw how each side's rolls ran against expectation, for the game that is played here."""
    game = context.need_game()
    tracks: dict[str, list[tuple[int, float]]] = {}
    measured = await _measure_rolls(context, await read_tally(context), _patiently)
    for roll, worth in measured.rolls:
        track = tracks.setdefault(_whose(context, roll), [])
        track.append((roll.number, (track[-1][1] if track else 0.0) + worth.got - worth.mean))
    title = f"Luck in {game.name}" if game.name else "Luck against expectation"
    return replace(await luck_shown(context, title, dict(sorted(tracks.items()))), private=True)


async def press_losses(context: Context, _about: str) -> Reply:
    """Draw what each side lost, turn by turn, for the game that is played here."""
    game = context.need_game()
    check_length(game)
    title = f"Losses in {game.name}" if game.name else "Losses"
    return replace(await losses_shown(context, title, await export_json(context)), private=True)


async def read_tally(context: Context) -> Tally:
    """Count the rolls of the game, some events at a time; those of a long game in the worker."""
    run = context.apart if context.game.number > BATCH else asyncio.to_thread
    tally = Tally()
    asking = dict[int, str]()
    async for rows in in_batches(context.store, context.ledger.row):
        some = [row for row in rows if may_count(row.body)]
        bodies = [row.body for row in some]
        asking |= {row.number: row.body for row in some if '"asks":' in row.body}
        earlier = _carried_on(some, asking)
        opened = await _read_opened(context, some)
        tally.add(await run(scan_texts, bodies, context.game.sides, opened, earlier))
    return tally


def _carried_on(rows: list[EventRow], asking: dict[int, str]) -> list[str]:
    """Return the events that choices among these carry on, back to the sequences that began
    them.
    """
    found = dict[int, str]()
    choices = [row.data for row in rows if '"picks":' in row.body]
    while choices:
        number = choices.pop()["event"]
        if number in asking and number not in found:
            found[number] = asking[number]
            event = json.loads(asking[number])
            choices += [event] if is_continuation(event) else []
    return list(found.values())


async def _read_opened(context: Context, rows: list[EventRow]) -> dict[int, str]:
    """Return what the sealed rolls among these held, by event, as far as they are open."""
    sealed = [row.number for row in rows if '"kind":"sealed"' in row.body]
    open_rolls = {number for number in sealed if number not in context.game.sealed}
    if not open_rolls:
        return {}
    texts = await context.store.texts(
        context.ledger.row, after=min(open_rolls) - 1, before=max(open_rolls) + 1
    )
    return {
        text.event: text.text for text in texts if text.event in open_rolls and text.key == SEALED
    }


def _sums(
    context: Context, measured: Measured
) -> tuple[dict[str, Luck], dict[tuple[str, str], Luck]]:
    """Return the luck of each side, and of each side with each kind of sequence."""
    by_side: dict[str, list[Worth]] = {}
    by_kind: dict[tuple[str, str], list[Worth]] = {}
    for roll, worth in measured.rolls:
        name = _whose(context, roll)
        kind = system(roll.system).sequence(roll.sequence).title
        by_side.setdefault(name, []).append(worth)
        by_kind.setdefault((name, kind), []).append(worth)
    sides = {name: summed(worths) for name, worths in by_side.items()}
    kinds = {key: summed(worths) for key, worths in by_kind.items()}
    return sides, kinds


def _row(what: str, luck: Luck) -> tuple[str, str, str, str]:
    """Return a row of the table; figures first, so that a name that wraps on a phone moves none
    of them.
    """
    return f"{luck.count:>3}", f"{minus(luck.worth):>5}", f"{tenth(luck.mean):>5}", what


def _whose(context: Context, roll: ScoredRoll) -> str:
    return (roll.side or NO_SIDE) if context.game.sides else context.ledger.name_of(roll.side)


async def _measure_rolls(context: Context, tally: Tally, measure: Measure) -> Measured:
    """Return the latest rolls that count with the worth of each."""
    scored = tally.scored
    rolls = scored[-MOST:]
    worths = {roll.digest: _known[roll.digest] for roll in rolls if roll.digest in _known}
    missing = {roll.digest: roll for roll in rolls if roll.digest not in worths}
    waiting = list(missing.values())
    for start in range(0, len(waiting), AT_ONCE):
        some = waiting[start : start + AT_ONCE]
        for roll, worth in zip(some, await measure(context, some), strict=True):
            worths[roll.digest] = _known[roll.digest] = worth
    measured = [(roll, worth) for roll in rolls if (worth := worths[roll.digest]) is not None]
    return Measured(measured, tally.total, len(scored) - len(rolls))


async def _measured(context: Context, rolls: list[ScoredRoll]) -> list[Worth | None]:
    """Measure rolls in the worker. Raises UserError if one of them takes too long."""
    worths: list[Worth | None] = await context.apart(measure_all, rolls)
    return worths


async def _patiently(context: Context, rolls: list[ScoredRoll]) -> list[Worth | None]:
    """Measure rolls in the worker; one that takes too long counts for nothing."""
    try:
        return await _measured(context, rolls)
    except UserError:  # one of them takes too long: find out which
        return (
            [None]
            if len(rolls) == 1
            else [(await _patiently(context, [roll]))[0] for roll in rolls]
        )
