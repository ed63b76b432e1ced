"""Only for odds: by a list that is put out item by item, which the plan then carries along. No rule is here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.sequence.sequence import Outputs, Plan, Roll, Ruled, Ruling, S, Step


@dataclass(frozen=True, slots=True)
class Kept:
    """The state of the plan, and the items of the list so far."""

    state: Any
    items: tuple[Any, ...] = ()

    @property
    def owes(self) -> str | None:
        """The step that the plan owes."""
        owes: str | None = self.state.owes
        return owes


def keeping(plan: Plan[S], name: str) -> Plan[Any]:
    """`plan` whose odds can be asked by the list output `name`, which it tells as name[0], name[1], ..."""

    def items(told: Outputs) -> tuple[Any, ...]:
        return tuple(value for path, value in told.items() if path.startswith(f"{name}["))

    def taken(before: Kept, ruling: Ruling[S]) -> Ruling[Kept]:
        return Ruling(Kept(ruling.after, before.items + items(ruling.told)), ruling.told)

    def kept(step: Step[S]) -> Ruled[Kept]:
        def rule(before: Kept, roll: Roll) -> Ruling[Kept]:
            return taken(before, step.rule(before.state, roll))

        def comes(before: Kept) -> list[tuple[int, Ruling[Kept]]]:
            assert step.comes is not None
            return [(ways, taken(before, ruling)) for ways, ruling in step.comes(before.state)]

        return Ruled(
            lambda state: step.asks(state.state),
            rule,
            lambda state: step.grouped(state.state),
            step.exact_only,
            None if step.comes is None else comes,
        )

    def closing(end: Kept) -> Mapping[str, Any]:
        return {**plan.closing(end.state), name: list(end.items)}

    opening = {path: value for path, value in plan.opening.items() if path != name}
    steps = {owes: kept(step) for owes, step in plan.steps.items()}
    return Plan(Kept(plan.start), steps, plan.settle, opening, closing)
