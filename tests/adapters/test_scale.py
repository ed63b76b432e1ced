"""Four Discord and two Slack processes on one PostgreSQL database, up to 500 commands at once,
one process killed.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.storage.postgres import PostgresStore
from bot.storage.store import Store
from bot.verification.check_games import audit_games
from tests.adapters.scale_helpers import (
    Night,
    begin,
    play,
    told,
)
from tests.standins.discord import Interaction
from tests.standins.postgres import PostgresServer

pytestmark = pytest.mark.real_pace
NOT_RUN = "was not run|busy"


@pytest.mark.slow
@pytest.mark.usefixtures("crowd")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [500])
async def test_many_at_once_and_one_process_dies(
    postgres: PostgresServer, tmp_path: Path, count: int
) -> None:
    """What is stored is shown, once, and what was shown as under way has an end. How long they
    wait, and what it costs, is measured by `benchmarks/crowd.py`."""
    async with AsyncExitStack() as stack:
        night = await begin(stack, postgres, tmp_path)
        store = await stack.enter_async_context(await PostgresStore.open(night.database))
        played = await play(night, count)
        # What the dead process had stored and not shown is due for the others; here their waiting
        # is cut short, once those that live have shown what they are at: it would be taken from
        # them too.
        await quiet(night)
        postgres.sql(night.database, "UPDATE outbox SET due = 0; UPDATE receipts SET due = 0")
        await told(lambda: due(night) == 0)
        await check(night, store, played.sent)


def due(night: Night) -> int:
    """How many answers and receipts are still on their way."""
    count = "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM receipts)"
    return int(night.postgres.sql(night.database, count))


async def quiet(night: Night) -> None:
    """Wait until nothing more has gone out for three seconds."""
    left, since = due(night), time.monotonic()
    while left and time.monotonic() - since < 3:
        await asyncio.sleep(0.2)
        if (now := due(night)) != left:
            left, since = now, time.monotonic()


async def check(night: Night, store: Store, sent: Sequence[Interaction]) -> None:
    """Whatever is in the logs was shown, once, and nothing else; each game's log is whole and
    proves itself.
    """
    count, faults = await audit_games(store)
    assert faults == []
    assert count == len(await store.list_games())
    texts = [text for game in await store.list_games() for text in await store.load_texts(game)]
    stored = Counter(text.text for text in texts if text.key == "label")
    assert max(stored.values()) == 1
    on_discord = [
        m.text
        for channel in night.discord.guild.channels.values()
        for m in night.discord.messages(channel)
        if not m.deleted
    ]
    on_slack = [
        text
        for channel in night.slack.workspaces["T1"].channels.values()
        for text in night.slack.posted(channel)
    ]
    shown = Counter(
        label
        for text in (*on_discord, *on_slack)
        for label in set(re.findall(r"\b[ds]\d{3}\b", text))
    )
    assert set(shown) == set(stored), "nothing lost, nothing made up"
    assert max(shown.values()) == 1, "nothing doubled"
    for game in await store.list_games():
        numbers = [event.number for event in await store.load_events(game)]
        assert numbers == list(range(1, len(numbers) + 1)), "in order, without a gap"
    for one in sent:
        if one.receipt is not None and label_of(one) not in stored:
            latest = one.latest()
            assert latest is not None, "what was shown as under way has an end"
            assert re.search(NOT_RUN, latest.text), latest.text


def label_of(one: Interaction) -> str:
    """The label of the roll that was asked for."""
    return str(next(option["value"] for option in one.data["options"] if option["name"] == "label"))
