"""A bot whose database is not there yet: it waits, says so, and serves once it is; what no
waiting mends it refuses.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters import run as running
from adapters.web.health import BotMonitor
from bot.app import App
from bot.execution.promises import NOTE
from bot.runtime.settings import Settings, load_settings
from bot.storage.base import PassingError, StoreError
from bot.storage.sqlite import SqliteStore
from tests.adapters.discord.process import Bot
from tests.fresh import fresh_app
from tests.monitoring.running_helpers import get
from tests.ports import free_port
from tests.standins.discord import DiscordStandIn
from tests.standins.postgres import PostgresServer, postgres_server
from tests.storage.full_disk_helpers import fill, small_disk

__all__ = ["small_disk"]  # a fixture


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that this test alone may stop."""
    with postgres_server() as server:
        yield server


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "AGAIN", 0.1)
    monkeypatch.setattr(running, "WAITS", (0.02,))


def settings_of(url: str, tmp_path: Path) -> Settings:
    return load_settings(
        {"DATABASE_URL": url, "GROGNARD_DATA": str(tmp_path)}, tmp_path / "no-such-file"
    )


async def opened(settings: Settings) -> App:
    return await asyncio.wait_for(running._open_app(settings, BotMonitor(settings)), 30)


async def told(waiting: asyncio.Task[Any], is_told: Callable[[], bool]) -> None:
    """Until it is told, and for four more attempts, after which it waits still."""
    for _ in range(1_200):
        if is_told():
            break
        await asyncio.wait({waiting}, timeout=0.05)
    await asyncio.wait({waiting}, timeout=0.45)
    assert not waiting.done()


@asynccontextmanager
async def answering(code: str, words: str) -> AsyncIterator[str]:
    """The address of a server that refuses each connection with an error of PostgreSQL's."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        size = int.from_bytes(await reader.readexactly(4), "big")
        asked = await reader.readexactly(size - 4)
        if asked[:4] == (80877103).to_bytes(4, "big"):  # whether it speaks TLS: no
            writer.write(b"N")
            size = int.from_bytes(await reader.readexactly(4), "big")
            await reader.readexactly(size - 4)
        said = b"".join(
            text.encode() + b"\0" for text in ("SFATAL", "VFATAL", f"C{code}", f"M{words}")
        )
        writer.write(b"E" + (len(said) + 5).to_bytes(4, "big") + said + b"\0")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"postgresql://grognard:Zwiebel@127.0.0.1:{port}/grognard"


async def test_a_server_that_comes_later_is_waited_for_with_one_line(
    own_server: PostgresServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(own_server.new_database(), tmp_path)
    own_server.stop()
    caplog.set_level(logging.INFO)
    waiting = asyncio.create_task(opened(settings))
    await told(waiting, lambda: "trying again" in caplog.text)
    [line] = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert line == (
        f"PostgreSQL at {own_server.folder} does not answer (no server at its socket); trying again every 0.1 s"
    )
    await asyncio.to_thread(own_server.start)
    app = await waiting
    assert (await app.store.list_games()) == []
    assert "the database is there, after" in caplog.text
    await app.close()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1:1", "connection refused"),
        ("no-such-name.invalid:5432", "its name cannot be found"),
    ],
)
async def test_where_nobody_listens_host_and_port_are_named_and_no_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, address: str, why: str
) -> None:
    settings = settings_of(f"postgresql://grognard:Zwiebel@{address}/grognard", tmp_path)
    lookout = BotMonitor(settings)
    waiting = asyncio.create_task(running._open_app(settings, lookout))
    said = f"PostgreSQL at {address} does not answer ({why})"
    await told(waiting, lambda: said in caplog.text)
    waiting.cancel()
    assert caplog.text.count(f"{said}; trying again every 0.1 s") == 1
    assert "Zwiebel" not in caplog.text
    assert (await lookout._health.look()).troubles == (f"{said}.",)
    assert lookout._health.sight.unready == f"{said}."


async def test_a_database_system_that_is_starting_up_is_waited_for(tmp_path: Path) -> None:
    async with answering("57P03", "the database system is starting up") as url:
        with pytest.raises(
            PassingError, match=r"does not answer \(the database system is starting up\)"
        ):
            await App.open(settings_of(url, tmp_path), at_once=True)
    async with answering("53300", "sorry, too many clients already") as url:
        with pytest.raises(PassingError, match="too many connections"):
            await App.open(settings_of(url, tmp_path), at_once=True)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("28P01", "The database rejects the bot's password."),
        ("3D000", "The database does not exist."),
        ("28000", "The database rejects the bot's user."),
    ],
)
async def test_what_a_person_must_mend_ends_the_start_with_kind_words(
    tmp_path: Path, code: str, said: str
) -> None:
    async with answering(code, "FATAL words") as url:
        with pytest.raises(StoreError, match=said) as refused:
            await opened(settings_of(url, tmp_path))
    assert not refused.value.is_passing
    assert "Zwiebel" not in str(refused.value)
    assert "None of it was saved" not in str(refused.value)


@pytest.mark.parametrize("query", ["?sslmode=nonsense", "?target_session_attrs=nonsense"])
async def test_an_address_that_cannot_be_used_is_not_waited_for(tmp_path: Path, query: str) -> None:
    settings = settings_of(f"postgresql://grognard:Zwiebel@127.0.0.1:1/grognard{query}", tmp_path)
    with pytest.raises(StoreError, match="DATABASE_URL") as refused:
        await opened(settings)
    assert not refused.value.is_passing
    assert "Zwiebel" not in str(refused.value)


async def test_a_file_that_is_locked_at_the_start_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with await SqliteStore.open(tmp_path / "grognard.db"):
        pass
    defaults = SqliteStore.open.__func__.__kwdefaults__  # type: ignore[attr-defined]
    monkeypatch.setitem(defaults, "busy_seconds", 0.1)
    db = sqlite3.connect(tmp_path / "grognard.db", isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    waiting = asyncio.create_task(opened(settings_of("sqlite:///grognard.db", tmp_path)))
    for _ in range(1_200):
        if "is locked by another program" in caplog.text:
            break
        await asyncio.wait({waiting}, timeout=0.05)
    assert not waiting.done()
    db.execute("ROLLBACK")
    db.close()
    app = await waiting
    await app.close()


async def test_a_full_disk_at_the_start_is_waited_for(
    small_disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = small_disk / "data"
    ballast = await asyncio.to_thread(fill, small_disk)
    waiting = asyncio.create_task(opened(settings_of("sqlite:///grognard.db", data)))
    for _ in range(1_200):
        if "trying again every" in caplog.text:
            break
        await asyncio.wait({waiting}, timeout=0.05)
    assert not waiting.done(), waiting.exception()
    assert caplog.text.count("trying again every") == 1
    ballast.unlink()
    app = await waiting
    await app.close()


async def test_a_store_that_fails_in_a_running_bot_never_ends_it(tmp_path: Path) -> None:
    """Whatever a database does while it is in use, the platform is begun again."""
    begun: list[int] = []

    async def serve(_: App) -> None:
        begun.append(1)
        if len(begun) < 4:
            raise StoreError("The database was written by a newer Grognard.")
        await asyncio.Event().wait()

    app = await fresh_app()
    kept = asyncio.create_task(running._serve_with_restarts(serve, app))
    await told(kept, lambda: len(begun) == 4)
    assert len(begun) == 4
    kept.cancel()
    await app.close()


@pytest.mark.slow
async def test_bot_and_database_started_in_every_order(
    own_server: PostgresServer, tmp_path: Path
) -> None:
    """The bot first, then PostgreSQL; then PostgreSQL alone again; then both: what health,
    systemd and the log say.
    """
    port, told = str(free_port()), tmp_path / "notify"
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(str(told))
    heard.settimeout(60)
    url = own_server.new_database()
    own_server.stop()
    away = f"PostgreSQL at {own_server.folder} does not answer (no server at its socket)."
    async with DiscordStandIn.running() as discord:
        bot = Bot(discord, tmp_path, DATABASE_URL=url, HEALTH_PORT=port, NOTIFY_SOCKET=str(told))
        await bot.start(ready=False)
        try:
            said = b""
            while b"WATCHDOG=1" not in said or b"does not answer" not in said:
                said += await asyncio.to_thread(heard.recv, 500) + b"\n"
            assert said.startswith(b"READY=1\nSTATUS=starting")
            assert f"STATUS=waiting: {away}".encode() in said
            assert await get(port, "/healthz") == (503, f"{away}\n")
            assert await get(port, "/readyz") == (503, f"{away}\n")
            assert await get(port, "/livez") == (200, "ok\n"), "starting it again would help nobody"
            assert (await get(port, "/metrics"))[0] == 200
            assert "grognard_healthy 0.0" in (await get(port, "/metrics"))[1]
            assert not discord.gateway.sessions, (
                "no platform is connected before there is a database"
            )
            assert bot.process.returncode is None
            await asyncio.to_thread(own_server.start)
            await discord.ready()
            anna, table = discord.user("Anna"), discord.channel("table")
            assert NOTE not in (await (await anna.slash(table, "roll", dice="2d6")).answer()).text
            assert "the database is there, after" in bot.log
            assert bot.log.count("does not answer") == 1

            own_server.stop()
            assert NOTE in (await (await anna.slash(table, "roll", dice="2d6")).answer()).text
            for _ in range(60):
                if (await get(port, "/healthz"))[1].startswith("commits fail"):
                    break
                await asyncio.sleep(0.5)
            status, said_now = await get(port, "/healthz")
            assert (status, said_now.splitlines()[0]) == (503, f"commits fail: {away}")
            assert await get(port, "/livez") == (200, "ok\n")
            await asyncio.to_thread(own_server.start)
            for _ in range(60):
                if (await get(port, "/healthz"))[0] == 200:
                    break
                await asyncio.sleep(0.5)
            assert await get(port, "/healthz") == (200, "ok\n")
            assert NOTE not in (await (await anna.slash(table, "roll", dice="2d6")).answer()).text
            assert bot.log.count("does not answer") == 3, "by the store, and by health"
            assert "answers again, after" in bot.log
            assert bot.log.count(" ERROR ") <= 4
            assert "Traceback" not in bot.log

            own_server.stop()
            assert await bot.stop() == 0
            await bot.start(ready=False)
            await asyncio.sleep(3)
            assert await bot.stop() == 0, "it ends in good order while it waits"
        finally:
            if bot.process.returncode is None:
                bot.process.kill()
                await bot.process.wait()
            print(bot.log)
            heard.close()
