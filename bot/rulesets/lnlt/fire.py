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
    list_fire_reminders,
    owe_fire_check,
    tell_impossible_fire_check,
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

# -- the firepower of a stack that fires: who leads, who adds half, which support weapons count

USAGE_OF_ITS_OWN = frozenset(
    {"medic", "corpsman", "armor-leader", "chaplain", "nurse", "marksman", "sniper"}
)
MOTORCYCLE_LIMIT = 2
HURT = frozenset({"shaken", "damaged"})


def attack_firepower(tables: Tables, attackers: Sequence[Unit]) -> tuple[int, ...]:
    """The FP that each attacker adds: the one who leads in full, further ones half, weapons in
    full.

    The first unit that has firepower leads.

    Raises UserError for a unit that cannot fire, weapons that it may not fire, or firepower left
    out. Source: PAC 09, 12 (1.6, 5.2).
    """
    refuse_unfit(attackers)
    for unit in attackers:
        if unit.flags:
            _refuse_hurt(unit)
    powers: list[int] = []
    led = False
    for unit in attackers:
        fp = unit.numbers.get("fp")  # an MMC whose firepower was left out is asked for it later
        leads = not led and bool(
            fp or unit.numbers.get("sw") or (fp is None and unit.type not in SMC)
        )
        led = led or leads
        powers.append(_compute_added_firepower(tables, unit, leads=leads))
    if attackers and not led and all(unit.numbers.get("fp") is None for unit in attackers):
        verb = "has" if len(attackers) == 1 else "have"
        what = f"{join_names(unit.word for unit in attackers)} {verb} no firepower to fire with."
        raise UserError(
            what, hint="List those who fire as well.", option="attackers", code="no-firepower"
        )
    return tuple(powers)


def refuse_to_fire(unit: Unit | None) -> None:
    """Raise UserError for a unit whose state keeps it from firing. Source: PAC 02."""
    if unit is None:
        return
    refuse_unfit([unit])
    _refuse_hurt(unit)


def _refuse_hurt(unit: Unit) -> None:
    if not HURT.isdisjoint(unit.flags):
        state = "shaken" if kinds.is_shaken(unit) else get_state(unit)
        raise UserError(
            f"{unit.word} is {state} and cannot fire.",
            hint="Choose another unit.",
            code="unit-unfit",
        )


def _compute_added_firepower(tables: Tables, unit: Unit, *, leads: bool) -> int:
    """The FP that one unit adds; what is halved has its fractions up."""
    weapons: tuple[int, ...] = tuple(unit.numbers.get("sw") or ())
    if weapons:
        usage = check_weapons(tables, unit, weapons)
        if usage == "one-half-up" and "pair" not in unit.flags:
            weapons = tuple([(fp + 1) // 2 for fp in weapons])
        if counts_as_ops_complete(unit):
            weapons = tuple([(fp + 1) // 2 for fp in weapons])
        if len(weapons) > (1 if unit.type == "squad" else 0):
            # to serve them it gives up its own firepower
            return sum(weapons)
    own = unit.number("fp", 0 if unit.type in SMC else None)
    return sum(weapons) + (own if leads else (own + 1) // 2)


def check_weapons(tables: Tables, unit: Unit, weapons: Sequence[int]) -> str:
    """How the unit fires its support weapons (output fire of table sw-usage).

    Raises UserError for more weapons than it may fire, or for a unit that may fire none. Source:
    PAC 09 (1.6).
    """
    if "cavalry" in unit.flags:
        what = f"{unit.word} is mounted on horses and fires no support weapon."
        raise UserError(what, hint="Leave out sw.", code="support-weapon")
    case = unit.type
    if case in SMC and case not in USAGE_OF_ITS_OWN:
        case = "smc"
    elif case in ("squad", "half-squad") and "motorcycle" in unit.flags:
        case = f"mounted-{case}"
    elif case == "weapon-team" or case not in MMC | SMC:
        problem = f"{unit.word} ({unit.type}) serves no support weapon; its own firepower is fp."
        hint = f"Type it after the unit: {unit.word} fp={sum(weapons)} sw="
        raise UserError(problem, hint=hint, code="support-weapon")
    usage = tables["sw-usage"](case=case)
    carry = usage.get("carry", 0)
    fires = str(usage["fire"])
    if fires == "none" or not carry:
        what = f"{unit.word} ({unit.type}) may not fire a support weapon."
        raise UserError(what, hint="Leave out sw.", code="support-weapon")
    if len(weapons) > carry:
        what = f"{unit.word} fires at most {carry} support weapon{'s' * (carry > 1)}, not {len(weapons)}."
        raise UserError(what, code="support-weapon")
    if "motorcycle" in unit.flags and max(weapons) > MOTORCYCLE_LIMIT:
        what = f"{unit.word} on motorcycles fires support weapons of at most {MOTORCYCLE_LIMIT}."
        raise UserError(what, code="support-weapon")
    return fires


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
    """One attack: who fires at whom with what, and the damage checks of those who are hit.

    `picks` says that a sniper picks one target by die; `advice` is the LM that helps each of them
    in its check.
    """

    attackers: Sequence[Unit]
    targets: Sequence[Unit]
    sums: Opposed
    checks: DamageChecks
    advice: tuple[int, ...]
    picks: bool
    flammable: bool
    reminders: tuple[str, ...]

    def attack(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6 (of a sniper or marksman two) + firepower against 1d6 + terrain; higher: damage
        checks.
        """
        at = now.at
        lm = self.advice[now.at]
        ruling = self.checks.rule_on_attack(self.sums, roll, flammable=self.flammable, at=at, lm=lm)
        return ruling._replace(told={"attack_roll": sum(roll[:-1]), **ruling.told})

    def pick(self, _: Attack, roll: Roll) -> Ruling[Attack]:
        """Whom a sniper hits: one of the targets, by die."""
        line = Line(
            "sniper picks",
            roll,
            result=label_units(self.targets)[roll[0] - 1],
        )
        return Ruling(Attack("attack", at=roll[0] - 1), {"picked": roll[0]}, lambda: [line])

    def steps(self, dice: int) -> dict[str, Step[Attack]]:
        """The pick of a sniper, the attack with this many dice, the fire check and the damage
        checks.
        """
        return {
            "pick": ruled((Die("pick of the sniper", max(len(self.targets), 1)),), self.pick),
            "attack": ruled((ATTACK,) * dice + (DEFENSE,), self.attack),
            "fire check": build_fire_check(self.checks.readings),
            **self.checks.steps(),
        }

    def resolve(self, out: Mapping[str, Any]) -> Resolution:
        """What it did to the targets, and which captured weapons were lost."""
        targets = self.targets[out["picked"] - 1 :][:1] if self.picks else self.targets
        hit = bool(out["hit"])
        closed = [item.unit.word for item in self.checks.items if item.immune] if hit else []
        works = hit and not closed
        notes = [
            f"{word} is armored and closed: only an open one takes a damage check."
            for word in closed
        ]
        kept, lost = resolve_captured_weapons(self.attackers, works=works)
        hurt = resolve_damage(targets, out["targets"])
        return resolve_attack(
            format_headline(hurt.units, hit=hit),
            targets,
            hurt,
            more=(*list_fire_reminders(out), *lost),
            notes=(*notes, *self.reminders),
            firers=self.attackers,
            changes=kept,
            beaten_by=out["dc_mod"],
        )

    def rows(self) -> tuple[OddsRow, ...]:
        """The odds of each target; whom a sniper picks is always told as the first one."""
        crashes = any(unit.type in kinds.AIRBORNE for unit in self.targets[:1])
        shown = build_rows(self.checks.items, crash="targets[0].becomes" if crashes else "")
        return (
            tuple([_limit_row_to_pick(row, at) for at, row in enumerate(shown, 1)])
            if self.picks
            else shown
        )


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """Direct fire of `attackers` at `targets`. Source: PAC 01-03, 05, 09, 12 (5.0).

    Raises UserError for targets that cannot be attacked together, or a stack that cannot fire so.
    """
    given.refuse_values()
    attackers = given.units("attackers")
    targets = given.units("targets")
    shooter = given.word("shooter")
    flammable = given.flag("flammable")
    no_hero = given.flag("no_hero")
    capped = kinds.note_cap(given)
    target = _check_targets(targets)
    powers = attack_firepower(tables, attackers)
    modifiers = _read_modifiers(tables, given, attackers, targets, target)
    picks = shooter == "sniper" and len(targets) > 1 and target is None
    fire = DirectFire(
        attackers=attackers,
        targets=targets,
        sums=_build_sums(powers, modifiers),
        checks=_build_checks(tables, targets, picks=picks, no_hero=no_hero),
        advice=_find_best_leaders(targets) if picks else (0,) * max(len(targets), 1),
        picks=picks,
        flammable=flammable,
        reminders=(*_list_reminders(attackers, targets, shooter), *capped),
    )
    power = sum(powers)
    sums = fire.sums
    opening: dict[str, Any] = {
        "attack_fp": power,
        "attack_mod": sums.attack - power,
        "defense_mod": sums.defense,
    }
    if not picks:
        opening["picked"] = 1 if shooter == "sniper" and targets else NONE
    opening |= {"targets": [], **tell_impossible_fire_check(flammable)}
    return Plan(
        Attack("pick" if picks else "attack"),
        fire.steps(1 if shooter == "normal" else 2),
        fire.resolve,
        opening,
        rows=fire.rows,
        apart=fire.checks.split_parts,
    )


def _read_modifiers(
    tables: Tables,
    given: Given,
    attackers: Sequence[Unit],
    targets: Sequence[Unit],
    target: Unit | None,
) -> Answer:
    """Table dft-mods for this attack; `target` is the one vehicle or helicopter that is
    attacked.
    """
    is_alone = is_lone_sniper(targets)
    marked = read_direct_fire_markers(given, attackers, targets)
    return tables["dft-mods"](
        **given.flags(FLAGS) | marked,
        lm=given.int("lm"),
        degrading=given.int("degrading"),
        skill=given.int("skill"),
        ops_complete=sum([counts_as_ops_complete(unit) for unit in attackers if unit.flags]),
        armor=int(target.numbers.get("av") or 0) if target is not None else 0,
        tm=0 if target is not None and target.type in kinds.AIRBORNE else given.int("tm"),
        lone_sniper=given.word("shooter") != "sniper" and (is_alone or given.flag("lone_sniper")),
    )


def _build_sums(powers: Sequence[int], modifiers: Answer) -> Opposed:
    """What is added to the dice of both sides: the firepower of each unit, and the modifiers."""
    own = build_summed_parts("firepower", powers)
    return Opposed(
        attack=sum(powers) + int(modifiers["attack_mod"]),
        defense=int(modifiers["defense_mod"]),
        attack_parts=(*own, *list_modifiers(modifiers.parts, "attack_mod")),
        defense_parts=list_modifiers(modifiers.parts, "defense_mod"),
    )


def _build_checks(
    tables: Tables, targets: Sequence[Unit], *, picks: bool, no_hero: bool
) -> DamageChecks:
    """The damage checks of all targets together, or of each by itself where a sniper picks one."""
    readings = get_readings(tables)
    paths = ("targets[0]",) * len(targets) if picks else ()
    spans = [(at, at + 1) for at in range(len(targets))] if picks else []
    items = list_items(
        readings, targets, paths=paths, spans=spans, no_hero=no_hero, closed_is_immune=True
    )
    return DamageChecks(readings, items, finish=owe_fire_check, leaves_out_crashed=True)


def _limit_row_to_pick(row: OddsRow, place: int) -> OddsRow:
    """The row of one of those among whom a sniper picks: nothing happens to the others."""

    def read(told: Outputs) -> Any:
        return None if "picked" not in told else row.read(told) if told["picked"] == place else NONE

    return row._replace(paths=("picked", *row.paths), read=read)


def _list_reminders(
    attackers: Sequence[Unit], targets: Sequence[Unit], shooter: str
) -> tuple[str, ...]:
    """What the card leaves to the players who fire. Source: PAC 05, 12."""
    lines = list[str]()
    for unit in attackers if shooter == "normal" else ():
        if unit.type in TWO_DICE:
            more = " and attack one unit at random." if unit.type == "sniper" else "."
            lines.append(
                f"{unit.word} is a {unit.type}: with shooter={unit.type} they roll 2d6{more}"
            )
    if "helicopter" in [unit.type for unit in targets]:
        lines.append("Small arms reach only half as far against helicopters.")
    return tuple(lines)


def _check_targets(targets: Sequence[Unit]) -> Unit | None:
    """The one vehicle or helicopter that is attacked, or None for leg units. Source: PAC 05
    (17.2, 19.2.8).
    """
    vehicles = [unit for unit in targets if not kinds.is_man(unit)]
    if not vehicles:
        return None
    if len(vehicles) > 1:
        hint = "Resolve each by itself."
        raise UserError(
            "Direct fire targets one vehicle or helicopter at a time.",
            hint=hint,
            code="bad-targets",
        )
    if targets[0] is not vehicles[0] or any(kinds.is_leg(unit) for unit in targets):
        what = (
            f"Direct fire at {vehicles[0].word} targets it alone; only its passengers may follow."
        )
        hint = "Mark passengers inside or outside, and attack leg units by themselves."
        raise UserError(what, hint=hint, code="bad-targets")
    return vehicles[0]


def _find_best_leaders(targets: Sequence[Unit]) -> tuple[int, ...]:
    """For each target the best LM of the other good order leaders: they were not shot at.
    Source: PAC 12.
    """
    lent = [kinds.get_leadership(unit) for unit in targets]
    return tuple([max([0, *lent[:at], *lent[at + 1 :]]) for at in range(len(lent))])


# -- a vehicle overruns the defenders of a hex

BONUS, ENTRY_COST = 2, 4
OVERRUN = (d6("vehicle"), d6("defense"))


def plan_overrun(tables: Tables, given: Given) -> Plan[Attack]:
    """An overrun of `targets`. Source: PAC 01 (15.3). Raises UserError for a vehicle that cannot
    fire.
    """
    refuse_to_fire(given.unit("unit"))
    targets = given.units("targets")
    flammable = given.flag("flammable")
    named = (("overrun", BONUS), ("HE", given.int("he")), ("machine guns", given.int("mg")))
    parts = tuple(part for part in (*named, ("armor leader", given.int("lm"))) if part[1])
    tm = kinds.compute_target_terrain(given.int("tm"))
    sums = Opposed(sum(value for _, value in parts), tm, parts, build_target_modifier(tm))
    readings = get_readings(tables)
    able = [may_close_assault(unit) for unit in targets]

    def is_still_able(at: int, state: str) -> Outputs:
        fit = able[at] and state in ("good-order", "wounded")
        return {f"may_close_assault[{at}]": targets[at].word} if fit else {}

    checks = DamageChecks(
        readings,
        list_items(readings, targets, no_hero=given.flag("no_hero")),
        also=is_still_able,
        finish=owe_fire_check,
    )

    def attack(_: Attack, roll: Roll) -> Ruling[Attack]:
        ruling = checks.rule_on_attack(sums, roll, flammable=flammable)
        if ruling.told["hit"]:
            return ruling
        fit = {f"may_close_assault[{at}]": unit.word for at, unit in enumerate(targets) if able[at]}
        return ruling._replace(told={**ruling.told, **fit})

    def resolve(out: Mapping[str, Any]) -> Resolution:
        left = out["may_close_assault"]
        notes = [f"{join_names(left)} may close assault."] if left else []
        hurt = resolve_damage(targets, out["targets"])
        return resolve_attack(
            format_headline(hurt.units, hit=out["hit"]),
            targets,
            hurt,
            more=list_fire_reminders(out),
            notes=notes,
            firers=[given.unit("unit")],
            beaten_by=out["dc_mod"],
        )

    def focus(paths: tuple[str, ...]) -> Plan[Attack]:
        asked = any(path.startswith("may_close_assault") for path in paths)
        return whole if asked else whole._replace(apart=checks.split_parts)

    steps = {
        "attack": ruled(OVERRUN, attack),
        "fire check": build_fire_check(readings),
        **checks.steps(),
    }
    opening: dict[str, Any] = {"targets": [], "may_close_assault": [], "mp_cost": ENTRY_COST}
    whole = Plan(
        Attack("attack"),
        steps,
        resolve,
        opening,
        rows=lambda: build_rows(checks.items),
        by_list="may_close_assault",
    )
    return whole._replace(focus=focus)


def may_close_assault(unit: Unit) -> bool:
    """Return whether the unit is an MMC or a hero on foot, in good order. Source: PAC 01 (17.1)."""
    fit = unit.type in kinds.MMC or unit.type == "hero"
    return fit and not kinds.is_shaken(unit) and not kinds.is_passenger(unit)
