"""Ultracombat Normandy: an element with several weapons fires all of them, or the one that is
named.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.rules.errors import UserError
from bot.rules.inputs.loadout import count_carried_weapons, read_loadout
from bot.rulesets.catalog import find_shared_system
from bot.ui.form.unit_menu import list_unit_picks
from bot.ui.reply.reply import Reply
from tests.playing import Channel

ARMED = 'unit add Able element US stats="firearms=12 members=4 morale=14 loadout=2xbattle-rifle,lmg,smg"'


async def armed() -> Channel:
    """A channel in which Anna has an element with four men and three kinds of weapons, and Bob
    one without.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start ucn Bridge sides="US, German"', "game join US", ARMED)
    await channel.do(
        "Bob",
        "game join German",
        "unit add Gruppe element German stats='firearms=11 morale=13 members=20'",
    )
    return channel


async def shot(channel: Channel, shooters: str) -> tuple[Reply, list[str]]:
    """The answer to a shot, and what each character fired."""
    reply = await channel.do("Anna", f'ucn shoot shooters="{shooters}" target=Gruppe')
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    event = (await channel.app.store.load_events(loaded.row, newest_first=True))[0].data
    return reply, [shooter["weapon"] for shooter in event["out"]["shooters"]]


async def test_the_name_alone_fires_the_whole_loadout() -> None:
    """Four characters, each with what they carry; a word behind the name counts for all of them."""
    channel = await armed()
    reply, weapons = await shot(channel, "Able")
    assert weapons == ["battle-rifle", "battle-rifle", "lmg", "smg"]
    assert reply.by == "Able shoots"
    # at a new table: the first shot may have cost a man and a weapon
    assert (await shot(await armed(), "us1 mod=-2"))[1] == weapons


async def test_one_weapon_fires_alone() -> None:
    """The weapon that is named, as often as n says; other firers beside it are as typed."""
    assert (await shot(await armed(), "Able weapon=smg"))[1] == ["smg"]
    assert (await shot(await armed(), "Able weapon=battle-rifle n=2; lmg skill=12"))[1] == [
        "battle-rifle"
    ] * 2 + ["lmg"]


async def test_losses_take_the_commonest_weapons_first() -> None:
    """Two men left of four: the rifles have no firer any more, the LMG and the SMG do."""
    channel = await armed()
    await channel.do("Anna", "unit edit Able members=2")
    assert (await shot(channel, "Able"))[1] == ["lmg", "smg"]
    assert count_carried_weapons({"loadout": ("2xbattle-rifle", "lmg", "smg"), "members": 3}) == {
        "battle-rifle": 1,
        "lmg": 1,
        "smg": 1,
    }
    assert (
        sum(count_carried_weapons({"loadout": ("2xbattle-rifle", "lmg"), "members": 1}).values())
        == 1
    )


async def test_each_weapon_is_offered_in_lists_and_forms() -> None:
    """Behind the element, with the item that fires it; the card says what it carries."""
    channel = await armed()
    anna = channel.who("Anna")
    offered = await channel.app.complete_option(
        ("ucn", "shoot"), "shooters", "able", {}, anna, channel.place
    )
    assert [(one.name, one.value) for one in offered[1:]] == [
        ("Able: battle-rifle", "Able weapon=battle-rifle n=2"),
        ("Able: lmg", "Able weapon=lmg"),
        ("Able: smg", "Able weapon=smg"),
    ]
    option = next(
        option
        for option in find_shared_system("ucn").find_sequence("shoot").inputs
        if option.name == "shooters"
    )
    picks = list_unit_picks(
        option, "Able weapon=lmg", await channel.app.get_completion_context(channel.place, anna), 25
    )
    assert [pick.label for pick in picks if pick.label.startswith("Able")] == [
        "Able", "Able, battle rifle only", "Able, SMG only", "Able weapon=lmg"]  # fmt: skip
    assert (
        "carries 2 battle rifles, LMG, SMG"
        in (await channel.do("Anna", "unit show Able")).format_text()
    )


async def test_a_loadout_is_completed_and_checked() -> None:
    """`stats:` completes the weapon that is being typed; what is no weapon is named, with the
    nearest.
    """
    channel = await armed()
    offered = await channel.app.complete_option(
        ("unit", "edit"), "stats", "loadout=2xsmg,lm", {}, channel.who("Anna"), channel.place
    )
    assert [one.value for one in offered] == ["loadout=2xsmg,lmg"]
    option = find_shared_system("ucn").words["units"].keys["loadout"]
    assert read_loadout(option, "2xSMG+lmg,smg") == ("3xsmg", "lmg")
    with pytest.raises(UserError, match="rifel"):
        read_loadout(option, "2xbattle-rifel")


@pytest.mark.parametrize(("typed", "counted"), [("", 1), ("attacker_smgs=0", 0)])
async def test_submachine_guns_of_the_loadout_count_in_melee(typed: str, counted: int) -> None:
    """Able carries one, which the log holds as if it had been typed."""
    channel = await armed()
    await channel.do("Anna", "unit edit Able melee=12")
    await channel.do("Bob", "unit edit Gruppe melee=10 smgs=2")
    await channel.do("Anna", f"ucn melee unit=Able target=Gruppe attackers=2 {typed}")
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    event = (await channel.app.store.load_events(loaded.row, newest_first=True))[0].data
    assert int(event["inputs"]["attacker_smgs"]) == counted
    assert "defender_smgs" not in event["inputs"], "those on the counter are brought as before"


async def test_several_targets_of_a_shot_at_one_are_answered_with_a_command_for_each() -> None:
    channel = await armed()
    await channel.do("Bob", "unit add Trupp element German stats='members=3'")
    several = await channel.refused(
        "Anna", 'ucn shoot Able 12 target="Gruppe; Trupp"', "too-many target"
    )
    assert several.format_body() == [
        "One command for each: /ucn shoot shooters=Able skill=12 target=Gruppe; "
        "/ucn shoot shooters=Able skill=12 target=Trupp"
    ]
    for line in str(several.format_body()[0]).removeprefix("One command for each: ").split("; "):
        await channel.do("Anna", line)


async def test_single_weapons_push_no_unit_off_a_menu() -> None:
    """Two units with three weapons each in a menu of four entries: both units are in it."""
    channel = await armed()
    anna = channel.who("Anna")
    context = await channel.app.get_completion_context(channel.place, anna)
    units = tuple(
        replace(unit, name=f"{unit.name} {number}", handle=f"{unit.handle}{number}")
        for unit in context.roster
        if unit.name == "Able"
        for number in range(2)
    )
    shooters = find_shared_system("ucn").find_sequence("shoot").inputs
    option = next(option for option in shooters if option.name == "shooters")
    picks = list_unit_picks(option, "", context._replace(roster=units), 4)
    assert [pick.label for pick in picks if pick.label in {unit.name for unit in units}] == [
        unit.name for unit in units
    ]
    assert len(picks) == 4
