"""A plan as it is played, which makes no more than its dice ask for; what only odds need is behind its `focus`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.rules.apart import Parts
from bot.rules.sequence import Outputs, Plan, Row, Ruled, Settlement
from bot.systems.lnlt.collected import keeping

if TYPE_CHECKING:
    from bot.systems.lnlt.checks import Attack, DamageChecks

Make = Callable[[], Ruled["Attack"]]
Settle = Callable[[Mapping[str, Any]], Settlement]
Closing = Callable[["Attack"], Outputs]
Apart = Callable[["DamageChecks"], Callable[["Attack"], Parts["Attack"] | None]]


class Steps(Mapping[str, Ruled["Attack"]]):
    """The steps of a plan by name, each made when it is first owed: a play owes few of them."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Mapping[str, Make]) -> None:
        self._make, self._made = make, dict[str, Ruled["Attack"]]()

    def __getitem__(self, name: str) -> Ruled[Attack]:
        step = self._made.get(name)
        if step is None:
            step = self._made[name] = self._make[name]()
        return step

    def __iter__(self) -> Iterator[str]:
        return iter(self._make)

    def __len__(self) -> int:
        return len(self._make)


def nothing(_: Attack) -> Outputs:
    """What most plans tell at their end."""
    return {}


def planned(
    start: Attack,
    steps: Mapping[str, Make],
    checks: DamageChecks,
    settle: Settle,
    opening: Outputs,
    closing: Closing = nothing,
    *,
    rows: Callable[[], Sequence[Row]],
    by_row: Callable[[], Plan[Attack]] | None = None,
    apart: Apart | None = None,
    by_list: str = "",
) -> Plan[Attack]:
    """The plan of a sequence with these steps of its own and those of the damage checks that it may come to.

    `apart` finds in the odds which of the checks are independent; `by_list` is a list output that odds may go by.
    """

    def counted(wanted: tuple[str, ...]) -> Plan[Attack]:
        """The same for odds, which count the checks in their own way."""
        made = {name: make() for name, make in steps.items()}
        plan = Plan(start, {**made, **checks.counted}, settle, opening, closing, apart=apart and apart(checks))
        return keeping(plan, by_list) if by_list and by_list in wanted else plan

    steps_in_play = Steps({**steps, **checks.steps()})
    return Plan(start, steps_in_play, settle, opening, closing, focus=counted, rows=rows, by_row=by_row)
