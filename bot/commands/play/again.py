"""`/again`: the last roll or sequence once more, with the same inputs and new dice."""

from __future__ import annotations

from bot.answers.inputs import as_typed
from bot.answers.several import able
from bot.commands.context import Context
from bot.commands.play.filled import played
from bot.game.events import ROLLS, holding
from bot.game.opened import read_opened
from bot.game.state import Json, roster_of
from bot.interface.reply.reply import Reply
from bot.interface.spec import Path
from bot.rules.errors import UserError
from bot.systems.catalog import system

LOOK_BACK = 200


async def handle(context: Context) -> Reply:
    """Repeat the last roll, table or sequence that is not undone; sealed ones are skipped."""
    context.need_game()
    rows = await context.store.events(context.ledger.row, limit=LOOK_BACK, newest_first=True)
    event = next((one for one in holding(row.data for row in rows) if one["kind"] in ROLLS), None)
    if event is None:
        raise UserError("Nothing to repeat yet.", code="nothing-to-repeat")
    return await repeat(context, event)


async def repeat_number(context: Context, number: int, _more: str = "") -> Reply:
    """Repeat the event with this number. Raises UserError for one that is not an open roll."""
    context.need_game()
    event = await read_opened(context.store, context.ledger.row, context.game, number)
    if event is None or event["kind"] not in ROLLS:
        raise UserError(f"#{number} cannot be repeated.", code="not-repeatable")
    return await repeat(context, event)


async def repeat(context: Context, event: Json) -> Reply:
    """Roll an event's command again with the same inputs and label."""
    options: Json = as_typed(event)  # none, where it asks for nothing
    label = await _label(context, event["number"]) if event.get("texts") else ""
    if label:
        options["label"] = label
    path = tuple(event["command"].split())
    return await played(context, path, without_lost(context, path, options))


def without_lost(context: Context, path: Path, options: Json) -> Json:
    """The options of a repeated shot without those who can no longer take part in it."""
    spec = context.registry.get(path)
    if spec is None or spec.family != "sequence":
        return options
    return able(system(spec.system).sequence(spec.target), options, roster_of(context.game))[0]


async def _label(context: Context, number: int) -> str:
    texts = await context.store.texts(context.ledger.row, after=number - 1, before=number + 1)
    return next((row.text for row in texts if row.key == "label"), "")
