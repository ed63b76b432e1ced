"""Shooting and interrupts.

In shooting all characters roll to hit; then follow, hit by hit, the save and the damage dice, and
the element takes the worst result. An interrupt spots first, and each character rolls everything
before the next one.

Source: Infantry Combat, Shooting, Damage, Save; Interrupt, Spotting and Shooting.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from operator import add
from typing import Any, NamedTuple, TypeAlias

from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    IndependentPart,
    IndependentParts,
    Line,
    Outputs,
    Plan,
    Resolution,
    Roll,
    RuledStep,
    Ruling,
    UnitResult,
    list_modifiers,
    resolve_never,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rules.text.names import add_article, join_names
from bot.rulesets.ucn import shooters
from bot.rulesets.ucn.shooters import (
    LAST,
    STATUSES,
    Check,
    Shooter,
    build_mod_part,
    build_sum_line,
    d20,
    format_lost_ap,
    format_needed,
)

CONDITIONS = (
    "target_moving", "target_in_cover", "target_hidden", "target_gone_firm", "attacker_higher", "attacker_lower",
)  # fmt: skip
MOVING = "moving"
Resolve = Callable[[Mapping[str, Any]], Resolution]


class Toll(NamedTuple):
    """The results of the fire so far; `worst` is an index in the list of statuses."""

    hits: int = 0
    saved: int = 0
    casualties: int = 0
    worst: int = 0

    def build_outputs(self) -> dict[str, Any]:
        """Return the outputs of the whole fire."""
        return {
            "hits": self.hits,
            "saved": self.saved,
            "casualties": self.casualties,
            "status": STATUSES[self.worst],
            "morale_loss": shooters.MORALE_LOSS * self.casualties,
        }


NO_TOLL = Toll()


class FireState(NamedTuple):
    """The state of a fire: the step that is due, and the position of the shooter who rolls.

    `hits` are the positions of the shooters whose save or damage is rolled later, `toll` the
    results so far.
    """

    next_step: str | None
    position: int = 0
    hits: tuple[int, ...] = ()
    toll: Toll = NO_TOLL


class Firing:
    """The rolls of a fire, and the rulings on them.

    `spots` are the Spot checks of an interrupt, one for each shooter, None for a target that is
    spotted automatically. Without `spots` it is shooting.
    """

    def __init__(
        self, firing: tuple[Shooter, ...], spots: Sequence[Check | None] | None = None
    ) -> None:
        self.firing = firing
        self.interrupts = spots is not None
        self.spots = (None,) * len(firing) if spots is None else tuple(spots)

    def plan(self, resolve: Resolve, lines: tuple[Line, ...]) -> Plan[FireState]:
        """Return the plan of the fire.

        `resolve` returns its result from the finished outputs, `lines` are the answer's first lines.
        """
        opening: dict[str, Any] = {"shooters": []}
        for shooter, spot in zip(self.firing, self.spots, strict=True):
            path = shooter.path
            opening[f"{path}.weapon"] = shooter.weapon.word
            opening[f"{path}.final_skill"] = shooter.check.final
            if self.interrupts:
                opening[f"{path}.spot_final"] = None if spot is None else spot.final
            if self.interrupts and spot is None:
                opening[f"{path}.spot_roll"] = None
                opening[f"{path}.spotted"] = True
        start = self.turn(0, NO_TOLL)
        return Plan(
            start,
            self.steps(),
            resolve,
            opening,
            lambda fire: fire.toll.build_outputs(),
            lines,
            find_independent_parts=self.split_parts,
        )

    def steps(self) -> dict[str, RuledStep[FireState]]:
        """Return the steps of a fire by name."""
        return {
            "spot": ruled(lambda fire: self.dice(fire, "to spot"), self.spot),
            "shot": ruled(lambda fire: self.dice(fire, "to hit"), self.shot),
            "save": ruled(lambda fire: self.dice(fire, "save"), self.save),
            "damage": ruled(self.list_damage_dice, self.damage),
        }

    def dice(self, fire: FireState, roll_name: str) -> tuple[Die, ...]:
        """Return a d20 of the character who rolls, labelled with `roll_name`."""
        return d20(f"{self.firing[fire.position].label} {roll_name}")

    def list_damage_dice(self, fire: FireState) -> tuple[Die, ...]:
        """Return the damage dice of the character who rolls."""
        return self.dice(fire, "damage") * self.firing[fire.position].weapon.dice

    # -- the order of the characters ----------------------------------------------------------------------

    def turn(self, position: int, toll: Toll, hits: tuple[int, ...] = ()) -> FireState:
        """Return the state in which the character at `position` owes the first roll.

        `toll` are the results so far, `hits` the shooters whose save or damage is rolled later.
        After the last character it is the state of `start_next_hit`.
        """
        if position < len(self.firing):
            step = "shot" if self.spots[position] is None else "spot"
            return FireState(step, position, hits, toll)
        return self.start_next_hit(hits, toll)

    def start_next_hit(self, hits: tuple[int, ...], toll: Toll) -> FireState:
        """Return the state in which the first of `hits` owes its save or damage dice.

        The save comes first if one is allowed. The other hits wait in the state. Without hits it is
        the end of the fire. `toll` are the results so far.
        """
        if not hits:
            return FireState(None, toll=toll)
        position, *later_hits = hits
        step = "damage" if self.firing[position].saves is None else "save"
        return FireState(step, position, tuple(later_hits), toll)

    def finish_character(self, fire: FireState, toll: Toll) -> FireState:
        """Return the state after the last roll of the character who rolls.

        The next character is due in an interrupt, the next hit in shooting. `toll` are the results
        so far, this character's with them.
        """
        if self.interrupts:
            return self.turn(fire.position + 1, toll)
        return self.start_next_hit(fire.hits, toll)

    # -- the rolls ----------------------------------------------------------------------------------------

    def spot(self, fire: FireState, roll: Roll) -> Ruling[FireState]:
        """Rule on a Spot roll.

        A character who spots the target shoots next. One who does not spot it does not attack.
        """
        spot = self.spots[fire.position]
        shooter = self.firing[fire.position]
        (face,) = roll
        assert spot is not None
        path = shooter.path
        is_spotted = spot.passes[face]
        outputs: dict[str, Any] = {f"{path}.spot_roll": face, f"{path}.spotted": is_spotted}
        if is_spotted:
            next_state = fire._replace(next_step="shot")
        else:
            outputs |= {
                f"{path}.roll": None,
                f"{path}.hit": False,
                f"{path}.saved": None,
                f"{path}.damage": [],
            }
            next_state = self.finish_character(fire, fire.toll)
        return Ruling(
            next_state, outputs, lambda: (_build_check_line(shooter, "to spot", spot, roll),)
        )

    def shot(self, fire: FireState, roll: Roll) -> Ruling[FireState]:
        """Rule on a roll to hit: at or under the final skill hits.

        In shooting the next character rolls first; in an interrupt a hit is worked out at once.
        """
        position = fire.position
        shooter = self.firing[position]
        toll = fire.toll
        (face,) = roll
        path = shooter.path
        is_hit = shooter.check.passes[face]
        outputs: dict[str, Any] = {f"{path}.roll": face, f"{path}.hit": is_hit}
        if not is_hit or shooter.saves is None:
            outputs[f"{path}.saved"] = None
        if not is_hit:
            outputs[f"{path}.damage"] = []
        if not self.interrupts:
            outputs[f"{path}.loses_ap"] = face == LAST
        hits = fire.hits
        if is_hit:
            toll = toll._replace(hits=toll.hits + 1)
            hits = (*hits, position)
        if is_hit and self.interrupts:
            next_state = self.start_next_hit((position,), toll)
        else:
            next_state = self.turn(position + 1, toll, hits)
        return Ruling(
            next_state,
            outputs,
            lambda: (_build_check_line(shooter, "to hit", shooter.check, roll),),
        )

    def save(self, fire: FireState, roll: Roll) -> Ruling[FireState]:
        """Rule on the save from a hit by a pistol, an SMG or a blast.

        If it fails, the damage dice follow.
        """
        shooter = self.firing[fire.position]
        toll = fire.toll
        assert shooter.saves is not None
        path = shooter.path
        faces = shooter.saves
        is_saved = faces[roll[0] - 1] == shooters.SAVED
        outputs: dict[str, Any] = {f"{path}.saved": is_saved}
        if is_saved:
            outputs[f"{path}.damage"] = []
            next_state = self.finish_character(fire, toll._replace(saved=toll.saved + 1))
        else:
            next_state = fire._replace(next_step="damage")

        def build_lines() -> tuple[Line]:
            name = shooter.display_name
            label = f"save against {name}"
            joins = f"saves against {shooter.arms}"
            result = f"{faces.count(shooters.SAVED)} or less needed"
            return (Line(label, roll, result=result, unit=name, joins=joins),)

        return Ruling(next_state, outputs, build_lines)

    def damage(self, fire: FireState, roll: Roll) -> Ruling[FireState]:
        """Rule on the damage dice: each is read by itself, and the element takes the worst status."""
        shooter = self.firing[fire.position]
        damage = shooter.damage
        outputs = dict[str, Any]()
        for number, face in enumerate(roll):
            outputs |= _build_die_outputs(shooter, number, face)
        next_state = self._apply_damage(fire, damage.casualties(roll), damage.worst(roll))
        return Ruling(next_state, outputs, lambda: (build_damage_line(shooter, roll),))

    def _apply_damage(self, fire: FireState, dead: int = 0, worst: int = 0) -> FireState:
        """Return the state after the damage dice of the character who rolls.

        `dead` are the casualties by them, `worst` is the index of their worst status.
        """
        toll = fire.toll._replace(
            casualties=fire.toll.casualties + dead, worst=max(fire.toll.worst, worst)
        )
        return self.finish_character(fire, toll)

    # -- what follows is for the odds; the rules end here ---------------------------------------------------

    def split_parts(self, fire: FireState) -> IndependentParts[FireState] | None:
        """Split the fire into parts whose odds can be worked out separately.

        The parts are single damage dice, or, before the first of several characters has fired, the
        characters. Return None in any other state.
        """
        if fire.next_step == "damage":
            shooter = self.firing[fire.position]
            dice = [self._build_die_part(shooter, number) for number in range(shooter.damage.dice)]
            reads = {"dead": ("casualties", "morale_loss"), "worst": ("status",)}
            return IndependentParts(
                dice,
                {"dead": add, "worst": max},
                lambda **damage: Ruling(self._apply_damage(fire, **damage)),
                reads,
            )
        if len(self.firing) > 1 and fire.position == 0:
            characters = [self._build_part(position) for position in range(len(self.firing))]
            return IndependentParts(characters, TOTALS)
        return None

    def _build_part(self, position: int) -> IndependentPart[FireState]:
        """Return all dice of one character as an independent part."""
        shooter = self.firing[position]
        spot = self.spots[position]

        def plan() -> Plan[FireState]:
            alone = Firing((shooter,), (spot,) if self.interrupts else None)
            return alone.plan(resolve_never, ())._replace(opening={})

        key = (spot, shooter.check, shooter.damage, shooter.saves)
        return IndependentPart((shooter.path,), plan, key)

    def _build_die_part(self, shooter: Shooter, number: int) -> IndependentPart[Any]:
        """Return one damage die as an independent part; `number` is its index from 0."""
        damage = shooter.damage

        def build_outputs(face: int) -> Outputs:
            totals = {"dead": damage.casualties((face,)), "worst": damage.worst((face,))}
            return _build_die_outputs(shooter, number, face) | totals

        path = f"{shooter.path}.damage[{number}]"
        return shooters.build_die_part(path, build_outputs, damage)


def plan(tables: Tables, inputs: Given) -> Plan[FireState]:
    """Return the plan for the fire of `shooters`.

    Raises UserError for a shooter without weapon or skill, for higher together with lower, and
    (without `anyway`) for one that cannot act or lacks AP.
    Source: Infantry Combat, Shooting, Damage, Status Damage, Save.
    """
    cover = shooters.build_firm_cover(tables, inputs)

    @cache
    def build_modifiers(is_moving: bool) -> shooters.Parts:
        card = tables["shoot-modifiers"](
            **inputs.flags(CONDITIONS),
            attacker_moving=is_moving,
            extra_ap=inputs.int("extra_ap"),
        )
        return (*list_modifiers(card.parts), *cover)

    firing = shooters.read_shooters(
        tables, inputs, lambda unit: build_modifiers(is_moving(unit, inputs))
    )
    units = inputs.units("shooters")
    payments = shooters.list_payments(tables, units, inputs.int("extra_ap"))
    if not inputs.flag("anyway"):
        shooters.refuse_overdraft(payments)
    overrides = shooters.list_overrides(units)
    resolve = partial(
        resolve_fire,
        inputs,
        firing,
        "shoots|shoot",
        shooter_changes=tuple([payment.build_change() for payment in payments]),
        costs=(*overrides, *[payment.describe() for payment in payments]),
    )
    return Firing(firing).plan(resolve, shooters.build_skill_lines(firing))


def is_moving(unit: Unit, inputs: Given) -> bool:
    """Return whether a shooter is moving: the typed `attacker_moving`, or else its own flag."""
    if "attacker_moving" in inputs.typed:
        return inputs.flag("attacker_moving")
    return MOVING in unit.flags


# -- interrupts: character by character a Spot roll, then one free attack with hit, save and damage
# as in shooting

SPOTTING = (
    "target_moving", "target_concealed", "target_hidden", "target_gone_firm", "target_fired_suppression",
    "target_vehicle", "attacker_higher", "attacker_lower",
)  # fmt: skip
SHOOTING = (
    "target_moving",
    "target_in_cover",
    "target_hidden",
    "target_gone_firm",
    "attacker_higher",
    "attacker_lower",
)
GIVEN_UP = "the shooters give up their next activation; characters under fire may roll to react (`/ucn react`)"
ACTIVATED = frozenset({"activated"})
REFUSED = {"hits": 0, "saved": 0, "casualties": 0, "status": "not-allowed", "morale_loss": 0}


def plan_interrupt(tables: Tables, inputs: Given) -> Plan[FireState]:
    """Return the plan for an interrupt of `shooters`: a plan without dice if the card forbids it.

    Raises UserError for a shooter without weapon or skill, for higher together with lower, and
    (without `anyway`) for one that cannot act.
    Source: Interrupt, Spotting and Shooting.
    """
    if not inputs.flag("anyway"):
        shooters.refuse_unfit(inputs.unit("unit"), "unit")
    spot_answer = tables["spot-modifiers"](**inputs.flags(SPOTTING))
    shoot_answer = tables["shoot-modifiers"](**inputs.flags(SHOOTING))
    parts = (*list_modifiers(shoot_answer.parts), *shooters.build_firm_cover(tables, inputs))
    firing = shooters.read_shooters(tables, inputs, lambda _: parts)
    spots = _build_spot_checks(tables, inputs, firing, list_modifiers(spot_answer.parts))
    units = list_acting_units(inputs)
    reason = find_prohibition(inputs, units)
    if reason:
        return _build_prohibited_plan(inputs, reason)
    different_spots = {spot.parts: spot for spot in spots if spot is not None}
    spot_lines = [build_sum_line(spot, "to spot") for spot in different_spots.values()]
    resolve = partial(
        resolve_fire,
        inputs,
        firing,
        "interrupts|interrupt",
        shooter_changes=tuple([Change(unit.name, mark=ACTIVATED) for unit in units]),
        costs=(*shooters.list_overrides(units), GIVEN_UP),
    )
    lines = (*spot_lines, *shooters.build_skill_lines(firing))
    return Firing(firing, spots).plan(resolve, lines)


def _build_prohibited_plan(inputs: Given, reason: str) -> Plan[FireState]:
    """Return a plan without dice that only says why the interrupt is not allowed."""
    target_name = shooters.name_unit(inputs.unit("target"), "the target")
    result = UnitResult(target_name, "not-allowed", reason)
    resolution = Resolution(f"not allowed: {reason}", unit_results=(result,))
    return Plan(FireState(None), {}, lambda _: resolution, {"shooters": [], **REFUSED})


def _build_spot_checks(
    tables: Tables,
    inputs: Given,
    firing: tuple[Shooter, ...],
    modifiers: tuple[tuple[str, int | float], ...],
) -> tuple[Check | None, ...]:
    """Return the Spot check of each shooter, None if the target is spotted automatically.

    Raises UserError for a shooter without a Spot skill of its own if none is typed either.
    """
    if inputs.flag("auto_spotted"):
        return (None,) * len(firing)
    checks: dict[shooters.Parts, Check] = {}
    spots: list[Check] = []
    for shooter in firing:
        skill = shooter.unit.numbers.get("spot", inputs.get_optional("spot_skill"))
        if skill is None:
            problem = (
                "spot_skill is missing: the element's Spot skill, a whole number from 1 to 30."
            )
            raise UserError(problem, option="spot_skill", code="missing")
        status_part = shooters.build_status_part(tables, inputs, shooter.unit)
        parts = (("Spot", int(skill)), *modifiers, *status_part, *build_mod_part(inputs))
        if parts not in checks:
            checks[parts] = shooters.build_check(tables, parts)
        spots.append(checks[parts])
    return tuple(spots)


def list_acting_units(inputs: Given) -> tuple[Unit, ...]:
    """Return the roster units that interrupt, each once."""
    units_by_name: dict[str, Unit] = {}
    for unit in (inputs.unit("unit"), *inputs.units("shooters")):
        if unit is not None and unit.name:
            units_by_name[unit.name] = unit
    return tuple(units_by_name.values())


def find_prohibition(inputs: Given, units: Sequence[Unit]) -> str:
    """Return why the element may not interrupt, or "" if it may.

    An input `activated` or `marked` that was typed goes before the roster.
    """
    is_activated = inputs.flag("activated")
    if "activated" not in inputs.typed:
        is_activated = is_activated or any("activated" in unit.flags for unit in units)
    if is_activated:
        return "the element has already activated this round"
    is_marked = inputs.flag("marked")
    if "marked" not in inputs.typed:
        is_marked = is_marked or any(_has_markers(unit) for unit in units)
    if is_marked:
        return "the element has a Morale or Suppression marker"
    return ""


def _has_markers(unit: Unit) -> bool:
    """Return whether a unit has Morale or Suppression markers."""
    markers = unit.numbers.get("morale_markers") or unit.numbers.get("suppression_markers")
    return bool(markers)


def _get_worse_status(status: str, other_status: str) -> str:
    return max(status, other_status, key=STATUSES.index)


TOTALS: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("hits", "saved", "casualties", "morale_loss"), add),
    "status": _get_worse_status,
}
"""The outputs of the whole fire, each with the function that adds up two characters."""


def _build_die_outputs(shooter: Shooter, number: int, face: int) -> dict[str, Any]:
    """Return the outputs of one damage die."""
    path = f"{shooter.path}.damage[{number}]"
    damage = shooter.damage
    return {
        f"{path}.roll": face,
        f"{path}.total": face + damage.bonus,
        f"{path}.status": damage.statuses[face - 1],
    }


def _build_check_line(shooter: Shooter, roll_name: str, check: Check, roll: Roll) -> Line:
    """Return the line of a skill check, with the d20 that is needed."""
    remark = f"{format_needed(check.final)}{format_lost_ap(roll)}"
    label = f"{shooter.display_name} {roll_name}"
    joins = f"{shooter.arms} {roll_name}"
    return Line(label, roll, result=remark, unit=shooter.display_name, joins=joins)


def build_damage_line(shooter: Shooter, roll: Roll) -> Line:
    """Return the line of the damage dice of a hit, with the totals if there is a bonus."""
    bonus = shooter.damage.bonus
    is_single = len(roll) == 1
    parts: tuple[tuple[str, int], ...] = ()
    total: int | None = None
    totals = ""
    if bonus:
        parts = (("damage" if is_single else "each", bonus),)
        if is_single:
            total = roll[0] + bonus
        else:
            totals = ", ".join(f"{face + bonus}" for face in roll)
    label = f"{shooter.display_name} damage"
    joins = f"{shooter.arms} damage"
    return Line(label, roll, parts, total, totals, unit=shooter.display_name, joins=joins)


# -- the result of fire: the words of the answer, and the changes of the roster.
# Source: Infantry Combat, Damage, Status Damage


def resolve_fire(
    inputs: Given,
    firing: Sequence[Shooter],
    verb: str,
    out: Mapping[str, Any],
    *,
    shooter_changes: tuple[Change, ...] = (),
    costs: tuple[str, ...] = (),
) -> Resolution:
    """Return the result of a fire: the status and losses of the target, and the costs of firing.

    `verb` has a form for one shooter and one for several, `shoots|shoot`. `shooter_changes` are
    changes of those who fire, `costs` the same in words. `out` are the finished outputs.
    """
    target = inputs.unit("target")
    lost = out["casualties"]
    status = str(out["status"])
    members = target.numbers.get("members") if target is not None else None
    exhaustions = _exhaust_shooters(firing, out)
    shooter_changes = (*shooter_changes, *[change for change, _ in exhaustions])
    costs = (*costs, *[text for _, text in exhaustions])
    if members is not None and lost >= members > 0:  # nobody whose Morale could fall
        out = {**out, "casualties": members, "morale_loss": 0}
        lost = members
    target_name = shooters.name_unit(target, "the target")
    result = UnitResult(target_name, status, shooters.format_loss(lost, members))
    effects = describe_status(out) if lost != members else ("nobody is left",)
    units = ((target.word, status),) if target is not None else ()
    target_changes = shooters.build_changes(target, lost, status)
    return Resolution(
        format_headline(out),
        unit_words=units,
        next_steps=list_areas(firing, out),
        changes=(*target_changes, *shooter_changes),
        unit_results=(result,),
        state_changes=(*effects, *costs),
        cause=describe_firers(firing, verb),
        sum_lines=list_sums(firing, out),
        form_buttons=list_area_forms(firing, out),
    )


def _exhaust_shooters(
    firing: Sequence[Shooter], out: Mapping[str, Any]
) -> list[tuple[Change, str]]:
    """Return (change, text) for each element with AP that rolled a natural 20 to hit.

    AP are action points: each character who rolls one loses those that remain. In an interrupt
    nobody loses any, and the list is empty.
    """
    weapons: dict[str, list[str]] = {}
    for shooter, outputs in zip(firing, out["shooters"], strict=False):
        if outputs.get("loses_ap"):
            weapons.setdefault(shooter.unit.name, []).append(shooter.weapon.word)
    units = shooters.list_units_with_ap(shooter.unit for shooter in firing)
    return [shooters.exhaust(unit, weapons[unit.name]) for unit in units if unit.name in weapons]


def format_headline(out: Mapping[str, Any]) -> str:
    """Format the headline of a fire: `pinned, 2 hits, 1 saved`."""
    status = "no effect" if out["status"] == "none" else str(out["status"])
    pieces = [status, "1 hit" if out["hits"] == 1 else f"{out['hits']} hits"]
    if out["saved"]:
        pieces.append(f"{out['saved']} saved")
    if out["casualties"]:
        pieces.append(shooters.format_casualties(out["casualties"]))
    if out["morale_loss"]:
        pieces.append(f"Morale -{out['morale_loss']}")
    return ", ".join(pieces)


def list_areas(firing: Sequence[Shooter], out: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the text with the areas of effect of the weapons that hit, for players to measure.

    It is a tuple of one text, or () if no weapon that hit has an area.
    """
    areas: dict[str, str] = {}
    for shooter, outputs in zip(firing, out["shooters"], strict=True):
        if outputs["hit"]:
            name = shooters.format_weapon(shooter.weapon.word)
            areas[name] = shooters.format_area(shooter.weapon.area)
    texts = [f"{weapon} {area}" for weapon, area in areas.items() if area]
    if not texts:
        return ()
    return (f"Measure who else is in the area of effect: {', '.join(texts)}.",)


def list_area_forms(
    firing: Sequence[Shooter], out: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """Return (label, command) of a form for the others in the area of each weapon that hit.

    Saved hits do not count. A weapon has a form for each skill above 20 with which it was fired.
    """
    hits: dict[tuple[str, int], int] = {}
    for shooter, outputs in zip(firing, out["shooters"], strict=False):
        has_area = shooters.format_area(shooter.weapon.area)
        if outputs["hit"] and not outputs["saved"] and has_area:
            key = (shooter.weapon.word, shooter.check.over)
            hits[key] = hits.get(key, 0) + 1
    forms: list[tuple[str, str]] = []
    for (word, over), count in hits.items():
        command = f"ucn damage weapon={word} hits={count}"
        if over:
            command += f" over={over}"
        forms.append((f"In the area: {shooters.format_weapon(word)}", command))
    return tuple(forms)


def describe_firers(firing: Sequence[Shooter], verb: str) -> str:
    """Format the firers with the verb: `2 rifles and an LMG shoot`.

    `verb` has a form for one and a form for several, `shoots|shoot`.
    """
    singular, plural = verb.split("|")
    unit_names: list[str] = []
    arms: list[str] = []
    for shooter in firing:
        if shooter.unit.name:
            unit_names.append(shooter.unit.name)
        else:
            arms.append(shooters.format_weapon(shooter.unit.word))
    arm_names = [arm if arms.count(arm) > 1 else add_article(arm) for arm in arms]
    names = [*dict.fromkeys(unit_names), *arm_names]
    return f"{join_names(names)} {singular if len(names) == 1 else plural}"


def describe_status(out: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the effects on the target as texts: its Morale loss, and those of its status.

    Either is left out if there is none.
    """
    texts = (f"Morale −{out['morale_loss']}",) if out["morale_loss"] else ()
    if out["status"] not in shooters.UNDER_FIRE:
        return texts
    return (*texts, shooters.UNDER_FIRE[out["status"]])


def list_sums(firing: Sequence[Shooter], out: Mapping[str, Any]) -> tuple[Line, ...]:
    """Return a line for each kind of roll and weapon, in place of those of many shooters.

    The dice join these lines from the lines of the single shooters.
    """
    shots_by_arms: dict[str, Shots] = {}
    for shooter, outputs in zip(firing, out["shooters"], strict=False):
        shots_by_arms.setdefault(shooter.arms, []).append((shooter, outputs))
    lines: list[Line] = []
    for build_line in (_build_spot_line, _build_hit_line, _build_save_line, _build_damage_line):
        for arms, shots in shots_by_arms.items():
            line = build_line(arms, shots)
            if line is not None:
                lines.append(line)
    return tuple(lines)


Shots: TypeAlias = list[tuple[Shooter, Mapping[str, Any]]]
"""Shooters with the same weapon, each with its outputs."""


def _build_spot_line(arms: str, shots: Shots) -> Line | None:
    """Return the line with the number of characters who spotted, None without Spot rolls."""
    rolls = [outputs for _, outputs in shots if outputs.get("spot_roll")]
    if not rolls:
        return None
    spotted = [outputs for outputs in rolls if outputs["spotted"]]
    return Line(f"{arms} to spot", result=f"{len(spotted)} of {len(rolls)} spot")


def _build_hit_line(arms: str, shots: Shots) -> Line | None:
    """Return the line with the number of hits, None if nobody rolled to hit.

    The d20 that is needed is added if it is the same for all of them.
    """
    dice = tuple([outputs["roll"] for _, outputs in shots if outputs.get("roll")])
    if not dice:
        return None
    hits = [outputs for _, outputs in shots if outputs["hit"]]
    condition = " who spotted" if len(dice) < len(shots) else ""
    skills = {shooter.check.final for shooter, _ in shots}
    needed = f", {format_needed(skills.pop())}" if len(skills) == 1 else ""
    _, first_outputs = shots[0]
    lost_ap = format_lost_ap(dice) if "loses_ap" in first_outputs else ""
    result = f"{len(hits)} of {len(dice)}{condition}{needed}{lost_ap}"
    return Line(f"{arms} to hit", result=result)


def _build_save_line(arms: str, shots: Shots) -> Line | None:
    """Return the line with the number of saves that succeeded, None without saves."""
    saves = [outputs["saved"] for _, outputs in shots if outputs["saved"] is not None]
    if not saves:
        return None
    successes = [is_saved for is_saved in saves if is_saved]
    return Line(f"saves against {arms}", result=f"{len(successes)} of {len(saves)} saved")


def _build_damage_line(arms: str, shots: Shots) -> Line | None:
    """Return the line of the damage dice of all `shots`, None if there were none.

    It shows the totals of the dice if there is a bonus.
    """
    dice = [die for _, outputs in shots for die in outputs["damage"]]
    if not dice:
        return None
    faces = [die["roll"] for die in dice]
    totals = [die["total"] for die in dice]
    result = "" if faces == totals else ", ".join(map(str, totals))
    return Line(f"{arms} damage", result=result)
