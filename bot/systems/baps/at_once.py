"""What makes the odds of many men cheap, apart from the rules: there a roll is all dice of one man, first to last.

Rolls that end in the same result, wounds and state are one, so that a man costs one state whatever the passes.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import lcm

from bot.rules.odds import Weighted
from bot.rules.sequence import Roll
from bot.systems.baps.resolution import UNHURT, Cell, Hurt, Man, Resolution


class WholeRolls:
    """All that can happen to each man, counted once for men who are alike."""

    def __init__(self, crt: Resolution) -> None:
        self._crt = crt
        self._known: dict[tuple[tuple[Cell, ...], int, bool], Weighted] = {}

    def of(self, man: Man) -> Weighted:
        """The whole rolls of an unhurt man, weighted."""
        key = (man.cells, man.before, man.counts_ones)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._count(man)
        return found

    def end(self, man: Man, roll: Roll) -> Hurt:
        """The man after a whole roll."""
        return reduce(lambda hurt, die: self._crt.strike(man, hurt, die), roll, UNHURT)

    def _count(self, man: Man) -> Weighted:
        live: dict[Hurt, tuple[Fraction, Roll]] = {UNHURT: (Fraction(1), ())}
        ends: dict[tuple[object, ...], tuple[Fraction, Roll]] = {}
        while live:
            further: dict[Hurt, tuple[Fraction, Roll]] = {}
            for hurt, (chance, roll) in live.items():
                for share, die in self._faces(man, hurt):
                    new = self._crt.strike(man, hurt, die)
                    here = chance * share, (*roll, die)
                    if man.finished(new):
                        key = (new.result, man.dead(new), new.suppressed, new.one)
                        ends[key] = (here[0] + ends[key][0], ends[key][1]) if key in ends else here
                    else:
                        further[new] = (here[0] + further[new][0], further[new][1]) if new in further else here
            live = further
        over = lcm(*(chance.denominator for chance, _ in ends.values()))
        return tuple((int(chance * over), roll) for chance, roll in ends.values())

    def _faces(self, man: Man, hurt: Hurt) -> list[tuple[Fraction, int]]:
        """Faces of the next die, those that do the same counted together."""
        cell = self._crt.next_cell(man, hurt)
        groups: dict[tuple[str, bool], list[int]] = {}
        for die, word in enumerate(cell, 1):
            groups.setdefault((word, die == 1 and man.counts_ones and not hurt.entry), []).append(die)
        return [(Fraction(len(dice), len(cell)), dice[0]) for dice in groups.values()]
