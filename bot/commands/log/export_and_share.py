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

from bot.answers.events import retold, texts_of
from bot.answers.story import story
from bot.commands.channel_games import named, turn_to
from bot.commands.context import Context
from bot.game.decks import card_names
from bot.game.events import OUTCOMES, note_undo
from bot.game.loaded import BATCH, in_batches, texts_in_batches
from bot.game.phases import phase_title
from bot.game.rights import need_player
from bot.game.roster import described, in_order
from bot.game.state import Game, Json
from bot.interface.reply.packing import Packing
from bot.interface.reply.reply import File, Reply
from bot.process.entropy import new_address
from bot.report.facts import FACTS, asked
from bot.report.page import page_of
from bot.rules.errors import UserError
from bot.rules.proof.chain import SAID, SEALED, genesis, short
from bot.rules.text.phrase import Address, Phrase, phrase
from bot.stores.records import Doc, TextRow
from bot.stores.store import Store
from bot.systems.packs.pack import is_private
from bot.verification.export import Promises, behind, heading, text_json
from bot.verification.packs_of_game import hashes_of, hashes_sealed, packs_at

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
class Beside:
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


async def export(context: Context) -> Reply:
    """The game as a file, for those who play in it."""
    await turn_to(context, context.options()["game"])
    game = context.need_game()
    need_player(game, context.actor)
    kind = context.options()["format"]
    if kind == "html":
        return _reply(context, kind, await page_file(context))
    file = Packing(f"{file_name(game)}.{ENDINGS.get(kind, kind)}")
    async for text in _WRITERS[kind](context):
        await asyncio.to_thread(file.add, text)
    return _reply(context, kind, file.file())


async def page_file(context: Context) -> File:
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
            f"{file_name(context.game)}.html", await page_text(context, await export_json(context))
        )
    finally:
        context.pages.release()


def _reply(context: Context, kind: str, file: File) -> Reply:
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
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
        files=(file,),
    )


def file_name(game: Game) -> str:
    """What a file of this game is called, without its ending: `hill-875`."""
    return re.sub(r"[^a-z0-9]+", "-", game.name.casefold()).strip("-")[:40] or "game"


async def export_json(context: Context) -> str:
    """The whole game as JSON, as it is with what this command writes."""
    return "".join([text async for text in json_parts(context)])


async def json_parts(context: Context) -> AsyncIterator[str]:
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
        "exported": time_text(int(context.now)),
    }
    hashes = await _list_packs(context, stored)
    packs = {
        hash: files
        for hash, files in (await packs_at(store, hashes)).items()
        if not is_private(files)
    }
    head = ledger.head if game.number else genesis(game.id)
    yield dumped(heading(game.id, head, packs, **about))[:-1]
    promises = Promises()
    between = ""
    yield ',"events":['
    async for rows in _with_new(in_batches(store, ledger.row, before=stored + 1), ledger.events):
        for row in rows:
            promises.see(row)
        yield between + ",".join(
            f'{{"number":{row.number},"hash":{dumped(row.hash)},"body":{row.body}}}' for row in rows
        )
        between = ","
    seeds = {row.epoch: row for row in await store.seeds(ledger.row)} | ledger.new_seeds
    persons = {row.person: row for row in await store.persons(ledger.row)} | ledger.new_persons
    last = behind(game.id, seeds.values(), (), persons.values())
    yield f'],"seeds":{dumped(last["seeds"])},"texts":['
    between = ""
    async for texts in _with_new(texts_in_batches(store, ledger.row, stored), ledger.new_texts):
        if shown := [dumped(text_json(text)) for text in promises.shown(texts)]:
            yield between + ",".join(shown)
            between = ","
    yield f'],"persons":{dumped(last["persons"])}}}'


async def _with_new(
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
    async for rows in _with_new(in_batches(store, ledger.row, before=stored + 1), ledger.events):
        hashes |= dict.fromkeys(hashes_of(rows))
    async for texts in _with_new(texts_in_batches(store, ledger.row, stored), ledger.new_texts):
        opened = (text for text in texts if text.event not in sealed)
        hashes |= dict.fromkeys(hashes_sealed(opened))
    return list(hashes)


def dumped(value: object) -> str:
    """JSON as it is in files."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def rolls_csv(context: Context) -> AsyncIterator[str]:
    """One line per roll, table and sequence; sealed ones once they have been opened."""
    yield csv_head()
    async for text in _written(context, csv_lines):
        yield text


async def report(context: Context) -> AsyncIterator[str]:
    """The after-action report: what happened by turn and phase, and how the sides are."""
    game = context.game
    lines = [f"# {plain(game.name or 'Free play')}", ""]
    if context.system is not None:
        lines += [f"*{plain(context.system.title)}*", ""]
    for side in game.sides:
        players = context.ledger.players_of(side)
        lines.append(f"- **{plain(side)}**: {plain(', '.join(players) or 'nobody')}")
    yield "".join(f"{line}\n" for line in (*lines, ""))
    async for text in _written(context, story_lines):
        yield text
    where = "The end" if game.ended else phase_title(game, context.system)
    lines = ["", f"## {plain(where or 'Now')}", ""]
    lines += [
        f"- {plain(unit.side)}{' ' if unit.side else ''}{plain(described(unit))}"
        for unit in in_order(game.units.values())
    ]
    yield "".join(f"{line}\n" for line in (*lines, "", f"Head of the log: `{context.ledger.head}`"))


async def _written(
    context: Context, write: Callable[[list[str], Beside], str]
) -> AsyncIterator[str]:
    """The log written out some events at a time: a long one in the worker, so that it keeps
    nobody waiting.
    """
    store = context.store
    row = context.ledger.row
    game = context.game
    undone: set[int] = set()
    async for rows in in_batches(store, row, before=game.number + 1):
        for event in (row.data for row in rows if '"undo"' in row.body or '"redo"' in row.body):
            note_undo(undone, event)
    beside = Beside(
        {person: context.ledger.name_of(person) for person in context.ledger.persons}, game.sides
    )
    run = context.apart if game.number > BATCH else asyncio.to_thread
    of_sealed: list[TextRow] = []  # labels that are told when the roll is opened, batches later
    async for rows in in_batches(store, row, before=game.number + 1):
        texts = await store.texts(row, after=rows[0].number - 1, before=rows[-1].number + 1)
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
        told = texts_of(
            (
                event.data
                for event in rows
                if event.number in with_text
                or any(word in event.body for word in ('"reveal"', '"does":', '"led":'))
            ),
            [*of_sealed, *texts],
            game.sealed,
            card_names(game, context.system),
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


def asked_of(export: str) -> dict[int, str]:
    """What has to be worked out for the page of an exported game (as JSON), by event."""
    return asked(json.loads(export))


async def page_text(context: Context, export: str) -> str:
    """The page of an exported game (as JSON). Raises UserError where the worker is too busy."""
    facts = await facts_for(context, export)
    text: str = await context.apart(page_of, export, facts, seconds=SECONDS)
    return text


async def facts_for(context: Context, export: str, number: int = 0) -> dict[int, str]:
    """The facts of an exported game (as JSON), by event; with a number those of one event."""
    if len(export) > LONG:
        asks: dict[int, str] = await context.apart(asked_of, export, seconds=SECONDS)
    else:
        asks = await asyncio.to_thread(asked_of, export)
    return await FACTS.learn(
        context.apart, {at: ask for at, ask in asks.items() if number in (0, at)}
    )


ENDINGS = {"markdown": "md"}
_WRITERS = {"json": json_parts, "csv": rolls_csv, "markdown": report}


def key_of(token: str) -> str:
    """What is kept of an address: from it nobody finds the address again."""
    return sha256(f"grognard share\n{token}".encode()).hexdigest()


async def row_of(store: Store, key: str) -> str:
    """The game that is shared under a key; "" where none is, or no longer."""
    found = await store.doc(SHARE, key)
    row = str(found.data["game"]) if found is not None else ""
    return row if row and await shared_as(store, row) == key else ""


async def shared_as(store: Store, row: str) -> str:
    """The key under which a game is shared; "" where it is not."""
    found = await store.doc(SHARED, row)
    return str(found.data["key"]) if found is not None else ""


async def share(context: Context) -> Reply:
    """Make an address for the game, in place of the one before, or end it. Raises UserError."""
    if context.options()["off"]:
        return await stop(context)
    _need_right(context)
    if not context.address:
        what = "This bot serves no live pages."
        hint = phrase(
            "Its host can: docs/sharing.md. As a file: `/game export html` or `grognard publish`"
        )
        raise UserError(what, hint=hint, code="not-served")
    ledger = context.ledger
    token = new_address()
    before = await shared_as(context.store, ledger.row)
    if before:
        context.commit.drop_docs.append((SHARE, before))
    context.commit.docs += [
        Doc(SHARE, key_of(token), {"game": ledger.row}),
        Doc(SHARED, ledger.row, {"key": key_of(token), "since": int(context.now)}),
    ]
    address = f"{context.address}/{PATH}/{token}"
    context.unstored = lambda reply: replace(
        reply, lines=(Phrase(Address(address)), *reply.lines[1:])
    )
    told = Reply(
        f"{context.who} shares {named(context.game)}",
        (
            "Anyone with the address can watch; sealed rolls and orders stay sealed.",
            phrase("To end it: `/game share off`"),
        ),
    )
    return Reply(
        f"Whoever has this address can watch {named(context.game)}",
        (
            phrase(
                "Its address was shown once. `/game share` makes a new one, and the old one stops working."
            ),
            "It follows the game as it goes on, shows nothing that is sealed, and takes nothing from those who watch.",
            *(("The address of before has ended.",) if before else ()),
        ),
        private=True,
        announce=None if before else told,
        buttons=(context.button("unshare", "Stop sharing", style="danger"),),
    )


async def stop(context: Context, _about: str = "") -> Reply:
    """End the address; whoever watches is told so. Raises UserError."""
    _need_right(context)
    if not await forget(context):
        raise UserError(
            "This game is not shared.", hint=phrase("Share it: `/game share`"), code="not-shared"
        )
    told = Reply(f"{context.who} no longer shares {named(context.game)}")
    return Reply("The address has ended", private=True, announce=told)


async def forget(context: Context) -> bool:
    """Drop the address of the game, also where it is deleted; whether there was one."""
    key = await shared_as(context.store, context.ledger.row)
    if not key:
        return False
    context.commit.drop_docs += [(SHARED, context.ledger.row)]
    if await context.store.doc(SHARE, key) is not None:
        context.commit.drop_docs.append((SHARE, key))
    return True


def _need_right(context: Context) -> None:
    """Raise UserError for who does not direct the game: it is shown to the world."""
    game = context.need_game()
    actor = context.actor
    if not (actor.directs or (not game.started and context.keeps)):
        what = "Only the game master or a manager can share it."
        raise UserError(
            what, hint=phrase("`/game status` says who is game master."), code="not-master"
        )


def csv_lines(bodies: Sequence[str], beside: Beside) -> str:
    """One line per roll, table and sequence; sealed ones once they have been opened."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for event in map(json.loads, bodies):
        number = event["number"]
        if is_sealed := number in beside.opened:
            event = {**event, **json.loads(beside.opened[number])}
        if event["kind"] in OUTCOMES:
            writer.writerow(_row(event, beside, is_sealed=is_sealed))
    return out.getvalue()


def csv_head() -> str:
    """The line with the names of the columns."""
    return f"{','.join(COLUMNS)}\n"


def _row(event: Json, beside: Beside, *, is_sealed: bool) -> list[object]:
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
    told = retold(event, beside.name_of, label, beside.sides).sentence
    return [
        number,
        time_text(event["at"]),
        *map(_cell, cells),
        dice,
        _cell(result),
        _cell(told),
        " ".join(marks),
    ]


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "@", "-", "\t") else text


def story_lines(bodies: Sequence[str], beside: Beside) -> str:
    """The story of some events as lines of Markdown, each with its line break; it goes on with
    the next events.
    """
    lines = []
    for chapter in story(
        map(json.loads, bodies), beside.name_of, beside.texts, beside.sides, beside.undone
    ):
        lines += ["", f"## {plain(chapter.heading)}", ""] if chapter.heading else []
        for told in chapter.told:
            sentence = plain(told.sentence)
            said = (
                f"~~{sentence}~~ (undone)"
                if told.undone
                else f"**{sentence}**"
                if told.grave
                else sentence
            )
            lines.append(f"- #{told.number} {said}{f' {plain(told.dice)}' if told.dice else ''}")
    return "".join(f"{line}\n" for line in lines)


def plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)


def time_text(at: int) -> str:
    """A time as files have it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
