"""A plan as it is played, which makes no more than its dice ask for; what only odds need is behind its `focus`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.rules.sequence.sequence import Outputs, Parts, Plan, Row, Ruled, Settlement, no_closing
from bot.systems.lnlt.collected import keeping

if TYPE_CHECKING:
    from bot.systems.lnlt.checks import Attack, DamageChecks

Settle = Callable[[Mapping[str, Any]], Settlement]
Closing = Callable[["Attack"], Outputs]
Apart = Callable[["DamageChecks"], Callable[["Attack"], Parts["Attack"] | None]]


def planned(
    start: Attack,
    steps: Mapping[str, Ruled[Attack]],
    checks: DamageChecks,
    settle: Settle,
    opening: Outputs,
    closing: Closing = no_closing,
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
        plan = Plan(start, {**steps, **checks.counted}, settle, opening, closing, apart=apart and apart(checks))
        return keeping(plan, by_list) if by_list and by_list in wanted else plan

    return Plan(start, {**steps, **checks.steps()}, settle, opening, closing, focus=counted, rows=rows, by_row=by_row)
