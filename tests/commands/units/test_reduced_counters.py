"""Counters with two sides: a casualty turns them over by itself, undo turns them back, and both
verifiers follow.
"""

from __future__ import annotations

import json

import pytest

from bot.rules.inputs.loadout import count_carried_weapons
from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.playing import Channel, two_sides
from tools import verify_log

RIFLES = 'unit add "Rifle 1..2" squad US morale=5 fp=2 reduced="morale=4 fp=1"'
CASUALTIES = 'lnlt fire attackers=vc1 targets="Rifle 1" hand="6,1,6"'


async def rifles() -> Channel:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", RIFLES)
    return channel


async def assert_verifiers_agree(channel: Channel) -> None:
    """The log as it is exported is sound for `grognard verify` and for the short verifier."""
    log = (await channel.do("Anna", "game export")).files[0].text
    assert list(check(read_json(log)).faults) == []
    assert verify_log.check(json.loads(log)).faults == []


async def test_a_squad_with_casualties_turns_to_its_half_squad_and_undo_turns_it_back() -> None:
    channel = await rifles()
    before = await channel.content()
    reply = await channel.do("Bob", CASUALTIES)
    assert "Rifle 1 is a shaken half-squad" in reply.format_text()
    assert "old numbers" not in reply.format_text()
    unit = (await channel.game()).units["rifle 1"]
    assert (unit.type, unit.state, dict(unit.numbers)) == (
        "half-squad",
        "shaken",
        {"morale": 4, "fp": 1},
    )
    await assert_verifiers_agree(channel)
    await channel.do("Bob", "game undo")
    await channel.do("Anna", "game undo")
    assert await channel.content() == before
    await assert_verifiers_agree(channel)


async def test_without_a_reduced_side_the_small_print_says_so() -> None:
    channel = await rifles()
    reply = await channel.do("Bob", 'lnlt fire attackers=vc1 targets="us1; us2" hand="6,1,6,6"')
    assert "Squads 1 + 2 are shaken half-squads (old numbers)" in reply.format_text()
    typed = await channel.do("Bob", 'lnlt fire attackers=vc1 targets="squad morale=5" hand="6,1,6"')
    assert "old numbers" not in typed.format_text(), "only units of the roster have one"


async def test_a_half_squad_does_not_turn_back_when_it_is_hit_again() -> None:
    channel = await rifles()
    await channel.do("Bob", CASUALTIES, CASUALTIES)
    unit = (await channel.game()).units["rifle 1"]
    assert (unit.type, unit.turned, unit.state) == ("half-squad", True, "eliminated")
    await assert_verifiers_agree(channel)


async def test_a_sealed_shot_turns_the_counter_when_it_is_opened() -> None:
    channel = await rifles()
    await channel.do("Bob", f"{CASUALTIES} secret")
    assert not (await channel.game()).units["rifle 1"].turned
    await channel.do("Bob", f"game reveal {(await channel.game()).number}")
    assert (await channel.game()).units["rifle 1"].numbers == {"morale": 4, "fp": 1}
    await assert_verifiers_agree(channel)


async def test_a_wounded_leader_has_the_numbers_of_the_wounded_side() -> None:
    channel = await rifles()
    await channel.do("Anna", 'unit add "Lt Dan" leader US morale=6 lm=2 reduced="morale=4 lm=0"')
    await channel.do("Bob", 'lnlt fire attackers=vc1 targets="Lt Dan" hand="6,1,6"')
    unit = (await channel.game()).units["lt dan"]
    assert (unit.state, unit.type, unit.numbers) == (
        "shaken-wounded",
        "leader",
        {"morale": 4, "lm": 0},
    )
    await channel.do("Anna", 'unit edit "Lt Dan" -wounded')
    assert (await channel.game()).units["lt dan"].numbers == {"morale": 6, "lm": 2}, (
        "healed, it turns back"
    )


async def test_flipped_by_hand_and_back() -> None:
    channel = await rifles()
    await channel.do("Anna", 'unit edit "Rifle 1" flip')
    assert (await channel.game()).units["rifle 1"].type == "half-squad"
    await channel.do("Anna", 'unit edit "Rifle 1" type=squad')
    unit = (await channel.game()).units["rifle 1"]
    assert (unit.type, unit.numbers, unit.turned) == ("squad", {"morale": 5, "fp": 2}, False)
    await channel.do("Anna", 'unit edit "Rifle 1" reduced: none')
    await channel.refused("Anna", 'unit edit "Rifle 1" flip', "no-change other side")
    await channel.refused("Anna", 'unit edit "Rifle 1" reduced: brave', "unknown-attribute brave")
    await assert_verifiers_agree(channel)


async def test_a_reduced_unit_of_the_pacific_turns_too() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start nhis Peleliu sides="US, IJA"', "game join US")
    await channel.do("Anna", "unit add A squad US fp=4 morale=7 reduced=fp=2")
    await channel.do("Anna", "unit edit A state=reduced")
    assert (await channel.game()).units["a"].numbers == {"fp": 2, "morale": 7}
    await channel.do("Anna", "unit edit A flip")
    unit = (await channel.game()).units["a"]
    assert (unit.numbers, unit.state) == ({"fp": 4, "morale": 7}, "good-order")


@pytest.mark.parametrize(
    "text",
    [
        "name,type,side,morale,fp,reduced\\nA,squad,US,5,2,half-squad morale=4 fp=1",
        "- {name: A, type: squad, side: US, morale: 5, fp: 2, reduced: {type: half-squad, morale: 4, fp: 1}}",
    ],
)
async def test_a_file_with_reduced_sides(text: str) -> None:
    channel = await rifles()
    await channel.do("Anna", f"unit import text='{text}'", "unit edit A flip")
    unit = (await channel.game()).units["a"]
    assert (unit.type, unit.numbers) == ("half-squad", {"morale": 4, "fp": 1})


async def test_a_pasted_file_that_lost_its_line_breaks_says_so() -> None:
    channel = await rifles()
    lost = "name,type,side,morale Fox 1,squad,VC,4 Fox 2,squad,VC,4"
    reply = await channel.refused(
        "Anna", f"unit import text='{lost}'", "bad-roster line breaks have been lost"
    )
    assert "/unit import" in reply.format_text()


@pytest.mark.parametrize(
    ("game", "unit", "full", "reduced"),
    [
        ("asl", "squad", "morale=7", "half-squad morale=6"),
        ("baps", "leader", "lr=2", "lr=1"),
        ("ucn", "element", "members=6 morale=14", "members=3 morale=12"),
    ],
)
async def test_the_games_without_a_rule_for_it_turn_a_counter_by_hand(
    game: str, unit: str, full: str, reduced: str
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {game} Ridge sides="US, GE"', "game join US")
    await channel.do("Anna", f'unit add A {unit} US {full} reduced="{reduced}"')
    before = (await channel.game()).units["a"]
    await channel.do("Anna", "unit edit A flip")
    after = (await channel.game()).units["a"]
    assert after.turned
    assert all(after.numbers[key] < before.numbers[key] for key in after.numbers if key != "ap")
    assert after.type == ("half-squad" if game == "asl" else unit)
    await channel.do("Anna", "unit edit A flip")
    assert (await channel.game()).units["a"].numbers == before.numbers
    await assert_verifiers_agree(channel)


async def test_casualties_of_an_element_leave_fewer_men_and_weapons_by_themselves() -> None:
    """Ultracombat has no reduced sides: its counters lose men, and the commonest weapons with
    them.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start ucn Bridge sides="US, GE"', "game join US")
    await channel.do("Bob", "game join GE", "unit add Gruppe element GE firearms=11")
    await channel.do(
        "Anna", "unit add Able element US members=4 morale=14 loadout=3xbattle-rifle,smg"
    )
    await channel.do("Bob", "ucn shoot lmg 12 target=Able hand=1,20,20,20")
    unit = (await channel.game()).units["able"]
    assert unit.numbers["members"] == 1
    assert count_carried_weapons(unit.numbers) == {"smg": 1}
    await assert_verifiers_agree(channel)
