"""The error for an expression that cannot be rolled; it points at the place."""

from __future__ import annotations

from bot.rules.errors import UserError

_EXCERPT = 24  # characters of the text that are shown


class ExpressionError(UserError):
    """A dice expression cannot be rolled. `at` is the place, counted from 1; `reason` says why, without the place;
    `excerpt` shows the text up to there, or up to `end` when the thing at fault is longer."""

    def __init__(self, reason: str, text: str, at: int, *, end: int = 0, hint: str = "") -> None:
        self.at = at
        self.reason = reason
        self.excerpt = excerpt(text, max(at, end))
        super().__init__(f'At character {at}, "{self.excerpt}": {reason}.', hint=hint, option="dice", code="bad-dice")


def excerpt(text: str, end: int) -> str:
    """What is before and at character `end`, counted from 1, fit to be shown in one line."""
    shown = text[max(0, end - _EXCERPT) : end]
    clean = "".join(char if char.isprintable() else "?" for char in shown)
    return ("..." if end > _EXCERPT else "") + clean
