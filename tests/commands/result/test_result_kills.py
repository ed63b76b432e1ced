"""A bot that is killed while it confirms results and starts return games: each happens once."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from bot.app import App
from bot.commands.ladder.ladder_docs import CONFIRMED, COUNTING, PLAYED, RESULT, UNFINISHED
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.ui.spec import Person, Place
from bot.verification.check_games import audit_games
from tests.results_killed import ACTIONS, BEN, SERVER
from tests.standins.postgres import PostgresServer

COUNT = 12
ANNA = Person("discord:1", "Anna", manager=True)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/games.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


async def play_first_games(url: str) -> list[str]:
    """Play the first games of several series until they have ended, and return their rows."""
    rows = []
    async with await open_store(load_settings({"DATABASE_URL": url})) as store:
        app = App(store)
        await app.run_text("setup ladder on", ANNA, Place(f"{SERVER}/0", SERVER), "ladder", {})
        for number in range(COUNT):
            room = Place(f"{SERVER}/{number}", SERVER)
            line = "seek game daily lnlt scenario=ford side=both counts"
            card = (await app.run_text(line, ANNA, room, f"seek-{number}", {})).announce
            assert card is not None
            await app.press(card.buttons[0].action, BEN, room, f"play-{number}", {})
            await app.run_text("roll 2d6", BEN, room, f"roll-{number}", {})
            line = "game end winner=US confirm"
            summary = (await app.run_text(line, ANNA, room, f"end-{number}", {})).announce
            assert summary is not None, number
            action, _, row = summary.buttons[0].action.partition(":")
            assert action == ACTIONS[0]
            rows.append(row)
    return rows


async def check_games(url: str, rows: list[str]) -> None:
    """Check that each game has one result and one return game, and that all games are sound."""
    async with await open_store(load_settings({"DATABASE_URL": url})) as store:
        assert await audit_games(store) == (2 * COUNT, [])
        results = await store.load_docs(RESULT)
        assert len({doc.data["game"] for doc in results}) == len(results) == COUNT
        states = Counter(doc.data["state"] for doc in await store.load_docs(PLAYED))
        assert states == {CONFIRMED: 2 * COUNT, COUNTING: 2 * COUNT}
        assert len(await store.load_docs(UNFINISHED)) == COUNT
        app = App(store)
        for number, row in enumerate(rows):
            kinds = Counter(event.data["kind"] for event in await store.load_events(row))
            assert kinds["confirm"] == 1
            room = Place(f"{SERVER}/{number}", SERVER)
            for action in ACTIONS:
                again = await app.press(f"{action}:{row}", BEN, room, f"again-{action}-{row}", {})
                assert again.code in ("no-change", "not-asked"), again.format_text()


def test_a_result_and_its_return_game_are_there_once_whenever_the_bot_is_killed(
    url: str, root: Path
) -> None:
    rows = asyncio.run(play_first_games(url))
    env = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "tests.results_killed", url, *rows]
    chance = Random(47)
    killed = 0
    for _ in range(6):
        with subprocess.Popen(command, env=env, cwd=root, stdout=subprocess.PIPE, text=True) as bot:
            assert bot.stdout is not None
            bot.stdout.readline()
            try:
                bot.wait(chance.uniform(0.0, 0.2))
            except subprocess.TimeoutExpired:
                bot.kill()
        killed += bot.returncode < 0
    assert killed
    done = subprocess.run(command, env=env, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    asyncio.run(check_games(url, rows))
