"""What makes the odds of many men cheap, apart from the rules: all dice of one man, first to last, are counted once.

Dice that end in the same result, wounds and state are one, so that a man costs one state whatever the passes.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from bot.systems.baps.resolution import UNHURT, Cell, Hurt, Man, Resolution

Hurts = tuple[tuple[int, Hurt], ...]
"""What a man may have suffered in the end, each in how many of the equally likely ways."""


class WholeRolls:
    """All that can happen to each man, counted once for men who are alike."""

    def __init__(self, crt: Resolution) -> None:
        self._crt = crt
        self._known: dict[tuple[tuple[Cell, ...], int, bool], Hurts] = {}

    def of(self, man: Man) -> Hurts:
        """What an unhurt man suffers from all of their dice, weighted."""
        key = (man.cells, man.before, man.counts_ones)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._count(man)
        return found

    def _count(self, man: Man) -> Hurts:
        live: dict[Hurt, Fraction] = {UNHURT: Fraction(1)}
        ends: dict[tuple[object, ...], tuple[Fraction, Hurt]] = {}
        while live:
            further: dict[Hurt, Fraction] = {}
            for hurt, chance in live.items():
                for share, die in self._faces(man, hurt):
                    new = self._crt.strike(man, hurt, die)
                    here = chance * share
                    if man.finished(new):
                        key = (new.result, man.dead(new), new.suppressed, new.one)
                        ends[key] = (here + ends[key][0], ends[key][1]) if key in ends else (here, new)
                    else:
                        further[new] = further.get(new, Fraction(0)) + here
            live = further
        over = lcm(*(chance.denominator for chance, _ in ends.values()))
        return tuple((int(chance * over), hurt) for chance, hurt in ends.values())

    def _faces(self, man: Man, hurt: Hurt) -> list[tuple[Fraction, int]]:
        """Faces of the next die, those that do the same counted together."""
        cell = self._crt.next_cell(man, hurt)
        groups: dict[tuple[str, bool], list[int]] = {}
        for die, word in enumerate(cell, 1):
            groups.setdefault((word, die == 1 and man.counts_ones and not hurt.entry), []).append(die)
        return [(Fraction(len(dice), len(cell)), dice[0]) for dice in groups.values()]
