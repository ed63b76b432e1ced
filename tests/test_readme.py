"""The README tells the truth: its console examples are played, its shell examples are run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import main

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
FIGHTS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
SHELL = [line for line in README.splitlines() if line.startswith("grognard ")]


def typed_and_shown(text: str) -> list[tuple[str, list[str]]]:
    """Each command with the lines that follow it."""
    pieces = re.split(r"^> ", text, flags=re.MULTILINE)[1:]
    return [(piece.splitlines()[0], [line for line in piece.splitlines()[1:] if line]) for piece in pieces]


@pytest.mark.parametrize("fight", FIGHTS)
def test_the_fight_goes_as_the_readme_says(fight: str) -> None:
    commands = [command for command, _ in typed_and_shown(fight)]
    done = subprocess.run(
        [sys.executable, "-m", "bot", "play"],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    for (command, expected), (run, shown) in zip(typed_and_shown(fight), typed_and_shown(done.stdout), strict=True):
        assert run == command
        assert shown[: len(expected)] == expected, "an answer begins as the README shows it"
        assert len(shown) - len(expected) <= 2, "only buttons and a footer may follow"


@pytest.mark.parametrize("line", SHELL)
def test_shell_examples_run(
    line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # pictures are written where one is
    words = shlex.split(line)[1:]
    if words[0] not in ("batch", "play"):
        assert main(words) == 0
        assert capsys.readouterr().out
