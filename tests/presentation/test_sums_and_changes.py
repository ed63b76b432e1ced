"""What an answer says of its sums is true, `Now:` stands before changes alone, and large volleys show
row, column and dice.
"""

from __future__ import annotations

import re

import pytest

from bot.presentation.run_sequence import NOW
from bot.rulesets.lnlt.reasons import compare_with_morale
from bot.ui.reply.parts import Small
from tests.playing import Channel

TIMES = {"twice": 2, "three times": 3}


def test_the_reason_of_a_damage_check_holds_as_arithmetic() -> None:
    for morale in range(1, 13):
        for total in range(1, 50):
            said = compare_with_morale(total, morale, damage=True)
            if times := re.fullmatch(r"at least (twice|three times) morale (\d+)", said):
                assert total >= TIMES[times[1]] * int(times[2]), (total, said)
            else:
                word, _, number = said.split()
                assert (total <= morale) == (word == "within"), (total, said)
                assert int(number) == morale


@pytest.mark.parametrize("men", range(1, 13))
async def test_a_volley_of_any_size_shows_row_column_and_dice(men: int) -> None:
    """Combat Resolution Table: the row by the difference, the column by the men in the area."""
    channel = await Channel.fresh()
    firers = "unit add GI soldier US weapon=rifle-bolt count=3"
    await channel.do("Anna", "game start baps", firers, f"unit add Gren soldier DE count={men}")
    targets = "Gren 1" if men == 1 else f"Gren 1..{men}"
    line = (
        f'baps fire attackers="GI 1..3" range=20 targets="{targets}" hand={",".join(["20"] * men)}'
    )
    text = (await channel.do("Anna", line)).format_text()
    assert re.search(rf"row \d+, column {min(men, 10)}", text), text
    thrown = re.findall(r"\[20(?:\s×(\d+))?\]", text)
    assert sum(int(count or 1) for count in thrown) == men, text


async def test_a_volley_at_men_in_different_cover_shows_its_dice_once() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start baps",
        "unit add GI soldier US weapon=rifle-bolt count=3",
        "unit add Gren soldier DE count=3",
        "unit add Hans soldier DE cover=heavy",
        "unit add Karl soldier DE cover=heavy",
    )
    targets = "Gren 1..3; Hans; Karl"
    line = f'baps fire attackers="GI 1..3" range=20 targets="{targets}" hand=20,20,20,19,18'
    text = (await channel.do("Anna", line)).format_text()
    assert text.count("column 5") == 2
    assert "Rolled: [18] [19] [20\u00a0×3]" in text


async def test_who_surrenders_is_in_the_first_line() -> None:
    """Random orders, bad morale: 1 is a surrender, which everybody at the table wants to know."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start baps", "unit add GI soldier US count=11")
    line = 'baps random-order unit="GI 1..11" morale=bad hand=2,3,4,5,6,7,8,9,10,11,1'
    reply = await channel.do("Anna", line)
    assert reply.first_line.startswith("1 of 11 GIs tries to surrender")


async def test_who_runs_away_is_in_the_first_line() -> None:
    """Random orders, good morale: 1 is a sprint away from the enemy, which matters more than those
    who do nothing.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "game start baps", "unit add GI soldier US count=8")
    line = 'baps random-order unit="GI 1..8" hand=5,5,5,7,9,11,17,1'
    reply = await channel.do("Anna", line)
    assert reply.first_line.startswith("1 of 8 GIs sprints away from the enemy")


ROSTER = {
    "lnlt": ("unit add A squad US fp=3 morale=5", "unit add B squad VC fp=1 morale=4"),
    "baps": ("unit add A soldier US weapon=rifle-bolt", "unit add B soldier DE weapon=rifle-bolt"),
    "nhis": ("unit add A squad US fp=4 morale=5", "unit add B squad JP fp=4 morale=4 moving"),
}
SHOTS = (
    "lnlt fire attackers=A targets=B hand=1,6",
    "lnlt fire attackers=A targets=B hand=6,1,4",
    "lnlt rally units=B rallier=leader hand=6,6",
    "baps fire attackers=A range=10 targets=B hand=2",
    "baps melee a=A b=B hand=5,3",
    "baps melee a=A b=B hand=4,4",
    "baps heroic-action unit=A hand=5,6",
    "nhis fire attackers=A targets=B distance=4 hand=4,4,6",
    "nhis fire attackers=A targets=B distance=2 hand=6,6",
)


@pytest.mark.parametrize("shot", SHOTS)
async def test_now_stands_only_before_what_changed_on_the_roster(shot: str) -> None:
    channel = await Channel.fresh()
    game = shot.split()[0]
    await channel.do("Anna", f"game start {game}", *ROSTER[game])
    if "rally" in shot:
        await channel.do("Anna", "unit edit B shaken")
    before = (await channel.game()).units
    reply = await channel.say("Anna", shot)
    assert not reply.error, reply.format_text()
    changes = [
        part for part in reply.lines if isinstance(part, Small) and part.text.startswith(NOW)
    ]
    assert not changes or (await channel.game()).units != before
