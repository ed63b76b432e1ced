"""The odds of a fire, fast: by the rolls of `firing.py`, in states that hold no more than what is asked.

The order of independent dice is of no matter here: all characters that nobody asks for by number are one roll together,
of which only the toll is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import lcm

from bot.rules.odds.odds import Weighted, every_roll
from bot.rules.sequence.sequence import Line, Plan, Roll, Ruled, Ruling, ruled
from bot.systems.ucn.firing import NO_TOLL, Fire, Firing, Settle, Toll
from bot.systems.ucn.shooters import Shooter
from bot.systems.ucn.skills import Check, d20
from bot.systems.ucn.speed import EVERY_FACE, Asked, by_status, harms, saving, succeeding

EXACT = ("roll", "spot_roll", "total", "loses_ap")  # of a shooter: what only the face itself can tell


def plan_of(
    firing: tuple[Shooter, ...],
    settle: Settle,
    lines: tuple[Line, ...],
    *,
    spots: Sequence[Check | None] | None = None,
) -> Plan[Fire]:
    """The plan of a fire as it is played, its odds counted here."""
    played = Firing(firing, spots).plan(settle, lines)

    def focus(paths: tuple[str, ...]) -> Plan[Fire]:
        odds = FiringOdds(firing, spots, Asked(paths))
        return replace(played, start=odds.start(), steps=odds.ruled)

    return replace(played, focus=focus)


class FiringOdds(Firing):
    """A fire of which only what is asked for is counted."""

    def __init__(self, firing: tuple[Shooter, ...], spots: Sequence[Check | None] | None, asked: Asked) -> None:
        super().__init__(firing, spots)
        self.asked, self.exact, self.in_turn = asked, asked.leaf(*EXACT), True
        alone = asked.items("shooters")
        self.others = [at for at in self.rolling if at not in alone]
        self.rolling = tuple(at for at in self.rolling if at in alone)
        self.hits, self.saves, self.status = asked.keeps("hits"), asked.keeps("saved"), asked.keeps("status")
        self.casualties = asked.keeps("casualties", "morale_loss")

    def start(self) -> Fire:
        """First all that nobody asks for, in one roll."""
        return Fire("others") if self.others else super().start()

    def keep(self, toll: Toll) -> Toll:
        """What is asked for, and nothing else: so more states are equal."""
        return Toll(
            toll.hits if self.hits else 0,
            toll.saved if self.saves else 0,
            toll.casualties if self.casualties else 0,
            toll.worst if self.status else 0,
        )

    @cached_property
    def ruled(self) -> dict[str, Ruled[Fire]]:
        """The rolls, by what they tell apart, and that of all others."""
        found = self.steps()
        groups = {"spot": self.spots_by, "shot": self.shots_by, "save": self.saves_by, "damage": self.damage_by}
        steps = {name: replace(step, groups=groups[name]) for name, step in found.items()}
        return {**steps, "others": ruled((), self.take, groups=self.others_by)}

    def spots_by(self, fire: Fire) -> Weighted:
        """The die to spot by success."""
        spot = self.spots[fire.at]
        exact = self.exact and fire.at in self.rolling
        return EVERY_FACE if exact or spot is None else succeeding(spot)

    def shots_by(self, fire: Fire) -> Weighted:
        """The die to hit by success."""
        exact = self.exact and fire.at in self.rolling
        return EVERY_FACE if exact else succeeding(self.firing[fire.at].check)

    def saves_by(self, fire: Fire) -> Weighted:
        """The save die by whether it saves."""
        saves = self.firing[fire.at].saves
        return EVERY_FACE if saves is None else saving(saves)

    def damage_by(self, fire: Fire) -> Weighted:
        """The damage dice by their statuses; of a character that nobody asks for by their worth together."""
        damage = self.firing[fire.at].damage
        if fire.at not in self.rolling:
            return harms(damage)
        return every_roll(d20("") * damage.dice) if self.exact else by_status(damage)

    # -- all others in one roll -----------------------------------------------------------------------------

    @cached_property
    def together(self) -> dict[Toll, int]:
        """What may come of all that nobody asks for: each toll and in how many ways."""
        totals: dict[tuple[int, int, int, int], int] = {NO_TOLL: 1}
        fates: dict[object, list[tuple[int, Toll]]] = {}
        for at in self.others:
            shooter = self.firing[at]
            key = (self.spots[at], shooter.check, shooter.damage, shooter.saves)
            if key not in fates:
                fates[key] = self.fate(at)
            further: dict[tuple[int, int, int, int], int] = {}
            for (hits, saved, casualties, worst), ways in totals.items():
                for weight, (hit, save, out, status) in fates[key]:
                    toll = (hits + hit, saved + save, casualties + out, max(worst, status))
                    further[toll] = further.get(toll, 0) + ways * weight
            totals = further
        return {Toll(*toll): ways for toll, ways in totals.items()}

    @cached_property
    def tolls(self) -> tuple[Toll, ...]:
        """The tolls of all that nobody asks for, in order."""
        return tuple(self.together)

    def others_by(self, _: Fire) -> Weighted:
        """All that nobody asks for as one roll, the face n standing for the n-th toll."""
        return tuple((ways, (number,)) for number, ways in enumerate(self.together.values()))

    def take(self, _: Fire, roll: Roll) -> Ruling[Fire]:
        """The toll of all others is known."""
        return Ruling(self.turn(0, self.tolls[roll[0]]))

    def fate(self, at: int) -> list[tuple[int, Toll]]:
        """What may come of one character, and in how many ways."""
        courses = tuple(self.courses(Fire("shot" if self.spots[at] is None else "spot", at), 1, 1))
        every = lcm(*(over for _, over, _ in courses))
        chances: dict[Toll, int] = {}
        for ways, over, toll in courses:
            chances[toll] = chances.get(toll, 0) + ways * every // over
        return [(ways, toll) for toll, ways in chances.items()]

    def courses(self, fire: Fire, ways: int, over: int) -> Iterator[tuple[int, int, Toll]]:
        """Every course of one character's rolls, by the same rulings as in play: in `ways` of `over` to this toll."""
        step = self.ruled[str(fire.owes)]
        rolls = step.grouped(fire) or ()
        over *= sum(number for number, _ in rolls)
        for number, roll in rolls:
            after = step.rule(fire, roll).after
            if after.owes is None or after.at != fire.at:
                yield ways * number, over, after.toll
            else:
                yield from self.courses(after, ways * number, over)
