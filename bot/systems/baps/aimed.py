"""Fire at men in the open or in cover: attack factor against defense factor, man by man."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.names import joined
from bot.rules.sequence import Line, Plan, Settlement
from bot.rules.tables.table import Tables
from bot.systems.baps.ammunition import Checker, ammo_step, checks_said, failed, jammed, noted, reload_said
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
from bot.systems.baps.rows import rows_of
from bot.systems.baps.volley import Volley, men_step


def fire_plan(
    tables: Tables,
    given: Given,
    attack: int,
    checkers: Sequence[Checker],
    *,
    soldiers: Sequence[Unit] = (),
    opening: Mapping[str, Any],
    lines: tuple[Line, ...],
    then: tuple[str, ...] = (),
) -> Plan[Volley]:
    """Steps 3 to 7 of fire: each target, each pass; then ammunition if a d20 was a 1.

    `soldiers` are the roster's firers behind `checkers`. Source: Infantry Charts, Defense Factors, Combat
    Resolution Table, ammunition.
    """
    men = living(given.units("targets"), "targets")
    names, resolution = called(men), Resolution(tables)
    targets = _targets(tables, given, resolution, men, attack)

    def after_the_last(one: bool) -> Volley:
        return Volley("ammo" if one else None)

    steps = {
        "man": men_step(targets, resolution, then=after_the_last),
        "ammo": ammo_step(tables, checkers, "ammo"),
    }

    def settle(out: Mapping[str, Any]) -> Settlement:
        hit, ammo = out["targets"], out["ammo"]
        changes = changes_of(men, hit) + noted(soldiers, ammo)
        return Settlement(
            summed_up(hit),
            words_of(hit) + failed(ammo),
            (*then, *reload_said(soldiers, ammo)),
            changes,
            fates_of(names, hit),
            (*jammed(checkers, ammo), *aftermath(men, hit, names)),
            sums=checks_said(ammo),
        )

    told = {**opening, "attack": attack, "column": min(len(men), MOST_MEN), "targets": [], "ammo": []}
    story = (*lines, *_defenses(tables, given, men, attack))
    return Plan(Volley("man"), steps, settle, opening=told, lines=story, rows=rows_of(targets))


def _targets(
    tables: Tables, given: Given, resolution: Resolution, men: tuple[Unit, ...], attack: int
) -> tuple[Man, ...]:
    column = min(len(men), MOST_MEN)
    targets = []
    for at, (unit, name) in enumerate(zip(men, called(men), strict=True)):
        stance = unit.get("stance") or given.word("stance")
        cover = unit.get("cover") or given.word("cover")
        basic, shield = tables["defense-factors"](stance=stance)["factor"], tables["cover"](cover=cover)["modifier"]
        defense = basic + shield
        row, passes = printed_row(attack - defense)
        facts = {"unit": unit.word, "defense": defense, "difference": attack - defense, "row": row, "passes": passes}
        cells = (resolution.cell(row, column),) * passes
        targets.append(Man(unit, name, cells, f"targets[{at}]", "", facts, counts_ones=True))
    return tuple(targets)


def _defenses(tables: Tables, given: Given, men: tuple[Unit, ...], attack: int) -> tuple[Line, ...]:
    """The defense of the men and where they are read, once for all who are alike."""
    alike: dict[tuple[str, str], list[str]] = {}
    for unit, name in zip(men, called(men), strict=True):
        key = (unit.get("stance") or given.word("stance"), unit.get("cover") or given.word("cover"))
        alike.setdefault(key, []).append(name)
    lines: list[Line] = []
    for (stance, cover), names in alike.items():
        basic, shield = (
            int(tables["defense-factors"](stance=stance)["factor"]),
            int(tables["cover"](cover=cover)["modifier"]),
        )
        parts = (
            (stance.replace("-", " "), basic),
            *(((f"{cover.replace('-', ' ')} cover", shield),) if shield else ()),
        )
        defense, ahead = basic + shield, attack - basic - shield
        whose = "defense" if len(alike) == 1 else f"defense of {joined(names)}"
        read = f"{row_said(ahead)}, column {min(len(men), MOST_MEN)}"
        lead = f"{ahead} ahead" if ahead > 0 else f"{-ahead} behind" if ahead else "level"
        lines += [Line(whose, (), parts, defense), Line(lead, result=read)]
    return tuple(lines)
