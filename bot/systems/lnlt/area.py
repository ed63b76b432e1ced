"""An attack on everything in a hex: one attack die, one defense die, and totals that differ by unit.

Mortars, off-board artillery and crashes attack so. Source: PAC 02, 05, 08, 12 (18.1, 18.2).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Fate, Line, Plan, Roll, Ruling, Settlement, Step, parts_of, ruled
from bot.rules.tables.table import Part, Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.aftermath import attacked, drifting, headline, rows, suffered
from bot.systems.lnlt.checks import NONE, DamageChecks
from bot.systems.lnlt.fire import refuse_to_fire
from bot.systems.lnlt.impact import OWES as FIRE_CHECK
from bot.systems.lnlt.impact import fire_check, fire_started, told_before
from bot.systems.lnlt.items import Attack, ended, list_items, places, readings_of
from bot.systems.lnlt.kinds import capped, target_terrain, terrain_for
from bot.systems.lnlt.reasons import against, target_modifier

ATTACK, DEFENSE = d6("attack"), d6("defense")
FLAGS = (
    "adjacent", "adjacent_a", "target_moved", "mounted_stationary", "vehicle_moved", "rubber_boat", "smoke", "tis",
    "night", "assault", "hit_and_run", "fired_ordnance_sw", "between_buildings",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hex:
    """A hex under attack: which units are in it, the firepower, and the terrain as it counts."""

    path: str
    start: int
    stop: int
    fp: int
    tm: int
    name: str = ""
    flammable: bool = False


def leg_modifiers(tables: Tables, given: Given) -> tuple[int, tuple[Part, ...]]:
    """What the direct fire modifiers of `mods` and `skill` add against leg units; never a leader or degrading hexes.

    Source: PAC 03, 05.
    """
    answer = tables["dft-mods"](
        **given.flags(FLAGS),
        ops_complete=int(given.flag("ops_complete")),
        skill=given.int("skill") if "skill" in given.values else 0,
    )
    return int(answer["attack_mod"]), answer.parts


class Hexes:
    """The hexes under attack in their order, and what comes after each of them."""

    def __init__(self, hexes: Sequence[Hex]) -> None:
        self._hexes = {hex.start: hex for hex in hexes}
        self._end = hexes[-1].stop if hexes else 0

    def at(self, now: Attack) -> Hex:
        """The hex that is attacked now."""
        return self._hexes[now.at]

    def start(self) -> Attack:
        """The state that owes the attack on the first hex, or the end when there is none."""
        return Attack("attack", at=next(iter(self._hexes))) if self._hexes else Attack(None)

    def after(self, now: Attack) -> Attack:
        """After the units of a hex: its fire check if one is due, otherwise the next hex."""
        return Attack(FIRE_CHECK, at=now.at) if now.six else self.onward(now)

    def onward(self, now: Attack) -> Attack:
        """The attack on the next hex, or the end."""
        more = now.at in self._hexes and now.at < self._end
        return Attack("attack", at=now.at) if more else ended(now)

    def burning(self, now: Attack) -> str:
        """Where the fire check of the hex that ends here is told."""
        return next(f"{hex.path}fire_check" for hex in self._hexes.values() if hex.stop == now.at)


class AreaAttack:
    """The attack on one hex after the other, with the damage checks of the units that are hit."""

    def __init__(
        self,
        tables: Tables,
        units: Sequence[Unit],
        hexes: Sequence[Hex],
        *,
        leg_mod: int = 0,
        parts: tuple[Part, ...] = (),
        best_of_two: bool = False,
        no_hero: bool = False,
        tells_hit: bool = False,
    ) -> None:
        self.units, self._hexes = units, Hexes(hexes)
        self._mod, self._parts = leg_mod, parts
        self._count, self._tells_hit = 2 if best_of_two else 1, tells_hit
        self._adds = [adds for hex in hexes for adds in _added(units[hex.start : hex.stop], hex, leg_mod)]
        readings = readings_of(tables)
        self.checks = DamageChecks(
            readings,
            list_items(
                readings,
                units,
                paths=[path for hex in hexes for path in places(f"{hex.path}targets", hex.stop - hex.start)],
                spans=[(hex.start, hex.stop) for hex in hexes if hex.stop > hex.start],
                offsets=[attack - defense for attack, defense in self._adds],
                no_hero=no_hero,
            ),
            finish=self._hexes.after,
            only_hit=True,
            crew_of_all=True,
        )

    def start(self) -> Attack:
        """The state that owes the attack on the first hex, or the end when there is none."""
        return self._hexes.start()

    def steps(self) -> dict[str, Step[Attack]]:
        """The steps attack, fire check and those of the damage checks."""
        hexes, readings = self._hexes, self.checks.readings
        return {
            "attack": ruled((*(ATTACK,) * self._count, DEFENSE), self._attack),
            FIRE_CHECK: fire_check(readings, then=hexes.onward, path=hexes.burning),
            **self.checks.steps(),
        }

    def hits(self, margin: int, hex: Hex) -> bool:
        """Whether at least one unit of the hex is hit; with no units the totals against leg units decide."""
        if not self.units:
            return margin + hex.fp + self._mod > hex.tm
        return any(margin + attack - defense > 0 for attack, defense in self._adds[hex.start : hex.stop])

    def _attack(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6 (of a mortar the better of two) + firepower against 1d6 + terrain and armor, for each unit by itself."""
        hex, kept, defense = self._hexes.at(now), max(roll[:-1]), roll[-1]
        margin, six = kept - defense, hex.flammable and kept == 6
        told: dict[str, Any] = {f"{hex.path}attack_roll": kept, f"{hex.path}defense_roll": defense}
        if self._tells_hit:
            told["hit"] = self.hits(margin, hex)
        for at in range(hex.start, hex.stop):
            (attacks, defends), item = self._adds[at], self.checks.items[at]
            attack, defends = kept + attacks, defense + defends
            told |= item.tells(attack_total=attack, defense_total=defends, hit=attack > defends)
        hit = Attack(None, margin, now.at, six=six)
        if self.units:
            after, known = self.checks.begin(hit)
        else:
            after, known = self._hexes.after(hit), {"outcome": "damage-check" if self.hits(margin, hex) else NONE}
        told |= known
        if hex.flammable and not six:
            told[f"{hex.path}fire_check"] = NONE
        return Ruling(after, told, partial(self._story, hex, roll))

    def _story(self, hex: Hex, roll: Roll) -> list[Line]:
        kept, where = max(roll[:-1]), f" on {hex.name}" if hex.name else ""
        inside = self.units[hex.start : hex.stop]
        leg = not inside or any(map(kinds.is_leg, inside))
        parts = parts_of(self._parts, "attack_mod") if leg else ()
        attack, defense = kept + hex.fp + (self._mod if leg else 0), roll[-1] + hex.tm
        kept_of = f"the better die is {kept}" if self._count == 2 else ""
        terrain, why = target_modifier(hex.tm), against(attack - defense) if leg else ""
        lines = [
            Line(f"attack{where}", roll[: self._count], (("firepower", hex.fp), *parts), attack, kept_of),
            Line(f"defense{where}", roll[-1:], terrain, defense, why),
        ]
        for unit in inside:
            if not kinds.is_man(unit):
                armor, own = int(unit.numbers.get("av") or 0), terrain_for(unit, hex.tm)
                total, parts = roll[-1] + own + armor, (*target_modifier(own), *((("armor", armor),) if armor else ()))
                why = against(kept + hex.fp - total)
                why += f", attack {kept + hex.fp}" if attack != kept + hex.fp else ""
                lines.append(Line(f"{unit.word} defense", roll[-1:], parts, total, why))
        return lines


def _added(units: Sequence[Unit], hex: Hex, leg_mod: int) -> list[tuple[int, int]]:
    """What the attack and defense totals of units have beside the dice; a passenger has those of the vehicle."""
    adds: list[tuple[int, int]] = []
    for unit in units:
        if adds and kinds.is_passenger(unit):
            adds.append(adds[-1])
        elif kinds.is_man(unit):
            adds.append((hex.fp + leg_mod, hex.tm))
        else:
            adds.append((hex.fp, terrain_for(unit, hex.tm) + int(unit.numbers.get("av") or 0)))
    return adds


def area_words(hurt: Settlement, answers: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The words for those units that were hit."""
    return [words for words, answer in zip(hurt.units, answers, strict=True) if answer["hit"]]


def terrain_of(given: Given) -> int:
    """The target modifier of the inputs tm and wall_or_hill."""
    return target_terrain(given.int("tm"), wall_or_hill=given.flag("wall_or_hill"))


def hexes_away(hexes: int) -> str:
    """A distance in words: `1 hex`, `3 hexes`."""
    return f"{hexes} hex" if hexes == 1 else f"{hexes} hexes"


# -- a mortar team or artillery attacks every unit in one hex


def plan_barrage(tables: Tables, given: Given) -> Plan[Attack]:
    """A barrage on `targets`. Source: PAC 05, 12 (18.1, 18.2)."""
    given.refuse_values()
    refuse_to_fire(given.unit("unit"))
    targets, flammable = given.units("targets"), given.flag("flammable")
    mod, parts = leg_modifiers(tables, given)
    area = AreaAttack(
        tables,
        targets,
        [Hex("", 0, len(targets), given.int("fp"), terrain_of(given), flammable=flammable)],
        leg_mod=mod,
        parts=parts,
        best_of_two=given.word("weapon") == "mortar",
        no_hero=given.flag("no_hero"),
        tells_hit=True,
    )

    def settle(out: Mapping[str, Any]) -> Settlement:
        hurt = suffered(targets, out["targets"])
        words = headline(area_words(hurt, out["targets"]), hit=out["hit"])
        beaten = out["attack_roll"] + given.int("fp") + mod - out["defense_roll"] - terrain_of(given)
        more, firers = fire_started(out), [given.unit("unit")]
        notes, beaten = capped(given), max(0, beaten)
        return attacked(words, targets, hurt, more=more, notes=notes, firers=firers, beaten_by=beaten)

    opening = {"attack_mod": mod, "targets": [], **told_before(flammable)}
    checks = area.checks
    return Plan(area.start(), area.steps(), settle, opening, rows=lambda: rows(checks.items), apart=checks.apart)


# -- the crash of a helicopter or aircraft: where it comes down, and the attack on that hex

FIREPOWER = 6
DRIFT = (d6("direction"), d6("distance"))


def plan_crash(tables: Tables, given: Given) -> Plan[Attack]:
    """A crash, and the firepower 6 attack on `targets` in its hex. Source: PAC 02, 06."""
    given.refuse_values()
    stage = given.word("stage")
    targets = given.units("targets") if stage != "drift" else ()
    flammable, tm = given.flag("flammable"), target_terrain(given.int("tm"))
    hexes = [Hex("", 0, len(targets), FIREPOWER, tm, flammable=flammable)] if targets else []
    mod, parts = leg_modifiers(tables, given)
    area = AreaAttack(tables, targets, hexes, leg_mod=mod, parts=parts, no_hero=given.flag("no_hero"))

    def drift(_: Attack, roll: Roll) -> Ruling[Attack]:
        came_down = tables["crash-drift"](direction=roll[0], distance=roll[1])
        told = {"direction": came_down["direction"], "hexes": came_down["hexes"]}
        return Ruling(area.start(), told, lambda: [Line("direction", roll[:1]), Line("distance", roll[1:])])

    def settle(out: Mapping[str, Any]) -> Settlement:
        hurt = suffered(targets, out["targets"])
        hit = area_words(hurt, out["targets"])
        where = f"{hexes_away(out['hexes'])} {out['direction']}" if stage != "attack" else ""
        words = [f"crashes {where}"] if where else []
        if targets or stage == "attack":
            words.append(headline(hit, hit=bool(hit)))
        more = ["Place a wreck in the crash hex."] if stage != "attack" else []
        more += fire_started(out, "the crash hex")
        cause = f"the aircraft crashes {where}" if where and targets else ""
        settled = attacked("; ".join(words), targets, hurt, more=more, by=cause)
        return settled._replace(fates=(Fate("the aircraft", "crashes", where),)) if where and not targets else settled

    opening: dict[str, Any] = {"targets": []}
    if stage == "attack":
        opening |= {"direction": NONE, "hexes": NONE}
    if not targets:
        opening |= {"attack_roll": NONE, "defense_roll": NONE, "outcome": NONE}
        opening |= {"fire_check": NONE} if flammable else {}
    steps = {"drift": ruled(DRIFT, drift), **area.steps()}
    start, checks = area.start() if stage == "attack" else Attack("drift"), area.checks
    return Plan(start, steps, settle, opening, rows=lambda: rows(checks.items) or drifting(stage), apart=checks.apart)
