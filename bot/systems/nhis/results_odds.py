"""What makes the odds of many units fast: whoever lends nothing checks morale regardless of the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.odds.later import Later
from bot.rules.sequence.sequence import End, Part, Parts, Plan, Settlement
from bot.systems.nhis.results import CHECK, Results, Struck


class Apart:
    """The units that have yet to check, each a part of its own once all leaders are through."""

    def __init__(self, results: Results) -> None:
        self._targets = results.targets
        self._step = Later(lambda: results.steps()[CHECK])

    def __call__(self, now: Struck) -> Parts[Struck] | None:
        """The parts where several checks are owed and none of them helps another."""
        if now.owes != CHECK or len(now.queue) < 2 or any(self._targets[at].lends for at in now.queue):
            return None
        return Parts([self._part(now, at) for at in now.queue])

    def _part(self, now: Struck, at: int) -> Part[Struck]:
        target, alone = self._targets[at], now._replace(queue=(at,))

        def comes() -> list[End]:
            step = self._step()
            return [(ways, step.rule(alone, roll).told, None) for ways, roll in step.grouped(alone) or ()]

        def plan() -> Plan[Struck]:
            return Plan(alone, {CHECK: self._step()}, _never)

        unit, *looks = target
        key = *looks, unit.type, unit.has("banzai"), now.add, now.rating, now.alone
        return Part((("", f"targets[{at}]"),), comes, plan, key, _UNLIKE, _EXACT)


_UNLIKE, _EXACT = frozenset({"unit"}), frozenset({CHECK})


def _never(_out: Mapping[str, Any]) -> Settlement:
    raise AssertionError("a part is counted, not played")
