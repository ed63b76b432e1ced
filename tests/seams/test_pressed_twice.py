"""What a phase rolls once is rolled once, whoever else presses its button: both players may press it
in the same second, and a screen may not have heard of the roll yet.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.playing import Channel

PACKS = Path(__file__).parents[2] / "packs"


async def test_the_initiative_is_rolled_once_in_a_phase() -> None:
    channel = await Channel.fresh()
    start = await channel.do("Anna", "game start lnlt scenario=ford")
    await channel.do("Anna", "game join US")
    await channel.do("Ben", "game join VC")
    [button] = [one.action for one in start.buttons if one.label == "Initiative"]
    won = await channel.press("Anna", button)
    assert not won.error
    holder = (await channel.game()).initiative
    second = await channel.press("Ben", button)
    assert (second.error, second.private) == (True, True)
    assert second.first_line.startswith(f"{holder} already has the initiative.")
    assert (await channel.game()).initiative == holder
    await channel.do("Anna", "game initiative")  # typed, it is meant


async def test_a_roll_of_a_phase_is_made_once(use_packs: Callable[[Path], None]) -> None:
    use_packs(PACKS / "low-water")
    channel = await Channel.fresh()
    card = await channel.do("Anna", "game start low-water scenario=cuckmere")
    while not (found := [one.action for one in card.buttons if one.label == "Tide"]):
        card = await channel.do("Anna", "game next")
    assert not (await channel.press("Anna", found[0])).error
    again = await channel.press("Anna", found[0])
    assert (again.error, again.private) == (True, True)
    assert "has already been rolled this phase" in again.format_text()
    await channel.do("Anna", "game next")
    late = await channel.press("Anna", found[0])
    assert "That phase is over." in late.format_text()
