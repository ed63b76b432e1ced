"""Sides in headlines: ending in s, plural, a people's name, or with an article."""

from __future__ import annotations

import pytest

from bot.game.sides import fit_verb
from tests.playing import Channel


@pytest.mark.parametrize(
    ("first", "second", "begins", "turn"),
    [
        ("US", "VC", "US goes first", "VC's turn"),
        ("Marines", "Japanese", "Marines go first", "the Japanese turn"),
        ("The Blues", "The Duke", "The Blues go first", "The Duke's turn"),
        ("German", "SS", "German goes first", "SS's turn"),
        ("British", "Reds", "British go first", "Reds' turn"),
    ],
)
async def test_headlines_fit_every_name_of_a_side(
    first: str, second: str, begins: str, turn: str
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start lnlt "Test" sides="{first}, {second}"')
    await channel.do("Anna", f'game join "{first}"')
    await channel.do("Ben", f'game join "{second}"')
    taken = await channel.do("Anna", f'game initiative "{first}"')
    assert taken.title == f"{first} {'take' if 'go ' in begins else 'takes'} the initiative"
    card = await channel.do("Anna", "game next")
    assert card.title == f"Turn 1, Operations: {begins}, Anna".removesuffix(", Anna")
    over = await channel.do("Anna", "game pass done")
    assert over.title.removesuffix(", Ben") == f"{second} to play"
    question = await channel.say("Anna", "game pass done")
    assert question.title == f"End {turn} for Ben?"
    refused = await channel.say("Ben", "game next")
    assert not refused.error
    back = await channel.do("Ben", "game pass done")
    assert back.title == f"{second} {fit_verb(second, 'is', 'are')} done, waiting for {first}"
