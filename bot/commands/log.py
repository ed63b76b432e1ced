"""`/log`: what happened, newest first, a page at a time, filtered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from bot.commands.context import Context
from bot.commands.played import turn_to
from bot.commands.since import since
from bot.game.rights import find_side
from bot.game.roster import changed_names
from bot.game.state import Json, roster_of
from bot.game.summary import told_event
from bot.interface.reply import Button, Reply
from bot.rules.phrase import phrase
from bot.rules.proof.chain import short

BATCH = 500
MOST_READ = 50_000
MOST_ACTION = 98
GROUPS = {"reveal": "roll", "sealed": "roll", "redo": "undo", "roll": "roll", "sequence": "sequence", "table": "table"}


async def handle(context: Context) -> Reply:
    """A page of the log."""
    options = context.options()
    await turn_to(context, options["game"])
    game = context.need_game()
    if options["since"]:
        return await since(context, options["since"])
    side = (find_side(game, options["side"]) if game.sides else options["side"]) if options["side"] else ""
    unit = _unit_name(context, options["unit"]) if options["unit"] else ""
    count, page = options["count"], options["page"]
    wanted: list[tuple[Json, bool]] = []
    seen, undone = 0, dict[int, bool]()
    more = False
    async for event in newest_first(context, context.ledger.row):
        if event["kind"] in ("undo", "redo"):
            undone.setdefault(event["event"], event["kind"] == "undo")  # the latest word on an event counts
        if not _fits(event, unit, side, options["kind"]):
            continue
        seen += 1
        if seen > count * page:
            more = True
            break
        if seen > count * (page - 1):
            wanted.append((event, undone.get(event["number"], False)))
    labels = await _labels(context, {event["number"] for event, _ in wanted})
    lines = [
        told_event(event, context.ledger.name_of, labels.get(event["number"], ""), game.sides)
        + (" (undone)" if gone else "")
        for event, gone in wanted
    ]
    if more:
        of_game = f" game={options['game']}" if options["game"] else ""
        lines.append(phrase("More: `/log {count} page={next}{game}`", count=count, next=page + 1, game=of_game))
    title = f"Log, page {page}" if page > 1 else "Log, newest first"
    filters = (options["kind"] or "", side or "", unit)
    row = context.ledger.row
    buttons = [Button(page_action(row, count, page - 1, *filters), "Newer")] if page > 1 else []
    buttons += [Button(page_action(row, count, page + 1, *filters), "Older")] if more else []
    return Reply(
        title,
        tuple(lines) or ("Nothing here.",),
        footer=(f"#{game.number}", short(context.ledger.head)),
        private=True,
        buttons=tuple(buttons),
    )


def page_action(*parts: object) -> str:
    """What a button for another page stands for; no name of a side or unit has a colon that would be needed."""
    return ":".join(["log", *(str(part).replace(":", " ") for part in parts)])[:MOST_ACTION]


async def turn_page(context: Context, rest: str) -> Reply:
    """The page that a button names."""
    from bot.commands.playing import repeated

    count, page, kind, side, unit = (*rest.split(":"), "", "", "", "", "")[:5]
    options = {"count": count, "page": page, "kind": kind, "side": side, "unit": unit}
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


def group_of(event: Mapping[str, Any]) -> str:
    """The kind under which `/log` lists an event."""
    kind = event["kind"]
    if kind == "sealed":
        return str(event.get("of", "roll"))
    return kind if kind in ("unit", "fair", "undo") else GROUPS.get(kind, "game")


def _fits(event: Json, unit: str, side: str, kind: str | None) -> bool:
    if kind and group_of(event) != kind:
        return False
    if side and event.get("side", "").casefold() != side.casefold():
        return False
    if unit:
        used = [item["name"] for item in event.get("used", ())]
        changed = changed_names(event.get("before") or {}, event.get("after") or {})
        return unit in (name.casefold() for name in (*used, *changed))
    return True


def _unit_name(context: Context, typed: str) -> str:
    """The unit's name, folded; also one that has been removed."""
    found = roster_of(context.game).get(typed.strip().casefold())
    return found.name.casefold() if found is not None else typed.strip().casefold()


async def _labels(context: Context, numbers: set[int]) -> dict[int, str]:
    if not numbers:
        return {}
    texts = await context.store.texts(context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1)
    closed = context.game.sealed
    return {row.event: row.text for row in texts if row.key == "label" and row.event in numbers - closed.keys()}
