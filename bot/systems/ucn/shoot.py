"""Shooting: all dice to hit, then hit by hit the save and the damage dice; the element takes the worst result."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change, Fate, Line, Plan, Settlement, parts_of
from bot.rules.tables.table import Tables
from bot.systems.ucn import roster, shooters
from bot.systems.ucn.firing import Fire, Firing, settled
from bot.systems.ucn.roster import spends, whom
from bot.systems.ucn.shooters import Shooter
from bot.systems.ucn.skills import Check, check, mod_part, status_part, sum_line

CONDITIONS = (
    "target_moving", "target_in_cover", "target_hidden", "target_gone_firm", "attacker_moving", "attacker_higher",
    "attacker_lower",
)  # fmt: skip


def plan(tables: Tables, given: Given) -> Plan[Fire]:
    """Fire of `shooters`. Source: Infantry Combat, Shooting, Damage, Status Damage, Save.

    Raises UserError for a shooter without weapon or skill, and for higher together with lower.
    """
    modifiers = tables["shoot-modifiers"](**given.flags(CONDITIONS), extra_ap=given.int("extra_ap"))
    parts = (
        *parts_of(modifiers.parts),
        *shooters.firm_cover(tables, given),
        *status_part(tables, given),
        *mod_part(given),
    )
    firing = shooters.shooters_of(tables, given, parts)
    lines = (
        *shooters.reminders(given.units("shooters")),
        *shooters.firm_reminder(given),
        *shooters.skill_lines(firing),
    )
    paid, told = spends(tables, given.units("shooters"), "shoot", again="shot", extra=given.int("extra_ap"))
    return Firing(firing).plan(partial(settled, given, firing, "shoots|shoot", acting=paid, given_up=told), lines)


# -- interrupts: character by character a Spot roll, then one free attack with hit, save and damage as in shooting

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


def plan_interrupt(tables: Tables, given: Given) -> Plan[Fire]:
    """An interrupt of `shooters`. Source: Interrupt, Spotting and Shooting.

    Raises UserError for a shooter without weapon or skill, and for higher together with lower.
    """
    spotting = tables["spot-modifiers"](**given.flags(SPOTTING))
    shooting = tables["shoot-modifiers"](**given.flags(SHOOTING))
    firing = shooters.shooters_of(
        tables, given, (*parts_of(shooting.parts), *shooters.firm_cover(tables, given), *mod_part(given))
    )
    spots = _spots(tables, given, firing, (*parts_of(spotting.parts), *mod_part(given)))
    roster.refuse_pinned(given.unit("unit"), "unit")
    units = acting(given)
    reason = forbidden(given, units)
    if reason:
        opening = {"shooters": [], **REFUSED}
        refused = Fate(whom(given.unit("target"), "the target"), "not-allowed", reason)
        answer = Settlement(f"not allowed: {reason}", fates=(refused,))
        return Plan(Fire(None), {}, lambda _: answer, opening)
    lines = (
        *shooters.reminders(units),
        *shooters.firm_reminder(given),
        *_spot_lines(spots),
        *shooters.skill_lines(firing),
    )
    return Firing(firing, spots).plan(partial(_settle, given, firing, units), lines)


def _spots(
    tables: Tables, given: Given, firing: tuple[Shooter, ...], modifiers: tuple[tuple[str, int | float], ...]
) -> tuple[Check | None, ...]:
    """The Spot check of each shooter, None where the target is spotted automatically."""
    if given.flag("auto_spotted"):
        return (None,) * len(firing)
    made: dict[int, Check] = {}
    spots: list[Check] = []
    for shooter in firing:
        own = shooter.unit.numbers.get("spot", given.maybe("spot_skill"))
        if own is None:
            what = "spot_skill is missing: the Spot skill of the element, a whole number from 1 to 30."
            raise UserError(what, option="spot_skill", code="missing")
        if own not in made:
            made[own] = check(tables, (("Spot", int(own)), *modifiers))
        spots.append(made[own])
    return tuple(spots)


def acting(given: Given) -> tuple[Unit, ...]:
    """The roster units that interrupt, each once."""
    named = [unit for unit in (given.unit("unit"), *given.units("shooters")) if unit is not None and unit.name]
    return tuple({unit.name: unit for unit in named}.values())


def activates(units: Sequence[Unit]) -> tuple[Change, ...]:
    """The mark of those who have given up their next activation."""
    return tuple([Change(unit.name, mark=ACTIVATED) for unit in units])


def forbidden(given: Given, units: Sequence[Unit]) -> str:
    """Why the element may not interrupt, or nothing. What is typed goes before what the roster knows."""
    known = not given.typed & {"activated"}
    if given.flag("activated") or (known and any("activated" in unit.flags for unit in units)):
        return "the element has already activated in this round"
    known = not given.typed & {"marked"}
    if given.flag("marked") or (known and any(roster.is_marked(unit) for unit in units)):
        return "the element has a Morale or Suppression marker"
    return ""


def _spot_lines(spots: Iterable[Check | None]) -> tuple[Line, ...]:
    different = {spot.parts: spot for spot in spots if spot is not None}
    return tuple([sum_line(spot, "to spot") for spot in different.values()])


def _settle(given: Given, firing: Sequence[Shooter], units: Sequence[Unit], out: Mapping[str, Any]) -> Settlement:
    """As in shooting, and who interrupts has given up the next activation."""
    verb = "interrupts|interrupt"
    return settled(given, firing, verb, out, acting=activates(units), given_up=(GIVEN_UP,))
