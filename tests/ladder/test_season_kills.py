"""A season of a ladder, by two bots that are killed again and again: each result counts once.

It has 16 players, or as many as SEASON_PLAYERS says.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.app import App
from bot.commands.ladder.ladder_docs import UNFINISHED
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.storage.store import Store
from bot.verification.check_games import audit_games
from bot.verification.check_ladder import check_ladder
from tests.commands.ladder.played import Table, export_ladder
from tests.ladder import recompute_ratings
from tests.ladder.season_killed import HALL, PLAYERS, PlannedGame, get_person, plan_season
from tests.standins.postgres import PostgresServer

ROOT = Path(__file__).resolve().parents[2]
KILLS = 6
Json = dict[str, Any]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/games.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


def test_the_season_is_one_of_players_who_share_hours() -> None:
    games = plan_season()
    players = Counter(player for game in games for player in (game.first, game.second))
    assert len(players) == PLAYERS
    assert min(players.values()) == 6
    months = {recompute_ratings.get_month(game.confirmed) for game in games}
    assert len(months) >= 3
    assert any(
        recompute_ratings.get_month(game.ends) != recompute_ratings.get_month(game.confirmed)
        for game in games
    )


@pytest.mark.slow
def test_each_result_counts_once_whenever_the_bots_are_killed(url: str) -> None:
    """Every button is pressed twice at the same time, at one bot and the other."""
    command = [sys.executable, "-m", "tests.ladder.season_killed", url]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    chance = Random(47)
    killed = 0
    for _ in range(KILLS):
        with subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True) as bot:
            assert bot.stdout is not None
            bot.stdout.readline()
            try:
                bot.wait(chance.uniform(0.0, 6.0))
            except subprocess.TimeoutExpired:
                bot.kill()
        killed += bot.returncode < 0
    assert killed
    finished = subprocess.run(
        command, env=env, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    asyncio.run(_check_season(url, plan_season()))


async def _check_season(url: str, games: list[PlannedGame]) -> None:
    """Check that each game has its one result, and that ratings are what a second program gives."""
    end = max(game.confirmed for game in games)
    async with await open_store(load_settings({"DATABASE_URL": url}), lambda: end) as store:
        app = App(store, lambda: end)
        ladder = await export_ladder(app, HALL)
        results = {result["title"]: result for result in ladder["results"]}
        assert len(ladder["results"]) == len(results) == len(games)
        for game in games:
            _compare(ladder, results[f"Game {game.number}"], game)
        assert recompute_ratings.find_differences(ladder) == []
        rated = [result for result in results.values() if result["rated"]]
        assert len(rated) < len(games)
        await _check_standings(app, ladder)
        await _check_logs(app, ladder, games)
        await _check_store(store, games)


def _compare(ladder: Json, result: Json, game: PlannedGame) -> None:
    """Check that a result is the one that its players agreed on."""
    names = [ladder["players"][seat["player"]] for seat in result["players"]]
    winner = {None: "draw", 0: "US", 1: "VC"}[result.get("winner")]
    players = [get_person(game.first).name, get_person(game.second).name]
    assert (names, winner) == (players, game.winner)
    assert abs(result["time"] - game.confirmed) <= 1


async def _check_standings(app: App, ladder: Json) -> None:
    """Check that the first rows of the standings are the best by the second program."""
    ratings = recompute_ratings.recompute(ladder)
    best = sorted(ratings, key=lambda player: -ratings[player][0][0])
    rows = [f"{ladder['players'][player]} {ratings[player][0][0]:.0f}" for player in best]
    answers = []
    for request in ("computed", "stored"):
        reply = await app.run_text("ladder standings", get_person(0), HALL, request, {})
        answers.append(reply.format_text())
    assert answers[0] == answers[1]
    shown = [line.split()[1:3] for line in answers[0].splitlines()[2:17]]
    assert [" ".join(words) for words in shown] == rows[:15]


async def _check_logs(app: App, ladder: Json, games: list[PlannedGame]) -> None:
    """Check that every eighth result is proved by the log of its game."""
    logs = []
    for game in games[::8]:
        table = Table(app, 100 + game.number, "export")
        logs.append(await table.export(get_person(game.first)))
    findings = check_ladder(ladder, logs)
    assert (findings.faults, findings.proved) == ((), len(logs))


async def _check_store(store: Store, games: list[PlannedGame]) -> None:
    """Check that no game is unfinished, and that all logs are sound."""
    assert not await store.load_docs(UNFINISHED)
    assert await audit_games(store) == (len(games), [])
