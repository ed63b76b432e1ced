"""The log written out for `/game export`: its rolls as CSV, and the story as Markdown."""

import asyncio
import csv
import io
import json
import re
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from bot.commands.context import Context
from bot.game.decks import get_card_names
from bot.game.events import OUTCOMES, note_undo
from bot.game.game_log import LoggedEvent, LoggedText
from bot.game.phases import format_phase_title
from bot.game.roster import describe_unit, sort_units
from bot.game.state import Json
from bot.loading.log_reader import BATCH, iterate_events
from bot.presentation.events import collect_event_texts, describe_event
from bot.presentation.story import build_chapters
from bot.rules.proof.chain import SAID, SEALED
from bot.rulesets.rule_sets import RuleSets

COLUMNS = (
    "event",
    "time",
    "who",
    "side",
    "kind",
    "command",
    "label",
    "inputs",
    "dice",
    "result",
    "told",
    "marks",
)
"""The columns of a CSV of the log."""


@dataclass(frozen=True, slots=True)
class EventContext:
    """The data needed to write out some events.

    `names` are by person id. `texts` (words of cards, labels, plans) and `opened` (the contents of
    rolls that were sealed) are by event number. `undone` are event numbers.
    """

    names: Mapping[str, str]
    sides: tuple[str, ...]
    systems: RuleSets
    texts: Mapping[int, str] = field(default_factory=dict)
    undone: Collection[int] = ()
    opened: Mapping[int, str] = field(default_factory=dict)

    def name_of(self, person: str) -> str:
        """Return the name of a person, or "someone" if the name was deleted."""
        return self.names.get(person, "someone")


async def stream_rolls_csv(context: Context) -> AsyncIterator[str]:
    """Yield a CSV with one line per roll, table and sequence. Rolls still sealed are left out."""
    yield format_csv_head()
    async for text in _stream_log(context, format_csv_lines):
        yield text


async def stream_report(context: Context) -> AsyncIterator[str]:
    """Yield the after-action report as Markdown: events by turn and phase, then the units."""
    game = context.game
    lines = [f"# {escape_markdown(game.name or 'Free play')}", ""]
    if context.system is not None:
        lines += [f"*{escape_markdown(context.system.title)}*", ""]
    for side in game.sides:
        players = ", ".join(context.ledger.list_players(side)) or "nobody"
        lines.append(f"- **{escape_markdown(side)}**: {escape_markdown(players)}")
    yield "".join(f"{line}\n" for line in (*lines, ""))
    async for text in _stream_log(context, format_story_lines):
        yield text
    end_title = "The end" if game.ended else format_phase_title(game, context.system)
    lines = ["", f"## {escape_markdown(end_title or 'Now')}", ""]
    for unit in sort_units(game.units.values()):
        side = f"{escape_markdown(unit.side)} " if unit.side else ""
        lines.append(f"- {side}{escape_markdown(describe_unit(unit))}")
    yield "".join(f"{line}\n" for line in (*lines, "", f"Head of the log: `{context.ledger.head}`"))


async def _stream_log(
    context: Context, format_lines: Callable[[list[str], EventContext], str]
) -> AsyncIterator[str]:
    """Yield the formatted log, batch by batch. A long log is formatted in the worker.

    `format_lines` takes the stored bodies of some events, and their context.
    """
    store = context.store
    row = context.ledger.row
    game = context.game
    undone: set[int] = set()
    async for rows in iterate_events(store, row, last=game.number):
        for event in rows:
            if '"undo"' in event.body or '"redo"' in event.body:
                note_undo(undone, event.data)
    names = {person: context.ledger.get_name(person) for person in context.ledger.persons}
    event_context = EventContext(names, game.sides, context.systems)
    run = context.run_in_worker if game.number > BATCH else asyncio.to_thread
    # texts that a later event needs, maybe in a later batch: labels of sealed rolls, words of cards
    earlier_texts: list[LoggedText] = []
    async for rows in iterate_events(store, row, last=game.number):
        texts = await store.load_texts(row, after=rows[0].number - 1, before=rows[-1].number + 1)
        bodies = {event.number: event.body for event in rows}
        sealed = [text for text in texts if text.key == SEALED]
        opened = {text.event: text.text for text in sealed if text.event not in game.sealed}
        earlier_texts += [
            text for text in texts if text.key == "label" and '"sealed":' in bodies[text.event]
        ]
        earlier_texts += [text for text in texts if '"kind":"deck"' in bodies[text.event]]
        events_with_text = {text.event for text in texts if text.key != SAID}
        texts_by_event = collect_event_texts(
            (
                event.data
                for event in rows
                if event.number in events_with_text or _needs_other_texts(event)
            ),
            [*earlier_texts, *texts],
            game.sealed,
            get_card_names(game, context.system),
        )
        undone_numbers = [event.number for event in rows if event.number in undone]
        yield await run(
            format_lines,
            [event.body for event in rows],
            replace(event_context, texts=texts_by_event, undone=undone_numbers, opened=opened),
        )


def _needs_other_texts(event: LoggedEvent) -> bool:
    """Return whether the description of an event needs texts of earlier events or words of cards."""
    return any(word in event.body for word in ('"reveal"', '"does":', '"led":'))


def format_csv_lines(bodies: Sequence[str], event_context: EventContext) -> str:
    """Return CSV lines, one per roll, table and sequence. Rolls still sealed are left out."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for event in map(json.loads, bodies):
        number = event["number"]
        is_sealed = number in event_context.opened
        if is_sealed:
            event = {**event, **json.loads(event_context.opened[number])}
        if event["kind"] in OUTCOMES:
            writer.writerow(_build_csv_row(event, event_context, is_sealed=is_sealed))
    return buffer.getvalue()


def format_csv_head() -> str:
    """Return the line with the names of the columns."""
    return f"{','.join(COLUMNS)}\n"


def _build_csv_row(event: Json, event_context: EventContext, *, is_sealed: bool) -> list[object]:
    """Build the cells of an event's CSV row. `is_sealed` marks a sealed roll that is open now."""
    number = event["number"]
    label = event_context.texts.get(number, "")
    marked = {
        "hand": event.get("hand"),
        "undone": number in event_context.undone,
        "sealed": is_sealed,
    }
    marks = [word for word, is_set in marked.items() if is_set]
    values = {**event.get("inputs", {}), **event.get("read", {})}
    inputs = " ".join(f"{key}={value}" for key, value in values.items())
    dice = " ".join(str(die["value"]) for die in event.get("dice", ()))
    cells = [
        event_context.name_of(event["who"]),
        event["side"],
        event["kind"],
        event.get("command", "choose"),
        label,
        inputs,
    ]
    result = str(event.get("result", ""))
    described = describe_event(
        event, event_context.systems, event_context.name_of, label, event_context.sides
    )
    return [
        number,
        format_time(event["at"]),
        *map(_escape_cell, cells),
        dice,
        _escape_cell(result),
        _escape_cell(described.sentence),
        " ".join(marks),
    ]


def _escape_cell(text: str) -> str:
    """Escape a text that a spreadsheet would take for a formula."""
    if text[:1] in ("=", "+", "@", "-", "\t"):
        return f"'{text}"
    return text


def format_story_lines(bodies: Sequence[str], event_context: EventContext) -> str:
    """Return the story of some events as lines of Markdown, each with its line break."""
    lines = []
    for chapter in build_chapters(
        map(json.loads, bodies),
        event_context.systems,
        event_context.name_of,
        event_context.texts,
        event_context.sides,
        event_context.undone,
    ):
        if chapter.heading:
            lines += ["", f"## {escape_markdown(chapter.heading)}", ""]
        for line in chapter.told:
            text = escape_markdown(line.sentence)
            if line.undone:
                text = f"~~{text}~~ (undone)"
            elif line.grave:
                text = f"**{text}**"
            dice = f" {escape_markdown(line.dice)}" if line.dice else ""
            lines.append(f"- #{line.number} {text}{dice}")
    return "".join(f"{line}\n" for line in lines)


def escape_markdown(text: str) -> str:
    """Escape the characters that have a meaning in Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)


def format_time(timestamp: int) -> str:
    """Format Unix seconds as in files: `2026-01-31T12:00:00Z`."""
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
