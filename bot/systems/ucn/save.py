"""Saves: each character hit by a pistol, an SMG or a blast rolls 1d20, a 1 or 2 saves them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step
from bot.rules.tables.table import Tables
from bot.systems.ucn.asked import Asked
from bot.systems.ucn.pool import all_alike, pool
from bot.systems.ucn.skills import d20
from bot.systems.ucn.weapons import save_faces, saving
from bot.systems.ucn.words import weapon_said


@dataclass(frozen=True, slots=True)
class Saving:
    """The one roll of all characters hit."""

    owes: str | None


def plan(tables: Tables, given: Given) -> Plan[Saving]:
    """Saves of `count` characters. Source: Infantry Combat, Save."""
    weapon, count = given.word("weapon"), given.int("count")
    saves = save_faces(tables, weapon)
    words = {True: "saved", False: "not-saved"}

    def outputs(_before: Saving, roll: Roll, _after: Saving) -> Outputs:
        told: dict[str, Any] = {f"results[{at}]": words[saves[face]] for at, face in enumerate(roll)}
        return {**told, "saved": sum(saves[face] for face in roll)}

    def lines(_before: Saving, roll: Roll, _after: Saving) -> Iterable[Line]:
        last = max((number for number, face in enumerate(saves) if face), default=0)
        yield Line(f"save from {weapon_said(weapon)}", roll, result=f"{last} or less needed")

    def settle(out: Mapping[str, Any]) -> Settlement:
        if count == 1:
            one = (Fate("the character", out["results"][0]),)
            return Settlement(str(out["results"][0]).replace("-", " "), fates=one)
        each = tuple((f"character {number}", word) for number, word in enumerate(out["results"], 1))
        fates = tuple(Fate(f"character {number}", word) for number, word in enumerate(out["results"], 1))
        return Settlement(f"{out['saved']} of {count} saved", each, fates=fates)

    def focused(asked: Asked) -> Plan[Saving]:
        groups = pool(count, saving(saves), asked.items("results"), saving(saves))
        step = Step(d20("save") * count, lambda _state, _roll: Saving(None), outputs, lines, lambda _: groups)
        return Plan(Saving("save"), {"save": step}, settle, {"results": []}, rows=(all_alike(count),))

    return replace(focused(Asked(())), focus=lambda paths: focused(Asked(paths)))
