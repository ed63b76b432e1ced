"""What was due is seen to: a command of nobody's, run once for each moment that was laid down."""

from bot.commands.context import Context
from bot.commands.post.choose import CHOICE
from bot.commands.post.choose import lapse as choose_else
from bot.commands.post.orders import OPENS, open_due
from bot.commands.post.reminders import REMIND, remind
from bot.commands.requests import LAPSES, lapse
from bot.interface.reply.reply import Reply

DONE = Reply("Seen to", private=True)


async def handle(context: Context) -> Reply:
    """See to what is due under a key, unless somebody has, or it was put off."""
    row = await context.store.due_at(str(context.command.options["key"]))
    if row is None or row.at != context.command.options["at"]:
        return DONE
    if row.kind == REMIND:
        await remind(context, row)
    elif row.kind == OPENS:
        await open_due(context, row)
    elif row.kind == CHOICE:
        await choose_else(context, row)
    elif row.kind == LAPSES:
        lapse(context, row)
    else:
        context.drop_due.append((row.key, row.at))
    return DONE
