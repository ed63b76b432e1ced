"""`/game export` and `/game share`.

An export is the whole game as JSON, its rolls as CSV, the story as Markdown, or the after-action
page. A share is an address at which anybody can watch the game until it is ended.
"""

import asyncio
import csv
import io
import json
import re
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TypeVar

from bot.commands.channel_games import format_game_name, use_named_game
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.game.decks import get_card_names
from bot.game.events import OUTCOMES, note_undo
from bot.game.game_log import LoggedEvent, LoggedText
from bot.game.phases import format_phase_title
from bot.game.rights import need_player
from bot.game.roster import describe_unit, sort_units
from bot.game.state import Game, Json
from bot.loading.log_reader import BATCH, iterate_events, iterate_texts
from bot.presentation.events import collect_event_texts, describe_event
from bot.presentation.story import build_chapters
from bot.report.event_odds import FACTS, list_fact_requests
from bot.report.page import build_page_from_text
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.proof.chain import SAID, SEALED, compute_genesis, shorten_hash
from bot.rules.text.phrase import Address, Phrase, phrase
from bot.rulesets.packs.pack import is_private
from bot.rulesets.rule_sets import RuleSets
from bot.runtime.entropy import create_address
from bot.storage.records import Doc
from bot.storage.store import Store
from bot.ui.common_options import PAST_GAME, build_flag
from bot.ui.reply.packing import Packing
from bot.ui.reply.reply import File, Reply
from bot.verification.export import TextPromises, build_appendix, build_heading, text_to_json
from bot.verification.packs_of_game import list_pack_hashes, list_sealed_pack_hashes, load_packs

EXPORT_FILES = "json (import takes it back), html (a page to read and check), csv or markdown"
EXPORT_FORMAT = Option(
    "format", "enum", EXPORT_FILES, values=("json", "html", "csv", "markdown"), default="json"
)

T = TypeVar("T")
FORMATS = {
    "json": "it can be imported again, and checked with grognard verify",
    "html": "open it in any browser, and press Check the dice",
    "csv": "one line per roll",
}
SHARE, SHARED = "share", "shared"
"""Kinds of documents: the game of a shared address, by the hash of the address's token; and that
hash, by game.
"""
PATH = "g"
MOST_EVENTS = 25_000
"""Maximum number of events of a game on a page. Browsers fail to open longer ones."""
LONG = 1_000_000
"""Characters from which an export is parsed in the worker. Here it would delay all players."""
PAGE_QUEUE_SECONDS = 20.0
"""Seconds for which a page waits for its turn to be built."""
SECONDS = 15.0
"""Maximum seconds to build a page without its facts: several times what a long game needs."""
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


@declare_command(
    "game export",
    "The game as a file: JSON, a page to read and check, CSV of rolls, Markdown",
    EXPORT_FORMAT,
    PAST_GAME,
    example="html",
    private=True,
)
async def export_game(context: Context) -> Reply:
    """Send the game as a file to one of its players.

    Raises UserError if there is no such game, and for a user who does not play it.
    """
    await use_named_game(context, context.clean_options()["game"])
    game = context.need_game()
    need_player(game, context.actor)
    kind = context.clean_options()["format"]
    if kind == "html":
        return _build_file_reply(context, kind, await build_page_file(context))
    file = Packing(f"{build_file_name(game)}.{ENDINGS.get(kind, kind)}")
    async for text in _WRITERS[kind](context):
        await asyncio.to_thread(file.add, text)
    return _build_file_reply(context, kind, file.build_file())


async def build_page_file(context: Context) -> File:
    """Build the after-action page as a file, which is not packed because a browser opens it.

    Only a few pages are built at once, so that the worker stays free for odds. The others wait
    without an export in memory. Raises UserError if the game or the wait is too long.
    """
    check_length(context.game)
    try:
        await asyncio.wait_for(context.pages.acquire(), PAGE_QUEUE_SECONDS)
    except TimeoutError:
        raise UserError(
            "Too many pages are being built right now.", hint="Try again in a minute.", code="busy"
        ) from None
    try:
        export = await export_json(context)
        page = await build_page_text(context, export)
        return File(f"{build_file_name(context.game)}.html", page)
    finally:
        context.pages.release()


def _build_file_reply(context: Context, kind: str, file: File) -> Reply:
    game = context.game
    about = FORMATS.get(kind, "what happened, turn by turn")
    word = {"markdown": "Markdown", "html": "a page"}.get(kind, kind.upper())
    lines: list[str | Phrase] = [f"{game.number} events: {about}."]
    if game.drawn:
        lines.append(phrase("It includes the last seed once that is revealed: `/fair reveal`"))
    return Reply(
        f"{game.name or 'Free play'} as {word}",
        tuple(lines),
        footer=(f"#{game.number}", shorten_hash(context.ledger.head)),
        private=True,
        files=(file,),
    )


def build_file_name(game: Game) -> str:
    """Return the name of a file of this game without its extension: `hill-875`."""
    return re.sub(r"[^a-z0-9]+", "-", game.name.casefold()).strip("-")[:40] or "game"


async def export_json(context: Context) -> str:
    """Return the whole game as JSON, with the events of this command."""
    return "".join([text async for text in stream_json(context)])


async def stream_json(context: Context) -> AsyncIterator[str]:
    """Yield the whole game as JSON, piece by piece, with the events of this command.

    A long log is never held in memory whole, and other commands run between the pieces.
    """
    store = context.store
    ledger = context.ledger
    game = context.game
    stored = game.number - len(ledger.events)
    heading_fields: Json = {
        "name": game.name,
        "system": game.system,
        "exported": format_time(int(context.now)),
    }
    hashes = await _list_packs(context, stored)
    all_packs = await load_packs(store, hashes)
    packs = {hash: files for hash, files in all_packs.items() if not is_private(files)}
    head = ledger.head if game.number else compute_genesis(game.id)
    yield dump_json(build_heading(game.id, head, packs, **heading_fields))[:-1]
    promises = TextPromises()
    between = ""
    yield ',"events":['
    async for rows in _append_new(iterate_events(store, ledger.row, last=stored), ledger.events):
        for row in rows:
            promises.note_event(row)
        yield between + ",".join(
            f'{{"number":{row.number},"hash":{dump_json(row.hash)},"body":{row.body}}}'
            for row in rows
        )
        between = ","
    seeds = {row.epoch: row for row in await store.load_seeds(ledger.row)} | ledger.new_seeds
    persons = {row.person: row for row in await store.load_persons(ledger.row)} | ledger.new_persons
    appendix = build_appendix(game.id, seeds.values(), (), persons.values())
    yield f'],"seeds":{dump_json(appendix["seeds"])},"texts":['
    between = ""
    async for texts in _append_new(iterate_texts(store, ledger.row, stored), ledger.new_texts):
        visible_texts = [dump_json(text_to_json(text)) for text in promises.list_visible(texts)]
        if visible_texts:
            yield between + ",".join(visible_texts)
            between = ","
    yield f'],"persons":{dump_json(appendix["persons"])}}}'


async def _append_new(
    batches: AsyncIterator[Sequence[T]], new_rows: Sequence[T]
) -> AsyncIterator[Sequence[T]]:
    """Yield the stored batches, then the new rows of this command as one batch, if any."""
    async for rows in batches:
        yield rows
    if new_rows:
        yield new_rows


async def _list_packs(context: Context, stored: int) -> list[str]:
    """Return the hashes of the packs that the log names, including opened sealed rolls, each once.

    `stored` is the number of the last event in the store.
    """
    store = context.store
    ledger = context.ledger
    sealed = context.game.sealed
    hashes = dict[str, None]()
    async for rows in _append_new(iterate_events(store, ledger.row, last=stored), ledger.events):
        hashes |= dict.fromkeys(list_pack_hashes(rows))
    async for texts in _append_new(iterate_texts(store, ledger.row, stored), ledger.new_texts):
        opened = (text for text in texts if text.event not in sealed)
        hashes |= dict.fromkeys(list_sealed_pack_hashes(opened))
    return list(hashes)


def dump_json(value: object) -> str:
    """Format a value as compact JSON without ASCII escapes, as exports have it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


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


def check_length(game: Game) -> None:
    """Raise UserError if a game is too long for a page or a picture of its course."""
    if game.number > MOST_EVENTS:
        message = f"This game is too long for that: it has {game.number:,} events, and the limit is {MOST_EVENTS:,}."
        raise UserError(message, hint=phrase("`/game export json` has all of it."), code="too-many")


def list_fact_requests_of_export(export: str, systems: RuleSets) -> dict[int, str]:
    """Return the facts to compute for the page of an exported game (JSON), by event number."""
    return list_fact_requests(json.loads(export), systems)


async def build_page_text(context: Context, export: str) -> str:
    """Build the page of an exported game (JSON). Raises UserError if the worker is too busy."""
    facts = await compute_facts(context, export)
    text: str = await context.run_in_worker(
        build_page_from_text, export, facts, context.systems, seconds=SECONDS
    )
    return text


async def compute_facts(context: Context, export: str, number: int = 0) -> dict[int, str]:
    """Compute the facts of an exported game (JSON), by event number.

    `number` restricts them to one event; 0 means all events.
    """
    if len(export) > LONG:
        requests: dict[int, str] = await context.run_in_worker(
            list_fact_requests_of_export, export, context.systems, seconds=SECONDS
        )
    else:
        requests = await asyncio.to_thread(list_fact_requests_of_export, export, context.systems)
    if number:
        requests = {event: request for event, request in requests.items() if event == number}
    return await FACTS.compute_missing(context.run_in_worker, requests, context.systems)


ENDINGS = {"markdown": "md"}
_WRITERS = {"json": stream_json, "csv": stream_rolls_csv, "markdown": stream_report}


def hash_share_token(token: str) -> str:
    """Return the hash of an address's token, from which nobody can compute the address."""
    return sha256(f"grognard share\n{token}".encode()).hexdigest()


async def find_shared_game(store: Store, key: str) -> str:
    """Return the row id of the game that is now shared under this key; "" if there is none."""
    doc = await store.load_doc(SHARE, key)
    row = str(doc.data["game"]) if doc is not None else ""
    if row and await find_share_key(store, row) == key:
        return row
    return ""


async def find_share_key(store: Store, row: str) -> str:
    """Return the key under which a game is shared; "" if it is not shared."""
    doc = await store.load_doc(SHARED, row)
    return str(doc.data["key"]) if doc is not None else ""


@declare_command(
    "game share",
    "A link for spectators to watch the game live",
    build_flag("off", "end the link"),
    private=True,
    needs_game=True,
)
async def share_game(context: Context) -> Reply:
    """Create a new address for the game, which ends an earlier one, or end it with `off`.

    Raises UserError for a user who may not share the game, and if the bot serves no live pages.
    """
    if context.clean_options()["off"]:
        return await stop_sharing(context)
    _need_share_right(context)
    if not context.address:
        message = "Live pages are off."
        hint = phrase(
            "The host can turn them on (docs/sharing.md). As a file: `/game export html` or `grognard publish`"
        )
        raise UserError(message, hint=hint, code="not-served")
    ledger = context.ledger
    token = create_address()
    key = hash_share_token(token)
    old_key = await find_share_key(context.store, ledger.row)
    if old_key:
        context.commit.drop_docs.append((SHARE, old_key))
    context.commit.docs += [
        Doc(SHARE, key, {"game": ledger.row}),
        Doc(SHARED, ledger.row, {"key": key, "since": int(context.now)}),
    ]
    address = f"{context.address}/{PATH}/{token}"
    context.unstored = lambda reply: replace(
        reply, lines=(Phrase(Address(address)), *reply.lines[1:])
    )
    announcement = Reply(
        f"{context.user_name} shares {format_game_name(context.game)}",
        (
            "Anyone with the link can watch; sealed rolls and orders stay sealed.",
            phrase("To end it: `/game share off`"),
        ),
    )
    return Reply(
        f"Anyone with this link can watch {format_game_name(context.game)}",
        (
            phrase(
                "The link was shown only once. `/game share` makes a new one, and the old one stops working."
            ),
            "The page follows the game live, shows nothing that is sealed, and collects nothing from spectators.",
            *(("The earlier link no longer works.",) if old_key else ()),
        ),
        private=True,
        announce=None if old_key else announcement,
        buttons=(context.build_button("unshare", "Stop sharing", style="danger"),),
    )


@declare_button("unshare", of=ButtonOf.GAME, private=True)
async def stop_sharing(context: Context) -> Reply:
    """End the address of the game, and tell the players.

    Raises UserError if the game is not shared, and for a user who may not share it.
    """
    _need_share_right(context)
    if not await delete_share(context):
        raise UserError(
            "This game is not shared.", hint=phrase("Share it: `/game share`"), code="not-shared"
        )
    announcement = Reply(f"{context.user_name} no longer shares {format_game_name(context.game)}")
    return Reply("The link no longer works", private=True, announce=announcement)


async def delete_share(context: Context) -> bool:
    """Delete the address of the game. Return whether there was one."""
    key = await find_share_key(context.store, context.ledger.row)
    if not key:
        return False
    context.commit.drop_docs += [(SHARED, context.ledger.row)]
    if await context.store.load_doc(SHARE, key) is not None:
        context.commit.drop_docs.append((SHARE, key))
    return True


def _need_share_right(context: Context) -> None:
    """Raise UserError if this user may not show the game to the world.

    The game master may, and so may a manager before the start.
    """
    game = context.need_game()
    may_share = context.actor.directs or (not game.started and context.can_manage)
    if not may_share:
        message = "Only the game master or a manager can share it."
        raise UserError(
            message, hint=phrase("`/game status` shows who is game master."), code="not-master"
        )


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
