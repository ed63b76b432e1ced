"""An attack on everything in a hex: one attack die, one defense die, and totals that differ by
unit.

Mortars, off-board artillery and crashes attack so. Source: PAC 02, 05, 08, 12 (18.1, 18.2).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Line,
    OddsRow,
    Plan,
    Resolution,
    Roll,
    Ruling,
    Step,
    UnitResult,
    list_modifiers,
    ruled,
)
from bot.rules.tables.table import ModifierPart, Table, Tables
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.aftermath import (
    build_drift_rows,
    build_rows,
    format_headline,
    resolve_attack,
    resolve_damage,
)
from bot.rulesets.lnlt.checks import NONE, DamageChecks
from bot.rulesets.lnlt.fire import refuse_to_fire
from bot.rulesets.lnlt.impact import OWES as FIRE_CHECK
from bot.rulesets.lnlt.impact import (
    build_fire_check,
    list_fire_reminders,
    tell_impossible_fire_check,
)
from bot.rulesets.lnlt.items import Attack, end_attack, get_readings, list_items, list_paths
from bot.rulesets.lnlt.kinds import compute_target_terrain, get_terrain_for, note_cap
from bot.rulesets.lnlt.reasons import build_target_modifier, format_margin

ATTACK = d6("attack")
DEFENSE = d6("defense")
FLAGS = (
    "adjacent", "adjacent_a", "target_moved", "mounted_stationary", "vehicle_moved", "rubber_boat", "smoke", "tis",
    "night", "assault", "hit_and_run", "fired_ordnance_sw", "between_buildings",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hex:
    """A hex under attack: which units are in it, the firepower, and the terrain as it counts;
    `mod` is what modifiers add against its leg units, `parts` what makes it up.
    """

    path: str
    start: int
    stop: int
    fp: int
    tm: int
    name: str = ""
    flammable: bool = False
    mod: int = 0
    parts: tuple[ModifierPart, ...] = ()


def compute_leg_modifiers(
    tables: Tables, given: Given, targets: Sequence[Unit]
) -> tuple[int, tuple[ModifierPart, ...]]:
    """Add up the direct fire modifiers against the leg units of a hex.

    Counts `mods`, `skill` and the markers of the units; leaders and degrading hexes never count.
    Returns the sum and its named parts.

    Source: PAC 03, 05.
    """
    firer = given.unit("unit")
    firers = () if firer is None else (firer,)
    is_marked = "ops_complete" not in given.typed and any(map(kinds.counts_as_ops_complete, firers))
    answer = tables["dft-mods"](
        **given.flags(FLAGS) | kinds.read_direct_fire_markers(given, firers, targets),
        ops_complete=int(given.flag("ops_complete") or is_marked),
        skill=given.int("skill") if "skill" in given.values else 0,
    )
    return int(answer["attack_mod"]), answer.parts


class Hexes(dict[int, Hex]):
    """The hexes under attack by where they start; what comes after each. Not of the attack itself,
    which would hold on to itself in a ring."""

    def get_next_state(self, now: Attack) -> Attack:
        """After the units of a hex: its fire check if one is due, otherwise the next hex."""
        return Attack(FIRE_CHECK, at=now.at) if now.six else self.advance(now)

    def advance(self, now: Attack) -> Attack:
        """The attack on the next hex, or the end; one with nobody in it stops where it starts."""
        more = now.at in self and now.at < self[now.at].stop
        return Attack("attack", at=now.at) if more else end_attack(now)

    def get_fire_check_path(self, now: Attack) -> str:
        """Where the fire check of the hex that ends here is told."""
        return next(f"{hex.path}fire_check" for hex in self.values() if hex.stop == now.at)


class AreaAttack:
    """The attack on one hex after the other, with the damage checks of the units that are hit."""

    def __init__(
        self,
        tables: Tables,
        units: Sequence[Unit],
        hexes: Sequence[Hex],
        *,
        best_of_two: bool = False,
        no_hero: bool = False,
        tells_hit: bool = False,
    ) -> None:
        self.units, self._hexes = units, Hexes({hex.start: hex for hex in hexes})
        self._count = 2 if best_of_two else 1
        self._tells_hit = tells_hit
        self._adds = [
            adds for hex in hexes for adds in _list_additions(units[hex.start : hex.stop], hex)
        ]
        readings = get_readings(tables)
        self.checks = DamageChecks(
            readings,
            list_items(
                readings,
                units,
                paths=[
                    path
                    for hex in hexes
                    for path in list_paths(f"{hex.path}targets", hex.stop - hex.start)
                ],
                spans=[(hex.start, hex.stop) for hex in hexes if hex.stop > hex.start],
                offsets=[attack - defense for attack, defense in self._adds],
                no_hero=no_hero,
            ),
            finish=self._hexes.get_next_state,
            only_hit=True,
            crew_of_all=True,
        )

    def start(self) -> Attack:
        """The state that owes the attack on the first hex, or the end when there is none."""
        return Attack("attack", at=min(self._hexes)) if self._hexes else Attack(None)

    def steps(self) -> dict[str, Step[Attack]]:
        """The steps attack, fire check and those of the damage checks."""
        return {
            "attack": ruled((*(ATTACK,) * self._count, DEFENSE), self._attack),
            FIRE_CHECK: build_fire_check(
                self.checks.readings, then=self._hexes.advance, path=self._hexes.get_fire_check_path
            ),
            **self.checks.steps(),
        }

    def hits(self, margin: int, hex: Hex) -> bool:
        """Return whether at least one unit of the hex is hit; with no units the totals against leg
        units decide.
        """
        if not self.units:
            return margin + hex.fp + hex.mod > hex.tm
        return any(
            margin + attack - defense > 0 for attack, defense in self._adds[hex.start : hex.stop]
        )

    def _attack(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6 (of a mortar the better of two) + firepower against 1d6 + terrain and armor, for
        each unit by itself.
        """
        hex = self._hexes[now.at]
        kept = max(roll[:-1])
        defense = roll[-1]
        margin = kept - defense
        six = hex.flammable and kept == 6
        told: dict[str, Any] = {f"{hex.path}attack_roll": kept, f"{hex.path}defense_roll": defense}
        if self._tells_hit:
            told["hit"] = self.hits(margin, hex)
        for at in range(hex.start, hex.stop):
            (attacks, defends), item = self._adds[at], self.checks.items[at]
            attack = kept + attacks
            defends = defense + defends
            told |= item.build_outputs(
                attack_total=attack, defense_total=defends, hit=attack > defends
            )
        hit = Attack(None, margin, now.at, six=six)
        if self.units:
            after, known = self.checks.begin(hit)
        else:
            after = self._hexes.get_next_state(hit)
            known = {"outcome": "damage-check" if self.hits(margin, hex) else NONE}
        told |= known
        if hex.flammable and not six:
            told[f"{hex.path}fire_check"] = NONE
        return Ruling(after, told, partial(self._list_lines, hex, roll))

    def _list_lines(self, hex: Hex, roll: Roll) -> list[Line]:
        kept = max(roll[:-1])
        where = f" on {hex.name}" if hex.name else ""
        inside = self.units[hex.start : hex.stop]
        leg = not inside or any(map(kinds.is_leg, inside))
        parts = list_modifiers(hex.parts, "attack_mod") if leg else ()
        attack = kept + hex.fp + (hex.mod if leg else 0)
        defense = roll[-1] + hex.tm
        kept_of = f"the better die is {kept}" if self._count == 2 else ""
        terrain = build_target_modifier(hex.tm)
        why = format_margin(attack - defense) if leg else ""
        lines = [
            Line(
                f"attack{where}",
                roll[: self._count],
                (("firepower", hex.fp), *parts),
                attack,
                kept_of,
            ),
            Line(f"defense{where}", roll[-1:], terrain, defense, why),
        ]
        for unit in inside:
            if not kinds.is_man(unit):
                armor = int(unit.numbers.get("av") or 0)
                own = get_terrain_for(unit, hex.tm)
                total = roll[-1] + own + armor
                parts = (*build_target_modifier(own), *((("armor", armor),) if armor else ()))
                why = format_margin(kept + hex.fp - total)
                why += f", attack {kept + hex.fp}" if attack != kept + hex.fp else ""
                lines.append(Line(f"{unit.word} defense", roll[-1:], parts, total, why))
        return lines


def _list_additions(units: Sequence[Unit], hex: Hex) -> list[tuple[int, int]]:
    """What the attack and defense totals of units have beside the dice; a passenger has those of
    the vehicle.
    """
    adds: list[tuple[int, int]] = []
    for unit in units:
        if adds and kinds.is_passenger(unit):
            adds.append(adds[-1])
        elif kinds.is_man(unit):
            adds.append((hex.fp + hex.mod, hex.tm))
        else:
            adds.append((hex.fp, get_terrain_for(unit, hex.tm) + int(unit.numbers.get("av") or 0)))
    return adds


def list_hit_words(hurt: Resolution, answers: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The words for those units that were hit."""
    return [words for words, answer in zip(hurt.units, answers, strict=True) if answer["hit"]]


def get_terrain(given: Given) -> int:
    """The target modifier of the inputs tm and wall_or_hill."""
    return compute_target_terrain(given.int("tm"), wall_or_hill=given.flag("wall_or_hill"))


def format_distance(hexes: int) -> str:
    """A distance in words: `1 hex`, `3 hexes`."""
    return f"{hexes} hex" if hexes == 1 else f"{hexes} hexes"


# -- a mortar team or artillery attacks every unit in one hex


def plan_barrage(tables: Tables, given: Given) -> Plan[Attack]:
    """A barrage on `targets`. Source: PAC 05, 12 (18.1, 18.2)."""
    given.refuse_values()
    refuse_to_fire(given.unit("unit"))
    targets = given.units("targets")
    flammable = given.flag("flammable")
    mod, parts = compute_leg_modifiers(tables, given, targets)
    hit = Hex("", 0, len(targets), given.int("fp"), get_terrain(given), "", flammable, mod, parts)
    area = AreaAttack(
        tables,
        targets,
        [hit],
        best_of_two=given.word("weapon") == "mortar",
        no_hero=given.flag("no_hero"),
        tells_hit=True,
    )

    def resolve(out: Mapping[str, Any]) -> Resolution:
        hurt = resolve_damage(targets, out["targets"])
        words = format_headline(list_hit_words(hurt, out["targets"]), hit=out["hit"])
        beaten = (
            out["attack_roll"] + given.int("fp") + mod - out["defense_roll"] - get_terrain(given)
        )
        more = list_fire_reminders(out)
        firers = [given.unit("unit")]
        notes = note_cap(given)
        beaten = max(0, beaten)
        return resolve_attack(
            words, targets, hurt, more=more, notes=notes, firers=firers, beaten_by=beaten
        )

    opening = {"attack_mod": mod, "targets": [], **tell_impossible_fire_check(flammable)}
    checks = area.checks
    return Plan(
        area.start(),
        area.steps(),
        resolve,
        opening,
        rows=lambda: build_rows(checks.items),
        apart=checks.split_parts,
    )


# -- the crash of a helicopter or aircraft: where it comes down, and the attack on that hex

FIREPOWER = 6
DRIFT = (d6("direction"), d6("distance"))


def plan_crash(tables: Tables, given: Given) -> Plan[Attack]:
    """A crash, and the firepower 6 attack on `targets` in its hex. Source: PAC 02, 06."""
    given.refuse_values()
    stage = given.word("stage")
    targets = given.units("targets") if stage != "drift" else ()
    flammable = given.flag("flammable")
    tm = compute_target_terrain(given.int("tm"))
    mod, parts = compute_leg_modifiers(tables, given, targets)
    below = Hex("", 0, len(targets), FIREPOWER, tm, "", flammable, mod, parts)
    hexes = [below] if targets else []
    area = AreaAttack(tables, targets, hexes, no_hero=given.flag("no_hero"))

    def drift(_: Attack, roll: Roll) -> Ruling[Attack]:
        came_down = tables["crash-drift"](direction=roll[0], distance=roll[1])
        told = {"direction": came_down["direction"], "hexes": came_down["hexes"]}
        return Ruling(
            area.start(), told, lambda: [Line("direction", roll[:1]), Line("distance", roll[1:])]
        )

    def resolve(out: Mapping[str, Any]) -> Resolution:
        hurt = resolve_damage(targets, out["targets"])
        hit = list_hit_words(hurt, out["targets"])
        where = f"{format_distance(out['hexes'])} {out['direction']}" if stage != "attack" else ""
        words = [f"crashes {where}"] if where else []
        if targets or stage == "attack":
            words.append(format_headline(hit, hit=bool(hit)))
        more = ["Place a wreck in the crash hex."] if stage != "attack" else []
        more += list_fire_reminders(out, "the crash hex")
        cause = f"the aircraft crashes {where}" if where and targets else ""
        settled = resolve_attack("; ".join(words), targets, hurt, more=more, by=cause)
        return (
            settled._replace(fates=(UnitResult("the aircraft", "crashes", where),))
            if where and not targets
            else settled
        )

    opening: dict[str, Any] = {"targets": []}
    if stage == "attack":
        opening |= {"direction": NONE, "hexes": NONE}
    if not targets:
        opening |= {"attack_roll": NONE, "defense_roll": NONE, "outcome": NONE}
        opening |= {"fire_check": NONE} if flammable else {}
    steps = {"drift": ruled(DRIFT, drift), **area.steps()}
    start = area.start() if stage == "attack" else Attack("drift")
    checks = area.checks
    return Plan(
        start,
        steps,
        resolve,
        opening,
        rows=lambda: build_rows(checks.items) or build_drift_rows(stage),
        apart=checks.split_parts,
    )


# -- an off-board artillery fire mission: the drift of the spotting round, then the attack on each
# hex

SPOTTING = (d6("white, distance"), d6("colored, direction"))


def plan_fire_mission(tables: Tables, given: Given) -> Plan[Attack]:
    """A fire mission on `targets`. Source: PAC 05, 08 (18.2).

    Raises UserError for a hex that the mission does not attack, or a loose mission beyond firepower
    6.
    """
    given.refuse_values()
    stage = given.word("stage")
    mission = given.word("mission")
    fp = given.int("fp")
    mission_fp = tables["mission-fp"]
    mission_fp(mission=mission, fp=fp, distance=0)  # refuses what is not on the card
    groups = _group_by_hex(given.units("targets")) if stage != "drift" else {}
    units = tuple([unit for group in groups.values() for unit in group])
    hexes = [
        replace(hex, mod=mod, parts=parts)
        for hex in _build_hexes(mission_fp, groups, mission, fp)
        for mod, parts in [compute_leg_modifiers(tables, given, groups[hex.name])]
    ]
    area = AreaAttack(tables, units, hexes, no_hero=given.flag("no_hero"))
    degrading = given.int("degrading")
    lm = given.int("lm")

    def drift(_: Attack, roll: Roll) -> Ruling[Attack]:
        away = tables["spotting-round"](white=roll[0], colored=roll[1], degrading=degrading, lm=lm)
        told = {"hexes": away["hexes"], "direction": away["direction"]}

        def story() -> Iterable[Line]:
            parts = tuple(
                (name, value)
                for name, value in (("degrading", degrading), ("leader", -lm))
                if value
            )
            yield Line(
                "distance", roll[:1], parts, roll[0] + degrading - lm, "halved, fractions up"
            )
            yield Line("direction", roll[1:])

        return Ruling(area.start(), told, story)

    def resolve(out: Mapping[str, Any]) -> Resolution:
        return _resolve(out, units, stage, mission)

    opening: dict[str, Any] = {"attacks": []}
    for at, hex in enumerate(hexes):
        opening |= {f"attacks[{at}].hex": hex.name, f"attacks[{at}].fp": hex.fp}
    if stage == "attack":
        opening |= {"hexes": NONE, "direction": NONE}
    if not units:
        opening["outcome"] = NONE

    def list_rows() -> Sequence[OddsRow]:
        names = [
            f"{unit.word} in {hex.name}" for hex in hexes for unit in units[hex.start : hex.stop]
        ]
        return build_rows(area.checks.items, names) or build_drift_rows(stage)

    steps = {"drift": ruled(SPOTTING, drift), **area.steps()}
    start = area.start() if stage == "attack" else Attack("drift")
    return Plan(start, steps, resolve, opening, rows=list_rows, apart=area.checks.split_parts)


def _group_by_hex(units: Sequence[Unit]) -> dict[str, list[Unit]]:
    """The units by hex, in the order in which hexes first appear; one without hex= is where the
    one before is.
    """
    hexes: dict[str, list[Unit]] = {}
    name: str | None = None
    for unit in units:
        name = unit.numbers.get("hex") or name
        if name is None:
            raise UserError(
                f"{unit.word} needs hex.",
                hint=f"Type it after the unit: {unit.word} hex=A dist=0.",
                code="unit-needs",
            )
        hexes.setdefault(name, []).append(unit)
    return hexes


def _build_hexes(
    mission_fp: Table, groups: Mapping[str, Sequence[Unit]], mission: str, fp: int
) -> list[Hex]:
    hexes: list[Hex] = []
    start = 0
    for at, (name, units) in enumerate(groups.items()):
        distance = _get_hex_number(name, units, "dist")
        if distance is None:
            hint = "Type it at the first unit of the hex: dist=1."
            raise UserError(f"Hex {name} needs dist.", hint=hint, code="unit-needs")
        answer = mission_fp(mission=mission, fp=fp, distance=distance)
        if not answer["attacked"]:
            what = f"A {mission} mission does not attack hex {name} at distance {distance}."
            raise UserError(what, hint="Take that hex off the list.", code="out-of-reach")
        stop = start + len(units)
        tm = compute_target_terrain(_get_hex_number(name, units, "tm") or 0)
        flammable = any("flammable" in unit.flags for unit in units)
        hexes.append(Hex(f"attacks[{at}].", start, stop, int(answer["fp"]), tm, name, flammable))
        start = stop
    return hexes


def _get_hex_number(hex: str, units: Sequence[Unit], key: str) -> int | None:
    """`dist` or `tm` of a hex, as one of its units gives it. Raises UserError when two of them
    differ.
    """
    found = [int(value) for unit in units if (value := unit.numbers.get(key)) is not None]
    if len(set(found)) > 1:
        hint = "Type it at the first unit of the hex."
        raise UserError(f"Hex {hex} has more than one {key}.", hint=hint, code="given-twice")
    return found[0] if found else None


def _resolve(out: Mapping[str, Any], units: Sequence[Unit], stage: str, mission: str) -> Resolution:
    answers = [answer for attack in out["attacks"] for answer in attack["targets"]]
    more = [
        line
        for attack in out["attacks"]
        for line in list_fire_reminders(attack, f"hex {attack['hex']}")
    ]
    notes = []
    if stage != "attack":
        more.append(
            "Place the marker; a spotter who still sees it may first shift it one hex within line of sight."
        )
    if mission == "walking-barrage":
        notes.append(
            "In each of the next two turns the markers move one hex and attack again (stage attack)."
        )
    hurt = resolve_damage(units, answers)
    hit = list_hit_words(hurt, answers)
    words = format_headline(hit, hit=bool(hit))
    if stage == "attack":
        return resolve_attack(words, units, hurt, more=more, notes=notes)
    where = f"{format_distance(out['hexes'])} {out['direction']}"
    if answers:
        words = f"drifts {where}; {words}"
        by = f"the round drifts {where}"
        return resolve_attack(words, units, hurt, more=more, notes=notes, by=by)
    settled = resolve_attack(f"drifts {where}", units, hurt, more=more, notes=notes)
    return settled._replace(fates=(UnitResult("the spotting round", "drifts", where),))
