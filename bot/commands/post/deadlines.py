"""What is due in a game is laid down as it changes, and seen to: a command of nobody's, run once for each moment."""

from typing import Any

from bot.commands.context import Context
from bot.commands.post.choose import CHOICE
from bot.commands.post.choose import lapse as choose_else
from bot.commands.post.orders import OPENS, open_at_deadline
from bot.commands.post.reminders import REMIND, follow_go, remind
from bot.commands.requests import LAPSES, lapse
from bot.game.state import Game
from bot.interface.reply.reply import Reply
from bot.stores.records import DueRow

DONE = Reply("Seen to", private=True)


async def handle(context: Context) -> Reply:
    """See to what is due under a key, unless somebody has, or it was put off."""
    row = await context.store.due_at(str(context.command.options["key"]))
    if row is None or row.at != context.command.options["at"]:
        return DONE
    if row.kind == REMIND:
        await remind(context, row)
    elif row.kind == OPENS:
        await open_at_deadline(context, row)
    elif row.kind == CHOICE:
        await choose_else(context, row)
    elif row.kind == LAPSES:
        lapse(context, row)
    else:
        context.drop_due.append((row.key, row.at))
    return DONE


async def follow(context: Context) -> None:
    """Reminders and deadlines of games that were started are laid down as they are now, also after an undo or an
    import; those of what is over go. Where the command brings a game into a place all are laid down, as they may have
    gone while it was put aside."""
    for ledger in (*context.further, context.ledger):
        if ledger.has_events and (ledger.game.started or ledger.before.started):
            comes_back = any(binding.game == ledger.row for binding in context.bindings)
            was = Game("") if comes_back else ledger.before
            await follow_go(context, ledger, was)
            before, after = _deadlines(was), _deadlines(ledger.game)
            for key, (at, kind, about) in after.items():
                if before.get(key) != (at, kind, about):
                    data = about | {"person": ledger.bodies[-1]["who"]}
                    context.due.append(DueRow(f"{ledger.row}/{key}", at, kind, data))
            context.drop_due += [(f"{ledger.row}/{key}", None) for key in before.keys() - after.keys()]


def _deadlines(game: Game) -> dict[str, tuple[float, str, dict[str, Any]]]:
    """(when, kind, what about) of the orders that open and of what sides are asked to choose, by the key of each."""
    found = {f"{CHOICE}-{at}": (float(asks["due"]), CHOICE, {"event": at}) for at, asks in game.waits.items()}
    return {**({OPENS: (float(game.orders_due), OPENS, {})} if game.orders_due else {}), **found}
