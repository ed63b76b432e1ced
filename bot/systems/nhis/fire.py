"""Ranged fire: firepower of the stack, modifiers, a column of the combat table, and what it does to the hex."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds.shapes import by_sum
from bot.rules.sequence.sequence import Change, Line, Plan, Roll, Ruling, Settlement, parts_of
from bot.rules.tables.table import Answer, Tables
from bot.systems.nhis.firepower import Firers, firers_of
from bot.systems.nhis.results import Results, Struck
from bot.systems.nhis.results_odds import Apart
from bot.systems.nhis.targets import Cards, targets_of

ATTACK = dice(2, 6, "attack")
INFANTRY = ("squad", "leader", "mg", "mortar")


def plan(tables: Tables, given: Given) -> Plan[Struck]:
    """Fire of `attackers` at all units of a hex.

    Source: Dice Roll Modifiers, Ranged Combat Table, result paragraphs, Terrain. Raises UserError for a firer that
    is out of range or shaken, and for a number that is missing.
    """
    attackers, units = given.units("attackers"), given.units("targets")
    firers = firers_of(attackers, given.int("distance"), given.int("visibility"))
    flamethrower = any(unit.type == "flamethrower" for unit in attackers)
    results = Results(targets_of(units, checks=("shakeable", "unshakable")), Cards(tables, flamethrower=flamethrower))
    modifiers = _modifiers(tables, given, firers)
    total, shift = firers.raw + modifiers["total"], modifiers["shift"]
    table = tables["ranged-combat"]
    column = table(firepower=max(0, total), roll=7)["column"]
    final = table(firepower=max(0, total), shift=shift, roll=7)["column"] if shift else column

    def attack(_: Struck, roll: Roll) -> Ruling[Struck]:
        word = table(firepower=max(0, total), shift=shift, roll=sum(roll))["result"]
        effect = tables["fire-results"](result=word)
        if effect["damage_points"]:
            then = results.damaged(effect["damage_points"])
        elif effect["check"] == "all":
            then = Ruling(results.hit(effect["check_add"], alone=given.flag("no_leadership")))
        else:
            then = results.unharmed()
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
        Struck("attack"),
        {"attack": by_sum(ATTACK, attack), **results.steps()},
        lambda out: _settle(results, attackers, out),
        opening,
        lines=(_firepower(firers, modifiers, total, columns),),
        rows=results.rows,
        apart=Apart(results),
    )


def _settle(results: Results, attackers: Iterable[Unit], out: Mapping[str, Any]) -> Settlement:
    """What the fire does; roster units that fired bear a Fire marker."""
    word = out["combat_result"]
    settled = results.settled(out, "" if word == "none" else word)
    fired = [Change(unit.name, mark=frozenset({"fired"})) for unit in attackers if unit.name]
    return replace(settled, changes=(*settled.changes, *fired))


def _firepower(firers: Firers, modifiers: Answer, total: int, columns: str) -> Line:
    """The line that adds up the stack and its modifiers, and says which column that is."""
    return Line("firepower", (), (*firers.parts, *parts_of(modifiers.parts, "total")), total, columns)


def _modifiers(tables: Tables, given: Given, firers: Firers) -> Answer:
    """Table fire-modifiers for this attack; the penalties of single units are counted among them."""
    units, terrain, feature = given.units("targets"), given.word("terrain"), given.word("feature")
    moved = given.flag("target_moved") or any(unit.has("moving") or unit.has("banzai") for unit in units)
    fired = given.flag("target_fired") or any(unit.has("fired") for unit in units)
    marker = "move" if moved else "fire" if fired else "none"
    cover = given.maybe("cover")
    if cover is None:
        cover = tables["cover"](terrain=terrain, feature=feature, from_lower=given.flag("from_lower"))["cover"]
    return tables["fire-modifiers"](
        target_moved=moved,
        target_in_brush=terrain == "brush",
        adjacent=given.int("distance") == 1,
        charging_units=firers.charging,
        night_units=firers.night,
        cover=cover,
        unmarked_cover_hex=tables["column-shift"](terrain=terrain, feature=feature, marker=marker)["shift"] > 0,
        infantry_vs_tank=_infantry_on_tank(given.units("attackers"), units),
    )


def _infantry_on_tank(attackers: Iterable[Unit], targets: Iterable[Unit]) -> bool:
    firing = any(unit.type in INFANTRY and (unit.type != "leader" or unit.get("fp")) for unit in attackers)
    return firing and any(unit.type == "tank" for unit in targets)
