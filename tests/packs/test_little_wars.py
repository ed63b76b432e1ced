"""Little Wars: the fights that Wells works out in the book, and his sketch of cavalry charges."""

from __future__ import annotations

import pytest

from bot.rulesets.catalog import find_shared_system
from tests.playing import Channel

pytestmark = pytest.mark.usefixtures("packs")

EXTENDED = {36: (5, 1), 25: (5, 1), 24: (10, 2), 13: (10, 2), 12: (15, 3), 1: (15, 3)}
"""By the inches of the charge: one of the cavalry for so many infantry, so many infantry for
each of the cavalry.
"""
CLOSE = {36: (3, 15), 25: (3, 15), 24: (2, 10), 13: (2, 10), 12: (1, 5), 1: (1, 5)}
"""So many cavalry for each of the infantry, one of the infantry for so many cavalry."""


def test_cavalry_charging_infantry() -> None:
    table = find_shared_system("little-wars").find_table("charge-losses")
    for inches, (infantry, killed) in EXTENDED.items():
        found = table.read({"inches": inches, "formation": "extended"})
        assert (found["cavalry"], found["per_infantry"]) == (1, infantry)
        assert (found["infantry"], found["per_cavalry"]) == (killed, 1)
    for inches, (lost, cavalry) in CLOSE.items():
        found = table.read({"inches": inches, "formation": "close"})
        assert (found["cavalry"], found["per_infantry"]) == (lost, 1)
        assert (found["infantry"], found["per_cavalry"]) == (1, cavalry)


async def table_with(*bodies: str) -> Channel:
    """A game with these bodies: `Guards infantry Red men=11`."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start little-wars "Floor" sides="Red, Blue"', "game settings hand_dice=yes"
    )
    await channel.do("Anna", *(f"unit add {body}" for body in bodies))
    return channel


@pytest.mark.parametrize(
    ("ours", "theirs", "isolated", "said"),
    [
        (11, 9, True, "7 killed on each side, 2 prisoners"),
        (19, 13, True, "7 killed on each side, 6 prisoners"),
        (14, 12, True, "10 killed on each side, 2 prisoners"),
        (14, 12, False, "12 killed on each side, 0 prisoners"),
        (10, 10, True, "10 killed on each side, 0 prisoners"),
        (30, 9, True, "0 killed on each side, 9 prisoners"),
    ],
)
async def test_a_melee(ours: int, theirs: int, isolated: bool, said: str) -> None:
    channel = await table_with(
        f"Guards infantry Red men={ours}", f"Line infantry Blue men={theirs}"
    )
    reply = await channel.do(
        "Anna", f"little-wars melee Guards Line{' isolated' if isolated else ''}"
    )
    assert f"{ours} against {theirs}: {said}" in reply.format_text()
    killed, prisoners = (int(word) for word in said.split() if word.isdigit())
    units = (await channel.game()).units
    assert units["guards"].numbers["men"] == ours - killed
    assert (
        units["line"].numbers["men"]
        == theirs - killed - prisoners
        == (theirs - killed if not prisoners else 0)
    )
    assert units["line"].numbers.get("prisoners", 0) == prisoners


async def test_losses_fall_on_the_bodies_in_their_order_and_come_back_with_undo() -> None:
    channel = await table_with(
        "A infantry Red men=8", "B infantry Red men=8", "C infantry Blue men=11"
    )
    await channel.do("Anna", 'little-wars melee "A; B" C')
    units = (await channel.game()).units
    assert (units["a"].state, units["b"].numbers["men"], units["c"].state) == ("gone", 5, "gone")
    await channel.do("Anna", "game undo")
    units = (await channel.game()).units
    assert [units[name].numbers["men"] for name in "abc"] == [8, 8, 11]


async def test_charges() -> None:
    channel = await table_with(
        "Horse cavalry Red men=12", "Foot infantry Blue men=20", "Lancers cavalry Blue men=8"
    )
    charge = "little-wars charge Horse Foot inches=30 formation=extended"
    assert (
        (await channel.do("Anna", charge))
        .format_text()
        .startswith("Horse loses 4, Foot loses 12 · Horse attacks")
    )
    toss = await channel.do("Anna", "little-wars cavalry-charge Horse Lancers hand=2")
    assert toss.format_text().startswith("Horse loses 6, Lancers loses 2 · Horse attacks")
    refused = await channel.say("Anna", "little-wars charge Horse Foot inches=30 formation=close")
    assert "It takes at least eight cavalry to charge" in refused.format_text()
