"""A bare discord.py client, driven through the stand-in: sessions, shards, outages, and every
fault.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import discord
import pytest

from tests.standins.discord import DiscordStandIn
from tests.standins.discord.bare import GUILDS, bare_client
from tests.standins.discord.clock import Signal
from tests.standins.discord.examples import COMMANDS, Asked, bot, echo


@pytest.fixture
async def standin() -> AsyncIterator[DiscordStandIn]:
    """A stand-in with one server; no request may have been for a route it lacks."""
    async with DiscordStandIn.running() as running:
        yield running
    assert running.site.unknown == []


# the gateway


async def test_a_dropped_connection_resumes_and_nothing_is_missed(standin: DiscordStandIn) -> None:
    async with bot(standin, echo):
        standin.gateway.down = True
        standin.gateway.drop()
        asked = standin.user("Anna").send(standin.channel(), "roll", dice="2d6")
        await asyncio.sleep(0.05)
        standin.gateway.down = False
        assert (await asked.answer()).text
    assert len(standin.gateway.resumes) == 1
    assert len(standin.gateway.identifies) == 1


@pytest.mark.parametrize("resumable", [True, False])
async def test_an_invalid_session(standin: DiscordStandIn, resumable: bool) -> None:
    async with bot(standin, echo):
        standin.gateway.invalidate(resumable=resumable)
        await standin.until(
            lambda: bool(standin.gateway.resumes) or len(standin.gateway.identifies) == 2
        )
        asked = await standin.user("Anna").slash(standin.channel(), "roll", dice="2d6")
        assert not asked.failed
    assert len(standin.gateway.identifies) == (1 if resumable else 2)


async def test_a_session_that_cannot_be_resumed_begins_anew(standin: DiscordStandIn) -> None:
    async with bot(standin, echo):
        standin.gateway.forget()
        standin.gateway.ask_to_reconnect()
        await standin.until(lambda: len(standin.gateway.identifies) == 2)
        assert not (await standin.user("Anna").slash(standin.channel(), "roll", dice="2d6")).failed


async def test_heartbeats_are_counted_and_a_dead_connection_is_noticed() -> None:
    async with DiscordStandIn.running(heartbeat_interval=0.1) as standin:
        client = discord.Client(intents=GUILDS, guild_ready_timeout=0.05, heartbeat_timeout=2.0)
        async with bot(standin, echo, client):
            await standin.until(lambda: len(standin.gateway.heartbeats) >= 4)
            assert all(beat.late is None or beat.late < 30 for beat in standin.gateway.heartbeats)
            standin.gateway.go_deaf()
            await standin.until(lambda: bool(standin.gateway.resumes))


@pytest.mark.parametrize(
    ("settings", "intents", "token", "refused"),
    [
        (
            {},
            discord.Intents(guilds=True, message_content=True),
            None,
            discord.PrivilegedIntentsRequired,
        ),
        (
            {"privileged_intents": {"message_content"}},
            discord.Intents(message_content=True),
            None,
            None,
        ),
        ({}, GUILDS, "wrong", discord.LoginFailure),
    ],
)
async def test_intents_and_token_are_checked(
    settings: dict[str, Any],
    intents: discord.Intents,
    token: str | None,
    refused: type[Exception] | None,
) -> None:
    async with DiscordStandIn.running(**settings) as standin:
        client = discord.Client(intents=intents, guild_ready_timeout=0.05)
        made = bare_client(standin.url, token or standin.token, COMMANDS, client=client)
        if refused is None:
            async with made:
                return
        with pytest.raises(refused):
            await made.__aenter__()


async def test_shards_get_their_own_servers() -> None:
    async with DiscordStandIn.running(shards=2) as standin:
        guilds = [standin.guild, standin.add_guild("Second"), standin.add_guild("Third")]
        client = discord.AutoShardedClient(intents=GUILDS, guild_ready_timeout=0.05)
        async with bot(standin, echo, client):
            assert len(client.guilds) == 3
            assert [data["shard"] for data in standin.gateway.identifies] == [[0, 2], [1, 2]]
            for guild in guilds:
                anna = standin.user("Anna", guild)
                assert not (
                    await anna.slash(standin.channel("table", guild), "roll", dice="2d6")
                ).failed
            assert len(standin.interactions) == len(
                [m for g in guilds for c in g.channels.values() for m in c.messages]
            )


async def test_a_process_may_run_only_some_shards() -> None:
    async with DiscordStandIn.running() as standin:
        standin.add_guild("Second")
        client = discord.AutoShardedClient(
            intents=GUILDS, guild_ready_timeout=0.05, shard_count=2, shard_ids=[1]
        )
        async with bot(standin, echo, client):
            assert len(client.guilds) == 1
            assert [data["shard"] for data in standin.gateway.identifies] == [[1, 2]]
            assert standin.user("Anna").send(standin.user("Anna").dm(), "roll", dice="2d6").failed


async def test_an_outage_is_not_a_removal(standin: DiscordStandIn) -> None:
    events: list[str] = []
    heard = Signal()
    client = discord.Client(intents=GUILDS, guild_ready_timeout=0.05)
    for name in ("on_guild_unavailable", "on_guild_available", "on_guild_remove", "on_guild_join"):

        async def note(guild: discord.Guild, name: str = name) -> None:
            events.append(f"{name} {guild.name}")
            heard.fire()

        note.__name__ = name
        client.event(note)
    async with bot(standin, None, client):
        events.clear()
        standin.outage(standin.guild)
        standin.recover(standin.guild)
        standin.add_guild("Second")
        standin.remove_bot(standin.guild)
        assert await heard.until(lambda: len(events) == 4, 60)
    assert events == [
        "on_guild_unavailable Wargamers",
        "on_guild_available Wargamers",
        "on_guild_join Second",
        "on_guild_remove Wargamers",
    ]


# faults


async def test_429_is_waited_out(standin: DiscordStandIn) -> None:
    standin.rate_limit("POST .*/callback", 0.2)
    fault = standin.rate_limit("POST .*/channels/", 0.2, everywhere=True)

    async def answer(interaction: Asked) -> None:
        await echo(interaction)
        assert isinstance(interaction.channel, discord.TextChannel)
        await interaction.channel.send("and a message")

    table = standin.channel()
    async with bot(standin, answer):
        asked = await standin.user("Anna").slash(table, "roll", dice="2d6")
        assert asked.receipt is not None
        assert asked.receipt > 0.2
        await standin.until(lambda: len(standin.messages(table)) == 2)
    assert fault.hits == 1


async def test_500_on_the_first_answer_is_tried_again(standin: DiscordStandIn) -> None:
    standin.fail("POST .*/callback", 500)
    async with bot(standin, echo):
        asked = await standin.user("Anna").slash(standin.channel(), "roll", dice="2d6")
        assert not asked.failed
        await asked.answer()


async def test_slow_lost_and_cut_answers(standin: DiscordStandIn) -> None:
    errors: list[Exception] = []

    async def answer(interaction: Asked) -> None:
        try:
            await echo(interaction)
        except Exception as error:
            errors.append(error)

    table, anna = standin.channel(), standin.user("Anna")
    async with bot(standin, answer):
        standin.slow("POST .*/callback", 0.2, times=1)
        slow = await anna.slash(table, "roll", dice="1d6")
        assert slow.receipt is not None
        assert slow.receipt >= 0.2
        standin.lose_answer("POST .*/callback")
        assert not (await anna.slash(table, "roll", dice="2d6")).failed
        standin.cut("POST .*/callback")
        cut = anna.send(table, "roll", dice="3d6")
        await standin.until(lambda: standin.site.faults.ordered[-1].hits == 1)
        standin.black_hole("POST .*/callback")
        assert not (await anna.slash(table, "roll", dice="4d6")).failed
        await standin.until(lambda: cut.failed and len(errors) == 2)
    assert len(standin.messages(table)) == 3


async def test_messages_to_a_channel_are_limited_and_once_per_nonce() -> None:
    async with DiscordStandIn.running(messages_per_channel=(3, 0.5)) as standin:
        table = standin.channel()
        async with bot(standin) as client:
            place = client.get_channel(table.id)
            assert isinstance(place, discord.TextChannel)
            for number in range(5):
                await place.send(f"message {number}")
            for _ in range(2):
                await place.send("only once", nonce=17)
        assert [m.text for m in standin.messages(table)] == [f"message {n}" for n in range(5)] + [
            "only once"
        ]
        assert 429 not in [call.status for call in standin.site.calls]


async def test_a_process_of_its_own_is_pointed_here(standin: DiscordStandIn, root: Path) -> None:
    env = {**os.environ, "DISCORD_API": standin.url, "DISCORD_TOKEN": standin.token}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.standins.discord.bare", env=env, cwd=root
    )
    try:
        await standin.ready()
        asked = await standin.user("Anna").slash(standin.channel(), "roll", dice="2d6")
        assert await asked.answer() is await standin.message(standin.channel(), "7")
        assert standin.receipts() == [asked.receipt]
        standin.swallow("POST .*/callback")
        unheard = standin.user("Anna").send(standin.channel(), "roll", dice="2d6")
        await standin.until(lambda: standin.site.faults.ordered[0].hits == 1)
    finally:
        process.kill()
        await process.wait()
    await standin.gone()
    assert unheard.failed


async def test_what_a_bot_asks_about_itself_and_its_places(standin: DiscordStandIn) -> None:
    table = standin.channel("table")
    thread = standin.thread("Kursk", table)
    async with bot(standin) as client:
        assert client.user is not None
        assert (await client.application_info()).bot_public
        assert [guild.name async for guild in client.fetch_guilds()] == ["Wargamers"]
        guild = await client.fetch_guild(standin.guild.id)
        assert (await guild.fetch_member(client.user.id)).guild_permissions.send_messages
        assert [channel.name for channel in await guild.fetch_channels()] == ["table"]
        assert isinstance(await client.fetch_channel(thread.id), discord.Thread)
        place = await client.fetch_channel(table.id)
        assert isinstance(place, discord.TextChannel)
        for number in range(3):
            await place.send(str(number))
        assert [message.content async for message in place.history(limit=None)] == ["2", "1", "0"]
        last = await place.fetch_message(standin.messages(table)[-1].id)
        await last.delete()
        assert [message.text for message in standin.user("Anna").sees(table)] == ["0", "1"]
        anna = await client.fetch_user(standin.user("Anna").id)
        await anna.send("hello")
        assert (await standin.message(standin.user("Anna").dm())).text == "hello"
        standin.permit_bot(table, send_messages=False)
        cached = client.get_channel(table.id)
        assert isinstance(cached, discord.TextChannel)
        await standin.until(lambda: not cached.permissions_for(cached.guild.me).send_messages)
        with pytest.raises(discord.Forbidden):
            await cached.send("no")
