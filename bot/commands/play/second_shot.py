"""*Same shot, other target*: what choosing an entry of the menu does."""

from __future__ import annotations

from bot.answers.inputs import as_typed
from bot.commands.context import Context
from bot.commands.play.again import without_lost
from bot.commands.play.filled import played
from bot.commands.play.targets import aimed_at, by_handle, meant_by, opponents, target_option
from bot.game.opened import read_opened
from bot.interface.reply.reply import Reply
from bot.interface.typing.text import command_text
from bot.places.forms import change_button
from bot.rules.errors import UserError
from bot.rules.text.names import joined
from bot.rules.text.phrase import Phrase, Typed

SURE = "sure"


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
