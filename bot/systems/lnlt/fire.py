"""Direct fire: small arms and machine guns against a hex of leg units, or against one vehicle or helicopter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.rules.dice import Die, d6
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds import group_sums
from bot.rules.sequence import Line, Plan, Roll, Settlement, Step, Told, parts_of
from bot.rules.tables.table import Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.burning import fire_check, fire_started, then_fire_check, told_before
from bot.systems.lnlt.checks import NONE, Attack, DamageChecks
from bot.systems.lnlt.firepower import attack_firepower, counts_as_ops_complete
from bot.systems.lnlt.items import Readings, list_items
from bot.systems.lnlt.settling import attacked, captured, captured_lost, headline, rows
from bot.systems.lnlt.terrain import is_lone_sniper
from bot.systems.lnlt.words import refuse_values

ATTACK, DEFENSE = d6("attack"), d6("defense")
FLAGS = (
    "smoke", "tis", "mg_pivot", "mg_assault", "night", "attacker_flying", "between_buildings", "hit_and_run", "assault",
    "adjacent", "adjacent_a", "fired_ordnance_sw", "target_moved", "mounted_stationary", "rubber_boat",
    "vehicle_moved", "target_flying",
)  # fmt: skip


def plan(tables: Tables, given: Given, *, apart: bool = False) -> Plan[Attack]:
    """Direct fire of `attackers` at `targets`. Source: PAC 01-03, 05, 09, 12 (5.0).

    `apart` tells whom a sniper picks at the place where they are listed, as the odds show them, not as the first
    target. Raises UserError for targets that cannot be attacked together, or a stack that cannot fire so.
    """
    refuse_values(given)
    attackers, targets, shooter = given.units("attackers"), given.units("targets"), given.word("shooter")
    target = _check_targets(targets)
    powers = attack_firepower(tables, attackers)
    attack_fp = sum(power for _, power in powers)
    modifiers = tables["dft-mods"](
        **{flag: given.flag(flag) for flag in FLAGS},
        lm=given.int("lm"),
        degrading=given.int("degrading"),
        skill=given.int("skill"),
        ops_complete=sum(map(counts_as_ops_complete, attackers)),
        armor=int(target.get("av") or 0) if target is not None else 0,
        tm=0 if target is not None and target.type in kinds.AIRBORNE else given.int("tm"),
        lone_sniper=shooter != "sniper" and (is_lone_sniper(targets) or given.flag("lone_sniper")),
    )
    attack_mod, defense_mod = int(modifiers["attack_mod"]), int(modifiers["defense_mod"])
    picks = shooter == "sniper" and len(targets) > 1 and target is None
    flammable, count = given.flag("flammable"), 1 if shooter == "normal" else 2

    readings, size = Readings(tables), len(targets)
    checks = DamageChecks(
        readings,
        list_items(
            readings,
            targets,
            paths=["targets[0]" if picks and not apart else f"targets[{at}]" for at in range(size)],
            spans=[(at, at + 1) for at in range(size)] if picks else [(0, size)] if size else [],
            offsets=(0,) * size,
            no_hero=given.flag("no_hero"),
            closed_is_immune=True,
        ),
        finish=then_fire_check,
        leaves_out_crashed=True,
    )
    advice = _best_leaders(targets) if picks else (0,) * max(size, 1)

    def margin(roll: Roll) -> int:
        return sum(roll[:count]) + attack_fp + attack_mod - roll[count] - defense_mod

    def aimed(state: Attack, roll: Roll) -> Attack:
        difference, six = margin(roll), flammable and 6 in roll[:count]
        lm = advice[state.at] if difference > 0 else 0
        return Attack("attack", max(difference, 0), state.at, lm, six=six)

    def attack(state: Attack, roll: Roll) -> Attack:
        after = aimed(state, roll)
        return checks.enter(after, state.at) if after.margin and targets else then_fire_check(after)

    def tells(before: Attack, roll: Roll, _after: Attack) -> Told:
        difference = margin(roll)
        told: dict[str, Any] = {
            "attack_roll": sum(roll[:count]),
            "attack_total": sum(roll[:count]) + attack_fp + attack_mod,
            "defense_total": roll[count] + defense_mod,
            "hit": difference > 0,
            "dc_mod": max(difference, 0),
        }
        if difference <= 0:
            told["outcome"] = NONE
        elif not targets:
            told["outcome"] = "damage-check"
        else:
            told.update(checks.passed_over(aimed(before, roll), before.at))
        if flammable and 6 not in roll[:count]:
            told["fire_check"] = NONE
        return told

    def story(before: Attack, roll: Roll, after: Attack) -> Iterable[Line]:
        del before, after
        difference = margin(roll)
        verdict = f"higher by {difference}: damage check" if difference > 0 else "not higher: no effect"
        own = tuple((f"firepower {unit}", power) for unit, power in powers if power)
        total = sum(roll[:count]) + attack_fp + attack_mod
        yield Line("attack", roll[:count], (*own, *parts_of(modifiers.parts, "attack_mod")), total)
        yield Line(
            "defense", roll[count:], parts_of(modifiers.parts, "defense_mod"), roll[count] + defense_mod, verdict
        )

    def pick(_state: Attack, roll: Roll) -> Attack:
        return Attack("attack", at=roll[0] - 1)

    def picked(_before: Attack, roll: Roll, _after: Attack) -> Told:
        return {"picked": roll[0]}

    def pick_story(_before: Attack, roll: Roll, _after: Attack) -> Iterable[Line]:
        yield Line("pick of the sniper", roll, result=f"{roll[0]}: {targets[roll[0] - 1].word}")

    def settle(out: Mapping[str, Any]) -> Settlement:
        hurt = targets[out["picked"] - 1 :][:1] if picks else targets
        closed = [unit.word for item, unit in zip(checks.items, targets, strict=True) if item.immune]
        works = out["hit"] and not closed
        more = [*fire_started(out), *reminders]
        more += [
            f"{word} is armored and closed: only an open one takes a damage check." for word in closed if out["hit"]
        ]
        more += () if works else captured_lost(attackers)
        words = headline(out["targets"], hit=out["hit"])
        settled = attacked(words, hurt, out["targets"], more=more, firers=attackers)
        return replace(settled, changes=(*settled.changes, *captured(attackers, works=works)))

    reminders = _reminders(attackers, targets, shooter)
    groups = _two_dice(flammable) if count == 2 else None
    steps: dict[str, Step[Attack]] = {
        "pick": Step((Die("pick of the sniper", max(size, 1)),), pick, picked, pick_story),
        "attack": Step(
            (ATTACK,) * count + (DEFENSE,), attack, tells, story, groups=None if groups is None else lambda _: groups
        ),
        "fire check": fire_check(tables),
        **checks.steps(),
    }
    opening: dict[str, Any] = {"attack_fp": attack_fp, "attack_mod": attack_mod, "defense_mod": defense_mod}
    if not picks:
        opening["picked"] = 1 if shooter == "sniper" and targets else NONE
    opening |= {"targets": [], **told_before(flammable)}
    crash = "targets[0].becomes" if target is not None and target.type in kinds.AIRBORNE else ""
    shown = rows([replace(item, path=f"targets[{at}]") for at, item in enumerate(checks.items)], crash=crash)
    return Plan(
        Attack("pick" if picks else "attack"),
        steps,
        settle,
        opening,
        rows=shown,
        by_row=(lambda: plan(tables, given, apart=True)) if picks and not apart else None,
    )


def _reminders(attackers: Sequence[Unit], targets: Sequence[Unit], shooter: str) -> tuple[str, ...]:
    """What the card leaves to the players who fire. Source: PAC 05, 12."""
    lines = [
        f"{unit.word} is a {unit.type}: with shooter={unit.type} they roll 2d6"
        + (" and attack one unit at random." if unit.type == "sniper" else ".")
        for unit in attackers
        if unit.type in ("sniper", "marksman") and shooter == "normal"
    ]
    if any(unit.type == "helicopter" for unit in targets):
        lines.append("Small arms reach only half as far against helicopters.")
    return tuple(lines)


def _check_targets(targets: Sequence[Unit]) -> Unit | None:
    """The one vehicle or helicopter that is attacked, or None for leg units. Source: PAC 05 (17.2, 19.2.8)."""
    vehicles = [unit for unit in targets if not kinds.is_man(unit)]
    if not vehicles:
        return None
    if len(vehicles) > 1:
        raise UserError("Direct fire targets one vehicle or helicopter at a time.", hint="Resolve each by itself.")
    if targets[0] is not vehicles[0] or any(kinds.is_leg(unit) for unit in targets):
        raise UserError(
            f"Direct fire at {vehicles[0].word} targets it alone; only its passengers may follow.",
            hint="Mark passengers inside or outside, and attack leg units by themselves.",
        )
    return vehicles[0]


def _best_leaders(targets: Sequence[Unit]) -> tuple[int, ...]:
    """For each target the best LM of the other good order leaders: they were not shot at. Source: PAC 12."""
    lent = [int(unit.get("lm") or 0) if unit.type == "leader" and not kinds.is_shaken(unit) else 0 for unit in targets]
    return tuple(max([0, *lent[:at], *lent[at + 1 :]]) for at in range(len(lent)))


def _two_dice(flammable: bool) -> tuple[tuple[int, Roll], ...]:
    """The two dice of a sniper with the defense die, grouped by sum (and by a 6 where that matters)."""
    ways: dict[tuple[int, bool], tuple[int, Roll]] = {}
    if not flammable:
        pairs: Iterable[tuple[int, Roll]] = group_sums(2, 6)
    else:
        for first in range(1, 7):
            for second in range(1, 7):
                key = (first + second, 6 in (first, second))
                ways[key] = (ways.get(key, (0, ()))[0] + 1, (first, second))
        pairs = ways.values()
    return tuple((weight, (*roll, face)) for weight, roll in pairs for face in range(1, 7))
