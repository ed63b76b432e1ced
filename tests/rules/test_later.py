"""What a plan may not need is made when it is first asked for, and once."""

from __future__ import annotations

from bot.rules.odds.later import Later


def test_a_value_is_made_at_the_first_call_and_only_then() -> None:
    made: list[str] = []
    value = Later(lambda: made.append("made"))
    assert made == []
    assert (value(), value(), made) == (None, None, ["made"])
