"""A plan as it is played, which makes no more than its dice ask for; what only odds need is behind its `focus`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.rules.sequence.sequence import End, Outputs, Part, Parts, Plan, Row, Ruled, Settlement, no_closing
from bot.systems.lnlt.checks import DamageChecks
from bot.systems.lnlt.collected import keeping
from bot.systems.lnlt.items import Attack, Item

Settle = Callable[[Mapping[str, Any]], Settlement]
Closing = Callable[[Attack], Outputs]


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
    apart: Callable[[DamageChecks], Callable[[Attack], Parts[Attack] | None]] | None = None,
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


class Apart:
    """The units of a list that know nothing of each other once the attack is rolled, each a part of its own.

    They go as far as to a leader, who may help those after them. Passengers and their vehicle are not told apart.
    """

    def __init__(self, checks: DamageChecks) -> None:
        self._checks = checks
        self._paths = [_paths(item, outcome=checks.outcome) for item in checks.items]
        self._looks: list[object] = [at if checks.also else _looks(item) for at, item in enumerate(checks.items)]

    def __call__(self, now: Attack) -> Parts[Attack] | None:
        """The parts where the first die of a unit is owed, and the list holds others."""
        items, end = self._checks.items, now.at
        if now.owes != "check" or len(items) == 1:
            return None
        stop = items[end].stop
        while end < stop and not (end > now.at and items[end - 1].helps):
            if items[end].kind != "leg":
                return None
            end += 1
        parts = [self._part(now, at) for at in range(now.at, end)]
        if end == stop:
            over = self._checks.finish(now._replace(owes=None, at=stop, lm=0))
            return Parts(parts, None if over.owes is None else lambda _: over)
        helped = max(now.lm, items[end - 1].helps)
        rest = [self._checks.begin(now._replace(owes=None, at=end, lm=lm))[0] for lm in (now.lm, helped)]
        return Parts(parts, lambda bits: rest[bits], lambda end: end.lm > now.lm)

    def _part(self, now: Attack, at: int) -> Part[Attack]:
        item, checks = self._checks.items[at], self._checks

        def comes() -> list[End]:
            begun, told = checks.begin(now._replace(owes=None, at=at))
            if begun.at != at or begun.owes is None:
                return [(1, told, begun)]
            whole = checks.counted[begun.owes].comes
            assert whole is not None
            return [(ways, ruling.told, ruling.after) for ways, ruling in whole(begun)]

        shift = now.margin + item.offset
        key = self._looks[at], shift - now.lm, checks.only_hit and shift <= 0, item.helps > now.lm
        return Part(self._paths[at], comes, None, key, _UNLIKE)


_UNLIKE = frozenset({"unit"})


def _paths(item: Item, *, outcome: bool) -> tuple[tuple[str, str], ...]:
    """Where the outputs of a unit are."""
    return (("", item.path), ("outcome", "outcome")) if item.first and outcome else (("", item.path),)


def _looks(item: Item) -> tuple[object, ...]:
    """All of a unit that its check looks at."""
    return item.kind, item.column, item.row, item.state, item.morale, item.hero, item.immune, item.flies
