"""`grognard doctor` about Slack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.slack.doctor import SAMPLE, check
from adapters.slack.render import render_message
from adapters.slack.tables_and_charts import TYPES, find_native_types
from bot.commands.dispatch import load_shared_registry
from bot.runtime.settings import Settings
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import Bot
from tests.standins.slack import SlackStandIn


async def test_what_is_right_and_what_to_fix(
    socket_slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, *_ = settle(socket_slack)
    monkeypatch.setenv("SLACK_API", socket_slack.api_url)
    good = Settings(slack_bot_token=home.bot_token, slack_app_token=socket_slack.app_token)
    assert {kind for kind, _ in await check(good)} == {"ok"}
    for bad, word in (
        (replace(good, slack_bot_token="xoxb-wrong"), "SLACK_BOT_TOKEN"),
        (replace(good, slack_app_token=home.bot_token), "SLACK_APP_TOKEN"),
        (replace(good, slack_app_token=""), "SLACK_SIGNING_SECRET"),
    ):
        faults = [line for kind, line in await check(bad) if kind == "fault"]
        assert len(faults) == 1
        assert word in faults[0]
    assert [kind for kind, _ in await check(Settings())] == ["note"]
    monkeypatch.setenv("SLACK_API", "http://127.0.0.1:9/api/")
    assert "fault" in {kind for kind, _ in await check(good)}


async def test_where_workspaces_bring_their_own_tokens(
    http_slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_API", http_slack.api_url)
    good = Settings(
        slack_client_id=http_slack.client_id,
        slack_client_secret=http_slack.client_secret,
        slack_signing_secret=http_slack.signing_secret,
        key=bytes(32),
    )
    found = await check(good)
    assert [kind for kind, _ in found] == ["ok", "note"]
    assert "/slack/install" in found[0][1]
    for bad, word in (
        (replace(good, slack_client_secret="wrong"), "bad_client_secret"),
        (replace(good, slack_client_id="wrong"), "invalid_client_id"),
        (replace(good, slack_client_secret=""), "SLACK_CLIENT_SECRET"),
        (replace(good, slack_signing_secret=""), "SLACK_SIGNING_SECRET"),
        (replace(good, key=b""), "GROGNARD_KEY"),
    ):
        faults = [line for kind, line in await check(bad) if kind == "fault"]
        assert len(faults) == 1, faults
        assert word in faults[0]


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_a_wrong_token_is_said_in_one_line(
    socket_slack: SlackStandIn, tmp_path: Path, name: str
) -> None:
    home, *_ = settle(socket_slack)
    bot = Bot(socket_slack, tmp_path, home, **{name: "xoxb-wrong"})
    with pytest.raises(AssertionError):
        await bot.start(patience=60)
    assert await bot.stop() == 2
    assert name in bot.log.strip().split("\n")[-1]
    assert "Traceback" not in bot.log
    assert "xoxb-wrong" not in bot.log


@pytest.mark.parametrize("refused", ["", "data_visualization", "table", "container"])
async def test_which_blocks_a_workspace_takes_is_asked(
    socket_slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    home, *_ = settle(socket_slack)
    assert {*TYPES} == find_native_types(
        render_message(SAMPLE, "", load_shared_registry(), native_types=frozenset(TYPES)).blocks
    ), "one of each is asked about"
    monkeypatch.setenv("SLACK_API", socket_slack.api_url)
    socket_slack.limits.refuses = frozenset({refused} - {""})
    found = await check(
        Settings(slack_bot_token=home.bot_token, slack_app_token=socket_slack.app_token)
    )
    (line,) = (line for line in found if "workspace" in line[1])
    if not refused:
        assert line == ("ok", "Slack: the workspace supports Slack's own tables and charts")
    else:
        assert line[0] == "note"
        assert f"does not support {refused};" in line[1]
    assert not socket_slack.messages.all, "nothing is posted for that"
