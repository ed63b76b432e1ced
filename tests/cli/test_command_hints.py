"""Hints of the command line: what is missing is explained by the command's own help."""

from __future__ import annotations

import pytest

from bot.__main__ import COMMANDS, main

ALONE = ("tables", "lookup", "resolve", "odds", "verify", "picture", "report", "new", "check")


@pytest.mark.parametrize("command", ALONE)
def test_a_command_alone_names_its_own_help(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command in COMMANDS
    assert main([command]) == 2
    assert f"is missing. grognard {command} --help" in capsys.readouterr().err
    assert main([command, "--help"]) == 0
    assert f"grognard {command}" in capsys.readouterr().out
