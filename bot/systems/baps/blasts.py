"""Men around a point of impact: each zone its row of the Combat Resolution Table, each man rolled for in turn."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Line, Plan, Ruled, Settlement
from bot.rules.tables.table import Tables
from bot.systems.baps.men import called, living, settled, wounds_of
from bot.systems.baps.resolution import MOST_MEN, Man, Resolution, printed_row, row_said, rows_of
from bot.systems.baps.volley import Volley, men_step

INSIDE = 4


class Blast(NamedTuple):
    """The men that a round reaches, in the order in which they are rolled for, with the names that the dice have for
    them.

    `men` and `step` say how they are rolled for, `where` where they are read; none of it is needed of a round that
    misses.
    """

    units: tuple[Unit, ...]
    names: tuple[str, ...]
    men: Callable[[], Sequence[Man]]
    step: Callable[[], Ruled[Volley]]
    where: Callable[[], Sequence[Line]]

    def settle(self, out: Mapping[str, Any], *, then: tuple[str, ...] = (), before: str = "") -> Settlement:
        """The result of a round that came down: each man and what became of them."""
        return settled(self.units, self.names, out["targets"], then=then, before=before)


class Zone(NamedTuple):
    """The men in a radius: the row that is printed for it, and the one that they are read in."""

    name: str
    units: tuple[Unit, ...]
    printed: int
    total: int

    @property
    def column(self) -> int:
        """The column: the number of men in the zone."""
        return min(len(self.units), MOST_MEN)


def blast_of(tables: Tables, given: Given, *, zones: str = "he-radii", cover: str = "cover") -> Blast:
    """The men of the lists that table `zones` has; the column is the number of men in that zone.

    Source: Vehicle Charts, Radii of Effect chart and its note; closed spaces add 4 to the row.
    """
    crt, rows = Resolution(tables), tables[zones].constants["rows_of"]
    inside, shield = INSIDE * given.flag("inside"), int(tables["cover"](cover=given.word(cover))["modifier"])
    reached = [Zone(name, living(given.units(name), name), row, row + inside - shield) for name, row in rows.items()]
    units = tuple([unit for zone in reached for unit in zone.units])
    names = called(units)
    men = cache(lambda: _men(crt, reached, names))

    def where() -> list[Line]:
        shifts = (("inside", inside), (f"{given.word(cover).replace('-', ' ')} cover", -shield))
        parts = tuple([(name, value) for name, value in shifts if value])
        return [_where(zone, parts) for zone in reached if zone.units]

    return Blast(units, names, men, lambda: men_step(men(), crt), where)


def _men(crt: Resolution, reached: Sequence[Zone], names: Sequence[str]) -> list[Man]:
    men: list[Man] = []
    for zone in reached:
        if not zone.units:
            continue
        row, passes = printed_row(zone.total)
        cells = (crt.cell(row, zone.column),) * passes
        for unit in zone.units:
            facts = {"unit": unit.word, "zone": zone.name, "row": row, "passes": passes}
            men.append(Man(unit, names[len(men)], cells, f"targets[{len(men)}]", wounds_of(unit), facts))
    return men


def _where(zone: Zone, parts: tuple[tuple[str, int], ...]) -> Line:
    label, read = f"{zone.name} radius", f"{row_said(zone.total)}, column {zone.column}"
    if not parts:
        return Line(label, result=read)
    return Line(label, (), (("", zone.printed), *parts), zone.total, read)


def blast_plan(blast: Blast, *, then: tuple[str, ...] = ()) -> Plan[Volley]:
    """A plan that only rolls for the men of a blast. Raises UserError when nobody is in it."""
    if not blast.units:
        raise UserError("Nobody is in the blast.", hint="Give the men of a zone, as in lethal=3.", code="nobody")
    return Plan(
        Volley("man"),
        {"man": blast.step()},
        lambda out: blast.settle(out, then=then),
        {"targets": []},
        lines=tuple(blast.where()),
        rows=rows_of(blast.men),
    )


# -- a grenade or shell at a known point of impact


def plan_blast(tables: Tables, given: Given) -> Plan[Volley]:
    """Men in the `lethal` and `burst` radius. Source: Vehicle Charts, Radii of Effect chart."""
    return blast_plan(blast_of(tables, given))


# -- an artillery round


def plan_barrage(tables: Tables, given: Given) -> Plan[Volley]:
    """Men in the three radii of an artillery `weapon`. Source: Vehicle Charts, Artillery Sheaf Data.

    Raises UserError for men in a radius that the weapon does not have.
    """
    weapon = given.word("weapon")
    if given.units("vaporize") and not tables["artillery-sheaf"](weapon=weapon)["vaporize"]:
        hint = "Put these men into lethal."
        raise UserError(f"{weapon} has no vaporize radius.", hint=hint, option="vaporize", code="not-together")
    then = ("Their unit owes a morale check with event artillery-fire.",)
    return blast_plan(blast_of(tables, given, zones="sheaf-zone"), then=then)
