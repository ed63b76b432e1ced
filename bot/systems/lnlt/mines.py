"""A vehicle enters a mined hex."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Settlement, Step
from bot.rules.tables.table import Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.checks import NONE, say
from bot.systems.lnlt.settling import CREWS, aftermath, becomes

IMMOBILIZED = frozenset({"immobilized"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One die decides."""

    owes: str | None = "mines"


def plan(tables: Tables, given: Given) -> Plan[Entry]:
    """The mines' attack on a vehicle. Source: PAC 02, 10 (21.4.1). Raises UserError for a unit other than a vehicle."""
    unit = given.unit("unit")
    if unit is not None:
        kinds.refuse_unfit([unit])
        if unit.type not in kinds.GROUND_VEHICLES:
            raise UserError(f"{unit.word} ({unit.type}) is not a ground vehicle.", option="unit", code="wrong-type")
    shaken = given.flag("shaken") or (unit is not None and kinds.is_shaken(unit))
    state = "shaken" if shaken else "good-order"

    def outputs(_before: Entry, roll: Roll, _after: Entry) -> Outputs:
        answer = tables["mines-vehicle"](roll=roll[0])
        result = str(answer["result"])
        word = "shaken" if result.startswith("shaken") else result
        left = str(tables["state-change"](unit="armored-vehicle", state=state, result=word)["becomes"])
        crew = "eliminated" if answer["crew_lost"] else "shaken-moved" if left == "abandoned" else NONE
        return {
            "roll": roll[0],
            "result": result,
            "becomes": left,
            "immobilized": result == "shaken-immobilized",
            "crew": crew,
            "outcome": result,
        }

    def apply(_state: Entry, _roll: Roll) -> Entry:
        return Entry(None)

    def lines(before: Entry, roll: Roll, after: Entry) -> Iterable[Line]:
        del before, after
        yield Line("mines", roll, total=roll[0])

    def settle(out: Mapping[str, Any]) -> Settlement:
        words = say(out["result"]).replace("-", " and ")
        words += ": abandoned" if out["becomes"] == "abandoned" else ""
        changes: list[Change] = []
        if unit is not None:
            change = becomes(unit, out["becomes"], mark=IMMOBILIZED if out["immobilized"] else frozenset())
            changes += [change] if change is not None else []
        struck = unit or Unit("the vehicle", "armored-vehicle")
        who = ((unit.word, words),) if unit is not None else ()
        left = out["becomes"] if out["becomes"] in kinds.GONE else out["result"]
        return Settlement(
            words,
            who,
            ("Place a shaken crew, marked Moved.",) if out["crew"] == "shaken-moved" else (),
            tuple(changes),
            (Fate(struck.word, str(left), CREWS.get(str(out["crew"]), "")),),
            (f"{struck.word} immobilized",) if out["immobilized"] and left in kinds.GONE else (),
            notes=aftermath([struck], [out]) if left != NONE else (),
        )

    return Plan(Entry(), {"mines": Step((d6("mines"),), apply, outputs, lines)}, settle)
