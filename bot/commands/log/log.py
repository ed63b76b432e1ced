"""`/log`: what happened, newest first, a page at a time, filtered."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection, Mapping
from typing import Any

from bot.answers.marks import group_of, units_in
from bot.answers.retold import QUIET, texts_of, told_event, where_of
from bot.answers.story import story
from bot.commands.context import Context
from bot.commands.games.played import title_of, turn_to
from bot.commands.log.finding import LONG, Wanted, find
from bot.commands.post.since import since
from bot.game.rights import find_side
from bot.game.state import Json, roster_of
from bot.interface.reply.parts import Happened, Part
from bot.interface.reply.reply import Button, Reply
from bot.rules.errors import UserError
from bot.rules.inputs.many import Whose, names_in
from bot.rules.proof.chain import short
from bot.rules.text.phrase import phrase

BATCH = 500
MOST_READ = 50_000
MOST_ACTION, LONGEST_LIST = 98, 48


async def handle(context: Context) -> Reply:
    """A page of the log."""
    options = context.options()
    await turn_to(context, options["game"])
    game = context.need_game()
    if options["since"]:
        return await since(context, options["since"])
    side = (find_side(game, options["side"]) if game.sides else options["side"]) if options["side"] else ""
    units = _unit_names(context, options["unit"]) if options["unit"] else ()
    unit = _short(context, units)
    count, page = options["count"], options["page"]
    filters = (options["kind"] or "", side or "", unit, "story" if options["story"] else "")
    if (units or side or options["kind"]) and game.number >= LONG:
        asked = Wanted(units, side or "", options["kind"] or "", story=bool(options["story"]))
        wanted, more = await find(context, asked, count * (page - 1), count)
    else:
        wanted, more = await _looked_through(context, (units, side or "", options["kind"]), count, page)
    labels = await _texts(context, [event for event, _ in wanted])
    row = context.ledger.row
    buttons = [Button(page_action(row, count, page - 1, *filters), "Newer")] if page > 1 else []
    buttons += [Button(page_action(row, count, page + 1, *filters), "Older")] if more else []
    share = f"tell{page_action(row, count, page, *filters)}"
    buttons += [Button(share, "Share")] if wanted and len(share) <= MOST_ACTION else []
    buttons = buttons if len(unit) < LONGEST_LIST else []  # more units than a button can name
    if options["story"]:
        return await _story(context, wanted, labels, page, tuple(buttons))
    lines = [
        told_event(event, context.ledger.name_of, labels.get(event["number"], ""), game.sides)
        + (" (undone)" if gone else "")
        for event, gone in wanted
    ]
    if more:
        lines.append(phrase("More: `/log {count} page={next}{rest}`", count=count, next=page + 1, rest=_typed(options)))
    title = f"Log, page {page}" if page > 1 else "Log, newest first"
    return Reply(
        title,
        tuple(lines) or ("Nothing here.",),
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
        buttons=tuple(buttons),
    )


async def _looked_through(
    context: Context, filters: tuple[Collection[str], str, str | None], count: int, page: int
) -> tuple[list[tuple[Json, bool]], bool]:
    """The events of a page, newest first, each with whether it is undone; and whether there are more."""
    wanted: list[tuple[Json, bool]] = []
    seen, undone, is_story = 0, dict[int, bool](), context.options()["story"]
    async for event in newest_first(context, context.ledger.row):
        if event["kind"] in ("undo", "redo"):
            undone.setdefault(event["event"], event["kind"] == "undo")  # the latest word on an event counts
        if not _fits(event, *filters) or (is_story and event["kind"] in QUIET):
            continue
        seen += 1
        if seen > count * page:
            return wanted, True
        if seen > count * (page - 1):
            wanted.append((event, undone.get(event["number"], False)))
    return wanted, False


def _typed(options: Mapping[str, Any]) -> str:
    """What else was typed, as a further page needs it again: ` kind=roll unit="Squad 1"`."""
    names = ("kind", "side", "unit", "game")
    given = {name: str(options[name]) for name in names if options[name]}
    return "".join(f' {name}="{value}"' if " " in value else f" {name}={value}" for name, value in given.items())


async def _story(
    context: Context, events: list[tuple[Json, bool]], texts: dict[int, str], page: int, buttons: tuple[Button, ...]
) -> Reply:
    """The events of a page as a story, in the order in which they were, by turn and phase."""
    game, in_order = context.game, [event for event, _ in reversed(events)]
    undone = [event["number"] for event, gone in events if gone]
    heading = await _heading(context, in_order[0]["number"]) if in_order else ""
    lines: list[Part] = []
    for chapter in story(in_order, context.ledger.name_of, texts, game.sides, undone, heading):
        lines += [f"{chapter.heading}:"] if chapter.heading else []
        lines += [Happened(told.number, told.sentence, "", told.grave, told.undone) for told in chapter.told]
    called = title_of(game)
    return Reply(
        f"{called}, {'earlier' if page > 1 else 'the story' if game.ended else 'the story so far'}",
        tuple(lines) or ("Nothing here.",),
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
        buttons=buttons,
    )


async def _heading(context: Context, number: int) -> str:
    """The turn and phase in which an event happened; "" where that is too long ago to be looked for."""
    rows = await context.store.events(context.ledger.row, before=number, limit=BATCH, newest_first=True)
    return next((where for row in rows if (where := where_of(row.data))), "")


def page_action(*parts: object) -> str:
    """What a button for another page stands for; no name of a side or unit has a colon that would be needed."""
    return ":".join(["log", *(str(part).replace(":", " ") for part in parts)])[:MOST_ACTION]


async def turn_page(context: Context, rest: str) -> Reply:
    """The page that a button names."""
    from bot.commands.play.playing import repeated

    count, page, kind, side, unit, told = (*rest.split(":"), "", "", "", "", "", "")[:6]
    options = {"count": count, "page": page, "kind": kind, "side": side, "unit": unit, "story": "yes" if told else ""}
    return await handle(repeated(context, ("log",), {name: value for name, value in options.items() if value}))


async def newest_first(context: Context, row: str) -> AsyncIterator[Json]:
    """Bodies of a game's events, the last one first, read in batches; at most 50,000."""
    before: int | None = None
    for _ in range(MOST_READ // BATCH):
        rows = await context.store.events(row, before=before, limit=BATCH, newest_first=True)
        for event in rows:
            yield event.data
        if len(rows) < BATCH:
            return
        before = rows[-1].number


def _fits(event: Json, units: Collection[str], side: str, kind: str | None) -> bool:
    if kind and group_of(event) != kind:
        return False
    if side and event.get("side", "").casefold() != side.casefold():
        return False
    if units:
        return any(name in units for name in units_in(event))
    return True


def _unit_names(context: Context, typed: str) -> tuple[str, ...]:
    """The names of one unit or several, folded; also of one that has been removed."""
    roster, folded = roster_of(context.game), " ".join(typed.split()).casefold()
    words = context.system.words["units"] if context.system is not None else None
    if words is None or not roster or folded in roster:
        return (roster[folded].name.casefold() if folded in roster else folded,)
    try:
        return tuple(name.casefold() for name in names_in(typed, words, roster, Whose(context.actor.side)))
    except UserError as error:
        if error.code != "unknown-unit":
            raise
        return (folded,)


def _short(context: Context, units: tuple[str, ...]) -> str:
    """The units as the buttons name them: one by its name, several by their handles."""
    if not units[1:]:
        return "".join(units)
    handles = [context.game.units[name].handle for name in units]
    stem = handles[0].rstrip("0123456789")
    numbers = [int(handle.removeprefix(stem)) for handle in handles if re.fullmatch(rf"{stem}\d+", handle)]
    is_run = numbers == list(range(numbers[0], numbers[0] + len(handles)))
    return f"{handles[0]}..{handles[-1]}" if is_run else ",".join(handles)


async def _texts(context: Context, events: list[Json]) -> dict[int, str]:
    """What was written with these events: labels of rolls that are open, plans, and how the game ended."""
    numbers = [event["number"] for event in events]
    if not numbers:
        return {}
    texts = await context.store.texts(context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1)
    return texts_of(events, texts, context.game.sealed)
