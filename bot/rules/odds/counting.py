"""How odds are counted: the states of a plan, round by round, and its parts, each by itself.

Whole numbers over one common denominator, which grows with each round by what all its rolls have in common.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from bot.rules.odds.apiece import Apiece
from bot.rules.odds.factors import Joint, Marginals, Sign, joint_of, marginals_of
from bot.rules.odds.meter import Meter
from bot.rules.odds.rolling import StepsCounted
from bot.rules.odds.together import Together
from bot.rules.sequence.apart import Asked, End, Part
from bot.rules.sequence.sequence import Plan


class Count:
    """One count of odds: it remembers what parts that are alike come to."""

    def __init__(self, meter: Meter) -> None:
        self.meter, self.steps = meter, StepsCounted()
        self._joints: dict[Hashable, Joint] = {}
        self._marginals: dict[Hashable, Marginals] = {}

    def joint(self, plan: Plan[Any], wanted: tuple[str, ...], sign: Sign | None = None) -> Joint:
        """How often each combination of the outputs `wanted` comes, with the bits that `sign` reads at the end."""
        if len(wanted) == 1 and sign is None:
            alone = self.marginals(plan, wanted)
            return Joint({(value,): weight for value, weight in alone.sums[wanted[0]].items()}, alone.over)
        plan = plan.focus(wanted) if plan.focus is not None else plan
        return Together(self, plan, wanted, sign).counted()

    def joint_of(self, part: Part[Any], asked: Asked, sign: Sign | None) -> Joint:
        """The same for what is asked of a part, or of one that is alike."""
        key = part.known_by(asked, sign)
        found = self._joints.get(key)
        if found is None:
            ends = self._ends(part, asked)
            found = (
                joint_of(ends, asked.paths, sign) if ends is not None else self.joint(part.go_on(), asked.paths, sign)
            )
            if key is not None:
                self._joints[key] = found
        return found

    def marginals(self, plan: Plan[Any], wanted: tuple[str, ...], sign: Sign | None = None) -> Marginals:
        """How often each value of each output comes, and the bits of the states at the end."""
        plan = plan.focus(wanted) if plan.focus is not None else plan
        return Apiece(self, plan, wanted, sign).counted()

    def marginals_of(self, part: Part[Any], asked: Asked, sign: Sign | None) -> Marginals:
        """The same for what is asked of a part, or of one that is alike, in the order in which it is asked."""
        key = part.known_by(asked, sign)
        found = self._marginals.get(key)
        if found is None:
            ends = self._ends(part, asked)
            found = (
                marginals_of(ends, asked.paths, sign)
                if ends is not None
                else self.marginals(part.go_on(), asked.paths, sign)
            )
            if key is not None:
                self._marginals[key] = found
        return found

    def _ends(self, part: Part[Any], asked: Asked) -> Sequence[End] | None:
        """All that may come of a part; None where its plan must be counted for what is asked."""
        if part.comes is None or (part.plan is not None and not asked.words.isdisjoint(part.exact_only)):
            return None
        found = part.comes()
        self.meter.take_rolls(len(found), 0)
        return found
