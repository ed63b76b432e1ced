"""Anna and Ben with a squad each in a channel of Discord."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.standins.discord import Channel, DiscordStandIn, Message, Person


@pytest.fixture
async def discord() -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin:
        yield standin


async def say(who: Person, where: Channel, path: str, **options: object) -> Message:
    """The answer to a command, which must not be an error."""
    answer = await (await who.slash(where, path, **options)).answer()
    assert not answer.content.startswith("Error"), answer.text
    return answer


async def press(who: Person, message: Message, button: str) -> Message:
    """The answer to a button."""
    return await (await who.press(message, button)).answer()


async def duel(discord: DiscordStandIn) -> tuple[Channel, Person, Person]:
    """Anna for the US and Ben for the VC, with a squad each."""
    table, anna, ben = discord.channel("table"), discord.user("Anna"), discord.user("Ben")
    await say(anna, table, "game start", system="lnlt", name="Hill 875", sides="US, VC")
    await say(anna, table, "game join", side="US")
    await say(ben, table, "game join", side="VC")
    await say(
        anna, table, "unit add", name="Squad 1", type="squad", side="US", stats="morale=5 fp=2"
    )
    await say(ben, table, "unit add", name="Cell 1", type="squad", side="VC", stats="morale=4 fp=1")
    return table, anna, ben


async def fire(who: Person, table: Channel) -> Message:
    """Anna's squad fires at the cell, with dice that hurt it."""
    return await say(who, table, "lnlt fire", attackers="Squad 1", targets="Cell 1", hand="6,1,5")
