"""`/again`: the last roll or sequence once more, with the same inputs and new dice."""

from __future__ import annotations

from bot.commands.context import Context
from bot.commands.filled import played
from bot.game.events import ROLLS, holding
from bot.game.opened import read_opened
from bot.game.roster import is_gone
from bot.game.state import Json, roster_of
from bot.interface.reply import Reply
from bot.interface.spec import Path
from bot.play.actors import ACTING
from bot.play.lent import as_typed
from bot.play.many import OUT
from bot.rules.errors import UserError
from bot.rules.inputs.many import units_in
from bot.rules.inputs.units import split_items

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
    return await played(context, path, able(context, path, options))


def able(context: Context, path: Path, options: Json) -> Json:
    """The options without the dead in any list, and among those who act without those whose weapons are out."""
    spec, roster = context.registry.get(path), roster_of(context.game)
    found = dict(options)
    for option in spec.options if spec is not None else ():
        text = found.get(option.name)
        if option.type != "units" or not isinstance(text, str):
            continue
        marks = set(OUT) if option.name in ACTING else set[str]()
        items = [item.strip() for item in split_items(text)]
        out = {item for item in items for unit in units_in(item, roster) if is_gone(unit) or unit.marks & marks}
        if kept := [item for item in items if item not in out]:
            found[option.name] = "; ".join(kept)
    return found


async def _label(context: Context, number: int) -> str:
    texts = await context.store.texts(context.ledger.row, after=number - 1, before=number + 1)
    return next((row.text for row in texts if row.key == "label"), "")
