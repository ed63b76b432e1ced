"""What is said before a sealed roll is opened, and what may be rolled where a game is over."""

from __future__ import annotations

import pytest

from tests.playing import Channel, two_sides


async def test_a_sealed_shot_says_what_will_hold_when_it_is_opened() -> None:
    """Until then the unit is what it was, for its player as well."""
    channel = await Channel.fresh()
    await two_sides(channel)
    sealed = await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 secret hand=6,5,5")
    assert "When opened: Cell 1 is a shaken half-squad" in sealed.format_text()
    assert "Now:" not in sealed.format_text()
    assert (await channel.do("Anna", "unit show vc1")).first_line == "Cell 1: good order"
    opened = await channel.do("Anna", "game reveal 8")
    assert "When opened" not in opened.format_text()
    assert (await channel.game()).units["cell 1"].state == "shaken"


async def test_typed_units_play_on_where_a_game_is_over() -> None:
    """Docs/games.md: what is rolled after the end is free play; the units of the game that is
    over stay as they are.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game end confirm")
    assert (
        "is over" in (await channel.fails("Anna", "lnlt fire attackers=us1 targets=vc1", "")).title
    )
    shot = await channel.do(
        "Anna", 'lnlt fire attackers="squad fp=6" targets="squad morale=5" hand=6,3,3'
    )
    assert "free play begins" in " ".join(shot.footer)
    assert not (await channel.game()).units


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("lnlt mines target=us1", "unit"),
        ("lnlt fire shooters=us1 targets=vc1", "attackers"),
        ("lnlt fire attackers=us1 target=vc1", "targets"),
        ("lnlt rally who=us1", "units"),
        ("baps morale-check target=us1 grade=green", "unit"),
        ("ucn morale element=us1", "unit"),
        ("ucn shoot attackers=us1 target=vc1", "shooters"),
        ("nhis fire shooters=us1 targets=vc1 distance=3", "attackers"),
    ],
)
async def test_in_seven_spellings_of_who_the_error_says_the_right_one(
    typed: str, right: str
) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    refused = await channel.refused("Anna", typed, "unknown-option")
    assert f"Did you mean {right}?" in refused.format_text()
