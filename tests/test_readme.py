"""README, first fight and shell page tell the truth: what they show is played, their shell lines
are run.
"""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from adapters.console.session import Session
from bot.__main__ import main
from tests.fresh import fresh_app

ROOT = Path(__file__).parent.parent
README, FIRST_FIGHT, SHELL_PAGE = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/first-fight.md", "docs/shell.md")
)
FIGHTS = re.findall(r"```console\n(.*?)```", FIRST_FIGHT, re.DOTALL)
SHELL = [line for line in SHELL_PAGE.splitlines() if line.startswith("grognard ")]


def typed_and_shown(text: str) -> list[tuple[str, list[str]]]:
    """Each command with the lines that follow it."""
    pieces = re.split(r"^> ", text, flags=re.MULTILINE)[1:]
    return [
        (piece.splitlines()[0], [line for line in piece.splitlines()[1:] if line])
        for piece in pieces
    ]


def test_there_are_fights_and_lines_for_a_shell() -> None:
    assert len(FIGHTS) == 4
    assert len(SHELL) == 5


@pytest.mark.parametrize("terminal", [True, False])
async def test_four_lines_and_three_letters_make_a_fight(tmp_path: Path, terminal: bool) -> None:
    """The lines that the README begins with, at a terminal or in a pipe: each is answered, none is
    refused, and the shots are legal.
    """
    (block,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    app, shown = await fresh_app(), io.StringIO()
    session = Session(app, Console(file=shown, width=110), "Player", tmp_path, terminal=terminal)
    answers = []
    for command, _ in typed_and_shown(block):
        shown.truncate(0)
        await session.run_line(command)
        answers.append(shown.getvalue().replace("\0", ""))
    start, initiative, phase, shot, odds, undone, other = answers
    assert 'starts "The Ford at Dawn"' in start
    assert "US" in initiative
    assert "Operations" in phase
    assert "Rifle 1 fires" in shot
    assert "was fired" in odds
    assert "is undone" in undone
    assert "Local 3" in other
    everything = "".join(answers)
    assert "Error" not in everything
    assert "This is the" not in everything
    assert "has already fired" not in everything
    assert "out of turn" not in everything.casefold()


@pytest.mark.sample(1)
def test_the_first_fight_goes_as_the_page_says() -> None:
    """A reader types the whole page into one channel, from the first line to the last."""
    page = "".join(FIGHTS)
    commands = [command for command, _ in typed_and_shown(page)]
    done = subprocess.run(
        [sys.executable, "-m", "bot", "play"],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == int("Error: " in done.stdout), done.stderr
    assert "out of turn" not in done.stdout.casefold()
    for (command, expected), (run, shown) in zip(
        typed_and_shown(page), typed_and_shown(done.stdout), strict=True
    ):
        assert run == command
        assert shown[: len(expected)] == expected, "an answer begins as the page shows it"
        most_more = 2 if expected else 20
        assert len(shown) - len(expected) <= most_more, "only buttons and a footer may follow"
        assert not any("This is the" in line for line in shown), "the shot is legal"


@pytest.mark.parametrize("line", SHELL)
def test_shell_examples_run(
    line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # pictures are written where one is
    words = shlex.split(line)[1:]
    if words[0] not in ("batch", "play"):
        assert main(words) == 0
        assert capsys.readouterr().out
