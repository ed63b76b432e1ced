"""What the dice of an exported log are made of: the seed, the players' texts, and no real dice."""

from __future__ import annotations

import json

from bot.game.state import Json
from bot.rules.dice import Die
from bot.rules.proof.fair import Stream
from bot.verification.check_file import check
from tests.playing import Channel, two_sides

ROLL = "roll 10d10"


async def export_revealed(channel: Channel) -> Json:
    """Return the exported log with its first seed published."""
    await channel.do("Anna", "fair reveal")
    log: Json = json.loads((await channel.do("Anna", "game export")).files[0].text)
    return log


def roll_without_texts(log: Json, event: int) -> list[int | str]:
    """Return what the first seed gives for ten d10 of an event, with no players' texts."""
    seed = bytes.fromhex(log["seeds"][0]["seed"])
    return Stream(seed, log["game"], event).draw_all(Die("", 10), 10)


def list_rolls(log: Json) -> list[tuple[int, list[int]]]:
    """Return (number of the event, values of its dice) of each roll."""
    bodies = [row["body"] for row in log["events"]]
    return [
        (body["number"], [die["value"] for die in body["dice"]])
        for body in bodies
        if body["kind"] == "roll"
    ]


async def test_dice_by_hand_take_no_words() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 8d10 hand=1,2,3,4,5,6,7,8", ROLL)
    log = await export_revealed(channel)
    (_, by_hand), (number, values) = list_rolls(log)
    assert by_hand == [1, 2, 3, 4, 5, 6, 7, 8]
    assert values == roll_without_texts(log, number)
    found = check(log)
    assert (found.faults, found.by_hand, found.dice) == ((), 8, 10)


async def test_texts_are_part_of_the_dice() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'fair add "my own luck"')
    await channel.do("Bob", ROLL)
    log = await export_revealed(channel)
    ((number, values),) = list_rolls(log)
    assert values != roll_without_texts(log, number)
    assert (check(log).faults, check(log).dice) == ((), 10)
