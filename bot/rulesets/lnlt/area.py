"""Attacks on all units in a hex: one attack die, one defense die, and a total for each unit.

For mortars, off-board artillery and crashes. Source: PAC 02, 05, 08, 12 (18.1, 18.2).
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
from bot.rulesets.lnlt.impact import (
    FIRE_CHECK,
    build_fire_check,
    build_impossible_fire_check,
    list_fire_reminders,
)
from bot.rulesets.lnlt.items import Attack, end_attack, get_readings, list_items, list_paths
from bot.rulesets.lnlt.kinds import compute_target_terrain, get_terrain_for, list_cap_notes
from bot.rulesets.lnlt.reasons import build_target_modifier, format_margin

ATTACK = d6("attack")
DEFENSE = d6("defense")
FLAGS = (
    "adjacent", "adjacent_a", "target_moved", "mounted_stationary", "vehicle_moved", "rubber_boat", "smoke", "tis",
    "night", "assault", "hit_and_run", "fired_ordnance_sw", "between_buildings",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hex:
    """A hex under attack.

    - `path`: the prefix of its outputs (`attacks[0].`).
    - `start`, `stop`: its units in the list of all units, by index.
    - `fp`: the firepower of the attack in this hex.
    - `tm`: its target modifier as it counts.
    - `name`: its name, or "" for the only hex.
    - `mod`, `parts`: the sum of the modifiers against its leg units, and the named modifiers.
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
    tables: Tables, inputs: Given, targets: Sequence[Unit]
) -> tuple[int, tuple[ModifierPart, ...]]:
    """Add up the direct fire modifiers against the leg units of a hex.

    Counts `mods`, `skill` and the markers of the units; leaders and degrading hexes never count.
    Returns the sum and its named parts.

    Source: PAC 03, 05.
    """
    firer = inputs.unit("unit")
    firers = () if firer is None else (firer,)
    is_ops_complete = inputs.flag("ops_complete")
    if "ops_complete" not in inputs.typed:
        is_ops_complete = is_ops_complete or any(map(kinds.counts_as_ops_complete, firers))
    answer = tables["dft-mods"](
        **inputs.flags(FLAGS) | kinds.read_direct_fire_markers(inputs, firers, targets),
        ops_complete=int(is_ops_complete),
        skill=inputs.int("skill") if "skill" in inputs.values else 0,
    )
    return int(answer["attack_mod"]), answer.parts


class Hexes(dict[int, Hex]):
    """The hexes under attack by the index of their first unit, with the next state after each.

    It is apart from `AreaAttack` so that no reference cycle keeps a finished attack in memory.
    """

    def get_next_state(self, state: Attack) -> Attack:
        """Return the state after the units of a hex: its fire check if due, else the next hex."""
        if state.natural_six:
            return Attack(FIRE_CHECK, unit_index=state.unit_index)
        return self.advance(state)

    def advance(self, state: Attack) -> Attack:
        """Return the state that owes the attack on the next hex, or the end.

        It is the end if no hex starts at `state.unit_index`, or if that hex has no units.
        """
        next_hex = self.get(state.unit_index)
        if next_hex is None or next_hex.stop <= state.unit_index:
            return end_attack(state)
        return Attack("attack", unit_index=state.unit_index)

    def get_fire_check_path(self, state: Attack) -> str:
        """Return the path of the output fire_check of the hex that ends before the current unit."""
        return next(
            f"{hex.path}fire_check" for hex in self.values() if hex.stop == state.unit_index
        )


class AreaAttack:
    """The attack on one hex after the other, with the damage checks of the units that are hit.

    With `best_of_two` there are two attack dice, and the better one counts. With `sets_hit` the
    output `hit` says if any unit is hit.
    """

    def __init__(
        self,
        tables: Tables,
        units: Sequence[Unit],
        hexes: Sequence[Hex],
        *,
        best_of_two: bool = False,
        no_hero: bool = False,
        sets_hit: bool = False,
    ) -> None:
        self.units = units
        self._hexes = Hexes({hex.start: hex for hex in hexes})
        self._dice_count = 2 if best_of_two else 1
        self._sets_hit = sets_hit
        self._additions: list[tuple[int, int]] = []
        paths: list[str] = []
        for hex in hexes:
            hex_units = units[hex.start : hex.stop]
            self._additions += _list_additions(hex_units, hex)
            paths += list_paths(f"{hex.path}targets", len(hex_units))
        readings = get_readings(tables)
        items = list_items(
            readings,
            units,
            paths=paths,
            spans=[(hex.start, hex.stop) for hex in hexes if hex.stop > hex.start],
            offsets=[attack - defense for attack, defense in self._additions],
            no_hero=no_hero,
        )
        self.checks = DamageChecks(
            readings,
            items,
            finish=self._hexes.get_next_state,
            only_hit=True,
            crew_of_all=True,
        )

    def start(self) -> Attack:
        """Return the state that owes the attack on the first hex, or the end if there is none."""
        if not self._hexes:
            return Attack(None)
        return Attack("attack", unit_index=min(self._hexes))

    def steps(self) -> dict[str, Step[Attack]]:
        """Return the steps attack, fire check and those of the damage checks."""
        fire_check = build_fire_check(
            self.checks.readings,
            get_next_state=self._hexes.advance,
            get_path=self._hexes.get_fire_check_path,
        )
        return {
            "attack": ruled((*(ATTACK,) * self._dice_count, DEFENSE), self._rule_on_attack),
            FIRE_CHECK: fire_check,
            **self.checks.steps(),
        }

    def hits(self, margin: int, hex: Hex) -> bool:
        """Return whether at least one unit of the hex is hit.

        `margin` is the attack die minus the defense die. If the attack lists no units, the totals
        against leg units decide.
        """
        if not self.units:
            return margin + hex.fp + hex.mod > hex.tm
        additions = self._additions[hex.start : hex.stop]
        return any(margin + attack - defense > 0 for attack, defense in additions)

    def _rule_on_attack(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on the attack on one hex, for each of its units by itself.

        1d6 (the better of two dice, if `best_of_two`) + firepower against 1d6 + terrain and armor.
        """
        hex = self._hexes[state.unit_index]
        attack_die = max(roll[:-1])
        defense_die = roll[-1]
        margin = attack_die - defense_die
        natural_six = hex.flammable and attack_die == 6
        outputs: dict[str, Any] = {
            f"{hex.path}attack_roll": attack_die,
            f"{hex.path}defense_roll": defense_die,
        }
        if self._sets_hit:
            outputs["hit"] = self.hits(margin, hex)
        for index in range(hex.start, hex.stop):
            attack_addition, defense_addition = self._additions[index]
            attack = attack_die + attack_addition
            defense = defense_die + defense_addition
            outputs |= self.checks.items[index].build_outputs(
                attack_total=attack, defense_total=defense, hit=attack > defense
            )
        attack_state = Attack(None, margin, state.unit_index, natural_six=natural_six)
        if self.units:
            next_state, more_outputs = self.checks.begin(attack_state)
            outputs |= more_outputs
        else:
            next_state = self._hexes.get_next_state(attack_state)
            outputs["outcome"] = "damage-check" if self.hits(margin, hex) else NONE
        if hex.flammable and not natural_six:
            outputs[f"{hex.path}fire_check"] = NONE
        return Ruling(next_state, outputs, partial(self._list_lines, hex, roll))

    def _list_lines(self, hex: Hex, roll: Roll) -> list[Line]:
        """Return the lines of the attack on a hex: attack and defense, then each vehicle's defense.

        The first two are about the leg units; if all units are vehicles, they have no margin.
        """
        attack_die = max(roll[:-1])
        on_hex = f" on {hex.name}" if hex.name else ""
        hex_units = self.units[hex.start : hex.stop]
        has_legs = not hex_units or any(map(kinds.is_leg, hex_units))
        attack = attack_die + hex.fp
        defense = roll[-1] + hex.tm
        attack_parts: list[tuple[str, int | float]] = [("firepower", hex.fp)]
        margin = ""
        if has_legs:
            attack += hex.mod
            attack_parts += list_modifiers(hex.parts, "attack_mod")
            margin = format_margin(attack - defense)
        better_die = f"the better die is {attack_die}" if self._dice_count == 2 else ""
        attack_dice = roll[: self._dice_count]
        terrain = build_target_modifier(hex.tm)
        lines = [
            Line(f"attack{on_hex}", attack_dice, tuple(attack_parts), attack, better_die),
            Line(f"defense{on_hex}", roll[-1:], terrain, defense, margin),
        ]
        for unit in hex_units:
            if not kinds.is_man(unit):
                lines.append(_build_vehicle_line(unit, hex, roll, attack))
        return lines


def _build_vehicle_line(unit: Unit, hex: Hex, roll: Roll, shown_attack: int) -> Line:
    """Return the line of a vehicle's defense.

    It also gives the attack total against the vehicle if that differs from `shown_attack`.
    """
    armor = int(unit.numbers.get("av") or 0)
    tm = get_terrain_for(unit, hex.tm)
    defense = roll[-1] + tm + armor
    parts = build_target_modifier(tm)
    if armor:
        parts = (*parts, ("armor", armor))
    attack = max(roll[:-1]) + hex.fp
    reason = format_margin(attack - defense)
    if attack != shown_attack:
        reason += f", attack {attack}"
    return Line(f"{unit.word} defense", roll[-1:], parts, defense, reason)


def _list_additions(units: Sequence[Unit], hex: Hex) -> list[tuple[int, int]]:
    """Return the numbers added to the attack die and the defense die for each unit of a hex.

    A passenger has those of its vehicle, the unit before it.
    """
    additions: list[tuple[int, int]] = []
    for unit in units:
        if additions and kinds.is_passenger(unit):
            additions.append(additions[-1])
        elif kinds.is_man(unit):
            additions.append((hex.fp + hex.mod, hex.tm))
        else:
            armor = int(unit.numbers.get("av") or 0)
            additions.append((hex.fp, get_terrain_for(unit, hex.tm) + armor))
    return additions


def list_hit_words(
    damage: Resolution, answers: Iterable[Mapping[str, Any]]
) -> list[tuple[str, str]]:
    """Return the pairs (unit, word) of `damage` for those units that were hit."""
    pairs = zip(damage.unit_words, answers, strict=True)
    return [unit_and_word for unit_and_word, answer in pairs if answer["hit"]]


def get_terrain(inputs: Given) -> int:
    """Return the target modifier as it counts, from the inputs tm and wall_or_hill."""
    return compute_target_terrain(inputs.int("tm"), wall_or_hill=inputs.flag("wall_or_hill"))


def format_distance(hexes: int) -> str:
    """Format a distance: `1 hex`, `3 hexes`."""
    return f"{hexes} hex" if hexes == 1 else f"{hexes} hexes"


# -- a mortar team or artillery attacks every unit in one hex


def plan_barrage(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan a barrage on `targets`. Source: PAC 05, 12 (18.1, 18.2).

    Raises UserError for a firer that is out of play, shaken or damaged.
    """
    inputs.refuse_values()
    firer = inputs.unit("unit")
    refuse_to_fire(firer)
    targets = inputs.units("targets")
    flammable = inputs.flag("flammable")
    fp = inputs.int("fp")
    tm = get_terrain(inputs)
    mod, parts = compute_leg_modifiers(tables, inputs, targets)
    target_hex = Hex("", 0, len(targets), fp, tm, "", flammable, mod, parts)
    area = AreaAttack(
        tables,
        targets,
        [target_hex],
        best_of_two=inputs.word("weapon") == "mortar",
        no_hero=inputs.flag("no_hero"),
        sets_hit=True,
    )

    def resolve(out: Mapping[str, Any]) -> Resolution:
        damage = resolve_damage(targets, out["targets"])
        hit_words = list_hit_words(damage, out["targets"])
        margin = out["attack_roll"] + fp + mod - out["defense_roll"] - tm
        return resolve_attack(
            format_headline(hit_words, hit=out["hit"]),
            targets,
            damage,
            reminders=list_fire_reminders(out),
            notes=list_cap_notes(inputs),
            firers=[firer],
            beaten_by=max(0, margin),
        )

    opening = {"attack_mod": mod, "targets": [], **build_impossible_fire_check(flammable)}
    checks = area.checks
    return Plan(
        area.start(),
        area.steps(),
        resolve,
        opening,
        odds_rows=lambda: build_rows(checks.items),
        find_independent_parts=checks.split_parts,
    )


# -- the crash of a helicopter or aircraft: the hex of the crash, and the attack on that hex

FIREPOWER = 6
DRIFT = (d6("direction"), d6("distance"))


def plan_crash(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan a crash, and the firepower 6 attack on `targets` in its hex. Source: PAC 02, 06.

    `stage` limits it to the drift or to the attack.
    """
    inputs.refuse_values()
    stage = inputs.word("stage")
    targets = inputs.units("targets") if stage != "drift" else ()
    flammable = inputs.flag("flammable")
    tm = compute_target_terrain(inputs.int("tm"))
    mod, parts = compute_leg_modifiers(tables, inputs, targets)
    crash_hex = Hex("", 0, len(targets), FIREPOWER, tm, "", flammable, mod, parts)
    hexes = [crash_hex] if targets else []
    area = AreaAttack(tables, targets, hexes, no_hero=inputs.flag("no_hero"))

    def drift(_: Attack, roll: Roll) -> Ruling[Attack]:
        answer = tables["crash-drift"](direction=roll[0], distance=roll[1])
        outputs = {"direction": answer["direction"], "hexes": answer["hexes"]}

        def build_lines() -> list[Line]:
            return [Line("direction", roll[:1]), Line("distance", roll[1:])]

        return Ruling(area.start(), outputs, build_lines)

    steps = {"drift": ruled(DRIFT, drift), **area.steps()}
    start = area.start() if stage == "attack" else Attack("drift")
    checks = area.checks
    return Plan(
        start,
        steps,
        partial(_resolve_crash, targets, stage),
        _build_crash_opening(stage, has_targets=bool(targets), flammable=flammable),
        odds_rows=lambda: build_rows(checks.items) or build_drift_rows(stage),
        find_independent_parts=checks.split_parts,
    )


def _build_crash_opening(stage: str, *, has_targets: bool, flammable: bool) -> dict[str, Any]:
    """Return the outputs of a crash that are known before the dice: those that no die decides."""
    opening: dict[str, Any] = {"targets": []}
    if stage == "attack":
        opening |= {"direction": NONE, "hexes": NONE}
    if not has_targets:
        opening |= {"attack_roll": NONE, "defense_roll": NONE, "outcome": NONE}
        if flammable:
            opening["fire_check"] = NONE
    return opening


def _resolve_crash(targets: Sequence[Unit], stage: str, out: Mapping[str, Any]) -> Resolution:
    """Return the result of a crash: its drift (unless `stage` is attack), then that of `targets`.

    Without targets the result is that of the aircraft.
    """
    damage = resolve_damage(targets, out["targets"])
    hit_words = list_hit_words(damage, out["targets"])
    drift = ""
    phrases: list[str] = []
    reminders: list[str] = []
    if stage != "attack":
        drift = f"{format_distance(out['hexes'])} {out['direction']}"
        phrases.append(f"crashes {drift}")
        reminders.append("Place a wreck in the crash hex.")
    if targets or stage == "attack":
        phrases.append(format_headline(hit_words, hit=bool(hit_words)))
    reminders += list_fire_reminders(out, "the crash hex")
    cause = f"the aircraft crashes {drift}" if drift and targets else ""
    resolution = resolve_attack(
        "; ".join(phrases), targets, damage, reminders=reminders, cause=cause
    )
    if drift and not targets:
        return resolution._replace(unit_results=(UnitResult("the aircraft", "crashes", drift),))
    return resolution


# -- an off-board artillery fire mission: the drift of the spotting round, then the attack on each
# hex

SPOTTING = (d6("white, distance"), d6("colored, direction"))


def plan_fire_mission(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan a fire mission on `targets`. Source: PAC 05, 08 (18.2).

    `stage` limits it to the drift or to the attack.

    Raises UserError for a hex that the mission does not attack, or a loose mission beyond firepower
    6.
    """
    inputs.refuse_values()
    stage = inputs.word("stage")
    mission = inputs.word("mission")
    fp = inputs.int("fp")
    mission_fp = tables["mission-fp"]
    mission_fp(mission=mission, fp=fp, distance=0)  # refuses what is not on the card
    groups = _group_by_hex(inputs.units("targets")) if stage != "drift" else {}
    units = tuple([unit for group in groups.values() for unit in group])
    hexes: list[Hex] = []
    for hex in _build_hexes(mission_fp, groups, mission, fp):
        mod, parts = compute_leg_modifiers(tables, inputs, groups[hex.name])
        hexes.append(replace(hex, mod=mod, parts=parts))
    area = AreaAttack(tables, units, hexes, no_hero=inputs.flag("no_hero"))
    degrading = inputs.int("degrading")
    lm = inputs.int("lm")

    def drift(_: Attack, roll: Roll) -> Ruling[Attack]:
        white, colored = roll
        answer = tables["spotting-round"](white=white, colored=colored, degrading=degrading, lm=lm)
        outputs = {"hexes": answer["hexes"], "direction": answer["direction"]}
        return Ruling(area.start(), outputs, partial(_list_drift_lines, roll, degrading, lm))

    opening: dict[str, Any] = {"attacks": []}
    for index, hex in enumerate(hexes):
        opening |= {f"attacks[{index}].hex": hex.name, f"attacks[{index}].fp": hex.fp}
    if stage == "attack":
        opening |= {"hexes": NONE, "direction": NONE}
    if not units:
        opening["outcome"] = NONE

    def list_rows() -> Sequence[OddsRow]:
        names: list[str] = []
        for hex in hexes:
            names += [f"{unit.word} in {hex.name}" for unit in units[hex.start : hex.stop]]
        return build_rows(area.checks.items, names) or build_drift_rows(stage)

    steps = {"drift": ruled(SPOTTING, drift), **area.steps()}
    start = area.start() if stage == "attack" else Attack("drift")
    return Plan(
        start,
        steps,
        partial(_resolve_mission, units, stage, mission),
        opening,
        odds_rows=list_rows,
        find_independent_parts=area.checks.split_parts,
    )


def _list_drift_lines(roll: Roll, degrading: int, lm: int) -> list[Line]:
    """Return the lines of the spotting round: its distance with the modifiers, and its direction."""
    parts: list[tuple[str, int | float]] = []
    if degrading:
        parts.append(("degrading", degrading))
    if lm:
        parts.append(("leader", -lm))
    total = roll[0] + degrading - lm
    return [
        Line("distance", roll[:1], tuple(parts), total, "halved, fractions up"),
        Line("direction", roll[1:]),
    ]


def _group_by_hex(units: Sequence[Unit]) -> dict[str, list[Unit]]:
    """Return the units by the name of their hex, in the order in which hexes first appear.

    A unit without hex= is in the hex of the unit before it. Raises UserError if the first unit has
    none.
    """
    groups: dict[str, list[Unit]] = {}
    name: str | None = None
    for unit in units:
        name = unit.numbers.get("hex") or name
        if name is None:
            raise UserError(
                f"{unit.word} needs hex.",
                hint=f"Type it after the unit: {unit.word} hex=A dist=0.",
                code="unit-needs",
            )
        groups.setdefault(name, []).append(unit)
    return groups


def _build_hexes(
    mission_fp: Table, groups: Mapping[str, Sequence[Unit]], mission: str, fp: int
) -> list[Hex]:
    """Return the hexes of a mission, without the modifiers of their units.

    Raises UserError for a hex without dist, or at a distance that the mission does not attack.
    """
    hexes: list[Hex] = []
    start = 0
    for index, (name, units) in enumerate(groups.items()):
        distance = _get_hex_number(name, units, "dist")
        if distance is None:
            hint = "Type it after the first unit in the hex: dist=1."
            raise UserError(f"Hex {name} needs dist.", hint=hint, code="unit-needs")
        answer = mission_fp(mission=mission, fp=fp, distance=distance)
        if not answer["attacked"]:
            problem = f"A {mission} mission cannot attack hex {name} at distance {distance}."
            raise UserError(problem, hint="Take that hex off the list.", code="out-of-reach")
        stop = start + len(units)
        tm = compute_target_terrain(_get_hex_number(name, units, "tm") or 0)
        flammable = any("flammable" in unit.flags for unit in units)
        hex_fp = int(answer["fp"])
        hexes.append(Hex(f"attacks[{index}].", start, stop, hex_fp, tm, name, flammable))
        start = stop
    return hexes


def _get_hex_number(hex: str, units: Sequence[Unit], key: str) -> int | None:
    """Return the number `key` (dist or tm) of a hex from its units, or None if no unit has it.

    Raises UserError if two units have different numbers.
    """
    numbers = [unit.numbers.get(key) for unit in units]
    values = [int(number) for number in numbers if number is not None]
    if len(set(values)) > 1:
        hint = "Type it after the first unit in the hex."
        raise UserError(f"Hex {hex} has more than one {key}.", hint=hint, code="given-twice")
    return values[0] if values else None


def _resolve_mission(
    units: Sequence[Unit], stage: str, mission: str, out: Mapping[str, Any]
) -> Resolution:
    """Return the result of a mission: its drift (unless `stage` is attack), then that of `units`.

    Without units under attack the result is that of the spotting round.
    """
    answers: list[Mapping[str, Any]] = []
    reminders: list[str] = []
    for attack in out["attacks"]:
        answers += attack["targets"]
        reminders += list_fire_reminders(attack, f"hex {attack['hex']}")
    notes: list[str] = []
    if stage != "attack":
        reminders.append(
            "Place the marker; a spotter who still sees it may first shift it one hex within line of sight."
        )
    if mission == "walking-barrage":
        notes.append(
            "In each of the next two turns the markers move one hex and attack again (stage attack)."
        )
    damage = resolve_damage(units, answers)
    hit_words = list_hit_words(damage, answers)
    headline = format_headline(hit_words, hit=bool(hit_words))
    if stage == "attack":
        return resolve_attack(headline, units, damage, reminders=reminders, notes=notes)
    drift = f"{format_distance(out['hexes'])} {out['direction']}"
    if answers:
        return resolve_attack(
            f"drifts {drift}; {headline}",
            units,
            damage,
            reminders=reminders,
            notes=notes,
            cause=f"the round drifts {drift}",
        )
    resolution = resolve_attack(f"drifts {drift}", units, damage, reminders=reminders, notes=notes)
    return resolution._replace(unit_results=(UnitResult("the spotting round", "drifts", drift),))
