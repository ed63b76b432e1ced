"""Copies of values with slots and without, of many fields and of one."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bot.game.state import Game
from bot.rules.copies import replace
from bot.ui.reply.reply import Reply


@dataclasses.dataclass(frozen=True, slots=True)
class One:
    """A value of one field."""

    text: str


@pytest.mark.parametrize(
    ("value", "changes"),
    [
        (Reply("9", by="Anna rolls 2d6", footer=("#1",)), {"footer": ("#2",), "outbox": 4}),
        (Game("g", sides=("US", "VC")), {"number": 4, "solo": "*"}),
        (One("Now: shaken"), {"text": "When opened: shaken"}),
    ],
)
def test_a_copy_is_what_dataclasses_make(value: Any, changes: dict[str, Any]) -> None:
    was = repr(value)
    made = replace(value, **changes)
    assert made == dataclasses.replace(value, **changes)
    assert repr(made) == repr(dataclasses.replace(value, **changes)), (
        "also what does not count in a comparison"
    )
    assert repr(value) == was
    with pytest.raises(TypeError, match="no_such_field"):
        replace(value, no_such_field=1)
