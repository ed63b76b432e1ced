"""The footer of an answer that is an event: its number, digits of the head, and what is special about its dice."""

from __future__ import annotations

import re
from collections.abc import Sequence as Many
from dataclasses import replace

from bot.commands.context import Context
from bot.interface.reply.reply import Reply
from bot.rules.proof.chain import short
from bot.stores.records import EventRow, TextRow

CARDS = ("start", "next", "pass", "end", "undo", "redo", "fair", "sealed")
"""Kinds of events whose answers carry the digits of the head, which costs nothing there."""
PROMISING = ("start", "end")
"""Cards that publish the commitment of the next free play, too; in free play the first with digits behind its start."""
MOST_WITHOUT = 10
"""The answer that is so many events later than the last with digits has them, too."""
LOOK_BACK = 30
_REMOVED = re.compile(r"#(\d+) removed")


async def keep_words(context: Context, reply: Reply) -> None:
    """Let the event keep the first line of the answer that all see, so that nobody can tell it otherwise later."""
    told, ledger = _public(reply), context.ledger
    if told is None or not ledger.bodies or "said" in ledger.bodies[-1]:
        return
    body = ledger.bodies[-1]
    removed = _REMOVED.fullmatch(str(body.get("result", "")))
    quoted: list[TextRow] = []
    for number in (*body.get("opens", ()), *map(int, removed.groups() if removed else ())):
        quoted += await context.store.texts(ledger.row, after=number - 1, before=number + 1)
    ledger.say(told.first, quoted)


async def with_footer(context: Context, reply: Reply) -> Reply:
    """The reply with event number, digits and marks in its footer (those of what it announces, if it does)."""
    ledger, bodies = context.ledger, context.ledger.bodies
    if not bodies:
        return reply
    begins = len(bodies) > 1 and bodies[0]["kind"] == "start" and bool(bodies[0].get("free"))
    pieces = [f"#{bodies[-1]['number']}"]
    is_first = not context.game.started and await _last_shown(context) <= 2
    if _public(reply) is not None and _shows_digits(context):
        ledger.shown = bodies[-1]["number"]
        pieces.append(short(ledger.head))
        if not begins and (is_first or any(body["kind"] in PROMISING for body in bodies)):
            pieces.append(f"next free play: commitment {short((await context.next_seed()).commitment)}")
    if bodies[-1].get("hand"):
        pieces.append("dice by hand")
    if bodies[-1].get("alone"):
        pieces.append("undone alone")
    if begins:
        pieces.append("free play begins" + (", not announced before" if bodies[0].get("unannounced") else ""))
    if reply.announce is not None:
        announced = replace(reply.announce, footer=(*pieces, *reply.announce.footer))
        return replace(reply, footer=(*pieces, *reply.footer), announce=announced)
    return replace(reply, footer=(*pieces, *reply.footer))


def _public(reply: Reply) -> Reply | None:
    """What all see of an answer; None for what one person alone does, or what went wrong."""
    told = reply.announce if reply.private else reply
    return None if told is None or told.error else told


async def _last_shown(context: Context) -> int:
    """The last event before whose answer had digits; 0 where none had, as far as can be seen from here."""
    ledger, number = context.ledger, context.ledger.bodies[0]["number"]
    if ledger.shown < 0:  # loaded a moment ago
        rows: Many[EventRow] = await context.store.events(ledger.row, after=max(0, number - LOOK_BACK), before=number)
        carded = [row.number for row in rows if any(f'"kind":"{kind}"' in row.body for kind in CARDS)]
        ledger.shown = carded[-1] if carded else number - number % MOST_WITHOUT
    return int(ledger.shown)


def _shows_digits(context: Context) -> bool:
    bodies = context.ledger.bodies
    is_late = bodies[-1]["number"] - context.ledger.shown >= MOST_WITHOUT
    return is_late or any(body["kind"] in CARDS for body in bodies)
