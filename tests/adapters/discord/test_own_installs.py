"""Grognard on somebody's own account: played where the bot is no member, and where it is, by
gateway and by HTTP. What is done so is free play of that person's, nothing is ever posted for it,
and no channel's game hears of it."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import discord as library
import pytest

from adapters.discord.command_payload import list_our_commands
from adapters.discord.delivery import MOST_TOLD
from adapters.discord.request import DiscordRequest, build_unasked_request, read_payload
from bot.verification.export_format import read_export
from bot.verification.proof import check_proof
from tests.adapters.discord.http_helpers import playing
from tests.adapters.discord.process import Bot, locked, running
from tests.adapters.left_over import kept, until_nothing_is_left
from tests.adapters.nursery import share
from tests.standins.discord import Channel, DiscordStandIn, Message
from tests.standins.discord.bare import bare_client
from tests.standins.discord.driver import Person

pytestmark = pytest.mark.scenes(2)

SHOT = {"attackers": "squad fp=2", "targets": "squad morale=5", "tm": 1}


@pytest.fixture
async def discord() -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin:
        yield standin


def newcomer(discord: DiscordStandIn, name: str = "Anna") -> Person:
    """Somebody who shares no server with the bot, and has it on their own account."""
    return discord.stranger(name).install()


def everywhere(discord: DiscordStandIn, anna: Person, ben: Person) -> dict[str, Channel]:
    """One place of every kind in which Anna's own install is what lets her in."""
    far, near = discord.foreign("Far"), discord.add_guild("Near")
    near.has_commands = (
        False  # invited as a mere bot: it posts there, but its commands are not the server's
    )
    for guild in (far, near):
        anna.join(guild)
        ben.join(guild)
    return {
        "a server without the bot": discord.channel("hall", far),
        "a server with the bot": discord.channel("hall", near),
        "a group DM": discord.conversation(anna, ben, discord.stranger("Cy")),
        "a DM with an opponent": discord.conversation(anna, ben),
        "the DM with the bot": anna.dm(),
    }


def events(message: Message) -> int:
    """The number in an answer's footer."""
    found = re.findall(r"#(\d+)", message.text)
    assert found, message.text
    return int(found[-1])


def posted(discord: DiscordStandIn) -> list[str]:
    """What the bot did in channels with its own token, but for the welcome on a server that it
    has come to.
    """
    calls = [
        f"{call.method} {call.path}"
        for call in discord.site.calls
        if call.path.startswith("/channels/")
    ]
    said = [
        one.text
        for channel in discord.world.channels.values()
        for one in channel.messages
        if not one.interaction
    ]
    welcomes = sum("Grognard is here" in text for text in said)
    assert len(said) == welcomes
    return [
        call
        for call in calls
        if welcomes == 0 or not re.match(r"POST /channels/\d+/messages", call)
    ]


async def play(discord: DiscordStandIn, anna: Person, ben: Person, where: Channel) -> None:
    """All that a person's install is for, in one place."""
    rolled = await (await anna.slash(where, "roll", dice="2d6")).answer()
    assert rolled.private_to is None
    table = {"total": 7, "unit": "good-order-mmc", "morale": 5}
    looked = await (await anna.slash(where, "lnlt-table combat dct", table)).answer()
    assert not looked.text.startswith("Error"), looked.text
    shot = await (await anna.slash(where, "lnlt fire", **SHOT)).answer()
    assert events(shot) == events(rolled) + 1
    odds = await (await anna.slash(where, "lnlt fire", **SHOT, odds=True)).answer()
    assert odds.private_to is anna.user
    again = await (await anna.press(odds, "Roll it")).answer()
    assert again.private_to is None
    again = await (await anna.press(shot, "Again")).answer()
    assert events(again) == events(shot) + 2
    changed = await anna.press(shot, "Change…")
    assert "Change the shot" in changed.modal["title"]
    assert (await (await anna.menu(shot, "Odds of this")).answer()).private_to is anna.user
    assert await anna.autocomplete(where, "lnlt fire", "targets", "squ")
    file = await (await anna.slash(where, "game export")).answer()
    (exported,) = file.files.values()
    assert check_proof(read_export(json.loads(exported))).faults == ()
    form = await anna.slash(where, "lnlt fire")
    filled = {"attackers": "squad fp=3", "targets": "squad morale=4"}
    submitted = await anna.submit_modal(form, {**filled})
    assert events(await submitted.answer()) == events(again) + 1
    await seal(discord, anna, where)
    await undo(discord, anna, where)
    owed = await (await anna.slash(where, "roll", dice="2d6", hand="3")).answer()
    assert owed.private_to is anna.user
    done = await (await anna.press(owed, "4")).answer()
    assert "7" in done.text
    await macros(anna, where)
    page = await (await anna.slash(where, "help")).answer()
    assert "Here you play on your own." in page.text
    page = await (await anna.press(page, "Roll 2d6")).answer()
    assert events(page)
    log = await (await anna.slash(where, "log")).answer()
    assert log.private_to is anna.user
    assert f"#{events(page)}" in log.text
    refused = await (await anna.slash(where, "game start", system="lnlt", name="Hill 875")).answer()
    assert "is for games, and a game needs Grognard on the server." in refused.text
    assert refused.private_to is anna.user
    way = refused.buttons["Add to a server"]["url"]
    assert "integration_type=0" in way
    assert f"client_id={discord.world.bot.id}" in way
    assert "Free play" in (await (await anna.slash(where, "game status")).answer()).text
    if ben.user in where.people or where.guild is not None:
        mine = await (await ben.press(shot, "Undo")).answer()
        assert "Only the player who rolled this" in mine.text
        assert "integration_type=1" in mine.buttons["Add to my account"]["url"]
        assert (await (await ben.press(shot, "Odds")).answer()).private_to is ben.user


async def seal(discord: DiscordStandIn, anna: Person, where: Channel) -> None:
    """A sealed roll: the answer hers, the seal everybody's, and opened for all."""
    await (await anna.slash(where, "roll", dice="3d6", secret=True)).answer()
    await discord.until(
        lambda: any("sealed roll" in one.text and not one.ephemeral for one in where.messages)
    )
    mine = next(
        one for one in where.messages if "Open it" in one.buttons and one.private_to is anna.user
    )
    opened = await (await anna.press(mine, "Open it")).answer()
    assert opened.private_to is None
    mine.dismissed = True


async def undo(discord: DiscordStandIn, anna: Person, where: Channel) -> None:
    """Taken back by the button: its message reads so, by the token that brought it."""
    rolled = await (await anna.slash(where, "lnlt fire", **SHOT)).answer()
    await (await anna.press(rolled, "Undo")).answer()
    await discord.until(lambda: "Undone in" in rolled.text)


async def macros(anna: Person, where: Channel) -> None:
    """A macro of hers, saved once and run everywhere."""
    saved = await (await anna.slash(where, "macro add", name="h", text="roll {n=1}d10>=8")).answer()
    assert not saved.text.startswith("Error"), saved.text
    ran = await anna.slash(where, "macro run", name="h", values="3")
    assert events(await ran.answer())


@asynccontextmanager
async def by(mode: str, data: Path) -> AsyncIterator[DiscordStandIn]:
    """A bot that hears interactions by the gateway, or by HTTP."""
    if mode == "HTTP":
        async with playing(data) as (standin, _):
            yield standin
        return
    async with DiscordStandIn.running() as standin, running(standin, data):
        yield standin


@pytest.mark.parametrize("mode", ["gateway", pytest.param("HTTP", marks=pytest.mark.slow)])
async def test_a_persons_install_is_played_everywhere(mode: str, tmp_path: Path) -> None:
    async with by(mode, tmp_path) as discord:
        anna, ben = newcomer(discord), discord.stranger("Ben")
        for number, (name, where) in enumerate(everywhere(discord, anna, ben).items()):
            print(name)
            rolled = await (await anna.slash(where, "roll", dice="d6")).answer()
            assert events(rolled) == number + 2, f"{name}: it is one free play, wherever she is"
            cleo = newcomer(discord, f"Cleo {number}")
            await play(discord, cleo, ben, everywhere(discord, cleo, ben)[name])
        assert posted(discord) == [], "nothing but answers by token"
        assert [call for call in discord.site.calls if call.status >= 400] == []


async def test_the_channels_game_never_hears_of_it(discord: DiscordStandIn, tmp_path: Path) -> None:
    """On a server with the bot what counts is whose install let the command in; both together
    mean the server's.
    """
    club = discord.channel("club")
    async with running(discord, tmp_path):
        vera, anna = (
            discord.user("Vera", manage_guild=True).install(),
            discord.user("Anna").install(),
        )
        await (await vera.slash(club, "game start", system="lnlt", name="Hill 875")).answer()
        ours = await (await anna.slash(club, "roll", dice="2d6")).answer()
        assert events(ours) == 2, "both installs: the game of the channel"
        discord.guild.has_commands = False
        hers = await (await anna.slash(club, "roll", dice="2d6")).answer()
        assert "free play begins" in hers.text
        assert "game is" not in hers.text
        under = await (await anna.press(ours, "Again")).answer()
        assert events(under) == 3, "an answer of the channel's game stays of it"
        under = await (await anna.press(hers, "Again")).answer()
        assert events(under) == 3, "and her own stays hers"
        refused = await (await anna.slash(club, "game start", system="lnlt")).answer()
        assert "is for games" in refused.text
        discord.guild.has_commands = True
        log = await (await vera.slash(club, "log")).answer()
        assert len(re.findall(r"\b2d6\b", log.text)) == 2, log.text
        told = await (await anna.slash(anna.dm(), "roll", dice="2d6")).answer()
        assert "free play begins" in told.text, (
            "a DM with a bot whose server one shares is a channel as before"
        )


async def test_private_where_the_server_wants_that(discord: DiscordStandIn, tmp_path: Path) -> None:
    far = discord.foreign()
    hall, anna = discord.channel("hall", far), newcomer(discord)
    anna.permit(far, use_external_apps=False)
    async with running(discord, tmp_path):
        rolled = await (await anna.slash(hall, "roll", dice="2d6")).answer()
        assert rolled.private_to is anna.user
        assert "apps on your own account may not post" in rolled.text
        await (await anna.press(rolled, "Undo")).answer()
        await discord.until(lambda: "Undone in" in rolled.text)
        anna.permit(far, use_external_apps=True, send_messages=False)
        mute = await (await anna.slash(hall, "roll", dice="2d6")).answer()
        assert "apps on your own account may not post" in mute.text
        anna.permit(far, use_external_apps=False, send_messages=True)
        wrong = await (await anna.slash(hall, "roll", dice="2d")).answer()
        assert "apps of your own" not in wrong.text, "an error is private anyway"
        discord.slow(r"POST .*/callback", 0.01, times=1)
        with locked(tmp_path):
            asked = await anna.slash(hall, "roll", dice="2d6", secret=True)
        await asked.answer()
        assert all(message.private_to is anna.user for message in hall.messages)
        assert [call for call in discord.site.calls if call.status >= 400] == []


async def test_what_outlives_its_token_is_kept_and_told(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    """Nobody may post where the bot is no member: the answer waits for whoever asked, and is
    counted.
    """
    far = discord.foreign()
    hall, anna, cy = discord.channel("hall", far), newcomer(discord), newcomer(discord, "Cy")
    anna.join(far)
    cy.join(far)
    async with running(discord, tmp_path) as bot:
        first = events(await (await anna.slash(hall, "roll", dice="2d6")).answer())
        late = MOST_TOLD + 1
        discord.fail(r"(PATCH|POST) .*/webhooks/.*", 503, times=None)
        with locked(tmp_path):
            asked = [
                anna.send(hall, "roll", dice="2d6", label=f"late {number}")
                for number in range(late)
            ]
            await asyncio.gather(*(one.first_response() for one in asked))
            discord.clock.advance(16 * 60)
        discord.no_faults()
        await discord.until(lambda: kept(tmp_path) == late)
        other = await (await cy.slash(hall, "roll", dice="2d6")).answer()
        assert "(late)" not in other.text
        near = await anna.slash(anna.dm(), "roll", dice="d6")
        told = await _late(anna.dm(), MOST_TOLD)
        assert events(await near.answer()) >= first
        assert all(message.private_to is anna.user for message in told)
        assert "so here it is" in told[0].text
        await anna.slash(hall, "roll", dice="d6")
        rest = await _late(hall, 1)
        assert {re.search(r"late \d", one.text)[0] for one in (*told, *rest)} == {  # type: ignore[index]
            f"late {number}" for number in range(late)
        }
        await discord.until(lambda: kept(tmp_path) == 0)  # it is shown before that is written down
        assert posted(discord) == []
        assert "ERROR" not in bot.log


async def _late(where: Channel, count: int) -> list[Message]:
    for _ in range(1_200):
        found = [one for one in where.messages if one.text.startswith("(late)")]
        if len(found) >= count:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError([one.text for one in where.messages])


async def test_faults_and_restarts(discord: DiscordStandIn, tmp_path: Path) -> None:
    far = discord.foreign()
    hall, anna = discord.channel("hall", far), newcomer(discord).join(far)
    bot = Bot(discord, tmp_path)
    await bot.start()
    try:
        rolled = await (await anna.slash(hall, "roll", dice="2d6")).answer()
        first = events(rolled)
        for order in (
            lambda: discord.deliver_twice(),
            lambda: discord.fail(r"POST .*/callback", 500),
            lambda: discord.rate_limit(r"POST .*/callback", 0.3),
            lambda: discord.lose_answer(r"POST .*/callback"),
        ):
            order()
            first += 1
            assert events(await (await anna.slash(hall, "roll", dice="2d6")).answer()) == first
            discord.no_faults()
        await bot.kill()
        await bot.start()
        assert events(await (await anna.press(rolled, "Again")).answer()) == first + 1
        await (await anna.press(rolled, "Undo")).answer()
        await discord.until(lambda: "Undone in" in rolled.text)
        said = [one for one in hall.messages if not one.deleted]
        assert len(said) == len({one.text for one in said}) or len(said) == first + 2
        old = await (await anna.slash(hall, "roll", dice="2d6")).answer()
        discord.clock.advance(16 * 60)
        taken = await (await anna.press(old, "Undo")).answer()
        assert "is undone" in taken.text
        await asyncio.sleep(2.5 * share())
        assert "Undone" not in old.text, (
            "nobody may change it any more, and the undo says so itself"
        )
        assert posted(discord) == []
        assert "ERROR" not in bot.log
    finally:
        assert await bot.stop() == 0, bot.log


async def test_deleted_it_is_nowhere(discord: DiscordStandIn, tmp_path: Path) -> None:
    group = discord.conversation(
        anna := newcomer(discord), discord.stranger("Ben"), discord.stranger("Cy")
    )
    async with running(discord, tmp_path):
        await (await anna.slash(group, "roll", dice="2d6", label="hedgehog")).answer()
        shown = await (await anna.slash(group, "privacy show")).answer()
        assert "What you play with the app on your account: 1 event since" in shown.text
        asked = await (await anna.slash(group, "privacy delete")).answer()
        done = await (await anna.press(asked, "Delete")).answer()
        assert "are deleted completely" in done.text
        await until_nothing_is_left(tmp_path, 10)
    with closing(sqlite3.connect(tmp_path / "grognard.db")) as db:
        text = "\n".join(db.iterdump())
    assert "hedgehog" not in text
    assert str(anna.id) not in text, "nor who she was"
    games = re.findall(r"INSERT INTO \"?(?:games|bindings|events|seeds)\"? VALUES", text)
    assert not games, text[:3000]


async def test_a_host_who_leaves_it_off_keeps_every_command(
    discord: DiscordStandIn, tmp_path: Path
) -> None:
    """Should Discord refuse commands for own installs where the portal has none, servers have
    theirs all the same.
    """
    discord.commands.user_install = discord.world.user_install = False
    async with running(discord, tmp_path) as bot:
        assert "User Install is off" in bot.log
        kept = {
            one["name"]: (one["integration_types"], one["contexts"])
            for one in discord.commands.all()
        }
        assert kept["roll"] == ([0], [0, 1])
        assert kept["setup"] == ([0], [0])
        assert len(kept) == len(list_our_commands())
    discord.commands.user_install = discord.world.user_install = True
    async with running(discord, tmp_path):
        await discord.until(
            lambda: discord.commands.find("roll", None)["integration_types"] == [0, 1]  # type: ignore[index]
        )


# The stand-in beside discord.py's own objects


async def test_discord_py_sees_whose_install_it_is(discord: DiscordStandIn) -> None:
    """Fields as the library reads them, the sixth follow-up refused, private by force, and no
    channel to post in.
    """
    far = discord.foreign()
    hall, anna = discord.channel("hall", far), newcomer(discord).join(far)
    seen: list[Any] = []

    async def answer(interaction: library.Interaction[Any]) -> None:
        await interaction.response.send_message("7")
        refused = 0
        for number in range(6):
            try:
                await interaction.followup.send(str(number))
            except library.HTTPException as error:
                refused = error.code
        try:
            assert interaction.channel_id is not None
            await interaction.client.http.send_message(
                interaction.channel_id, params=_params("late")
            )
            post = 0
        except library.HTTPException as error:
            post = error.code
        original = await interaction.original_response()
        seen.append(
            (
                interaction.context.guild,
                interaction.context.private_channel,
                interaction.is_user_integration(),
                interaction.is_guild_integration(),
                original.flags.ephemeral,
                interaction.app_permissions.embed_links,
                refused,
                post,
            )
        )

    option = {"name": "dice", "description": "the dice", "type": 3}
    command: dict[str, Any] = {"name": "roll", "description": "roll dice", "options": [option]}
    command |= {"integration_types": [0, 1], "contexts": [0, 1, 2]}
    async with bare_client(discord.url, discord.token, [command], answer):
        await anna.slash(hall, "roll", dice="d6")
        await discord.until(lambda: len(seen) == 1)
        assert seen[0] == (True, False, True, False, False, True, 40094, 50001)
        anna.permit(far, use_external_apps=False)
        await anna.slash(hall, "roll", dice="d6")
        await discord.until(lambda: len(seen) == 2)
        assert seen[1][4], "private by force"
        await anna.slash(discord.conversation(anna, discord.stranger("Ben")), "roll", dice="d6")
        await discord.until(lambda: len(seen) == 3)
        assert seen[2] == (False, True, True, False, False, True, 40094, 50001)
        vera = discord.user("Vera").install()
        await vera.slash(discord.channel("club"), "roll", dice="d6")
        await discord.until(lambda: len(seen) == 4)
        assert seen[3][2:4] == (True, True)
        assert seen[3][6:] == (0, 0), "a server's own install is not bound so"


def _params(content: str) -> Any:
    return library.http.handle_message_parameters(content)


def test_whose_play_it_is_by_the_payload() -> None:
    """Where the server's install counts, where the person's, and what only a token may change."""
    user = {"id": "3", "username": "anna"}
    common = {"id": "1", "token": "t", "application_id": "2", "type": 3, "channel_id": "9"}
    member = {"guild_id": "5", "member": {"user": user, "permissions": "0"}, "context": 0}

    def read(**more: Any) -> DiscordRequest:
        return read_payload({**common, **more})

    assert (
        read(**member, authorizing_integration_owners={"0": "5", "1": "3"}).where.key
        == "discord:5/9"
    )
    assert read(**member).where.key == "discord:5/9", "an old payload"
    own = read(**member, authorizing_integration_owners={"1": "3"}, message={"id": "8"})
    assert (own.where.key, own.where.owner, own.where.server, own.hushed) == (
        "discord:own/3",
        "discord:3",
        "",
        True,
    )
    assert own.who.manager
    theirs = read(**member, authorizing_integration_owners={"1": "4"})
    assert (theirs.where.key, theirs.who.key, theirs.who.manager) == (
        "discord:own/4",
        "discord:3",
        False,
    )
    assert read(user=user, context=2).where.key == "discord:own/3"
    assert (
        read(user=user, context=1, authorizing_integration_owners={"0": "0", "1": "3"}).where.key
        == "discord:dm/9"
    )
    assert (
        read(user=user, context=1, authorizing_integration_owners={"1": "3"}).where.key
        == "discord:own/3"
    )
    assert own.build_spot("8")["token"] == "t"
    assert "pressed" not in own.to_json()
    assert DiscordRequest.from_json(own.to_json()).where == own.where
    with pytest.raises(ValueError, match="not a member"):
        build_unasked_request(own.where.key, 1, lambda guild, channel: 0)
