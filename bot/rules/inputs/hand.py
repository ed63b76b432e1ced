"""Real dice, as they are typed in."""

from __future__ import annotations

import re

from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean

_HAND = Option("hand", "str")


def hand_dice(raw: object) -> tuple[int, ...]:
    """Real dice as typed: `5,2,3` or `5 2 3`; a `?` at the end asks which is next.

    Raises UserError for anything that is not a number."""
    text = clean(_HAND, raw)
    values = [word for word in re.split(r"[\s,;]+", text) if word]
    if values and values[-1] == "?":
        return hand_dice(",".join(values[:-1])) if len(values) > 1 else ()
    if not values or len(values) > 200 or not all(re.fullmatch(r"-?\d{1,7}", value) for value in values):
        raise UserError(f'hand takes dice such as 5,2,3, not "{text[:40]}".', option="hand", code="bad-hand")
    return tuple(int(value) for value in values)
