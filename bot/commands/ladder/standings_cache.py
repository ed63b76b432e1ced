"""The ladder of a rule set on a server: computed from its results, and stored month by month.

Only the ladder after a month that is over is stored. It names the edition of the results from which
it was computed. Whatever changes an earlier result also changes the edition, so a ladder that is
computed at the same time is not used afterwards.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from bot.commands.context import Context
from bot.commands.ladder.ladder_docs import load_result_docs, read_results
from bot.ladder.season import NO_LADDER, Ladder, compute_ladder, get_month, get_next_month
from bot.runtime.entropy import create_id
from bot.storage.base import DAY
from bot.storage.records import Doc

STANDINGS = "standings"
"""The kind of the documents with the ladder after the last month, by server and rule set."""
EDITION = "ladder-edition"
"""The kind of the documents with the edition of the results and the month of the first one, by
server and rule set.
"""
SETTLED = 3600.0
"""Seconds after the end of a month from which its ladder is stored: clocks of several processes
may differ.
"""
KEPT = 40 * DAY
"""Seconds for which a ladder is stored."""
MANY = 500
"""Number of results from which a ladder is computed in a thread, so that others can play on."""


class LadderEdition(NamedTuple):
    """The state of the results of a rule set on a server."""

    edition: str
    """It changes when an earlier result is changed or deleted; "" before the first result."""
    since: str
    """The month of the first result; "" before that."""

    def build_doc(self, server: str, system: str) -> Doc:
        """Return the document that stores this edition for a rule set on a server."""
        return Doc(EDITION, f"{server}/{system}", self._asdict(), None, server)


NO_EDITION = LadderEdition("", "")


async def register_ladder(context: Context, server: str, system: str) -> None:
    """Note with the command, which stores a result, that a rule set has results on a server."""
    if await _load_edition(context, server, system) == NO_EDITION:
        edition = LadderEdition(create_id(), get_month(context.now))
        context.commit.docs.append(edition.build_doc(server, system))


async def list_ladder_systems(context: Context, server: str) -> list[str]:
    """Return the ids of the rule sets that have or had results on a server, in no order."""
    prefix = f"{server}/"
    docs = await context.store.load_docs(EDITION, under=prefix)
    return [doc.key.removeprefix(prefix) for doc in docs]


async def drop_standings(context: Context, server: str, system: str) -> None:
    """Give the results of a rule set on a server a new edition, and delete the stored ladder.

    Both are stored with the command. Each command that changes or deletes results calls this;
    calling it again in the same command does nothing.
    """
    key = f"{server}/{system}"
    if any((doc.kind, doc.key) == (EDITION, key) for doc in context.commit.docs):
        return
    edition = await _load_edition(context, server, system)
    context.commit.docs += [
        edition._replace(edition=create_id()).build_doc(server, system),
        Doc(STANDINGS, key, {}, context.now + KEPT, server),
    ]


async def load_ladder(context: Context, server: str, system: str) -> Ladder:
    """Return the ladder of a rule set on a server, as the running month has it so far.

    What it computes of earlier months is stored with the command.
    """
    edition = await _load_edition(context, server, system)
    stored = await _load_stored(context, server, system, edition.edition)
    month = get_next_month(stored.month) if stored.month else edition.since
    docs = await _load_docs_since(context, server, system, month)
    last_month = _get_last_month(context.now)
    this_month = get_month(context.now)
    if len(docs) < MANY:
        last_ladder, ladder = _continue_ladder(docs, stored, last_month, this_month)
    else:
        last_ladder, ladder = await asyncio.to_thread(
            _continue_ladder, docs, stored, last_month, this_month
        )
    if last_ladder.month != stored.month and last_ladder.records:
        data = {"edition": edition.edition, "ladder": last_ladder.to_json()}
        key = f"{server}/{system}"
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


def _get_last_month(now: float) -> str:
    """Return the last month that has been over for SETTLED seconds. `now` is in Unix seconds."""
    month = get_month(now - SETTLED)
    year, number = map(int, month.split("-"))
    return f"{year}-{number - 1:02}" if number > 1 else f"{year - 1:04}-12"


async def _load_edition(context: Context, server: str, system: str) -> LadderEdition:
    doc = await context.store.load_doc(EDITION, f"{server}/{system}")
    return LadderEdition(**doc.data) if doc is not None else NO_EDITION


async def _load_stored(context: Context, server: str, system: str, edition: str) -> Ladder:
    """Return the stored ladder, or NO_LADDER if none was computed from this edition."""
    doc = await context.store.load_doc(STANDINGS, f"{server}/{system}")
    if doc is None or not edition or doc.data.get("edition") != edition:
        return NO_LADDER
    return Ladder.from_json(doc.data["ladder"])


async def load_all_results(context: Context, server: str, system: str) -> list[Doc]:
    """Load the documents with all results of a rule set on a server."""
    edition = await _load_edition(context, server, system)
    return await _load_docs_since(context, server, system, edition.since)


async def _load_docs_since(context: Context, server: str, system: str, month: str) -> list[Doc]:
    """Load the documents with the results of a month and later ones; none if it is "".

    Month by month, so that others can play on between them.
    """
    docs = []
    while month and month <= get_month(context.now):
        docs += await load_result_docs(context.store, server, system, month)
        month = get_next_month(month)
    return docs
