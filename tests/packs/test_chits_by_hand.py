"""A side cannot have a second go by moving the chits of a cup that leads a phase by hand."""

from __future__ import annotations

import pytest

from tests.playing import Channel


async def crown(channel: Channel) -> None:
    await channel.do("Mona", "game start three-mills scenario=sorrel")
    await channel.do("Anna", "game join Crown")
    await channel.do("Bob", "game join Republic")
    while "to play" not in (await channel.do("Anna", "deck draw cup")).title:
        # the first chit may end the phase
        await channel.do("Mona", "game next")


@pytest.mark.sample(2)
@pytest.mark.usefixtures("packs")
@pytest.mark.parametrize(
    "line", ["deck return all cup", "deck discard all cup", "deck discard all cup out", "deck shuffle cup",
             "deck make cup", "deck return all cup place=top", "deck peek 2 cup", "deck draw cup 2",
             "deck draw cup to=me", "deck deal 1 cup"],
)  # fmt: skip
async def test_chits_are_not_moved_by_players(line: str) -> None:
    channel = await Channel.fresh()
    await crown(channel)
    before = (await channel.game()).cards
    for name in ("Anna", "Bob"):
        refused = await channel.say(name, line)
        assert refused.error, refused.format_text()
    assert (await channel.game()).cards == before


@pytest.mark.usefixtures("packs")
async def test_who_directs_and_plays_no_side_sets_right_what_went_wrong() -> None:
    channel = await Channel.fresh()
    await crown(channel)
    await channel.do("Mona", "deck return all cup")
    assert not (await channel.game()).cards
