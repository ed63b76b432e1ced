"""What the bot may and people may: permissions named, nothing pings, files fetched, servers set
up.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.standins.discord import DiscordStandIn, NotPossible

pytestmark = pytest.mark.scenes(3)

FIRE = {
    "attackers": "squad fp=2 sw=3; squad fp=1",
    "targets": "leader morale=6 lm=1; squad morale=5",
    "tm": 1,
}


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin, running(standin, tmp_path):
        yield standin


async def test_channels_where_something_is_not_permitted(discord: DiscordStandIn) -> None:
    anna, table = discord.user("Anna"), discord.channel("table")
    discord.permit_bot(table, embed_links=False, attach_files=False)
    fought = await (await anna.slash(table, "lnlt fire", **FIRE)).answer()
    assert fought.embeds == fought.hidden_embeds == []
    assert "Attack: `" in fought.content
    export = await (await anna.slash(table, "game export")).answer()
    assert 'lacks the permission "Attach Files"' in export.text
    status = await (await anna.slash(table, "game status")).answer()
    assert "lacks permissions in this channel: Embed Links, Attach Files" in status.text

    hall = discord.channel("hall")
    discord.permit_bot(hall, send_messages=False)
    started = await (
        await anna.slash(hall, "game start", system="lnlt", name="Hill", sides="US, VC")
    ).answer()
    assert "lacks permissions in this channel: Send Messages" in started.text
    sealed = await (await anna.slash(hall, "roll", dice="2d6", secret=True)).answer()
    assert sealed.ephemeral
    assert not (await discord.message(hall, "Anna makes a sealed roll")).ephemeral


async def test_nothing_that_a_player_types_pings_or_spoofs(discord: DiscordStandIn) -> None:
    anna, ben, table = (
        discord.user("@everyone **Anna**\u202e"),
        discord.user("Ben"),
        discord.channel("table"),
    )
    discord.permit_bot(table, mention_everyone=True)
    label = f"@everyone @here <@{ben.id}> [click](https://evil.example) `x` discord.gg/evil"
    answer = await (await anna.slash(table, "roll", dice="2d6", label=label)).answer()
    assert answer.pings == answer.highlights == set()
    assert "\\*\\*Anna\\*\\*" in answer.content
    assert "https\\://evil" in answer.content
    assert "\u202e" not in answer.text
    assert table.messages[-1] is answer


async def test_whose_turn_it_is_is_named_and_not_called_while_they_are_there(
    discord: DiscordStandIn,
) -> None:
    anna, ben, table = discord.user("Anna"), discord.user("Ben"), discord.channel("table")
    for who, path, options in (
        (anna, "game start", {"system": "lnlt", "name": "Hill", "sides": "US, VC"}),
        (anna, "game join", {"side": "US"}),
        (ben, "game join", {"side": "VC"}),
    ):
        await (await who.slash(table, path, **options)).answer()
    await (await anna.slash(table, "game initiative", side="VC")).answer()
    called = await (await anna.slash(table, "game next")).answer()
    assert "Ben" in called.content
    assert called.pings == set()


async def test_setup_is_for_who_manages_the_server(discord: DiscordStandIn) -> None:
    anna, ben, table = (
        discord.user("Anna", manage_guild=True),
        discord.user("Ben"),
        discord.channel("table"),
    )
    with pytest.raises(NotPossible):
        await ben.slash(table, "setup systems", systems="ucn")
    assert (await (await anna.slash(table, "setup systems", systems="ucn")).answer()).ephemeral
    refused = await (await ben.slash(table, "lnlt fire", **FIRE)).answer()
    assert refused.ephemeral
    assert "is not enabled here" in refused.text


async def test_a_roster_comes_as_a_file_and_a_game_goes_and_comes_back(
    discord: DiscordStandIn,
) -> None:
    anna, table, hall = discord.user("Anna"), discord.channel("table"), discord.channel("hall")
    roster = "name,type,side,morale,fp\nSquad 1,squad,US,5,2\nSquad 2,squad,US,5,2\n"
    await (
        await anna.slash(table, "game start", system="lnlt", name="Hill", sides="US, VC")
    ).answer()
    added = await (
        await anna.slash(table, "unit import", file=("roster.csv", roster.encode()))
    ).answer()
    assert "Squad 2" in added.text
    await (await anna.slash(table, "roll", dice="2d6")).answer()
    export = await (await anna.slash(table, "game export")).answer()
    [(name, content)] = export.files.items()
    assert name.endswith(".json")
    brought = await (await anna.slash(hall, "game import", file=(name, content))).answer()
    assert not brought.ephemeral, brought.text
    assert "Squad 1-2" in (await (await anna.slash(hall, "unit list")).answer()).text
    for wrong in (("x.csv", b"\xff\xfe"), ("big.csv", b"a" * 10_000_001)):
        refused = await (await anna.slash(table, "unit import", file=wrong)).answer()
        assert refused.ephemeral
        assert wrong[0] in refused.text


async def test_a_game_moves_to_another_channel_and_is_played_from_two(
    discord: DiscordStandIn,
) -> None:
    anna = discord.user("Anna", manage_guild=True)
    table, hall, den = map(discord.channel, ("table", "hall", "den"))
    await (
        await anna.slash(table, "game start", system="lnlt", name="Hill", sides="US, VC")
    ).answer()
    await (await anna.slash(table, "game transfer", channel=hall)).answer()
    assert '"Hill" is played here from now on' in (await discord.message(hall)).text
    status = await (await anna.slash(hall, "game status")).answer()
    assert "Hill" in status.text

    linked = await (await anna.slash(hall, "game link")).answer()
    assert linked.ephemeral
    [code] = re.findall(r"/game link code:(\w+)", linked.text)
    await (await anna.slash(den, "game link", code=code)).answer()
    told = await discord.message(den, "links this channel with #hall of Wargamers")
    assert not told.ephemeral
    rolled = await (await anna.slash(hall, "roll", dice="2d6", label="both")).answer()
    echo = await discord.message(den, "for both")
    assert rolled.content in echo.text


async def test_a_long_log_turns_its_pages_in_place(discord: DiscordStandIn) -> None:
    anna, table = discord.user("Anna"), discord.channel("table")
    for _ in range(5):
        await (await anna.slash(table, "roll", dice="2d6")).answer()
    log = await (await anna.slash(table, "log", count=2)).answer()
    assert log.ephemeral
    assert "#6" in log.text
    await anna.press(log, "Older")
    assert "#4" in log.text
    assert "#6 Anna" not in log.text
    await anna.press(log, "Newer")
    assert "#6" in log.text
    assert len(anna.sees(table)) == 6


async def test_undo_redo_and_undo_again_by_the_same_button(discord: DiscordStandIn) -> None:
    anna, table = discord.user("Anna"), discord.channel("table")
    rolled = await (await anna.slash(table, "roll", dice="2d6")).answer()
    for _ in range(2):
        undone = await (await anna.press(rolled, "Undo")).answer()
        assert "#2 is undone · Anna" in undone.text.replace("*", "")
        await discord.until(lambda: not rolled.buttons)
        await (await anna.slash(table, "game redo")).answer()
        await discord.until(lambda: "Undo" in rolled.buttons)


async def test_again_ignores_a_double_click(discord: DiscordStandIn) -> None:
    anna, table = discord.user("Anna"), discord.channel("table")
    first = await (await anna.slash(table, "roll", dice="2d6")).answer()
    one, two = await asyncio.gather(anna.press(first, "Again"), anna.press(first, "Again"))
    shown = [await pressed.answer() for pressed in (one, two)]
    assert sorted(message.ephemeral for message in shown) == [False, True]
