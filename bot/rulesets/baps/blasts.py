"""Men around a point of impact: each zone its row of the Combat Resolution Table, each man rolled
for in turn.

HE at an aim point: a hit bursts there, a miss scatters by inches and, if asked for, a clock
direction.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bot.rules.dice import Die, d20
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Line,
    Plan,
    Resolution,
    Roll,
    RuledStep,
    Ruling,
    UnitResult,
    build_row,
    list_modifiers,
    ruled,
)
from bot.rules.tables.compile import parse_dice
from bot.rules.tables.table import Tables
from bot.rules.text.names import join_names
from bot.rulesets.baps.men import NAMED, get_wounds, label_men, resolve_men, select_living
from bot.rulesets.baps.resolution import (
    MOST_MEN,
    Man,
    ResolutionTable,
    build_rows,
    find_printed_row,
    format_row,
)
from bot.rulesets.baps.vehicles import describe_need, hits_vehicle, read_shot_modifiers
from bot.rulesets.baps.volley import Volley, build_men_step

INSIDE = 4


class Blast(NamedTuple):
    """The men that a round reaches, in the order in which they are rolled for, how that is done,
    and where they are read."""

    men: Sequence[Man]
    step: RuledStep[Volley]
    where: Sequence[Line]

    def resolve(
        self, out: Mapping[str, Any], *, then: tuple[str, ...] = (), before: str = ""
    ) -> Resolution:
        """The result of a round that came down: each man and what became of them."""
        units = [man.unit for man in self.men]
        names = [man.name for man in self.men]
        return resolve_men(units, names, out["targets"], then=then, before=before)


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


def read_blast(
    tables: Tables, given: Given, *, zones: str = "he-radii", cover: str = "cover"
) -> Blast:
    """The men of the lists that table `zones` has; the column is the number of men in that zone.

    Source: Vehicle Charts, Radii of Effect chart and its note; closed spaces add 4 to the row.
    """
    crt = ResolutionTable(tables)
    rows = tables[zones].constants["rows_of"]
    inside = INSIDE * given.flag("inside")
    shield = int(tables["cover"](cover=given.word(cover))["modifier"])
    reached = [
        Zone(name, select_living(given.units(name), name), row, row + inside - shield)
        for name, row in rows.items()
    ]
    names = label_men([unit for zone in reached for unit in zone.units])
    shifts = (("inside", inside), (f"{given.word(cover).replace('-', ' ')} cover", -shield))
    parts = tuple([(name, value) for name, value in shifts if value])
    men = list[Man]()
    where = list[Line]()
    for zone in reached:
        if not zone.units:
            continue
        row, passes = find_printed_row(zone.total)
        cells = (crt.get_cell(row, zone.column),) * passes
        for unit in zone.units:
            facts = {"unit": unit.word, "zone": zone.name, "row": row, "passes": passes}
            men.append(
                Man(unit, names[len(men)], cells, f"targets[{len(men)}]", get_wounds(unit), facts)
            )
        label = f"{zone.name} radius"
        read = f"{format_row(zone.total)}, column {zone.column}"
        shifted = Line(label, (), (("", zone.printed), *parts), zone.total, read)
        where.append(shifted if parts else Line(label, result=read))
    return Blast(men, build_men_step(men, crt), where)


def build_blast_plan(blast: Blast, *, then: tuple[str, ...] = ()) -> Plan[Volley]:
    """A plan that only rolls for the men of a blast. Raises UserError when nobody is in it."""
    if not blast.men:
        raise UserError(
            "Nobody is in the blast.", hint="Give the men of a zone, as in lethal=3.", code="nobody"
        )
    return Plan(
        Volley("man"),
        {"man": blast.step},
        lambda out: blast.resolve(out, then=then),
        {"targets": []},
        lines=tuple(blast.where),
        rows=build_rows(blast.men),
    )


# -- a grenade or shell at a known point of impact


def plan_blast(tables: Tables, given: Given) -> Plan[Volley]:
    """Men in the `lethal` and `burst` radius. Source: Vehicle Charts, Radii of Effect chart."""
    return build_blast_plan(read_blast(tables, given))


# -- an artillery round


def plan_barrage(tables: Tables, given: Given) -> Plan[Volley]:
    """Men in the three radii of an artillery `weapon`. Source: Vehicle Charts, Artillery Sheaf
    Data.

    Raises UserError for men in a radius that the weapon does not have.
    """
    weapon = given.word("weapon")
    if given.units("vaporize") and not tables["artillery-sheaf"](weapon=weapon)["vaporize"]:
        hint = "Put these men into lethal."
        raise UserError(
            f"{weapon} has no vaporize radius.", hint=hint, option="vaporize", code="not-together"
        )
    then = ("Their unit owes a morale check with event artillery-fire.",)
    return build_blast_plan(read_blast(tables, given, zones="sheaf-zone"), then=then)


# -- HE at an aim point: a hit bursts there, a miss scatters by inches and, if asked for, a clock
# direction

NO_SCATTER = {"scatter": "none", "direction": "none"}


def build_aim_plan(
    given: Given,
    blast: Blast,
    *,
    need: int,
    hits: Callable[[int], bool],
    parts: tuple[tuple[str, int | float], ...],
    scatter: str,
    weapon: str,
) -> Plan[Volley]:
    """Roll to hit with the modifiers `parts`; on a hit the blast, on a miss `scatter` dice and, if
    asked for, a d12.

    `hits` says whether a die hits; with auto_hit none is rolled. `weapon` is what the answer calls
    the round.
    """
    burst = Volley("man" if blast.men else None)
    direction = given.flag("direction")
    modifier = sum(value for _, value in parts)

    def to_hit(_: Volley, roll: Roll) -> Ruling[Volley]:
        told: dict[str, Any] = {"roll": roll[0], "total": roll[0] + modifier}

        def line() -> Line:
            return Line("to hit", roll, parts, told["total"], describe_need(need, hits))

        if hits(roll[0]):
            return Ruling(
                burst, told | {"outcome": "hit", **NO_SCATTER}, lambda: (line(), *blast.where)
            )
        told |= {"outcome": "miss"} if direction else {"outcome": "miss", "direction": "none"}
        return Ruling(Volley("scatter"), told, lambda: (line(),))

    def off(_: Volley, roll: Roll) -> Ruling[Volley]:
        after = Volley("direction" if direction else None)
        return Ruling(
            after, {"scatter": sum(roll)}, lambda: (Line("scatter", roll, total=sum(roll)),)
        )

    def toward(_: Volley, roll: Roll) -> Ruling[Volley]:
        line = Line("direction", roll, result="12 is away from the thrower")
        return Ruling(Volley(None), {"direction": roll[0]}, lambda: (line,))

    off_by = parse_dice(scatter, "scatter")
    steps = {
        "hit": ruled((d20("to hit"),), to_hit),
        "scatter": ruled(off_by, off),
        "direction": ruled((Die("direction", 12),), toward),
        "man": blast.step,
    }
    told: dict[str, Any] = {"need": need, "targets": []}
    start = Volley("hit")
    lines = tuple[Line, ...]()
    if given.flag("auto_hit"):
        told |= {"roll": "none", "total": "none", "outcome": "hit", **NO_SCATTER}
        start = burst
        lines = (Line("to hit", result="no die, a heroic action"), *blast.where)
    rows = build_rows(blast.men, build_row("outcome", "the shot"))
    return Plan(
        start,
        steps,
        lambda out: _resolve_aim(out, blast, weapon),
        opening=told,
        lines=lines,
        rows=rows,
    )


def _resolve_aim(out: Mapping[str, Any], blast: Blast, weapon: str) -> Resolution:
    if out["outcome"] == "hit":
        return (
            blast.resolve(out, before="hit, ")
            if blast.men
            else Resolution("hit", fates=(UnitResult(weapon, "hit"),))
        )
    where = "" if out["direction"] == "none" else f" toward {out['direction']} o'clock"
    off = f"{out['scatter']} inches off{where}"
    missed = (
        join_names(man.name for man in blast.men)
        if len(blast.men) <= NAMED
        else f"{len(blast.men)} men"
    )
    more = f"{missed}, {off}" if blast.men else f"by {out['scatter']} inches{where}"
    then = ("Measure where it lands and use blast for the men there.",)
    return Resolution(f"miss, {off}", then=then, fates=(UnitResult(weapon, "miss", more),))


# -- a hand grenade, rifle grenade or light mortar


def plan_he_attack(tables: Tables, given: Given) -> Plan[Volley]:
    """1d20 less the cover of the aim point. Source: Infantry Charts, Attack Factors for Special
    Weapons.

    Raises UserError for a range without a shot, and for an automatic hit with anything but a hand
    grenade.
    """
    weapon = given.word("weapon")
    inches = given.number("range")
    shot = tables["special-weapons"](weapon=weapon, range=inches, shot=given.word("shot"))
    if shot["need"] == "not-allowed":
        what = f"A {weapon.replace('-', ' ')} has no shot at {inches:g} {'inch' if inches == 1 else 'inches'}."
        raise UserError(
            what, hint="Table special-weapons has its bands.", option="range", code="out-of-reach"
        )
    if given.flag("auto_hit") and weapon != "hand-grenade":
        hint = "Leave out auto_hit."
        raise UserError(
            "Only a hand grenade hits by heroic action.",
            hint=hint,
            option="auto_hit",
            code="not-together",
        )
    need = int(shot["need"])
    cover = int(tables["cover"](cover=given.word("cover"))["modifier"])
    return build_aim_plan(
        given,
        read_blast(tables, given, cover="blast_cover"),
        need=need,
        hits=lambda die: die - cover >= need,
        parts=(("cover of the aim point", -cover),) if cover else (),
        scatter=str(shot["scatter"]),
        weapon=f"the {weapon.replace('-', ' ')}",
    )


# -- a gun


def plan_he_gun(tables: Tables, given: Given) -> Plan[Volley]:
    """1d20 plus the to-hit modifiers. Source: Vehicle Charts, Roll to Hit Vehicular Targets, HE
    scatter.

    Raises UserError beyond the gun's last band.
    """
    weapon = given.word("weapon")
    inches = given.number("range")
    shot = tables["vehicle-to-hit"](weapon=weapon, range=inches)
    if shot["need"] == "not-allowed":
        what = f"A {weapon} gun does not reach {inches:g} inches."
        raise UserError(
            what, hint="Table vehicle-to-hit has its bands.", option="range", code="out-of-reach"
        )
    need = int(shot["need"])
    modifiers = read_shot_modifiers(tables, given, side=given.flag("side"))
    return build_aim_plan(
        given,
        read_blast(tables, given, cover="blast_cover"),
        need=need,
        hits=lambda die: hits_vehicle(die, int(modifiers["total"]), need),
        parts=list_modifiers(modifiers.parts),
        scatter=str(shot["he_scatter"]),
        weapon="the round",
    )
