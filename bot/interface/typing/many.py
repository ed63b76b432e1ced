"""What names many units at once, while it is typed: `GI 1..12`, `all`, `all shaken`, `side:US`, `hex:H5`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from bot.rules.inputs.units import MAX_UNITS, RosterUnit

_NUMBERED = re.compile(r"(.*?)(\d{1,4})")
_RANGE = re.compile(r"(.*?)(\d{1,4})\s*\.\.\s*(\d*)")
MOST = 4
"""So many ranges are offered at once."""


def many_units(
    part: str, roster: Sequence[RosterUnit], alive: Sequence[RosterUnit], own_side: str, *, acting: bool
) -> Iterator[tuple[str, str]]:
    """(what is shown, value) of what begins with `part`, the best first. `alive` are those still in play; a list of who
    acts means one's own side by `all`, any other the other side."""
    theirs = [unit for unit in roster if not own_side or (unit.side == own_side) == acting]
    yield from _ranges(part, roster if part else theirs, {unit.name for unit in alive})
    meant = [unit for unit in alive if not own_side or (unit.side == own_side) == acting]
    if len({unit.side for unit in meant}) == 1:
        yield from _counted(part, "all", meant)
        for state in dict.fromkeys(unit.state for unit in meant if unit.state):
            yield from _counted(part, f"all {state}", [unit for unit in meant if unit.state == state])
    for side in dict.fromkeys(unit.side for unit in (*meant, *alive) if unit.side):
        yield from _counted(part, f"side:{side}", [unit for unit in alive if unit.side == side])
    for hex_ in dict.fromkeys(str(unit.numbers["hex"]) for unit in meant if unit.numbers.get("hex")):
        here = [unit for unit in meant if str(unit.numbers.get("hex")) == hex_]
        yield from _counted(part, f"hex:{hex_}", here)


def _counted(part: str, value: str, units: Sequence[RosterUnit]) -> Iterator[tuple[str, str]]:
    """The words with the number of units that they mean, where they begin so and mean several."""
    if value.casefold().startswith(part) and 2 <= len(units) <= MAX_UNITS:
        yield f"{value} ({len(units)} units)", value


@dataclass(frozen=True, slots=True)
class _Run:
    """Units whose numbers follow each other: what is before the number, the first and last, who of them is in play."""

    stem: str
    first: int
    last: int
    alive: frozenset[int]

    def between(self, first: int, last: int) -> tuple[str, str]:
        count = sum(1 for number in self.alive if first <= number <= last)
        value = f"{self.stem}{first}..{last}"
        return f"{value} ({count} units)", value


def _ranges(part: str, roster: Sequence[RosterUnit], alive: Collection[str]) -> Iterator[tuple[str, str]]:
    """From the number that is typed, or the first, to the end that is typed, or the last."""
    named = {unit.name: unit.name in alive for unit in roster}
    runs = [*_runs(named), *(_runs({unit.handle: unit.name in alive for unit in roster}) if part else ())]
    begun, typed, found = _RANGE.fullmatch(part), _NUMBERED.fullmatch(part), list[tuple[str, str]]()
    for run in runs:
        stem = run.stem.casefold()
        if begun is not None:
            first = int(begun[2])
            if stem == begun[1] and run.first <= first < run.last:
                ends = [end for end in range(first + 1, run.last + 1) if str(end).startswith(begun[3])]
                ends.sort(key=lambda end: (str(end) != begun[3], -end))
                found += [run.between(first, end) for end in ends]
        elif typed is not None and stem == typed[1] and run.first <= int(typed[2]) < run.last:
            found.append(run.between(int(typed[2]), run.last))
        elif stem.startswith(part):
            found.append(run.between(run.first, run.last))
    yield from found[:MOST]


def _runs(names: dict[str, bool]) -> Iterator[_Run]:
    """Runs of several, with those in play (the value)."""
    stems: dict[str, dict[int, bool]] = {}
    for name, is_alive in names.items():
        found = _NUMBERED.fullmatch(name)
        if found and not found[2].startswith("0"):
            stems.setdefault(found[1], {})[int(found[2])] = is_alive
    for stem, numbers in stems.items():
        run: list[int] = []
        for number in (*sorted(numbers), -1):
            if run and (number != run[-1] + 1 or len(run) == MAX_UNITS):
                alive = frozenset(one for one in run if numbers[one])
                if len(alive) > 1:
                    yield _Run(stem, run[0], run[-1], alive)
                run = []
            run.append(number)
