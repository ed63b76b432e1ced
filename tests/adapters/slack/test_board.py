"""`/game board` on Slack is pinned if the app may."""

from __future__ import annotations

import pytest

from tests.adapters.slack.duel_helpers import Table, say, table

pytestmark = pytest.mark.scenes(1)

__all__ = ["table"]


async def test_it_is_pinned_where_the_app_may_and_unpinned_once_it_has_gone(table: Table) -> None:
    board = await say(table.anna, table.games, "game board")
    await table.until(lambda: board.pinned)
    table.slack.faults.error("pins.add", "missing_scope")
    again = await say(table.anna, table.games, "game board")
    refused = await table.anna.wait_for(table.games, "could not be pinned")
    assert refused.ephemeral_for == table.anna.id
    assert "a workspace admin can reinstall it" in refused.plain
    await table.until(lambda: board.deleted)
    assert not again.pinned
