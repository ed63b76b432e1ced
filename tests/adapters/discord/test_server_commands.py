"""Discord learns of a server's own commands when they changed, from one process, and says so
where it will not.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from adapters.discord.registration import NO_RIGHT, TODAY, TOO_MANY_A_DAY, ServerCommands
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from tests.commands.pack_helpers import add, few, managed
from tests.packs.conftest import FEW
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import FIRST, SECOND

SERVER = "discord:7"


class Told:
    """What Discord was told, in place of a connection; `refuses` is what it answers instead."""

    def __init__(self) -> None:
        self.told: list[list[str]] = []
        self.refuses: discord.HTTPException | None = None
        self.refuses_name = ""

    async def bulk_upsert_guild_commands(
        self, _: int, guild: int, commands: list[dict[str, Any]]
    ) -> None:
        """Take them."""
        assert guild == 7
        if self.refuses is not None:
            raise self.refuses
        for at, command in enumerate(commands):
            if command["name"] == self.refuses_name:
                reason = {"_errors": [{"message": "An option of this name is there"}]}
                raise refusal(400, 50035, {str(at): {"options": {"0": {"name": reason}}}})
        assert not {key for command in commands for key in command} & {
            "contexts",
            "integration_types",
        }
        self.told.append([command["name"] for command in commands])


def refusal(
    status: int, code: int = 0, errors: dict[str, Any] | None = None
) -> discord.HTTPException:
    """An error as the library raises it."""
    kind = discord.Forbidden if status == 403 else discord.HTTPException
    said = {"code": code, "message": "no", "errors": errors or {}}
    return kind(SimpleNamespace(status=status, reason="no"), said)


@pytest.fixture
async def channel() -> Channel:
    """A channel of a server on Discord."""
    return await Channel.fresh(place=Place(f"{SERVER}/8", SERVER, "#games"))


@pytest.fixture
async def menus(
    channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[[], tuple[ServerCommands, Told]]]:
    """Makes processes that see to the menus of servers, and what each tells Discord."""
    monkeypatch.setattr("adapters.discord.registration.MANAGER_WAIT_SECONDS", 60.0)
    made: list[ServerCommands] = []

    def make() -> tuple[ServerCommands, Told]:
        told = Told()
        made.append(ServerCommands(told, 1, channel.app))
        return made[-1], told

    yield make
    for one in made:
        one.stop()


Make = Callable[[], tuple[ServerCommands, Told]]


async def answer(menu: ServerCommands) -> str:
    """What a manager reads beside the answer, once Discord is told."""
    return (await menu.add_problem(SERVER, Reply("Done"))).format_text()


async def test_each_change_is_told_once_and_a_start_without_one_tells_nothing(
    channel: Channel, menus: Make
) -> None:
    menu, told = menus()
    await add(channel, few(FIRST))
    assert told.told == []
    await managed(channel, "pack enable few")
    assert await answer(menu) == "Done"
    await managed(channel, "setup systems all")
    assert await answer(menu) == "Done"
    assert told.told == [["few", "few-table"]]
    await add(channel, few({**SECOND, "game.yaml": FIRST["game.yaml"].replace("Combat", "Fights")}))
    await managed(channel, "pack enable few@2")
    await answer(menu)
    assert len(told.told) == 1, "the commands are the same as before"
    later, told_later = menus()
    await later.send_pending_changes()
    assert told_later.told == []
    await managed(channel, "pack remove few@2")
    assert "/few is no longer in this server" in await answer(menu)
    assert told.told[-1] == []


async def test_of_two_processes_that_start_one_tells_what_changed_meanwhile(
    channel: Channel, menus: Make
) -> None:
    await add(channel, few(FIRST))
    await managed(channel, "pack enable few")
    (first, told), (second, told_second) = menus(), menus()
    await first.send_pending_changes()
    await second.send_pending_changes()
    assert [*told.told, *told_second.told] == [["few", "few-table"]]


@pytest.mark.parametrize(
    ("error", "said"), [(refusal(403), NO_RIGHT), (refusal(400, TOO_MANY_A_DAY), TODAY)]
)
async def test_a_refusal_is_told_in_words(
    channel: Channel, menus: Make, error: discord.HTTPException, said: str
) -> None:
    menu, told = menus()
    told.refuses = error
    await add(channel, few(FIRST))
    await managed(channel, "pack enable few")
    assert said in await answer(menu)
    told.refuses = None
    await menu.handle_join(SERVER)
    await answer(menu)
    assert told.told == [["few", "few-table"]]


async def test_a_command_larger_than_discord_takes_is_left_out_and_named(
    channel: Channel, menus: Make
) -> None:
    menu, told = menus()
    help = "a figure whose name is as long as a name can be and so is what is said of it here"
    inputs = "".join(
        f"  {'n' * 28}{at:02}: {{type: int, min: 1, max: 6, help: {help}}}\n" for at in range(15)
    )
    wide = (
        FEW["crt.yaml"]
        .replace("inputs:\n", f"inputs:\n{inputs}")
        .replace("example: {", "example: {NAMES, ")
    )
    wide = wide.replace("NAMES", ", ".join(f"{'n' * 28}{at:02}: 1" for at in range(15)))
    tables = {f"crt-{'x' * 20}-{at:02}.yaml": wide for at in range(20)}
    review = await add(channel, few({**FIRST, **tables}))
    assert not review.error, review.format_text()
    await managed(channel, "pack enable few")
    assert "8,000 characters" in await answer(menu)
    assert told.told == [["few"]]


async def test_a_pack_that_discord_refuses_keeps_no_other_out(
    channel: Channel, menus: Make
) -> None:
    """Stored before the check knew better: an input of its own called `odds`. Discord names it
    by its place.
    """
    menu, told = menus()
    await add(channel, few(FIRST))
    other = {**FIRST, "pack.yaml": FEW["pack.yaml"].replace("few", "odd").replace("Few", "Odd")}
    await add(channel, few(other))
    await managed(channel, "pack enable few")
    await answer(menu)
    told.refuses_name = "odd"
    await managed(channel, "pack enable odd")
    said = await answer(menu)
    assert "Discord rejects the commands of /odd" in said
    assert "An option of this name is there" in said
    assert told.told[-1] == ["few", "few-table"]
    later, told_later = menus()
    await later.send_pending_changes()
    assert told_later.told == [], "what was refused is not sent again until it changes"
