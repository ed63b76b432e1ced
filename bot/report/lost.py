"""What each side lost over a game as a picture, from its export: what the worker process is asked for."""

from __future__ import annotations

import json

from bot.picture.drawing import Drawn, losses_drawn
from bot.report.story import Story


def losses_pictured(title: str, export: str) -> Drawn:
    """Lost and weakened units of each side, turn by turn."""
    story = Story(json.loads(export), {})
    turns = [turn for turn in story.turns if turn.number]
    losses = {
        side: [len(turn.losses[side].gone) + len(turn.losses[side].hurt) for turn in turns] for side in story.sides
    }
    return losses_drawn(title, [str(turn.number) for turn in turns], losses)
