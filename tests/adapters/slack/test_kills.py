"""Killed again and again, with another process on the database: what was answered is there once, and each request that
Slack was told is taken ends in an answer or in being told that nothing was run.

`GROGNARD_KILLS=30` makes it a long night, `GROGNARD_SEED` another one; the figures are printed.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.audit.games import audit
from bot.stores.sqlite import open_sqlite
from tests.adapters.left_over import count_left, labels, locked, time_passes, until_nothing_is_left
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import Bot
from tests.standins.slack import Channel, SlackStandIn, User
from tests.standins.slack.handle import Handle

KILLS = int(os.environ.get("GROGNARD_KILLS", "3"))
SEED = int(os.environ.get("GROGNARD_SEED", "9"))
NOT_RUN = "your command was not run"
ODDS = 'fire attackers="squad fp=2" targets="squad morale=5" odds'


@dataclass
class Night:
    """Everything that was asked: by its label, or odds."""

    slack: SlackStandIn
    people: list[User]
    channels: list[Channel]
    asked: dict[str, asyncio.Task[Handle]] = field(default_factory=dict)
    odds: list[asyncio.Task[Handle]] = field(default_factory=list)

    async def play(self, seconds: float, chance: random.Random, life: int) -> None:
        """Ask for this and that, about twenty times a second."""
        end = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < end:
            who, where = chance.choice(self.people), chance.choice(self.channels)
            if chance.random() < 0.15:
                self.odds.append(asyncio.create_task(who.slash(where, "/lnlt", ODDS)))
            else:
                label = f"k{life}x{len(self.asked)}y"
                self.asked[label] = asyncio.create_task(who.slash(where, "/roll", f"2d6 label={label}"))
            await asyncio.sleep(chance.random() * 0.1)


async def one_life(night: Night, bot: Bot, chance: random.Random, life: int) -> None:
    """Start, play, be killed; every other time while somebody else keeps the database for two or three seconds."""
    await bot.start()
    await night.play(chance.random() * 0.6, chance, life)
    if life % 2 == 0:
        with locked(bot.data):
            await night.play(chance.uniform(1.8, 3.0), chance, life)
            if chance.random() < 0.5:
                await bot.kill()
        await asyncio.sleep(chance.random() * 0.02)
    if bot.process.returncode is None:
        await bot.kill()
    time_passes(bot.data, tokens_die=life % 10 == 2)


@pytest.mark.slow
@pytest.mark.timeout(120 + 40 * KILLS)
async def test_what_slack_was_told_is_taken_is_answered_or_told_to_be_not_run(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    chance, slack = random.Random(SEED), socket_slack
    home, anna, ben, games = settle(slack)
    home.scopes |= {"channels:history"}
    night = Night(slack, [anna, ben, home.user("Cora")], [games, home.channel("hall"), home.channel("yard")])
    bot = Bot(slack, tmp_path, home, COMMANDS_PER_MINUTE="unlimited")
    try:
        for life in range(KILLS):
            await one_life(night, bot, chance, life)
        await bot.start()
        left = count_left(tmp_path)
        await until_nothing_is_left(tmp_path, 30 + left * 0.5)
        await asyncio.sleep(1)
        handles = {label: await task for label, task in night.asked.items()}
        check(night, handles, [await task for task in night.odds], labels(tmp_path))
        assert await bot.stop() == 0, bot.log
    finally:
        if bot.process.returncode is None:
            bot.process.kill()
            await bot.process.wait()
        print(bot.log[-20_000:])
    async with open_sqlite(tmp_path / "grognard.db") as store:
        assert (await audit(store))[1] == []


def check(night: Night, asked: dict[str, Handle], odds: list[Handle], stored: set[str]) -> None:
    """Each stored roll shown once, no other shown, and nothing that was taken left without its end."""
    public = [text for channel in night.channels for text in night.slack.posted(channel)]
    shown = Counter(label for label in asked for text in public if f" {label}:" in text)
    refused = sum(NOT_RUN in text for text in public)
    taken = [one for one in (*asked.values(), *odds) if one.in_time]
    silent = [label for label, one in asked.items() if one.in_time and not shown[label] and not one.answers_now()]
    silent += ["odds" for one in odds if one.in_time and not one.answers_now()]
    print(
        f"{KILLS} kills: {len(asked)} rolls asked, {len(stored)} stored, {len(taken)} requests taken (odds too); "
        f"shown twice {sum(count > 1 for count in shown.values())}, never shown {len(stored - shown.keys())}, "
        f"told to be not run {refused}, taken but left without an end {len(silent)}"
    )
    assert {label for label, count in shown.items() if count > 1} == set()
    assert stored == set(shown), "what is on the disk is shown, and nothing else"
    assert silent == []
