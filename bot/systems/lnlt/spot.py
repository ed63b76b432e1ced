"""A spotting attempt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step, parts_of
from bot.rules.tables.table import Tables
from bot.systems.lnlt.checks import NONE
from bot.systems.lnlt.kinds import refuse_unfit
from bot.systems.lnlt.reasons import at_most
from bot.systems.lnlt.settling import OPS_COMPLETE, SPOTTED_IT, marked

FAILS = 6


@dataclass(frozen=True, slots=True)
class Attempt:
    """One die decides, or none."""

    owes: str | None = "spot"


def plan(tables: Tables, given: Given) -> Plan[Attempt]:
    """An attempt to spot a hex. Source: PAC 10-12 (10.1). Raises UserError for a spotter who is out of play."""
    spotter = given.unit("unit")
    refuse_unfit([spotter] if spotter is not None else [])
    seen = tables["spotting"](case=given.word("terrain"))
    if given.flag("automatic") or seen["automatic"]:
        opening = {"automatic_spot": True, "spotted": True, "outcome": "spotted"}
        opening |= dict.fromkeys(("roll", "total", "needed"), NONE)
        without = (Line("spotting", result="without a roll"),)
        return Plan(Attempt(None), {}, lambda out: _settle(out, given), opening, lines=without)
    needed = int(seen["needed"])
    modifiers = tables["spotting-mods"](
        lm=given.int("lm"), degrading=given.int("degrading"), tis=given.flag("tis"), scout=given.flag("scout")
    )
    mod = int(modifiers["roll_mod"])

    def spotted(roll: Roll) -> bool:
        return roll[0] != FAILS and roll[0] + mod <= needed

    def apply(_state: Attempt, _roll: Roll) -> Attempt:
        return Attempt(None)

    def outputs(_before: Attempt, roll: Roll, _after: Attempt) -> Outputs:
        seen = spotted(roll)
        told: dict[str, Any] = {"roll": roll[0], "total": roll[0] + mod, "spotted": seen}
        return told | {"outcome": "spotted" if seen else "not-spotted"}

    def lines(_before: Attempt, roll: Roll, _after: Attempt) -> Iterable[Line]:
        verdict = "a natural 6 always fails" if roll[0] == FAILS else at_most(needed)
        yield Line("spotting", roll, parts_of(modifiers.parts), roll[0] + mod, verdict)

    steps = {"spot": Step((d6("spotting"),), apply, outputs, lines)}
    return Plan(Attempt(), steps, lambda out: _settle(out, given), {"automatic_spot": False, "needed": needed})


def _settle(out: Mapping[str, Any], given: Given) -> Settlement:
    spotter = given.unit("unit")
    word = "the spotter" if spotter is None else spotter.word
    fates = (Fate(word, str(out["outcome"])),)
    if out["automatic_spot"]:
        return Settlement("spotted, without a roll", fates=fates)
    if out["spotted"]:
        notes = (f"{word} may fire at the hex at once: Ops Complete then comes off and does not count.",)
        return Settlement("spotted", changes=marked([spotter], SPOTTED_IT), fates=fates, notes=notes)
    return Settlement("not spotted", changes=marked([spotter], OPS_COMPLETE), fates=fates)
