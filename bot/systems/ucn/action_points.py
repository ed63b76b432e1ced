"""What acting costs an element whose AP the roster knows: its own first, or those that a leader has handed it.

Source: Action Points, AP Expenditure; Additional AP.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change
from bot.rules.tables.table import Tables


def spends(
    tables: Tables, units: Iterable[Unit], action: str, *, again: str, extra: int = 0
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """The changes of those who act, and what they are told: `Red uses 1 AP (2 left)`. `again` is the marker of one who
    has done so in this activation already; `extra` AP go into the skill, additional ones before its own."""
    changes, told = [], []
    for unit in {unit.name: unit for unit in units if unit.name and unit.get("ap") is not None}.values():
        more = int(unit.get("more_ap") or 0)
        cost = int(tables["ap-costs"](action=action, second=unit.has(again))["ap"]) + max(0, extra - more)
        left = int(unit.get("ap")) - int(unit.get("spent") or 0)
        new: dict[str, Any] = {"spent": int(unit.get("spent") or 0) + cost}
        if more and extra:
            new["more_ap"] = max(0, more - extra) or None
        changes.append(Change(unit.name, set=new, mark=frozenset({"activated", again})))
        besides = f" and {min(more, extra)} additional" if more and extra else ""
        has = f"{left - cost} left" if cost <= left else f"it had {left or 'none'}"
        told.append(f"{unit.name} uses {cost} AP{besides} ({has})")
    return tuple(changes), tuple(told)
