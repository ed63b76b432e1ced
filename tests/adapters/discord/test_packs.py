"""A server's own game on Discord: a zip becomes commands of that server, which come and go with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.systems.packs.content import zipped
from tests.adapters.discord.process import running
from tests.packs.conftest import FEW
from tests.scenarios.test_pack_versions import FIRST, SECOND, SEQUENCES
from tests.standins.discord import Channel, DiscordStandIn, Guild, Message, Person

SURE = "    sure: {type: bool, help: the shot is sure}\n"
NEWER = {
    **SECOND,
    "sequences.yaml": SEQUENCES.replace("help: who is shot at}\n", "help: who is shot at}\n" + SURE),
}
"""The second version, whose shot has one option more."""


def few(changed: dict[str, str]) -> tuple[str, bytes]:
    """The smallest pack with some files changed, as an attachment."""
    return "few.zip", zipped({name: text.encode() for name, text in {**FEW, **changed}.items()})


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
    assert "is checked and kept" in review.text
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
            await said(host, table, "pack disable", pack="few")
            assert menu(discord, home) == []
