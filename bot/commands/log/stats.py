"""`/game stats`: luck against expectation, by side and kind of sequence."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace

from cachetools import LRUCache

from bot.commands.channel_games import turn_to
from bot.commands.context import Context
from bot.commands.log.export_and_share import check_length, export_json
from bot.commands.pictures import NEVER, can_draw, losses_shown, luck_shown, mode, offered
from bot.game.loaded import BATCH
from bot.game.luck import ENOUGH, Luck, Try, Worth, many_worths, summed, tries_in, unusual
from bot.interface.reply.parts import Grid
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.proof.chain import short
from bot.rules.text.line import minus
from bot.rules.text.names import counted
from bot.systems.catalog import system

MOST = 3_000
"""Rolls that are counted: the latest."""
AT_ONCE = 60
KEPT = 10_000
QUICK = 5.0
"""Seconds after which the story of an ended game does without its luck."""
Key = tuple[str, str, str, str]
Count = Callable[[Context, list[Key]], Awaitable[list[Worth | None]]]
_known = LRUCache[bytes, Worth | None](KEPT)
"""What rolls were worth, by inputs and outcome: the same for every game of this process."""


async def stats(context: Context) -> Reply:
    """Counted in the worker; what a roll was worth is kept."""
    await turn_to(context, context.options()["game"])
    game = context.need_game()
    rolls, left_out = await _rolls(context)
    by_side, by_kind = _sums(context, await _worths(context, rolls, _patiently))
    lines = [sentence(name, luck) for name, luck in sorted(by_side.items())]
    table = [(f"{'n':>3}", "score", "usual", "rolled")] if by_kind else []
    for name, whole in sorted(by_side.items()):
        table.append(_row(f"{name}, all", whole))
        table += (_row(kind, luck) for (side, kind), luck in sorted(by_kind.items()) if side == name)
    if left_out:
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
    if by_side:
        answer = await offered(context, answer, context.button("luck", "").action)
    if game.sides and game.turn and game.units and can_draw() and await mode(context) != NEVER:
        answer = replace(answer, buttons=(*answer.buttons, context.button("losses", "Losses")))
    return answer


async def quick_luck(context: Context) -> tuple[dict[str, Luck], list[tuple[Try, Worth]]]:
    """The luck of each side, and what each roll was worth: as far as it is quickly counted."""
    worths: list[tuple[Try, Worth]] = []
    with contextlib.suppress(UserError, TimeoutError):
        async with asyncio.timeout(QUICK):
            worths = await _worths(context, (await _rolls(context))[0], _counted)
    return dict(sorted(_sums(context, worths)[0].items())), worths


async def press_picture(context: Context, _about: str) -> Reply:
    """How each side's rolls ran against expectation, drawn: for the game that is played here."""
    game = context.need_game()
    tracks: dict[str, list[tuple[int, float]]] = {}
    for roll, worth in await _worths(context, (await _rolls(context))[0], _patiently):
        track = tracks.setdefault(_whose(context, roll), [])
        track.append((roll.number, (track[-1][1] if track else 0.0) + worth.got - worth.mean))
    title = f"Luck in {game.name}" if game.name else "Luck against expectation"
    return replace(await luck_shown(context, title, dict(sorted(tracks.items()))), private=True)


async def press_losses(context: Context, _about: str) -> Reply:
    """What each side lost, turn by turn, drawn: for the game that is played here."""
    game = context.need_game()
    check_length(game)
    title = f"Losses in {game.name}" if game.name else "Losses"
    return replace(await losses_shown(context, title, await export_json(context)), private=True)


async def _rolls(context: Context) -> tuple[list[Try], int]:
    """The latest rolls that count, the first one first, and how many older ones would count too."""
    game, undone, found, before = context.game, dict[int, bool](), list[Try](), None
    run = context.apart if game.number > BATCH else asyncio.to_thread
    while rows := await context.store.events(context.ledger.row, before=before, limit=BATCH, newest_first=True):
        before = rows[-1].number
        for event in (row.data for row in rows if '"undo"' in row.body or '"redo"' in row.body):
            if event["kind"] in ("undo", "redo"):
                undone.setdefault(event["event"], event["kind"] == "undo")  # the latest word on an event counts
        if bodies := [row.body for row in rows if '"kind":"sequence"' in row.body]:
            rolls = await run(tries_in, bodies[::-1], game.sides)
            found += [roll for roll in reversed(rolls) if not undone.get(roll.number)]
    return found[:MOST][::-1], max(0, len(found) - MOST)


def _sums(context: Context, worths: list[tuple[Try, Worth]]) -> tuple[dict[str, Luck], dict[tuple[str, str], Luck]]:
    """The luck of each side, and of each side with each kind of sequence; each added up in the order of the log."""
    by_side: dict[str, list[Worth]] = {}
    by_kind: dict[tuple[str, str], list[Worth]] = {}
    for roll, worth in worths:
        name, kind = _whose(context, roll), system(roll.system).sequence(roll.sequence).title
        by_side.setdefault(name, []).append(worth)
        by_kind.setdefault((name, kind), []).append(worth)
    return {name: summed(all_) for name, all_ in by_side.items()}, {key: summed(all_) for key, all_ in by_kind.items()}


def _row(what: str, luck: Luck) -> tuple[str, str, str, str]:
    """Figures first: a name that is long for a phone goes on below, and moves none of them."""
    return f"{luck.count:>3}", f"{minus(luck.worth):>5}", f"{tenth(luck.mean):>5}", what


def _whose(context: Context, roll: Try) -> str:
    return (roll.side or "no side") if context.game.sides else context.ledger.name_of(roll.side)


async def _worths(context: Context, rolls: list[Try], count: Count) -> list[tuple[Try, Worth]]:
    """The rolls with what each was worth, but for those that are worth nothing that can be said."""
    keys = {roll.digest: roll.key for roll in rolls}
    found = {digest: _known[digest] for digest in keys if digest in _known}
    missing = [digest for digest in keys if digest not in found]
    for start in range(0, len(missing), AT_ONCE):
        some = missing[start : start + AT_ONCE]
        news = dict(zip(some, await count(context, [keys[digest] for digest in some]), strict=True))
        found |= news
        _known.update(news)
    return [(roll, worth) for roll in rolls if (worth := found[roll.digest]) is not None]


async def _counted(context: Context, keys: list[Key]) -> list[Worth | None]:
    """What these rolls were worth. Raises UserError where one of them takes too long."""
    worths: list[Worth | None] = await context.apart(many_worths, keys)
    return worths


async def _patiently(context: Context, keys: list[Key]) -> list[Worth | None]:
    """The same; what takes too long counts for nothing."""
    try:
        return await _counted(context, keys)
    except UserError:  # one of them takes too long: find out which
        return [None] if len(keys) == 1 else [(await _patiently(context, [key]))[0] for key in keys]


def tenth(value: float) -> str:
    """A number with one decimal, and the true minus sign."""
    return f"{value:.1f}".replace("-", "−")


def sentence(name: str, luck: Luck) -> str:
    """How unusual a side's luck is, in plain words."""
    points = f"{minus(luck.worth)} {'point' if abs(luck.worth) == 1 else 'points'}"
    told = f"{name}: {points}, {tenth(luck.mean)} expected, in {counted(luck.count, 'roll')}"
    if luck.count < ENOUGH or luck.variance <= 0:
        return f"{told}: too few rolls to say."
    word, of = unusual(luck.z)
    return f"{told}: {word} than {of} in 100 such games." if word else f"{told}: about what the odds promise."
