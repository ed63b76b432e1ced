"""Fire at men in the open or in cover: attack factor against defense factor, man by man."""

from collections.abc import Iterable, Mapping, Sequence
from math import floor
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Line, Plan, Resolution
from bot.rules.tables.formula import to_plain_number
from bot.rules.tables.table import Tables
from bot.rules.text.names import join_names
from bot.rulesets.baps.men import get_wounds, label_men, resolve_men, select_living
from bot.rulesets.baps.resolution import (
    MOST_MEN,
    Man,
    ResolutionTable,
    build_rows,
    find_printed_row,
    format_row,
)
from bot.rulesets.baps.volley import (
    Checker,
    Volley,
    add_checks,
    build_ammo_step,
    build_men_step,
    get_weapon_kind,
    refuse_jammed,
    split_men,
)


class Defense(NamedTuple):
    """The protection of a man: stance and cover, and the points that each of them gives."""

    stance: str
    cover: str
    basic: int
    shield: int

    @property
    def factor(self) -> int:
        """The defense factor."""
        return self.basic + self.shield


def build_fire_plan(
    tables: Tables,
    inputs: Given,
    attack: int,
    checkers: Sequence[Checker],
    *,
    opening: Mapping[str, Any],
    line: Line,
    next_steps: tuple[str, ...] = (),
) -> Plan[Volley]:
    """Return the plan of steps 3 to 7 of fire: the dice of each target, then the ammunition of
    all `checkers` if a d20 was a 1.

    `attack` is the attack factor, `line` the answer's line about it, `opening` the outputs known
    before. `next_steps` is what the players do next. Raises UserError for targets that are no
    living men.
    Source: Infantry Charts, Defense Factors, Combat Resolution Table, ammunition.
    """
    men = select_living(inputs.units("targets"), "targets")
    names = label_men(men)
    crt = ResolutionTable(tables)
    column = min(len(men), MOST_MEN)
    defenses = [_compute_defense(tables, inputs, man) for man in men]
    targets: list[Man] = []
    for man, name, defense in zip(men, names, defenses, strict=True):
        difference = attack - defense.factor
        row, passes = find_printed_row(difference)
        facts = {
            "unit": man.word,
            "defense": defense.factor,
            "difference": difference,
            "row": row,
            "passes": passes,
        }
        cells = (crt.get_cell(row, column),) * passes
        path = f"targets[{len(targets)}]"
        targets.append(Man(man, name, cells, path, get_wounds(man), facts, counts_ones=True))

    def build_state_after(has_one: bool) -> Volley:
        return Volley("ammo" if has_one else None)

    steps = {
        "man": build_men_step(targets, crt, build_next_state=build_state_after),
        "ammo": build_ammo_step(tables, checkers),
    }

    def resolve(out: Mapping[str, Any]) -> Resolution:
        resolution = resolve_men(men, names, out["targets"], next_steps=next_steps)
        if not out["ammo"]:
            return resolution
        return add_checks(resolution, checkers, out["ammo"])

    return Plan(
        Volley("man"),
        steps,
        resolve,
        opening={**opening, "attack": attack, "column": column, "targets": [], "ammo": []},
        lines=(line, *_list_defense_lines(attack, column, names, defenses)),
        odds_rows=build_rows(targets),
        find_independent_parts=split_men(targets, crt, build_next_state=build_state_after),
    )


def _compute_defense(tables: Tables, inputs: Given, man: Unit) -> Defense:
    """Return the protection of a man: their own stance and cover, or else those typed for all."""
    stance = man.numbers.get("stance") or inputs.word("stance")
    cover = man.numbers.get("cover") or inputs.word("cover")
    basic = tables["defense-factors"](stance=stance)["factor"]
    shield = tables["cover"](cover=cover)["modifier"]
    return Defense(stance, cover, basic, shield)


def _list_defense_lines(
    attack: int, column: int, names: Sequence[str], defenses: Sequence[Defense]
) -> list[Line]:
    """Return two lines for each different defense: its sum with the names of the men, and the row
    and column of the Combat Resolution Table.
    """
    lines: list[Line] = []
    names_by_defense: dict[Defense, list[str]] = {}
    for name, defense in zip(names, defenses, strict=True):
        names_by_defense.setdefault(defense, []).append(name)
    for defense, men in names_by_defense.items():
        parts = [(defense.stance.replace("-", " "), defense.basic)]
        if defense.shield:
            cover = defense.cover.replace("-", " ")
            parts.append((f"{cover} cover", defense.shield))
        is_only = len(names_by_defense) == 1
        label = "defense" if is_only else f"defense of {join_names(men)}"
        difference = attack - defense.factor
        cell = f"{format_row(difference)}, column {column}"
        lines.append(Line(label, (), tuple(parts), defense.factor))
        lines.append(Line(_format_lead(difference), result=cell))
    return lines


def _format_lead(difference: int) -> str:
    """Format attack minus defense: `2 ahead`, `2 behind` or `level`."""
    if difference > 0:
        return f"{difference} ahead"
    return f"{-difference} behind" if difference else "level"


# -- small arms fire of one unit at everybody in the target area

FIRER_FLAGS = ("suppressed", "moving", "hasty", "heroic")
WEAPON_NAMES = {
    "submachine-gun": "SMG",
    "rifle-bolt": "rifle",
    "rifle-semi": "rifle",
    "rifle-auto": "rifle",
    "lmg-belt": "LMG",
    "lmg-magazine": "LMG",
    "medium-machine-gun": "MMG",
    "heavy-machine-gun": "HMG",
}
"""Weapons as players call them, if that differs from the chart."""


class Firer(NamedTuple):
    """A soldier who fires: the weapon, the attack factor with its fraction, and the weapon with
    the firer's modifiers in words (`moving LMG`).
    """

    weapon: str
    factor: int | float
    description: str


def plan(tables: Tables, inputs: Given) -> Plan[Volley]:
    """Return the plan for small arms fire of `attackers` at `targets`.

    Raises UserError for an attacker without a weapon, with one that is jammed, or without a shot at
    the range.
    Source: Infantry Charts, Normal Fires to ammunition.
    """
    attackers = select_living(inputs.units("attackers"), "attackers")
    refuse_jammed(attackers)
    names = label_men(attackers)
    leader_rating = inputs.int("leader")
    firers = [
        _read_firer(tables, inputs, unit, name) for unit, name in zip(attackers, names, strict=True)
    ]
    total = sum(firer.factor for firer in firers) + leader_rating
    attack = floor(total)
    opening: dict[str, Any] = {}
    checkers: list[Checker] = []
    for index, (unit, name, firer) in enumerate(zip(attackers, names, firers, strict=True)):
        opening[f"attackers[{index}].unit"] = unit.word
        opening[f"attackers[{index}].factor"] = firer.factor
        kind = get_weapon_kind(tables, firer.weapon)
        checkers.append(Checker(unit.word, name, kind, unit.name))
    line = Line(
        "attack",
        parts=_list_leader_part(leader_rating),
        total=attack,
        result="fraction dropped" if attack != total else "",
        contributors=_sum_by_weapon(firers),
    )
    return build_fire_plan(tables, inputs, attack, checkers, opening=opening, line=line)


def _list_leader_part(rating: int) -> tuple[tuple[str, int], ...]:
    """Return the leader's part of the attack factor, or () for a rating of 0."""
    return (("leader rating", rating),) if rating else ()


def _read_firer(tables: Tables, inputs: Given, unit: Unit, name: str) -> Firer:
    """Return one soldier with the modified attack factor at the range.

    Raises UserError if the soldier has no weapon, or no shot with it at that range.
    """
    weapon = unit.numbers.get("weapon")
    modifiers = tables["attack-modifiers"]
    if weapon is None:
        hint = "Type it after the unit: soldier weapon=rifle-bolt."
        raise UserError(f"{name} needs a weapon.", hint=hint, option="attackers", code="no-weapon")
    inches = unit.numbers.get("range", inputs.number("range"))
    factor = tables["attack-factors"](weapon=weapon, range=inches)["factor"]
    if factor == "not-allowed":
        problem = f"{name} has no shot with {weapon} at {inches:g} inches."
        hint = "Choose another man."
        raise UserError(problem, hint=hint, option="attackers", code="out-of-reach")
    flags = [flag for flag in FIRER_FLAGS if flag in unit.flags]
    if "no_assistant" in unit.flags and weapon in modifiers.constants["machine_guns"]:
        flags.append("no_assistant")
    modifier = modifiers(**dict.fromkeys(flags, True))["factor"]
    weapon_name = WEAPON_NAMES.get(weapon, weapon.replace("-", " "))
    description = " ".join((*flags, weapon_name)).replace("no_assistant", "unassisted")
    return Firer(weapon, to_plain_number(factor * modifier), description)


def _sum_by_weapon(firers: Iterable[Firer]) -> tuple[tuple[str, int | float], ...]:
    """Return the attack factors added up by weapon: (`rifles`, 27), (`moving LMG`, 4)."""
    factors_by_weapon: dict[str, list[int | float]] = {}
    for firer in firers:
        factors_by_weapon.setdefault(firer.description, []).append(firer.factor)
    sums = []
    for name, factors in factors_by_weapon.items():
        label = name if len(factors) == 1 else f"{name}s"
        sums.append((label, to_plain_number(sum(factors))))
    return tuple(sums)


# -- one flame thrower at everybody in the target area

WEAPON = "flame-thrower"


def plan_flame(tables: Tables, inputs: Given) -> Plan[Volley]:
    """Return the plan for a flame thrower at `targets`.

    Raises UserError beyond 27 inches.
    Source: Infantry Charts, Attack Factors for Special Weapons.
    """
    inches = inputs.number("range")
    leader_rating = inputs.int("leader")
    factor = tables["flame-thrower"](range=inches)["factor"]
    if factor == "not-allowed":
        problem = f"A flame thrower cannot reach {inches:g} inches."
        raise UserError(
            problem, hint="Its range is 27 inches.", option="range", code="out-of-reach"
        )
    flags = [flag for flag in ("suppressed", "moving", "hasty") if inputs.flag(flag)]
    factor *= tables["attack-modifiers"](**dict.fromkeys(flags, True))["factor"]
    attack = floor(factor + leader_rating)
    description = " ".join((*flags, "flame thrower"))
    line = Line(
        "attack",
        (),
        _list_leader_part(leader_rating),
        attack,
        contributors=((description, factor),),
    )
    return build_fire_plan(
        tables,
        inputs,
        attack,
        (Checker(WEAPON, WEAPON, "other"),),
        opening={},
        line=line,
        next_steps=("Their unit must check morale (event flame-weapon).",),
    )
