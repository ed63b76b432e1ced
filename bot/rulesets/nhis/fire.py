"""Ranged fire: the firepower of the stack, modifiers, a column of the combat table, and the effects
on the target hex.
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


def plan(tables: Tables, inputs: Given) -> Plan[HexUnderFire]:
    """Plan the fire of `attackers` at all units of a hex.

    Source: Dice Roll Modifiers, Ranged Combat Table, result paragraphs, Terrain. Raises UserError
    for a firer that is out of range or shaken, and for a number that is missing.
    """
    attackers = inputs.units("attackers")
    units = inputs.units("targets")
    firers = read_firers(attackers, inputs.int("distance"), inputs.int("visibility"))
    flamethrower = any(unit.type == "flamethrower" for unit in attackers)
    results = Results(tables, units, flamethrower=flamethrower)
    modifiers = _read_modifiers(tables, inputs, firers)
    total = firers.raw_fp + modifiers["total"]
    firepower = max(0, total)
    shift = modifiers["shift"]
    combat_table = tables["ranged-combat"]
    # any roll will do: the column depends on the firepower alone
    column = combat_table(firepower=firepower, roll=7)["column"]
    final_column = column
    column_words = f"column {column}"
    if shift:
        final_column = combat_table(firepower=firepower, shift=shift, roll=7)["column"]
        column_words = f"column {final_column}, {shift} left of {column}"

    def attack(_: HexUnderFire, roll: Roll) -> Ruling[HexUnderFire]:
        word = combat_table(firepower=firepower, shift=shift, roll=sum(roll))["result"]
        effect = tables["fire-results"](result=word)
        if effect["damage_points"]:
            effect_ruling = results.deal_damage(effect["damage_points"])
        elif effect["check"] == "all":
            no_leadership = inputs.flag("no_leadership")
            checks = results.start_checks(effect["check_add"], no_leadership=no_leadership)
            effect_ruling = Ruling(checks)
        else:
            effect_ruling = results.rule_unharmed()
        outputs = {"roll": sum(roll), "combat_result": word, **effect_ruling.outputs}

        def build_lines() -> Iterable[Line]:
            # as on the card: Hit -1
            reason = "" if word == "none" else word.capitalize().replace("-", " -")
            yield Line("attack", roll, (), sum(roll), reason)
            yield from effect_ruling.build_lines()

        return Ruling(effect_ruling.next_state, outputs, build_lines)

    opening = {
        "base_fp": firers.raw_fp - 2 * (firers.charging + firers.night),
        "total_fp": total,
        "column": column,
        "final_column": final_column,
        "targets": [],
        "modifiers": [{"id": part.id, "value": part.value} for part in modifiers.parts],
    }
    return Plan(
        HexUnderFire("attack"),
        {"attack": ruled(ATTACK, attack), **results.steps()},
        lambda out: _resolve(results, attackers, out),
        opening,
        lines=(_build_firepower_line(firers, modifiers, total, column_words),),
        odds_rows=results.build_rows,
    )


def _resolve(results: Results, attackers: Iterable[Unit], out: Mapping[str, Any]) -> Resolution:
    """Return the result of the fire. Roster units that fired get a Fire marker."""
    word = out["combat_result"]
    headline = "" if word == "none" else word
    resolution = results.resolve(out, headline)
    marks = [Change(unit.name, mark=frozenset({"fired"})) for unit in attackers if unit.name]
    return resolution._replace(changes=(*resolution.changes, *marks))


def _build_firepower_line(firers: Firers, modifiers: Answer, total: int, column_words: str) -> Line:
    """Return the line that adds up the stack and its modifiers, and gives the column."""
    parts = (*firers.parts, *list_modifiers(modifiers.parts, "total"))
    return Line("firepower", (), parts, total, column_words)


def _read_modifiers(tables: Tables, inputs: Given, firers: Firers) -> Answer:
    """Return the answer of table fire-modifiers, with the penalties of single firers.

    It has the total, the shift to the left and the parts.
    """
    terrain = inputs.word("terrain")
    feature = inputs.word("feature")
    target_moved = _is_marked(inputs, "target_moved", {"moving", "banzai"})
    target_fired = _is_marked(inputs, "target_fired", {"fired"})
    marker = "none"
    if target_moved:
        marker = "move"
    elif target_fired:
        marker = "fire"
    firing_units = _list_firing_units(inputs.units("attackers"))
    has_infantry = any(unit.type in INFANTRY for unit in firing_units)
    targets_tank = any(unit.type == "tank" for unit in inputs.units("targets"))
    cover = inputs.get_optional("cover")
    if cover is None:
        from_lower = inputs.flag("from_lower")
        cover_answer = tables["cover"](terrain=terrain, feature=feature, from_lower=from_lower)
        cover = cover_answer["cover"]
    shift_answer = tables["column-shift"](terrain=terrain, feature=feature, marker=marker)
    return tables["fire-modifiers"](
        target_moved=target_moved,
        target_in_brush=terrain == "brush",
        adjacent=inputs.int("distance") == 1,
        charging_units=firers.charging,
        night_units=firers.night,
        cover=cover,
        unmarked_cover_hex=shift_answer["shift"] > 0,
        infantry_vs_tank=has_infantry and targets_tank,
    )


def _is_marked(inputs: Given, option: str, flags: Set[str]) -> bool:
    """Return the typed value of `option`, else whether a target has one of the flags."""
    if option in inputs.typed:
        return inputs.flag(option)
    return any(unit.flags & flags for unit in inputs.units("targets"))


# -- the firepower of the units of a stack, one by one. Source: Dice Roll Modifiers panel

MOST_SHOWN = 4  # firers whose firepower is shown one by one


@dataclass(frozen=True, slots=True)
class Firers:
    """The firers at one distance.

    - `raw_fp`: the sum of their firepower before penalties.
    - `parts`: the firepower of each as (name, value), those at long range last. If there are many
      of one range, their sum.
    - `charging`, `night`: the number of units with the penalty for a charge and for night fire.
    """

    raw_fp: int
    parts: tuple[tuple[str, int], ...]
    charging: int
    night: int


def read_firers(units: Sequence[Unit], distance: int, visibility: int) -> Firers:
    """Return the firepower and penalties of `units` at `distance` hexes.

    `visibility` is the number of hexes that can be seen by night, 0 by day. Beyond its printed
    range a unit has half its firepower, fractions dropped. A leader, on whose counter no firepower
    is printed, may be listed with those who fire and adds nothing. Raises UserError for leaders
    alone, and for a unit that fires beyond twice its range, that is shaken, or for which no
    firepower is given.
    """
    firing_units = _list_firing_units(units)
    if units and not firing_units:
        names = join_names(unit.word for unit in units)
        problem = f"{names} cannot fire alone: a leader has no firepower."
        hint = "Add the squads and weapons that fire with them."
        raise UserError(problem, hint=hint, option="attackers", code="no-firepower")
    near: list[int] = []
    far: list[int] = []
    for unit in firing_units:
        fp = unit.number("fp")
        _check_firer(unit, distance)
        printed_range = unit.numbers.get("range")
        if printed_range is not None and distance > printed_range:
            far.append(half_down(fp))
        else:
            near.append(fp)
    parts = (*_list_range_parts("", near), *_list_range_parts("at long range", far))
    is_night_fire = 0 < visibility < distance
    return Firers(
        raw_fp=sum(near + far),
        parts=parts,
        charging=sum("charge" in unit.flags for unit in firing_units),
        night=len(firing_units) if is_night_fire else 0,
    )


def _list_firing_units(units: Iterable[Unit]) -> list[Unit]:
    """Return the units that fire: all except leaders without firepower."""
    return [unit for unit in units if unit.type != "leader" or unit.numbers.get("fp")]


def _check_firer(unit: Unit, distance: int) -> None:
    """Raise UserError for a unit that is shaken, or beyond twice its range."""
    if "shaken" in unit.flags:
        raise UserError(
            f"{unit.word} is shaken and cannot fire.", option="attackers", code="unit-unfit"
        )
    printed_range = unit.numbers.get("range")
    if printed_range is not None and distance > 2 * printed_range:
        limit = f"twice its range of {printed_range} is {2 * printed_range}"
        problem = f"{unit.word} cannot fire {distance} hexes: {limit}."
        hint = "Choose another unit."
        raise UserError(problem, hint=hint, option="attackers", code="out-of-reach")


def _list_range_parts(name: str, powers: Sequence[int]) -> list[tuple[str, int]]:
    """Return (label, power) for each of `powers`: the last has the label `name`, the others "".

    More than MOST_SHOWN are added up to a single part. Without `powers` return [].
    """
    if len(powers) > MOST_SHOWN:
        return [(name, sum(powers))]
    parts = [("", power) for power in powers]
    if parts:
        parts[-1] = (name, powers[-1])
    return parts
