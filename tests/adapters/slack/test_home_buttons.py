"""The buttons of Slack's Home are those that the game has."""

from __future__ import annotations

import pytest

from adapters.slack.home import build_hand_over_button
from bot.rulesets.catalog import find_shared_system, load_shared_systems


@pytest.mark.parametrize("game", [one.id for one in load_shared_systems().values()])
def test_the_home_hands_over_with_a_button_that_the_game_has(game: str) -> None:
    button = build_hand_over_button(find_shared_system(game))
    phases = find_shared_system(game).game.get("phases") or []
    words = {word for phase in phases for word in phase.get("buttons", ())}
    assert (button.label == "Pass") == ("pass" in words)
    assert button.action.endswith("game pass" if button.label == "Pass" else "game pass done")
