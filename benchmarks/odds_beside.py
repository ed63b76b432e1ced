"""Exact odds compared with icepool: the same problems as plans and as its dice, with equal fractions.

Run as `python -m benchmarks.odds_beside`. The two take turns, and each round gives one ratio; the
median, the lowest and the highest are printed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import icepool

from benchmarks.goals import goal
from bot.rules.dice import d6
from bot.rules.odds.odds import compute_joint_odds
from bot.rules.odds.rolls import group_alike, group_sums, group_values
from bot.rules.sequence.sequence import (
    IndependentPart,
    IndependentParts,
    Plan,
    Resolution,
    Roll,
    Ruling,
    ruled,
)
from bot.rulesets.catalog import find_shared_system
from tests.rules.odds_helpers import Grouped

ROUNDS, LEAST = 7, 0.02
MORALES = (6, 5, 4)
MEN = 20
D6 = d6("die")
Task = Callable[[], Any]


class Shot(NamedTuple):
    """A shot part-way through: what is owed, by how much it hits, who is in hand, and who helps
    them.
    """

    next_step: str | None
    margin: int = 0
    at: int = 0
    helped: bool = False


def check(margin: int, morale: int, die: int) -> str:
    """What a man's die comes to; a 1 makes a hero."""
    total = die + margin
    if die == 1:
        return "hero"
    return ["none", "shaken", "casualties", "eliminated"][
        (total > morale) + (total >= 2 * morale) + (total >= 3 * morale)
    ]


def never(_out: Any) -> Resolution:
    """Nobody plays it."""
    raise AssertionError("a benchmark is counted, not played")


def margins(_: Shot, roll: Roll) -> Ruling[Shot]:
    """One die with 5 more against another; where it is not higher nobody checks."""
    margin = roll[0] + 5 - roll[1]
    if margin > 0:
        return Ruling(Shot("check", margin))
    return Ruling(Shot(None), {f"men[{at}]": "none" for at in range(len(MORALES))})


def man(now: Shot, roll: Roll) -> Ruling[Shot]:
    """One man checks."""
    result = check(now.margin - now.helped, MORALES[now.at], roll[0])
    return Ruling(Shot(None, helped=result in ("none", "hero")), {f"men[{now.at}]": result})


STEPS = {"attack": ruled((D6, D6), margins), "check": ruled((D6,), man)}


def alone(margin: int, at: int) -> IndependentPart[Shot]:
    """The check of one man."""
    path, morale = f"men[{at}]", MORALES[at]

    def one(_: Shot, roll: Roll) -> Ruling[Shot]:
        return Ruling(Shot(None), {path: check(margin, morale, roll[0])})

    return IndependentPart(
        (path,), lambda: Plan(Shot("check"), {"check": ruled((D6,), one)}, never), (margin, morale)
    )


def apart(now: Shot) -> IndependentParts[Shot] | None:
    """All men who have not checked yet."""
    if now.next_step != "check":
        return None
    return IndependentParts(
        [alone(now.margin - now.helped, at) for at in range(now.at, len(MORALES))]
    )


def fire(led: bool) -> Plan[Shot]:
    """One attack on three men; `led`: the first, who comes through, helps the others."""
    if not led:
        return Plan(Shot("attack"), STEPS, never, find_independent_parts=apart)

    def attack(now: Shot, roll: Roll) -> Ruling[Shot]:
        after, told, _, _ = margins(now, roll)
        return Ruling(after._replace(next_step="leader") if after.next_step else after, told)

    def leader(now: Shot, roll: Roll) -> Ruling[Shot]:
        after, told, _, _ = man(now, roll)
        return Ruling(Shot("check", now.margin, 1, after.helped), told)

    steps = {**STEPS, "attack": ruled((D6, D6), attack), "leader": ruled((D6,), leader)}
    return Plan(Shot("attack"), steps, never, find_independent_parts=apart)


BY_MAN = tuple(f"men[{at}]" for at in range(len(MORALES)))


def fire_beside(led: bool) -> Any:
    """The same as dice."""

    def one(margin: int, at: int) -> Any:
        return icepool.d6.map(lambda die: check(margin, MORALES[at], die))

    def all_of(margin: int) -> Any:
        if margin <= 0:
            return ("none",) * len(MORALES)
        if not led:
            return icepool.tupleize(*[one(margin, at) for at in range(len(MORALES))])

        def others(first: str) -> Any:
            less = margin - (first in ("none", "hero"))
            return icepool.tupleize(first, *[one(less, at) for at in range(1, len(MORALES))])

        return one(margin, 0).map(others)

    return (icepool.d6 + 5 - icepool.d6).map(all_of)


def table() -> Plan[Shot]:
    """Two dice on a table."""

    def rule(_: Shot, roll: Roll) -> Ruling[Shot]:
        return Ruling(Shot(None), {"result": check(4, 5, sum(roll))})

    return Plan(Shot("read"), {"read": Grouped((D6, D6), rule, lambda _: group_sums(2, 6))}, never)


def counts() -> Plan[Shot]:
    """One attack on many men who are alike: how many come to what."""
    names = ("none", "shaken", "casualties", "eliminated", "hero")

    def attack(_: Shot, roll: Roll) -> Ruling[Shot]:
        margin = roll[0] - roll[1]
        return Ruling(Shot("men", max(0, margin)))

    def men(now: Shot, roll: Roll) -> Ruling[Shot]:
        results = [check(now.margin, 5, die) for die in roll]
        return Ruling(Shot(None), {name: results.count(name) for name in names})

    def groups(now: Shot) -> Any:
        return group_alike(MEN, group_values(range(1, 7), lambda die: check(now.margin, 5, die)))

    return Plan(
        Shot("attack"),
        {"attack": ruled((D6, D6), attack), "men": Grouped((D6,) * MEN, men, groups)},
        never,
    )


def counts_beside() -> Any:
    """The same as vectors that are added up."""
    names = ("none", "shaken", "casualties", "eliminated", "hero")

    def one(margin: int) -> Any:
        return MEN @ icepool.d6.map(
            lambda die: icepool.Vector([int(check(margin, 5, die) == name) for name in names])
        )

    return (icepool.d6 - icepool.d6).map(lambda margin: max(0, margin)).map(one)


COUNTS = ("none", "shaken", "casualties", "eliminated", "hero")
PROBLEMS: dict[str, tuple[Task, Task]] = {
    "table": (
        lambda: compute_joint_odds(table(), ("result",)),
        lambda: (2 @ icepool.d6).map(lambda total: (check(4, 5, total),)),
    ),
    "fire": (lambda: compute_joint_odds(fire(led=False), BY_MAN), lambda: fire_beside(led=False)),
    "fire1": (lambda: compute_joint_odds(fire(led=True), BY_MAN), lambda: fire_beside(led=True)),
    "counts": (lambda: compute_joint_odds(counts(), COUNTS), counts_beside),
}


def fractions(die: Any) -> dict[Any, Fraction]:
    """An icepool die as ours."""
    return {value: Fraction(ways, die.denominator()) for value, ways in die.items()}


def once(task: Task) -> float:
    """Microseconds of processor time of one run: others on the machine do not count."""
    start = time.process_time()
    task()
    return (time.process_time() - start) * 1e6


def many(task: Task) -> float:
    """Microseconds of one run, of as many as it takes to see."""
    runs, start = 0, time.process_time()
    while (taken := time.process_time() - start) < LEAST:
        task()
        runs += 1
    return taken / runs * 1e6


def compared(
    name: str, ours: Callable[[], float], theirs: Callable[[], float], held: str = ""
) -> str:
    """Both by turns; `held`: what a goal is printed for."""
    found = [(ours(), theirs()) for _ in range(ROUNDS)]
    ratios = [beside / own for own, beside in found]
    own, beside = (statistics.median(times) for times in zip(*found, strict=True))
    spread = f"{min(ratios):.1f} to {max(ratios):.1f}"
    if held:
        goal(f"exact odds of {held}, in the speed of icepool", ratios, least=1)
    return f"{name:26} {own:10.1f} us {beside:11.1f} us   {statistics.median(ratios):7.1f} times ({spread})"


def main() -> None:
    """Print a line for each problem and expression."""
    print(f"{'':26} {'ours':>13} {'icepool':>14}")
    for name, (ours, theirs) in PROBLEMS.items():
        assert {tuple(key): chance for key, chance in ours().items()} == {
            tuple(key): chance for key, chance in fractions(theirs()).items()
        }
        print(
            compared(
                name,
                lambda task=ours: many(task),  # type: ignore[misc]
                lambda task=theirs: many(task),  # type: ignore[misc]
                f"'{name}'",
            )
        )
    fire = find_shared_system("baps").find_sequence("fire")
    given = {
        "range": 45,
        "attackers": "soldier weapon=rifle-bolt count=5",
        "targets": "soldier count=7",
    }
    plan = fire.plan(fire.read_inputs(given, {}))
    paths = tuple(f"targets[{at}].result" for at in range(7))
    found = [once(lambda: compute_joint_odds(plan, paths)) / 1000 for _ in range(9)]
    print(f"joint of 7 BAPS targets    {statistics.median(found):10.1f} ms")
    goal("joint odds of 7 BAPS targets, in ms", found, most=100)


if __name__ == "__main__":
    main()
