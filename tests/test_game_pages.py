"""The page of a game is typed into one channel, from its first line to its last, as a reader would."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from adapters.console.session import Session
from bot.rulesets.system import list_builtin_systems
from tests.author_pages import list_commands
from tests.fresh import fresh_app
from tools.game_pages.page import build_anchor, load_turns

GAMES = list(list_builtin_systems())
AT_ODDS_WITH_THE_GAME = re.compile(
    r"^  (Out of (turn|phase)|This is the)|has fired already", re.MULTILINE
)


def is_certain(command: str) -> bool:
    """Return whether an answer is the same for each reader: no die falls, or the page names it."""
    return "-table " in command or command.startswith("/game") or "hand=" in command


@pytest.mark.parametrize("game", GAMES)
async def test_each_example_of_a_page_runs_as_printed(
    root: Path, tmp_path: Path, game: str
) -> None:
    app, text = await fresh_app(), io.StringIO()
    session = Session(app, Console(file=text, width=80), "Anna", tmp_path)
    commands = list_commands(root, game)
    assert len(commands) > len(list_builtin_systems()[game].tables)
    for command, expected in commands:
        text.seek(text.truncate(0))
        await session.run_line(command)
        shown = [line for line in text.getvalue().replace("\0", "").splitlines() if line]
        assert not session.failed, f"{command}: {shown}"
        assert not AT_ODDS_WITH_THE_GAME.search("\n".join(shown)), f"{command}: {shown}"
        assert expected, f"{command}: a reader wants to see what comes of it"
        if is_certain(command):
            assert shown[0].startswith(expected[0]), command
            assert [line.strip() for line in shown[1 : len(expected)]] == [
                line.strip() for line in expected[1:]
            ]


@pytest.mark.parametrize("game", load_turns())
def test_the_turn_of_a_page_goes_through_all_phases(game: str) -> None:
    phases = list_builtin_systems()[game].game["phases"]
    turn = load_turns()[game]
    assert turn.count("/game next") == len(phases)


@pytest.mark.parametrize("game", GAMES)
def test_each_link_within_a_page_leads_to_a_heading(root: Path, game: str) -> None:
    text = (root / "docs" / f"{game}.md").read_text("utf-8")
    headings = [
        build_anchor(line.lstrip("# ")) for line in re.findall(r"^#+ .*$", text, re.MULTILINE)
    ]
    assert len(set(headings)) == len(headings), "two headings of a page have one address"
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= set(headings)
