"""`/log`: what happened, newest first, a page at a time, filtered; in a long game found by
marks.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.commands.by_post.missed_events import show_missed_events
from bot.commands.channel_games import title_of, use_named_game
from bot.commands.context import Context, replace_command
from bot.game.decks import get_card_names
from bot.game.sides import find_side
from bot.game.state import Json, build_roster
from bot.presentation.events import (
    collect_event_texts,
    describe_turn_and_phase,
    find_card_word_events,
    format_log_line,
)
from bot.presentation.log_index import (
    BLOCK,
    EDITION,
    MARKED,
    STILL,
    Marks,
    build_mark,
    index_block,
    list_marks,
    pack_numbers,
    unpack_numbers,
)
from bot.presentation.story import build_chapters
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.unit_selectors import AskingSide, list_names
from bot.rules.proof.chain import shorten_hash
from bot.rules.text.normalize import normalize_name
from bot.rules.text.phrase import phrase
from bot.storage.base import StoreError
from bot.storage.records import MarkRow
from bot.ui.reply.parts import Happened, Part
from bot.ui.reply.reply import Button, Reply

BATCH = 500
MOST_READ = 50_000
MOST_ACTION, LONGEST_LIST = 98, 48
LONG = 2 * BLOCK
"""Events from which a log is looked through by marks."""
FEW = 2
"""Blocks that are marked without the worker."""
TOGETHER = 4
"""Blocks whose marks are written at once."""


async def show_log(context: Context) -> Reply:
    """A page of the log."""
    options = context.clean_options()
    await use_named_game(context, options["game"])
    game = context.need_game()
    if options["since"]:
        return await show_missed_events(context, options["since"])
    side = (
        (find_side(game, options["side"]) if game.sides else options["side"])
        if options["side"]
        else ""
    )
    units = _find_unit_names(context, options["unit"]) if options["unit"] else ()
    unit = _format_unit_names(context, units)
    count = options["count"]
    page = options["page"]
    filters = (options["kind"] or "", side or "", unit, "story" if options["story"] else "")
    asked = LogFilter(units, side or "", options["kind"] or "", story=bool(options["story"]))
    is_long = bool(units or side or options["kind"]) and game.number >= LONG
    wanted, more = await (find_events if is_long else scan_events)(
        context, asked, count * (page - 1), count
    )
    labels = await _load_texts(context, [event for event, _ in wanted])
    row = context.ledger.row
    buttons = (
        [Button(build_page_action(row, count, page - 1, *filters), "Newer")] if page > 1 else []
    )
    buttons += [Button(build_page_action(row, count, page + 1, *filters), "Older")] if more else []
    share = f"tell{build_page_action(row, count, page, *filters)}"
    buttons += [Button(share, "Share")] if wanted and len(share) <= MOST_ACTION else []
    buttons = buttons if len(unit) < LONGEST_LIST else []  # more units than a button can name
    if options["story"]:
        return await _build_page(context, wanted, labels, page, tuple(buttons))
    lines = [
        format_log_line(event, context.ledger.get_name, labels.get(event["number"], ""), game.sides)
        + (" (undone)" if gone else "")
        for event, gone in wanted
    ]
    if more:
        lines.append(
            phrase(
                "More: `/log {count} page={next}{rest}`",
                count=count,
                next=page + 1,
                rest=_format_filters(options),
            )
        )
    title = f"Log, page {page}" if page > 1 else "Log, newest first"
    return Reply(
        title,
        tuple(lines) or _explain_empty_log(context, options["unit"]),
        footer=(f"#{game.number}", shorten_hash(context.ledger.head)),
        private=True,
        buttons=tuple(buttons),
    )


def _explain_empty_log(context: Context, unit: str | None) -> tuple[str, ...]:
    """Return what to say if no event fits, with the unit that is probably meant."""
    names = [known.name for known in context.game.units.values()]
    is_known = unit is None or normalize_name(unit).casefold() in build_roster(context.game)
    near = "" if is_known or unit is None else did_you_mean(unit, names)
    return ("Nothing here.", near) if near else ("Nothing here.",)


def _format_filters(options: Mapping[str, Any]) -> str:
    """What else was typed, as a further page needs it again: ` kind=roll unit="Squad 1"`."""
    names = ("kind", "side", "unit", "game")
    given = {name: str(options[name]) for name in names if options[name]}
    return "".join(
        f' {name}="{value}"' if " " in value else f" {name}={value}"
        for name, value in given.items()
    )


async def _build_page(
    context: Context,
    events: list[tuple[Json, bool]],
    texts: dict[int, str],
    page: int,
    buttons: tuple[Button, ...],
) -> Reply:
    """The events of a page as a story, in the order in which they were, by turn and phase."""
    game = context.game
    in_order = [event for event, _ in reversed(events)]
    undone = [event["number"] for event, gone in events if gone]
    heading = await _find_heading(context, in_order[0]["number"]) if in_order else ""
    lines: list[Part] = []
    for chapter in build_chapters(
        in_order, context.ledger.get_name, texts, game.sides, undone, heading
    ):
        lines += [f"{chapter.heading}:"] if chapter.heading else []
        lines += [
            Happened(told.number, told.sentence, "", told.grave, told.undone)
            for told in chapter.told
        ]
    called = title_of(game)
    return Reply(
        f"{called}, {'earlier' if page > 1 else 'the story' if game.ended else 'the story so far'}",
        tuple(lines) or ("Nothing here.",),
        footer=(f"#{game.number}", shorten_hash(context.ledger.head)),
        private=True,
        buttons=buttons,
    )


async def _find_heading(context: Context, number: int) -> str:
    """The turn and phase in which an event happened; "" where that is too long ago to be looked
    for.
    """
    return next(
        filter(
            None,
            map(describe_turn_and_phase, await context.load_recent_events(BATCH, before=number)),
        ),
        "",
    )


def build_page_action(*parts: object) -> str:
    """What a button for another page stands for; no name of a side or unit has a colon that
    would be needed.
    """
    return ":".join(["log", *(str(part).replace(":", " ") for part in parts)])[:MOST_ACTION]


async def turn_page(context: Context, rest: str) -> Reply:
    """The page that a button names."""
    count, page, kind, side, unit, told = (*rest.split(":"), "", "", "", "", "", "")[:6]
    options = {
        "count": count,
        "page": page,
        "kind": kind,
        "side": side,
        "unit": unit,
        "story": "yes" if told else "",
    }
    return await show_log(
        replace_command(
            context, ("log",), {name: value for name, value in options.items() if value}
        )
    )


async def stream_newest_first(context: Context, row: str) -> AsyncIterator[Json]:
    """Bodies of a game's events, the last one first, read in batches; at most 50,000."""
    before: int | None = None
    for _ in range(MOST_READ // BATCH):
        rows = await context.store.load_events(row, before=before, limit=BATCH, newest_first=True)
        for event in rows:
            yield event.data
        if len(rows) < BATCH:
            return
        before = rows[-1].number


def _find_unit_names(context: Context, typed: str) -> tuple[str, ...]:
    """The names of one unit or several, folded; also of one that has been removed."""
    roster = build_roster(context.game)
    folded = normalize_name(typed).casefold()
    words = context.system.words["units"] if context.system is not None else None
    if words is None or not roster or folded in roster:
        return (roster[folded].name.casefold() if folded in roster else folded,)
    try:
        return tuple(
            name.casefold()
            for name in list_names(typed, words, roster, AskingSide(context.actor.side))
        )
    except UserError as error:
        if error.code != "unknown-unit":
            raise
        return (folded,)


def _format_unit_names(context: Context, units: tuple[str, ...]) -> str:
    """The units as the buttons name them: one by its name, several by their handles."""
    if not units[1:]:
        return "".join(units)
    handles = [context.game.units[name].handle for name in units]
    stem = handles[0].rstrip("0123456789")
    numbers = [
        int(handle.removeprefix(stem)) for handle in handles if re.fullmatch(rf"{stem}\d+", handle)
    ]
    is_run = numbers == list(range(numbers[0], numbers[0] + len(handles)))
    return f"{handles[0]}..{handles[-1]}" if is_run else ",".join(handles)


async def _load_texts(context: Context, events: list[Json]) -> dict[int, str]:
    """What was written with these events: labels of rolls that are open, plans, and how the game
    ended.
    """
    numbers = [event["number"] for event in events]
    if not numbers:
        return {}
    texts = await context.store.load_texts(
        context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1
    )
    for number in sorted(find_card_word_events(*events) - {*range(min(numbers), max(numbers) + 1)}):
        texts = [
            *texts,
            *await context.store.load_texts(
                context.ledger.row, after=number - 1, before=number + 1
            ),
        ]
    return collect_event_texts(
        events, texts, context.game.sealed, get_card_names(context.game, context.system)
    )


@dataclass(frozen=True, slots=True)
class LogFilter:
    """What `/log` is to list: events with one of `units` (folded names), of a side, of a kind; none
    of it asked for where it is empty."""

    units: Collection[str] = ()
    side: str = ""
    kind: str = ""
    story: bool = False

    @property
    def marks(self) -> list[str]:
        """All marks that matter."""
        found = [
            *(build_mark("unit", name) for name in self.units),
            *([build_mark("side", self.side)] if self.side else []),
        ]
        return [
            *found,
            *([build_mark("kind", self.kind)] if self.kind else []),
            *([STILL] if self.story else []),
        ]

    def find_numbers(self, marks: Marks) -> list[int]:
        """The numbers of a block's events that fit, the last one first."""
        sets = (
            [{number for name in self.units for number in marks.get(build_mark("unit", name), ())}]
            if self.units
            else []
        )
        sets += [set(marks.get(build_mark("side", self.side), ()))] if self.side else []
        sets += [set(marks.get(build_mark("kind", self.kind), ()))] if self.kind else []
        fits = (
            set.intersection(*sets)
            if sets
            else {number for numbers in marks.values() for number in numbers}
        )
        return sorted(fits.difference(marks.get(STILL, ())) if self.story else fits, reverse=True)


@dataclass(slots=True)
class _IndexedLog:
    """A log looked through from its end: the stored marks that matter by block, and those made
    just now.
    """

    context: Context
    stored: dict[int, dict[str, str]]
    done: set[int]
    is_new: bool  # so much of it has no marks that the worker makes them
    fresh: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    unwritten: list[int] = field(default_factory=list)

    async def get_marks(self, block: int) -> Marks:
        """The marks of a block that matter."""
        if block in self.done:
            return {
                mark: unpack_numbers(block, at) for mark, at in self.stored.get(block, {}).items()
            }
        store = self.context.store
        row = self.context.ledger.row
        first = block * BLOCK
        rows = await store.load_events(row, after=first, before=first + BLOCK + 1)
        bodies = [event.body for event in rows]
        run = self.context.run_in_worker if self.is_new else asyncio.to_thread
        found: dict[str, list[int]] = await run(index_block, bodies)
        self.fresh[block] = found
        if len(bodies) == BLOCK:
            self.unwritten.append(block)
            if len(self.unwritten) >= TOGETHER:
                await self.save_marks()
        return found

    async def save_marks(self) -> None:
        """Keep what was marked. Where that cannot be, it is done again the next time."""
        blocks = self.unwritten
        self.unwritten = []
        rows = [
            MarkRow(self.context.ledger.row, mark, block, pack_numbers(block, numbers))
            for block in blocks
            for mark, numbers in self.fresh[block].items()
        ]
        rows += [MarkRow(self.context.ledger.row, MARKED, block, EDITION) for block in blocks]
        if rows:
            with contextlib.suppress(StoreError):
                await self.context.store.save_index_blocks(rows)

    async def find_undone(self, numbers: Sequence[int]) -> set[int]:
        """Those of these events that are undone: the latest word on each counts."""
        latest: dict[int, tuple[int, str]] = {}
        for number, kind, said in [
            *self._list_new_verdicts(numbers),
            *await self._load_stored_verdicts(numbers),
        ]:
            latest[number] = max(latest.get(number, (0, "")), (said, kind))
        return {number for number, (_, kind) in latest.items() if kind == "undo"}

    def _list_new_verdicts(self, numbers: Sequence[int]) -> Iterator[tuple[int, str, int]]:
        names = _list_verdict_marks(numbers)
        for marks in self.fresh.values():
            for name in names.keys() & marks.keys():
                for said in marks[name]:
                    yield *names[name], said

    async def _load_stored_verdicts(self, numbers: Sequence[int]) -> list[tuple[int, str, int]]:
        names = _list_verdict_marks(numbers)
        rows = await self.context.store.load_index_blocks(self.context.ledger.row, list(names))
        return [
            (*names[row.mark], said)
            for row in rows
            if row.block in self.done
            for said in unpack_numbers(row.block, row.at)
        ]


async def scan_events(
    context: Context, wanted: LogFilter, skip: int, count: int
) -> tuple[list[tuple[Json, bool]], bool]:
    """The same as `find`, event by event: of a short log, or the end of a long one."""
    found = list[tuple[Json, bool]]()
    undone = dict[int, bool]()
    seen = 0
    async for event in stream_newest_first(context, context.ledger.row):
        if event["kind"] in ("undo", "redo"):
            # the latest word on an event counts
            undone.setdefault(event["event"], event["kind"] == "undo")
        if wanted.find_numbers(dict.fromkeys(list_marks(event), (event["number"],))):
            seen += 1
            if seen > skip + count:
                return found, True
            if seen > skip:
                found.append((event, undone.get(event["number"], False)))
    return found, False


async def find_events(
    context: Context, wanted: LogFilter, skip: int, count: int
) -> tuple[list[tuple[Json, bool]], bool]:
    """`count` events that fit, newest first, behind the first `skip`, each with whether it is
    undone; and whether there are more."""
    row = context.ledger.row
    found = list[int]()
    more = False
    log = await _load_index(context, wanted)
    for block in range(context.game.number // BLOCK, -1, -1):
        numbers = wanted.find_numbers(await log.get_marks(block))
        found += numbers[skip:]
        skip = max(0, skip - len(numbers))
        if len(found) > count:
            more = True
            break
        await asyncio.sleep(0)
    await log.save_marks()
    found = found[:count]
    bodies = {event.number: event.data for event in await context.store.load_events_at(row, found)}
    undone = await log.find_undone(found)
    return [(bodies[number], number in undone) for number in found if number in bodies], more


async def _load_index(context: Context, wanted: LogFilter) -> _IndexedLog:
    rows = await context.store.load_index_blocks(context.ledger.row, [MARKED, *wanted.marks])
    done = {row.block for row in rows if row.mark == MARKED and row.at == EDITION}
    stored: dict[int, dict[str, str]] = {}
    for row in rows:
        if row.mark != MARKED:
            stored.setdefault(row.block, {})[row.mark] = row.at
    return _IndexedLog(context, stored, done, context.game.number // BLOCK - len(done) > FEW)


def _list_verdict_marks(numbers: Sequence[int]) -> dict[str, tuple[int, str]]:
    """The marks under which it is said whether events are undone."""
    return {
        build_mark(kind, number): (number, kind) for number in numbers for kind in ("undo", "redo")
    }
