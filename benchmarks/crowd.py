"""What a crowd at once waits for: the first sign on Discord and Slack, beside the three seconds
that they give.

Run as `python -m benchmarks.crowd`; the bots talk to the stand-ins. To the seconds comes what the
machine was busy with others. The same crowds are played in `tests/adapters`, where nothing may be
lost and no time is measured.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.goals import goal
from tests.adapters.discord.process import running as on_discord
from tests.adapters.processors import denied
from tests.adapters.slack.conftest import settle, stand_in
from tests.adapters.slack.process import running as on_slack
from tests.standins.discord import DiscordStandIn, Interaction
from tests.standins.postgres import postgres_server
from tests.standins.slack import Channel, Handle, Workspace

LIMIT, BEAT = 3.0, 1.0
"""Seconds that the platforms give; the latest that a heartbeat should be."""
PATIENT = 40.0
"""Later than in time is measured too."""
BUSY = 1.25
"""What the same work takes of a processor that others use too, beside what it takes alone."""
FIRE = {
    "attackers": "squad fp=2 sw=3; squad fp=1",
    "targets": "leader morale=6 lm=1; squad morale=5",
    "tm": 1,
}
HEAVY = "leader morale=6 lm=2; " + "; ".join(
    f"squad morale={4 + number % 5}; hero morale=7" for number in range(19)
)
PROCESSES = 100, 500
"""How many commands at once several processes are asked."""
BURST, TURNS = 200, 5


def shot(number: int) -> tuple[str, str]:
    """Who fires and at whom: one of 486 different shots at four targets."""
    first, second, morale = 1 + number % 9, 1 + number // 9 % 9, 3 + number // 81 % 6
    targets = f"leader morale=6 lm=1; squad morale={morale}; squad morale=5; half-squad morale=4"
    return f"squad fp={first} sw=3; squad fp={second}", targets


async def two_hundred(discord: DiscordStandIn) -> list[Interaction]:
    """Rolls and shots over fifty channels while long odds are counted, until all have had a
    first sign.
    """
    channels = [discord.channel(f"table-{number}") for number in range(50)]
    people = [discord.user(f"Player {number}") for number in range(20)]
    people[0].send(channels[0], "lnlt fire", attackers="squad fp=9", targets=HEAVY, odds=True)
    asked = []
    for turn in range(4):
        for number, channel in enumerate(channels):
            person = people[(number + turn) % len(people)]
            if (number + turn) % 2:
                asked.append(person.send(channel, "roll", dice="2d6+1"))
            else:
                asked.append(person.send(channel, "lnlt fire", **FIRE))
    await signs(discord, asked)
    return asked


async def signs(discord: DiscordStandIn, asked: Sequence[Interaction]) -> None:
    """Wait until each had a first sign; on a machine that is too busy for that, until no more
    come.
    """
    had = -1
    while had < (now := sum(one.receipt is not None for one in asked)) < len(asked):
        had = now
        await discord.site.changed.until(
            lambda: all(one.receipt is not None for one in asked), 2 * LIMIT
        )


async def five_hundred_odds(discord: DiscordStandIn) -> list[Interaction]:
    """Different ones, until all have had a first sign; each takes a few milliseconds: counted in
    one go, nobody would be heard for seconds."""
    channels = [discord.channel(f"table-{number}") for number in range(50)]
    people = [discord.user(f"Player {number}") for number in range(250)]
    asked = []
    for number in range(500):
        attackers, targets = shot(number)
        more = {"attackers": attackers, "targets": targets, "tm": 1, "odds": True}
        asked.append(people[number % 250].send(channels[number % 50], "lnlt fire", **more))
    await signs(discord, asked)
    return asked


async def a_hundred_rolls(home: Workspace, channels: Sequence[Channel]) -> list[Handle]:
    """One after another of ten people's, over these channels."""
    people = [home.user(f"Player{number}") for number in range(10)]
    return await asyncio.gather(
        *(
            people[number % 10].slash(
                channels[number % len(channels)], "/roll", f"2d6 label=n{number:03}"
            )
            for number in range(100)
        )
    )


async def five_hundred_odds_on_slack(home: Workspace) -> list[Handle]:
    """Different ones, until each is acknowledged."""
    people = [home.user(f"Player{number}") for number in range(250)]
    channels = [home.channel(f"game-{number}") for number in range(50)]
    texts = [
        f'fire attackers="{first}" targets="{second}" tm=1 odds'
        for first, second in map(shot, range(500))
    ]
    return await asyncio.gather(
        *(
            people[number % 250].slash(channels[number % 50], "/lnlt", text)
            for number, text in enumerate(texts)
        )
    )


def percentile(values: list[float], part: float) -> float:
    """The value below which that part of them lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


async def measure_discord(data: Path) -> None:
    """Print the goals for both crowds of Discord's."""
    for what, crowd in (("200 commands", two_hundred), ("500 odds", five_hundred_odds)):
        async with (
            DiscordStandIn.running(heartbeat_interval=0.1, receipt_limit=PATIENT) as discord,
            on_discord(discord, data / what) as bot,
        ):
            await (
                await discord.user("Player 0").slash(
                    discord.channel("table-0"), "lnlt fire", **FIRE
                )
            ).answer()
            busy = denied(bot.process.pid)
            receipts = [one.receipt or PATIENT for one in await crowd(discord)]
            busy = denied(bot.process.pid) - busy
            late = max(beat.late for beat in discord.gateway.heartbeats if beat.late is not None)
        print(
            f"Discord, {what}: p50 {percentile(receipts, 0.5):.2f} s, p99 {percentile(receipts, 0.99):.2f} s"
        )
        goal(
            f"Discord, {what} at once: p99 of its 3 s",
            [percentile(receipts, 0.99) / (LIMIT + busy)],
            most=1.0,
        )
        goal(
            f"Discord, {what} at once: the latest heartbeat of 1 s",
            [late / (BEAT + busy)],
            most=1.0,
        )


async def measure_slack(data: Path) -> None:
    """Print the goals for both crowds of Slack's, in both transports."""
    for transport in ("socket", "http"):
        slack = await stand_in(transport)
        slack.limits.ack_seconds = PATIENT
        home, anna, _, games = settle(slack)
        async with on_slack(slack, data / transport, home) as bot:
            await (await anna.slash(games, "/help")).answer()
            for what in ("100 rolls", "500 odds"):
                busy = denied(bot.process.pid)
                channels = [home.channel(f"game-{number}") for number in range(5)]
                rolls = what == "100 rolls"
                handles = await (
                    a_hundred_rolls(home, channels) if rolls else five_hundred_odds_on_slack(home)
                )
                busy = denied(bot.process.pid) - busy
                waits = [handle.ack_time or PATIENT for handle in handles]
                goal(
                    f"Slack {transport}, {what} at once: the latest of its 3 s",
                    [max(waits) / (LIMIT + busy)],
                    most=1,
                )
        await slack.stop()


async def measure_burst(data: Path) -> None:
    """Print the goal for a burst on six processes of which none dies: the stand-ins of both
    platforms, the server and who asks are on the same processors, so what the bots have of it is
    told, too."""
    from tests.adapters.scale_helpers import begin, play  # it brings what only tests have

    with postgres_server("-c", "max_connections=200") as server:
        waited, lags = [], []
        for turn in range(TURNS):
            async with AsyncExitStack() as stack:
                played = await play(
                    await begin(stack, server, data / str(turn)), BURST, one_dies=False
                )
            waited.append(percentile(played.signs, 0.99))
            lags.append(percentile(played.lags, 0.99))
        load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
        print(
            f"six processes, {BURST} at once, load {load}: p99 of the first sign with the bots {min(lags):.2f} s"
        )
    goal(f"six processes, {BURST} at once: seconds to the first sign, p99", waited, most=0.5)


async def measure_several(data: Path) -> None:
    """Print the goals for six processes on one database, of which one is killed."""
    from tests.adapters.scale_helpers import begin, play  # it brings what only tests have

    with postgres_server("-c", "fsync=off", "-c", "max_connections=200") as server:
        for count in PROCESSES:
            async with AsyncExitStack() as stack:
                night = await begin(stack, server, data / str(count))
                played = await play(night, count)
            limit = LIMIT + played.busy
            goal(
                f"six processes, {count} at once: the latest of 3 s",
                [played.signs[-1] / limit],
                most=1.0,
            )
            goal(
                f"six processes, {count} at once: processor of 3 s",
                [played.spent.ours / (LIMIT * BUSY)],
                most=1.0,
            )


def main() -> None:
    """Measure all crowds, or those that are named: `burst`."""
    with tempfile.TemporaryDirectory() as folder:
        for part in (measure_discord, measure_slack, measure_several, measure_burst):
            if not sys.argv[1:] or part.__name__.partition("_")[2] in sys.argv[1:]:
                asyncio.run(part(Path(folder) / part.__name__))


if __name__ == "__main__":
    main()
