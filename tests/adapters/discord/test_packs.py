"""A server's own game on Discord: a zip becomes commands of that server, which come and go with
it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.rulesets.packs.archive import zip_content
from tests.adapters.discord.http_helpers import playing
from tests.adapters.discord.process import locked, running
from tests.extension import EXTENSION
from tests.packs.conftest import FEW
from tests.packs.when_helpers import PACK
from tests.scenarios.pack_versions_helpers import FIRST, SECOND, SEQUENCES
from tests.standins.discord import Answer, Channel, DiscordStandIn, Guild, Message, Person

pytestmark = pytest.mark.scenes(1)

SURE = "    sure: {type: bool, help: the shot is sure}\n"
NEWER = {
    **SECOND,
    "sequences.yaml": SEQUENCES.replace(
        "help: who is shot at}\n", "help: who is shot at}\n" + SURE
    ),
}
"""The second version, whose shot has one option more."""


def few(changed: dict[str, str]) -> tuple[str, bytes]:
    """The smallest pack with some files changed, as an attachment."""
    return "few.zip", zip_content(
        {name: text.encode() for name, text in {**FEW, **changed}.items()}
    )


def menu(discord: DiscordStandIn, guild: Guild) -> list[str]:
    """The commands of a server's own that Discord shows there."""
    return [command["name"] for command in discord.commands.all(guild.id)]


def options(discord: DiscordStandIn, guild: Guild) -> list[str]:
    """What `/few shoot` takes, as Discord shows it on a server."""
    [shoot] = next(one for one in discord.commands.all(guild.id) if one["name"] == "few")["options"]
    return [option["name"] for option in shoot["options"]]


async def said(player: Person, where: Channel, path: str, **given: Any) -> Message:
    """The answer to a slash command, which must not be an error."""
    answer = await (await player.slash(where, path, **given)).answer()
    assert not answer.content.startswith("Error"), answer.text
    return answer


async def enabled(host: Person, table: Channel, changed: dict[str, str]) -> Message:
    """A pack uploaded, its review read and *Enable* pressed; the answer to that."""
    review = await said(host, table, "pack add", file=few(changed))
    assert review.ephemeral
    assert "is checked and saved" in review.text
    answer = await (await host.press(review, "Enable")).answer()
    assert answer.ephemeral
    return answer


@pytest.mark.slow
async def test_a_pack_becomes_commands_of_its_server_and_is_fought_with(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord:
        host, ben = discord.user("Host", manage_guild=True), discord.user("Ben")
        table, home = discord.channel("table"), discord.guild
        async with running(discord, tmp_path) as bot:
            assert "is enabled here" in (await enabled(host, table, FIRST)).text
            assert menu(discord, home) == ["few", "few-table"]
            assert options(discord, home)[:1] == ["targets"]
            assert "few" not in [command["name"] for command in discord.commands.all()]

            began = await said(ben, table, "game start", system="few", name="Ridge")
            assert "Ridge" in began.text
            await said(ben, table, "unit add", name="Gun 1..3", type="unit")
            first, *_ = await ben.autocomplete(table, "few shoot", "targets", "gun 2")
            assert first.value == "Gun 2"
            odds = await said(ben, table, "few shoot", targets="Gun 2", odds=True)
            assert "Miss 67%, hit 33%" in odds.text
            missed = await said(ben, table, "few shoot", targets="Gun 2", hand="2")
            assert "miss" in missed.text.casefold()
            await said(ben, table, "few-table combat crt", roll=5)

            odds = await (await ben.press(missed, "Odds")).answer()
            assert "Miss 67%, hit 33%" in odds.text
            other = await (await ben.select(missed, "Same shot, other target", "Gun 1")).answer()
            assert "#4" in other.text
            await (await ben.press(other, "Undo")).answer()

            form = await ben.slash(table, "few shoot")
            assert form.modal["title"] == "Shoot"
            shot = await (await ben.submit_modal(form, {"targets": ["Gun 3"]})).answer()
            assert "#" in shot.text
            undone = await (await ben.press(shot, "Undo")).answer()
            assert "undone" in undone.text.casefold()
            form = await ben.press(missed, "Change…")
            assert form.modal["title"] == "Change the shot of #3"

            await bot.kill()
            writes = len(discord.commands.writes)
            await bot.start()
            again = await (await ben.press(missed, "Again")).answer()
            assert "#" in again.text
            assert len(discord.commands.writes) == writes, "nothing had changed"

            assert "/few shoot targets:" in (await said(ben, table, "help", topic="few shoot")).text
            gone = await said(host, table, "pack disable", pack="few")
            assert "/few is no longer in this server" in gone.text
            assert menu(discord, home) == []


@pytest.mark.slow
async def test_two_servers_play_two_versions_and_one_moves_on_while_a_game_keeps_its_own(
    tmp_path: Path,
) -> None:
    async with DiscordStandIn.running() as discord:
        north, south = discord.guild, discord.add_guild("South")
        host = discord.user("Host", manage_guild=True).permit(south, manage_guild=True)
        ben = discord.user("Ben").join(south)
        table, other = discord.channel("table"), discord.channel("other", south)
        async with running(discord, tmp_path) as bot:
            await enabled(host, table, FIRST)
            await enabled(host, other, NEWER)
            assert options(discord, north)[:2] == ["targets", "odds"]
            assert options(discord, south)[:2] == ["targets", "sure"]
            await said(ben, table, "game start", system="few", name="Ridge")
            await said(ben, table, "unit add", name="Gun 1..2", type="unit")
            assert "Miss" in (await said(ben, table, "few shoot", targets="Gun 1", hand="4")).text
            assert "Hit" in (await said(ben, other, "few shoot", targets="unit", hand="4")).text

            moved = await enabled(host, table, NEWER)
            assert "/game settings pack:few" in moved.text
            assert options(discord, north)[:2] == ["targets", "sure"]
            await bot.stop()
            await bot.start()
            missed = await said(ben, table, "few shoot", targets="Gun 1", hand="4")
            assert "Miss" in missed.text, (
                "the game goes on with the version that it was started with"
            )
            refused = await (
                await ben.slash(table, "few shoot", targets="Gun 1", sure=True)
            ).answer()
            assert "This game is played with Few 1" in refused.text
            await said(ben, table, "game settings", pack="few")
            assert (
                "Hit"
                in (await said(ben, table, "few shoot", targets="Gun 1", sure=True, hand="4")).text
            )

            await said(host, table, "pack remove", pack="few@2")
            assert menu(discord, north) == []
            assert menu(discord, south) == ["few", "few-table"]
            form = await ben.press(missed, "Change…")
            await (await ben.submit_modal(form, {"targets": ["Gun 2"]})).answer()
            assert "Shoot: miss [4]" in (await said(ben, table, "log")).text, (
                "the game goes on, and is read"
            )


@pytest.mark.slow
async def test_what_discord_does_not_take_is_told_to_the_manager_and_sent_again(
    tmp_path: Path,
) -> None:
    async with DiscordStandIn.running() as discord:
        host, table = discord.user("Host", manage_guild=True), discord.channel("table")
        async with running(discord, tmp_path) as bot:
            broken = discord.fail("PUT .*/guilds/.*/commands", 500, times=None)
            answer = await enabled(host, table, FIRST)
            assert "Few 1 is enabled here" in answer.text
            assert "Grognard keeps trying" in answer.text
            assert menu(discord, discord.guild) == []
            await bot.kill()
            broken.times = 0
            await bot.start()
            await discord.until(lambda: menu(discord, discord.guild) == ["few", "few-table"])
            discord.fail("PUT .*/guilds/.*/commands", 403, times=None)
            gone = await said(host, table, "pack disable", pack="few")
            assert "applications.commands" in gone.text
            discord.no_faults()
            await said(host, table, "pack enable", pack="few")
            assert menu(discord, discord.guild) == ["few", "few-table"]


@pytest.mark.slow
async def test_what_one_process_enables_the_others_play(tmp_path: Path) -> None:
    async with playing(tmp_path, 2) as (discord, _):
        host, ben, table = (
            discord.user("Host", manage_guild=True),
            discord.user("Ben"),
            discord.channel("table"),
        )
        for _ in range(4):
            await said(ben, table, "roll", dice="2d6")
        await enabled(host, table, FIRST)
        for _ in range(4):  # in turn by one and the other
            shot = await said(ben, table, "few shoot", targets="unit")
        form = await ben.press(shot, "Change…")
        assert form.modal["title"].startswith("Change the shot")
        for _ in range(2):
            offered = await ben.autocomplete(table, "game start", "system", "few")
            assert [choice.value for choice in offered] == ["few"]
        await said(host, table, "pack disable", pack="few")
        assert menu(discord, discord.guild) == []


@pytest.mark.slow
async def test_a_shot_that_was_under_way_in_a_crash_is_fired_after_it(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord:
        host, ben, table = (
            discord.user("Host", manage_guild=True),
            discord.user("Ben"),
            discord.channel("table"),
        )
        async with running(discord, tmp_path) as bot:
            await enabled(host, table, FIRST)
            with locked(bot.data):
                shot = await ben.slash(table, "few shoot", targets="unit")
                assert shot.answer_kind is Answer.THINKING
                await bot.kill()
            await bot.start()
            assert "Ben shoots" in (await shot.answer()).text


async def test_what_counts_by_another_input_is_a_second_step_of_the_form(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, host = discord.channel("table"), discord.user("Host", manage_guild=True)
        await enabled(host, table, PACK)
        form = await host.slash(table, "few shoot")
        assert "'Facing'" not in str(form.modal)
        asked = await (
            await host.submit_modal(form, {"Range": "3", "Modifiers": ["Reply"]})
        ).answer()
        assert asked.ephemeral
        assert "One more thing: Facing?" in asked.text
        second = await host.press(asked, "Go on")
        rolled = await (await host.submit_modal(second, {"Facing": ["Front"]})).answer()
        assert not rolled.ephemeral, rolled.text
        at_once = await said(host, table, "few event")
        assert not at_once.ephemeral, at_once.text


async def test_an_extension_is_there_under_its_own_commands_and_no_game_to_start(
    tmp_path: Path,
) -> None:
    async with DiscordStandIn.running() as discord:
        host, table, home = (
            discord.user("Host", manage_guild=True),
            discord.channel("table"),
            discord.guild,
        )
        async with running(discord, tmp_path):
            club = (
                "club.zip",
                zip_content({name: text.encode() for name, text in EXTENSION.items()}),
            )
            review = await said(host, table, "pack add", file=club)
            assert "It adds to asl without changing anything else in that game." in review.text
            answer = await (await host.press(review, "Enable")).answer()
            assert "New games of Advanced Squad Leader" in answer.text
            assert menu(discord, home) == ["club-ift", "club-ift-table"]
            began = await said(host, table, "game start", system="asl", name="Hill")
            assert "extends asl" in began.text
            await said(host, table, "unit add", name="Alpha", type="ft-team", stats="fp=4")
            shot = await said(
                host, table, "club-ift fire", attackers="Alpha", targets="squad", hand="2,2"
            )
            assert "2mc" in shot.text


GRIT = {
    path.name: path.read_text("utf-8")
    for path in (Path(__file__).parents[2] / "data" / "packs" / "grit").iterdir()
    if path.is_file()
}
"""A pack whose sequences ask a side in their middle."""


@pytest.mark.slow
async def test_a_side_is_asked_by_buttons_that_work_behind_a_restart(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord:
        host, ben = discord.user("Host", manage_guild=True), discord.user("Ben")
        table = discord.channel("table")
        async with running(discord, tmp_path) as bot:
            grit = "grit.zip", zip_content({name: text.encode() for name, text in GRIT.items()})
            await (
                await host.press(await said(host, table, "pack add", file=grit), "Enable")
            ).answer()
            await said(host, table, "game start", system="grit", name="Ford", sides="US, VC")
            await said(host, table, "game join", side="US")
            await said(ben, table, "game join", side="VC")
            await said(
                host,
                table,
                "unit add",
                name="Red 1",
                type="squad",
                side="US",
                stats="men=5 morale=7",
            )
            await said(
                ben,
                table,
                "unit add",
                name="Blue 1..2",
                type="squad",
                side="VC",
                stats="men=5 morale=7",
            )
            assert "answer" in [option["name"] for option in _options_of(discord, "shoot")]
            shot = await said(
                host,
                table,
                "grit shoot",
                attackers="Red 1",
                targets="Blue 1",
                dice=4,
                hand="4,5,6,1",
            )
            assert "3 hits on Blue 1" in shot.content
            assert f"<@{ben.id}>" in shot.content
            await bot.kill()
            await bot.start()
            refused = await (await host.press(shot, "Go to ground")).answer()
            assert refused.ephemeral
            chosen = await (await ben.press(shot, "Take 3 casualties")).answer()
            assert "Blue 1: casualties" in chosen.content
            fought = await said(
                host,
                table,
                "grit assault",
                attackers="Red 1",
                targets="Blue 1; Blue 2",
                hand="6,6,5,5",
            )
            second = await (await ben.press(fought, "Blue 1: go back a hex")).answer()
            assert second.ephemeral
            done = await (await ben.press(second, "Blue 2: stay and lose 1d6 men")).answer()
            assert "Blue 1 retreats; Blue 2 loses" in done.content
            assert not done.ephemeral


def _options_of(discord: DiscordStandIn, id: str) -> list[dict[str, Any]]:
    """The options of a sequence of the grit pack."""
    grit = next(one for one in discord.commands.all(discord.guild.id) if one["name"] == "grit")
    return next(one["options"] for one in grit["options"] if one["name"] == id)
