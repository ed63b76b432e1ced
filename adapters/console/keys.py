"""One letter and Enter for each button under the last answer."""

from __future__ import annotations

from collections.abc import Iterable

from bot.interface.reply import Button


def keys_of(buttons: Iterable[Button]) -> dict[str, Button]:
    """A letter for each button: the first of its label that is free. One without a free letter gets none."""
    keys: dict[str, Button] = {}
    for button in buttons:
        free = (letter for letter in button.label.casefold() if letter.isalpha() and letter not in keys)
        if letter := next(free, ""):
            keys[letter] = button
    return keys


def shown(keys: dict[str, Button]) -> str:
    """The letters with what they do: `a again   o odds`."""
    return "   ".join(f"{letter} {_label(button.label)}" for letter, button in keys.items())


def _label(label: str) -> str:
    return label.rstrip("….").casefold() if label.istitle() else label.rstrip("….")
