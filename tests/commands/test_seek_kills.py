"""A bot that is killed while it starts the games of seeks, again and again: each starts once."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from bot.app import App
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.ui.spec import Person, Place
from bot.verification.check_games import audit_games
from tests.seek_killed import SERVER
from tests.standins.postgres import PostgresServer

ROOT = Path(__file__).resolve().parents[2]
COUNT, PER_PERSON = 48, 3


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/games.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


async def write_seeks(url: str) -> list[str]:
    """Store the seeks of several people, and return their ids."""
    ids = []
    async with await open_store(load_settings({"DATABASE_URL": url})) as store:
        app = App(store)
        for number in range(COUNT):
            writer = Person(f"discord:1{number // PER_PERSON}", f"P{number // PER_PERSON}")
            line = "seek game daily lnlt scenario=ford"
            reply = await app.run_text(line, writer, Place(f"{SERVER}/1", SERVER), f"w{number}", {})
            assert reply.announce is not None, reply.format_text()
            ids.append(reply.announce.buttons[0].action.partition(":")[2])
    return ids


async def check_games(url: str) -> None:
    """Check that each seek has one game, and that all games are sound."""
    async with await open_store(load_settings({"DATABASE_URL": url})) as store:
        assert await audit_games(store) == (COUNT, [])


def test_a_seek_starts_one_game_whenever_its_bot_is_killed(url: str) -> None:
    ids = asyncio.run(write_seeks(url))
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.seek_killed", url, *ids]
    chance = Random(47)
    killed = 0
    for _ in range(6):
        with subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True) as bot:
            assert bot.stdout is not None
            bot.stdout.readline()
            try:
                bot.wait(chance.uniform(0.0, 0.12))
            except subprocess.TimeoutExpired:
                bot.kill()
        killed += bot.returncode < 0
    assert killed
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    asyncio.run(check_games(url))
