"""No HTTP port of the bot reads what a stranger sends before it has looked at the head of the
request.

The ports come from the settings: a setting whose name ends in `port` is a port, and each test here
tries all of them.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import socket
import time
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from adapters.discord.http import PATH as DISCORD_PATH
from adapters.slack.http import MAX_BODY
from adapters.slack.http import PATH as SLACK_PATH
from adapters.web_server import PER_ADDRESS, Door, find_visitor_group
from bot.runtime.settings import Settings
from tests.adapters.discord.process import Bot
from tests.adapters.slack.conftest import settle, stand_in
from tests.ports import free_port
from tests.standins.discord import Channel, DiscordStandIn, Person
from tests.standins.slack import SlackStandIn

PORTS = [field.name for field in fields(Settings) if field.name.split("_")[-1] == "port"]
PATHS = {"port": SLACK_PATH, "discord_port": DISCORD_PATH}
"""The address that each platform posts to. Elsewhere any address will do."""
UNPACKED = bytes(16 * 2**20)
PACKED = {
    "gzip": gzip.compress(UNPACKED, 1),
    "deflate": zlib.compress(UNPACKED, 1),
    "br": bytes.fromhex("8bff7f80") + bytes(1_000),  # not read, so it need not be a whole one
    "zstd": bytes.fromhex("28b52ffd") + bytes(1_000),
    "gzip, br": gzip.compress(UNPACKED, 1),
    "identity": b"{}",
}
MOST_GROWTH = 50 * 2**10
"""Kilobytes by which the bot may grow."""
HUGE = 5_000_000_000


@dataclass(frozen=True, slots=True)
class Site:
    """A bot that serves both platforms, with all its ports open."""

    bot: Bot
    ports: Mapping[str, int]
    anna: Person
    games: Channel

    async def send(
        self, port: str, method: str, headers: Mapping[str, object], body: bytes = b""
    ) -> str:
        """Send a request, whole or only its beginning; return the first line of the answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.ports[port])
        lines = [f"{method} {PATHS.get(port, '/g/x')} HTTP/1.1", "Host: x"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        try:
            return (await asyncio.wait_for(reader.readline(), 60)).decode().strip()
        finally:
            writer.close()

    async def roll(self) -> None:
        """Roll dice; raise AssertionError if the answer is no roll."""
        answer = await (await self.anna.slash(self.games, "roll", dice="2d6")).answer()
        assert "2d6" in answer.text


@asynccontextmanager
async def platforms(data: Path) -> AsyncIterator[tuple[DiscordStandIn, SlackStandIn, Bot]]:
    """Run both platforms; yield them with a bot that has not started, and has a free port for
    every setting.
    """
    slack = await stand_in("http")
    home, *_ = settle(slack)
    try:
        async with DiscordStandIn.running() as discord:
            ports = {name.upper(): str(free_port()) for name in PORTS}
            settings = (
                slack.env(home) | {"DISCORD_PUBLIC_KEY": discord.world.signing.public_key} | ports
            )
            yield discord, slack, Bot(discord, data, "run", **settings)
    finally:
        await slack.stop()


@asynccontextmanager
async def all_ports(data: Path) -> AsyncIterator[Site]:
    """Start a bot with every port open."""
    async with platforms(data) as (discord, slack, bot):
        await bot.start(ready=False)
        ports = {name: int(bot.environment[name.upper()]) for name in PORTS}
        try:
            slack.request_url = f"http://127.0.0.1:{ports['port']}{SLACK_PATH}"
            await slack.reachable(timeout=60)
            await discord.until(lambda: bot.log.count("listening on") == 2)
            await discord.until(lambda: bool(discord.commands.all()))
            assert await discord.site.webhooks.use(
                f"http://127.0.0.1:{ports['discord_port']}{DISCORD_PATH}"
            )
            yield Site(bot, ports, discord.user("Anna"), discord.channel("games"))
        finally:
            assert await bot.stop() == 0, bot.log
            assert "Traceback" not in bot.log, bot.log


def highest_memory(bot: Bot) -> int:
    """Return the most memory that the bot has had, in kilobytes."""
    for line in Path(f"/proc/{bot.process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise AssertionError("this system does not say how much memory a process has")


def processor_time(bot: Bot) -> float:
    """Return the seconds of processor time that the bot has used."""
    user, system = (
        Path(f"/proc/{bot.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    )
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def test_no_port_unpacks_a_body(tmp_path: Path) -> None:
    """Packed bodies of 16 MB, ten of each kind at once, cost neither memory nor time, and a roll
    is still answered.
    """
    async with all_ports(tmp_path) as site:
        await site.roll()
        memory, seconds = highest_memory(site.bot), processor_time(site.bot)
        for port in PORTS:
            requests = []
            for encoding, body in PACKED.items():
                headers = {"Content-Encoding": encoding, "Content-Length": len(body)}
                requests += [
                    site.send(port, "POST" if port in PATHS else "GET", headers, body)
                    for _ in range(10)
                ]
            *answers, _ = await asyncio.gather(*requests, site.roll())
            assert set(answers) == {"HTTP/1.1 415 Unsupported Media Type"}, port
        assert highest_memory(site.bot) - memory < MOST_GROWTH
        assert processor_time(site.bot) - seconds < 5, "unpacking all of them takes longer"


async def test_large_bodies_of_strangers_are_read_a_few_at_a_time(tmp_path: Path) -> None:
    """Forty at once, with well-formed but false signatures, as large as the port takes them."""
    now = int(time.time())
    signed = {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": f"v0={'0' * 64}"}
    body = bytes(MAX_BODY)
    async with all_ports(tmp_path) as site:
        await site.roll()
        memory = highest_memory(site.bot)
        requests = [
            site.send("port", "POST", {**signed, "Content-Length": len(body)}, body)
            for _ in range(40)
        ]
        *answers, _ = await asyncio.gather(*requests, site.roll())
        assert set(answers) == {"HTTP/1.1 401 Unauthorized"}
        assert highest_memory(site.bot) - memory < 2 * MOST_GROWTH


async def test_a_request_is_refused_by_its_head_alone(tmp_path: Path) -> None:
    """None of these requests ever sends its body."""
    too_large = {"Content-Length": HUGE}
    unsigned = {"Content-Length": 100}
    async with all_ports(tmp_path) as site:
        for port in PORTS:
            method = "POST" if port in PATHS else "GET"
            answer = await site.send(port, method, too_large)
            assert answer == "HTTP/1.1 413 Request Entity Too Large", port
        for port in PATHS:
            answer = await site.send(port, "POST", {**too_large, "Expect": "100-continue"})
            assert answer == "HTTP/1.1 413 Request Entity Too Large", port
            assert await site.send(port, "POST", unsigned) == "HTTP/1.1 401 Unauthorized", port
        await site.roll()


@pytest.mark.parametrize("port", PORTS)
async def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path, port: str) -> None:
    async with platforms(tmp_path) as (_, _, bot):
        number = int(bot.environment[port.upper()])
        with closing(socket.create_server(("127.0.0.1", number))):
            await bot.start(ready=False)
            assert await asyncio.wait_for(bot.process.wait(), 60) == 2
        assert "Traceback" not in bot.log, bot.log
        last_line = bot.log.splitlines()[-1]
        assert last_line.startswith(f"Port {number} of 127.0.0.1 is taken by another program. ")
        assert f"Set {port.upper()} to a free one" in last_line


@pytest.mark.parametrize("network", ["2001:db8:1:2", "fd00:0:0:7"])
def test_one_home_line_is_one_visitor(network: str) -> None:
    """A home line has a whole /64 of IPv6 addresses, and counts once at both places."""
    addresses = [f"{network}::{number:x}" for number in range(1, 1_000)]
    assert len({find_visitor_group(address, (), ()) for address in addresses}) == 1
    assert len({find_visitor_group("127.0.0.1", (address,), ()) for address in addresses}) == 1

    def count_admitted(door: Door) -> int:
        return sum(door.admit(door(), address) for address in addresses)  # type: ignore[arg-type]

    assert count_admitted(Door(asyncio.Protocol, 10_000)) == PER_ADDRESS
    assert count_admitted(Door(asyncio.Protocol, 10_000, proxies=[f"{network}::/64"])) == 999
