"""Direct fire: small arms and machine guns against a hex of leg units, or one vehicle or
helicopter; and overruns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import Die, d6
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Line,
    OddsRow,
    Outputs,
    Plan,
    Resolution,
    Roll,
    Ruling,
    Step,
    list_modifiers,
    ruled,
)
from bot.rules.tables.table import Answer, Tables
from bot.rules.text.names import join_names
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.aftermath import (
    build_rows,
    format_headline,
    resolve_attack,
    resolve_captured_weapons,
    resolve_damage,
)
from bot.rulesets.lnlt.checks import NONE, DamageChecks
from bot.rulesets.lnlt.impact import (
    build_fire_check,
    build_impossible_fire_check,
    list_fire_reminders,
    owe_fire_check,
)
from bot.rulesets.lnlt.items import Attack, get_readings, label_units, list_items
from bot.rulesets.lnlt.kinds import (
    MMC,
    SMC,
    counts_as_ops_complete,
    get_state,
    is_lone_sniper,
    read_direct_fire_markers,
    refuse_unfit,
)
from bot.rulesets.lnlt.reasons import Opposed, build_summed_parts, build_target_modifier

# -- the firepower of a stack that fires: its leading unit, units that add half, support weapons

USAGE_OF_ITS_OWN = frozenset(
    {"medic", "corpsman", "armor-leader", "chaplain", "nurse", "marksman", "sniper"}
)
"""Single men with a row of their own in table sw-usage; all others have the row `smc`."""
MOTORCYCLE_LIMIT = 2
HURT = frozenset({"shaken", "damaged"})


def compute_attack_firepower(tables: Tables, attackers: Sequence[Unit]) -> tuple[int, ...]:
    """Return the FP that each attacker adds.

    The first unit that has firepower leads and adds its own in full, further units add half.
    Support weapons count in full.

    Raises UserError for a unit out of play, listed twice, shaken or damaged, for weapons that a
    unit may not fire, or for missing firepower. Source: PAC 09, 12 (1.6, 5.2).
    """
    refuse_unfit(attackers)
    for unit in attackers:
        if unit.flags:
            _refuse_hurt(unit)
    powers: list[int] = []
    has_leading_unit = False
    for unit in attackers:
        leads = not has_leading_unit and _may_have_firepower(unit)
        has_leading_unit = has_leading_unit or leads
        powers.append(_compute_added_firepower(tables, unit, leads=leads))
    if attackers and not has_leading_unit:
        _refuse_powerless(attackers)
    return tuple(powers)


def _may_have_firepower(unit: Unit) -> bool:
    """Return whether a unit can be the one that leads: it has firepower or support weapons.

    A unit without the number fp leads, too, unless it is a single man (SMC).
    `_compute_added_firepower` then raises the error that an MMC must have fp.
    """
    fp = unit.numbers.get("fp")
    if fp or unit.numbers.get("sw"):
        return True
    return fp is None and unit.type not in SMC


def _refuse_powerless(attackers: Sequence[Unit]) -> None:
    """Raise UserError unless an attacker has a number for firepower; 0 is one."""
    if any(unit.numbers.get("fp") is not None for unit in attackers):
        return
    names = join_names(unit.word for unit in attackers)
    verb = "has" if len(attackers) == 1 else "have"
    problem = f"{names} {verb} no firepower."
    raise UserError(
        problem, hint="Add the units that fire with them.", option="attackers", code="no-firepower"
    )


def refuse_to_fire(unit: Unit | None) -> None:
    """Raise UserError for a unit that is out of play, shaken or damaged. Source: PAC 02."""
    if unit is None:
        return
    refuse_unfit([unit])
    _refuse_hurt(unit)


def _refuse_hurt(unit: Unit) -> None:
    """Raise UserError for a unit that is shaken or damaged, and so cannot fire."""
    if not HURT.isdisjoint(unit.flags):
        state = "shaken" if kinds.is_shaken(unit) else get_state(unit)
        raise UserError(
            f"{unit.word} is {state} and cannot fire.",
            hint="Choose another unit.",
            code="unit-unfit",
        )


def _compute_added_firepower(tables: Tables, unit: Unit, *, leads: bool) -> int:
    """Return the FP that one unit adds: its own (half unless it `leads`) and its support weapons.

    The unit gives up its own firepower if it fires weapons: a squad with two or more, any other
    unit with one. Weapons count half if table sw-usage says so (not those of a `pair`), and half
    under Ops Complete. Halves are rounded up.

    Raises UserError for weapons that the unit may not fire, or for an MMC without fp.
    """
    weapons: tuple[int, ...] = tuple(unit.numbers.get("sw") or ())
    if weapons:
        usage = check_weapons(tables, unit, weapons)
        if usage == "one-half-up" and "pair" not in unit.flags:
            weapons = _halve_up(weapons)
        if counts_as_ops_complete(unit):
            weapons = _halve_up(weapons)
        free_weapons = 1 if unit.type == "squad" else 0
        if len(weapons) > free_weapons:
            return sum(weapons)
    default_fp = 0 if unit.type in SMC else None
    own_fp = unit.number("fp", default_fp)
    if not leads:
        own_fp = (own_fp + 1) // 2
    return sum(weapons) + own_fp


def _halve_up(numbers: Sequence[int]) -> tuple[int, ...]:
    """Return half of each number, fractions up."""
    return tuple([(number + 1) // 2 for number in numbers])


def check_weapons(tables: Tables, unit: Unit, weapons: Sequence[int]) -> str:
    """Return how the unit fires its support weapons: output fire of table sw-usage.

    `weapons` are the FP of the weapons. Raises UserError for more weapons than the unit may fire,
    or for a unit that may fire none. Source: PAC 09 (1.6).
    """
    usage = tables["sw-usage"](case=_get_usage_case(unit, weapons))
    capacity = usage.get("carry", 0)
    fires = str(usage["fire"])
    if fires == "none" or not capacity:
        problem = f"{unit.word} ({unit.type}) may not fire a support weapon."
        raise UserError(problem, hint="Leave out sw.", code="support-weapon")
    if len(weapons) > capacity:
        plural = "s" if capacity > 1 else ""
        limit = f"{capacity} support weapon{plural}"
        problem = f"{unit.word} can fire at most {limit}, not {len(weapons)}."
        raise UserError(problem, code="support-weapon")
    if "motorcycle" in unit.flags and max(weapons) > MOTORCYCLE_LIMIT:
        problem = f"{unit.word} on motorcycles can only fire support weapons of FP {MOTORCYCLE_LIMIT} or less."
        raise UserError(problem, code="support-weapon")
    return fires


def _get_usage_case(unit: Unit, weapons: Sequence[int]) -> str:
    """Return the row of the unit in table sw-usage.

    Raises UserError for cavalry, a weapon team, or anything that is no MMC and no single man.
    `weapons` are the FP of its support weapons, for the advice in the error.
    """
    if "cavalry" in unit.flags:
        problem = f"{unit.word} is mounted on horses and cannot fire support weapons."
        raise UserError(problem, hint="Leave out sw.", code="support-weapon")
    type = unit.type
    if type in SMC:
        return type if type in USAGE_OF_ITS_OWN else "smc"
    if type in ("squad", "half-squad") and "motorcycle" in unit.flags:
        return f"mounted-{type}"
    if type == "weapon-team" or type not in MMC:
        problem = f"{unit.word} ({type}) cannot use support weapons; fp is its own firepower."
        hint = f"Type it after the unit: {unit.word} fp={sum(weapons)} sw="
        raise UserError(problem, hint=hint, code="support-weapon")
    return type


# -- direct fire: small arms and machine guns against a hex of leg units, or against one vehicle or
# helicopter

ATTACK = d6("attack")
DEFENSE = d6("defense")
TWO_DICE = frozenset({"sniper", "marksman"})
FLAGS = (
    "smoke", "tis", "mg_pivot", "mg_assault", "night", "attacker_flying", "between_buildings", "hit_and_run", "assault",
    "adjacent", "adjacent_a", "fired_ordnance_sw", "target_moved", "mounted_stationary", "rubber_boat",
    "vehicle_moved", "target_flying",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DirectFire:
    """One attack by direct fire: the units, the numbers added to the dice, and the damage checks.

    `picks_target` means that a sniper picks one of several targets by die. `leader_bonuses` has for
    each target the LM that helps it in its check if it is picked; all are 0 without a pick.
    """

    attackers: Sequence[Unit]
    targets: Sequence[Unit]
    sums: Opposed
    checks: DamageChecks
    leader_bonuses: tuple[int, ...]
    picks_target: bool
    flammable: bool
    reminders: tuple[str, ...]

    def attack(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on the attack dice + firepower against 1d6 + terrain; if higher: damage checks.

        A sniper or marksman has two attack dice, all others have one.
        """
        ruling = self.checks.rule_on_attack(
            self.sums,
            roll,
            flammable=self.flammable,
            unit_index=state.unit_index,
            lm=self.leader_bonuses[state.unit_index],
        )
        return ruling._replace(outputs={"attack_roll": sum(roll[:-1]), **ruling.outputs})

    def pick(self, _: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on the die by which a sniper picks one of the targets."""
        position = roll[0]
        label = label_units(self.targets)[position - 1]
        line = Line("sniper picks", roll, result=label)
        next_state = Attack("attack", unit_index=position - 1)
        return Ruling(next_state, {"picked": position}, lambda: [line])

    def steps(self, dice: int) -> dict[str, Step[Attack]]:
        """Return the steps pick, attack (with `dice` attack dice), fire check and damage checks."""
        pick_die = Die("pick of the sniper", max(len(self.targets), 1))
        return {
            "pick": ruled((pick_die,), self.pick),
            "attack": ruled((ATTACK,) * dice + (DEFENSE,), self.attack),
            "fire check": build_fire_check(self.checks.readings),
            **self.checks.steps(),
        }

    def resolve(self, out: Mapping[str, Any]) -> Resolution:
        """Return the result for the targets, with reminders and changes of captured weapons.

        If a sniper picks, only the picked target has a result.
        """
        targets = self.targets
        if self.picks_target:
            targets = self.targets[out["picked"] - 1 :][:1]
        hit = bool(out["hit"])
        immune_words: list[str] = []
        if hit:
            immune_words = [item.unit.word for item in self.checks.items if item.immune]
        notes = [
            f"{word} is armored and closed: only an open one takes a damage check."
            for word in immune_words
        ]
        weapons_work = hit and not immune_words
        weapon_changes, weapon_reminders = resolve_captured_weapons(
            self.attackers, works=weapons_work
        )
        damage = resolve_damage(targets, out["targets"])
        return resolve_attack(
            format_headline(damage.unit_words, hit=hit),
            targets,
            damage,
            reminders=(*list_fire_reminders(out), *weapon_reminders),
            notes=(*notes, *self.reminders),
            firers=self.attackers,
            changes=weapon_changes,
            beaten_by=out["dc_mod"],
        )

    def rows(self) -> tuple[OddsRow, ...]:
        """Return a row of odds for each target. If a sniper picks, all have the path of the first."""
        can_crash = any(unit.type in kinds.AIRBORNE for unit in self.targets[:1])
        rows = build_rows(self.checks.items, crash="targets[0].becomes" if can_crash else "")
        if not self.picks_target:
            return rows
        return tuple([_limit_row_to_pick(row, position) for position, row in enumerate(rows, 1)])


def plan(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan direct fire of `attackers` at `targets`. Source: PAC 01-03, 05, 09, 12 (5.0).

    Raises UserError for targets that cannot be attacked together, or a stack that cannot fire so.
    """
    inputs.refuse_values()
    attackers = inputs.units("attackers")
    targets = inputs.units("targets")
    shooter = inputs.word("shooter")
    flammable = inputs.flag("flammable")
    no_hero = inputs.flag("no_hero")
    cap_notes = kinds.list_cap_notes(inputs)
    vehicle = _check_targets(targets)
    powers = compute_attack_firepower(tables, attackers)
    modifiers = _read_modifiers(tables, inputs, attackers, targets, vehicle)
    picks_target = shooter == "sniper" and len(targets) > 1 and vehicle is None
    leader_bonuses = (0,) * max(len(targets), 1)
    if picks_target:
        leader_bonuses = _find_best_leaders(targets)
    fire = DirectFire(
        attackers=attackers,
        targets=targets,
        sums=_build_sums(powers, modifiers),
        checks=_build_checks(tables, targets, picks_target=picks_target, no_hero=no_hero),
        leader_bonuses=leader_bonuses,
        picks_target=picks_target,
        flammable=flammable,
        reminders=(*_list_reminders(attackers, targets, shooter), *cap_notes),
    )
    power = sum(powers)
    opening: dict[str, Any] = {
        "attack_fp": power,
        "attack_mod": fire.sums.attack - power,
        "defense_mod": fire.sums.defense,
    }
    if not picks_target:
        opening["picked"] = 1 if shooter == "sniper" and targets else NONE
    opening |= {"targets": [], **build_impossible_fire_check(flammable)}
    first_step = "pick" if picks_target else "attack"
    attack_dice = 1 if shooter == "normal" else 2
    return Plan(
        Attack(first_step),
        fire.steps(attack_dice),
        fire.resolve,
        opening,
        odds_rows=fire.rows,
        find_independent_parts=fire.checks.split_parts,
    )


def _read_modifiers(
    tables: Tables,
    inputs: Given,
    attackers: Sequence[Unit],
    targets: Sequence[Unit],
    vehicle: Unit | None,
) -> Answer:
    """Return the answer of table dft-mods for this attack.

    `vehicle` is the vehicle or helicopter that is attacked, or None for leg units.
    """
    is_sniper_alone = is_lone_sniper(targets)
    marker_inputs = read_direct_fire_markers(inputs, attackers, targets)
    modifier_table = tables["dft-mods"]
    armor = 0
    tm = inputs.int("tm")
    if vehicle is not None:
        armor = int(vehicle.numbers.get("av") or 0)
        if vehicle.type in kinds.AIRBORNE:
            tm = 0
    is_alone = is_sniper_alone or inputs.flag("lone_sniper")
    return modifier_table(
        **inputs.flags(FLAGS) | marker_inputs,
        lm=inputs.int("lm"),
        degrading=inputs.int("degrading"),
        skill=inputs.int("skill"),
        ops_complete=sum([counts_as_ops_complete(unit) for unit in attackers if unit.flags]),
        armor=armor,
        tm=tm,
        lone_sniper=is_alone and inputs.word("shooter") != "sniper",
    )


def _build_sums(powers: Sequence[int], modifiers: Answer) -> Opposed:
    """Return the numbers added to both sides' dice: the FP of each unit, and the modifiers."""
    power_parts = build_summed_parts("firepower", powers)
    return Opposed(
        attack=sum(powers) + int(modifiers["attack_mod"]),
        defense=int(modifiers["defense_mod"]),
        attack_parts=(*power_parts, *list_modifiers(modifiers.parts, "attack_mod")),
        defense_parts=list_modifiers(modifiers.parts, "defense_mod"),
    )


def _build_checks(
    tables: Tables, targets: Sequence[Unit], *, picks_target: bool, no_hero: bool
) -> DamageChecks:
    """Return the damage checks of all targets together, or of each alone if a sniper picks one."""
    readings = get_readings(tables)
    paths: tuple[str, ...] = ()
    spans: list[tuple[int, int]] = []
    if picks_target:
        paths = ("targets[0]",) * len(targets)
        spans = [(index, index + 1) for index in range(len(targets))]
    items = list_items(
        readings, targets, paths=paths, spans=spans, no_hero=no_hero, closed_is_immune=True
    )
    return DamageChecks(readings, items, finish=owe_fire_check, skips_crashed=True)


def _limit_row_to_pick(row: OddsRow, position: int) -> OddsRow:
    """Return the odds row of the target at `position` (from 1), if a sniper picks one of several.

    The result is none if the sniper picks another target, and None before the pick.
    """

    def read(outputs: Outputs) -> Any:
        if "picked" not in outputs:
            return None
        return row.read(outputs) if outputs["picked"] == position else NONE

    return row._replace(paths=("picked", *row.paths), read=read)


def _list_reminders(
    attackers: Sequence[Unit], targets: Sequence[Unit], shooter: str
) -> tuple[str, ...]:
    """Return reminders of rules that players must apply themselves; () if none apply.

    They are for snipers and marksmen who fire as normal shooters, and for the range to helicopters.
    Source: PAC 05, 12.
    """
    reminders: list[str] = []
    for unit in attackers if shooter == "normal" else ():
        if unit.type in TWO_DICE:
            ending = " and attack one unit at random." if unit.type == "sniper" else "."
            reminders.append(
                f"{unit.word} is a {unit.type}: with shooter={unit.type} they roll 2d6{ending}"
            )
    if "helicopter" in [unit.type for unit in targets]:
        reminders.append("Small arms reach only half as far against helicopters.")
    return tuple(reminders)


def _check_targets(targets: Sequence[Unit]) -> Unit | None:
    """Return the vehicle or helicopter that is attacked, or None if all targets are men.

    Raises UserError for several vehicles, or for a vehicle that is not first or is listed together
    with leg units. Source: PAC 05 (17.2, 19.2.8).
    """
    vehicles = [unit for unit in targets if not kinds.is_man(unit)]
    if not vehicles:
        return None
    if len(vehicles) > 1:
        hint = "Resolve each one separately."
        raise UserError(
            "Direct fire targets one vehicle or helicopter at a time.",
            hint=hint,
            code="bad-targets",
        )
    vehicle = vehicles[0]
    if targets[0] is not vehicle or any(kinds.is_leg(unit) for unit in targets):
        problem = f"Direct fire at {vehicle.word} targets it alone; only its passengers may follow."
        hint = "Mark passengers inside or outside, and attack leg units separately."
        raise UserError(problem, hint=hint, code="bad-targets")
    return vehicle


def _find_best_leaders(targets: Sequence[Unit]) -> tuple[int, ...]:
    """Return for each target the best LM of the other leaders that are not shaken, at least 0.

    They can help the target that a sniper picks, because they were not shot at. Source: PAC 12.
    """
    lms = [kinds.get_leadership(unit) for unit in targets]
    best_lms: list[int] = []
    for index in range(len(lms)):
        other_lms = (*lms[:index], *lms[index + 1 :])
        best_lms.append(max([0, *other_lms]))
    return tuple(best_lms)


# -- a vehicle overruns the defenders of a hex

BONUS = 2
ENTRY_COST = 4
OVERRUN = (d6("vehicle"), d6("defense"))


@dataclass(frozen=True, slots=True)
class Overrun:
    """An overrun by one vehicle: its targets, the numbers added to the dice, and the damage checks.

    `may_assault` has for each target if it is able to close assault, by its type and state before
    the attack.
    """

    vehicle: Unit | None
    targets: Sequence[Unit]
    may_assault: tuple[bool, ...]
    sums: Opposed
    checks: DamageChecks
    flammable: bool

    def attack(self, _: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on 1d6 + the vehicle's numbers against 1d6 + terrain.

        Without a hit every able target may close assault the vehicle; with a hit those that come
        through their damage checks in good order or wounded.
        """
        ruling = self.checks.rule_on_attack(self.sums, roll, flammable=self.flammable)
        if ruling.outputs["hit"]:
            return ruling
        outputs = {**ruling.outputs}
        for index, unit in enumerate(self.targets):
            if self.may_assault[index]:
                outputs[f"may_close_assault[{index}]"] = unit.word
        return ruling._replace(outputs=outputs)

    def resolve(self, out: Mapping[str, Any]) -> Resolution:
        """Return the result for the targets, with a note of the units that may close assault."""
        able_names = out["may_close_assault"]
        notes = [f"{join_names(able_names)} may close assault."] if able_names else []
        damage = resolve_damage(self.targets, out["targets"])
        return resolve_attack(
            format_headline(damage.unit_words, hit=out["hit"]),
            self.targets,
            damage,
            reminders=list_fire_reminders(out),
            notes=notes,
            firers=[self.vehicle],
            beaten_by=out["dc_mod"],
        )


def plan_overrun(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan an overrun of `targets`. Source: PAC 01 (15.3).

    Raises UserError for a vehicle that is out of play, shaken or damaged.
    """
    vehicle = inputs.unit("unit")
    refuse_to_fire(vehicle)
    targets = inputs.units("targets")
    tm = kinds.compute_target_terrain(inputs.int("tm"))
    readings = get_readings(tables)
    may_assault = tuple([may_close_assault(unit) for unit in targets])

    def list_able_units(index: int, state: str) -> Outputs:
        if may_assault[index] and state in ("good-order", "wounded"):
            return {f"may_close_assault[{index}]": targets[index].word}
        return {}

    checks = DamageChecks(
        readings,
        list_items(readings, targets, no_hero=inputs.flag("no_hero")),
        build_extra_outputs=list_able_units,
        finish=owe_fire_check,
    )
    parts = _list_overrun_parts(inputs)
    attack = sum(value for _, value in parts)
    overrun = Overrun(
        vehicle=vehicle,
        targets=targets,
        may_assault=may_assault,
        sums=Opposed(attack, tm, parts, build_target_modifier(tm)),
        checks=checks,
        flammable=inputs.flag("flammable"),
    )
    steps = {
        "attack": ruled(OVERRUN, overrun.attack),
        "fire check": build_fire_check(readings),
        **checks.steps(),
    }
    opening: dict[str, Any] = {"targets": [], "may_close_assault": [], "mp_cost": ENTRY_COST}
    whole_plan = Plan(
        Attack("attack"),
        steps,
        overrun.resolve,
        opening,
        odds_rows=lambda: build_rows(checks.items),
        list_output="may_close_assault",
    )

    def focus(paths: tuple[str, ...]) -> Plan[Attack]:
        """Return the plan in independent parts, unless `paths` need the list may_close_assault."""
        needs_list = any(path.startswith("may_close_assault") for path in paths)
        return (
            whole_plan
            if needs_list
            else whole_plan._replace(find_independent_parts=checks.split_parts)
        )

    return whole_plan._replace(narrow=focus)


def _list_overrun_parts(inputs: Given) -> tuple[tuple[str, int], ...]:
    """Return the named numbers added to the vehicle's die; zeros are left out."""
    parts = (
        ("overrun", BONUS),
        ("HE", inputs.int("he")),
        ("machine guns", inputs.int("mg")),
        ("armor leader", inputs.int("lm")),
    )
    return tuple([part for part in parts if part[1]])


def may_close_assault(unit: Unit) -> bool:
    """Return whether the unit is an MMC or a hero on foot, and not shaken. Source: PAC 01 (17.1)."""
    has_right_type = unit.type in kinds.MMC or unit.type == "hero"
    return has_right_type and not kinds.is_shaken(unit) and not kinds.is_passenger(unit)
