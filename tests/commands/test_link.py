"""`/game link`: one game in two channels."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.app import App
from bot.command import Person, Place
from bot.reply import Reply
from bot.stores.memory import MemoryStore

HERE = Place("discord:5/9", "discord:5", "war-room")
THERE = Place("slack:T1/C1", "slack:T1", "games")
ELSEWHERE = Place("slack:T1/C2", "slack:T1", "other")
ANNA = Person("discord:1", "Anna")
BEN = Person("slack:T1/U1", "Ben")


class Table:
    """Two channels and a clock."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.app = App(MemoryStore(lambda: self.now), lambda: self.now)
        self._number = 0

    async def run(self, text: str, who: Person = ANNA, where: Place = HERE) -> Reply:
        self._number += 1
        return await self.app.run_text(text, who, where, f"r{self._number}", {"to": who.name})

    async def code(self, who: Person = ANNA, where: Place = HERE) -> str:
        return (await self.run("/game link", who, where)).title.split()[-1]

    async def told(self, platform: str) -> list[str]:
        """What waits to be posted on a platform because of the other one, in order."""
        due = await self.app.due(platform)
        await self.app.delivered(*(one.id for one in due))
        return [one.reply.title for one in due if not one.delivery]


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    table = Table()
    await table.run('/game start lnlt "Hill 875" sides="US, VC"')
    yield table
    await table.app.close()


async def test_two_channels_play_one_game(table: Table) -> None:
    code = await table.code()
    assert len(code) == 8
    linked = await table.run(f"/game link {code.lower()}", BEN, THERE)
    assert linked.private
    assert linked.announce is not None
    assert await table.told("discord:") == ["Ben links this game with another channel"]
    await table.run("/game join US")
    await table.run("/game join VC", BEN, THERE)
    rolled = await table.run("/roll 2d6", BEN, THERE)
    assert len(await table.told("slack:")) == 1, "Anna's side, and not what Ben did himself"
    assert (await table.told("discord:"))[-1] == rolled.title
    status = [(await table.run("/game status", who, where)).lines for who, where in ((ANNA, HERE), (BEN, THERE))]
    assert status[0] == status[1]
    odds = await table.run('lnlt fire attackers="squad fp=2" targets="squad morale=5" odds', BEN, THERE)
    assert odds.private
    assert await table.told("discord:") == []


async def test_a_code_works_once_and_for_a_quarter_of_an_hour(table: Table) -> None:
    code = await table.code()
    assert not (await table.run(f"/game link {code}", BEN, THERE)).error
    assert (await table.run(f"/game link {code}", BEN, ELSEWHERE)).error
    late = await table.code()
    table.now += 15 * 60 + 1
    assert (await table.run(f"/game link {late}", BEN, ELSEWHERE)).error
    assert (await table.run(f"/game link {await table.code()}")).error, "from this very channel"
    assert (await table.run("/game link ABCD1234", BEN, ELSEWHERE)).error


async def test_two_games_are_not_made_one(table: Table) -> None:
    await table.run("/roll 2d6", BEN, THERE)
    refused = await table.run(f"/game link {await table.code()}", BEN, THERE)
    assert refused.error
    assert "both" in refused.title


async def test_the_code_may_come_from_the_empty_channel(table: Table) -> None:
    code = await table.code(BEN, THERE)
    assert not (await table.run(f"/game link {code}")).error
    assert "Hill 875" in str(await table.run("/game status", BEN, THERE))


async def test_only_who_directs_the_game_links_it(table: Table) -> None:
    cora = Person("discord:3", "Cora")
    assert (await table.run("/game link", cora)).error
    code = await table.code(BEN, THERE)
    assert (await table.run(f"/game link {code}", cora)).error
    assert not (await table.run(f"/game link {code}")).error, "the refusal used nothing up"


async def test_a_new_game_goes_on_in_both(table: Table) -> None:
    await table.run(f"/game link {await table.code()}", BEN, THERE)
    await table.run("/game end")
    await table.run('/game start lnlt "Hill 876" sides="US, VC"')
    assert "Hill 876" in str(await table.run("/game status", BEN, THERE))
    await table.told("slack:")
    rolled = await table.run("/roll 2d6")
    assert await table.told("slack:") == [rolled.title]


async def test_a_code_opens_no_game_that_began_after_it(table: Table) -> None:
    """Whoever asks for a code where nothing is played has no right to what others begin there."""
    code = await table.code(BEN, ELSEWHERE)
    await table.run("/roll 2d6", Person("slack:T1/U2", "Cora"), ELSEWHERE)
    assert (await table.run(f"/game link {code}", BEN, Place("slack:T2/C9", "slack:T2"))).error


async def test_channels_part_again(table: Table) -> None:
    assert (await table.run("/game link off")).error, "nothing is linked"
    await table.run(f"/game link {await table.code()}", BEN, THERE)
    assert (await table.run("/game link off", BEN, THERE)).error, "he is no game master"
    await table.told("slack:")
    parted = await table.run("/game link OFF", Person("slack:T1/U9", "Dora", manager=True), THERE)
    assert not parted.error
    assert (await table.told("discord:"))[-1] == parted.title
    assert (await table.run("/game status", BEN, THERE)).error
    assert "Hill 875" in str(await table.run("/game status"))
    await table.run("/roll 2d6")
    assert await table.told("slack:") == []
    assert not (await table.run("/roll 2d6", BEN, THERE)).error
    assert not (await table.run("/game undo", BEN, THERE)).error
    assert (await table.run("/game link off")).error, "again alone"


async def test_linking_is_never_undone(table: Table) -> None:
    await table.run(f"/game link {await table.code()}", BEN, THERE)
    assert (await table.run("/game undo")).error
