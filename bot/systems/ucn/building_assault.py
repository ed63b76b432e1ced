"""Building assault of one room: a grenade first, then melee with the occupants who are left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Settlement, Step
from bot.rules.tables.table import Tables
from bot.systems.ucn import combat, roster
from bot.systems.ucn.asked import PLAY, Asked
from bot.systems.ucn.combat import Combat, Fight, Side
from bot.systems.ucn.grenade import DIE, Grenade, grenade, status_after
from bot.systems.ucn.skills import Check

CLEARED = {
    "attacker_final": None,
    "defender_final": None,
    "attacker_successes": None,
    "defender_successes": None,
    "outcome": "cleared",
    "attacker_casualties": 0,
    "defender_casualties": 0,
}


def plan(tables: Tables, given: Given) -> Plan[Fight]:
    """An assault on the occupants of one room. Source: Building Assault, all panels.

    Raises UserError for fewer than two attackers and for more SMGs than characters on a side.
    """
    attacker, defender = combat.sides(given)
    thrown = grenade(tables) if given.flag("grenade") else None

    def checks(left: int) -> tuple[Check, Check]:
        # One suppression at most, and nobody knows which figures the grenade took: SMGs at most as many as are left.
        room = replace(
            defender,
            characters=left,
            smgs=min(defender.smgs, left),
            suppressed=defender.suppressed or thrown is not None,
        )
        return combat.side_check(tables, attacker, left), combat.side_check(tables, room, attacker.characters)

    def settle(out: Mapping[str, Any]) -> Settlement:
        return _settle(out, attacker, defender, grenade_thrown=thrown is not None)

    def focused(asked: Asked) -> Plan[Fight]:
        fight = Combat(tables, attacker.characters, checks, asked, lists=False)
        full = defender.characters
        opening: dict[str, Any] = {"grenade_results": []}
        if thrown is None:
            opening |= {"grenade_casualties": 0, "defenders_left": full, **fight.finals(full)}
            return Plan(Fight("attackers", full), fight.steps(), settle, opening, lines=fight.lines(full))
        step = _grenade_step(thrown, full, fight, asked)
        return Plan(Fight("grenade", full), {"grenade": step, **fight.steps()}, settle, opening)

    return replace(focused(PLAY), focus=lambda paths: focused(Asked(paths)))


def _grenade_step(bomb: Grenade, occupants: int, fight: Combat, asked: Asked) -> Step[Fight]:
    """One die per occupant; whoever is left meets the attackers."""

    def apply(_state: Fight, roll: Roll) -> Fight:
        left = occupants - bomb.casualties(roll)
        return Fight("attackers" if left else None, left)

    def outputs(_before: Fight, roll: Roll, after: Fight) -> Outputs:
        told: dict[str, Any] = {"grenade_casualties": bomb.casualties(roll), "defenders_left": after.left}
        if asked.keeps("grenade_results"):
            told |= bomb.told("grenade_results", roll)
        return told | (fight.finals(after.left) if after.left else CLEARED)

    def lines(_before: Fight, roll: Roll, after: Fight) -> Iterable[Line]:
        yield bomb.line(roll)
        if after.left:
            yield from fight.lines(after.left)

    groups = bomb.groups(occupants, asked.items("grenade_results") if asked.counting else ())
    return Step(DIE * occupants, apply, outputs, lines, lambda _: groups)


def _settle(out: Mapping[str, Any], attacker: Side, defender: Side, *, grenade_thrown: bool) -> Settlement:
    """The losses of both sides; the survivors of a grenade keep what it made of them."""
    changes: list[Change] = []
    units: list[tuple[str, str]] = []
    if attacker.unit is not None:
        lost = out["attacker_casualties"]
        changes += roster.change(attacker.unit, roster.loses(attacker.unit, lost))
        units.append((attacker.unit.word, roster.casualties(lost)))
    if defender.unit is not None:
        lost = out["grenade_casualties"] + out["defender_casualties"]
        new = roster.loses(defender.unit, lost)
        if grenade_thrown and "state" not in new:
            status = status_after(out["grenade_casualties"], out["defenders_left"])
            new = roster.after_grenade(defender.unit, lost, status)
        changes += roster.change(defender.unit, new)
        units.append((defender.unit.word, roster.casualties(lost)))
    by_grenade = f"grenade takes {out['grenade_casualties']}, " if grenade_thrown else ""
    headline = f"{by_grenade}{'cleared' if out['outcome'] == 'cleared' else combat.headline(out)}"
    told = combat.fates(attacker, defender, out, before=out["grenade_casualties"])
    now = combat.still_in_combat(out)
    if out["outcome"] == "cleared":
        told, now = (Fate(told[0].unit, "cleared"), told[1]), ("the room is empty",)
    elif grenade_thrown:
        now = (f"{out['defenders_left']} left after the grenade, −6 to all skills", *now)
    return Settlement(headline, tuple(units), (), tuple(changes), told, now)
