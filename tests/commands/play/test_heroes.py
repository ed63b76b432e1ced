"""A hero who appears in a fire fight is on the roster at once; undo takes them back, and both
verifiers follow.
"""

from __future__ import annotations

import json

from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.playing import Channel, two_sides
from tools import verify_log

HERO = 'lnlt fire attackers=vc1 targets=us1 hand="6,3,1,2"'


async def assert_sound(channel: Channel) -> None:
    log = (await channel.do("Anna", "game export")).files[0].text
    assert list(check(read_json(log)).faults) == []
    assert verify_log.check(json.loads(log)).faults == []


async def test_a_hero_joins_the_roster_of_the_side_that_was_hit() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.content()
    reply = await channel.do("Bob", HERO)
    assert (
        'On the roster now: Hero 1. Enter the numbers: /unit edit "Hero 1" morale=7'
        in reply.format_text()
    )
    hero = (await channel.game()).units["hero 1"]
    assert (hero.type, hero.side, hero.handle) == ("hero", "US", "us4")
    await channel.do("Bob", HERO)
    assert "hero 2" in (await channel.game()).units
    await assert_sound(channel)
    for _ in range(2):
        await channel.do("Bob", "game undo")
        await channel.do("Anna", "game undo")
    assert await channel.content() == before
    await assert_sound(channel)


async def test_a_hero_among_passengers_joins_too() -> None:
    """A squad bails out of a vehicle that direct fire destroys: who appears is beside it, and
    undo takes both back.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.content()
    line = 'lnlt bail-out cause=dft vehicle=destroyed passengers="Squad 2" dc_mod=1 hand=1,1,6,1'
    assert "On the roster now: Hero 1" in (await channel.do("Anna", line)).format_text()
    assert (await channel.game()).units["hero 1"].side == "US"
    await assert_sound(channel)
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert await channel.content() == before


async def test_a_hero_beside_a_typed_squad_is_nobody_of_the_roster() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    reply = await channel.do(
        "Bob", 'lnlt fire attackers=vc1 targets="squad morale=5" hand="6,3,1,2"'
    )
    assert "on the roster" not in reply.format_text()
    assert "hero 1" not in (await channel.game()).units


async def test_a_log_from_before_heroes_joined_is_still_sound() -> None:
    """Such a log changes only what was hit: the replay knows both."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", HERO)
    log = json.loads((await channel.do("Anna", "game export")).files[0].text)
    from tests.forging import rechained

    body = log["events"][-1]["body"]
    assert body["after"]["units"].pop("hero 1")["type"] == "hero"
    body["before"]["units"].pop("hero 1")
    again = json.dumps(rechained(log))
    assert list(check(read_json(again)).faults) == []
