"""Prints what this tree costs beside another one, as ratios: `compare_speed.py OTHER [ROUNDS]`.

OTHER is a work tree of the commit to compare with (`git worktree add /tmp/before COMMIT`). Both are
measured by turns, so that whatever else the machine does hits both alike, with the benchmarks that
each of them has. What a process costs is the processor's time, which a busy machine changes least.
"""

from __future__ import annotations

import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

HERE = Path(__file__).parent.parent
ROUNDS = 15
COMMANDS = {
    "process: lookup": ["-m", "bot", "lookup", "lnlt", "melee-odds", "attack=7", "defense=5"],
    "process: roll": ["-m", "bot", "roll", "2d6+3"],
}
COMMITS = """
import asyncio, tempfile, time
from pathlib import Path
from benchmarks.store import ALONE, alone, prepared
from bot.storage.sqlite import SqliteStore

async def main(folder):
    store = await SqliteStore.open(Path(folder) / "games.db")
    await store.commit(prepared(0, 1))
    start = time.process_time()
    print(f"Store.commit {await alone(store) * 1e3:.4f} ms")
    print(f"Store.commit, processor {(time.process_time() - start) / ALONE * 1e3:.4f} ms")
    await store.close()

with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(folder))
"""
LINE = re.compile(r"^(\S.*?) +([0-9.]+) ms", re.MULTILINE)


def run(tree: Path, arguments: list[str]) -> str:
    """What Python prints there. Raises CalledProcessError when it fails."""
    return subprocess.run(
        [sys.executable, *arguments],
        check=True,
        cwd=tree,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    ).stdout


def processes(tree: Path) -> Mapping[str, float]:
    """Milliseconds of the processor for each command."""
    found = {}
    for name, arguments in COMMANDS.items():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(tree, arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found[name] = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
    return found


def run_benchmark(*arguments: str) -> Callable[[Path], Mapping[str, float]]:
    """What a benchmark prints: the first milliseconds of each line, by what stands before them."""
    return lambda tree: {name: float(ms) for name, ms in LINE.findall(run(tree, list(arguments)))}


def main() -> None:
    """Measure both trees by turns."""
    other = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    for measure in (
        processes,
        run_benchmark("-c", COMMITS),
        run_benchmark("-m", "benchmarks.odds"),
    ):
        times: dict[str, dict[Path, list[float]]] = {}
        for round in range(rounds + 1):
            for tree in (other, HERE) if round % 2 else (HERE, other):
                for name, taken in measure(tree).items():
                    if round:  # the first one writes byte code and warms the disk
                        times.setdefault(name, {}).setdefault(tree, []).append(taken)
        for name, both in times.items():
            if len(both) == 2:
                for what, of in (("median", statistics.median), ("fastest", min)):
                    before, now = of(both[other]), of(both[HERE])
                    print(
                        f"{name:45} {what:7} {before:9.4f} ms {now:9.4f} ms   {now / before:5.2f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
