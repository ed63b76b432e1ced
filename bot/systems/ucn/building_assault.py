"""Building assault of one room: a grenade first, then melee with the occupants who are left."""

from collections.abc import Iterable, Mapping
from functools import cache, partial
from operator import add
from typing import Any

from bot.rules.inputs.typed_values import Given
from bot.rules.sequence.sequence import Change, Fate, Line, Parts, Plan, Roll, Ruling, Settlement, ruled
from bot.rules.tables.table import Tables
from bot.systems.ucn import melee, roster
from bot.systems.ucn.melee import Combat, Fight, Side, face_apart
from bot.systems.ucn.roster import spends
from bot.systems.ucn.skill_check import FACES, LAST, Check, d20

Results = tuple[str, ...]
"""What each face of the grenade's die does to an occupant."""
OUT = "combat-ineffective"
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
    attacker, defender = melee.sides(given)
    results = None
    if given.flag("grenade"):
        results = ("", *tables["grenade-damage"].column("status", roll=FACES))

    throwers = [attacker.unit] if attacker.unit is not None and results is not None else []
    paid, told = spends(tables, throwers, "throw-grenade", again="thrown")

    @cache
    def checks(left: int) -> tuple[Check, Check]:
        # One suppression at most, and nobody knows which figures the grenade took: SMGs at most as many as are left.
        suppressed = defender.suppressed or results is not None
        room = defender._replace(characters=left, smgs=min(defender.smgs, left), suppressed=suppressed)
        own = melee.side_check(tables, attacker, left)
        return own, melee.side_check(tables, room, attacker.characters)

    def settle(out: Mapping[str, Any]) -> Settlement:
        settled = _settle(out, attacker, defender, grenade_thrown=results is not None)
        return settled._replace(changes=(*settled.changes, *paid), now=(*settled.now, *told))

    fight, full = Combat(tables, attacker.characters, checks), defender.characters
    opening: dict[str, Any] = {"grenade_results": []}
    if results is None:
        opening |= {"grenade_casualties": 0, "defenders_left": full, **fight.finals(full)}
        lines = fight.lines(full)
        return Plan(Fight("attackers", full), fight.steps(), settle, opening, lines=lines, apart=fight.apart)
    steps = {"grenade": ruled(d20("grenade") * full, partial(_grenade, results, fight)), **fight.steps()}
    return Plan(Fight("grenade", full), steps, settle, opening, apart=partial(_apart, results, fight))


def _grenade(results: Results, combat: Combat, fight: Fight, roll: Roll) -> Ruling[Fight]:
    """One die per occupant; whoever is left meets the attackers."""
    fates = [results[face] for face in roll]
    after, told, _, _ = _thrown(combat, fight, fates.count(OUT))
    left = after.left

    def story() -> Iterable[Line]:
        last = LAST - results[::-1].index(OUT)
        yield Line("grenade", roll, result=f"{results.index(OUT)}-{last} takes one out")
        yield from combat.lines(left) if left else ()

    return Ruling(after, {**told, **{f"grenade_results[{at}]": fate for at, fate in enumerate(fates)}}, story)


def _thrown(combat: Combat, fight: Fight, taken: int) -> Ruling[Fight]:
    """The ruling on a grenade that took so many."""
    left = fight.left - taken
    told = {"grenade_casualties": taken, "defenders_left": left, **(combat.finals(left) if left else CLEARED)}
    return Ruling(Fight("attackers" if left else None, left), told)


def _apart(results: Results, combat: Combat, fight: Fight) -> Parts[Fight] | None:
    """For odds: the dice of the grenade are parts, and then those of both sides."""
    if fight.owes != "grenade":
        return combat.apart(fight)
    taken = [fate == OUT for fate in results]
    each = [face_apart(f"grenade_results[{at}]", taken, "grenade", results) for at in range(fight.left)]
    return Parts(each, {"successes": add}, lambda successes: _thrown(combat, fight, successes), {"successes": ()})


def status_after(casualties: int, survivors: int) -> str:
    """What the survivors of a grenade are. Source: Building Assault, Grenade Assault Phase Damage."""
    if not survivors:
        return "cleared"
    return "pinned" if casualties else "stunned"


def _settle(out: Mapping[str, Any], attacker: Side, defender: Side, *, grenade_thrown: bool) -> Settlement:
    """The losses of both sides; the survivors of a grenade keep what it made of them."""
    changes: list[Change] = []
    units: list[tuple[str, str]] = []
    status = status_after(out["grenade_casualties"], out["defenders_left"])
    if attacker.unit is not None:
        lost = out["attacker_casualties"]
        changes += roster.change(attacker.unit, roster.loses(attacker.unit, lost))
        units.append((attacker.unit.word, roster.casualties(lost)))
    if defender.unit is not None:
        lost = out["grenade_casualties"] + out["defender_casualties"]
        new = roster.loses(defender.unit, lost)
        if grenade_thrown and "state" not in new:
            new = roster.after_grenade(defender.unit, lost, status)
        changes += roster.change(defender.unit, new)
        units.append((defender.unit.word, roster.casualties(lost)))
    by_grenade = f"grenade takes {out['grenade_casualties']}, " if grenade_thrown else ""
    headline = f"{by_grenade}{'cleared' if out['outcome'] == 'cleared' else melee.headline(out)}"
    told = melee.fates(attacker, defender, out, before=out["grenade_casualties"])
    now = melee.still_in_combat(out)
    if out["outcome"] == "cleared":
        told, now = (Fate(told[0].unit, "cleared"), told[1]), ("the room is empty",)
    elif grenade_thrown:
        now = (f"{out['defenders_left']} left after the grenade, {status}, −6 to all skills", *now)
    return Settlement(headline, tuple(units), (), tuple(changes), told, now)
