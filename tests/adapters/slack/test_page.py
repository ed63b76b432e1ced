"""The pages about Slack: what they tell people to type is taken."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from adapters.slack.installation import INSTALL_PATH
from adapters.slack.listeners import format_command_line
from adapters.slack.text import get_text_after_mention
from bot.__main__ import main
from bot.commands.dispatch import load_shared_registry
from bot.ui.typing.command_text import parse_text

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = "".join(
    (DOCS / name).read_text(encoding="utf-8")
    for name in ("slack.md", "slack-workspaces.md", "slack-host.md")
)
LINES = [line.strip() for line in PAGE.splitlines() if line.startswith("    ")]
INLINE = re.findall(r"`([^`]+)`", PAGE)
OTHERS = ("/invite", "/slack/", "/health")
"""Slack's own command, and addresses."""


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("/")])
def test_its_commands_are_taken(line: str) -> None:
    name, _, rest = line.partition(" ")
    parse_text(format_command_line(name, rest), load_shared_registry())


@pytest.mark.parametrize("text", [text for text in INLINE if text.startswith(("/", "@"))])
def test_what_it_names_exists(text: str) -> None:
    if text.startswith(OTHERS) or text == "@grognard":
        return
    text = (
        get_text_after_mention(text.replace("@grognard", "<@B>"), "B")
        if text.startswith("@")
        else text
    )
    words = text.removeprefix("/").removeprefix("grognard ").split()
    assert words == ["grognard"] or words[0] in load_shared_registry().top_names
    if len(words) > 1:
        load_shared_registry().find(words)


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("grognard ")])
def test_its_shell_commands_run(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out


def test_they_name_every_setting_and_address() -> None:
    for name in (
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
        "SLACK_SIGNING_SECRET",
        "SLACK_CLIENT_ID",
        "PORT",
    ):
        assert name in INLINE, name
    assert any(text.endswith(INSTALL_PATH) for text in INLINE)
