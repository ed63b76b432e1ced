"""A whole bot that is looked at: its port, the command that asks it, systemd's socket, its log."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path

import pytest

from tests.adapters.discord.process import Bot, running
from tests.monitoring.running_helpers import (
    get,
)
from tests.ports import free_port
from tests.standins.discord import DiscordStandIn


async def grognard_health(bot: Bot, *words: str) -> tuple[int, str]:
    asked = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "health", *words, cwd=bot.data, env=bot.environment,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await asyncio.wait_for(asked.communicate(), 30)
    return asked.returncode or 0, said.decode().strip()


@pytest.mark.slow
async def test_a_host_sees_how_the_bot_is(tmp_path: Path) -> None:
    port, told = str(free_port()), tmp_path / "notify"
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(str(told))
    heard.settimeout(60)
    settings = {"HEALTH_PORT": port, "NOTIFY_SOCKET": str(told), "LOG_FORMAT": "json"}
    async with DiscordStandIn.running() as discord:
        async with running(discord, tmp_path, **settings) as bot:
            assert b"READY=1" in heard.recv(200)
            assert b"WATCHDOG=1" in heard.recv(200)
            anna, table = discord.user("Anna"), discord.channel("table")
            assert (
                "2d6"
                in (
                    await (await anna.slash(table, "roll", dice="2d6", label="Zwiebel")).answer()
                ).text
            )
            await (await anna.slash(table, "roll", dice="2dZwiebel")).answer()
            for _ in range(120):
                if (await get(port, "/readyz"))[0] == 200:
                    break
                await asyncio.sleep(0.5)
            assert await get(port, "/readyz") == (200, "ok\n")
            assert await get(port, "/healthz") == (200, "ok\n")
            assert await get(port, "/livez") == (200, "ok\n")
            assert (await get(port, "/elsewhere"))[0] == 404
            status, figures = await get(port, "/metrics")
            assert status == 200
            assert (
                'grognard_commands_total{kind="roll",outcome="done",platform="discord",system="-"} 1.0'
                in figures
            )
            assert await grognard_health(bot) == (0, "ok")
            assert await grognard_health(bot, "--ready") == (0, "ok")
            assert await grognard_health(bot, "--live") == (0, "ok")
            lines = [json.loads(line) for line in bot.log.splitlines()]
            rolled = [line for line in lines if line["logger"] == "grognard.commands"]
            assert [line["outcome"] for line in rolled] == ["done", "refused (bad-dice)"]
            assert {line["command"] for line in rolled} == {"roll"}
            assert rolled[0]["ms"] > 0
            assert "Zwiebel" not in bot.log
            assert "Zwiebel" not in figures
        while b"STOPPING=1" not in heard.recv(200):
            pass
        status, said = await grognard_health(bot)
        assert status == 1
        assert said.startswith(f"No bot answers on port {port} of 127.0.0.1")
        del bot.environment["HEALTH_PORT"]
        assert await grognard_health(bot) == (
            2, "HEALTH_PORT is not set, so there is no bot to ask. Put this line in .env: HEALTH_PORT=9090"
        )  # fmt: skip
    heard.close()
