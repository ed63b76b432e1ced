"""Men around a point of impact: each zone its row of the Combat Resolution Table, each man rolled for in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Line, Plan, Settlement, Step
from bot.rules.tables.table import Tables
from bot.systems.baps.men import called, living
from bot.systems.baps.resolution import (
    MOST_MEN,
    Man,
    Resolution,
    aftermath,
    changes_of,
    fates_of,
    printed_row,
    row_said,
    summed_up,
    words_of,
)
from bot.systems.baps.rows import rows_of as men_rows
from bot.systems.baps.volley import Volley, men_step

INSIDE = 4


@dataclass(frozen=True, slots=True)
class Blast:
    """The men that a round reaches, in the order in which they are rolled for, and how."""

    units: tuple[Unit, ...]
    men: tuple[Man, ...]
    step: Step[Volley]

    where: tuple[Line, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The men by the names that the dice have for them."""
        return tuple(man.name for man in self.men)

    def settle(self, out: Mapping[str, Any]) -> Settlement:
        """The result of a round that came down: each man and what became of them."""
        hit = out["targets"]
        return Settlement(
            summed_up(hit),
            words_of(hit),
            (),
            changes_of(self.units, hit),
            fates_of(self.names, hit),
            aftermath(self.units, hit, self.names),
        )


def blast_of(tables: Tables, given: Given, rows: Mapping[str, int], *, cover: str, inside: bool) -> Blast:
    """The men of the lists named by `rows`, zone by zone; the column is the number of men in that zone.

    Source: Vehicle Charts, Radii of Effect chart and its note; closed spaces add 4 to the row.
    """
    resolution = Resolution(tables)
    shield = int(tables["cover"](cover=cover)["modifier"])
    zones = {zone: living(given.units(zone), zone) for zone in rows}
    units = tuple(unit for men in zones.values() for unit in men)
    names = iter(called(units))
    men: list[Man] = []
    where: list[Line] = []
    for zone, inhabitants in zones.items():
        effective = rows[zone] + (INSIDE if inside else 0) - shield
        row, passes = printed_row(effective)
        column = min(len(inhabitants), MOST_MEN)
        if inhabitants:
            parts = (
                ("", rows[zone]),
                *((("inside", INSIDE),) if inside else ()),
                *(((f"{cover.replace('-', ' ')} cover", -shield),) if shield else ()),
            )
            read = f"{row_said(effective)}, column {column}"
            shifted = len(parts) > 1
            where.append(Line(f"{zone} radius", (), parts if shifted else (), effective if shifted else None, read))
        for unit in inhabitants:
            facts = {"unit": unit.word, "zone": zone, "row": row, "passes": passes}
            cells = (resolution.cell(row, column),) * passes
            men.append(Man(unit, next(names), cells, f"targets[{len(men)}]", "", facts))
    return Blast(units, tuple(men), men_step(men, resolution), tuple(where))


def rows_of(tables: Tables, table: str, zones: Sequence[str]) -> dict[str, int]:
    """The row of each zone as table he-radii or sheaf-zone prints it."""
    printed = tables[table].constants["rows_of"]
    return {zone: int(printed[zone]) for zone in zones}


def blast_plan(blast: Blast, *, then: tuple[str, ...] = ()) -> Plan[Volley]:
    """A plan that only rolls for the men of a blast. Raises UserError when nobody is in it."""
    if not blast.men:
        raise UserError("Nobody is in the blast.", hint="Give the men of a zone, as in lethal=3.", code="nobody")

    def settle(out: Mapping[str, Any]) -> Settlement:
        settled = blast.settle(out)
        return replace(settled, then=(*then, *settled.then))

    opening: dict[str, Any] = {"targets": []}
    return Plan(Volley("man"), {"man": blast.step}, settle, opening, lines=blast.where, rows=men_rows(blast.men))
