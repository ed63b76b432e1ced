"""`/game stats`: luck against expectation, by side and kind of sequence."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

from bot.commands.context import Context
from bot.commands.games.games import turn_to
from bot.game.log import BATCH
from bot.game.stats import Luck, Worth, many_worths, sentence, summed, tenth
from bot.game.tally import Counted, Key, News, Tally, numbers_in, tries_in
from bot.interface.reply.parts import Grid
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.proof.chain import short
from bot.rules.text.line import minus
from bot.systems.catalog import system, systems

AT_ONCE = 60
KEPT = 10_000
GAMES = 32
"""Games whose tallies are kept: of a long one about a megabyte."""
QUICK = 5.0
"""Seconds after which the story of an ended game does without its luck."""
_known: OrderedDict[bytes, Worth | None] = OrderedDict()
"""What rolls were worth, by inputs and outcome: the same for every game of this process."""
_tallies: OrderedDict[str, Tally] = OrderedDict()
_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
"""Of those that are being read: of several who ask at once, one reads."""


async def stats(context: Context) -> Reply:
    """Counted in the worker and kept, so that the next time only what has happened since is read."""
    await turn_to(context, context.options()["game"])
    game = context.need_game()
    tally = await _caught_up(context)
    counted = tally.counted()
    await _count(context, tally, counted)
    by_side, by_kind = _sums(context, tally, counted)
    lines = [sentence(name, luck) for name, luck in sorted(by_side.items())]
    table = [(f"{'n':>3}", "score", "usual", "rolled")] if by_kind else []
    for name, whole in sorted(by_side.items()):
        table.append(_row(f"{name}, all", whole))
        table += (_row(kind, luck) for (side, kind), luck in sorted(by_kind.items()) if side == name)
    if left_out := tally.left_out:
        lines.append(f"The {left_out} oldest rolls are left out.")
    lines.append(
        "Dice by hand, undone and sealed rolls are left out. Score: how good the results are for the side that rolled; "
        "usual: what such rolls come to on average."
    )
    answer = Reply(
        "Luck against expectation" if by_side else "No rolls to judge luck by yet",
        (*lines, Grid(tuple(table), head=True)),
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
    )
    if context.options()["game"]:
        return answer
    from bot.commands.play.pictures import NEVER, can_draw, mode, offered

    if by_side:
        answer = await offered(context, answer, context.button("luck", "").action)
    if game.sides and game.turn and game.units and can_draw() and await mode(context) != NEVER:
        answer = replace(answer, buttons=(*answer.buttons, context.button("losses", "Losses")))
    return answer


async def quick_luck(context: Context) -> tuple[dict[str, Luck], list[tuple[Counted, Worth]]]:
    """The luck of each side, and what each roll was worth: as far as it is quickly counted."""
    tally = None
    with contextlib.suppress(UserError, TimeoutError):
        async with asyncio.timeout(QUICK):
            tally = await _caught_up(context)
            await _fill(context, tally, tally.counted())
    if tally is None:
        return {}, []
    counted = tally.counted()
    worths = [(item, worth) for item in counted if (worth := tally.worths.get(item.key)) is not None]
    return dict(sorted(_sums(context, tally, counted)[0].items())), worths


async def press_picture(context: Context, _about: str) -> Reply:
    """How each side's rolls ran against expectation, drawn: for the game that is played here."""
    from bot.commands.play.pictures import luck_shown

    game = context.need_game()
    tally = await _caught_up(context)
    counted = tally.counted()
    await _count(context, tally, counted)
    tracks: dict[str, list[tuple[int, float]]] = {}
    for item in counted:
        if (worth := tally.worths.get(item.key)) is not None:
            track = tracks.setdefault(_whose(context, item), [])
            track.append((item.number, (track[-1][1] if track else 0.0) + worth.got - worth.mean))
    title = f"Luck in {game.name}" if game.name else "Luck against expectation"
    return replace(await luck_shown(context, title, dict(sorted(tracks.items()))), private=True)


async def press_losses(context: Context, _about: str) -> Reply:
    """What each side lost, turn by turn, drawn: for the game that is played here."""
    from bot.commands.games.export import export_json
    from bot.commands.log.report import check_length
    from bot.commands.play.pictures import losses_shown

    game = context.need_game()
    check_length(game)
    title = f"Losses in {game.name}" if game.name else "Losses"
    return replace(await losses_shown(context, title, await export_json(context)), private=True)


async def _caught_up(context: Context) -> Tally:
    """The tally of the game behind its newest event."""
    row, sides = context.ledger.row, context.game.sides
    packs = tuple(pack.version for pack in getattr(systems(), "versions", ()))
    lock = _locks.setdefault(row, asyncio.Lock())
    async with lock:
        tally = _tallies.pop(row, None)
        if tally is None or (tally.sides, tally.packs) != (sides, packs):
            tally = Tally(sides, packs)
        if not await _read(context, tally) or tally.is_short:
            tally = Tally(sides, packs)
            await _read(context, tally)
        _tallies[row] = tally
        while len(_tallies) > GAMES:
            _tallies.popitem(last=False)
    return tally


async def _read(context: Context, tally: Tally) -> bool:
    """Read the log from its end to where the tally is; False where it does not go on from there."""
    store, row, news, before, is_last = context.store, context.ledger.row, News(), None, False
    run = context.apart if context.game.number - tally.upto > BATCH else asyncio.to_thread
    while not is_last:
        rows = await store.events(row, after=max(0, tally.upto - 1), before=before, limit=BATCH, newest_first=True)
        is_last = len(rows) < BATCH or rows[-1].number == tally.upto
        before = rows[-1].number if rows else None
        if tally.upto and is_last:
            if before != tally.upto or rows[-1].hash != tally.head:
                return False
            rows = rows[:-1]
        if bodies := news.see(rows):
            if news.is_enough:
                news.older += reversed(await run(numbers_in, bodies, tally.sides))
            else:
                news.found(await run(tries_in, bodies, tally.sides))
    tally.add(news)
    return True


def _sums(
    context: Context, tally: Tally, counted: list[Counted]
) -> tuple[dict[str, Luck], dict[tuple[str, str], Luck]]:
    """The luck of each side, and of each side with each kind of sequence; each added up in the order of the log."""
    by_side: dict[str, list[Worth]] = {}
    by_kind: dict[tuple[str, str], list[Worth]] = {}
    names: dict[str, str] = {}
    titles: dict[tuple[str, str], str] = {}
    for item in counted:
        worth = tally.worths.get(item.key)
        if worth is None:
            continue
        if (name := names.get(item.side)) is None:
            name = names[item.side] = _whose(context, item)
        if (kind := titles.get(item[2:4])) is None:
            kind = titles[item[2:4]] = system(item.system).sequence(item.sequence).title
        by_side.setdefault(name, []).append(worth)
        by_kind.setdefault((name, kind), []).append(worth)
    return {name: summed(all_) for name, all_ in by_side.items()}, {key: summed(all_) for key, all_ in by_kind.items()}


def _row(what: str, luck: Luck) -> tuple[str, str, str, str]:
    """Figures first: a name that is long for a phone goes on below, and moves none of them."""
    return f"{luck.count:>3}", f"{minus(luck.worth):>5}", f"{tenth(luck.mean):>5}", what


def _whose(context: Context, item: Counted) -> str:
    return (item.side or "no side") if context.game.sides else context.ledger.name_of(item.side)


async def _fill(context: Context, tally: Tally, counted: list[Counted]) -> None:
    """Work out what these rolls were worth. Raises UserError where one of them takes too long."""
    for asks in _missing(tally, counted):
        _learn(tally, asks, await context.apart(many_worths, list(asks.values())))


async def _count(context: Context, tally: Tally, counted: list[Counted]) -> None:
    """Work out what these rolls were worth; what takes too long counts for nothing."""
    for asks in _missing(tally, counted):
        try:
            worths = await context.apart(many_worths, list(asks.values()))
        except UserError:  # one of them takes too long: find out which
            worths = [await _alone(context, ask) for ask in asks.values()]
        _learn(tally, asks, worths)


async def _alone(context: Context, key: Key) -> Worth | None:
    try:
        worths: list[Worth | None] = await context.apart(many_worths, [key])
    except UserError:
        return None
    return worths[0]


def _missing(tally: Tally, counted: list[Counted]) -> list[dict[bytes, Key]]:
    """The rolls of which nobody knows yet what they were worth, some at a time; others are looked up."""
    for key in {item.key for item in counted if item.key not in tally.worths and item.key in _known}:
        tally.learn(key, _known[key])
    keys = list(dict.fromkeys(item.key for item in counted if item.key not in tally.worths))
    asks = [(key, tally.asks[key]) for key in keys]  # before others take in new events
    return [dict(asks[start : start + AT_ONCE]) for start in range(0, len(asks), AT_ONCE)]


def _learn(tally: Tally, keys: Iterable[bytes], worths: Sequence[Worth | None]) -> None:
    for key, worth in zip(keys, worths, strict=True):
        _known[key] = worth
        tally.learn(key, worth)
    while len(_known) > KEPT:
        _known.popitem(last=False)
