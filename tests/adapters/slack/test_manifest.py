"""The manifest, as Slack would take it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.slack import installation
from adapters.slack.installation import SCOPES, make_manifest
from bot.__main__ import main
from bot.commands.dispatch import load_shared_registry
from bot.ui.typing.command_writer import TAKEN, CommandReader, write_command
from tests.packs.conftest import use_packs as use_packs
from tests.standins.slack import check_manifest


@pytest.mark.parametrize(
    "url", ["", "https://bot.example.org", "https://example.org/grognard/slack/events"]
)
def test_slack_takes_the_manifest(url: str) -> None:
    made = make_manifest(load_shared_registry(), url)
    assert check_manifest(made) == []
    names = {command["command"] for command in made["features"]["slash_commands"]}
    assert names == {
        f"/{name}" for name in {*load_shared_registry().top_names, "grognard"} - {"me", "find"}
    }
    assert made["settings"]["socket_mode_enabled"] is not bool(url)
    assert ("request_url" in made["settings"]["interactivity"]) is bool(url)
    assert made["oauth_config"]["scopes"]["bot"] == sorted(SCOPES)


MOST_COMMANDS = 45
"""Slash commands of our own: Slack takes 50, the others are left to packs."""


def test_slack_gets_few_slash_commands_of_our_own() -> None:
    made = make_manifest(load_shared_registry())
    names = [command["command"] for command in made["features"]["slash_commands"]]
    assert len(names) == len(set(names)) <= MOST_COMMANDS
    assert "/grognard" in names
    assert "/find" not in names, "it follows /grognard"
    written = write_command("/find melee odds", CommandReader.SLACK, load_shared_registry())
    assert written == "/grognard find melee odds"


def test_no_name_is_one_of_slacks_own() -> None:
    """One such name, and Slack refuses the whole manifest."""
    own = "active archive away call collapse dm dnd expand feed feedback invite join kick leave me msg mute open"
    own += " prefs pro remind remove rename search shortcuts shrug star status topic unarchive who"
    assert set(own.split()) & set(load_shared_registry().top_names) == set(TAKEN), (
        "these follow /grognard"
    )


def test_it_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["manifest", "slack", "--url", "https://bot.example.org"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (
        made["settings"]["event_subscriptions"]["request_url"]
        == "https://bot.example.org/slack/events"
    )
    assert main(["manifest", "slack", "--url", "bot.example.org"]) == 2
    assert main(["manifest", "teams"]) == 2


def test_packs_that_have_no_room_follow_grognard_and_are_named(
    use_packs: Callable[[Path], None],
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With all free packs of the project, and a limit that they exceed."""
    use_packs(root / "packs")
    monkeypatch.setattr(installation, "MOST_COMMANDS", 1_000)
    whole, none_left_out = installation.split_commands(load_shared_registry())
    assert none_left_out == []
    monkeypatch.setattr(installation, "MOST_COMMANDS", len(whole) - 3)
    names, left_out = installation.split_commands(load_shared_registry())
    assert len(names) == len(whole) - 3
    assert all(name.endswith("-table") for name in left_out)
    assert {*whole} - {*names} == {*left_out}
    assert main(["manifest", "slack"]) == 0
    assert "Type them after /grognard." in capsys.readouterr().err
