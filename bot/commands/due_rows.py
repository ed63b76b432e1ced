"""The command without a user that handles what is due at a time: reminders, deadlines, lapses."""

from bot.commands.by_post.choose import CHOICE, choose_default
from bot.commands.by_post.orders import OPENS, open_at_deadline
from bot.commands.by_post.reminders import REMIND, send_reminder
from bot.commands.context import Context
from bot.commands.requests import LAPSES, expire_request
from bot.commands.seek.open_seeks import SEEK_ENDS
from bot.commands.seek.seek import expire_seek
from bot.ui.reply.reply import Reply

DONE = Reply("Taken care of", private=True)


async def handle_due_row(context: Context) -> Reply:
    """Handle the due row with the key and time of the command, if it is still stored so."""
    row = await context.store.load_due_at(str(context.command.options["key"]))
    if row is None or row.at != context.command.options["at"]:
        return DONE
    if row.kind in _DUE_HANDLERS:
        await _DUE_HANDLERS[row.kind](context, row)
    else:
        context.commit.drop_due.append((row.key, row.at))
    return DONE


_DUE_HANDLERS = {
    REMIND: send_reminder,
    OPENS: open_at_deadline,
    CHOICE: choose_default,
    LAPSES: expire_request,
    SEEK_ENDS: expire_seek,
}
"""The handler of each kind of due row."""
