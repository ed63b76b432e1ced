"""Penetration against armor: what a hit does to a vehicle or an aircraft, its morale check and its crew.

Shared by ordnance that has hit and by aircraft, which need no to-hit roll. Source: PAC 02, 05, 06 (14.1, 19.1.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.dice import Die, d6, dice
from bot.rules.odds import group_faces, group_sums
from bot.rules.sequence import Line, Outputs, Roll, Step
from bot.rules.tables.table import Tables
from bot.systems.lnlt.checks import NONE, Attack
from bot.systems.lnlt.reasons import against, bare, beside_morale, one_of

CATASTROPHE, DUD = (6, 1), (1, 6)
NATURAL = {"dud": "a dud, natural 1 against 6", "catastrophic": "a catastrophe, natural 6 against 1"}


@dataclass(frozen=True, slots=True)
class Struck:
    """A vehicle or aircraft that is hit, at the place that is hit.

    `path` is where its outputs are, `parts` what makes up the penetration, by name.
    """

    word: str
    path: str
    penetration: int
    armor: int
    morale: int
    shaken: bool
    flies: bool
    first: bool
    parts: tuple[tuple[str, int], ...]


class Impact:
    """The dice that hits on vehicles owe. `find` gives the vehicle of a state, `then` goes on with its result.

    In a `flammable` hex a natural 6 of the penetration die calls for a fire check, which the state remembers.
    """

    def __init__(
        self,
        tables: Tables,
        find: Callable[[Attack], Struck],
        then: Callable[[Attack], Attack],
        *,
        flammable: bool = False,
    ) -> None:
        self._find, self._then, self._flammable = find, then, flammable
        table, bail = tables["penetration"], tables["bail-out-roll"]
        self._effects: Mapping[tuple[str, bool], Any] = {
            (case, flies): table(case=case, target="aircraft" if flies else "vehicle")
            for case in ("dud", "catastrophic", "greater", "equal", "less")
            for flies in (False, True)
        }
        self._crews = {roll: str(bail(who="crew", roll=roll)["result"]) for roll in range(1, 7)}
        self._again = str(tables["state-change"](unit="armored-vehicle", state="shaken", result="shaken")["becomes"])

    def steps(self) -> dict[str, Step[Any]]:
        """The steps impact, vehicle morale and vehicle crew."""
        sums, crews = group_sums(2, 6), group_faces(6, lambda roll: self._crews[roll])
        morale = Step(self._ask("morale check"), self._check, self._check_tells, self._check_story, lambda _: sums)
        crew = Step(self._ask("bail-out crew of"), self._crew, self._crew_tells, self._crew_story, lambda _: crews)
        impact = Step(self._ask("penetration"), self._impact, self._impact_tells, self._impact_story)
        return {"impact": impact, "vehicle morale": morale, "vehicle crew": crew}

    def _ask(self, label: str) -> Callable[[Attack], tuple[Die, ...]]:
        def ask(state: Attack) -> tuple[Die, ...]:
            name = f"{label} {self._find(state).word}".removesuffix(" of ").strip()
            if label == "penetration":
                return d6(name), d6(f"armor {self._find(state).word}".strip())
            return dice(2, 6, name) if label == "morale check" else (d6(name),)

        return ask

    def _label(self, state: Attack, label: str) -> str:
        """The label of a line: `T-55 armor`, or `armor` where one nameless vehicle is shot at."""
        return f"{self._find(state).word} {label}".strip()

    def case(self, struck: Struck, roll: Roll) -> tuple[str, int]:
        """Dud, catastrophic, greater, equal or less, and by how much the attacker's total is higher."""
        difference = roll[0] + struck.penetration - roll[1] - struck.armor
        if roll in (DUD, CATASTROPHE):
            return ("dud" if roll == DUD else "catastrophic"), difference
        return ("greater" if difference > 0 else "less" if difference else "equal"), difference

    def _impact(self, state: Attack, roll: Roll) -> Attack:
        struck = self._find(state)
        case, difference = self.case(struck, roll)
        state = replace(state, six=state.six or (self._flammable and roll[0] == CATASTROPHE[0]))
        effect = self._effects[case, struck.flies]
        if effect["effect"] == "morale-check":
            margin = difference if effect["mc_mod"] == "minus-difference" else 0
            return replace(state, owes="vehicle morale", margin=margin, row=case)
        return self._struck(state, str(effect["effect"]))

    def _struck(self, state: Attack, result: str) -> Attack:
        after = replace(state, margin=0, row=result)
        if result == "destroyed" and not self._find(state).flies:
            return replace(after, owes="vehicle crew")
        return self._then(after)

    def _final(self, struck: Struck, result: str) -> str:
        return self._again if result == "shaken" and struck.shaken else result

    def _result_told(self, struck: Struck, result: str) -> dict[str, Any]:
        told: dict[str, Any] = {f"{struck.path}result": result}
        if struck.first:
            told["outcome"] = result
        if result != "destroyed" or struck.flies:
            told[f"{struck.path}crew"] = "shaken-moved" if result == "abandoned" else NONE
        return told

    def _impact_tells(self, before: Attack, roll: Roll, after: Attack) -> Outputs:
        del after
        struck = self._find(before)
        case, _ = self.case(struck, roll)
        told: dict[str, Any] = {
            f"{struck.path}attack_total": roll[0] + struck.penetration,
            f"{struck.path}armor_total": roll[1] + struck.armor,
            f"{struck.path}impact": case,
        }
        effect = str(self._effects[case, struck.flies]["effect"])
        if effect != "morale-check":
            told |= {f"{struck.path}mc": NONE, f"{struck.path}mc_total": NONE}
            told |= self._result_told(struck, effect)
        return told

    def _impact_story(self, before: Attack, roll: Roll, after: Attack) -> Iterable[Line]:
        del after
        struck = self._find(before)
        case, difference = self.case(struck, roll)
        label, total = self._label(before, "penetration"), roll[0] + struck.penetration
        yield Line(label, roll[:1], struck.parts, total)
        label, total = self._label(before, "armor"), roll[1] + struck.armor
        yield Line(label, roll[1:], bare(struck.armor), total, NATURAL.get(case) or against(difference))

    def _passes(self, state: Attack, roll: Roll) -> bool:
        return sum(roll) + state.margin <= self._find(state).morale

    def _checked(self, state: Attack, roll: Roll) -> str:
        struck = self._find(state)
        effect = self._effects[state.row, struck.flies]
        return self._final(struck, str(effect["mc_pass" if self._passes(state, roll) else "mc_fail"]))

    def _check(self, state: Attack, roll: Roll) -> Attack:
        return self._struck(state, self._checked(state, roll))

    def _check_tells(self, before: Attack, roll: Roll, after: Attack) -> Outputs:
        del after
        struck = self._find(before)
        told: dict[str, Any] = {
            f"{struck.path}mc": "pass" if self._passes(before, roll) else "fail",
            f"{struck.path}mc_total": sum(roll) + before.margin,
        }
        return told | self._result_told(struck, self._checked(before, roll))

    def _check_story(self, before: Attack, roll: Roll, after: Attack) -> Iterable[Line]:
        del after
        parts = bare(before.margin)
        struck, total = self._find(before), sum(roll) + before.margin
        again = struck.shaken and self._checked(before, roll) == self._again
        why = beside_morale(total, struck.morale) + ("; a second time" if again else "")
        yield Line(self._label(before, "morale"), roll, parts, total, why)

    def _crew(self, state: Attack, roll: Roll) -> Attack:
        del roll
        return self._then(state)

    def _crew_tells(self, before: Attack, roll: Roll, after: Attack) -> Outputs:
        del after
        return {f"{self._find(before).path}crew": self._crews[roll[0]]}

    def _crew_story(self, before: Attack, roll: Roll, after: Attack) -> Iterable[Line]:
        del after
        yield Line(self._label(before, "crew"), roll, result=one_of(lambda face: self._crews[face] != "eliminated"))
