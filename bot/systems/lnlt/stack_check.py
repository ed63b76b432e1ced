"""Whether one side may stack so in a hex."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence import Line, Plan, Settlement
from bot.rules.tables.table import Tables

LEG = {
    "squads": "squad",
    "half_squads": "half-squad",
    "crews": "crew",
    "atgm_teams": "atgm-team",
    "weapon_teams": "weapon-team",
}
MOUNTED = {"mounted_squads": "mounted-squad", "mounted_half_squads": "mounted-half-squad"}


@dataclass(frozen=True, slots=True)
class Count:
    """Nothing is rolled."""

    owes: str | None = None


def plan(tables: Tables, given: Given) -> Plan[Count]:
    """The stack against the limits of a hex. Source: PAC 10 (1.3)."""
    limits = {
        case: int(tables["stacking"](case=case)["limit"]) for case in ("squad", "mounted-squad", "vehicle", "smc")
    }
    leg, mounted = _equivalents(tables, given, LEG), _equivalents(tables, given, MOUNTED)
    wrecks, vehicles = given.int("wrecks"), given.int("vehicles") + given.int("wrecks")
    over_leg, over_mounted = leg > limits["squad"], mounted > limits["mounted-squad"]
    share = leg / limits["squad"] + mounted / limits["mounted-squad"]
    found = {
        "too-many-squads": over_leg,
        "too-many-mounted": over_mounted,
        "mixed-too-many": share > 1 and not over_leg and not over_mounted,
        "too-many-vehicles": vehicles > limits["vehicle"],
        "too-many-wrecks": wrecks > int(tables["stacking"](case="wreck")["limit"]),
        "too-many-smcs": given.int("smcs") > limits["smc"],
    }
    problems = [problem for problem, wrong in found.items() if wrong]
    opening: dict[str, Any] = {
        "legal": not problems,
        "squad_equivalents": _plain(leg),
        "mounted_equivalents": _plain(mounted),
        "vehicle_count": vehicles,
        "problems": problems,
    }
    lines = (
        Line("squad equivalents", total=_plain(leg), result=f"at most {limits['squad']}"),
        Line("mounted equivalents", total=_plain(mounted), result=f"at most {limits['mounted-squad']}"),
        Line("vehicles and wrecks", total=vehicles, result=f"at most {limits['vehicle']}"),
        Line("single men", total=given.int("smcs"), result=f"at most {limits['smc']}"),
    )

    def settle(out: Mapping[str, Any]) -> Settlement:
        words = ", ".join(problem.replace("-", " ") for problem in out["problems"])
        return Settlement("the stack is legal" if out["legal"] else f"not legal: {words}")

    return Plan(Count(), {}, settle, opening, lines=lines)


def _equivalents(tables: Tables, given: Given, kinds: Mapping[str, str]) -> Fraction:
    table = tables["stacking"]
    each = ((given.int(name), table(case=case)["equivalent"]) for name, case in kinds.items())
    return sum((count * Fraction(equivalent) for count, equivalent in each), Fraction(0))


def _plain(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)
