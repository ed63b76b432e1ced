"""Fire at men in the open or in cover: attack factor against defense factor, man by man."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Line, Plan, Settlement
from bot.rules.tables.table import Tables
from bot.rules.text.names import joined
from bot.systems.baps.ammunition import Checker, ammo_step, with_checks
from bot.systems.baps.fates import settled
from bot.systems.baps.men import called, living, wounds_of
from bot.systems.baps.resolution import MOST_MEN, Cell, Man, Resolution, printed_row, row_said
from bot.systems.baps.rows import rows_of
from bot.systems.baps.volley import Volley, men_apart, men_step


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


class Aim(NamedTuple):
    """How fire at a man is read: the defense, the cell of each d20, and what is told of that."""

    defense: Defense
    cells: tuple[Cell, ...]
    facts: Mapping[str, Any]


def fire_plan(
    tables: Tables,
    given: Given,
    attack: int,
    checkers: Callable[[], Sequence[Checker]],
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
    read: dict[int, Aim] = {}  # once for men who were given together
    for man in men:
        if id(man) not in read:
            read[id(man)] = _aim(tables, given, man, attack, crt, column)
    aims = [read[id(man)] for man in men]
    targets = [
        Man(man, name, aim.cells, f"targets[{at}]", wounds_of(man), aim.facts, (), True)
        for at, (man, name, aim) in enumerate(zip(men, names, aims, strict=True))
    ]

    def after(one: bool) -> Volley:
        return Volley("ammo" if one else None)

    steps = {"man": men_step(targets, crt, then=after), "ammo": ammo_step(tables, checkers)}

    def settle(out: Mapping[str, Any]) -> Settlement:
        found = settled(men, names, out["targets"], then=then)
        return with_checks(found, checkers(), out["ammo"]) if out["ammo"] else found

    told = {**opening, "attack": attack, "column": column, "targets": [], "ammo": []}
    story = (line, *_said(attack, column, names, [aim.defense for aim in aims]))
    apart = men_apart(targets, crt, then=after)
    return Plan(Volley("man"), steps, settle, opening=told, lines=story, rows=rows_of(lambda: targets), apart=apart)


def _aim(tables: Tables, given: Given, man: Unit, attack: int, crt: Resolution, column: int) -> Aim:
    stance = man.get("stance") or given.word("stance")
    cover = man.get("cover") or given.word("cover")
    basic, shield = tables["defense-factors"](stance=stance)["factor"], tables["cover"](cover=cover)["modifier"]
    defense, difference = Defense(stance, cover, basic, shield), attack - basic - shield
    row, passes = printed_row(difference)
    facts = {"unit": man.word, "defense": basic + shield, "difference": difference, "row": row, "passes": passes}
    return Aim(defense, (crt.cell(row, column),) * passes, facts)


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
