"""What a question costs inside the process: exact odds, a fire attack played, and a table read.

Run with `python -m benchmarks.odds`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Library
from bot.rules.dice import Script
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.odds.odds import compute_marginals
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import compute_each_odds, play_sequence

GAME = find_shared_system("lnlt")
FIRE = GAME.find_sequence("fire")
THREE = {
    "attackers": "squad fp=2 sw=3",
    "targets": "leader morale=6 lm=1; squad morale=5; half-squad morale=5 shaken",
    "tm": 1,
    "lm": 1,
}
TEN = {
    "attackers": "squad fp=2 sw=3; "
    + "; ".join(["squad fp=2"] * 4 + ["half-squad fp=1"] * 4 + ["hero fp=1"]),
    "targets": "leader morale=6 lm=1; "
    + "; ".join(["squad morale=5", "half-squad morale=4 shaken", "hero morale=7"] * 3),
    "tm": 3,
    "degrading": 2,
    "flammable": True,
}
RESULTS = [f"targets[{at}].result" for at in range(10)]
ALL = [
    f"targets[{at}].{name}"
    for at in range(10)
    for name in ("roll", "dc_total", "result", "becomes", "hero")
]

VOLLEY = """
- pool: {dice: "{dice}d6: fire", success: face >= 4, gives: hits}
- pool: {dice: "{hits}d6: wounds", success: face >= 3, gives: wounds}
- pool: {dice: "{wounds}d6: saves", success: face >= 5, gives: saved}
- let: {lost: wounds - saved}
- headline: "{lost} fall"
"""


def volley(dice: int) -> Callable[[], object]:
    """The odds of so many dice that hit, wound and are saved, each roll as many dice as the last
    one let through.
    """
    head = SequenceHead((Option("dice", "int", min=1, max=40),), {"lost": "int"}, "lost")
    source = {"sequences": {"volley": {"steps": yaml.safe_load(VOLLEY)}}}
    plan = (
        Library(source, Setting("volley.yaml"), {"volley": head})
        .load_sequence("volley")
        .plan(Given({"dice": dice}))
    )
    return lambda: compute_marginals(plan, ["lost"])


def best(task: Callable[[], object], *, runs: int) -> tuple[float, float]:
    """The fastest and the median of `runs` runs, in milliseconds."""
    times: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        task()
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    return times[0], times[len(times) // 2]


def main() -> None:
    """Print what each question costs."""
    melee_odds = GAME.find_table("melee-odds")
    dice = [6, 1, 3, 4, 5]
    tasks: list[tuple[str, Callable[[], object], int]] = [
        (
            "odds, 1 firer at 3 targets, by outcome",
            lambda: compute_each_odds(FIRE, THREE, ["outcome"]),
            50,
        ),
        (
            "odds, 1 firer at 3 targets, last target",
            lambda: compute_each_odds(FIRE, THREE, ["targets[2].result"]),
            50,
        ),
        (
            "odds, 10 firers at 10 targets, by outcome",
            lambda: compute_each_odds(FIRE, TEN, ["outcome"]),
            20,
        ),
        (
            "odds, 10 firers at 10 targets, last target",
            lambda: compute_each_odds(FIRE, TEN, ["targets[9].result"]),
            20,
        ),
        (
            "odds, 10 at 10, result of every target",
            lambda: compute_marginals(FIRE.plan(FIRE.read_inputs(TEN, {})), RESULTS),
            20,
        ),
        (
            "odds, 10 at 10, 50 outputs at once",
            lambda: compute_marginals(FIRE.plan(FIRE.read_inputs(TEN, {})), ALL),
            20,
        ),
        ("odds, 10 dice that hit, wound and are saved", volley(10), 50),
        ("odds, 40 dice that hit, wound and are saved", volley(40), 20),
        (
            "a fire attack on 3 targets, played",
            lambda: play_sequence(FIRE, THREE, Script(dice)),
            200,
        ),
        (
            "a table read, typed inputs",
            lambda: melee_odds.read({"attack": "7", "defense": "5"}),
            2000,
        ),
        ("a table read, in a sequence", lambda: melee_odds(attack=7, defense=5), 2000),
    ]
    for name, task, runs in tasks:
        task()  # the tables are read and compiled once
        fastest, median = best(task, runs=runs)
        print(f"{name:45} {fastest:9.4f} ms   median {median:9.4f} ms")


if __name__ == "__main__":
    main()
