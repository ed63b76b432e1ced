"""Ordnance against infantry: to hit, then HE against a bare die, then damage checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Plan, Roll, Ruling, Settlement, row_of, ruled
from bot.rules.tables.table import Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.burning import fire_check, fire_started, then_fire_check, told_before
from bot.systems.lnlt.checks import NONE, DamageChecks
from bot.systems.lnlt.firepower import refuse_to_fire
from bot.systems.lnlt.items import Attack, list_alike
from bot.systems.lnlt.opposed import Opposed
from bot.systems.lnlt.readings import readings_of
from bot.systems.lnlt.settling import attacked, headline, or_missed, rows, suffered
from bot.systems.lnlt.shot import ACQUIRED, acquires, after_shot, riders, weapon_kept
from bot.systems.lnlt.terrain import is_lone_sniper
from bot.systems.lnlt.to_hit import DICE, groups_of, to_hit
from bot.systems.lnlt.words import refuse_values

HEAT_IN_THE_OPEN = 1
OPPOSED = (d6("attack"), d6("defense"))
MISSED = {"attack_total": NONE, "defense_total": NONE, "damage": False, "dc_mod": 0, "outcome": NONE}


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """A shot at a hex of infantry. Source: PAC 04, 06 (14.1). Raises UserError for vehicles among the targets."""
    refuse_values(given)
    refuse_to_fire(given.unit("unit"))
    targets, flammable = given.units("targets"), given.flag("flammable")
    _check_targets(targets)
    shot = to_hit(tables, given, lone_sniper=is_lone_sniper(targets) or given.flag("lone_sniper"))
    he = _high_explosive(given)
    readings = readings_of(tables)
    checks = DamageChecks(
        readings,
        list_alike(readings, targets, no_hero=given.flag("no_hero")),
        finish=then_fire_check,
    )

    def aim(_: Attack, roll: Roll) -> Ruling[Attack]:
        hit, told = shot.hits(roll), shot.told(roll)
        if not hit:
            told |= MISSED | ({"fire_check": NONE} if flammable else {})
        return Ruling(Attack("attack" if hit else None), told, lambda: [shot.line(roll)])

    def attack(_: Attack, roll: Roll) -> Ruling[Attack]:
        six, told = flammable and roll[0] == 6, he.told(roll, hit="damage")
        after, known = checks.resolve(Attack(None, told["dc_mod"], six=six))
        told |= known
        if flammable and not six:
            told["fire_check"] = NONE
        return Ruling(after, told, lambda: he.lines(roll))

    steps = {
        "to hit": ruled(DICE, aim, groups=lambda _: groups_of(shot)),
        "attack": ruled(OPPOSED, attack),
        "fire check": fire_check(readings),
        **checks.steps(),
    }
    opening = {"to_hit_mod": shot.mod, "targets": [], **told_before(flammable)}
    return Plan(
        Attack("to hit"),
        steps,
        partial(_settle, given),
        opening,
        rows=lambda: tuple(map(or_missed, rows(checks.items) or (row_of("outcome"),))),
        apart=checks.apart,
    )


def _check_targets(targets: Sequence[Unit]) -> None:
    for unit in targets:
        if not kinds.is_man(unit):
            raise UserError(
                f"{unit.word} ({unit.type}) is not infantry.", hint="Use ordnance-vehicle.", code="wrong-type"
            )
    kinds.refuse_passengers(targets, "ordnance against infantry hits none")


def _high_explosive(given: Given) -> Opposed:
    """The HE value against a bare die; HEAT loses some of it against men in the open."""
    he: tuple[tuple[str, int], ...] = (("HE", given.int("he")),)
    if given.flag("heat") and not given.flag("cover"):
        he = (*he, ("HEAT in the open", -HEAT_IN_THE_OPEN))
    return Opposed(sum(value for _, value in he), 0, he, ())


def _settle(given: Given, out: Mapping[str, Any]) -> Settlement:
    unit, left = given.unit("unit"), [answer for answer in out["targets"] if answer["becomes"] != "eliminated"]
    more = list(fire_started(out))
    more += ["The ATGM is expended."] if out["atgm_expended"] else []
    more += after_shot(given, hit=out["hit"])
    notes = ([ACQUIRED] if left or not out["targets"] else []) + list(riders(given))
    targets, hit = given.units("targets"), bool(out["hit"])
    both = zip(targets, out["targets"], strict=False)
    gone = [unit for unit, answer in both if answer["becomes"] == "eliminated"]
    alive = [unit for unit in targets if unit not in gone]
    held = acquires(given, next(iter(alive or targets), None), stays=bool(alive))
    hurt = suffered(targets, out["targets"])
    settled = attacked(
        headline(hurt.units, hit=out["damage"]) if hit else "miss",
        targets,
        hurt,
        more=more,
        notes=notes,
        firers=[unit],
        changes=weapon_kept(given, hit=hit),
        beaten_by=out["dc_mod"],
        miss=NONE if hit else "missed",
    )
    return replace(settled, changes=(*held, *settled.changes))
