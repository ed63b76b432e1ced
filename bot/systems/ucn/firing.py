"""The rolls of characters that fire: to spot where they interrupt, to hit, to save, and the damage dice.

An interrupt takes the characters one after the other; in shooting all roll to hit before the first save.

Source: Infantry Combat, Shooting, Damage, Save; Interrupt, Spotting and Shooting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bot.rules.dice import Die
from bot.rules.sequence import Line, Plan, Roll, Ruled, Ruling, Settlement, minus, ruled
from bot.systems.ucn.shooters import MORALE_LOSS, Shooter
from bot.systems.ucn.skills import LAST, Check, d20, lost_ap
from bot.systems.ucn.weapons import STATUSES

Settle = Callable[[Mapping[str, Any]], Settlement]


class Toll(NamedTuple):
    """What the fire has done so far; `worst` is a place in the list of statuses."""

    hits: int = 0
    saved: int = 0
    casualties: int = 0
    worst: int = 0

    def told(self) -> dict[str, Any]:
        """The outputs of the whole fire."""
        return {
            "hits": self.hits,
            "saved": self.saved,
            "casualties": self.casualties,
            "status": STATUSES[self.worst],
            "morale_loss": MORALE_LOSS * self.casualties,
        }


NO_TOLL = Toll()


@dataclass(frozen=True, slots=True)
class Fire:
    """Whose roll is owed and which; the shooters whose hit is still to be worked out; what came of the others."""

    owes: str | None
    at: int = 0
    hits: tuple[int, ...] = ()
    toll: Toll = NO_TOLL


class Firing:
    """The rolls of a fire; `spots` are in an interrupt the Spot checks, None for a target that is spotted anyway."""

    def __init__(self, firing: tuple[Shooter, ...], spots: Sequence[Check | None] | None = None) -> None:
        self.firing, self.interrupts = firing, spots is not None
        self.spots = (None,) * len(firing) if spots is None else tuple(spots)
        self.in_turn, self.rolling = self.interrupts, tuple(range(len(firing)))

    def plan(self, settle: Settle, lines: tuple[Line, ...]) -> Plan[Fire]:
        """The plan of the fire."""
        opening: dict[str, Any] = {"shooters": []}
        for number, (shooter, spot) in enumerate(zip(self.firing, self.spots, strict=True)):
            opening |= told(number, weapon=shooter.weapon.word, final_skill=shooter.check.final)
            if self.interrupts:
                opening |= told(number, spot_final=None if spot is None else spot.final)
            if self.interrupts and spot is None:
                opening |= told(number, spot_roll=None, spotted=True)
        return Plan(self.start(), self.steps(), settle, opening, lambda fire: fire.toll.told(), lines)

    def steps(self) -> dict[str, Ruled[Fire]]:
        """The rolls that a character may owe."""
        return {
            "spot": ruled(lambda fire: self.dice(fire, "to spot"), self.spot),
            "shot": ruled(lambda fire: self.dice(fire, "to hit"), self.shot),
            "save": ruled(lambda fire: self.dice(fire, "save"), self.save),
            "damage": ruled(lambda fire: self.dice(fire, "damage") * self.firing[fire.at].weapon.dice, self.damage),
        }

    def dice(self, fire: Fire, what: str) -> tuple[Die, ...]:
        """A die of the character at hand."""
        return d20(f"{self.firing[fire.at].label} {what}")

    # -- whose turn it is ---------------------------------------------------------------------------------

    def start(self) -> Fire:
        """The first character rolls."""
        return self.turn(0, NO_TOLL)

    def turn(self, at: int, toll: Toll, hits: tuple[int, ...] = ()) -> Fire:
        """The next character from `at` on owes a first roll; after the last the hits are worked out."""
        for number in self.rolling:
            if number >= at:
                return Fire("shot" if self.spots[number] is None else "spot", number, hits, toll)
        return self.work_out(hits, toll)

    def work_out(self, hits: tuple[int, ...], toll: Toll) -> Fire:
        """The first of `hits` owes what follows a hit: the save, if one is allowed, or the damage dice."""
        if not hits:
            return Fire(None, toll=toll)
        return Fire("damage" if self.firing[hits[0]].saves is None else "save", hits[0], hits[1:], toll)

    def through(self, fire: Fire, toll: Toll) -> Fire:
        """The character at hand has rolled everything."""
        return self.turn(fire.at + 1, toll) if self.in_turn else self.work_out(fire.hits, toll)

    def keep(self, toll: Toll) -> Toll:
        """What is remembered of a toll: in play all of it."""
        return toll

    # -- the rolls ----------------------------------------------------------------------------------------

    def spot(self, fire: Fire, roll: Roll) -> Ruling[Fire]:
        """Who does not spot the target does not attack."""
        spot, shown, (face,) = self.spots[fire.at], self.firing[fire.at].shown, roll
        assert spot is not None
        spotted, needed = spot.passes[face], f"{minus(spot.final)} or less needed{lost_ap(roll)}"
        found = told(fire.at, spot_roll=face, spotted=spotted)
        if not spotted:
            found |= told(fire.at, roll=None, hit=False, saved=None, damage=[])
        after = replace(fire, owes="shot") if spotted else self.through(fire, fire.toll)
        return Ruling(after, found, lambda: [Line(f"{shown} to spot", roll, result=needed, unit=shown)])

    def shot(self, fire: Fire, roll: Roll) -> Ruling[Fire]:
        """At or under the final skill hits; in shooting the next character rolls before the hit is worked out."""
        shooter, at, toll, (face,) = self.firing[fire.at], fire.at, fire.toll, roll
        hit, shown = shooter.check.passes[face], shooter.shown
        found = told(at, roll=face, hit=hit)
        if not hit:
            found |= told(at, saved=None, damage=[])
        elif shooter.saves is None:
            found |= told(at, saved=None)
        if not self.interrupts:
            found |= told(at, loses_ap=face == LAST)
        if hit:
            toll = self.keep(toll._replace(hits=toll.hits + 1))
        if hit and self.in_turn:
            after = self.work_out((at,), toll)
        else:
            after = self.turn(at + 1, toll, (*fire.hits, at) if hit else fire.hits)
        needed = minus(shooter.check.final)
        says = f"{needed} or less needed{lost_ap(roll)}"
        return Ruling(after, found, lambda: [Line(f"{shown} to hit", roll, result=says, unit=shown)])

    def save(self, fire: Fire, roll: Roll) -> Ruling[Fire]:
        """Who was hit by a pistol, an SMG or a blast may be saved; else the damage dice are rolled."""
        shooter, toll = self.firing[fire.at], fire.toll
        saved, highest = shooter.saving[roll[0]], sum(shooter.saving)
        if saved:
            found, after = (
                told(fire.at, saved=True, damage=[]),
                self.through(fire, self.keep(toll._replace(saved=toll.saved + 1))),
            )
        else:
            found, after = told(fire.at, saved=False), replace(fire, owes="damage")
        return Ruling(
            after,
            found,
            lambda: [Line(f"save from {shooter.shown}", roll, result=f"{highest} or less needed", unit=shooter.shown)],
        )

    def damage(self, fire: Fire, roll: Roll) -> Ruling[Fire]:
        """Each damage die is read by itself; the element takes the worst status."""
        shooter, toll, damage = self.firing[fire.at], fire.toll, self.firing[fire.at].damage
        found: dict[str, Any] = {}
        for number, face in enumerate(roll):
            one = f"shooters[{fire.at}].damage[{number}]"
            found[f"{one}.roll"] = face
            found[f"{one}.total"] = face + damage.bonus
            found[f"{one}.status"] = STATUSES[damage.ranks[face]]
        toll = toll._replace(
            casualties=toll.casualties + damage.casualties(roll), worst=max(toll.worst, damage.worst(roll))
        )
        return Ruling(self.through(fire, self.keep(toll)), found, lambda: [damage_line(shooter, roll)])


def told(at: int, **values: Any) -> dict[str, Any]:
    """Outputs of one shooter."""
    return {f"shooters[{at}].{name}": value for name, value in values.items()}


def damage_line(shooter: Shooter, roll: Roll) -> Line:
    """The line of the damage dice of a hit."""
    bonus = shooter.damage.bonus
    parts = (("each" if len(roll) > 1 else "damage", bonus),) if bonus else ()
    totals = ", ".join(f"{face + bonus}" for face in roll) if bonus and len(roll) > 1 else ""
    total = roll[0] + bonus if bonus and len(roll) == 1 else None
    return Line(f"{shooter.shown} damage", roll, parts, total, totals, unit=shooter.shown)
