"""An evening alone on each platform: a game started by `/solo`, a full turn in which the other side
plays itself, and the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.adapters.drawing import draw
from tests.adapters.evening import Platform, Table, on_each

MOST_STEPS = 80
"""Most buttons that a turn of nine units may take."""
PREFERRED = ("Nobody", "That's all", "Cover +1", "Up to 3 hexes", "Pass")
"""The buttons of a player who passes; of all others, the first is pressed."""


async def play_turn(e: Table, card: Any) -> Any:
    """Pass and answer until the phase is over. Return the card of the next phase."""
    drawn = set[str]()
    for _ in range(MOST_STEPS):
        labels = e.buttons(card)
        if "Next turn" in labels:
            return card
        label = next((label for label in PREFERRED if label in labels), labels[0])
        name = label.split(" ")[0].lower().strip("'")
        if name not in drawn:
            drawn.add(name)
            draw(e, f"before-{name}", card)
        card = await e.press("Anna", card, label)
    raise AssertionError(f"the turn is not over after {MOST_STEPS} buttons: {e.words(card)}")


@on_each
@pytest.mark.slow
async def test_one_player_fights_a_turn_against_the_table(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        listed = await e.alone("Anna", "solo")
        draw(e, "listed", listed)
        assert e.buttons(listed) == ["The Ford, Alone"]
        started = await e.press("Anna", listed, "The Ford, Alone")
        draw(e, "started", started)
        assert "VC plays itself" in e.words(started)
        await e.say("Anna", "game initiative US")
        card = await e.say("Anna", "game next")
        draw(e, "operations", card)
        over = await play_turn(e, card)
        draw(e, "over", over)
        assert "Administrative" in e.words(over)
        assert e.calls() == [], "whoever plays alone is not pinged"
        status = await e.alone("Anna", "game status")
        draw(e, "status", status)
        log = await e.alone("Anna", "log 12")
        draw(e, "log", log)
        assert "by the table" in e.words(log)
        asked = await e.alone("Anna", "game end VC")
        ended = await e.press("Anna", asked, e.buttons(asked)[0])
        draw(e, "ended", ended)
        assert "VC" in e.first(ended)
