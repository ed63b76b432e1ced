"""Killed again and again, with another process on the database: what was answered is there once, and each receipt
ends in an answer or in being told that nothing was run.

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
from tests.adapters.discord.process import Bot
from tests.adapters.left_over import count_left, labels, locked, time_passes, until_nothing_is_left
from tests.standins.discord import Channel, DiscordStandIn, Interaction
from tests.standins.discord.driver import Person
from tests.standins.discord.state import Answer

KILLS = int(os.environ.get("GROGNARD_KILLS", "3"))
SEED = int(os.environ.get("GROGNARD_SEED", "9"))
NOT_RUN = "your command was not run"
FIRE = {"attackers": "squad fp=2", "targets": "squad morale=5"}


@dataclass
class Night:
    """Everything that was asked, by its label."""

    discord: DiscordStandIn
    people: list[Person]
    channels: list[Channel]
    asked: dict[str, Interaction] = field(default_factory=dict)
    odds: list[Interaction] = field(default_factory=list)

    async def play(self, seconds: float, chance: random.Random, life: int) -> None:
        """Ask for this and that, about twenty times a second."""
        end = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < end:
            who, where = chance.choice(self.people), chance.choice(self.channels)
            if chance.random() < 0.15:
                self.odds.append(who.send(where, "lnlt", "fire", **FIRE, odds=True))
            else:
                label = f"k{life}x{len(self.asked)}y"
                self.asked[label] = who.send(where, "roll", dice="2d6", label=label)
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
    if life % 10 == 2:
        night.discord.clock.advance(16 * 60)


@pytest.mark.slow
@pytest.mark.timeout(120 + 40 * KILLS)
async def test_what_was_shown_as_under_way_is_answered_or_told_to_be_not_run(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    async with DiscordStandIn.running() as discord:
        people = [discord.user(name) for name in ("Anna", "Ben", "Carl")]
        night = Night(discord, people, [discord.channel(name) for name in ("table", "hall", "yard")])
        bot = Bot(discord, tmp_path, COMMANDS_PER_MINUTE="unlimited")
        try:
            for life in range(KILLS):
                await one_life(night, bot, chance, life)
            await bot.start()
            left = count_left(tmp_path)
            await until_nothing_is_left(tmp_path, 30 + left * 0.5)
            await asyncio.sleep(1)
            assert await bot.stop() == 0, bot.log
        finally:
            if bot.process.returncode is None:
                bot.process.kill()
                await bot.process.wait()
            print(bot.log[-20_000:])
        check(night, labels(tmp_path))
    async with open_sqlite(tmp_path / "grognard.db") as store:
        assert (await audit(store))[1] == []


def check(night: Night, stored: set[str]) -> None:
    """Each stored roll shown once, no other shown, and no receipt without its end."""
    messages = [m for channel in night.channels for m in night.discord.messages(channel) if not m.deleted]
    public = [m.text for m in messages]
    shown = Counter(label for label in night.asked for text in public if f" {label}:" in text)
    refused = sum(NOT_RUN in text for text in public)
    apart = sum(NOT_RUN in m.text and m.interaction is None for m in messages)
    alone = sum(m.text.startswith("(late) Odds of") for who in night.people for m in night.discord.messages(who.dm()))
    receipts = [one for one in (*night.asked.values(), *night.odds) if one.answer_kind is Answer.THINKING]
    silent = [label for label, one in night.asked.items() if _waits(one) and not shown[label]]
    silent += ["odds" for one in night.odds if _waits(one)]
    print(
        f"{KILLS} kills: {len(night.asked)} rolls asked, {len(stored)} stored, {len(receipts)} receipts of rolls and "
        f"odds; shown twice {sum(count > 1 for count in shown.values())}, never shown {len(stored - shown.keys())}, "
        f"told to be not run {refused}, receipts left without an end {max(0, len(silent) - apart - alone)}"
    )
    assert {label for label, count in shown.items() if count > 1} == set()
    assert stored == set(shown), "what is on the disk is shown, and nothing else"
    told_apart = apart + alone  # where the token has died: in the channel, what is private in direct messages
    unneeded = told_apart - len(silent)  # killed before the receipt, already written down, was shown
    assert 0 <= unneeded <= sum(one.failed for one in (*night.asked.values(), *night.odds))


def _waits(one: Interaction) -> bool:
    return one.answer_kind is Answer.THINKING and one.latest() is None
