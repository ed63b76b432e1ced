"""`/game export`: the whole game as JSON, its rolls as CSV, the story as Markdown; `/game share`:
an address at which anybody who has it can watch the game, until it is ended."""

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
from bot.game.decks import get_card_names
from bot.game.events import OUTCOMES, note_undo
from bot.game.game_cache import BATCH, iterate_events, iterate_texts
from bot.game.phases import format_phase_title
from bot.game.rights import need_player
from bot.game.roster import describe_unit, sort_units
from bot.game.state import Game, Json
from bot.presentation.events import collect_event_texts, describe_event
from bot.presentation.story import build_chapters
from bot.report.event_odds import FACTS, list_fact_requests
from bot.report.page import build_page_from_text
from bot.rules.errors import UserError
from bot.rules.proof.chain import SAID, SEALED, compute_genesis, shorten_hash
from bot.rules.text.phrase import Address, Phrase, phrase
from bot.rulesets.packs.pack import is_private
from bot.runtime.entropy import create_address
from bot.storage.records import Doc, TextRow
from bot.storage.store import Store
from bot.ui.reply.packing import Packing
from bot.ui.reply.reply import File, Reply
from bot.verification.export import TextPromises, build_appendix, build_heading, text_to_json
from bot.verification.packs_of_game import list_pack_hashes, list_sealed_pack_hashes, load_packs

T = TypeVar("T")
FORMATS = {
    "json": "it can be imported again, and checked with grognard verify",
    "html": "open it in any browser, and press Check the dice",
    "csv": "one line per roll",
}
SHARE, SHARED = "share", "shared"
"""Documents: the game behind an address, by the hash of what cannot be guessed in it; and that
hash, by game.
"""
PATH = "g"
MOST_EVENTS = 25_000
"""A game with more is no page that a browser would open."""
LONG = 1_000_000
"""Characters of an export from which it is read beside the bot, too: here it would hold
everybody up.
"""
PATIENCE = 20.0
"""Seconds for which a page waits for its turn to be built."""
SECONDS = 15.0
"""What the making of a page may take in one go, beside the facts: several times what a long game
needs.
"""
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
"""Of a CSV of the log."""


@dataclass(frozen=True, slots=True)
class EventContext:
    """What has to be known beside some events to write them out: the names of persons, the sides of
    the game, the texts written with these events, which of them are undone, and what was sealed in
    those that are open now."""

    names: Mapping[str, str]
    sides: tuple[str, ...]
    texts: Mapping[int, str] = field(default_factory=dict)
    undone: Collection[int] = ()
    opened: Mapping[int, str] = field(default_factory=dict)

    def name_of(self, person: str) -> str:
        """The name of a person."""
        return self.names.get(person, "someone")


async def export_game(context: Context) -> Reply:
    """The game as a file, for those who play in it."""
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
    """Build the after-action page; a browser opens it, so it is sent as it is.

    Only a few are built at once: the others hold no export while they wait, and leave the worker
    free for odds. Raises UserError for too long a game, and if the line is too long.
    """
    check_length(context.game)
    try:
        await asyncio.wait_for(context.pages.acquire(), PATIENCE)
    except TimeoutError:
        raise UserError(
            "Many pages are being built just now.", hint="Try again in a minute.", code="busy"
        ) from None
    try:
        return File(
            f"{build_file_name(context.game)}.html",
            await build_page_text(context, await export_json(context)),
        )
    finally:
        context.pages.release()


def _build_file_reply(context: Context, kind: str, file: File) -> Reply:
    game = context.game
    about = FORMATS.get(kind, "what happened, turn by turn")
    word = {"markdown": "Markdown", "html": "a page"}.get(kind, kind.upper())
    return Reply(
        f"{game.name or 'Free play'} as {word}",
        (
            f"{game.number} events: {about}.",
            *(
                (phrase("Its last seed is in it once it is revealed: `/fair reveal`"),)
                if game.drawn
                else ()
            ),
        ),
        footer=(f"#{game.number}", shorten_hash(context.ledger.head)),
        private=True,
        files=(file,),
    )


def build_file_name(game: Game) -> str:
    """What a file of this game is called, without its ending: `hill-875`."""
    return re.sub(r"[^a-z0-9]+", "-", game.name.casefold()).strip("-")[:40] or "game"


async def export_json(context: Context) -> str:
    """The whole game as JSON, as it is with what this command writes."""
    return "".join([text async for text in stream_json(context)])


async def stream_json(context: Context) -> AsyncIterator[str]:
    """The whole game as JSON, piece by piece: a long log is never held whole, and holds up
    nobody.
    """
    store = context.store
    ledger = context.ledger
    game = context.game
    stored = game.number - len(ledger.events)
    about: Json = {
        "name": game.name,
        "system": game.system,
        "exported": format_time(int(context.now)),
    }
    hashes = await _list_packs(context, stored)
    packs = {
        hash: files
        for hash, files in (await load_packs(store, hashes)).items()
        if not is_private(files)
    }
    head = ledger.head if game.number else compute_genesis(game.id)
    yield dump_json(build_heading(game.id, head, packs, **about))[:-1]
    promises = TextPromises()
    between = ""
    yield ',"events":['
    async for rows in _append_new(
        iterate_events(store, ledger.row, before=stored + 1), ledger.events
    ):
        for row in rows:
            promises.note_event(row)
        yield between + ",".join(
            f'{{"number":{row.number},"hash":{dump_json(row.hash)},"body":{row.body}}}'
            for row in rows
        )
        between = ","
    seeds = {row.epoch: row for row in await store.load_seeds(ledger.row)} | ledger.new_seeds
    persons = {row.person: row for row in await store.load_persons(ledger.row)} | ledger.new_persons
    last = build_appendix(game.id, seeds.values(), (), persons.values())
    yield f'],"seeds":{dump_json(last["seeds"])},"texts":['
    between = ""
    async for texts in _append_new(iterate_texts(store, ledger.row, stored), ledger.new_texts):
        if shown := [dump_json(text_to_json(text)) for text in promises.list_visible(texts)]:
            yield between + ",".join(shown)
            between = ","
    yield f'],"persons":{dump_json(last["persons"])}}}'


async def _append_new(
    batches: AsyncIterator[Sequence[T]], new: Sequence[T]
) -> AsyncIterator[Sequence[T]]:
    """What is stored, then what this command writes."""
    async for rows in batches:
        yield rows
    if new:
        yield new


async def _list_packs(context: Context, stored: int) -> list[str]:
    """Return the pack versions that the log names, each once, also those in sealed rolls that
    were opened.
    """
    store = context.store
    ledger = context.ledger
    sealed = context.game.sealed
    hashes = dict[str, None]()
    async for rows in _append_new(
        iterate_events(store, ledger.row, before=stored + 1), ledger.events
    ):
        hashes |= dict.fromkeys(list_pack_hashes(rows))
    async for texts in _append_new(iterate_texts(store, ledger.row, stored), ledger.new_texts):
        opened = (text for text in texts if text.event not in sealed)
        hashes |= dict.fromkeys(list_sealed_pack_hashes(opened))
    return list(hashes)


def dump_json(value: object) -> str:
    """JSON as it is in files."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def stream_rolls_csv(context: Context) -> AsyncIterator[str]:
    """One line per roll, table and sequence; sealed ones once they have been opened."""
    yield format_csv_head()
    async for text in _stream_log(context, format_csv_lines):
        yield text


async def stream_report(context: Context) -> AsyncIterator[str]:
    """The after-action report: what happened by turn and phase, and how the sides are."""
    game = context.game
    lines = [f"# {escape_markdown(game.name or 'Free play')}", ""]
    if context.system is not None:
        lines += [f"*{escape_markdown(context.system.title)}*", ""]
    for side in game.sides:
        players = context.ledger.list_players(side)
        lines.append(
            f"- **{escape_markdown(side)}**: {escape_markdown(', '.join(players) or 'nobody')}"
        )
    yield "".join(f"{line}\n" for line in (*lines, ""))
    async for text in _stream_log(context, format_story_lines):
        yield text
    where = "The end" if game.ended else format_phase_title(game, context.system)
    lines = ["", f"## {escape_markdown(where or 'Now')}", ""]
    lines += [
        f"- {escape_markdown(unit.side)}{' ' if unit.side else ''}{escape_markdown(describe_unit(unit))}"
        for unit in sort_units(game.units.values())
    ]
    yield "".join(f"{line}\n" for line in (*lines, "", f"Head of the log: `{context.ledger.head}`"))


async def _stream_log(
    context: Context, write: Callable[[list[str], EventContext], str]
) -> AsyncIterator[str]:
    """The log written out some events at a time: a long one in the worker, so that it keeps
    nobody waiting.
    """
    store = context.store
    row = context.ledger.row
    game = context.game
    undone: set[int] = set()
    async for rows in iterate_events(store, row, before=game.number + 1):
        for event in (row.data for row in rows if '"undo"' in row.body or '"redo"' in row.body):
            note_undo(undone, event)
    beside = EventContext(
        {person: context.ledger.get_name(person) for person in context.ledger.persons}, game.sides
    )
    run = context.run_in_worker if game.number > BATCH else asyncio.to_thread
    of_sealed: list[TextRow] = []  # labels that are told when the roll is opened, batches later
    async for rows in iterate_events(store, row, before=game.number + 1):
        texts = await store.load_texts(row, after=rows[0].number - 1, before=rows[-1].number + 1)
        bodies = {event.number: event.body for event in rows}
        opened = {
            text.event: text.text
            for text in texts
            if text.key == SEALED and text.event not in game.sealed
        }
        with_text = {text.event for text in texts if text.key != SAID}
        of_sealed += [
            text for text in texts if text.key == "label" and '"sealed":' in bodies[text.event]
        ]
        # words of cards
        of_sealed += [text for text in texts if '"kind":"deck"' in bodies[text.event]]
        told = collect_event_texts(
            (
                event.data
                for event in rows
                if event.number in with_text
                or any(word in event.body for word in ('"reveal"', '"does":', '"led":'))
            ),
            [*of_sealed, *texts],
            game.sealed,
            get_card_names(game, context.system),
        )
        gone = [event.number for event in rows if event.number in undone]
        yield await run(
            write,
            [event.body for event in rows],
            replace(beside, texts=told, undone=gone, opened=opened),
        )


def check_length(game: Game) -> None:
    """Raise UserError for a game that is too long for a page, or a picture of its course."""
    if game.number > MOST_EVENTS:
        what = f"This game is too long for that: it has {game.number:,} events, and {MOST_EVENTS:,} is the most."
        raise UserError(what, hint=phrase("`/game export json` has all of it."), code="too-many")


def list_fact_requests_of_export(export: str) -> dict[int, str]:
    """What has to be worked out for the page of an exported game (as JSON), by event."""
    return list_fact_requests(json.loads(export))


async def build_page_text(context: Context, export: str) -> str:
    """The page of an exported game (as JSON). Raises UserError where the worker is too busy."""
    facts = await compute_facts(context, export)
    text: str = await context.run_in_worker(build_page_from_text, export, facts, seconds=SECONDS)
    return text


async def compute_facts(context: Context, export: str, number: int = 0) -> dict[int, str]:
    """The facts of an exported game (as JSON), by event; with a number those of one event."""
    if len(export) > LONG:
        asks: dict[int, str] = await context.run_in_worker(
            list_fact_requests_of_export, export, seconds=SECONDS
        )
    else:
        asks = await asyncio.to_thread(list_fact_requests_of_export, export)
    return await FACTS.compute_missing(
        context.run_in_worker, {at: ask for at, ask in asks.items() if number in (0, at)}
    )


ENDINGS = {"markdown": "md"}
_WRITERS = {"json": stream_json, "csv": stream_rolls_csv, "markdown": stream_report}


def hash_share_token(token: str) -> str:
    """What is kept of an address: from it nobody finds the address again."""
    return sha256(f"grognard share\n{token}".encode()).hexdigest()


async def find_shared_game(store: Store, key: str) -> str:
    """The game that is shared under a key; "" where none is, or no longer."""
    found = await store.load_doc(SHARE, key)
    row = str(found.data["game"]) if found is not None else ""
    return row if row and await find_share_key(store, row) == key else ""


async def find_share_key(store: Store, row: str) -> str:
    """The key under which a game is shared; "" where it is not."""
    found = await store.load_doc(SHARED, row)
    return str(found.data["key"]) if found is not None else ""


async def share_game(context: Context) -> Reply:
    """Make an address for the game, in place of the one before, or end it. Raises UserError."""
    if context.clean_options()["off"]:
        return await stop_sharing(context)
    _need_share_right(context)
    if not context.address:
        what = "This bot serves no live pages."
        hint = phrase(
            "Its host can: docs/sharing.md. As a file: `/game export html` or `grognard publish`"
        )
        raise UserError(what, hint=hint, code="not-served")
    ledger = context.ledger
    token = create_address()
    before = await find_share_key(context.store, ledger.row)
    if before:
        context.commit.drop_docs.append((SHARE, before))
    context.commit.docs += [
        Doc(SHARE, hash_share_token(token), {"game": ledger.row}),
        Doc(SHARED, ledger.row, {"key": hash_share_token(token), "since": int(context.now)}),
    ]
    address = f"{context.address}/{PATH}/{token}"
    context.unstored = lambda reply: replace(
        reply, lines=(Phrase(Address(address)), *reply.lines[1:])
    )
    told = Reply(
        f"{context.user_name} shares {format_game_name(context.game)}",
        (
            "Anyone with the address can watch; sealed rolls and orders stay sealed.",
            phrase("To end it: `/game share off`"),
        ),
    )
    return Reply(
        f"Whoever has this address can watch {format_game_name(context.game)}",
        (
            phrase(
                "Its address was shown once. `/game share` makes a new one, and the old one stops working."
            ),
            "It follows the game as it goes on, shows nothing that is sealed, and takes nothing from those who watch.",
            *(("The address of before has ended.",) if before else ()),
        ),
        private=True,
        announce=None if before else told,
        buttons=(context.build_button("unshare", "Stop sharing", style="danger"),),
    )


async def stop_sharing(context: Context, _about: str = "") -> Reply:
    """End the address; whoever watches is told so. Raises UserError."""
    _need_share_right(context)
    if not await delete_share(context):
        raise UserError(
            "This game is not shared.", hint=phrase("Share it: `/game share`"), code="not-shared"
        )
    told = Reply(f"{context.user_name} no longer shares {format_game_name(context.game)}")
    return Reply("The address has ended", private=True, announce=told)


async def delete_share(context: Context) -> bool:
    """Drop the address of the game, also where it is deleted; whether there was one."""
    key = await find_share_key(context.store, context.ledger.row)
    if not key:
        return False
    context.commit.drop_docs += [(SHARED, context.ledger.row)]
    if await context.store.load_doc(SHARE, key) is not None:
        context.commit.drop_docs.append((SHARE, key))
    return True


def _need_share_right(context: Context) -> None:
    """Raise UserError for who does not direct the game: it is shown to the world."""
    game = context.need_game()
    actor = context.actor
    if not (actor.directs or (not game.started and context.can_manage)):
        what = "Only the game master or a manager can share it."
        raise UserError(
            what, hint=phrase("`/game status` says who is game master."), code="not-master"
        )


def format_csv_lines(bodies: Sequence[str], beside: EventContext) -> str:
    """One line per roll, table and sequence; sealed ones once they have been opened."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for event in map(json.loads, bodies):
        number = event["number"]
        if is_sealed := number in beside.opened:
            event = {**event, **json.loads(beside.opened[number])}
        if event["kind"] in OUTCOMES:
            writer.writerow(_build_csv_row(event, beside, is_sealed=is_sealed))
    return out.getvalue()


def format_csv_head() -> str:
    """The line with the names of the columns."""
    return f"{','.join(COLUMNS)}\n"


def _build_csv_row(event: Json, beside: EventContext, *, is_sealed: bool) -> list[object]:
    number = event["number"]
    label = beside.texts.get(number, "")
    marked = {"hand": event.get("hand"), "undone": number in beside.undone, "sealed": is_sealed}
    marks = [word for word, is_set in marked.items() if is_set]
    typed = {**event.get("inputs", {}), **event.get("read", {})}
    inputs = " ".join(f"{key}={value}" for key, value in typed.items())
    dice = " ".join(str(die["value"]) for die in event.get("dice", ()))
    cells = [
        beside.name_of(event["who"]),
        event["side"],
        event["kind"],
        event.get("command", "choose"),
        label,
        inputs,
    ]
    result = str(event.get("result", ""))
    told = describe_event(event, beside.name_of, label, beside.sides).sentence
    return [
        number,
        format_time(event["at"]),
        *map(_escape_cell, cells),
        dice,
        _escape_cell(result),
        _escape_cell(told),
        " ".join(marks),
    ]


def _escape_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "@", "-", "\t") else text


def format_story_lines(bodies: Sequence[str], beside: EventContext) -> str:
    """The story of some events as lines of Markdown, each with its line break; it goes on with
    the next events.
    """
    lines = []
    for chapter in build_chapters(
        map(json.loads, bodies), beside.name_of, beside.texts, beside.sides, beside.undone
    ):
        lines += ["", f"## {escape_markdown(chapter.heading)}", ""] if chapter.heading else []
        for told in chapter.told:
            sentence = escape_markdown(told.sentence)
            said = (
                f"~~{sentence}~~ (undone)"
                if told.undone
                else f"**{sentence}**"
                if told.grave
                else sentence
            )
            lines.append(
                f"- #{told.number} {said}{f' {escape_markdown(told.dice)}' if told.dice else ''}"
            )
    return "".join(f"{line}\n" for line in lines)


def escape_markdown(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)


def format_time(at: int) -> str:
    """A time as files have it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
