"""What a whole process costs: one lookup and one roll from the command line, against an empty Python."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 15
COMMANDS = {
    "empty Python": ["-c", "pass"],
    "lookup": ["-m", "bot", "lookup", "lnlt", "melee-odds", "attack=7", "defense=5"],
    "roll": ["-m", "bot", "roll", "2d6+3"],
}


def milliseconds(arguments: list[str]) -> float:
    """How long one process takes from start to end. Raises CalledProcessError when it fails."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Print the median and the slowest of each command."""
    for name, arguments in COMMANDS.items():
        milliseconds(arguments)  # the first run writes byte code and warms the disk
        times = [milliseconds(arguments) for _ in range(RUNS)]
        print(f"{name:14} median {statistics.median(times):6.1f} ms   slowest {max(times):6.1f} ms")


if __name__ == "__main__":
    main()
