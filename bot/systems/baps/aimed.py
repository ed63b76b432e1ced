"""Fire at men in the open or in cover: attack factor against defense factor, man by man."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.names import joined
from bot.rules.sequence import Line, Plan, Settlement
from bot.rules.tables.table import Tables
from bot.systems.baps.ammunition import Checker, ammo_step, with_checks
from bot.systems.baps.fates import settled
from bot.systems.baps.men import called, living
from bot.systems.baps.resolution import MOST_MEN, Man, Resolution, printed_row, row_said
from bot.systems.baps.rows import rows_of
from bot.systems.baps.volley import Volley, men_apart, men_step


@dataclass(frozen=True, slots=True)
class Defense:
    """What protects a man: stance and cover, and what each of them counts."""

    stance: str
    cover: str
    basic: int
    shield: int

    @property
    def total(self) -> int:
        """The defense factor."""
        return self.basic + self.shield


def fire_plan(
    tables: Tables,
    given: Given,
    attack: int,
    checkers: Sequence[Checker],
    *,
    opening: Mapping[str, Any],
    line: Line,
    then: tuple[str, ...] = (),
) -> Plan[Volley]:
    """Steps 3 to 7 of fire: each target, each pass; then the ammunition of `checkers` if a d20 was a 1.

    Source: Infantry Charts, Defense Factors, Combat Resolution Table, ammunition.
    """
    men = living(given.units("targets"), "targets")
    names, crt, column = called(men), Resolution(tables), min(len(men), MOST_MEN)
    defenses = [_defense(tables, given, man) for man in men]
    targets: list[Man] = []
    for unit, name, defense in zip(men, names, defenses, strict=True):
        difference = attack - defense.total
        row, passes = printed_row(difference)
        facts = {"unit": unit.word, "defense": defense.total, "difference": difference, "row": row, "passes": passes}
        cells = (crt.cell(row, column),) * passes
        targets.append(Man(unit, name, cells, f"targets[{len(targets)}]", facts, counts_ones=True))

    def after(one: bool) -> Volley:
        return Volley("ammo" if one else None)

    steps = {
        "man": men_step(targets, crt, then=after),
        "ammo": ammo_step(tables, checkers),
    }

    def settle(out: Mapping[str, Any]) -> Settlement:
        return with_checks(replace(settled(men, names, out["targets"]), then=then), checkers, out["ammo"])

    told = {**opening, "attack": attack, "column": column, "targets": [], "ammo": []}
    story = (line, *_said(attack, column, names, defenses))
    apart = men_apart(targets, crt, then=after)
    return Plan(Volley("man"), steps, settle, opening=told, lines=story, rows=rows_of(targets), apart=apart)


def _defense(tables: Tables, given: Given, man: Unit) -> Defense:
    stance = man.get("stance") or given.word("stance")
    cover = man.get("cover") or given.word("cover")
    basic, shield = tables["defense-factors"](stance=stance)["factor"], tables["cover"](cover=cover)["modifier"]
    return Defense(stance, cover, basic, shield)


def _said(attack: int, column: int, names: Sequence[str], defenses: Sequence[Defense]) -> list[Line]:
    """The defense of the men and where they are read, once for all who are alike."""
    lines: list[Line] = []
    alike: dict[Defense, list[str]] = {}
    for name, defense in zip(names, defenses, strict=True):
        alike.setdefault(defense, []).append(name)
    for defense, those in alike.items():
        parts = [(defense.stance.replace("-", " "), defense.basic)]
        parts += [(f"{defense.cover.replace('-', ' ')} cover", defense.shield)] if defense.shield else []
        ahead = attack - defense.total
        whose = "defense" if len(alike) == 1 else f"defense of {joined(those)}"
        lead = f"{ahead} ahead" if ahead > 0 else f"{-ahead} behind" if ahead else "level"
        read = f"{row_said(ahead)}, column {column}"
        lines += [Line(whose, (), tuple(parts), defense.total), Line(lead, result=read)]
    return lines
