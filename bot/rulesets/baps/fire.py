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
    """What protects a man: stance and cover, and what each of them counts."""

    stance: str
    cover: str
    basic: int
    shield: int

    @property
    def total(self) -> int:
        """The defense factor."""
        return self.basic + self.shield


def build_fire_plan(
    tables: Tables,
    given: Given,
    attack: int,
    checkers: Sequence[Checker],
    *,
    opening: Mapping[str, Any],
    line: Line,
    then: tuple[str, ...] = (),
) -> Plan[Volley]:
    """Steps 3 to 7 of fire: each target, each pass; then the ammunition of `checkers` if a d20 was
    a 1.

    Source: Infantry Charts, Defense Factors, Combat Resolution Table, ammunition.
    """
    men = select_living(given.units("targets"), "targets")
    names = label_men(men)
    crt = ResolutionTable(tables)
    column = min(len(men), MOST_MEN)
    defenses = [_compute_defense(tables, given, man) for man in men]
    targets: list[Man] = []
    for man, name, defense in zip(men, names, defenses, strict=True):
        difference = attack - defense.total
        row, passes = find_printed_row(difference)
        facts = {
            "unit": man.word,
            "defense": defense.total,
            "difference": difference,
            "row": row,
            "passes": passes,
        }
        cells = (crt.get_cell(row, column),) * passes
        path = f"targets[{len(targets)}]"
        targets.append(Man(man, name, cells, path, get_wounds(man), facts, counts_ones=True))

    def build_state_after(one: bool) -> Volley:
        return Volley("ammo" if one else None)

    steps = {
        "man": build_men_step(targets, crt, then=build_state_after),
        "ammo": build_ammo_step(tables, checkers),
    }

    def resolve(out: Mapping[str, Any]) -> Resolution:
        found = resolve_men(men, names, out["targets"], then=then)
        return add_checks(found, checkers, out["ammo"]) if out["ammo"] else found

    told = {**opening, "attack": attack, "column": column, "targets": [], "ammo": []}
    story = (line, *_list_defense_lines(attack, column, names, defenses))
    apart = split_men(targets, crt, then=build_state_after)
    return Plan(
        Volley("man"),
        steps,
        resolve,
        opening=told,
        lines=story,
        rows=build_rows(targets),
        apart=apart,
    )


def _compute_defense(tables: Tables, given: Given, man: Unit) -> Defense:
    stance, cover = (man.numbers.get(key) or given.word(key) for key in ("stance", "cover"))
    basic = tables["defense-factors"](stance=stance)["factor"]
    shield = tables["cover"](cover=cover)["modifier"]
    return Defense(stance, cover, basic, shield)


def _list_defense_lines(
    attack: int, column: int, names: Sequence[str], defenses: Sequence[Defense]
) -> list[Line]:
    """The defense of the men and where they are read, once for all who are alike."""
    lines: list[Line] = []
    alike: dict[Defense, list[str]] = {}
    for name, defense in zip(names, defenses, strict=True):
        alike.setdefault(defense, []).append(name)
    for defense, those in alike.items():
        parts = [(defense.stance.replace("-", " "), defense.basic)]
        parts += (
            [(f"{defense.cover.replace('-', ' ')} cover", defense.shield)] if defense.shield else []
        )
        ahead = attack - defense.total
        whose = "defense" if len(alike) == 1 else f"defense of {join_names(those)}"
        lead = f"{ahead} ahead" if ahead > 0 else f"{-ahead} behind" if ahead else "level"
        read = f"{format_row(ahead)}, column {column}"
        lines += [Line(whose, (), tuple(parts), defense.total), Line(lead, result=read)]
    return lines


# -- small arms fire of one unit at everybody in the target area

HOW = ("suppressed", "moving", "hasty", "heroic")
SAID = {
    "submachine-gun": "SMG",
    "rifle-bolt": "rifle",
    "rifle-semi": "rifle",
    "rifle-auto": "rifle",
    "lmg-belt": "LMG",
    "lmg-magazine": "LMG",
    "medium-machine-gun": "MMG",
    "heavy-machine-gun": "HMG",
}
"""Weapons as players call them, where that differs from the chart."""


class Firer(NamedTuple):
    """A soldier who fires: the weapon, the attack factor, fractions kept, and what the story
    calls the weapon.
    """

    weapon: str
    factor: int | float
    armed: str


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """Fire of `attackers` at `targets`. Source: Infantry Charts, Normal Fires to ammunition.

    Raises UserError for an attacker without a weapon, with one that is jammed, or without a shot at
    the range.
    """
    attackers = select_living(given.units("attackers"), "attackers")
    refuse_jammed(attackers)
    names = label_men(attackers)
    leader = given.int("leader")
    firers = [
        _read_firer(tables, given, unit, name) for unit, name in zip(attackers, names, strict=True)
    ]
    total = sum(firer.factor for firer in firers) + leader
    attack = floor(total)
    opening: dict[str, Any] = {}
    for at, (unit, firer) in enumerate(zip(attackers, firers, strict=True)):
        opening[f"attackers[{at}].unit"] = unit.word
        opening[f"attackers[{at}].factor"] = firer.factor
    line = Line(
        "attack",
        parts=(("leader rating", leader),) if leader else (),
        total=attack,
        result="fraction dropped" if attack != total else "",
        contributors=_sum_by_weapon(firers),
    )
    checkers = [
        Checker(unit.word, name, get_weapon_kind(tables, firer.weapon), unit.name)
        for unit, name, firer in zip(attackers, names, firers, strict=True)
    ]
    return build_fire_plan(tables, given, attack, checkers, opening=opening, line=line)


def _read_firer(tables: Tables, given: Given, unit: Unit, name: str) -> Firer:
    """One soldier. Raises UserError without a weapon or a shot."""
    weapon = unit.numbers.get("weapon")
    modifiers = tables["attack-modifiers"]
    if weapon is None:
        hint = "Type it after the unit: soldier weapon=rifle-bolt."
        raise UserError(f"{name} needs a weapon.", hint=hint, option="attackers", code="no-weapon")
    inches = unit.numbers.get("range", given.number("range"))
    factor = tables["attack-factors"](weapon=weapon, range=inches)["factor"]
    if factor == "not-allowed":
        what = f"{name} has no shot with {weapon} at {inches:g} inches."
        raise UserError(what, hint="Choose another man.", option="attackers", code="out-of-reach")
    how = [flag for flag in HOW if flag in unit.flags]
    if "no_assistant" in unit.flags and weapon in modifiers.constants["machine_guns"]:
        how.append("no_assistant")
    armed = " ".join((*how, SAID.get(weapon, weapon.replace("-", " ")))).replace(
        "no_assistant", "unassisted"
    )
    return Firer(
        weapon, to_plain_number(factor * modifiers(**dict.fromkeys(how, True))["factor"]), armed
    )


def _sum_by_weapon(firers: Iterable[Firer]) -> tuple[tuple[str, int | float], ...]:
    """The factors summed up by weapon: `rifles 27`, `moving LMG 4`."""
    found: dict[str, list[int | float]] = {}
    for firer in firers:
        found.setdefault(firer.armed, []).append(firer.factor)
    return tuple(
        (name if len(each) == 1 else f"{name}s", to_plain_number(sum(each)))
        for name, each in found.items()
    )


# -- one flame thrower at everybody in the target area

WEAPON = "flame-thrower"


def plan_flame(tables: Tables, given: Given) -> Plan[Volley]:
    """A flame thrower at `targets`. Source: Infantry Charts, Attack Factors for Special Weapons.

    Raises UserError beyond 27 inches.
    """
    inches = given.number("range")
    leader = given.int("leader")
    factor = tables["flame-thrower"](range=inches)["factor"]
    if factor == "not-allowed":
        what = f"A flame thrower does not reach {inches:g} inches."
        raise UserError(what, hint="27 is its limit.", option="range", code="out-of-reach")
    how = [flag for flag in ("suppressed", "moving", "hasty") if given.flag(flag)]
    factor *= tables["attack-modifiers"](**dict.fromkeys(how, True))["factor"]
    attack = floor(factor + leader)
    parts = (("leader rating", leader),) if leader else ()
    return build_fire_plan(
        tables,
        given,
        attack,
        (Checker(WEAPON, WEAPON, "other"),),
        opening={},
        line=Line(
            "attack", (), parts, attack, contributors=((" ".join((*how, "flame thrower")), factor),)
        ),
        then=("Their unit owes a morale check with event flame-weapon.",),
    )
