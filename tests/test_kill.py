"""A bot that is killed at random moments under load: what was answered is there, once, and explains itself."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from bot.app import App
from bot.audit import audit
from bot.command import Person, Place
from bot.stores.sqlite import SqliteStore, open_sqlite

KILLS = 50
GAMES = 4
COMMANDS = (
    "/roll 2d6",
    '/lnlt fire attackers="squad fp=4" targets="squad morale=5; leader morale=6" adjacent',
    "/game undo",
    '/unit add "Squad {n}" squad US "morale=5"',
    "/roll d20 secret",
    '/lnlt fire attackers="Squad {n}" targets="squad morale=4"',
    "/game redo",
)
MINUTES = 2  # between two lives: whoever was to post an answer has had his time


def test_nothing_that_was_answered_is_lost_or_told_twice(tmp_path: Path) -> None:
    chance = random.Random(50)
    for life in range(KILLS):
        process = bot(tmp_path, life)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.random() * 0.12)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
    assert bot(tmp_path, KILLS, "rest").wait(20) == 0, "the last life posts what is left"

    lines = [line.split() for line in (tmp_path / "platform").read_text().splitlines()]
    posted = Counter(request for word, request in lines if word == "post")
    confirmed = [request for word, request in lines if word == "confirmed"]
    assert len(confirmed) > KILLS
    # Killed between posting and storing that, nobody can know: at most one answer of each game and life comes twice.
    assert sum(count - 1 for count in posted.values()) <= KILLS * GAMES
    seen: set[str] = set()
    for word, request in lines:
        assert not (word == "post" and request in seen), "what was noted as posted is never posted again"
        seen |= {request} if word == "confirmed" else set()
    assert seen <= set(posted)
    asyncio.run(check(tmp_path, set(posted)))


async def check(folder: Path, posted: set[str]) -> None:
    async with open_sqlite(folder / "games.db") as store:
        assert not await store.check()
        count, faults = await audit(store)
        assert count == GAMES
        assert faults == [], "chain whole, dice as promised, state equals replay"
        for game in await store.games():
            numbers = [event.number for event in await store.events(game)]
            assert numbers == list(range(1, len(numbers) + 1)), "no event number missing or doubled"
        for request in posted:
            reply = await store.seen(request)
            assert reply is not None, "every answered command was stored"
        committed = await store._reader.run(lambda conn: {id for (id,) in conn.execute("SELECT id FROM requests")})
        assert committed == posted, "every stored answer was posted"


def bot(folder: Path, life: int, *words: str) -> subprocess.Popen[str]:
    """This file as a bot of its own, in its so many-th life."""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    command = [sys.executable, __file__, str(folder), str(life), *words]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


class Platform:
    """Where answers are posted: one line each in a file that outlives us."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "platform", os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(self, word: str, request: str) -> None:
        os.write(self._file, f"{word} {request}\n".encode())


async def play(app: App, platform: Platform, game: int, life: int) -> None:
    """Two players take turns for ever."""
    chance = random.Random(f"{game} {life}")
    where = Place(f"kill:{game}")
    for number in range(10_000):
        request = f"r-{game}-{life}-{number}"
        text = chance.choice(COMMANDS).format(n=chance.randrange(100))
        who = Person(f"kill:{'ab'[number % 2]}", "ab"[number % 2])
        reply = await app.run_text(text, who, where, request, {"token": request})
        if reply.outbox:
            platform.note("post", request)
            await app.delivered(reply)
            platform.note("confirmed", request)


async def post_what_is_left(app: App, platform: Platform) -> None:
    while due := await app.due("kill:"):
        for answer in due:
            request = str(answer.delivery["token"])
            platform.note("post", request)
            await app.delivered(answer.id)
            platform.note("confirmed", request)


async def main() -> None:
    folder, life, *rest = sys.argv[1:]

    def clock() -> float:
        return time.time() + int(life) * MINUTES * 60

    app = App(await SqliteStore.open(Path(folder) / "games.db", clock=clock), clock)
    platform = Platform(Path(folder))
    try:
        if rest:
            await post_what_is_left(app, platform)
            return
        print("ready", flush=True)
        async with asyncio.timeout(20):  # nobody killed us
            players = [play(app, platform, game, int(life)) for game in range(GAMES)]
            await asyncio.gather(post_what_is_left(app, platform), *players)
    finally:
        await app.close()


if __name__ == "__main__":
    asyncio.run(main())
