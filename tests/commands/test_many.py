"""Many units at once: ranges, `all`, states, sides and hexes in lists, in sequences of one unit, and in `/unit`."""

from __future__ import annotations

from typing import Any

import pytest

from bot.audit.check_file import check
from bot.rules.proof.export_format import read_json
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tools import verify_log


async def last_event(channel: Channel) -> dict[str, Any]:
    """The body of the last event."""
    game = await channel.game()
    rows = await channel.app.store.events(game.id, after=game.number - 1)
    return dict(rows[0].data)


async def assert_sound(channel: Channel) -> None:
    """Both verifiers find the exported log sound, and play all of it again."""
    text = await exported_text(channel)
    findings = check(read_json(text))
    assert not findings.faults
    assert not findings.unplayed
    assert verify_log.check(read_json(text), [])[0] == []


async def test_attackers_and_targets_in_a_few_words() -> None:
    """Three firers by a range, all targets by `all`; the log holds names."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire us1..us2 all hand=1,6")
    event = await last_event(channel)
    assert event["inputs"] == {"attackers": "Squad 1; Squad 2", "targets": "Cell 1; Cell 2; Tran"}
    assert [unit["name"] for unit in event["used"]] == ["Squad 1", "Squad 2", "Cell 1", "Cell 2", "Tran"]
    await assert_sound(channel)


async def test_a_comma_between_units() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'lnlt fire attackers="us1, Squad 2" targets=vc1,vc2 hand=1,6')
    event = await last_event(channel)
    assert event["inputs"] == {"attackers": "us1; Squad 2", "targets": "vc1; vc2"}


async def test_what_is_behind_a_range_is_for_each() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'lnlt fire attackers="us1..us2 fp=4" targets=vc1 hand=1,6,6')
    assert (await last_event(channel))["inputs"]["attackers"] == "Squad 1 fp=4; Squad 2 fp=4"


async def test_again_and_a_log_do_not_depend_on_who_is_in_play_by_then() -> None:
    """`all shaken` meant one unit when it was typed; the log goes on meaning that one."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit us1 shaken", 'lnlt rally "all shaken" hand=6,6')
    assert (await last_event(channel))["inputs"]["units"] == "Squad 1"
    await channel.do("Anna", "unit edit us2 shaken", "again")
    assert (await last_event(channel))["inputs"]["units"] == "Squad 1"
    await assert_sound(channel)


async def test_who_is_gone_is_left_out_unless_named() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", 'unit edit "Cell 1" eliminated')
    await channel.do("Anna", "lnlt fire us1 all hand=1,6")
    assert (await last_event(channel))["inputs"]["targets"] == "Cell 2; Tran"
    await channel.do("Anna", "lnlt fire us1 vc1..vc2 hand=1,6")
    assert (await last_event(channel))["inputs"]["targets"] == "Cell 2"
    await channel.refused("Anna", "lnlt fire us1 vc1 hand=1,6", "unit-gone Cell 1")


@pytest.mark.parametrize(
    ("line", "part", "hint"),
    [
        ("lnlt fire us1,Trann vc1", "unknown-unit Trann", "Did you mean Tran?"),
        ('lnlt fire "Squad 1..4" vc1', "unknown-unit attackers", "Did you mean Squad 1..2?"),
        ('lnlt fire us1 "Cell 9"', "unknown-unit Cell 9", "Did you mean Cell"),
        ("lnlt fire us1 side:NVA", "unknown-side NVA", "Sides are US, VC."),
        ('lnlt fire us1 "Zug Cell"', "unknown-unit Zug", "Several units are separated by ; or ,"),
    ],
)
async def test_what_is_not_found_is_named_with_the_nearest(line: str, part: str, hint: str) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    reply = await channel.refused("Anna", line, part)
    assert hint in reply.text()


async def test_the_odds_of_a_range_are_rolled_as_they_were_counted() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    odds = await channel.do("Anna", "lnlt fire us1..us2 all odds")
    await channel.press("Anna", odds.buttons[0].action)
    assert (await last_event(channel))["inputs"]["targets"] == "Cell 1; Cell 2; Tran"
