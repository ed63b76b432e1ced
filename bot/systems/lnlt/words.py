"""The further words of an option."""

from __future__ import annotations

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given


def refuse_values(given: Given) -> None:
    """Raise UserError for a word of `mods` with a value, such as smoke=2: here a word is there or it is not."""
    for word in given.mods:
        name, equals, _ = word.partition("=")
        if equals:
            raise UserError(
                f'mods takes {name} alone, not "{word[:40]}".',
                hint=f"Type {name}.",
                option="mods",
                code="unknown-modifier",
            )
