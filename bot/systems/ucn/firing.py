"""The rolls of characters that fire: to spot where they interrupt, to hit, to save, and the damage dice.

An interrupt takes the characters one after the other; in shooting all roll to hit before the first save. In the odds
the order of independent dice is of no matter: all characters that nobody asks for by number are one roll together,
of which only the toll is kept.

Source: Infantry Combat, Shooting, Damage, Save; Interrupt, Spotting and Shooting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from bot.rules.dice import Die
from bot.rules.odds import Weighted, every_roll
from bot.rules.sequence import Line, Outputs, Plan, Roll, Settlement, Step, minus
from bot.systems.ucn import shooters
from bot.systems.ucn.asked import Asked
from bot.systems.ucn.pool import each
from bot.systems.ucn.shooters import NO_TOLL, Count, Shooter, Toll
from bot.systems.ucn.skills import LAST, Check, d20, lost_ap
from bot.systems.ucn.weapons import harms, saving

EXACT = ("roll", "spot_roll", "total", "loses_ap")  # of a shooter: what only the face itself can tell


@dataclass(frozen=True, slots=True)
class Fire:
    """Whose roll is owed and which; the shooters whose hit is still to be worked out; what came of the others."""

    owes: str | None
    at: int = 0
    hits: tuple[int, ...] = ()
    toll: Toll = NO_TOLL


class Firing:
    """The steps of a fire, for what is asked of it."""

    def __init__(
        self,
        firing: tuple[Shooter, ...],
        asked: Asked,
        *,
        spots: Sequence[Check | None] | None = None,
    ) -> None:
        """`spots`: in an interrupt the Spot check of each shooter, None for a target that is spotted anyway."""
        self.firing, self.asked, self.count = firing, asked, Count(asked)
        self.interrupts = spots is not None
        self.spots = (None,) * len(firing) if spots is None else tuple(spots)
        self.in_turn = self.interrupts or asked.counting
        self.exact = asked.counting and asked.leaf(*EXACT)
        numbers = range(len(firing))
        self.others = [at for at in numbers if asked.counting and not asked.item("shooters", at)]
        self.named = [at for at in numbers if not asked.counting or asked.item("shooters", at)]

    def plan(self, settle: Callable[[Mapping[str, Any]], Settlement], lines: tuple[Line, ...]) -> Plan[Fire]:
        """The plan of the fire."""
        steps: dict[str, Step[Fire]] = {
            "spot": Step(self.spot_dice, self.spot, self.spot_tells, self.spot_story, self.spot_groups),
            "shot": Step(self.shot_dice, self.shot, self.shot_tells, self.shot_story, self.shot_groups),
            "save": Step(self.save_dice, self.save, self.save_tells, self.save_story, self.save_groups),
            "damage": Step(self.damage_dice, self.damage, self.damage_tells, self.damage_story, self.damage_groups),
            "others": Step((), self.take, groups=self.other_groups),
        }
        opening: dict[str, Any] = {"shooters": []}
        for number, (shooter, spot) in enumerate(zip(self.firing, self.spots, strict=True)):
            path = f"shooters[{number}]"
            opening |= {f"{path}.weapon": shooter.weapon.word, f"{path}.final_skill": shooter.check.final}
            if self.interrupts:
                opening[f"{path}.spot_final"] = None if spot is None else spot.final
            if self.interrupts and spot is None:
                opening |= {f"{path}.spot_roll": None, f"{path}.spotted": True}
        start = Fire("others") if self.others else self._turn(0, NO_TOLL)
        return Plan(start, steps, settle, opening, lambda state: shooters.toll_told(state.toll), lines)

    # -- whose turn it is ---------------------------------------------------------------------------------

    def _turn(self, at: int, toll: Toll, hits: tuple[int, ...] = ()) -> Fire:
        """The state in which the next character from `at` on owes a first roll."""
        following = next((number for number in self.named if number >= at), None)
        return self._work_out(hits, toll) if following is None else self._first(following, toll, hits)

    def _first(self, at: int, toll: Toll, hits: tuple[int, ...] = ()) -> Fire:
        return Fire("shot" if self.spots[at] is None else "spot", at, hits, toll)

    def _work_out(self, hits: tuple[int, ...], toll: Toll) -> Fire:
        """The state in which the first of `hits` owes what follows a hit."""
        return self._hit(hits[0], toll, hits[1:]) if hits else Fire(None, toll=toll)

    def _hit(self, at: int, toll: Toll, hits: tuple[int, ...] = ()) -> Fire:
        return Fire("damage" if self.firing[at].saves is None else "save", at, hits, toll)

    def _through(self, state: Fire, toll: Toll) -> Fire:
        """The character at hand has rolled everything."""
        return self._turn(state.at + 1, toll) if self.in_turn else self._work_out(state.hits, toll)

    # -- all others in one roll, only in the odds ---------------------------------------------------------

    @cached_property
    def together(self) -> dict[Toll, int]:
        """What may come of all that nobody asks for: each toll and in how many ways."""
        totals: dict[tuple[int, int, int, int], int] = {(0, 0, 0, 0): 1}
        fates: dict[object, list[tuple[int, int, int, int, int]]] = {}
        for at in self.others:
            shooter = self.firing[at]
            key = (self.spots[at], shooter.check, shooter.damage, shooter.saves)
            if key not in fates:
                fates[key] = self._fate(at)
            further: dict[tuple[int, int, int, int], int] = {}
            for (hits, saved, casualties, worst), ways in totals.items():
                for weight, hit, save, out, status in fates[key]:
                    toll = (hits + hit, saved + save, casualties + out, max(worst, status))
                    further[toll] = further.get(toll, 0) + ways * weight
            totals = further
        return {Toll(*toll): ways for toll, ways in totals.items()}

    @cached_property
    def tolls(self) -> tuple[Toll, ...]:
        """The tolls of all that nobody asks for, in order."""
        return tuple(self.together)

    def other_groups(self, _state: Fire) -> Weighted:
        """All that nobody asks for as one roll, the face n standing for the n-th toll."""
        return tuple((ways, (number,)) for number, ways in enumerate(self.together.values()))

    def _fate(self, at: int) -> list[tuple[int, int, int, int, int]]:
        """What may come of one character: how often, and the hits, saves, casualties and worst status."""
        chances: dict[Toll, Fraction] = {}
        self._follow(self._first(at, NO_TOLL), Fraction(1), chances)
        over = lcm(*(chance.denominator for chance in chances.values()))
        return [
            (int(chance * over), toll.hits, toll.saved, toll.casualties, toll.worst) for toll, chance in chances.items()
        ]

    def _follow(self, state: Fire, chance: Fraction, chances: dict[Toll, Fraction]) -> None:
        """Every course of one character's rolls, by the same steps as in play."""
        steps: dict[str | None, Any] = {
            "spot": (self.spot, self.spot_groups),
            "shot": (self.shot, self.shot_groups),
            "save": (self.save, self.save_groups),
            "damage": (self.damage, self.damage_groups),
        }
        apply, groups = steps[state.owes]
        rolls = groups(state)
        over = sum(ways for ways, _ in rolls)
        for ways, roll in rolls:
            after, part = apply(state, roll), chance * Fraction(ways, over)
            if after.owes is None or after.at != state.at:
                chances[after.toll] = chances.get(after.toll, Fraction(0)) + part
            else:
                self._follow(after, part, chances)

    def take(self, _state: Fire, roll: Roll) -> Fire:
        return self._turn(0, self.tolls[roll[0]])

    # -- to spot ------------------------------------------------------------------------------------------

    def _spot(self, state: Fire) -> Check:
        spot = self.spots[state.at]
        assert spot is not None
        return spot

    def spot_dice(self, state: Fire) -> tuple[Die, ...]:
        return d20(f"{self.firing[state.at].label} to spot")

    def spot_groups(self, state: Fire) -> Weighted:
        return every_roll(d20("")) if self.exact else self._spot(state).classes()

    def spot(self, state: Fire, roll: Roll) -> Fire:
        if self._spot(state).passes[roll[0]]:
            return replace(state, owes="shot")
        return self._through(state, state.toll)

    def spot_tells(self, before: Fire, roll: Roll, _after: Fire) -> Outputs:
        path, spotted = f"shooters[{before.at}]", self._spot(before).passes[roll[0]]
        told: dict[str, Any] = {f"{path}.spot_roll": roll[0], f"{path}.spotted": spotted}
        if not spotted:
            told |= {f"{path}.roll": None, f"{path}.hit": False, f"{path}.saved": None, f"{path}.damage": []}
        return told

    def spot_story(self, before: Fire, roll: Roll, _after: Fire) -> Iterable[Line]:
        spot = self._spot(before)
        shown, needed = self.firing[before.at].shown, f"{minus(spot.final)} or less needed{lost_ap(roll)}"
        yield Line(f"{shown} to spot", roll, result=needed, unit=shown)

    # -- to hit -------------------------------------------------------------------------------------------

    def shot_dice(self, state: Fire) -> tuple[Die, ...]:
        return d20(f"{self.firing[state.at].label} to hit")

    def shot_groups(self, state: Fire) -> Weighted:
        return every_roll(d20("")) if self.exact else self.firing[state.at].check.classes()

    def shot(self, state: Fire, roll: Roll) -> Fire:
        at, toll, hits = state.at, state.toll, state.hits
        if self.firing[at].check.passes[roll[0]]:
            toll = self.count.hit(toll)
            if self.in_turn:
                return self._hit(at, toll)
            hits = (*hits, at)
        return self._turn(at + 1, toll, hits)

    def shot_tells(self, before: Fire, roll: Roll, _after: Fire) -> Outputs:
        path = f"shooters[{before.at}]"
        told = shooters.shot_told(path, self.firing[before.at], roll[0])
        if not self.interrupts:
            told[f"{path}.loses_ap"] = roll[0] == LAST
        return told

    def shot_story(self, before: Fire, roll: Roll, _after: Fire) -> Iterable[Line]:
        yield shooters.shot_line(self.firing[before.at], roll[0])

    # -- save ---------------------------------------------------------------------------------------------

    def save_dice(self, state: Fire) -> tuple[Die, ...]:
        return d20(f"{self.firing[state.at].label} save")

    def save_groups(self, state: Fire) -> Weighted:
        return saving(self.firing[state.at].saving)

    def save(self, state: Fire, roll: Roll) -> Fire:
        if self.firing[state.at].saving[roll[0]]:
            return self._through(state, self.count.saved(state.toll))
        return replace(state, owes="damage")

    def save_tells(self, before: Fire, roll: Roll, _after: Fire) -> Outputs:
        return shooters.save_told(f"shooters[{before.at}]", self.firing[before.at], roll[0])

    def save_story(self, before: Fire, roll: Roll, _after: Fire) -> Iterable[Line]:
        yield shooters.save_line(self.firing[before.at], roll[0])

    # -- damage -------------------------------------------------------------------------------------------

    def damage_dice(self, state: Fire) -> tuple[Die, ...]:
        shooter = self.firing[state.at]
        return d20(f"{shooter.label} damage") * shooter.weapon.dice

    def damage_groups(self, state: Fire) -> Weighted:
        shooter = self.firing[state.at]
        if not self.asked.item("shooters", state.at):
            return harms(shooter.damage)
        if self.exact:
            return every_roll(d20("") * shooter.weapon.dice)
        return each(shooter.weapon.dice, shooter.damage.classes)

    def damage(self, state: Fire, roll: Roll) -> Fire:
        return self._through(state, self.count.damage(state.toll, self.firing[state.at].damage, roll))

    def damage_tells(self, before: Fire, roll: Roll, _after: Fire) -> Outputs:
        return shooters.damage_told(f"shooters[{before.at}]", self.firing[before.at], roll)

    def damage_story(self, before: Fire, roll: Roll, _after: Fire) -> Iterable[Line]:
        yield shooters.damage_line(self.firing[before.at], roll)
