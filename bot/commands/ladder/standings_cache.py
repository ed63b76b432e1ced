"""The ladder of a rule set on a server: computed from its results, and stored month by month.

Only the ladder after a month that is over is stored. A command that changes or deletes a result
notes its month. A stored ladder names the changes that it knew; it is not used if there is another
one, of its month or before. So it does not matter if it was computed at the same time.
"""

import asyncio
from collections.abc import Mapping, Sequence

from bot.commands.context import Context
from bot.commands.ladder.ladder_docs import load_result_docs, read_results
from bot.ladder.season import (
    NO_LADDER,
    Ladder,
    compute_ladder,
    get_month,
    get_next_month,
    get_previous_month,
)
from bot.runtime.entropy import create_id
from bot.storage.base import DAY
from bot.storage.records import Doc

STANDINGS = "standings"
"""The kind of the documents with the ladder after a month, by server, rule set and month."""
LADDER_START = "ladder-start"
"""The kind of the documents with the month of the first result, by server and rule set."""
CHANGE = "ladder-change"
"""The kind of the documents with the month of a result that was changed or deleted, by server, rule
set and a random id.
"""
SETTLED = 3600.0
"""Seconds after the end of a month from which its ladder is stored: clocks of several processes
may differ.
"""
KEPT = 100 * DAY
"""Seconds for which a ladder is stored."""
CHANGE_KEPT = KEPT + DAY
"""Seconds for which a change is stored: longer than each ladder that does not know it."""
MANY = 500
"""Number of results from which a ladder is computed in a thread, so that others can play on."""


def build_start_doc(server: str, system: str, month: str) -> Doc:
    """Return the document that a rule set has results on a server from this month on."""
    return Doc(LADDER_START, f"{server}/{system}", {"month": month}, None, server)


async def register_ladder(context: Context, server: str, system: str) -> None:
    """Note with the command, which stores a result, that a rule set has results on a server."""
    if not await _load_first_month(context, server, system):
        context.commit.docs.append(build_start_doc(server, system, get_month(context.now)))


async def list_ladder_systems(context: Context, server: str) -> list[str]:
    """Return the ids of the rule sets that have or had results on a server, in no order."""
    prefix = f"{server}/"
    docs = await context.store.load_docs(LADDER_START, under=prefix)
    return [doc.key.removeprefix(prefix) for doc in docs]


async def drop_standings(context: Context, server: str, system: str, month: str) -> None:
    """Note that a result of this month was changed or deleted, and empty the stored ladders since.

    Both are stored with the command.
    """
    key = f"{server}/{system}/"
    change = Doc(CHANGE, key + create_id(), {"month": month}, context.now + CHANGE_KEPT, server)
    context.commit.docs.append(change)
    for doc in await context.store.load_docs(STANDINGS, under=key):
        if doc.key.removeprefix(key) >= month:
            context.commit.docs.append(doc._replace(data={}))


async def load_ladder(context: Context, server: str, system: str) -> Ladder:
    """Return the ladder of a rule set on a server, as the running month has it so far.

    What it computes of earlier months is stored with the command.
    """
    changes = await _load_changes(context, server, system)
    first_month = await _load_first_month(context, server, system)
    last_month = get_previous_month(get_month(context.now - SETTLED))
    stored = await _load_stored(context, server, system, (first_month, last_month), changes)
    month = get_next_month(stored.month) if stored.month else first_month
    docs = await _load_docs_since(context, server, system, month)
    this_month = get_month(context.now)
    if len(docs) < MANY:
        last_ladder, ladder = _continue_ladder(docs, stored, last_month, this_month)
    else:
        last_ladder, ladder = await asyncio.to_thread(
            _continue_ladder, docs, stored, last_month, this_month
        )
    if last_ladder.month != stored.month and last_ladder.records:
        data = {"changes": [*changes], "ladder": last_ladder.to_json()}
        key = f"{server}/{system}/{last_ladder.month}"
        context.commit.docs.append(Doc(STANDINGS, key, data, context.now + KEPT, server))
    return ladder


def _continue_ladder(
    docs: Sequence[Doc], stored: Ladder, last_month: str, month: str
) -> tuple[Ladder, Ladder]:
    """Continue the `stored` ladder to the end of `last_month`, and from there into the running
    `month`. Return both.

    `docs` are the results since the `stored` ladder. A ladder that is at `last_month` already is
    kept, and so is an empty one without results until then.
    """
    results = read_results(docs)
    earlier_results = [result for result in results if get_month(result.time) <= last_month]
    later_results = [result for result in results if get_month(result.time) > last_month]
    last_ladder = stored
    if stored.month < last_month and (earlier_results or stored.records):
        last_ladder = compute_ladder(earlier_results, last_month, stored)
    return last_ladder, compute_ladder(later_results, month, last_ladder)


async def _load_first_month(context: Context, server: str, system: str) -> str:
    """Return the month in which the first result of a rule set on a server was stored.

    It stays the same if that result is deleted. Return "" if none was ever stored.
    """
    doc = await context.store.load_doc(LADDER_START, f"{server}/{system}")
    return str(doc.data["month"]) if doc is not None else ""


async def _load_changes(context: Context, server: str, system: str) -> dict[str, str]:
    """Return the months of results that were changed or deleted, by the id of the change."""
    prefix = f"{server}/{system}/"
    docs = await context.store.load_docs(CHANGE, under=prefix)
    return {doc.key.removeprefix(prefix): str(doc.data["month"]) for doc in docs}


async def _load_stored(
    context: Context,
    server: str,
    system: str,
    months: tuple[str, str],
    changes: Mapping[str, str],
) -> Ladder:
    """Return the latest stored ladder between two months that no later change concerns, or
    NO_LADDER.

    `changes` are all changes, with their months.
    """
    first_month, month = months
    while first_month and month >= first_month:
        doc = await context.store.load_doc(STANDINGS, f"{server}/{system}/{month}")
        if doc is not None and doc.data:
            later_changes = changes.keys() - doc.data["changes"]
            if all(changes[change] > month for change in later_changes):
                return Ladder.from_json(doc.data["ladder"])
        month = get_previous_month(month)
    return NO_LADDER


async def load_all_results(context: Context, server: str, system: str) -> list[Doc]:
    """Load the documents with all results of a rule set on a server."""
    first_month = await _load_first_month(context, server, system)
    return await _load_docs_since(context, server, system, first_month)


async def _load_docs_since(context: Context, server: str, system: str, month: str) -> list[Doc]:
    """Load the documents with the results of a month and later ones; none if it is "".

    Month by month, so that others can play on between them.
    """
    docs = []
    while month and month <= get_month(context.now):
        docs += await load_result_docs(context.store, server, system, month)
        month = get_next_month(month)
    return docs
