"""Spotting: every character of the element rolls, one success spots the target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step, minus, parts_of
from bot.rules.tables.table import Tables
from bot.systems.ucn import roster
from bot.systems.ucn.asked import Asked
from bot.systems.ucn.pool import pool
from bot.systems.ucn.shooters import reminders
from bot.systems.ucn.skills import LAST, check, d20, mod_part, status_part, sum_line

CONDITIONS = (
    "target_moving",
    "target_concealed",
    "target_hidden",
    "target_gone_firm",
    "target_fired_suppression",
    "target_vehicle",
    "attacker_moving",
    "attacker_higher",
    "attacker_lower",
)


@dataclass(frozen=True, slots=True)
class Spotting:
    """The one roll of all spotters."""

    owes: str | None


def plan(tables: Tables, given: Given) -> Plan[Spotting]:
    """A Spot roll of `count` characters. Source: Infantry Combat, Spotting.

    Raises UserError for higher together with lower, and for a roster unit that is out of the game.
    """
    unit = given.unit("unit")
    if unit is not None:
        roster.refuse_gone(unit, "spot", "unit")
    conditions = {name: given.flag(name) for name in CONDITIONS}
    modifiers = tables["spot-modifiers"](**conditions, extra_ap=given.int("extra_ap"))
    skill = (("Spot", given.int("skill")),)
    spot = check(tables, (*skill, *parts_of(modifiers.parts), *status_part(tables, given), *mod_part(given)))
    count = given.int("count")
    reminded = () if unit is None or "status" in given.typed else reminders((unit,))

    def successes(roll: Roll) -> int:
        return sum(spot.passes[face] for face in roll)

    def outputs(_before: Spotting, roll: Roll, _after: Spotting) -> Outputs:
        told: dict[str, Any] = {f"rolls[{at}]": face for at, face in enumerate(roll)}
        found = successes(roll)
        told |= {"successes": found, "ap_lost": sum(face == LAST for face in roll)}
        told["result"] = "spotted" if found else "not-spotted"
        return told

    def lines(_before: Spotting, roll: Roll, _after: Spotting) -> Iterable[Line]:
        found = successes(roll)
        yield sum_line(spot)
        yield Line("to spot", roll, result=f"{found} of {count} at {minus(spot.final)} or less")

    def settle(out: Mapping[str, Any]) -> Settlement:
        lost = int(out["ap_lost"])
        now = ["everybody within 1 inch of it as well"] if out["successes"] else []
        now += ["natural 20, that character loses the remaining AP"] if lost == 1 else []
        now += [f"{lost} natural 20s, these characters lose the remaining AP"] if lost > 1 else []
        word = "spotted" if out["successes"] else "not spotted"
        said = f"{word}, {out['successes']} of {count} succeed"
        fates = (Fate("the target", out["result"]),)
        return Settlement(said if unit is None else f"{unit.word}: {said}", fates=fates, now=tuple(now))

    def focused(asked: Asked) -> Plan[Spotting]:
        groups = pool(count, spot.classes(twenty=asked.keeps("ap_lost")), asked.items("rolls"))
        step = Step(d20("spot") * count, lambda _state, _roll: Spotting(None), outputs, lines, lambda _: groups)
        return Plan(Spotting("spot"), {"spot": step}, settle, {"final_skill": spot.final}, lines=reminded)

    return replace(focused(Asked(())), focus=lambda paths: focused(Asked(paths)))
