"""Thousands who watch cost those who play nothing: measured with sockets on this machine,
bounded, ending by itself.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from pathlib import Path
from time import thread_time

import pytest

from tests.adapters.web.serving import served, shared
from tests.playing import Channel, two_sides

pytestmark = pytest.mark.real_pace

WATCHERS = 2_000
COMMANDS = 60
PATIENCE = 100.0
"""Seconds within which a busy machine brings them all in, tells them, and sees them leave."""
CROWD = Path(__file__).with_name("crowd.py")


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


async def commands(channel: Channel, count: int) -> list[float]:
    """How long our loop worked while each of so many commands was waited for, given faster than
    people do on a busy evening: what other programs take of the machine is no part of it."""
    times = []
    for _ in range(count):
        since = thread_time()
        await channel.do("Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5"')
        times.append(thread_time() - since)
        await asyncio.sleep(0.1)
    return times


@pytest.mark.thorough
@pytest.mark.usefixtures("crowd")
@pytest.mark.timeout(400)
async def test_thousands_who_watch_keep_nobody_waiting(capsys: pytest.CaptureFixture[str]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * WATCHERS + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"this machine lets a process open {hard} files only; {wanted} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    channel = await Channel.fresh()
    await two_sides(channel)
    try:
        async with served(channel, worker=True) as site:
            path = await shared(channel)
            await commands(channel, 20)
            alone = await commands(channel, COMMANDS)
            number = (await channel.game()).number
            crowd = await asyncio.create_subprocess_exec(
                sys.executable, str(CROWD), str(site.port), f"{path}/events?after={number}", str(WATCHERS),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            try:
                assert crowd.stdout is not None
                assert crowd.stdin is not None
                async with asyncio.timeout(PATIENCE):
                    assert await crowd.stdout.readline() == b"all here\n"
                assert site.hub.watching == WATCHERS
                watched = await commands(channel, COMMANDS)
                last = (await channel.game()).number
                crowd.stdin.write(f"{last}\n".encode())
                async with asyncio.timeout(PATIENCE):
                    told = (await crowd.stdout.readline()).decode()
            finally:
                if crowd.returncode is None:
                    crowd.kill()
                await crowd.wait()
            told_all, messages = told.split()
            async with asyncio.timeout(PATIENCE):
                while site.hub.watching:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    before, after = percentile(alone, 0.5), percentile(watched, 0.5)
    with capsys.disabled():
        print(
            f"\n{WATCHERS} watchers, {messages} messages each: p50 {1e3 * before:.1f} ms alone,"
            f" {1e3 * after:.1f} ms watched; p99 {1e3 * percentile(alone, 0.99):.1f} ms alone,"
            f" {1e3 * percentile(watched, 0.99):.1f} ms watched"
        )
    assert told_all == str(WATCHERS), "everybody has seen the last event"
    assert int(messages) < COMMANDS, "one message a second at most, not one for each event"
    assert after < 8 * before, f"p50 {before:.3f} s alone, {after:.3f} s with {WATCHERS} watching"
