"""A season of a ladder, from *seek* to confirmed results, by two bots that are killed again and
again: each result counts once.

It has 8 players and 5 kills on each store. SEASON_PLAYERS and SEASON_KILLS make it a long one, with
figures (benchmarks/README.md).
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.app import App
from bot.commands.ladder.ladder_docs import UNFINISHED
from bot.commands.seek.open_seeks import SEEK
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.storage.store import Store
from bot.verification.check_games import audit_games
from bot.verification.check_ladder import check_ladder
from tests.adapters import nursery
from tests.commands.ladder.played import Table, export_ladder
from tests.ladder import recompute_ratings
from tests.ladder.season_killed import ANY_STEP, HALL, PLAYERS, STEPS, Journal, get_person
from tests.standins.postgres import PostgresServer

KILLS = int(os.environ.get("SEASON_KILLS", "5"))
STEPS_OF_PLAYER = 13
"""The least number of steps of a season for each of its players."""
MOST_SECONDS = 0.04
"""The longest time from the start of a step to the death of the bots, which falls into it or into
the next one.
"""
Json = dict[str, Any]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/games.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.mark.slow
@pytest.mark.timeout(120 + 20 * PLAYERS)
async def test_each_result_counts_once_whenever_the_bots_are_killed(
    url: str, tmp_path: Path
) -> None:
    """Each button is pressed twice at the same time, at one bot and the other; and of two players
    who choose the same seek, one plays it.
    """
    chance = Random(47)
    for life in range(KILLS):
        kind = STEPS[life] if life < len(STEPS) else ANY_STEP
        steps = chance.randrange(1 + PLAYERS * STEPS_OF_PLAYER // (2 * KILLS))
        seconds = chance.uniform(0.0, MOST_SECONDS)
        assert await _play(url, tmp_path, kind, str(steps), str(seconds)) < 0, _read_log(tmp_path)
    assert await _play(url, tmp_path) == 0, _read_log(tmp_path)
    await _check_season(url, Journal(tmp_path / "journal"))


async def _play(url: str, folder: Path, *death: str) -> int:
    """Let the bots play on, and return the exit status, which is below 0 if they were killed."""
    season = await nursery.start(
        url,
        str(folder / "journal"),
        *death,
        cwd=folder,
        env=os.environ,
        log=folder / "log",
        module="tests.ladder.season_killed",
    )
    return await season.wait()


def _read_log(folder: Path) -> str:
    return (folder / "log").read_text("utf-8")


async def _check_season(url: str, journal: Journal) -> None:
    """Check that the ladder has the results that players saw, each once, and that the ratings are
    what a second program gives.
    """
    games = journal.list_values("confirm")
    end = max(game["time"] for game in games)
    async with await open_store(load_settings({"DATABASE_URL": url}), lambda: end) as store:
        app = App(store, lambda: end)
        ladder = await export_ladder(app, HALL)
        assert _list_results(ladder) == sorted(_list_seen(games))
        assert len({result["game"] for result in ladder["results"]}) == len(games)
        assert recompute_ratings.find_differences(ladder) == []
        rated = [result for result in ladder["results"] if result["rated"]]
        assert len(rated) < len(games), "the friends' fourth game of a month"
        await _check_standings(app, ladder)
        await _check_logs(app, ladder, games)
        await _check_store(store, len(games))
    _print_figures(url, journal, ladder)


def _list_results(ladder: Json) -> list[tuple[str, str, str, str, float]]:
    """Return the results of a ladder's file: title, players of both sides, winner, and time."""
    results = []
    for result in ladder["results"]:
        seats = result["players"]
        names = {seat["side"]: ladder["players"][seat["player"]] for seat in seats}
        winner = seats[result["winner"]]["side"] if "winner" in result else "draw"
        results.append((result["title"], names["US"], names["VC"], winner, result["time"]))
    return sorted(results)


def _list_seen(games: list[Json]) -> list[tuple[str, str, str, str, float]]:
    """Return the same of the games whose confirmation players have seen."""
    return [
        (game["title"], game["seats"]["US"], game["seats"]["VC"], game["winner"], game["time"])
        for game in games
    ]


async def _check_standings(app: App, ladder: Json) -> None:
    """Check that the first rows of the standings are the best by the second program."""
    ratings = recompute_ratings.recompute(ladder)
    shown_players = [player for player, (_, rated) in ratings.items() if rated >= 5]
    best = sorted(shown_players, key=lambda player: -ratings[player][0][0])
    rows = [f"{ladder['players'][player]} {ratings[player][0][0]:.0f}" for player in best[:15]]
    answers = []
    for request in ("computed", "stored"):
        reply = await app.run_text("ladder standings", get_person(0), HALL, request, {})
        answers.append(reply.format_text())
    assert answers[0] == answers[1]
    shown = [line.split()[1:3] for line in answers[0].splitlines()[2:17]]
    assert [" ".join(words) for words in shown[: len(rows)]] == rows


async def _check_logs(app: App, ladder: Json, games: list[Json]) -> None:
    """Check that every eighth result is proved by the log of its game."""
    last_games = {game["channel"]: game for game in games}
    channels = [int(channel.rpartition("/")[2]) for channel in last_games]
    logs = [await Table(app, channel, "export").export(get_person(0)) for channel in channels[::8]]
    findings = check_ladder(ladder, logs)
    assert (findings.faults, findings.proved) == ((), len(logs))


async def _check_store(store: Store, games: int) -> None:
    """Check that nothing is left unfinished, and that all logs are sound."""
    assert not await store.load_docs(UNFINISHED)
    assert not await store.load_docs(SEEK)
    assert await audit_games(store) == (games, [])


def _print_figures(url: str, journal: Journal, ladder: Json) -> None:
    """Print what the season came to, for a long one."""
    plays = journal.list_values("play")
    lost = plays.count(None)
    kinds = Counter(kind for kind, _ in journal.values)
    presses = len(plays) + kinds["confirm"] + kinds["return"]
    print(
        f"{url.partition(':')[0]}: {PLAYERS} players, {kinds['seek']} seeks, {kinds['list']} lists, "
        f"{len(ladder['results'])} games, {kinds['return']} of them return games, "
        f"{len(ladder['results'])} results, {KILLS} kills, {presses} double presses, "
        f"{lost} seeks that another player took first"
    )
