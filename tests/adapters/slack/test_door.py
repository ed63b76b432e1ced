"""Connections that say nothing, or come by the hundred, keep nobody else out."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from adapters import web_server
from adapters.slack.http import create_web_app
from adapters.web_server import Door, open_port
from bot.runtime.logs import Seldom
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.ports import HERE
from tests.standins.slack import SlackStandIn

HALF = b"POST /slack/events HTTP/1.1\r\nHost: x\r\n"
SIGNED = b"X-Slack-Request-Timestamp: 1800000000\r\nX-Slack-Signature: v0=" + b"0" * 64 + b"\r\n"


@asynccontextmanager
async def behind_a_door(places: int) -> AsyncIterator[tuple[Door, int]]:
    """A door with so many places, and its port."""
    nobody: Any = None
    doors: list[Door] = []

    def make_door(serve: web.Server) -> Door:
        doors.append(Door(serve, places))
        return doors[0]

    async with open_port(
        create_web_app(nobody, "secret"), HERE, "", make_door, shutdown_timeout=0.2
    ) as server:
        yield doors[0], server.sockets[0].getsockname()[1]


async def knock(port: int, said: bytes = HALF) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(said)
    return reader, writer


async def inside(keeper: Door, count: int) -> None:
    """Wait until so many connections are inside, and look whether that holds."""
    for _ in range(3_000):
        if keeper.connection_count == count:
            break
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    assert keeper.connection_count == count


async def health(port: int) -> int:
    timeout = aiohttp.ClientTimeout(total=30)
    url = f"http://127.0.0.1:{port}/health"
    async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as answer:
        return answer.status


async def test_who_says_nothing_makes_room_for_who_does() -> None:
    async with behind_a_door(places=10) as (keeper, port):
        silent = [await knock(port) for _ in range(30)]
        await asyncio.sleep(0.05)
        assert keeper.connection_count <= 10
        assert [await health(port) for _ in range(5)] == [200] * 5
        for _, writer in silent:
            writer.close()
        await inside(keeper, 0)
        assert not keeper._visitors
        assert not keeper._silent


async def test_a_head_that_does_not_come_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(web_server, "HEAD_SECONDS", 0.1)
    async with behind_a_door(places=10) as (keeper, port):
        reader, writer = await knock(port)
        for _ in range(5):  # a word now and then does not help
            await asyncio.sleep(0.04)
            writer.write(b"X-More: 1\r\n")
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(reader.readexactly(1), 30)
        assert keeper.connection_count == 0


@pytest.mark.parametrize("line_ends", [b"\r\n\r\n", b"\n\n"])
async def test_line_ends_alone_are_no_head(
    line_ends: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sends them still says nothing, and makes room; a head may come after them."""
    monkeypatch.setattr(web_server, "HEAD_SECONDS", 1.0)
    async with behind_a_door(places=10) as (keeper, port):
        keeper.streams = True
        silent, _ = await knock(port, line_ends)
        late, writer = await knock(port, line_ends)
        await inside(keeper, 2)
        assert len(keeper._silent) == 2
        writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await asyncio.wait_for(late.read(), 30)).endswith(b"ok")
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(silent.readexactly(1), 30)
        assert keeper.connection_count == 0


async def test_requests_that_are_no_http_leave_one_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A traceback of each would let a stranger fill the disk."""
    web_server.often.filters[:] = [Seldom()]
    unreadable = (
        b"GET /" + b"a" * 20_000,
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200,
        HALF + SIGNED + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    )
    async with behind_a_door(places=10) as (keeper, port):
        for said in unreadable * 5:
            _, writer = await knock(port, said)
            await inside(keeper, 0)
            writer.close()
        assert await health(port) == 200
    lines = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.exc_info for record in lines] == [None]
    assert "is no HTTP" in lines[0].message


async def test_a_connection_serves_one_request_and_has_a_longest_life(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with behind_a_door(places=10) as (keeper, port):
        reader, _ = await knock(port, b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), 30)).endswith(b"ok")
        monkeypatch.setattr(web_server, "LIFE_SECONDS", 0.1)
        reader, _ = await knock(port, HALF + SIGNED + b"Content-Length: 100\r\n\r\nx")
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(reader.readexactly(1), 30)
        assert keeper.connection_count == 0


async def test_one_address_from_outside_has_so_many_places_and_a_proxy_here_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(web_server, "PER_ADDRESS", 3)
    async with behind_a_door(places=10) as (keeper, port):
        from_here = [await knock(port) for _ in range(6)]
        await inside(keeper, 6)
        for _, writer in from_here:
            writer.close()
        await inside(keeper, 0)
        monkeypatch.setattr(web_server, "_get_peer_address", lambda _: "192.0.2.7")
        from_there = await asyncio.gather(*(knock(port) for _ in range(6)))
        await inside(keeper, 3)
        for _, writer in from_there:
            writer.close()
        await inside(keeper, 0)
        keeper._proxies = Door(lambda: asyncio.Protocol(), proxies=("192.0.2.0/24",))._proxies
        through_it = await asyncio.gather(*(knock(port) for _ in range(6)))
        await inside(keeper, 6)  # a proxy that the host named brings everybody's
        for _, writer in through_it:
            writer.close()


@pytest.mark.slow
@pytest.mark.usefixtures("crowd")
async def test_fifteen_hundred_half_open_connections_and_eight_commands(
    http_slack: SlackStandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(most, 4_096)), most))
    home, anna, _, games = settle(http_slack)
    async with running(http_slack, tmp_path, home) as bot:
        await (await anna.slash(games, "/roll", "2d6")).answer()
        # as if the host allowed no more
        resource.prlimit(bot.process.pid, resource.RLIMIT_NOFILE, (1_400, 1_400))
        held = [await knock(bot.port) for _ in range(1_500)]
        handles = [await anna.slash(games, "/roll", f"2d6 label=n{number}") for number in range(8)]
        for handle in handles:
            assert "2d6" in (await handle.answer()).text
        with capsys.disabled():
            times = [handle.ack_time or 9.0 for handle in handles]
            print(
                f"\n1,500 half-open connections: 8 of 8 commands, the slowest acknowledged in {max(times):.2f} s"
            )
        assert len(bot.log.splitlines()) < 30
        for _, writer in held:
            writer.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))
