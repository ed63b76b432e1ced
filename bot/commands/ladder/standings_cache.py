"""Stored standings of past months, and how they are dropped once a result changes."""

from bot.commands.context import Context

STANDINGS = "standings"
"""The kind of the documents with the standings after a month, by server, rule set and month."""


async def drop_standings_since(context: Context, server: str, system: str, month: str) -> None:
    """Delete the stored standings of a rule set on a server after `month` (2026-11) and later
    ones, with the command.
    """
    prefix = f"{server}/{system}/"
    for doc in await context.store.load_docs(STANDINGS, under=prefix):
        dropped = (STANDINGS, doc.key)
        is_dropped = dropped in context.commit.drop_docs
        if doc.key.removeprefix(prefix) >= month and not is_dropped:
            context.commit.drop_docs.append(dropped)
