"""`/game export`: the whole game as JSON, its rolls as CSV, the story as Markdown."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from bot.audit.export import export_game
from bot.audit.packs import packs_of
from bot.commands.context import Context
from bot.commands.played import turn_to
from bot.game.events import ROLLS, undone_events
from bot.game.phases import phase_title
from bot.game.rights import need_player
from bot.game.roster import described, in_order
from bot.game.state import Game, Json
from bot.game.summary import NameOf
from bot.interface.packing import packed_file
from bot.interface.reply import File, Reply
from bot.play.retold import retold, texts_of
from bot.play.story import story
from bot.rules.phrase import phrase
from bot.rules.proof.chain import short
from bot.rules.proof.export_format import SEALED

FORMATS = {
    "json": "it can be imported again, and checked with grognard verify",
    "html": "open it in any browser, and press Check the dice",
    "csv": "one line per roll",
}
COLUMNS = ("event", "time", "who", "side", "kind", "command", "label", "inputs", "dice", "result", "told", "marks")


async def export(context: Context) -> Reply:
    """The game as a file, for those who play in it."""
    await turn_to(context, context.options()["game"])
    game = context.need_game()
    need_player(game, context.actor)
    kind, store, row = context.options()["format"], context.store, context.ledger.row
    if kind == "html":
        return await _page(context)
    rows = await store.events(row, before=game.number + 1)
    texts = await store.texts(row)
    events = await asyncio.to_thread(lambda: [event.data for event in rows] if kind != "json" else [])
    closed = game.sealed
    if kind == "json":
        content = await export_json(context)
    elif kind == "csv":
        opened = {text.event: text.text for text in texts if text.key == SEALED and text.event not in closed}
        content = await asyncio.to_thread(
            rolls_csv, events, context.ledger.name_of, texts_of(events, texts, closed), opened, game.sides
        )
    else:
        content = await asyncio.to_thread(report, context, events, texts_of(events, texts, closed))
    suffix = {"markdown": "md"}.get(kind, kind)
    return _reply(context, kind, packed_file(f"{file_name(game)}.{suffix}", content))


async def _page(context: Context) -> Reply:
    """The after-action page; a browser opens it, so it is sent as it is."""
    from bot.commands.reporting import page_text

    text = await page_text(context, await export_json(context))
    return _reply(context, "html", File(f"{file_name(context.game)}.html", text))


def _reply(context: Context, kind: str, file: File) -> Reply:
    game, about = context.game, FORMATS.get(kind, "what happened, turn by turn")
    word = {"markdown": "Markdown", "html": "a page"}.get(kind, kind.upper())
    return Reply(
        f"{game.name or 'Free play'} as {word}",
        (f"{game.number} events: {about}.", phrase("Seeds not yet revealed (`/fair reveal`) are left out.")),
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
        files=(file,),
    )


def file_name(game: Game) -> str:
    """What a file of this game is called, without its ending: `hill-875`."""
    return re.sub(r"[^a-z0-9]+", "-", game.name.casefold()).strip("-")[:40] or "game"


async def export_json(context: Context) -> str:
    """The whole game as JSON, as it is with what this command writes."""
    store, ledger, game = context.store, context.ledger, context.game
    rows = [*await store.events(ledger.row, before=game.number - len(ledger.events) + 1), *ledger.events]
    texts = [*await store.texts(ledger.row), *ledger.new_texts]
    seeds = {row.epoch: row for row in await store.seeds(ledger.row)} | ledger.new_seeds
    persons = {row.person: row for row in await store.persons(ledger.row)} | ledger.new_persons
    about: Json = {"name": game.name, "system": game.system, "exported": _time(int(context.now))}
    opened = [text for text in texts if text.event not in game.sealed]
    packs = await packs_of(store, rows, opened)
    whole = partial(export_game, game.id, rows, seeds.values(), texts, persons.values(), packs=packs, **about)
    return await asyncio.to_thread(lambda: written(whole()))


def written(whole: Json) -> str:
    """JSON, entry by entry: a long log must not hold up everybody else for as long as one call takes."""
    parts = []
    for key, value in whole.items():
        if isinstance(value, list):
            parts.append(f"{json.dumps(key)}:[{','.join(_dumped(item) for item in value)}]")
        else:
            parts.append(f"{json.dumps(key)}:{_dumped(value)}")
    return "{" + ",".join(parts) + "}"


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rolls_csv(
    events: Sequence[Json],
    name_of: NameOf,
    labels: Mapping[int, str],
    opened: Mapping[int, str],
    sides: tuple[str, ...] = (),
) -> str:
    """One line per roll, table and sequence; sealed ones once they have been opened (`opened`: their content)."""
    undone, out = undone_events(events), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for event in events:
        number = event["number"]
        is_sealed = number in opened
        if is_sealed:
            event = {**event, **json.loads(opened[number])}
        if event["kind"] not in ROLLS:
            continue
        marked = {"hand": event.get("hand"), "undone": number in undone, "sealed": is_sealed}
        marks = [word for word, is_set in marked.items() if is_set]
        inputs = " ".join(f"{key}={value}" for key, value in event.get("inputs", {}).items())
        dice = " ".join(str(die["value"]) for die in event.get("dice", ()))
        cells = [name_of(event["who"]), event["side"], event["kind"], event["command"], labels.get(number, ""), inputs]
        result = str(event.get("result", ""))
        told = retold(event, name_of, labels.get(number, ""), sides).sentence
        row = [number, _time(event["at"]), *map(_cell, cells), dice, _cell(result), _cell(told), " ".join(marks)]
        writer.writerow(row)
    return out.getvalue()


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "@", "-", "\t") else text


def report(context: Context, events: Sequence[Json], texts: Mapping[int, str]) -> str:
    """The after-action report: what happened by turn and phase, and how the sides are."""
    game, name_of = context.game, context.ledger.name_of
    lines = [f"# {_plain(game.name or 'Free play')}", ""]
    if context.system is not None:
        lines += [f"*{_plain(context.system.title)}*", ""]
    for side in game.sides:
        players = [name_of(person) for person, theirs in game.players.items() if theirs == side]
        lines.append(f"- **{_plain(side)}**: {_plain(', '.join(players) or 'nobody')}")
    lines.append("")
    for chapter in story(events, name_of, texts, game.sides, undone_events(events)):
        lines += ["", f"## {_plain(chapter.heading)}", ""] if chapter.heading else []
        for told in chapter.told:
            sentence = _plain(told.sentence)
            said = f"~~{sentence}~~ (undone)" if told.undone else f"**{sentence}**" if told.grave else sentence
            lines.append(f"- #{told.number} {said}{f' {_plain(told.dice)}' if told.dice else ''}")
    where = "The end" if game.ended else phase_title(game, context.system)
    lines += ["", f"## {_plain(where or 'Now')}", ""]
    lines += [
        f"- {_plain(unit.side)}{' ' if unit.side else ''}{_plain(described(unit))}"
        for unit in in_order(game.units.values())
    ]
    lines += ["", f"Head of the log: `{context.ledger.head}`", ""]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)


def _time(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
