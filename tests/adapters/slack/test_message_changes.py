"""Messages change on Slack after its limits and a restart, and if it lets none be changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.left_over import time_passes, until_nothing_is_left
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.duel_helpers import (
    Table,
    say,
)
from tests.adapters.slack.duel_helpers import (
    table as table,
)
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.scenes(3)


async def test_changes_wait_out_a_limit_and_a_restart(table: Table) -> None:
    fired = await table.fire()
    await table.anna.press(fired, "Undo")
    asked = await table.ben.wait_for(table.games, "asks to undo")
    table.slack.faults.ratelimit("chat.update", retry_after=1)
    await table.ben.press(asked, "Agree")
    await table.until(lambda: "is undone" in asked.plain)
    await table.bot.kill()
    time_passes(table.bot.data)
    await table.bot.start()
    await table.until(lambda: "Undone in #" in fired.plain, 30)


@pytest.mark.parametrize(
    "error", ["message_not_found", "cant_update_message", "edit_window_closed"]
)
async def test_what_slack_will_not_change_stops_nothing(
    table: Table, tmp_path: Path, error: str
) -> None:
    await say(table.anna, table.games, 'unit edit "Squad 1" marker=+low-crawl')
    table.slack.faults.error("chat.update", error)
    assert "is undone" in (await say(table.anna, table.games, "game undo")).plain
    await until_nothing_is_left(tmp_path, 60)
    assert "is back" in (await say(table.anna, table.games, "game redo")).plain


async def test_where_the_bot_is_no_member_the_pressed_button_tells_where_its_message_is(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    """Answers go to the response address there, which does not say where they are."""
    home, anna, _, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        anna.remove_bot(games)
        rolled = await (await anna.slash(games, "/roll", "2d6")).answer()
        assert rolled.via == "response_url"
        await anna.invite_bot(games)
        await anna.press(rolled, "Undo")
        await socket_slack.watch.until(
            lambda: "Undone in #3" in rolled.plain, timeout=30, what="the change"
        )
        assert rolled.buttons() == []
