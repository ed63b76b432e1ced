"""Ranged fire: firepower of the stack, modifiers, a column of the combat table, and what it does
to the hex.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import make_dice
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Line,
    Plan,
    Resolution,
    Roll,
    Ruling,
    list_modifiers,
    ruled,
)
from bot.rules.tables.formula import half_down
from bot.rules.tables.table import Answer, Tables
from bot.rules.text.names import join_names
from bot.rulesets.nhis.results import HexUnderFire, Results

ATTACK = make_dice(2, 6, "attack")
INFANTRY = ("squad", "leader", "mg", "mortar")


def plan(tables: Tables, given: Given) -> Plan[HexUnderFire]:
    """Fire of `attackers` at all units of a hex.

    Source: Dice Roll Modifiers, Ranged Combat Table, result paragraphs, Terrain. Raises UserError
    for a firer that is out of range or shaken, and for a number that is missing.
    """
    attackers = given.units("attackers")
    units = given.units("targets")
    firers = read_firers(attackers, given.int("distance"), given.int("visibility"))
    flamethrower = any(unit.type == "flamethrower" for unit in attackers)
    results = Results(tables, units, flamethrower=flamethrower)
    modifiers = _read_modifiers(tables, given, firers)
    total = firers.raw + modifiers["total"]
    shift = modifiers["shift"]
    table = tables["ranged-combat"]
    column = table(firepower=max(0, total), roll=7)["column"]
    final = table(firepower=max(0, total), shift=shift, roll=7)["column"] if shift else column

    def attack(_: HexUnderFire, roll: Roll) -> Ruling[HexUnderFire]:
        word = table(firepower=max(0, total), shift=shift, roll=sum(roll))["result"]
        effect = tables["fire-results"](result=word)
        if effect["damage_points"]:
            then = results.deal_damage(effect["damage_points"])
        elif effect["check"] == "all":
            then = Ruling(
                results.start_checks(effect["check_add"], alone=given.flag("no_leadership"))
            )
        else:
            then = results.rule_unharmed()
        told = {"roll": sum(roll), "combat_result": word, **then.told}

        def story() -> Iterable[Line]:
            yield Line("attack", roll, (), sum(roll), "" if word == "none" else word)
            yield from then.story()

        return Ruling(then.after, told, story)

    opening = {
        "base_fp": firers.raw - 2 * (firers.charging + firers.night),
        "total_fp": total,
        "column": column,
        "final_column": final,
        "targets": [],
        "modifiers": [{"id": part.id, "value": part.value} for part in modifiers.parts],
    }
    columns = f"column {final}, {shift} left of {column}" if shift else f"column {column}"
    return Plan(
        HexUnderFire("attack"),
        {"attack": ruled(ATTACK, attack), **results.steps()},
        lambda out: _resolve(results, attackers, out),
        opening,
        lines=(_build_firepower_line(firers, modifiers, total, columns),),
        rows=results.build_rows,
    )


def _resolve(results: Results, attackers: Iterable[Unit], out: Mapping[str, Any]) -> Resolution:
    """What the fire does; roster units that fired bear a Fire marker."""
    word = out["combat_result"]
    settled = results.resolve(out, "" if word == "none" else word)
    fired = [Change(unit.name, mark=frozenset({"fired"})) for unit in attackers if unit.name]
    return settled._replace(changes=(*settled.changes, *fired))


def _build_firepower_line(firers: Firers, modifiers: Answer, total: int, columns: str) -> Line:
    """The line that adds up the stack and its modifiers, and says which column that is."""
    return Line(
        "firepower", (), (*firers.parts, *list_modifiers(modifiers.parts, "total")), total, columns
    )


def _read_modifiers(tables: Tables, given: Given, firers: Firers) -> Answer:
    """Table fire-modifiers for this attack; the penalties of single units are counted among
    them.
    """
    units = given.units("targets")
    terrain = given.word("terrain")
    feature = given.word("feature")
    moved = _is_marked(given, "target_moved", {"moving", "banzai"})
    fired = _is_marked(given, "target_fired", {"fired"})
    marker = "move" if moved else "fire" if fired else "none"
    firing = [
        unit for unit in given.units("attackers") if unit.type != "leader" or unit.numbers.get("fp")
    ]
    infantry = any(unit.type in INFANTRY for unit in firing)
    cover = given.get_optional("cover")
    if cover is None:
        cover = tables["cover"](
            terrain=terrain, feature=feature, from_lower=given.flag("from_lower")
        )["cover"]
    return tables["fire-modifiers"](
        target_moved=moved,
        target_in_brush=terrain == "brush",
        adjacent=given.int("distance") == 1,
        charging_units=firers.charging,
        night_units=firers.night,
        cover=cover,
        unmarked_cover_hex=tables["column-shift"](terrain=terrain, feature=feature, marker=marker)[
            "shift"
        ]
        > 0,
        infantry_vs_tank=infantry and any(unit.type == "tank" for unit in units),
    )


def _is_marked(given: Given, option: str, flags: Set[str]) -> bool:
    """Return what was typed for the option, else whether a target bears one of the flags."""
    if option in given.typed:
        return given.flag(option)
    return any(unit.flags & flags for unit in given.units("targets"))


# -- the firepower of the units of a stack, one by one. Source: Dice Roll Modifiers panel

MOST_SHOWN = 4  # firers whose firepower is shown one by one


@dataclass(frozen=True, slots=True)
class Firers:
    """The firers at this distance: the sum of their firepower before penalties, and how many have
    which penalty.

    `parts` are the firepower of one after the other, those at long range last; of many the sum of
    each kind.
    """

    raw: int
    parts: tuple[tuple[str, int], ...]
    charging: int
    night: int


def read_firers(units: Sequence[Unit], distance: int, visibility: int) -> Firers:
    """What `units` fire with at `distance` hexes; `visibility` 0 is day.

    Beyond its printed range a unit has half its firepower, fractions dropped. A leader, on whose
    counter no firepower is printed, may be listed with those who fire and adds nothing. Raises
    UserError for leaders alone, and for a unit that fires beyond twice its range, that is shaken,
    or whose firepower is not given.
    """
    firing = [unit for unit in units if unit.type != "leader" or unit.numbers.get("fp")]
    if units and not firing:
        what = f"{join_names(unit.word for unit in units)} cannot fire alone: a leader has no firepower."
        hint = "List the squads and weapons that fire as well."
        raise UserError(what, hint=hint, option="attackers", code="no-firepower")
    near = list[int]()
    far = list[int]()
    for unit in firing:
        power = unit.number("fp")
        reach = unit.numbers.get("range")
        if "shaken" in unit.flags:
            raise UserError(
                f"{unit.word} is shaken and cannot fire.", option="attackers", code="unit-unfit"
            )
        if reach is not None and distance > 2 * reach:
            problem = f"{unit.word} cannot fire {distance} hexes: twice its range of {reach} is {2 * reach}."
            raise UserError(
                problem, hint="Choose another unit.", option="attackers", code="out-of-reach"
            )
        if reach is not None and distance > reach:
            far.append(half_down(power))
        else:
            near.append(power)
    parts = list[tuple[str, int]]()
    for name, powers in (("", near), ("at long range", far)):
        shown = powers if len(powers) <= MOST_SHOWN else [sum(powers)]
        parts += [
            (name if at == len(shown) else "", power) for at, power in enumerate(shown, start=1)
        ]
    night = len(firing) if 0 < visibility < distance else 0
    return Firers(
        sum(near + far), tuple(parts), sum("charge" in unit.flags for unit in firing), night
    )
