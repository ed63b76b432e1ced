"""Many units at once: ranges, `all`, states, sides and hexes in lists, in sequences of one unit,
and in `/unit`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.game.events import split_plays
from bot.game.luck import measure, scan
from bot.rules.sequence.sequence import Line
from bot.rules.text.phrase import Typed, split_pieces
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.parts import Group, Odds
from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tools import verify_log


async def last_event(channel: Channel) -> dict[str, Any]:
    """The body of the last event."""
    game = await channel.game()
    rows = await channel.app.store.load_events(game.id, after=game.number - 1)
    return dict(rows[0].data)


async def assert_sound(channel: Channel) -> None:
    """Both verifiers find the exported log sound, and play all of it again."""
    text = await exported_text(channel)
    findings = check(read_json(text))
    assert not findings.faults
    assert not findings.unplayed
    assert verify_log.check(verify_log.parse_json(text)).faults == []


async def test_attackers_and_targets_in_a_few_words() -> None:
    """Three firers by a range, all targets by `all`; the log holds names."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire us1..us2 all hand=1,6")
    event = await last_event(channel)
    assert event["inputs"] == {"attackers": "Squad 1; Squad 2", "targets": "Cell 1; Cell 2; Tran"}
    assert [unit["name"] for unit in event["used"]] == [
        "Squad 1",
        "Squad 2",
        "Cell 1",
        "Cell 2",
        "Tran",
    ]
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
    await channel.do(
        "Anna", "unit edit us1 shaken", 'lnlt rally "all shaken" rallier=leader hand=6,6'
    )
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
        (
            'lnlt fire us1 "Zug Cell"',
            "unknown-unit Zug",
            "/unit list shows them all",
        ),
    ],
)
async def test_what_is_not_found_is_named_with_the_nearest(line: str, part: str, hint: str) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    reply = await channel.refused("Anna", line, part)
    assert hint in reply.format_text()


async def test_the_odds_of_a_range_are_rolled_as_they_were_counted() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    odds = await channel.do("Anna", "lnlt fire us1..us2 all odds")
    await channel.press("Anna", odds.buttons[0].action)
    assert (await last_event(channel))["inputs"]["targets"] == "Cell 1; Cell 2; Tran"


async def twelve_men(channel: Channel) -> None:
    """Two players of Beer and Pretzels Skirmish: twelve GIs and their leader, three Germans."""
    await channel.do("Anna", 'game start baps "Village" sides="US, Germans"', "game join US")
    await channel.do("Bob", "game join Germans", 'unit add "Landser 1..3" soldier Germans')
    await channel.do(
        "Anna", 'unit add "GI 1..12" soldier US grade=veteran', "unit add Sarge leader US lr=2"
    )


async def test_twelve_random_orders_are_one_command_one_answer_and_one_event() -> None:
    """Twelve dice in the order of the men: who fared alike is in one line."""
    channel = await Channel.fresh()
    await twelve_men(channel)
    before = await channel.content()
    number = (await channel.game()).number
    reply = await channel.do(
        "Anna", 'baps random-order unit="GI 1..12" hand=1,2,3,4,5,6,7,8,2,2,3,3'
    )
    event = await last_event(channel)
    assert event["number"] == number + 1
    assert event["inputs"]["unit"] == "; ".join(f"GI {at}" for at in range(1, 13))
    assert [die["value"] for die in event["dice"]] == [1, 2, 3, 4, 5, 6, 7, 8, 2, 2, 3, 3]
    assert [die["label"] for die in event["dice"]][:2] == [
        "GI 1, random order",
        "GI 2, random order",
    ]
    assert [play["unit"] for play in event["out"]["plays"]] == [f"GI {at}" for at in range(1, 13)]
    groups = [part for part in reply.lines if isinstance(part, Group)]
    assert [group.text for group in groups] == ["GI 1", "GI 2, 3, 9-12", "GI 7 + 8", "GI 4-6"]
    assert sum(1 for line in reply.format_text().splitlines()) <= 8
    assert reply.first_line.startswith(
        "1 of 12 GIs sprints away from the enemy, 6 rush the enemy, 3 do nothing"
    )
    assert reply.by == "Anna rolls random orders"
    await assert_sound(channel)
    await channel.undo_last("Anna")
    await channel.do("Bob", "game undo")  # he agrees
    assert (await channel.content()) == before
    await assert_sound(channel)


async def test_one_man_rushes_where_several_rush_and_a_bare_list_is_the_men() -> None:
    channel = await Channel.fresh()
    await twelve_men(channel)
    told = await channel.do("Anna", 'baps random-order "GI 1..4" hand=2,8,8,8')
    assert (
        told.title == "1 of 4 GIs rushes the enemy, 3 do the same as the nearest friend with orders"
    )
    assert (
        await channel.do("Anna", "baps random-order us1 hand=8")
    ).by == "Anna rolls a random order"
    await channel.refused("Anna", "baps random-order driverr", "bad-value")


async def test_a_few_show_their_dice() -> None:
    channel = await Channel.fresh()
    await twelve_men(channel)
    reply = await channel.do("Anna", "baps random-order unit=us1,us2 hand=2,17")
    labels = [part.label for part in reply.lines if isinstance(part, Line)]
    assert labels == ["GI 1, random order", "GI 2, random order"]


async def test_a_list_of_one_is_played_once() -> None:
    channel = await Channel.fresh()
    await twelve_men(channel)
    await channel.do(
        "Anna", 'unit edit "GI 1" suppressed', 'baps random-order unit="all suppressed"'
    )
    event = await last_event(channel)
    assert event["inputs"] == {"unit": "GI 1"}
    assert event["out"]["order"] == "remain-suppressed"


async def test_the_die_owed_next_says_whose_it_is() -> None:
    channel = await Channel.fresh()
    await twelve_men(channel)
    before = (await channel.game()).number
    reply = await channel.refused(
        "Anna", 'baps random-order unit="GI 1..3" hand=1,2', "die-owed GI 3, random order"
    )
    assert 'unit="GI 1; GI 2; GI 3" hand=1,2,?' in reply.format_text()
    await channel.refused(
        "Anna", 'baps random-order unit="GI 1..3" hand=1,2,3,4', "dice-left-over 1 die"
    )
    assert (await channel.game()).number == before


async def test_what_one_unit_forbids_is_said_before_any_die() -> None:
    channel = await Channel.fresh()
    await twelve_men(channel)
    before = (await channel.game()).number
    await channel.refused(
        "Anna", 'baps random-order unit="GI 1; Sarge"', "wrong-type Sarge is a leader"
    )
    await channel.refused("Bob", "baps random-order unit=GI,side:US", "unknown-unit GI")
    await channel.refused("Bob", 'baps random-order unit="GI 1..2"', "not-yours GI 1")
    await channel.refused("Anna", 'baps random-order unit="GI 1; GI 13"', "unknown-unit GI 13")
    assert (await channel.game()).number == before
    await channel.do("Anna", 'baps random-order unit="all soldiers"')
    assert len((await last_event(channel))["out"]["plays"]) == 12


async def test_again_sealed_and_exported() -> None:
    """Again plays the same men; a sealed one changes nobody before it is opened; the CSV has a
    line for each event.
    """
    channel = await Channel.fresh()
    await twelve_men(channel)
    await channel.do("Anna", 'baps random-order unit="GI 1..4"', "again")
    assert (await last_event(channel))["inputs"]["unit"] == "GI 1; GI 2; GI 3; GI 4"
    await channel.do("Anna", 'unit edit "GI 1" suppressed')
    sealed = await channel.do("Anna", 'baps heroic-action unit="GI 1..3" hand=6,4,6,4,6,4 secret')
    assert sealed.private
    assert (await channel.game()).units["gi 1"].state == "suppressed"
    await channel.do("Anna", f"game reveal {(await channel.game()).number}")
    assert (await channel.game()).units["gi 1"].state == "ready"
    await assert_sound(channel)
    csv = (await channel.do("Anna", "game export csv")).files[0].content
    assert str(csv).count("baps random-order") == 2
    assert "GI 1, GI 2" in str((await channel.do("Anna", "game export markdown")).files[0].content)


async def test_a_later_play_sees_what_an_earlier_one_did() -> None:
    """Both teams let loose at the same enemy, who gets a marker from each."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'unit add "Red 1..2" element morale=10 members=4',
        "unit add Foe element morale=10 members=4",
    )
    await channel.do("Anna", 'ucn morale unit="Red 1..2" enemies=Foe hand=11,11')
    assert (await channel.game()).units["foe"].numbers["suppression_markers"] == 2
    await assert_sound(channel)


@pytest.mark.slow
async def test_a_roll_for_several_units_is_one_roll_worth_the_sum_of_its_plays() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'unit add "Chi 1..2" element morale=15 members=4')
    await channel.do("Anna", 'ucn morale unit="Chi 1..2"')
    game = await channel.game()
    rows = await channel.app.store.load_events(game.id)
    events = [row.data for row in rows]
    assert [one["inputs"]["unit"] for one in split_plays(events[-1])] == ["Chi 1", "Chi 2"]
    (roll,) = scan(events, (), {}, load_shared_systems()).rolls
    assert [json.loads(inputs)["raw"]["unit"] for inputs, _ in roll.plays] == ["Chi 1", "Chi 2"]
    systems = load_shared_systems()
    worth = measure(roll, systems)
    first = measure(replace(roll, plays=roll.plays[:1]), systems)
    assert worth is not None
    assert first is not None
    assert worth.mean == pytest.approx(2 * first.mean)  # both have the same morale
    assert worth.at_least is None
    assert "in 1 roll" in (await channel.do("Anna", "game stats")).format_text()
    await assert_sound(channel)


async def test_odds_of_many_count_alike_ones_once() -> None:
    channel = await Channel.fresh()
    await twelve_men(channel)
    await channel.do("Anna", 'unit edit "GI 3" suppressed')
    odds = await channel.do("Anna", 'baps random-order unit="GI 1..12" odds')
    headings = [part.heading for part in odds.lines if isinstance(part, Odds)]
    assert headings == ["GI 1, 2, 4-12", "GI 3"]
    await channel.press("Anna", odds.buttons[0].action)
    assert len((await last_event(channel))["out"]["plays"]) == 12


async def test_dice_and_odds_of_twelve_as_they_were_rolled() -> None:
    """Under the answer: every die with its man, and the odds with what came up."""
    channel = await Channel.fresh()
    await twelve_men(channel)
    reply = await channel.do("Anna", 'baps random-order unit="GI 1..4" hand=2,17,17,5')
    assert [button.label for button in reply.buttons] == ["Again", "Change…", "Dice", "Undo"]
    dice = await channel.press("Anna", reply.buttons[2].action)
    assert dice.first_line == "Every die of #7 · 4 dice, random order"
    assert "GI 2" in dice.format_text()
    assert "17" in dice.format_text()
    odds = await channel.press("Anna", await channel.under(7, "odds"))
    [one] = [part for part in odds.lines if isinstance(part, Odds)]
    assert one.heading == "GI 1-4"
    assert one.came.count("fires at the nearest enemy") == 2
    assert len(one.came) == 4


async def test_twelve_random_orders_take_at_most_forty_characters() -> None:
    """As typed in the console and on Slack; on Discord the command and its option are picked,
    the range is typed.
    """
    channel = await Channel.fresh()
    await twelve_men(channel)
    line = '/baps random-order unit="GI 1..12"'
    assert len(line) <= 40
    await channel.do("Anna", line)
    assert len((await last_event(channel))["out"]["plays"]) == 12
    assert len("/baps ra" + "GI 1..12") == 16


async def test_units_are_edited_many_at_once() -> None:
    """A range, a state and a side: each one event that is undone whole; who had the value
    already is counted.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.content()
    reply = await channel.do("Anna", 'unit edit "Squad 1..2" shaken fp=3')
    assert reply.first_line == "Anna edits 2 units"
    assert (await last_event(channel))["result"] == "2 units edited"
    assert reply.format_body() == ["Squads 1 + 2: shaken · fp 3, was 2"], "what changed, once"
    reply = await channel.do("Anna", "unit edit all shaken")
    assert reply.first_line == "Anna edits Lt Hill"
    assert "2 units already had these values." in reply.format_text()
    await channel.do("Anna", 'unit edit "all shaken squads" -shaken')
    assert {
        name: unit.state for name, unit in (await channel.game()).units.items() if unit.side == "US"
    } == {
        "squad 1": "",
        "squad 2": "",
        "lt hill": "shaken",
    }
    await assert_sound(channel)
    await channel.do("Anna", "game undo", "game undo", "game undo")
    assert await channel.content() == before
    await assert_sound(channel)


async def test_units_change_sides_together_with_handles_of_their_own() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit us1,us2 side=VC")  # as game master
    handles = [unit.handle for unit in (await channel.game()).units.values() if unit.side == "VC"]
    assert sorted(handles) == ["vc1", "vc2", "vc3", "vc4", "vc5"]
    await assert_sound(channel)


async def test_units_are_removed_and_shown_many_at_once() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    shown = await channel.do("Bob", "unit show side:US")
    assert shown.title == "3 units"
    await channel.refused("Bob", "unit remove us1..us2", "not-yours Squad 1")
    await channel.refused("Bob", 'unit edit "Cell 1..3" shaken', "unknown-unit Cell 3")
    await channel.do("Bob", 'unit edit "Cell 1..2" eliminated')
    reply = await channel.do("Bob", 'unit remove "all eliminated"')
    assert reply.title == "Bob removes 2 units"
    assert set((await channel.game()).units) == {"tran", "squad 1", "squad 2", "lt hill"}
    await assert_sound(channel)
    await channel.do("Bob", "game undo")
    assert len((await channel.game()).units) == 6
    await assert_sound(channel)


async def test_the_roster_by_state_and_marker() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit us1 shaken", "unit edit us3 shaken-wounded moved")
    assert (await channel.do("Bob", "unit list US shaken")).format_body() == [
        "US · Anna          morale fp",
        "us1 Squad 1 SHAKEN      5  2",
        "us3 Lt Hill             6  –",
        "    SHAKEN AND WOUNDED, moved,",
        "    lm 1",
    ]
    assert (await channel.do("Bob", "unit list moved")).title == "1 unit"
    assert (await channel.do("Bob", "unit list state=good-order")).title == "4 units: 1 US, 3 VC"
    await channel.refused("Bob", "unit list state=shakn", "bad-value state")


async def test_an_ammunition_check_of_all_soldiers_leads_to_one_order_for_all() -> None:
    """Two of twelve jam; the line to copy puts both right."""
    channel = await Channel.fresh()
    await twelve_men(channel)
    await channel.do("Anna", "unit edit side:US weapon=rifle-semi")
    reply = await channel.do("Anna", 'baps ammo-check "all soldiers" hand=1,3,3,4,2,6,6,2,2,1,2,6')
    assert reply.title.startswith("2 of 12 GIs jammed or out of ammunition")
    [line] = [
        piece
        for part in reply.lines
        for piece in split_pieces(str_of(part))
        if isinstance(piece, Typed)
    ]
    assert line == '/unit edit "GI 1; GI 10" -out-or-jammed'
    await channel.do("Anna", line)
    assert not any("out-or-jammed" in unit.marks for unit in (await channel.game()).units.values())
    await assert_sound(channel)


def str_of(part: object) -> str:
    """The text of a line that is one."""
    return part if isinstance(part, str) else ""
