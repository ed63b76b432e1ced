"""Nobody listens in on Discord: a game goes, and is shown, only where somebody who may has
agreed.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.discord.calls import DiscordApi, Unsure
from tests.adapters.discord.process import running
from tests.standins.discord import Channel, DiscordStandIn, Person

pytestmark = pytest.mark.scenes(2)


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin, running(standin, tmp_path):
        yield standin


async def begin(who: Person, where: Channel) -> None:
    """A game of Lock 'n Load."""
    await (
        await who.slash(where, "game start", system="lnlt", name="Hill", sides="US, VC")
    ).answer()


async def code_of(who: Person, where: Channel) -> str:
    """The code that `/game link` gives."""
    return (await (await who.slash(where, "game link")).answer()).content.split()[-1].strip("*")


async def test_a_stranger_asks_and_only_a_manager_links(discord: DiscordStandIn) -> None:
    """Mallory's lair is a server of their own; in the hall they are a member like any other."""
    lair_server = discord.add_guild("Lair")
    lair, hall = discord.channel("lair", lair_server), discord.channel("hall")
    mallory = discord.user("Mallory").permit(lair_server, manage_guild=True)
    vera, cora = discord.user("Vera", manage_guild=True), discord.user("Cora")
    await begin(mallory, lair)
    asked = await (
        await mallory.slash(hall, "game link", code=await code_of(mallory, lair))
    ).answer()
    assert asked.ephemeral
    request = await discord.message(hall, "asks to play")
    assert not request.ephemeral
    assert "lair of Lair (another server on Discord)" in request.text
    await (await cora.slash(hall, "roll", dice="2d6", label="unseen")).answer()
    refused = await (await mallory.press(request, "Agree")).answer()
    assert "Only a server manager" in refused.text
    late = await (await vera.press(request, "Agree")).answer()
    assert "has started" in late.text, "Cora has begun free play meanwhile, which is not displaced"
    assert not any("unseen" in message.text for message in lair.messages)


async def test_a_manager_who_agrees_links_and_both_channels_are_told(
    discord: DiscordStandIn,
) -> None:
    lair_server = discord.add_guild("Lair")
    lair, hall = discord.channel("lair", lair_server), discord.channel("hall")
    mallory = discord.user("Mallory").permit(lair_server, manage_guild=True)
    vera, cora = discord.user("Vera", manage_guild=True), discord.user("Cora")
    await begin(mallory, lair)
    await (await mallory.slash(hall, "game link", code=await code_of(mallory, lair))).answer()
    agreed = await (await vera.press(await discord.message(hall, "asks to play"), "Agree")).answer()
    assert not agreed.ephemeral
    assert "every roll made here shows up there" in agreed.text
    assert "Vera links this channel" in (await discord.message(lair, "Vera links")).text
    await (await cora.slash(hall, "roll", dice="2d6", label="seen")).answer()
    await discord.message(lair, "for seen")
    status = await (await cora.slash(hall, "game status")).answer()
    assert "Played in this channel and #lair of Lair (another server on Discord)" in status.text
    links = await (await vera.slash(hall, "setup links")).answer()
    [id] = re.findall(r"/setup links end:(\d+)", links.text)
    await (await vera.slash(hall, "setup links", end=id)).answer()
    await discord.message(lair, "unlinks")
    await (await cora.slash(hall, "roll", dice="2d6", label="alone")).answer()
    assert not any("alone" in message.text for message in lair.messages)


async def test_a_game_waits_until_it_is_taken_over(discord: DiscordStandIn) -> None:
    anna, vera = discord.user("Anna"), discord.user("Vera", manage_guild=True)
    table, hall = discord.channel("table"), discord.channel("hall")
    await begin(anna, table)
    await (await anna.slash(table, "game transfer", channel=hall)).answer()
    request = await discord.message(hall, "asks to play")
    assert "Hill" in (await (await anna.slash(table, "game status")).answer()).text
    refused = await (await anna.press(request, "Take it over")).answer()
    assert "Only a server manager" in refused.text
    taken = await (await vera.press(request, "Take it over")).answer()
    assert not taken.ephemeral
    await discord.message(table, "Vera moves")
    assert "Hill" in (await (await anna.slash(hall, "game status")).answer()).text


async def forged(who: Person, where: Channel, target: Channel, **resolved: Any) -> str:
    """The answer to a transfer whose channel's id was put in by hand; `resolved` is what Discord
    says of it.
    """
    data = who.typed(where, "game transfer", channel=where)
    data["options"][0]["options"][0]["value"] = str(target.id)
    del data["resolved"]
    if resolved:
        data["resolved"] = {
            "channels": {str(target.id): {"id": str(target.id), "type": 0, **resolved}}
        }
    answer = await (await who.forge(where, data)).answer()
    assert answer.ephemeral, answer.text
    return answer.text


async def test_an_id_that_discord_did_not_resolve_is_not_believed(discord: DiscordStandIn) -> None:
    other_server = discord.add_guild("Others")
    anna, table = discord.user("Anna", manage_guild=True), discord.channel("table")
    theirs, secret = discord.channel("theirs", other_server), discord.channel("secret")
    discord.permit_user(anna.id, secret, view_channel=False)
    await begin(anna, table)
    for target in (theirs, secret, discord.channel("open")):
        assert "cannot post in that channel" in await forged(anna, table, target)
    everything = str((1 << 50) - 1)
    elsewhere = await forged(
        anna, table, theirs, permissions=everything, guild_id=str(other_server.id)
    )
    assert "cannot post in that channel" in elsewhere
    assert "cannot see that channel" in await forged(anna, table, theirs, permissions=everything), (
        "Discord knows better"
    )
    assert "cannot post in that channel" in await forged(anna, table, secret, permissions="0")
    # a new server may have its welcome
    there = [message.text for message in (*theirs.messages, *secret.messages)]
    assert not any("Hill" in text or "Anna" in text for text in there)
    assert "Hill" in (await (await anna.slash(table, "game status")).answer()).text


async def test_a_file_is_fetched_from_discord_alone() -> None:
    """Whatever address stands in a payload: the bot calls no server of somebody's choosing."""
    async with aiohttp.ClientSession() as session:
        for url in (
            "http://127.0.0.1:9/x",
            "https://cdn.discordapp.com.evil.example/x",
            "http://cdn.discordapp.com/x",
        ):
            with pytest.raises(Unsure, match="the file is not on Discord"):
                await DiscordApi(session).download(url, 10)


async def test_a_game_does_not_move_where_the_bot_is_mute(discord: DiscordStandIn) -> None:
    anna, table = discord.user("Anna", manage_guild=True), discord.channel("table")
    unseen, mute = discord.channel("unseen"), discord.channel("mute")
    discord.permit_bot(unseen, view_channel=False)
    discord.permit_bot(mute, send_messages=False)
    await begin(anna, table)
    for told in (
        True,
        False,
    ):  # also before Discord said what the bot may do in a channel that an option names
        discord.world.tells_app_permissions = told
        for channel in (unseen, mute):
            answer = await (await anna.slash(table, "game transfer", channel=channel)).answer()
            assert answer.ephemeral
            assert "The bot cannot see that channel or post in it" in answer.text
    assert "Hill" in (await (await anna.slash(table, "game status")).answer()).text
