"""A turn of Lock 'n Load on each platform by its buttons alone: taps and characters counted,
everybody called once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.adapters.evening import Platform, Table, on_each

TAPS = 8
"""Most taps that a turn without fire may cost, by both players together; nothing is typed."""


async def begin(e: Table) -> Any:
    """The card of turn 2: turn 1 was ended by whoever started the game."""
    started = await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
    await e.press("Anna", started, "Join US")
    await e.press("Ben", started, "Join VC")
    card = await e.press("Anna", await e.press("Anna", started, "Next phase"), "Next phase")
    return await e.press("Anna", card, "Next turn")


@on_each
async def test_a_turn_without_fire_is_played_by_taps_alone(
    platform: Platform, tmp_path: Path
) -> None:
    """Initiative, Next phase, three passes, which end the phase, Next turn."""
    async with platform(tmp_path) as e:
        rally = await begin(e)
        e.spent()
        assert e.is_bold(rally, "Turn 2, Rally: both sides")
        assert e.first(rally).split("\n")[0] == "Turn 2, Rally: both sides"
        assert e.called(rally) == [], "Anna pressed, and Ben has acted a moment ago"
        won = await e.press("Ben", rally, "Initiative")
        side = e.first(won)[:2]
        assert side in ("US", "VC")
        first, second = ("Anna", "Ben") if side == "US" else ("Ben", "Anna")
        card = await e.press(second, won, "Next phase")
        told = f"Turn 2, Operations: {side} goes first, {e.shown(first)}"
        assert e.first(card).split("\n")[0] == told
        assert e.is_bold(card, told)
        for who in (first, second, first):
            card = await e.press(who, card, "Pass")
        assert e.first(card).startswith("Turn 2, Administrative: both sides")
        last = await e.press(first, card, "Next turn")
        assert e.first(last).startswith("Turn 3, Rally: both sides")
        taps, letters = e.spent()
        assert taps <= TAPS
        assert letters == 0
        assert not any(e.called(message) for message in e.messages()), "both are there"


@on_each
async def test_the_buttons_of_a_card_open_forms_and_refuse_others(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await begin(e)
        card = await e.press("Ben", await e.say("Anna", "game initiative US"), "Next phase")
        assert "Not your move: US to play, and you play VC." in await e.refused(
            "Ben", card, "Next phase"
        )
        assert "You don't have a side in this game." in await e.refused("Carl", card, "Next phase")
        await e.form("Anna", card, "Fire")
        assert "a leader can also activate adjacent hexes" in await e.refused(
            "Carl", card, "Checklist"
        )
