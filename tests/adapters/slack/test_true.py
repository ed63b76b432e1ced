"""The channel stays true on Slack: what was undone, brought back, opened or settled says so
where it was said.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.left_over import time_passes, until_nothing_is_left
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.adapters.slack.true_helpers import (
    Table,
    say,
)
from tests.adapters.slack.true_helpers import (
    table as table,
)
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.scenes(3)


async def test_what_was_undone_is_struck_through_and_comes_back_with_its_buttons(
    table: Table,
) -> None:
    rolled = await say(table.anna, table.games, 'unit edit "Squad 1" marker=+low-crawl')
    undone = await say(table.anna, table.games, "game undo")
    assert "is undone" in undone.plain
    await table.until(lambda: "Undone in #7: ~" in rolled.plain and not rolled.buttons())
    await table.anna.press(undone, "Redo")
    await table.until(lambda: "brought back in #8" in rolled.plain and "~" not in rolled.plain)
    await table.until(lambda: undone.plain.startswith("Redone in #8: ~") and not undone.buttons())


async def test_a_request_calls_the_other_side_once_and_becomes_its_answer(table: Table) -> None:
    fired = await table.fire()
    await table.anna.press(fired, "Undo")
    asked = await table.ben.wait_for(table.games, "asks to undo")
    assert f"<@{table.ben.id}>" in asked.text
    await table.ben.press(asked, "Agree")
    await table.until(lambda: "is undone" in asked.plain and asked.buttons() == ["Redo"])
    assert "anna asked, ben agreed" in asked.plain
    await table.until(lambda: "Undone in #" in fired.plain and not fired.buttons())


async def test_only_the_card_of_the_phase_that_is_on_has_its_buttons(table: Table) -> None:
    rally = await say(table.anna, table.games, "game initiative US")
    card = await say(table.anna, table.games, "game next")
    await table.until(lambda: not rally.buttons())
    await table.anna.press(card, "Pass")
    await table.until(lambda: not card.buttons())
    assert "Operations: US goes first" in card.plain, "what it said holds"


async def test_a_new_game_that_was_asked_for_is_answered_once(table: Table) -> None:
    asked = await say(table.ben, table.games, "game start baps Farm")
    assert asked.buttons() == ["Start it", "Keep playing"]
    await table.anna.press(asked, "Keep playing")
    await table.until(lambda: not asked.buttons() and "anna keeps the current game" in asked.plain)


async def test_an_opened_roll_takes_the_place_of_its_seal(table: Table) -> None:
    secret = await table.anna.slash(table.games, "/roll", "2d6 label=ambush secret hand=3,4")
    public = next(one for one in await secret.answers(2) if one.ephemeral_for is None)
    await table.anna.press(public, "Open it")
    await table.until(
        lambda: "7 for ambush" in public.plain and public.buttons() == ["Again", "Undo"]
    )


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


@pytest.mark.slow
async def test_an_opponent_cannot_bury_a_shot_and_a_friend_who_joins_agrees_to_nothing(
    table: Table,
) -> None:
    """Six ways to block a request, and somebody who joins the other side: Ben's button alone
    takes the shot back.
    """
    cora = table.games.workspace.user("Cora")
    fired = await table.fire()
    await table.anna.press(fired, "Undo")
    asked = await table.ben.wait_for(table.games, "asks to undo")
    for line in (
        "roll 1d6",
        'game plan 9 "x"',
        "roll 1d6 secret",
        'order write "hold"',
        "lnlt-table hero-creation",
    ):
        await say(table.ben, table.games, line)
    await say(cora, table.games, "game join VC")
    assert "Only another side can agree" in (await (await cora.press(asked, "Agree")).answer()).text
    await say(table.ben, table.games, "game leave")
    await say(table.ben, table.games, "game join VC")
    await table.ben.press(asked, "Agree")
    await table.until(
        lambda: "Undone in #" in fired.plain and "anna asked, ben agreed" in asked.plain
    )
