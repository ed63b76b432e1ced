"""All benchmarks one after another, and at the end what the project aims at beside what was found.

Run as `python -m benchmarks.goals [NAME ...]`; `make benchmarks` does. A benchmark says what it is
held against with `goal`: as ratios of the same run, so that another machine or a busy one gives
about the same.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

MARK = "goal: "
LONG = {"long_game": ["100000"]}
"""What a benchmark is started with, if its goal is about more than its own default."""


def goal(
    what: str, found: Iterable[float], *, most: float | None = None, least: float | None = None
) -> None:
    """Print the median of what was found and its spread, the limit (one of the two), and whether
    it is met.
    """
    values = sorted(found)
    middle = statistics.median(values)
    met = middle <= most if most is not None else least is None or middle >= least
    limit = f"at most {most:g}" if most is not None else f"at least {least:g}"
    spread = f" ({_short(values[0])} to {_short(values[-1])})" if len(values) > 1 else ""
    print(
        f"{MARK}{what} | {limit} | {_short(middle)}{spread} | {'met' if met else 'missed'}",
        flush=True,
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 5 else f"{value:.2f}"


def run(name: str) -> tuple[list[str], bool]:
    """Run one benchmark and print what it prints; its goals come back, and whether it came to
    its end.
    """
    print(f"== {name}", flush=True)
    command = [sys.executable, "-m", f"benchmarks.{name}", *LONG.get(name, [])]
    goals = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(MARK):
                goals.append(line.removeprefix(MARK).rstrip())
            else:
                print(line, end="", flush=True)
    return goals, process.returncode == 0


def main() -> None:
    """Run those named, or all."""
    names = sys.argv[1:] or sorted(
        path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "goals"
    )
    ran = {name: run(name) for name in names}
    if table := [line for goals, _ in ran.values() for line in goals]:
        print("== goals\n| what | goal | found | |\n|---|---|---|---|")
        print("\n".join(f"| {line} |" for line in table))
    if failed := [name for name, (_, ended) in ran.items() if not ended]:
        sys.exit(f"Failed: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
