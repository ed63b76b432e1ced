"""Recovery dr for a support weapon or Gun that nobody holds, or that a broken or lost unit held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Settlement, parts_of
from bot.rules.shapes import Once, no_roll, one_roll
from bot.rules.tables.table import Tables
from bot.systems.asl.roster import called, change, is_one

CASES = {
    ("unpossessed", "rally"): "b",
    ("unpossessed", "friendly-mph"): "d",
    ("broken-unit", "rally"): "e",
    ("broken-unit", "friendly-mph"): "g",
}
SMC_ONLY = ("e", "f", "g")
SMC = ("leader", "hero")
SOLE_ACTION = ("b", "e")
HELD = {"unpossessed": "without a holder", "broken-unit": "from a broken unit", "lost-unit": "from a lost unit"}
PHASES = {
    "rally": "RPh",
    "rout": "RtPh",
    "friendly-mph": "friendly MPh",
    "friendly-aph": "friendly APh",
    "enemy-defensive-fire": "enemy DFPh",
}
SAID = {"recovered": "recovered", "failed": "not recovered"}


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """A Recovery dr of 1d6 plus modifiers, 5 or less recovers; no die where no case allows it. Source: table 7."""
    by = "smc" if is_one(given, "by", SMC, "smc") else "mmc"
    case = case_of(given.word("phase"), given.word("from"), by)
    unit, weapon, holder = given.unit("unit"), given.unit("weapon"), given.unit("holder")
    opening = {"case": case, "mf": 1 if case == "d" else 0, "sole_action": case in SOLE_ACTION}

    def settle(out: Mapping[str, Any]) -> Settlement:
        result = str(out["result"])
        now = ["its only action of the Rally Phase"] if out["sole_action"] else []
        now += ["one MF spent"] if out["mf"] else []
        then = []
        taken = result == "recovered" and given.word("from") != "unpossessed"
        if taken and weapon is not None and not (weapon.name or holder):
            then.append(f"Take {weapon.word} off what its last holder holds (holder=NAME does so by itself).")
        return Settlement(
            f"{called(weapon, 'weapon')} {SAID[result]}" if case != "none" else "recovery is not allowed",
            ((called(unit, by.upper()), result),),
            tuple(then),
            (*given_up(weapon, holder), *held(unit, weapon)) if result == "recovered" else (),
            (Fate(called(unit, f"the {by.upper()}"), result, called(weapon, "the weapon")),),
            tuple(now),
        )

    if case == "none":
        told = {**opening, "result": "not-allowed"}
        return no_roll(told, (Line("no dr", result=why_not(given.word("phase"), given.word("from"))),), settle)
    modifiers = tables["recovery-drm"](**{name: given.flag(name) for name in ("cx", "night", "jungle")})
    drm, highest = modifiers["drm"], modifiers["max_total"]

    def outputs(roll: int) -> Outputs:
        return {"total": roll + drm, "result": "recovered" if roll + drm <= highest else "failed"}

    def line(roll: Roll, told: Outputs) -> Line:
        verdict = f"{highest} or less needed (case {case.upper()})"
        return Line("recovery", roll, parts_of(modifiers.parts), told["total"], verdict)

    return one_roll(dice(1, 6, "recovery"), outputs, line, settle, opening={**opening, "drm": drm})


def case_of(phase: str, source: str, by: str) -> str:
    """The letter of the case, or `none` where the card has no such recovery.

    Source: table 7; case F counts in any phase, and E, F and G are for a SMC only.
    """
    case = "f" if source == "lost-unit" else CASES.get((source, phase), "none")
    return "none" if case in SMC_ONLY and by != "smc" else case


def why_not(phase: str, source: str) -> str:
    """Why there is no recovery: the case is for a SMC, or the phase has none."""
    case = case_of(phase, source, "smc")
    if case != "none":
        return f"case {case.upper()} is for a SMC only"
    return f"no case allows it {HELD[source]} in the {PHASES[phase]}"


def given_up(weapon: Unit | None, holder: Unit | None) -> tuple[Change, ...]:
    """The weapon taken off what its holder holds; one of the roster, which has its name to itself, off everybody's."""
    if weapon is None:
        return ()
    if weapon.name:
        return (Change(weapon.name, of="holds", drop=True),)
    names = [name.strip() for name in str(holder.get("holds", "")).split(",")] if holder is not None else []
    kept = [name for name in names if name.casefold() != weapon.word.casefold()]
    return change(holder, {"holds": ",".join(kept) or None}) if kept != names else ()


def held(unit: Unit | None, weapon: Unit | None) -> tuple[Change, ...]:
    """The weapon added to what a roster unit holds."""
    if unit is None or weapon is None:
        return ()
    names = [name.strip() for name in str(unit.get("holds", "")).split(",") if name.strip()]
    if weapon.word in names and not weapon.name:
        return ()
    return change(unit, {"holds": ",".join(dict.fromkeys((*names, weapon.word)))})
