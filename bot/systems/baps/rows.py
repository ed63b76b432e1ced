"""What the odds show of men under attack: each by name, in the words of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bot.rules.sequence.sequence import Outputs, Row
from bot.systems.baps.fates import SAID, token_of
from bot.systems.baps.resolution import Man

SUPPRESSED = ", suppressed"


def rows_of(men: Callable[[], Iterable[Man]], *first: Row) -> Callable[[], tuple[Row, ...]]:
    """What makes the odds of each man, behind those `first`. Old wounds count: whoever is dead afterwards is killed."""
    return lambda: (*first, *map(_row, men()))


def _row(man: Man) -> Row:
    result, after = f"{man.path}.result", f"{man.path}.after"

    def read(told: Outputs) -> str | None:
        if result not in told:
            return None
        if told[after] == "killed":
            return "killed"
        also = told[result].startswith("wound") and told[after] == "suppressed"
        return f"{told[result]}{SUPPRESSED if also else ''}"

    return Row(man.name, (result, after), read, _said)


def _said(value: str) -> str:
    result = value.removesuffix(SUPPRESSED)
    token = token_of({"result": result, "after": "suppressed" if result != value else "ready"})
    return SAID.get(token, token)
