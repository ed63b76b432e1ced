"""To Hit DR with the Improbable and Critical Hits of an Original 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.rules.dice import d6, dice
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Ruling, Settlement, minus, ruled
from bot.rules.shapes import by_sum
from bot.rules.tables.table import Tables
from bot.systems.asl.roster import called, is_one, new_state

TO_HIT = (d6("TH colored"), d6("TH white"))
MAY_MISS = ("a", "b", "c")
CRITICAL = "critical-hit"
COLLATERAL = "Others that are hit collaterally are attacked in the usual way."
ONE_LOCATION = (
    "It strikes one Location, by Random Selection if there are several; the others are attacked in the usual way."
)


@dataclass(frozen=True, slots=True)
class Shot:
    """A shot: which roll it owes."""

    owes: str | None = "TH"


def plan(tables: Tables, given: Given) -> Plan[Shot]:
    """TH 2d6, and a subsequent 1d6 where an Original 2 asks for it. Source: table 9."""
    shot = _Shot(tables, given)
    steps = {
        "TH": by_sum(TO_HIT, shot.to_hit),
        "subsequent": ruled(dice(1, 6, "subsequent"), shot.subsequent),
    }
    return Plan(Shot(), steps, partial(settled, given), opening={"needed": shot.needed})


def settled(given: Given, out: Mapping[str, Any]) -> Settlement:
    """The result, where it strikes, and what else a Critical Hit does. Source: table 9, notes 2 and 4, other notes."""
    place = f" on the {out['location']}" if out["location"] != "none" else ""
    result, unit = str(out["result"]), given.unit("unit")
    notes, state, more = [], None, place
    if result == CRITICAL:
        if is_one(given, "gun", ("gun",)) and not given.flag("wp"):
            more += ", the Gun destroyed and its manning Infantry eliminated"
            state = "destroyed"
        vehicle = given.word("target_type") == "vehicle"
        notes.append(COLLATERAL if vehicle else ONE_LOCATION)
    headline = f"{result.replace('-', ' ')}{place}"
    return Settlement(
        headline,
        ((called(unit, "target"), result),),
        (),
        new_state(unit, state),
        (Fate(called(unit, "the target"), result, more),),
        notes=tuple(notes),
    )


class _Shot:
    """The inputs of one shot, and what each roll of it means."""

    def __init__(self, tables: Tables, given: Given) -> None:
        self.type, self.th, self.drm = given.word("target_type"), given.int("th_number"), given.int("drm")
        self.no_ch, self.needed = given.flag("no_ch"), self.th - self.drm
        case = tables["ch-case"](target_type=self.type, needed=self.needed)
        self.case, self.always = str(case["case"]), case["subsequent_dr"] == "always"
        self.afv = given.flag("afv") or self.case not in ("c", "f", "i")
        self.place = "turret" if given.flag("hull_down") else "hull"
        self.below_half = 2 * (2 + self.drm) < self.th
        self.follows = self._follows()
        how = {"hull_down": given.flag("hull_down"), "afv": self.afv, "th_number": self.th}
        asks = self.always or self.case == "h"
        self.drs = dict(enumerate(tables["ch-dr"].column(case=self.case, roll=range(1, 7), **how), 1)) if asks else {}

    def _follows(self) -> bool:
        """Whether an Original 2 asks for the subsequent dr."""
        if self.no_ch:
            return self.case in MAY_MISS
        return self.always or (self.case == "h" and not self.below_half)

    def to_hit(self, _: Shot, roll: Roll) -> Ruling[Shot]:
        """The TH DR: an Original 2 may ask for a subsequent dr, all else is decided."""
        original = sum(roll)
        told: dict[str, Any] = {"original": original, "final": original + self.drm}
        told["case"] = self.case if original == 2 else "none"
        if original == 2 and self.follows:
            return Ruling(Shot("subsequent"), told, lambda: self.said(roll, told))
        told |= {"dr": 0, **(self.at_once() if original == 2 else self.ordinary(told["final"]))}
        return Ruling(Shot(None), told, lambda: self.said(roll, told))

    def ordinary(self, final: int) -> Outputs:
        """An Original 3-12: the card gives no location of such hits."""
        if final > self.th:
            return {"result": "miss", "location": "none"}
        critical = self.type == "infantry" and 2 * final < self.th
        return {"result": self.result(CRITICAL if critical else "hit"), "location": "none"}

    def at_once(self) -> Outputs:
        """An Original 2 that needs no further die."""
        if self.case in ("g", "i"):
            return {"result": self.result(CRITICAL), "location": self.place if self.afv else "none"}
        if self.case == "h":
            return {"result": self.result(CRITICAL), "location": "none"}
        return {"result": "hit", "location": self.drs[1]["location"]}

    def result(self, result: str) -> str:
        """A hit that cannot be critical is still a hit."""
        return "hit" if self.no_ch and result == CRITICAL else result

    def subsequent(self, _: Shot, roll: Roll) -> Ruling[Shot]:
        """The subsequent dr after an Original 2."""
        read, half = self.drs[roll[0]], f"half the TH# is {self.th / 2:g}" if self.case in ("e", "h") else ""
        told = {"dr": roll[0], "result": self.result(read["result"]), "location": read["location"]}
        return Ruling(Shot(None), told, lambda: (Line("subsequent dr", roll, (), roll[0], half),))

    def said(self, roll: Roll, told: Outputs) -> Iterable[Line]:
        """The line of the TH DR."""
        parts = (("DRM", self.drm),) if self.drm else ()
        verdict = f"against TH# {minus(self.th)}"
        if told["case"] != "none":
            verdict += f", Original 2 with {self.needed} or less needed, case {self.case.upper()}"
        if told.get("result") == CRITICAL and told["case"] in ("h", "none"):
            verdict += f", below half of it ({self.th / 2:g})"
        if self.no_ch:
            verdict += ", no Critical Hit possible"
        yield Line("TH", roll, parts, told["final"], verdict)
