"""What reading a table costs, as multiples of PyPI d20 rolling its `2d6+3` in the same run.

Run as `python -m benchmarks.tables`. Every table of every game answers a hundred of its situations
at most, drawn from all of them: called by a sequence, without a remembered answer, and read from
what was typed. The goal is 10 microseconds for the median table on a machine where d20 does 60,000
a second, which is 0.6 of its roll.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from random import Random
from typing import Any

import d20

from benchmarks.goals import goal
from bot.packs.linter import list_situations
from bot.rules.errors import UserError
from bot.rules.tables.table import Table
from bot.rulesets.catalog import get_systems

ROUNDS, LEAST, MOST, WORST = 5, 0.004, 100, 8
GOALS = {"called": 0.6, "typed": 0.6}


def asked(table: Table) -> list[dict[str, Any]]:
    """Situations that the table answers, as values."""
    every = list(islice(list_situations(table), 5000))
    Random(table.id).shuffle(every)
    return list(islice((given for given in every if _answers(table, given)), MOST))


def _answers(table: Table, given: Mapping[str, Any]) -> bool:
    try:
        table.read(given)
        table._answer_typed(given)
    except UserError:
        return False
    return True


def typed(given: Mapping[str, Any]) -> dict[str, object]:
    """The same as a player types it."""
    said = {True: "yes", False: "no"}
    return {
        name: said[value] if isinstance(value, bool) else str(value)
        for name, value in given.items()
        if value is not None
    }


def each(task: Callable[[Any], object], cases: list[Any]) -> float:
    """Microseconds of processor time for one of the cases."""
    runs, start = 0, time.process_time()
    while (taken := time.process_time() - start) < LEAST:
        for case in cases:
            task(case)
        runs += len(cases)
    return taken / runs * 1e6


def _call(table: Table, given: Mapping[str, Any]) -> object:
    return table(**given)


def tables() -> Iterator[tuple[str, Table]]:
    """Every table by its game and name."""
    for game in get_systems().values():
        for name in game.tables:
            yield f"{game.id} {name}", game.find_table(name)


def main() -> None:
    """Print medians, how many miss the goals, and the slowest by name."""
    roll: list[float] = []
    found: dict[str, dict[str, list[float]]] = {"called": {}, "remembered": {}, "typed": {}}
    cases = {name: (table, asked(table)) for name, table in tables()}
    for _ in range(ROUNDS):
        for at, (name, (table, values)) in enumerate(cases.items()):
            if at % 8 == 0:
                roll.append(each(lambda text: str(d20.roll(text)), ["2d6+3"] * 10))
            found["called"].setdefault(name, []).append(each(table._answer_typed, values))
            found["remembered"].setdefault(name, []).append(each(partial(_call, table), values))
            found["typed"].setdefault(name, []).append(
                each(table.read, [typed(given) for given in values])
            )
    unit = statistics.median(roll)
    print(f"{len(cases)} tables; d20's 2d6+3 {unit:.1f} us")
    for what, times in found.items():
        medians = {name: statistics.median(rounds) for name, rounds in times.items()}
        print("\n".join(told(what, medians, unit)))
        if what in GOALS:
            goal(
                f"the median table, {what}, in d20's rolls",
                [statistics.median(medians.values()) / unit],
                most=GOALS[what],
            )


def told(what: str, times: Mapping[str, float], unit: float) -> Iterator[str]:
    """What one way to read costs: median and slowest, as microseconds and as multiples of the
    roll.
    """
    middle, limit = statistics.median(times.values()), GOALS.get(what)
    slowest = sorted(times, key=lambda name: -times[name])[:WORST]
    told = f"{what:11} median {middle:5.2f} us, slowest {times[slowest[0]]:5.1f} us"
    told += f"; {middle / unit:.2f} and {times[slowest[0]] / unit:.2f} of the roll"
    if limit is None:
        yield told
    else:
        yield f"{told}; {sum(taken / unit > limit for taken in times.values())} over {limit}"
        yield "            " + ", ".join(
            f"{name} {times[name]:.1f} ({times[name] / unit:.2f})" for name in slowest
        )


if __name__ == "__main__":
    main()
