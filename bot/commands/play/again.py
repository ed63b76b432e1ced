"""A shot once more: `/again` with the same inputs and new dice, and *Same shot, other target*."""

from __future__ import annotations

from bot.answers.aim import able
from bot.answers.inputs import as_typed
from bot.commands.context import Context
from bot.commands.play.button import played
from bot.commands.play.targets import aimed_at, by_handle, meant_by, opponents, target_option
from bot.game.events import ROLLS, holding
from bot.game.loaded import read_opened
from bot.game.state import Json, roster_of
from bot.interface.reply.reply import Reply
from bot.interface.spec import Path
from bot.interface.typing.text import command_text
from bot.places.forms import change_button
from bot.rules.errors import UserError
from bot.rules.text.names import joined
from bot.rules.text.phrase import Phrase, Typed
from bot.systems.catalog import system

LOOK_BACK = 200
SURE = "sure"


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


async def fire_at(context: Context, number: int, more: str) -> Reply:
    """Fire the shot with this number once more, at another target; a game may have it asked first."""
    game = context.need_game()
    event = await read_opened(context.store, context.ledger.row, game, number)
    spec = context.registry.get(tuple(event["command"].split())) if event is not None and "command" in event else None
    option = target_option(spec) if spec is not None and event is not None and event["kind"] == "sequence" else None
    if event is None or spec is None or option is None:
        raise UserError(f"#{number} cannot be fired at another target.", code="not-repeatable")
    acting = frozenset(event.get("acting") or ())
    targets = meant_by(more, opponents(game, acting, context.actor.side)) or by_handle(more, game)
    if not targets:
        raise UserError(f'There is no unit "{more[:40]}" any more.', hint="Choose another target.", code="unknown-unit")
    options = aimed_at(spec, without_lost(context, spec.path, as_typed(event)), option, targets)
    if game.confirm and context.spec.path[1] != SURE:
        return Reply(
            f"{spec.verb} at {joined(target.name for target in targets)}?",
            (Phrase("The same as #", str(number), ": ", Typed(command_text(spec, options))),),
            private=True,
            buttons=(
                context.button(SURE, spec.verb, number, more, style="primary"),
                change_button(context.ledger.row, number),
            ),
        )
    return await played(context, spec.path, options)
