"""The footer of an answer that is an event: its number, and what is special about its dice."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.context import Context
from bot.interface.reply import Reply, replaced


def with_footer(context: Context, reply: Reply) -> Reply:
    """The reply with event number and marks in its footer (those of what it announces, if it does)."""
    bodies = context.ledger.bodies
    if not bodies:
        return reply
    marks = []
    if bodies[-1].get("hand"):
        marks.append("dice by hand")
    if bodies[-1].get("alone"):
        marks.append("undone alone")
    if len(bodies) > 1 and bodies[0]["kind"] == "start" and bodies[0].get("free"):
        known = "not announced before" if bodies[0].get("unannounced") else "announced before"
        marks.append(f"free play begins, commitment {bodies[0]['secret']['commitment'][:16]}, {known}")
        if context.prepared is not None:
            marks.append(f"next free play: commitment {context.prepared.commitment[:16]}")
    number = (f"#{bodies[-1]['number']}",)
    if reply.announce is not None:
        announced = replace(reply.announce, footer=(*number, *reply.announce.footer, *marks))
        return replace(reply, footer=(*number, *reply.footer, *marks), announce=announced)
    return replaced(reply, footer=(*number, *reply.footer, *marks))
