"""Attacks on the men around a point of impact.

Each zone is read in its row of the Combat Resolution Table, and each man has dice of their own. HE
at an aim point: a hit bursts there, a miss scatters by inches and, if asked for, a clock direction.
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
from bot.rulesets.baps.men import MAX_NAMED_MEN, get_wounds, label_men, resolve_men, select_living
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
"""Rows added for men in a closed space."""


class Blast(NamedTuple):
    """The men in reach of a round, in the order of their dice, the step of these dice, and the
    answer's lines about their rows.
    """

    men: Sequence[Man]
    step: RuledStep[Volley]
    zone_lines: Sequence[Line]

    def resolve(
        self, out: Mapping[str, Any], *, next_steps: tuple[str, ...] = (), prefix: str = ""
    ) -> Resolution:
        """Return the result of a round that came down, from the finished outputs.

        `next_steps` is what the players do next, `prefix` the beginning of the headline.
        """
        units = [man.unit for man in self.men]
        names = [man.name for man in self.men]
        return resolve_men(units, names, out["targets"], next_steps=next_steps, prefix=prefix)


class Zone(NamedTuple):
    """The men in a radius: the row printed for it, and the row in which they are read."""

    name: str
    units: tuple[Unit, ...]
    printed_row: int
    row: int

    @property
    def column(self) -> int:
        """The column: the number of men in the zone, at most MOST_MEN."""
        return min(len(self.units), MOST_MEN)


def read_blast(
    tables: Tables, inputs: Given, *, zones: str = "he-radii", cover: str = "cover"
) -> Blast:
    """Return the blast for the men of all zones of table `zones`.

    Each zone is an input with the men in it; their number, at most MOST_MEN, is the column. `cover`
    is the input with their cover, which lowers the row. Raises UserError for units that are no living men.
    Source: Vehicle Charts, Radii of Effect chart and its note; closed spaces add 4 to the row.
    """
    crt = ResolutionTable(tables)
    rows = tables[zones].constants["rows_of"]
    inside = INSIDE * inputs.flag("inside")
    cover_word = inputs.word(cover)
    shield = int(tables["cover"](cover=cover_word)["modifier"])
    reached_zones = [
        Zone(name, select_living(inputs.units(name), name), row, row + inside - shield)
        for name, row in rows.items()
    ]
    names = label_men([unit for zone in reached_zones for unit in zone.units])
    shifts = (("inside", inside), (f"{cover_word.replace('-', ' ')} cover", -shield))
    parts = tuple([(name, value) for name, value in shifts if value])
    men = list[Man]()
    zone_lines = list[Line]()
    for zone in reached_zones:
        if not zone.units:
            continue
        row, passes = find_printed_row(zone.row)
        cells = (crt.get_cell(row, zone.column),) * passes
        for unit in zone.units:
            index = len(men)
            facts = {"unit": unit.word, "zone": zone.name, "row": row, "passes": passes}
            path = f"targets[{index}]"
            men.append(Man(unit, names[index], cells, path, get_wounds(unit), facts))
        zone_lines.append(_build_zone_line(zone, parts))
    return Blast(men, build_men_step(men, crt), zone_lines)


def _build_zone_line(zone: Zone, shifts: tuple[tuple[str, int], ...]) -> Line:
    """Return the line with the row and column of a zone, and the sum of the row if it is shifted."""
    label = f"{zone.name} radius"
    cell = f"{format_row(zone.row)}, column {zone.column}"
    if not shifts:
        return Line(label, result=cell)
    return Line(label, (), (("", zone.printed_row), *shifts), zone.row, cell)


def build_blast_plan(blast: Blast, *, next_steps: tuple[str, ...] = ()) -> Plan[Volley]:
    """Return a plan that only rolls for the men of a blast.

    Raises UserError if nobody is in it.
    """
    if not blast.men:
        raise UserError(
            "Nobody is in the blast.",
            hint="Say how many men are in a zone: lethal=3.",
            code="nobody",
        )
    return Plan(
        Volley("man"),
        {"man": blast.step},
        lambda out: blast.resolve(out, next_steps=next_steps),
        {"targets": []},
        lines=tuple(blast.zone_lines),
        odds_rows=build_rows(blast.men),
    )


# -- a grenade or shell at a known point of impact


def plan_blast(tables: Tables, inputs: Given) -> Plan[Volley]:
    """Return the plan for men in the `lethal` and `burst` radius of a round.

    Source: Vehicle Charts, Radii of Effect chart.
    """
    return build_blast_plan(read_blast(tables, inputs))


# -- an artillery round


def plan_barrage(tables: Tables, inputs: Given) -> Plan[Volley]:
    """Return the plan for men in the three radii of an artillery `weapon`.

    Raises UserError for men in a radius that the weapon does not have.
    Source: Vehicle Charts, Artillery Sheaf Data.
    """
    weapon = inputs.word("weapon")
    if inputs.units("vaporize") and not tables["artillery-sheaf"](weapon=weapon)["vaporize"]:
        hint = "Put these men under lethal."
        raise UserError(
            f"{weapon} has no vaporize radius.", hint=hint, option="vaporize", code="not-together"
        )
    blast = read_blast(tables, inputs, zones="sheaf-zone")
    next_steps = ("Their unit must check morale (event artillery-fire).",)
    return build_blast_plan(blast, next_steps=next_steps)


# -- HE at an aim point: a hit bursts there, a miss scatters by inches and, if asked for, a clock
# direction

NO_SCATTER = {"scatter": "none", "direction": "none"}


def build_aim_plan(
    inputs: Given,
    blast: Blast,
    *,
    need: int,
    hits: Callable[[int], bool],
    parts: tuple[tuple[str, int | float], ...],
    scatter: str,
    weapon: str,
) -> Plan[Volley]:
    """Return the plan of HE at an aim point: to hit, then the blast or the scatter of a miss.

    - `need`, `parts`: the number to hit and the modifiers of the die, for the answer.
    - `hits`: a function that returns whether a face of the d20 hits. With `auto_hit` no die is
      rolled.
    - `scatter`: the dice for the inches of a miss. A d12 for the direction follows if `direction`
      is given.
    - `weapon`: the name of the round in the answer.
    """
    after_hit = Volley("man" if blast.men else None)
    has_direction = inputs.flag("direction")
    modifier = sum(value for _, value in parts)

    def roll_to_hit(_: Volley, roll: Roll) -> Ruling[Volley]:
        total = roll[0] + modifier
        outputs: dict[str, Any] = {"roll": roll[0], "total": total}

        def build_line() -> Line:
            return Line("to hit", roll, parts, total, describe_need(need, hits))

        if hits(roll[0]):
            outputs |= {"outcome": "hit", **NO_SCATTER}
            return Ruling(after_hit, outputs, lambda: (build_line(), *blast.zone_lines))
        outputs["outcome"] = "miss"
        if not has_direction:
            outputs["direction"] = "none"
        return Ruling(Volley("scatter"), outputs, lambda: (build_line(),))

    def roll_scatter(_: Volley, roll: Roll) -> Ruling[Volley]:
        inches = sum(roll)
        line = Line("scatter", roll, total=inches)
        next_state = Volley("direction" if has_direction else None)
        return Ruling(next_state, {"scatter": inches}, lambda: (line,))

    def roll_direction(_: Volley, roll: Roll) -> Ruling[Volley]:
        line = Line("direction", roll, result="12 is away from the thrower")
        return Ruling(Volley(None), {"direction": roll[0]}, lambda: (line,))

    steps = {
        "hit": ruled((d20("to hit"),), roll_to_hit),
        "scatter": ruled(parse_dice(scatter, "scatter"), roll_scatter),
        "direction": ruled((Die("direction", 12),), roll_direction),
        "man": blast.step,
    }
    opening: dict[str, Any] = {"need": need, "targets": []}
    start = Volley("hit")
    lines = tuple[Line, ...]()
    if inputs.flag("auto_hit"):
        opening |= {"roll": "none", "total": "none", "outcome": "hit", **NO_SCATTER}
        start = after_hit
        lines = (Line("to hit", result="no roll: a heroic action"), *blast.zone_lines)
    return Plan(
        start,
        steps,
        lambda out: _resolve_aim(out, blast, weapon),
        opening=opening,
        lines=lines,
        odds_rows=build_rows(blast.men, build_row("outcome", "the shot")),
    )


def _resolve_aim(out: Mapping[str, Any], blast: Blast, weapon: str) -> Resolution:
    """Return the result of HE at an aim point: the blast of a hit, or the scatter of a miss."""
    if out["outcome"] == "hit":
        if blast.men:
            return blast.resolve(out, prefix="hit, ")
        return Resolution("hit", unit_results=(UnitResult(weapon, "hit"),))
    direction = "" if out["direction"] == "none" else f" toward {out['direction']} o'clock"
    distance = f"{out['scatter']} inches off{direction}"
    if not blast.men:
        detail = f"by {out['scatter']} inches{direction}"
    elif len(blast.men) <= MAX_NAMED_MEN:
        detail = f"{join_names(man.name for man in blast.men)}, {distance}"
    else:
        detail = f"{len(blast.men)} men, {distance}"
    next_steps = ("Measure where it lands and use blast for the men there.",)
    result = UnitResult(weapon, "miss", detail)
    return Resolution(f"miss, {distance}", next_steps=next_steps, unit_results=(result,))


# -- a hand grenade, rifle grenade or light mortar


def plan_he_attack(tables: Tables, inputs: Given) -> Plan[Volley]:
    """Return the plan for a grenade, rifle grenade or mortar shell at an aim point.

    To hit: 1d20 less the cover at the aim point. Raises UserError for a range without a shot, and
    for an automatic hit with anything but a hand grenade.
    Source: Infantry Charts, Attack Factors for Special Weapons.
    """
    weapon = inputs.word("weapon")
    weapon_name = weapon.replace("-", " ")
    inches = inputs.number("range")
    shot = tables["special-weapons"](weapon=weapon, range=inches, shot=inputs.word("shot"))
    if shot["need"] == "not-allowed":
        unit_of_range = "inch" if inches == 1 else "inches"
        problem = f"A {weapon_name} has no shot at {inches:g} {unit_of_range}."
        hint = "Its range bands are in table special-weapons."
        raise UserError(problem, hint=hint, option="range", code="out-of-reach")
    if inputs.flag("auto_hit") and weapon != "hand-grenade":
        hint = "Leave out auto_hit."
        raise UserError(
            "Only a hand grenade can hit by heroic action.",
            hint=hint,
            option="auto_hit",
            code="not-together",
        )
    need = int(shot["need"])
    cover = int(tables["cover"](cover=inputs.word("cover"))["modifier"])
    return build_aim_plan(
        inputs,
        read_blast(tables, inputs, cover="blast_cover"),
        need=need,
        hits=lambda die: die - cover >= need,
        parts=(("cover at the aim point", -cover),) if cover else (),
        scatter=str(shot["scatter"]),
        weapon=f"the {weapon_name}",
    )


# -- a gun


def plan_he_gun(tables: Tables, inputs: Given) -> Plan[Volley]:
    """Return the plan for HE of a gun at an aim point.

    To hit: 1d20 plus the to-hit modifiers. Raises UserError beyond the gun's last band.
    Source: Vehicle Charts, Roll to Hit Vehicular Targets, HE scatter.
    """
    weapon = inputs.word("weapon")
    inches = inputs.number("range")
    shot = tables["vehicle-to-hit"](weapon=weapon, range=inches)
    if shot["need"] == "not-allowed":
        problem = f"A {weapon} gun cannot reach {inches:g} inches."
        hint = "Its range bands are in table vehicle-to-hit."
        raise UserError(problem, hint=hint, option="range", code="out-of-reach")
    need = int(shot["need"])
    modifiers = read_shot_modifiers(tables, inputs, side=inputs.flag("side"))
    return build_aim_plan(
        inputs,
        read_blast(tables, inputs, cover="blast_cover"),
        need=need,
        hits=lambda die: hits_vehicle(die, int(modifiers["total"]), need),
        parts=list_modifiers(modifiers.parts),
        scatter=str(shot["he_scatter"]),
        weapon="the round",
    )
