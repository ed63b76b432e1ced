"""The rolls that odds look at: those that differ in a state, or all that a step says may come of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.rules.odds.factors import Rolls, Rule
from bot.rules.odds.grouping import every_roll
from bot.rules.odds.later import Later
from bot.rules.sequence.ruling import Ruling, Step
from bot.rules.sequence.sequence import Plan

RollsFound = tuple[Rolls, int, int]
"""The rolls that differ in a state, how many they are, and how many equally likely ones they stand for."""
RollsOf = Callable[[Any], RollsFound]
Steps = Mapping[str, tuple[Rule, RollsOf]]
_INDEX = re.compile(r"\[\d+\]")
_NO_NAMES: frozenset[str] = frozenset()


class StepsCounted:
    """The steps of plans as odds go through them, made once for what is asked."""

    def __init__(self) -> None:
        self._steps: dict[int, tuple[Any, bool, dict[frozenset[str], Steps]]] = {}

    def of(self, plan: Plan[Any], wanted: Sequence[str]) -> Steps:
        """Each step's rule, and the rolls that differ in a state."""
        kept = self._steps.get(id(plan.steps))
        if kept is None:  # the steps are kept too, so that no others have their identity
            is_exact = any(step.exact_only for step in plan.steps.values())
            kept = self._steps[id(plan.steps)] = plan.steps, is_exact, {}
        _, is_exact, found = kept
        names = frozenset([_INDEX.sub("", path).rsplit(".", 1)[-1] for path in wanted]) if is_exact else _NO_NAMES
        if names not in found:
            found[names] = {
                owes: _counted(step, exact=not step.exact_only.isdisjoint(names)) for owes, step in plan.steps.items()
            }
        return found[names]


def _counted(step: Step[Any], *, exact: bool) -> tuple[Rule, RollsOf]:
    """The rule of a step and its rolls; where it says itself what may come of a state, that."""
    if step.comes is not None and not exact:
        comes = step.comes
        return _as_it_is, lambda state: _weighed(comes(state))
    groups = None if exact else step.groups
    if groups is None:
        if callable(step.dice):
            return step.rule, lambda state: _weighed(every_roll(step.asks(state)))
        always = Later(lambda: _weighed(every_roll(step.asks(None))))
        return step.rule, lambda _: always()
    if not callable(groups):
        known = _weighed(groups)
        return step.rule, lambda _: known
    grouped = groups

    def rolls(state: Any) -> RollsFound:
        found = grouped(state)
        return _weighed(every_roll(step.asks(state)) if found is None else found)

    return step.rule, rolls


def _as_it_is(_: Any, ruling: Ruling[Any]) -> Ruling[Any]:
    return ruling


def _weighed(rolls: Sequence[tuple[int, Any]]) -> RollsFound:
    return rolls, len(rolls), sum([ways for ways, _ in rolls])
