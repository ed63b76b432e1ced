"""Every die of a shot stands in the answer, named by the weapon, or under the button *Dice*."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from bot.ui.reply.reply import Reply
from tests.playing import Channel

WEAPONS = ("bolt-action-rifle", "smg", "mmg", "pistol", "battle-rifle")
FACES = (3, 9, 20, 1, 14, 6, 11, 2, 17, 8)
SHOWN = re.compile(r"\[(\d+)(?:\u00a0×(\d+))?\]")


def shown_dice(reply: Reply) -> Counter[int]:
    """How often each face stands in the answer."""
    found = Counter[int]()
    for face, times in SHOWN.findall(reply.format_text()):
        found[int(face)] += int(times or 1)
    return found


def squad(count: int) -> str:
    """So many characters, with the weapons in turn."""
    return "; ".join(WEAPONS[at % len(WEAPONS)] for at in range(count))


async def fire(channel: Channel, line: str) -> tuple[Reply, list[int]]:
    """The answer to a line with real dice, which are typed as they are asked for."""
    dice: list[int] = []
    reply = await channel.say("Anna", f"{line} hand=?")
    while reply.code == "die-owed":
        dice.append(FACES[len(dice) % len(FACES)])
        reply = await channel.say("Anna", f"{line} hand={','.join(map(str, dice))},?")
        if reply.error and reply.code != "die-owed":  # that was the last die
            reply = await channel.do("Anna", f"{line} hand={','.join(map(str, dice))}")
    return reply, dice


@pytest.mark.parametrize("sequence", ["shoot", "interrupt"])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 10])
async def test_every_die_is_shown(sequence: str, count: int) -> None:
    channel = await Channel.fresh()
    spot = " spot_skill=14" if sequence == "interrupt" else ""
    reply, dice = await fire(channel, f'ucn {sequence} shooters="{squad(count)}" skill=14{spot}')
    assert shown_dice(reply) == Counter(dice)


async def test_each_line_of_many_shooters_names_its_weapon() -> None:
    """Six rifles and an SMG interrupt: three of them spot, and the SMG's save is a line."""
    channel = await Channel.fresh()
    dice = "5,5,7,5,5,7,15,15,15,15,5,5,9,13,2"
    reply = await channel.do(
        "Anna",
        f'ucn interrupt shooters="bolt-action-rifle n=6; smg" skill=12 spot_skill=10 hand={dice}',
    )
    text = reply.format_text()
    assert "6 rifles to spot: [5] [5] [15] [15] [15] [15], 2 of 6 spot" in text
    assert "6 rifles to hit: [5] [5], 2 of 2 who spotted, 12 or less needed" in text
    assert "SMG to hit: [5], 1 of 1, 12 or less needed" in text
    assert "Saves against SMG: [9], 0 of 1 saved" in text
    assert "6 rifles damage: [7] [7]" in text
    assert "SMG damage: [13] [2]" in text


async def test_more_dice_than_a_line_holds_hang_under_the_button() -> None:
    channel = await Channel.fresh()
    reply, dice = await fire(channel, 'ucn shoot shooters="mmg n=10" skill=19')
    buttons = [button.label for button in reply.buttons]
    assert shown_dice(reply) == Counter(dice) or "Dice" in buttons


async def test_an_element_names_its_weapons() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway")
    shot = await channel.do("Anna", "ucn shoot shooters=us3 target=germ2 hand=20,2,11,1")
    assert "MMG to hit: [20]" in shot.format_text()
    assert "Pistol to hit: [2]" in shot.format_text()
    assert "Save against pistol: [11]" in shot.format_text()
    assert "Gruppe 2 is hesitant" in shot.format_text()
