"""`/game stats`: luck against expectation, by side and kind of sequence.

The story of a game uses the same rolls.
"""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple

from cachetools import LRUCache

from bot.commands.channel_games import use_named_game
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.log.export import check_length
from bot.commands.log.json_export import export_json
from bot.commands.pictures import (
    NEVER,
    can_draw,
    draw_losses,
    draw_luck,
    load_picture_mode,
    offer_picture,
)
from bot.game.events import is_continuation
from bot.game.game_log import LoggedEvent
from bot.game.luck import (
    NO_SIDE,
    Luck,
    ScoredRoll,
    Tally,
    Worth,
    format_tenth,
    may_count,
    measure_all,
    scan_texts,
    sum_worths,
)
from bot.game.state import Game
from bot.loading.log_reader import BATCH, iterate_events
from bot.rules.errors import UserError
from bot.rules.proof.chain import SEALED, shorten_hash
from bot.rules.text.line import format_minus
from bot.rules.text.names import format_count
from bot.rulesets.rule_sets import RuleSets
from bot.storage.store import Store
from bot.ui.common_options import PAST_GAME
from bot.ui.reply.parts import Grid
from bot.ui.reply.reply import Reply

MOST = 3_000
"""Maximum number of rolls that are measured, the latest ones."""
AT_ONCE = 60
"""Rolls that the worker measures in one call."""
MAX_CACHED_ROLLS = 10_000
"""Rolls whose worth is cached."""
QUICK = 5.0
"""Seconds after which the story of an ended game leaves out its luck."""
LUCK_HEADING = (f"{'n':>3}", "score", "usual", "rolled")
"""The heading of a table of luck; see `build_luck_row`."""
_worth_cache = LRUCache[bytes, Worth | None](MAX_CACHED_ROLLS)
"""The worth of rolls by digest, for all games of this process; None: measured in vain."""
Measure = Callable[[Context, list[ScoredRoll], RuleSets], Awaitable[list[Worth | None]]]


class MeasuredRolls(NamedTuple):
    """The rolls of a game that count, each with its worth. `total` also counts the other rolls."""

    rolls: list[tuple[ScoredRoll, Worth]]
    total: int
    left_out: int = 0  # the oldest rolls of a very long game, which are not measured

    @property
    def summary(self) -> str:
        """`28 rolls`, or `21 of 28 rolls count`."""
        return format_counted_rolls(len(self.rolls), self.total)


def format_counted_rolls(count: int, total: int) -> str:
    """Return `28 rolls` if all of them count, else `21 of 28 rolls count`."""
    if count == total:
        return format_count(total, "roll")
    return f"{count} of {format_count(total, 'roll')} {'counts' if count == 1 else 'count'}"


@declare_command(
    "game stats", "Luck against expectation, by side and kind of roll", PAST_GAME, private=True
)
async def show_stats(context: Context) -> Reply:
    """Show each side's luck. The worker measures the rolls."""
    await use_named_game(context, context.clean_options()["game"])
    game = context.need_game()
    measured = await measure_patiently(context, await load_tally(context), context.systems)
    by_side, by_kind = _sum_luck(context, measured)
    lines = [f"{name}: {kind_luck.sentence}" for name, kind_luck in sorted(by_side.items())]
    table = [LUCK_HEADING] if by_kind else []
    for name, luck in sorted(by_side.items()):
        table.append(build_luck_row(f"{name}, all", luck))
        table += (
            build_luck_row(kind, kind_luck)
            for (side, kind), kind_luck in sorted(by_kind.items())
            if side == name
        )
    if measured.left_out:
        lines.append(f"The {measured.left_out} oldest rolls aren't included.")
    lines.append(
        f"{measured.summary}. Not counted: dice rolled by hand, rolls still sealed and rolls without a score. "
        "Score: how well the rolls turned out for that side; usual: the average for rolls like them."
    )
    answer = Reply(
        "Luck against expectation" if by_side else "No rolls to judge luck by yet",
        (*lines, Grid(tuple(table), head=True)),
        footer=(f"#{game.number}", shorten_hash(context.ledger.head)),
        private=True,
    )
    if context.clean_options()["game"]:
        return answer
    if by_side:
        answer = await offer_picture(context, answer, context.build_button("luck", "").action)
    has_losses = bool(game.sides and game.turn and game.units)
    if has_losses and can_draw() and await load_picture_mode(context) != NEVER:
        losses_button = context.build_button("losses", "Losses")
        answer = replace(answer, buttons=(*answer.buttons, losses_button))
    return answer


async def measure_patiently(
    context: Context, tally: Tally, systems: RuleSets, owner: str = ""
) -> MeasuredRolls:
    """Measure the rolls that count, or only those of one `owner` (see ScoredRoll), in the worker.

    `systems` are the rule sets of their game. A roll that takes too long is left out.
    """
    return await _measure_rolls(context, tally, systems, _measure_patiently, owner)


async def compute_luck_quickly(
    context: Context, tally: Tally
) -> tuple[dict[str, Luck], MeasuredRolls]:
    """Return the luck of each side, and the worth of each roll; empty if that takes too long."""
    measured = MeasuredRolls([], tally.total)
    with contextlib.suppress(UserError, TimeoutError):
        async with asyncio.timeout(QUICK):
            measured = await _measure_rolls(context, tally, context.systems, _measure_in_worker)
    return dict(sorted(_sum_luck(context, measured)[0].items())), measured


@declare_button("luck", of=ButtonOf.GAME, private=True)
async def press_picture(context: Context) -> Reply:
    """Draw how each side's rolls ran against expectation, for the game that is played here."""
    game = context.need_game()
    tracks: dict[str, list[tuple[int, float]]] = {}
    measured = await measure_patiently(context, await load_tally(context), context.systems)
    for roll, worth in measured.rolls:
        track = tracks.setdefault(_get_roller_name(context, roll), [])
        total = track[-1][1] if track else 0.0
        track.append((roll.number, total + worth.got - worth.mean))
    title = f"Luck in {game.name}" if game.name else "Luck against expectation"
    return replace(await draw_luck(context, title, dict(sorted(tracks.items()))), private=True)


@declare_button("losses", of=ButtonOf.GAME)
async def press_losses(context: Context) -> Reply:
    """Draw what each side lost, turn by turn, for the game that is played here."""
    game = context.need_game()
    check_length(game)
    title = f"Losses in {game.name}" if game.name else "Losses"
    return replace(await draw_losses(context, title, await export_json(context)), private=True)


async def load_tally(context: Context) -> Tally:
    """Count the rolls of the game that is played here."""
    return await load_tally_of_game(context, context.ledger.row, context.game, context.systems)


async def load_tally_of_game(context: Context, row: str, game: Game, systems: RuleSets) -> Tally:
    """Count the rolls of any game, batch by batch; those of a long game in the worker.

    `systems` are the rule sets of that game.
    """
    run = context.run_in_worker if game.number > BATCH else asyncio.to_thread
    tally = Tally()
    asking_bodies = dict[int, str]()
    async for rows in iterate_events(context.store, row):
        counted_rows = [row for row in rows if may_count(row.body)]
        bodies = [row.body for row in counted_rows]
        asking_bodies |= {row.number: row.body for row in counted_rows if '"asks":' in row.body}
        earlier = _list_continued_sequences(counted_rows, asking_bodies)
        opened = await _read_opened(context.store, game, counted_rows)
        scan = await run(scan_texts, bodies, game.sides, opened, systems, earlier)
        tally.add(scan)
    return tally


def _list_continued_sequences(rows: list[LoggedEvent], asking_bodies: dict[int, str]) -> list[str]:
    """Return the bodies of the events that choices among `rows` continue, back to the first one.

    `asking_bodies` are the bodies, by number, of all events so far that asked for a choice.
    """
    sequences = dict[int, str]()
    choices = [row.data for row in rows if '"picks":' in row.body]
    while choices:
        number = choices.pop()["event"]
        if number in asking_bodies and number not in sequences:
            sequences[number] = asking_bodies[number]
            event = json.loads(asking_bodies[number])
            choices += [event] if is_continuation(event) else []
    return list(sequences.values())


async def _read_opened(store: Store, game: Game, rows: list[LoggedEvent]) -> dict[int, str]:
    """Return the contents of the sealed rolls among `rows` that are open now, by event number."""
    sealed = [row for row in rows if '"kind":"sealed"' in row.body]
    open_rolls = {row.number for row in sealed if row.number not in game.sealed}
    if not open_rolls:
        return {}
    texts = await store.load_texts(
        sealed[0].game, after=min(open_rolls) - 1, before=max(open_rolls) + 1
    )
    return {
        text.event: text.text for text in texts if text.event in open_rolls and text.key == SEALED
    }


def _sum_luck(
    context: Context, measured: MeasuredRolls
) -> tuple[dict[str, Luck], dict[tuple[str, str], Luck]]:
    """Return the luck of each side, and of each side with each kind of sequence."""
    by_side: dict[str, list[Worth]] = {}
    by_kind: dict[tuple[str, str], list[Worth]] = {}
    for roll, worth in measured.rolls:
        name = _get_roller_name(context, roll)
        kind = context.systems.find(roll.system).find_sequence(roll.sequence).title
        by_side.setdefault(name, []).append(worth)
        by_kind.setdefault((name, kind), []).append(worth)
    sides = {name: sum_worths(worths) for name, worths in by_side.items()}
    kinds = {key: sum_worths(worths) for key, worths in by_kind.items()}
    return sides, kinds


def build_luck_row(title: str, luck: Luck) -> tuple[str, str, str, str]:
    """Return a row of the table. The title is last, so that its wrapping moves no figure."""
    return (
        f"{luck.count:>3}",
        f"{format_minus(luck.worth):>5}",
        f"{format_tenth(luck.mean):>5}",
        title,
    )


def _get_roller_name(context: Context, roll: ScoredRoll) -> str:
    return (roll.side or NO_SIDE) if context.game.sides else context.ledger.get_name(roll.side)


async def _measure_rolls(
    context: Context, tally: Tally, systems: RuleSets, measure: Measure, owner: str = ""
) -> MeasuredRolls:
    """Return the worth of the latest `MOST` rolls that count; of one `owner`, if given.

    `measure` computes the worth of rolls that are not cached; it is cached then. Rolls for which it
    returns None (too slow to measure) are left out of the result.
    """
    scored = [roll for roll in tally.rolls_with_score if owner in ("", roll.owner)]
    rolls = scored[-MOST:]
    worths = {
        roll.digest: _worth_cache[roll.digest] for roll in rolls if roll.digest in _worth_cache
    }
    missing = {roll.digest: roll for roll in rolls if roll.digest not in worths}
    waiting = list(missing.values())
    for start in range(0, len(waiting), AT_ONCE):
        batch = waiting[start : start + AT_ONCE]
        for roll, worth in zip(batch, await measure(context, batch, systems), strict=True):
            worths[roll.digest] = worth
            _worth_cache[roll.digest] = worth
    measured = []
    for roll in rolls:
        worth = worths[roll.digest]
        if worth is not None:
            measured.append((roll, worth))
    return MeasuredRolls(measured, tally.total, len(scored) - len(rolls))


async def _measure_in_worker(
    context: Context, rolls: list[ScoredRoll], systems: RuleSets
) -> list[Worth | None]:
    """Measure rolls in the worker. Raises UserError if one of them takes too long."""
    worths: list[Worth | None] = await context.run_in_worker(measure_all, rolls, systems)
    return worths


async def _measure_patiently(
    context: Context, rolls: list[ScoredRoll], systems: RuleSets
) -> list[Worth | None]:
    """Measure rolls in the worker. The worth of a roll that takes too long is None."""
    try:
        return await _measure_in_worker(context, rolls, systems)
    except UserError:
        if len(rolls) == 1:
            return [None]
        # one of them takes too long: measure each by itself
        worths = []
        for roll in rolls:
            worths += await _measure_patiently(context, [roll], systems)
        return worths
