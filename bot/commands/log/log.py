"""`/log`: the events of the game, newest first, in pages, filtered by unit, side or kind.

In a long game an index of marks finds the events.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.commands.by_post.missed_events import show_missed_events
from bot.commands.channel_games import get_game_title, use_named_game
from bot.commands.context import Context, replace_command
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.log.log_index import (
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
from bot.game.decks import get_card_names
from bot.game.sides import find_side
from bot.game.state import Json, build_roster
from bot.presentation.events import (
    collect_event_texts,
    describe_turn_and_phase,
    find_card_word_events,
    format_log_line,
)
from bot.presentation.story import build_chapters
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.inputs.unit_selectors import AskingSide, list_names
from bot.rules.proof.chain import shorten_hash
from bot.rules.text.normalize import normalize_name
from bot.rules.text.phrase import phrase
from bot.storage.base import StoreError
from bot.storage.records import MarkRow
from bot.ui.common_options import PAST_GAME, build_flag, build_optional
from bot.ui.reply.parts import Happened, Part
from bot.ui.reply.reply import Button, Reply

EVENT_KINDS = ("roll", "sequence", "table", "unit", "deck", "game", "undo", "fair")

BATCH = 500
MOST_READ = 50_000
MOST_ACTION = 98
"""Maximum characters of a button's action."""
LONGEST_LIST = 48
"""Characters from which a list of units is too long for a button's action."""
LONG = 2 * BLOCK
"""Number of events from which a log is searched by marks."""
FEW = 2
"""Maximum number of blocks without marks that are indexed outside the worker."""
TOGETHER = 4
"""Blocks whose marks are stored at once."""


@declare_command(
    "log",
    "What happened, newest first",
    Option("count", "int", "how many events", min=1, max=200, default=10),
    build_optional("unit", "only this unit, or these: us1..us4", complete="unit", many=True),
    build_optional("side", "only this side", complete="side"),
    build_optional("kind", "only this kind", type="enum", values=EVENT_KINDS),
    Option("page", "int", "page", min=1, max=10000, default=1),
    PAST_GAME,
    build_optional("since", "me: what happened since you left; or an event number"),
    build_flag("story", "as a story, by turn and phase: who did what to whom"),
    example="20",
    private=True,
)
async def show_log(context: Context) -> Reply:
    """Show a page of the log, as lines or as a story.

    Raises UserError for a game, side, unit or number that is unknown, and if no game was played
    here.
    """
    options = context.clean_options()
    await use_named_game(context, options["game"])
    game = context.need_game()
    if options["since"]:
        return await show_missed_events(context, options["since"])
    side = options["side"] or ""
    if side and game.sides:
        side = find_side(game, side) or ""
    kind = options["kind"] or ""
    is_story = bool(options["story"])
    units = _find_unit_names(context, options["unit"]) if options["unit"] else ()
    unit = _format_unit_names(context, units)
    count = options["count"]
    page = options["page"]
    log_filter = LogFilter(units, side, kind, story=is_story)
    is_filtered = bool(units or side or kind)
    search = find_events if is_filtered and game.number >= LONG else scan_events
    page_events, has_more = await search(context, log_filter, count * (page - 1), count)
    labels = await _load_texts(context, [event for event, _ in page_events])
    buttons: tuple[Button, ...] = ()
    if len(unit) < LONGEST_LIST:
        filters = (kind, side, unit, "story" if is_story else "")
        buttons = _build_page_buttons(context, count, page, filters, bool(page_events), has_more)
    if is_story:
        return await _build_page(context, page_events, labels, page, buttons)
    lines = []
    for event, is_undone in page_events:
        label = labels.get(event["number"], "")
        line = format_log_line(event, context.systems, context.ledger.get_name, label, game.sides)
        lines.append(f"{line} (undone)" if is_undone else line)
    if has_more:
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
        buttons=buttons,
    )


def _build_page_buttons(
    context: Context,
    count: int,
    page: int,
    filters: tuple[str, str, str, str],
    has_events: bool,
    has_more: bool,
) -> tuple[Button, ...]:
    """Build the buttons Newer, Older and Share of a page, as far as they make sense.

    `filters` are kind, side, unit and "story", each "" for none.
    """
    row = context.ledger.row
    buttons = []
    if page > 1:
        buttons.append(Button(build_page_action(row, count, page - 1, *filters), "Newer"))
    if has_more:
        buttons.append(Button(build_page_action(row, count, page + 1, *filters), "Older"))
    share = f"tell{build_page_action(row, count, page, *filters)}"
    if has_events and len(share) <= MOST_ACTION:
        buttons.append(Button(share, "Share"))
    return tuple(buttons)


def _explain_empty_log(context: Context, unit: str | None) -> tuple[str, ...]:
    """Return the lines of a page without events, with the unit that was probably meant."""
    names = [game_unit.name for game_unit in context.game.units.values()]
    is_known = unit is None or normalize_name(unit).casefold() in build_roster(context.game)
    suggestion = "" if is_known or unit is None else did_you_mean(unit, names)
    return ("Nothing here.", suggestion) if suggestion else ("Nothing here.",)


def _format_filters(options: Mapping[str, Any]) -> str:
    """Return the filters as typed in the command for the next page: ` kind=roll unit="Squad 1"`."""
    text = ""
    for name in ("kind", "side", "unit", "game"):
        value = str(options[name]) if options[name] else ""
        if " " in value:
            text += f' {name}="{value}"'
        elif value:
            text += f" {name}={value}"
    return text


async def _build_page(
    context: Context,
    events: list[tuple[Json, bool]],
    texts: dict[int, str],
    page: int,
    buttons: tuple[Button, ...],
) -> Reply:
    """Build the page as a story: events oldest first, by turn and phase.

    `events` are newest first, each with whether it is undone. `texts` are by event number.
    """
    game = context.game
    in_order = [event for event, _ in reversed(events)]
    undone = [event["number"] for event, is_undone in events if is_undone]
    heading = await _find_heading(context, in_order[0]["number"]) if in_order else ""
    lines: list[Part] = []
    for chapter in build_chapters(
        in_order, context.systems, context.ledger.get_name, texts, game.sides, undone, heading
    ):
        if chapter.heading:
            lines.append(f"{chapter.heading}:")
        lines += [
            Happened(line.number, line.sentence, "", line.grave, line.undone)
            for line in chapter.told
        ]
    if page > 1:
        subtitle = "earlier"
    elif game.ended:
        subtitle = "the story"
    else:
        subtitle = "the story so far"
    return Reply(
        f"{get_game_title(game)}, {subtitle}",
        tuple(lines) or ("Nothing here.",),
        footer=(f"#{game.number}", shorten_hash(context.ledger.head)),
        private=True,
        buttons=buttons,
    )


async def _find_heading(context: Context, number: int) -> str:
    """Return the turn and phase of an event; "" if the last 500 events before it do not say."""
    for event in await context.load_recent_events(BATCH, before=number):
        heading = describe_turn_and_phase(event)
        if heading:
            return heading
    return ""


def build_page_action(*parts: object) -> str:
    """Build the action of a button for another page: `log:` and the parts, joined by colons.

    A colon in the name of a side or unit becomes a space.
    """
    return ":".join(["log", *(str(part).replace(":", " ") for part in parts)])[:MOST_ACTION]


@declare_button("log", of=ButtonOf.GAME, private=True, in_earlier_games=True)
async def turn_page(
    context: Context, count: str, page: str, kind: str, side: str, unit: str, story: str
) -> Reply:
    """Show a page of the log, with the options of `/log` that the pressed button holds."""
    options = {
        "count": count,
        "page": page,
        "kind": kind,
        "side": side,
        "unit": unit,
        "story": "yes" if story else "",
    }
    non_empty = {name: value for name, value in options.items() if value}
    return await show_log(replace_command(context, ("log",), non_empty))


async def stream_newest_first(context: Context, row: str) -> AsyncIterator[Json]:
    """Yield the bodies of a game's events, newest first, at most 50,000, loaded in batches."""
    oldest: int | None = None
    for _ in range(MOST_READ // BATCH):
        rows = await context.store.load_events(row, before=oldest, limit=BATCH, newest_first=True)
        for event in rows:
            yield event.data
        if len(rows) < BATCH:
            return
        oldest = rows[-1].number


def _find_unit_names(context: Context, typed: str) -> tuple[str, ...]:
    """Return the names of the typed unit or units, folded. A removed unit may be among them.

    Raises UserError if several units are typed and one of them is not clear.
    """
    roster = build_roster(context.game)
    folded = normalize_name(typed).casefold()
    words = context.system.words["units"] if context.system is not None else None
    if folded in roster:
        return (roster[folded].name.casefold(),)
    if words is None or not roster:
        return (folded,)
    try:
        names = list_names(typed, words, roster, AskingSide(context.actor.side))
    except UserError as error:
        if error.code != "unknown-unit":
            raise
        return (folded,)
    return tuple(name.casefold() for name in names)


def _format_unit_names(context: Context, units: tuple[str, ...]) -> str:
    """Return the units as in the action of a button: one by its name, several by their handles."""
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
    """Load the texts of these events by number: labels, plans, words of cards, the game's result.

    Texts of rolls that are still sealed are left out.
    """
    numbers = [event["number"] for event in events]
    if not numbers:
        return {}
    store = context.store
    row = context.ledger.row
    start = min(numbers)
    stop = max(numbers) + 1
    texts = [*await store.load_texts(row, after=start - 1, before=stop)]
    for number in sorted(find_card_word_events(*events)):
        if number not in range(start, stop):
            texts += await store.load_texts(row, after=number - 1, before=number + 1)
    card_names = get_card_names(context.game, context.system)
    return collect_event_texts(events, texts, context.game.sealed, card_names)


@dataclass(frozen=True, slots=True)
class LogFilter:
    """The filter of `/log`: events with one of `units` (folded names), of a side, of a kind.

    An empty field does not filter. `story` leaves out events that a story does not tell.
    """

    units: Collection[str] = ()
    side: str = ""
    kind: str = ""
    story: bool = False

    @property
    def marks(self) -> list[str]:
        """The marks that the filter looks for."""
        marks = [build_mark("unit", name) for name in self.units]
        if self.side:
            marks.append(build_mark("side", self.side))
        if self.kind:
            marks.append(build_mark("kind", self.kind))
        if self.story:
            marks.append(STILL)
        return marks

    def find_numbers(self, marks: Marks) -> list[int]:
        """Return the numbers of the events that pass the filter, newest first.

        `marks` are those of the events to choose from, a block of the log.
        """
        number_sets: list[set[int]] = []
        if self.units:
            with_unit = set[int]()
            for name in self.units:
                with_unit.update(marks.get(build_mark("unit", name), ()))
            number_sets.append(with_unit)
        if self.side:
            number_sets.append(set(marks.get(build_mark("side", self.side), ())))
        if self.kind:
            number_sets.append(set(marks.get(build_mark("kind", self.kind), ())))
        if number_sets:
            matching = set.intersection(*number_sets)
        else:
            matching = set[int]().union(*marks.values())
        if self.story:
            matching = matching.difference(marks.get(STILL, ()))
        return sorted(matching, reverse=True)


@dataclass(slots=True)
class _IndexedLog:
    """The index of a log: the stored marks that a filter looks for, and newly built marks.

    `stored` and `fresh` are by block. `done` are the blocks whose marks are stored; `unwritten`,
    those whose new marks are not stored yet.
    """

    context: Context
    stored: dict[int, dict[str, str]]
    done: set[int]
    is_new: bool  # many blocks have no marks, so the worker builds them
    fresh: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    unwritten: list[int] = field(default_factory=list)

    async def get_marks(self, block: int) -> Marks:
        """Return the marks of a block that the filter looks for, or all if they are newly built."""
        if block in self.done:
            stored_marks = self.stored.get(block, {})
            return {mark: unpack_numbers(block, packed) for mark, packed in stored_marks.items()}
        store = self.context.store
        row = self.context.ledger.row
        block_start = block * BLOCK
        rows = await store.load_events(row, after=block_start, before=block_start + BLOCK + 1)
        bodies = [event.body for event in rows]
        run = self.context.run_in_worker if self.is_new else asyncio.to_thread
        marks: dict[str, list[int]] = await run(index_block, bodies)
        self.fresh[block] = marks
        if len(bodies) == BLOCK:
            self.unwritten.append(block)
            if len(self.unwritten) >= TOGETHER:
                await self.save_marks()
        return marks

    async def save_marks(self) -> None:
        """Store the new marks. If the store fails, the next search builds them again."""
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
        """Return those of these events that are undone. The latest undo or redo of each counts."""
        stored_verdicts = await self._load_stored_verdicts(numbers)
        latest: dict[int, tuple[int, str]] = {}
        for number, kind, verdict_number in [*self._list_new_verdicts(numbers), *stored_verdicts]:
            latest[number] = max(latest.get(number, (0, "")), (verdict_number, kind))
        return {number for number, (_, kind) in latest.items() if kind == "undo"}

    def _list_new_verdicts(self, numbers: Sequence[int]) -> Iterator[tuple[int, str, int]]:
        """Yield each undo or redo of these events that the new marks have.

        As (number of the event, "undo" or "redo", number of the undo or redo itself).
        """
        names = _list_verdict_marks(numbers)
        for marks in self.fresh.values():
            for name in names.keys() & marks.keys():
                for verdict_number in marks[name]:
                    yield *names[name], verdict_number

    async def _load_stored_verdicts(self, numbers: Sequence[int]) -> list[tuple[int, str, int]]:
        """Return each undo or redo of these events that the stored marks have.

        As (number of the event, "undo" or "redo", number of the undo or redo itself).
        """
        names = _list_verdict_marks(numbers)
        rows = await self.context.store.load_index_blocks(self.context.ledger.row, list(names))
        verdicts = []
        for row in rows:
            if row.block in self.done:
                number, kind = names[row.mark]
                verdicts += [(number, kind, own) for own in unpack_numbers(row.block, row.numbers)]
        return verdicts


async def scan_events(
    context: Context, log_filter: LogFilter, skip: int, count: int
) -> tuple[list[tuple[Json, bool]], bool]:
    """Return the same as `find_events`, but scan the log event by event.

    Right for a short log, or without a filter.
    """
    page_events = list[tuple[Json, bool]]()
    undone = dict[int, bool]()
    matches = 0
    async for event in stream_newest_first(context, context.ledger.row):
        if event["kind"] in ("undo", "redo"):
            # the latest word on an event counts
            undone.setdefault(event["event"], event["kind"] == "undo")
        if log_filter.find_numbers(dict.fromkeys(list_marks(event), (event["number"],))):
            matches += 1
            if matches > skip + count:
                return page_events, True
            if matches > skip:
                page_events.append((event, undone.get(event["number"], False)))
    return page_events, False


async def find_events(
    context: Context, log_filter: LogFilter, skip: int, count: int
) -> tuple[list[tuple[Json, bool]], bool]:
    """Find the events that pass the filter by the index of the log.

    Return (events, has_more): at most `count` events, newest first, after the first `skip`, each
    with whether it is undone.
    """
    row = context.ledger.row
    numbers = list[int]()
    has_more = False
    log = await _load_index(context, log_filter)
    for block in range(context.game.number // BLOCK, -1, -1):
        block_numbers = log_filter.find_numbers(await log.get_marks(block))
        numbers += block_numbers[skip:]
        skip = max(0, skip - len(block_numbers))
        if len(numbers) > count:
            has_more = True
            break
        await asyncio.sleep(0)
    await log.save_marks()
    numbers = numbers[:count]
    bodies = {
        event.number: event.data for event in await context.store.load_events_at(row, numbers)
    }
    undone = await log.find_undone(numbers)
    return [(bodies[number], number in undone) for number in numbers if number in bodies], has_more


async def _load_index(context: Context, log_filter: LogFilter) -> _IndexedLog:
    """Load the stored search marks that the filter needs. No events are loaded yet."""
    rows = await context.store.load_index_blocks(context.ledger.row, [MARKED, *log_filter.marks])
    done = {row.block for row in rows if row.mark == MARKED and row.numbers == EDITION}
    stored: dict[int, dict[str, str]] = {}
    for row in rows:
        if row.mark != MARKED:
            stored.setdefault(row.block, {})[row.mark] = row.numbers
    return _IndexedLog(context, stored, done, context.game.number // BLOCK - len(done) > FEW)


def _list_verdict_marks(numbers: Sequence[int]) -> dict[str, tuple[int, str]]:
    """Return the marks under which the index holds the undo and redo events of these events.

    Each mark comes with the number of the event and the kind, "undo" or "redo".
    """
    return {
        build_mark(kind, number): (number, kind) for number in numbers for kind in ("undo", "redo")
    }
