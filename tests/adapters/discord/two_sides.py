"""Two people at a table on Discord, with a few units each."""

from __future__ import annotations

from tests.standins.discord import Channel, DiscordStandIn, Message, Person


async def say(player: Person, where: Channel, path: str, **options: object) -> Message:
    """The answer to a slash command."""
    return await (await player.slash(where, path, **options)).answer()


async def press(player: Person, message: Message, button: str) -> Message:
    """The answer to a button."""
    return await (await player.press(message, button)).answer()


async def gather(
    discord: DiscordStandIn, table: Channel, units: str, others: str, morale: int = 5
) -> tuple[Person, Person]:
    """Anna with US squads named so, Ben with squads of the VC of this morale."""
    anna, ben = discord.user("Anna"), discord.user("Ben")
    await say(anna, table, "game start", system="lnlt", name="Hill 875", sides="US, VC")
    await say(anna, table, "game join", side="US")
    await say(ben, table, "game join", side="VC")
    await say(anna, table, "unit add", name=units, type="squad", side="US", stats="morale=5 fp=2")
    await say(
        ben, table, "unit add", name=others, type="squad", side="VC", stats=f"morale={morale} fp=1"
    )
    return anna, ben
