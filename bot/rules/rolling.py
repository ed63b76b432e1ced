"""The rolls that odds look at: those that differ in a state, or all that a step says may come of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from bot.rules.factors import Rolls, Rule
from bot.rules.grouping import every_roll
from bot.rules.ruling import Ruling, Step
from bot.rules.sequence import Plan

RollsOf = Callable[[Any], tuple[Rolls, int, int]]
"""The rolls that differ in a state, how many they are, and how many equally likely ones they stand for."""
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
    if step.comes is None or exact:
        return step.rule, _rolls_of(step, exact=exact)
    comes = step.comes

    def rolls(state: Any) -> tuple[Rolls, int, int]:
        found = comes(state)
        return found, len(found), sum([ways for ways, _ in found])

    return _as_it_is, rolls


def _as_it_is(_: Any, ruling: Ruling[Any]) -> Ruling[Any]:
    return ruling


def _rolls_of(step: Step[Any], *, exact: bool) -> RollsOf:
    groups = None if exact else step.groups
    if not callable(groups) and (groups is not None or not callable(step.dice)):

        @cache
        def always() -> tuple[Rolls, int, int]:
            found = every_roll(step.asks(None)) if groups is None else groups
            return found, len(found), sum([ways for ways, _ in found])

        return lambda _: always()

    def rolls(state: Any) -> tuple[Rolls, int, int]:
        found = groups(state) if callable(groups) else None
        if found is None:
            found = every_roll(step.asks(state))
        return found, len(found), sum([ways for ways, _ in found])

    return rolls
