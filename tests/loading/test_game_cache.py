"""Games in memory: rolls do not ask the store first whether what is known of a game still holds,
and nothing is lost.

Two apps on one store are two processes: each knows the game as it was when it last wrote or read.
"""

from __future__ import annotations

import tracemalloc
from copy import deepcopy
from typing import Any

import pytest

from bot.app import App
from bot.loading.game_cache import GameCache, estimate_size
from bot.storage.sqlite import TemporaryStore
from tests.fresh import fresh
from tests.playing import Channel, two_sides


class Asked(TemporaryStore):
    """A store that counts how often it is asked for the version of a game."""

    peeks = 0

    async def load_game_version(self, place: str) -> Any:
        self.peeks += 1
        return await super().load_game_version(place)


async def two_processes() -> tuple[Channel, Channel, Asked]:
    store = await fresh(Asked)
    return Channel(App(store), prefix="a"), Channel(App(store), prefix="b"), store


async def test_a_roll_asks_for_no_version_and_one_in_another_process_is_not_lost() -> None:
    here, there, store = await two_processes()
    await here.do("Anna", "roll 2d6")
    await there.do("Bob", "roll 2d6")
    store.peeks = 0
    assert (await there.do("Bob", "roll 2d6")).footer == ("#4",)
    assert store.peeks == 0
    assert (await here.do("Anna", "roll 2d6")).footer == ("#5",), (
        "it is rolled anew behind what happened meanwhile"
    )
    assert (await there.do("Bob", "lnlt initiative last=a")).footer == ("#6",)


async def test_nobody_is_refused_for_what_another_process_has_changed() -> None:
    here, there, _ = await two_processes()
    await two_sides(here)
    await here.do("Anna", "game settings hand_dice=no")
    await here.refused("Anna", "roll 2d6 hand=3,4", "no-hand-dice")
    await there.do("Anna", "game settings hand_dice=yes")
    assert (await here.do("Anna", "roll 2d6 hand=3,4")).title == "7"
    await there.do("Anna", "unit remove us1")
    await here.refused(
        "Anna", 'lnlt fire attackers="Squad 1" targets=vc1', "unknown-unit attackers"
    )


async def test_a_roll_goes_to_the_game_that_another_process_began_here() -> None:
    here, there, _ = await two_processes()
    await here.do("Anna", "roll 2d6")
    first = await here.game()
    await two_sides(there)
    await here.do("Anna", "roll 2d6")
    assert (await here.game()).id != first.id
    assert (await here.game()).started


async def test_a_board_that_another_process_posted_follows_the_next_roll() -> None:
    here, there, store = await two_processes()
    await two_sides(here)
    await there.do("Anna", "game board")
    await here.do("Anna", "lnlt fire attackers=us1 targets=vc1 hand=6,1,1,1")
    game = await here.app.games.load_current(here.place.key)
    assert game is not None
    board = await store.load_doc("board", game.row)
    assert board is not None
    assert board.data["said"].endswith(f"#{game.game.number}")


async def test_memory_is_bounded_by_bytes() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll 2d6")
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    games = GameCache(channel.app.store, max_bytes=3 * estimate_size(loaded))
    for number in range(5):
        await Channel(channel.app, type(channel.place)(f"console:{number}"), f"{number}-").do(
            "Anna", "roll 2d6"
        )
        assert await games.load_current(f"console:{number}") is not None
    assert [games.get_cached(f"console:{number}") is not None for number in range(5)] == [
        False,
        False,
        True,
        True,
        True,
    ]
    games.clear()
    assert games.get_cached("console:4") is None


@pytest.mark.parametrize("units", [0, 40])
async def test_an_army_weighs_more_than_free_play(units: int) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.app.games.load_current(channel.place.key)
    if units:
        await channel.do("Anna", f'unit add "Rifle 1..{units}" squad US morale=5 fp=2')
    after = await channel.app.games.load_current(channel.place.key)
    assert before is not None
    assert after is not None
    assert estimate_size(after) >= estimate_size(before) + units * 800


async def test_a_game_with_large_decks_weighs_what_its_cards_take() -> None:
    channel = await Channel.fresh()
    for number in range(6):
        await channel.do("Anna", f'deck make "1..400" pile{number}')
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    tracemalloc.start()
    try:
        copy = deepcopy(dict(loaded.game.decks))
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(copy) == 6
    assert estimate_size(loaded) >= taken
