"""Whether an event follows on those before it: the optional rules of a game, of which one is switched at a time."""

from __future__ import annotations

from collections.abc import Mapping


def rule_words(before: Mapping[str, bool], after: Mapping[str, bool]) -> str:
    """What the log says of a rule that is switched; "" where not just one is."""
    switched = [name for name, on in after.items() if before.get(name) is not on]
    if len(switched) != 1 or not before.keys() <= after.keys():
        return ""
    return f"rule {switched[0]} {'on' if after[switched[0]] else 'off'}"
