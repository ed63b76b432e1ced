"""A heroic action by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Outputs, Plan, Settlement
from bot.rules.tables.table import Tables
from bot.systems.baps.heroics import DEEDS, UP, Deed, deed_said, heroic_steps, orders_said, roused
from bot.systems.baps.men import about, whom


def plan(tables: Tables, given: Given) -> Plan[Deed]:
    """2d6, and 1d4 orders for a new leader. Source: Infantry Charts, Heroic Actions."""
    unit = given.unit("unit")

    def outputs(total: int, result: str, lasts: str) -> Outputs:
        return {"roll": total, "result": result, "lasts": lasts}

    def settle(out: Mapping[str, Any]) -> Settlement:
        deed = str(out["result"])
        said = DEEDS[deed] + (f", {out['orders']} orders" if out["orders"] else "")
        fate = Fate(whom(unit, "the soldier"), deed, orders_said(out["orders"]))
        return Settlement(about(unit, said), (), deed_said(deed), roused(unit, deed), (fate,), UP)

    return Plan(Deed("heroic"), heroic_steps(tables, outputs), settle)
