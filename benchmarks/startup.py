"""What a whole process costs: one lookup and one roll from the command line, in empty Pythons.

Run as `python -m benchmarks.startup`: processor time of processes that take turns with an empty
one, byte code kept as on a host; each round gives a ratio, and medians with lowest and highest are
printed.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys

from benchmarks.goals import goal

ROUNDS = 25
EMPTY = ["-c", "pass"]
COMMANDS = {
    "roll": (4.5, ["-m", "bot", "roll", "2d6+3"]),
    "lookup": (5.0, ["-m", "bot", "lookup", "lnlt", "melee-odds", "attack=7", "defense=5"]),
}
"""What is asked, and how many empty Pythons it may cost at most."""
KEPT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def milliseconds(arguments: list[str]) -> float:
    """Processor time of one process from start to end. Raises CalledProcessError when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        env=KEPT,
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Print what each costs."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for round in range(-1, ROUNDS):  # the first writes byte code and warms the disk
        for name, (_, arguments) in COMMANDS.items():
            pair = milliseconds(EMPTY), milliseconds(arguments)
            if round >= 0:
                found[name].append(pair)
    for name, pairs in found.items():
        empty, own = (statistics.median(times) for times in zip(*pairs, strict=True))
        print(f"{name:8} {own:6.1f} ms, an empty Python {empty:5.1f} ms")
        goal(
            f"`grognard {name}` as a process, in empty Pythons",
            (own / empty for empty, own in pairs),
            most=COMMANDS[name][0],
        )


if __name__ == "__main__":
    main()
