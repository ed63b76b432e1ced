"""What ails a unit is seen wherever units are shown: board, list, card, menus; however long
names are.
"""

from __future__ import annotations

import pytest

from bot.ui.reply.unit_table import UnitTable
from tests.playing import Channel


async def _wounded() -> Channel:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start baps "Farm" sides="US, German"',
        "game join US",
        'unit add "GI 1..3" soldier US weapon=rifle-semi',
        "unit edit us1 wounds=2",
        "unit edit us2 wounds=1 suppressed",
        "unit edit us3 +out-or-jammed",
    )
    return channel


async def test_a_man_with_two_wounds_is_nowhere_ready() -> None:
    channel = await _wounded()
    listed = await channel.do("Anna", "unit list")
    rows = [line.split(maxsplit=3) for line in listed.format_text().splitlines()]
    assert ["us1", "GI", "1", "WOUNDED TWICE"] in rows
    assert ["us3", "GI", "3", "JAMMED OR OUT OF AMMO"] in rows
    assert "SUPPRESSED, WOUNDED" in listed.format_text()
    assert (await channel.do("Anna", "unit show us1")).first_line == "GI 1: wounded twice"
    board = (await channel.do("Anna", "game board")).format_text()
    assert "Wounded twice: GI 1" in board
    assert "Ready" not in board
    about = {entry.label: entry.about for menu in listed.menus for entry in menu.entries}
    assert about["GI 1"] == "soldier · wounded twice"


async def test_a_crew_that_lost_men_is_seen_wherever_the_vehicle_is() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start baps "Farm" sides="US, German"', "game join US")
    await channel.do(
        "Anna", "unit add Tiger vehicle German stats='armor=medium vehicle_type=tank crew=4'"
    )
    shot = "baps vehicle-fire weapon=medium range=250 target=Tiger hand=15,20,1,1,1,1,20,10,2,2"
    await channel.do("Anna", "game settings hand_dice=yes", shot)
    listed = await channel.do("Anna", "unit list")
    assert "1 OF THE CREW DEAD" in listed.format_text().upper()
    assert (
        await channel.do("Anna", "unit show Tiger")
    ).first_line == "Tiger: 1 of the crew dead, crew wounded"
    about = {entry.label: entry.about for menu in listed.menus for entry in menu.entries}
    assert about["Tiger"] == "vehicle · 1 of the crew dead, crew wounded"
    assert "1 of the crew dead" in (await channel.do("Anna", "game board")).format_text().casefold()


def test_a_long_name_drops_no_number_and_a_state_is_never_cut() -> None:
    row = ("vc6", "Cadre Minh of the Seventh Battalion", "squad", "", "", "", "6", "1")
    hurt = ("vc10", "Nguyen", "leader", "shaken and wounded", "lm 1", "", "6", "1")
    lines = UnitTable("VC", ("morale", "fp"), (row, hurt)).format_lines()
    assert lines[0].split() == ["VC", "morale", "fp"]
    assert lines[1].split()[-2:] == lines[2].split()[-2:] == ["6", "1"]
    assert "SHAKEN AND WOUNDED" in "\n".join(lines)
    assert max(map(len, lines)) <= 33


def test_no_number_is_cut_and_no_state_is_wider_than_a_phone() -> None:
    """A word before a number stays with it; what has no room goes on below."""
    rocket = ("vc5", "Rocket Team", "weapon-team", "", "penetration 5, he 2", "", "5", "2")
    man = ("us12", "Grenadier 12", "soldier", "wounded, jammed or out of ammo", "", "", "6", "1")
    lines = UnitTable("VC", ("morale", "fp"), (rocket, man)).format_lines()
    assert lines[2].strip() == "penetration 5, he 2"
    assert [line.strip() for line in lines[-2:]] == ["WOUNDED,", "JAMMED OR OUT OF AMMO"]
    assert max(map(len, lines)) <= 33


@pytest.mark.parametrize("room", range(24, 40))
def test_names_that_differ_in_their_number_stay_different(room: int) -> None:
    """A name that has no room is cut before its number, never in it."""
    rows = [(f"germ{n}", f"Grenadier {n}", "squad", "", "", "", str(n % 2)) for n in range(1, 13)]
    lines = UnitTable("German · Ben", ("morale",), tuple(rows)).format_lines(room)[1:]
    assert [line.split()[2] for line in lines] == [str(n) for n in range(1, 13)]
    assert max(map(len, lines)) <= room


def test_a_name_is_cut_only_where_that_makes_room_for_something() -> None:
    """`2nd Squad` whole, as what it carries has no room beside its numbers anyway."""
    row = ("us2", "2nd Squad", "element", "", "spot 12, melee 11", "", "12", "14")
    assert (
        UnitTable("US · Anna", ("firearms", "morale"), (row,)).format_lines()[1]
        == "us2 2nd Squad        12     14"
    )
