"""A newcomer starts a game without a scenario and finds, on its card, how to add units."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.drawing import draw
from tests.adapters.evening import Platform, on_each
from tests.adapters.seek_helpers import draw_form


@on_each
async def test_the_card_of_a_game_without_units_opens_the_form(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        card = await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
        draw(e, "start", card)
        assert "Add units" in e.buttons(card)
        assert "have a side in this game" in await e.refused("Ben", card, "Add units")
        await e.press("Anna", card, "Join US")
        form = await e.form("Anna", card, "Add units")
        draw_form(e, form)
        assert e.title(form) == "Add units"
        fields = {"Name": "Squad 1..2", "Type": "Squad", "Side": "US"}
        if e.platform == "slack":
            fields = {"name": "Squad 1..2", "type": "Squad", "side": "US"}
        added = await e.filled("Anna", form, fields)
        draw(e, "added", added)
        assert "adds 2 units" in e.words(added)
        turn = await e.say("Anna", "game next")
        assert "Add units" not in e.buttons(turn)
