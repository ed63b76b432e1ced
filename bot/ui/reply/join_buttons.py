"""The buttons with which a user joins a side of a game."""

from collections.abc import Iterable

from bot.ui.reply.reply import Button


def build_join_buttons(row: str, sides: Iterable[str]) -> tuple[Button, ...]:
    """Build a button for each of these sides of the game in this row."""
    return tuple(Button(f"join:{row}:{side}", f"Join {side}", "primary") for side in sides)
