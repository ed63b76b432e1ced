"""Men around a point of impact: each zone its row of the Combat Resolution Table, each man rolled for in turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Line, Plan, Ruled, Settlement
from bot.rules.tables.table import Tables
from bot.systems.baps.fates import settled
from bot.systems.baps.men import called, living
from bot.systems.baps.resolution import MOST_MEN, Man, Resolution, printed_row, row_said
from bot.systems.baps.rows import rows_of
from bot.systems.baps.volley import Volley, men_step

INSIDE = 4


@dataclass(frozen=True, slots=True)
class Blast:
    """The men that a round reaches, in the order in which they are rolled for, and how; `where` they are read."""

    units: tuple[Unit, ...]
    men: tuple[Man, ...]
    step: Ruled[Volley]
    where: tuple[Line, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The men by the names that the dice have for them."""
        return tuple(man.name for man in self.men)

    def settle(self, out: Mapping[str, Any]) -> Settlement:
        """The result of a round that came down: each man and what became of them."""
        return settled(self.units, self.names, out["targets"])


def blast_of(tables: Tables, given: Given, *, zones: str = "he-radii", cover: str = "cover") -> Blast:
    """The men of the lists that table `zones` has; the column is the number of men in that zone.

    Source: Vehicle Charts, Radii of Effect chart and its note; closed spaces add 4 to the row.
    """
    crt, rows = Resolution(tables), tables[zones].constants["rows_of"]
    inside, shield = INSIDE * given.flag("inside"), int(tables["cover"](cover=given.word(cover))["modifier"])
    shifts = (("inside", inside), (f"{given.word(cover).replace('-', ' ')} cover", -shield))
    parts = tuple((name, value) for name, value in shifts if value)
    reached = {zone: living(given.units(zone), zone) for zone in rows}
    units = tuple(unit for those in reached.values() for unit in those)
    names = iter(called(units))
    men: list[Man] = []
    where: list[Line] = []
    for zone, those in reached.items():
        total, column = rows[zone] + inside - shield, min(len(those), MOST_MEN)
        row, passes = printed_row(total)
        facts = {"zone": zone, "row": row, "passes": passes}
        if those:
            line = Line(f"{zone} radius", result=f"{row_said(total)}, column {column}")
            where.append(replace(line, parts=(("", rows[zone]), *parts), total=total) if parts else line)
        for unit in those:
            cells = (crt.cell(row, column),) * passes
            men.append(Man(unit, next(names), cells, f"targets[{len(men)}]", {"unit": unit.word, **facts}))
    return Blast(units, tuple(men), men_step(men, crt), tuple(where))


def blast_plan(blast: Blast, *, then: tuple[str, ...] = ()) -> Plan[Volley]:
    """A plan that only rolls for the men of a blast. Raises UserError when nobody is in it."""
    if not blast.men:
        raise UserError("Nobody is in the blast.", hint="Give the men of a zone, as in lethal=3.", code="nobody")
    return Plan(
        Volley("man"),
        {"man": blast.step},
        lambda out: replace(blast.settle(out), then=then),
        {"targets": []},
        lines=blast.where,
        rows=rows_of(blast.men),
    )
