"""*Share* under what only one person sees: the same answer for all in the channel, once."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.context import Context
from bot.commands.log.log import turn_page
from bot.interface.reply.parts import Small
from bot.interface.reply.reply import Button, Reply
from bot.process.entropy import new_id
from bot.rules.errors import UserError
from bot.stores.base import DAY
from bot.stores.records import Doc

SHOWN = "shown"
"""Documents with an answer that its owner may still share."""
BOXED = 3_200
"""Characters of an answer in a box; what is longer comes as an ordinary message."""


def boxed(context: Context, reply: Reply) -> Reply:
    """A private answer in a box, with *Share* behind its other buttons; the answer is kept for that, for a day."""
    key = new_id()
    context.docs.append(Doc(SHOWN, key, _for_all(reply).to_json(), context.now + DAY, context.command.who.key))
    fits = len(reply.text()) <= BOXED
    return replace(reply, buttons=(*reply.buttons, Button(f"tell:{key}", "Share")), boxed=fits)


async def tell(context: Context, key: str) -> Reply:
    """The answer that somebody alone has seen, for all to see. Raises UserError for one that is used up."""
    doc = await context.store.doc(SHOWN, key)
    if doc is None or doc.owner != context.command.who.key:
        raise UserError("This was shared already, or is too old.", hint="Ask for it again.", code="used-up")
    context.drop_docs.append((SHOWN, key))
    return _signed(context, Reply.from_json(doc.data))


async def tell_log(context: Context, about: str) -> Reply:
    """The page of the log that a button names, for all to see."""
    return _signed(context, _for_all(await turn_page(context, about)))


def _for_all(reply: Reply) -> Reply:
    return replace(reply, private=False, buttons=(), menus=(), boxed=False, in_place=False)


def _signed(context: Context, reply: Reply) -> Reply:
    return replace(reply, lines=(*reply.lines, Small(f"Shown by {context.who}.")))
