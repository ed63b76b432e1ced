"""Odds as Slack's own chart, and what a workspace gets that does not take charts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.tables_and_charts import (
    CHART,
    CONTAINER,
    REFUSED_TYPE_SECONDS,
    TABLE,
    TYPES,
    WorkspaceBlocks,
    build_odds_blocks,
    build_table_block,
)
from bot.preferences.adapter_notes import Notes
from bot.ui.reply.parts import Grid, Odds
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.fresh import fresh_store
from tests.standins.slack import Message, SlackStandIn, User, check_blocks
from tests.standins.slack.workspace import Channel

SHOT = 'fire "squad fp=4" "squad morale=4; leader morale=6 lm=1" tm=1'
SQUADS = Odds(
    "VC Squads 5 + 6",
    (("casualties", 0.162), ("shaken", 0.449), ("no effect", 0.389)),
    least=(0.162, 0.611),
)
NGUYEN = Odds(
    "Nguyen", (("eliminated", 0.046), ("wounded", 0.329), ("shaken", 0.329), ("no effect", 0.296))
)


async def say(player: User, where: Channel, command: str, text: str) -> Message:
    """The answer to a slash command."""
    return await (await player.slash(where, command, text)).answer()


def kinds(message: Message) -> list[str]:
    """The kinds of its blocks."""
    return [str(block["type"]) for block in message.blocks]


def test_a_chart_has_a_series_for_each_unit_and_the_figures_below() -> None:
    blocks = build_odds_blocks([SQUADS, NGUYEN], frozenset(TYPES))
    assert blocks is not None
    assert check_blocks(blocks) == []
    chart, figures = blocks
    assert chart["chart"]["axis_config"]["categories"] == [
        "eliminated",
        "wounded",
        "casualties",
        "shaken",
        "no effect",
    ]
    squads, nguyen = chart["chart"]["series"]
    assert [point["value"] for point in squads["data"]] == [0.0, 0.0, 16.2, 44.9, 38.9]
    assert [point["value"] for point in nguyen["data"]] == [4.6, 32.9, 0.0, 32.9, 29.6]
    rows = [[cell["text"] for cell in row] for row in figures["child_blocks"][0]["rows"]]
    assert rows[0] == ["Result", "VC Squads 5 + 6", "at least", "Nguyen"]
    assert rows[4] == ["shaken", "45%", "61%", "33%"]
    assert figures["default_collapsed"]


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [Odds(f"Man {at}", (("killed", 1.0),)) for at in range(7)],
        [Odds("Man", (("killed", 1.0),)), Odds("Man", (("unhurt", 1.0),))],
        [Odds("Man", tuple((f"result {at}", 0.04) for at in range(21)))],
        [Odds("Man", (("killed", 1.0),), came=("killed",))],
    ],
)
def test_what_no_chart_can_show_stays_bars(parts: list[Odds]) -> None:
    assert build_odds_blocks(parts, frozenset(TYPES)) is None


def test_a_table_with_a_head_is_slacks_own() -> None:
    table = build_table_block(
        Grid((("side", "n", "z"), ("US", " 12", "+0.41"), ("VC", "  9", "-1.20")), head=True)
    )
    assert table is not None
    assert check_blocks([table]) == []
    assert [one["align"] for one in table["column_settings"]] == ["left", "right", "right"]
    assert build_table_block(Grid((("side", "n"),))) is None


async def test_odds_come_as_a_chart_and_are_shared_as_one(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(http_slack)
    async with running(http_slack, tmp_path, home):
        odds = await say(anna, games, "/lnlt", f"{SHOT} odds")
        assert odds.ephemeral_for == anna.id
        assert kinds(odds)[:3] == ["section", "data_visualization", "container"]
        assert "at least" in odds.plain, "the bars are in the text, for those who hear it"
        await anna.press(odds, "Share")
        shown = await ben.wait_for(games, "Shown by anna")
        assert "data_visualization" in kinds(shown)
        stats = await say(anna, games, "/game", "stats")
        assert not http_slack.refusals
        assert stats.ephemeral_for == anna.id


async def test_a_workspace_is_asked_again_after_some_days_and_read_about_once() -> None:
    now, reads = [1_000.0], list[str]()

    class Kept(Notes):
        """Notes that say when they are read."""

        async def get(self, name: str, key: str) -> Mapping[str, Any] | None:
            reads.append(key)
            return await super().get(name, key)

    store = await fresh_store(lambda: now[0])
    first = WorkspaceBlocks(Kept(store, "slack"), lambda: now[0])
    assert await first.get_accepted_types("T1") == {CHART, CONTAINER, TABLE}
    await first.record_refusal("T1", [CHART])
    assert [await first.get_accepted_types("T1") for _ in range(3)] == [{CONTAINER, TABLE}] * 3, (
        "each by itself"
    )
    restarted = WorkspaceBlocks(Kept(store, "slack"), lambda: now[0])
    assert [await restarted.get_accepted_types("T1") for _ in range(3)] == [{CONTAINER, TABLE}] * 3
    assert reads == ["T1", "T1"], "once by each process"
    now[0] += REFUSED_TYPE_SECONDS + 1
    assert CHART in await restarted.get_accepted_types("T1"), (
        "Slack may have brought them there since"
    )
    assert CHART in await WorkspaceBlocks(Kept(store, "slack"), lambda: now[0]).get_accepted_types(
        "T1"
    )


async def test_a_workspace_that_refuses_charts_gets_bars_and_is_asked_once(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    http_slack.limits.refuses = frozenset({"data_visualization"})
    home, anna, _, games = settle(http_slack)
    async with running(http_slack, tmp_path, home) as bot:
        for at in range(4):
            if at == 3:
                await bot.kill()
                await bot.start()
            odds = await say(anna, games, "/lnlt", f"{SHOT} odds")
            assert odds.ephemeral_for == anna.id
            assert "data_visualization" not in kinds(odds)
            assert "```" in str(odds.blocks)
            assert "Roll it" in odds.buttons()
        refused = [method for method, *_ in http_slack.refusals if method != "blocks.validate"]
        assert len(refused) == 1, "it is remembered, after a restart too"
