"""Shooting: all dice to hit, then hit by hit the save and the damage dice; the element takes the
worst result. An interrupt spots first, and takes the characters one after the other; in shooting
all roll to hit before the first save.

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
Settle = Callable[[Mapping[str, Any]], Resolution]


class Toll(NamedTuple):
    """What the fire has done so far; `worst` is a place in the list of statuses."""

    hits: int = 0
    saved: int = 0
    casualties: int = 0
    worst: int = 0

    def build_outputs(self) -> dict[str, Any]:
        """The outputs of the whole fire."""
        return {
            "hits": self.hits,
            "saved": self.saved,
            "casualties": self.casualties,
            "status": STATUSES[self.worst],
            "morale_loss": shooters.MORALE_LOSS * self.casualties,
        }


NO_TOLL = Toll()


class FireState(NamedTuple):
    """Whose roll is owed and which; the shooters whose hit is still to be worked out; what came
    of the others.
    """

    owes: str | None
    at: int = 0
    hits: tuple[int, ...] = ()
    toll: Toll = NO_TOLL


class Firing:
    """The rolls of a fire; `spots` are in an interrupt the Spot checks, None for a target that
    is spotted anyway.
    """

    def __init__(
        self, firing: tuple[Shooter, ...], spots: Sequence[Check | None] | None = None
    ) -> None:
        self.firing = firing
        self.interrupts = spots is not None
        self.spots = (None,) * len(firing) if spots is None else tuple(spots)

    def plan(self, settle: Settle, lines: tuple[Line, ...]) -> Plan[FireState]:
        """The plan of the fire as it is played."""
        opening: dict[str, Any] = {"shooters": []}
        for shooter, spot in zip(self.firing, self.spots, strict=True):
            path = shooter.path
            opening[f"{path}.weapon"] = shooter.weapon.word
            opening[f"{path}.final_skill"] = shooter.check.final
            if self.interrupts:
                opening[f"{path}.spot_final"] = None if spot is None else spot.final
            if self.interrupts and spot is None:
                opening[f"{path}.spot_roll"], opening[f"{path}.spotted"] = None, True
        start = self.turn(0, NO_TOLL)
        return Plan(
            start,
            self.steps(),
            settle,
            opening,
            lambda end: end.toll.build_outputs(),
            lines,
            apart=self.split_parts,
        )

    def steps(self) -> dict[str, RuledStep[FireState]]:
        """The rolls that a character may owe."""
        return {
            "spot": ruled(lambda fire: self.dice(fire, "to spot"), self.spot),
            "shot": ruled(lambda fire: self.dice(fire, "to hit"), self.shot),
            "save": ruled(lambda fire: self.dice(fire, "save"), self.save),
            "damage": ruled(
                lambda fire: self.dice(fire, "damage") * self.firing[fire.at].weapon.dice,
                self.damage,
            ),
        }

    def dice(self, fire: FireState, what: str) -> tuple[Die, ...]:
        """A die of the character at hand."""
        return d20(f"{self.firing[fire.at].label} {what}")

    # -- whose turn it is ---------------------------------------------------------------------------------

    def turn(self, at: int, toll: Toll, hits: tuple[int, ...] = ()) -> FireState:
        """The next character from `at` on owes a first roll; after the last the hits are worked
        out.
        """
        if at < len(self.firing):
            return FireState("shot" if self.spots[at] is None else "spot", at, hits, toll)
        return self.work_out(hits, toll)

    def work_out(self, hits: tuple[int, ...], toll: Toll) -> FireState:
        """The first of `hits` owes what follows a hit: the save, if one is allowed, or the
        damage dice.
        """
        if not hits:
            return FireState(None, toll=toll)
        return FireState(
            "damage" if self.firing[hits[0]].saves is None else "save", hits[0], hits[1:], toll
        )

    def finish_character(self, fire: FireState, toll: Toll) -> FireState:
        """The character at hand has rolled everything."""
        return self.turn(fire.at + 1, toll) if self.interrupts else self.work_out(fire.hits, toll)

    # -- the rolls ----------------------------------------------------------------------------------------

    def spot(self, fire: FireState, roll: Roll) -> Ruling[FireState]:
        """Who does not spot the target does not attack."""
        spot, shooter, (face,) = self.spots[fire.at], self.firing[fire.at], roll
        assert spot is not None
        path = shooter.path
        spotted = spot.passes[face]
        found: dict[str, Any] = {f"{path}.spot_roll": face, f"{path}.spotted": spotted}
        if spotted:
            after = FireState("shot", *fire[1:])
        else:
            found |= {
                f"{path}.roll": None,
                f"{path}.hit": False,
                f"{path}.saved": None,
                f"{path}.damage": [],
            }
            after = self.finish_character(fire, fire.toll)
        return Ruling(after, found, lambda: (_build_check_line(shooter, "to spot", spot, roll),))

    def shot(self, fire: FireState, roll: Roll) -> Ruling[FireState]:
        """At or under the final skill hits; in shooting the next character rolls before the hit
        is worked out.
        """
        shooter, at, toll, (face,) = self.firing[fire.at], fire.at, fire.toll, roll
        path = shooter.path
        hit = shooter.check.passes[face]
        found: dict[str, Any] = {f"{path}.roll": face, f"{path}.hit": hit}
        if not hit or shooter.saves is None:
            found[f"{path}.saved"] = None
        if not hit:
            found[f"{path}.damage"] = []
        if not self.interrupts:
            found[f"{path}.loses_ap"] = face == LAST
        if hit:
            toll = Toll(toll.hits + 1, *toll[1:])
        if hit and self.interrupts:
            after = self.work_out((at,), toll)
        else:
            after = self.turn(at + 1, toll, (*fire.hits, at) if hit else fire.hits)
        return Ruling(
            after, found, lambda: (_build_check_line(shooter, "to hit", shooter.check, roll),)
        )

    def save(self, fire: FireState, roll: Roll) -> Ruling[FireState]:
        """Who was hit by a pistol, an SMG or a blast may be saved; else the damage dice are
        rolled.
        """
        shooter = self.firing[fire.at]
        toll = fire.toll
        assert shooter.saves is not None
        path = shooter.path
        saved = shooter.saves[roll[0] - 1] == shooters.SAVED
        faces = shooter.saves
        found: dict[str, Any] = {f"{path}.saved": saved}
        if saved:
            found[f"{path}.damage"] = []
            after = self.finish_character(fire, toll._replace(saved=toll.saved + 1))
        else:
            after = FireState("damage", *fire[1:])

        def story() -> tuple[Line]:
            label = f"save from {shooter.shown}"
            joins = f"saves from {shooter.arms}"
            result = f"{faces.count(shooters.SAVED)} or less needed"
            return (Line(label, roll, result=result, unit=shooter.shown, joins=joins),)

        return Ruling(after, found, story)

    def damage(self, fire: FireState, roll: Roll) -> Ruling[FireState]:
        """Each damage die is read by itself; the element takes the worst status."""
        shooter = self.firing[fire.at]
        damage = shooter.damage
        found = dict[str, Any]()
        for number, face in enumerate(roll):
            found |= _build_die_outputs(shooter, number, face)
        after = self._apply_damage(fire, damage.casualties(roll), damage.worst(roll))
        return Ruling(after, found, lambda: (build_damage_line(shooter, roll),))

    def _apply_damage(self, fire: FireState, dead: int = 0, worst: int = 0) -> FireState:
        """After the damage dice of the character at hand."""
        toll = fire.toll
        return self.finish_character(
            fire, Toll(toll.hits, toll.saved, toll.casualties + dead, max(toll.worst, worst))
        )

    # -- what follows is for the odds; the rules end here ---------------------------------------------------

    def split_parts(self, fire: FireState) -> IndependentParts[FireState] | None:
        """Split the fire into parts whose odds can be worked out separately, or return None.

        The parts are single damage dice, or the characters before the first has fired.
        """
        if fire.owes == "damage":
            each = [
                self._build_die_part(self.firing[fire.at], number)
                for number in range(self.firing[fire.at].damage.dice)
            ]
            reads = {"dead": ("casualties", "morale_loss"), "worst": ("status",)}
            return IndependentParts(
                each,
                {"dead": add, "worst": max},
                lambda **hurt: Ruling(self._apply_damage(fire, **hurt)),
                reads,
            )
        if len(self.firing) > 1 and fire.at == 0:
            return IndependentParts(
                [self._build_part(at) for at in range(len(self.firing))], TOTALS
            )
        return None

    def _build_part(self, at: int) -> IndependentPart[FireState]:
        shooter = self.firing[at]
        spot = self.spots[at]

        def plan() -> Plan[FireState]:
            alone = Firing((shooter,), (spot,) if self.interrupts else None)
            return alone.plan(resolve_never, ())._replace(opening={})

        return IndependentPart(
            (shooter.path,), plan, (spot, shooter.check, shooter.damage, shooter.saves)
        )

    def _build_die_part(self, shooter: Shooter, number: int) -> IndependentPart[Any]:
        damage = shooter.damage

        def tells(face: int) -> Outputs:
            hurt = {"dead": damage.casualties((face,)), "worst": damage.worst((face,))}
            return _build_die_outputs(shooter, number, face) | hurt

        return shooters.build_die_part(f"{shooter.path}.damage[{number}]", tells, damage)


def plan(tables: Tables, given: Given) -> Plan[FireState]:
    """Fire of `shooters`. Source: Infantry Combat, Shooting, Damage, Status Damage, Save.

    Raises UserError for a shooter without weapon or skill, and for higher together with lower.
    """
    cover = shooters.build_firm_cover(tables, given)

    @cache
    def modifiers(is_moving: bool) -> shooters.Parts:
        card = tables["shoot-modifiers"](
            **given.flags(CONDITIONS),
            attacker_moving=is_moving,
            extra_ap=given.int("extra_ap"),
        )
        return (*list_modifiers(card.parts), *cover)

    firing = shooters.read_shooters(tables, given, lambda unit: modifiers(is_moving(unit, given)))
    units = given.units("shooters")
    paid = shooters.list_payments(tables, units, given.int("extra_ap"))
    if not given.flag("anyway"):
        shooters.refuse_overdraft(paid)
    settle = partial(
        resolve_fire,
        given,
        firing,
        "shoots|shoot",
        acting=tuple([payment.build_change() for payment in paid]),
        given_up=(*shooters.list_overrides(units), *[payment.describe() for payment in paid]),
    )
    return Firing(firing).plan(settle, shooters.build_skill_lines(firing))


def is_moving(unit: Unit, given: Given) -> bool:
    """Return whether a shooter is moving: as typed, else by the marker of the element."""
    typed = "attacker_moving" in given.typed
    return given.flag("attacker_moving") if typed else MOVING in unit.flags


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
GIVEN_UP = "the next activation given up, those under fire may react (react)"
ACTIVATED = frozenset({"activated"})
REFUSED = {"hits": 0, "saved": 0, "casualties": 0, "status": "not-allowed", "morale_loss": 0}


def plan_interrupt(tables: Tables, given: Given) -> Plan[FireState]:
    """An interrupt of `shooters`. Source: Interrupt, Spotting and Shooting.

    Raises UserError for a shooter without weapon or skill, and for higher together with lower.
    """
    if not given.flag("anyway"):
        shooters.refuse_unfit(given.unit("unit"), "unit")
    spotting = tables["spot-modifiers"](**given.flags(SPOTTING))
    shooting = tables["shoot-modifiers"](**given.flags(SHOOTING))
    parts = (*list_modifiers(shooting.parts), *shooters.build_firm_cover(tables, given))
    firing = shooters.read_shooters(tables, given, lambda _: parts)
    spots = _build_spot_checks(tables, given, firing, list_modifiers(spotting.parts))
    units = list_acting_units(given)
    reason = find_prohibition(given, units)
    if reason:
        opening = {"shooters": [], **REFUSED}
        refused = UnitResult(
            shooters.name_unit(given.unit("target"), "the target"), "not-allowed", reason
        )
        answer = Resolution(f"not allowed: {reason}", fates=(refused,))
        return Plan(FireState(None), {}, lambda _: answer, opening)
    to_spot = {spot.parts: spot for spot in spots if spot is not None}.values()
    lines = (
        *[build_sum_line(spot, "to spot") for spot in to_spot],
        *shooters.build_skill_lines(firing),
    )
    activated = tuple([Change(unit.name, mark=ACTIVATED) for unit in units])
    settle = partial(
        resolve_fire,
        given,
        firing,
        "interrupts|interrupt",
        acting=activated,
        given_up=(*shooters.list_overrides(units), GIVEN_UP),
    )
    return Firing(firing, spots).plan(settle, lines)


def _build_spot_checks(
    tables: Tables,
    given: Given,
    firing: tuple[Shooter, ...],
    modifiers: tuple[tuple[str, int | float], ...],
) -> tuple[Check | None, ...]:
    """The Spot check of each shooter, None where the target is spotted automatically."""
    if given.flag("auto_spotted"):
        return (None,) * len(firing)
    made: dict[shooters.Parts, Check] = {}
    spots: list[Check] = []
    for shooter in firing:
        own = shooter.unit.numbers.get("spot", given.get_optional("spot_skill"))
        if own is None:
            what = (
                "spot_skill is missing: the Spot skill of the element, a whole number from 1 to 30."
            )
            raise UserError(what, option="spot_skill", code="missing")
        held = shooters.build_status_part(tables, given, shooter.unit)
        parts = (("Spot", int(own)), *modifiers, *held, *build_mod_part(given))
        if parts not in made:
            made[parts] = shooters.build_check(tables, parts)
        spots.append(made[parts])
    return tuple(spots)


def list_acting_units(given: Given) -> tuple[Unit, ...]:
    """The roster units that interrupt, each once."""
    named = [
        unit
        for unit in (given.unit("unit"), *given.units("shooters"))
        if unit is not None and unit.name
    ]
    return tuple({unit.name: unit for unit in named}.values())


def find_prohibition(given: Given, units: Sequence[Unit]) -> str:
    """Why the element may not interrupt, or nothing. What is typed goes before what the roster
    knows.
    """
    known = not given.typed & {"activated"}
    if given.flag("activated") or (known and any("activated" in unit.flags for unit in units)):
        return "the element has already activated in this round"
    known = not given.typed & {"marked"}
    marked = any(
        unit.numbers.get(f"{kind}_markers") for unit in units for kind in ("morale", "suppression")
    )
    if given.flag("marked") or (known and marked):
        return "the element has a Morale or Suppression marker"
    return ""


TOTALS = {
    **dict.fromkeys(("hits", "saved", "casualties", "morale_loss"), add),
    "status": lambda one, other: max(one, other, key=STATUSES.index),
}
"""What the fire comes to, and how that of several characters adds up."""


def _build_die_outputs(shooter: Shooter, number: int, face: int) -> dict[str, Any]:
    """The outputs of one damage die."""
    one = f"{shooter.path}.damage[{number}]"
    damage = shooter.damage
    return {
        f"{one}.roll": face,
        f"{one}.total": face + damage.bonus,
        f"{one}.status": damage.statuses[face - 1],
    }


def _build_check_line(shooter: Shooter, what: str, check: Check, roll: Roll) -> Line:
    says = f"{format_needed(check.final)}{format_lost_ap(roll)}"
    label = f"{shooter.shown} {what}"
    joins = f"{shooter.arms} {what}"
    return Line(label, roll, result=says, unit=shooter.shown, joins=joins)


def build_damage_line(shooter: Shooter, roll: Roll) -> Line:
    """The line of the damage dice of a hit."""
    bonus = shooter.damage.bonus
    parts = (("each" if len(roll) > 1 else "damage", bonus),) if bonus else ()
    totals = ", ".join(f"{face + bonus}" for face in roll) if bonus and len(roll) > 1 else ""
    total = roll[0] + bonus if bonus and len(roll) == 1 else None
    label = f"{shooter.shown} damage"
    joins = f"{shooter.arms} damage"
    return Line(label, roll, parts, total, totals, unit=shooter.shown, joins=joins)


# -- what fire has done to an element: the words of the answer, and what the roster takes from it.
# Source: Infantry Combat, Damage, Status Damage


def resolve_fire(
    given: Given,
    firing: Sequence[Shooter],
    verb: str,
    out: Mapping[str, Any],
    *,
    acting: tuple[Change, ...] = (),
    given_up: tuple[str, ...] = (),
) -> Resolution:
    """The status of the element that was shot at, and its losses; `verb` for one shooter and for
    several.

    `acting` is what those who fire take from it, or pay for it, `given_up` the same in words.
    """
    target = given.unit("target")
    lost = out["casualties"]
    status = str(out["status"])
    members = target.numbers.get("members") if target is not None else None
    losses = _exhaust_shooters(firing, out)
    acting = (*acting, *[change for change, _ in losses])
    given_up = (*given_up, *[said for _, said in losses])
    if members is not None and lost >= members > 0:  # nobody whose Morale could fall
        out = {**out, "casualties": members, "morale_loss": 0}
        lost = members
    return Resolution(
        format_headline(out),
        ((target.word, status),) if target is not None else (),
        list_areas(firing, out),
        (*shooters.build_changes(target, lost, status), *acting),
        (
            UnitResult(
                shooters.name_unit(target, "the target"),
                status,
                shooters.format_loss(lost, members),
            ),
        ),
        (*(describe_status(out) if lost != members else ("nobody is left",)), *given_up),
        by=describe_firers(firing, verb),
        sums=list_sums(firing, out),
        forms=list_area_forms(firing, out),
    )


def _exhaust_shooters(
    firing: Sequence[Shooter], out: Mapping[str, Any]
) -> list[tuple[Change, str]]:
    """Return what natural 20s take from the elements that shoot, and say it."""
    weapons: dict[str, list[str]] = {}
    for shooter, told in zip(firing, out["shooters"], strict=False):
        if told.get("loses_ap"):
            weapons.setdefault(shooter.unit.name, []).append(shooter.weapon.word)
    units = shooters.list_units_with_ap(shooter.unit for shooter in firing)
    return [shooters.exhaust(unit, weapons[unit.name]) for unit in units if unit.name in weapons]


def format_headline(out: Mapping[str, Any]) -> str:
    """The result of the fire in a few words: `pinned, 2 hits, 1 saved`."""
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
    """The areas of effect of the weapons that hit, for the players to measure."""
    fired = zip(firing, out["shooters"], strict=True)
    hit = {shooter.weapon.word: shooter.weapon.area for shooter, told in fired if told["hit"]}
    inches = {
        shooters.format_weapon(word): shooters.format_area(area) for word, area in hit.items()
    }
    said = [f"{weapon} {area}" for weapon, area in inches.items() if area]
    return (f"Measure who else is in the area of effect: {', '.join(said)}.",) if said else ()


def list_area_forms(
    firing: Sequence[Shooter], out: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """Return the forms that ask who else is in the area of each weapon that hit."""
    hits: dict[tuple[str, int], int] = {}
    for shooter, told in zip(firing, out["shooters"], strict=False):
        if told["hit"] and not told["saved"] and shooters.format_area(shooter.weapon.area):
            key = (shooter.weapon.word, shooter.check.over)
            hits[key] = hits.get(key, 0) + 1
    return tuple(
        [
            (
                f"In the area: {shooters.format_weapon(word)}",
                f"ucn damage weapon={word} hits={count}" + (f" over={over}" if over else ""),
            )
            for (word, over), count in hits.items()
        ]
    )


def describe_firers(firing: Sequence[Shooter], verb: str) -> str:
    """Who fires: `2 rifles and an LMG shoot`, with the verb for one and for several."""
    one, several = verb.split("|")
    listed = [shooter.unit for shooter in firing]
    named = [unit.name for unit in listed if unit.name]
    arms = [shooters.format_weapon(unit.word) for unit in listed if not unit.name]
    called = [
        *dict.fromkeys(named),
        *(arm if arms.count(arm) > 1 else add_article(arm) for arm in arms),
    ]
    return f"{join_names(called)} {one if len(called) == 1 else several}"


def describe_status(out: Mapping[str, Any]) -> tuple[str, ...]:
    """What the status means."""
    lost = (f"Morale −{out['morale_loss']}",) if out["morale_loss"] else ()
    return (
        (*lost, shooters.UNDER_FIRE[out["status"]])
        if out["status"] in shooters.UNDER_FIRE
        else lost
    )


def list_sums(firing: Sequence[Shooter], out: Mapping[str, Any]) -> tuple[Line, ...]:
    """Return a line for each kind of roll and weapon, in place of those of many shooters.

    The dice join these lines from the lines of the single shooters.
    """
    by_arms: dict[str, list[tuple[Shooter, Mapping[str, Any]]]] = {}
    for shooter, told in zip(firing, out["shooters"], strict=False):
        by_arms.setdefault(shooter.arms, []).append((shooter, told))
    lines: list[Line] = []
    for line_of in (_build_spot_line, _build_hit_line, _build_save_line, _build_damage_line):
        lines += [line for arms, rolled in by_arms.items() if (line := line_of(arms, rolled))]
    return tuple(lines)


Rolled: TypeAlias = list[tuple[Shooter, Mapping[str, Any]]]
"""Shooters with the same weapon, each with its outputs."""


def _build_spot_line(arms: str, rolled: Rolled) -> Line | None:
    rolls = [told for _, told in rolled if told.get("spot_roll")]
    spotted = [told for told in rolls if told["spotted"]]
    result = f"{len(spotted)} of {len(rolls)} spot"
    return Line(f"{arms} to spot", result=result) if rolls else None


def _build_hit_line(arms: str, rolled: Rolled) -> Line | None:
    dice = tuple([told["roll"] for _, told in rolled if told.get("roll")])
    if not dice:
        return None
    hits = [told for _, told in rolled if told["hit"]]
    spotted = " who spotted" if len(dice) < len(rolled) else ""
    checks = {shooter.check.final for shooter, _ in rolled}
    skill = f", {format_needed(checks.pop())}" if len(checks) == 1 else ""
    lost = format_lost_ap(dice) if "loses_ap" in rolled[0][1] else ""
    result = f"{len(hits)} of {len(dice)}{spotted}{skill}{lost}"
    return Line(f"{arms} to hit", result=result)


def _build_save_line(arms: str, rolled: Rolled) -> Line | None:
    saves = [told for _, told in rolled if told["saved"] is not None]
    saved = [told for told in saves if told["saved"]]
    result = f"{len(saved)} of {len(saves)} saved"
    return Line(f"saves from {arms}", result=result) if saves else None


def _build_damage_line(arms: str, rolled: Rolled) -> Line | None:
    damage = [die for _, told in rolled for die in told["damage"]]
    faces = [die["roll"] for die in damage]
    totals = [die["total"] for die in damage]
    result = "" if faces == totals else ", ".join(map(str, totals))
    return Line(f"{arms} damage", result=result) if damage else None
