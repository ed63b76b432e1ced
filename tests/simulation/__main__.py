"""`make simulate SEEDS=2000 FROM=1` plays worlds on every core; `python -m tests.simulation
4711` tells one of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from multiprocessing import Pool

from tests.simulation.intents import Step, plan
from tests.simulation.regressions import line_of
from tests.simulation.shrink import shrunk
from tests.simulation.world import World, play

MOST_TOLD = 10


def letter(world: World) -> str:
    """The letter of the first promise that was broken, or ""."""
    return world.violations[0][1] if world.violations else ""


def smallest(seed: int, steps: tuple[Step, ...], broken: str) -> tuple[Step, ...]:
    """The shortest history found that breaks the same promise."""
    return shrunk(steps, lambda fewer: letter(play(seed, fewer)) == broken)


def told(seed: int, steps: Iterable[Step]) -> str:
    """The history of a world, to be read."""
    world = play(seed, steps)
    return "\n".join(
        [f"World {seed}", *world.history, *(f"BROKEN {line}" for line in world.violations)]
    )


def _tried(seed: int) -> tuple[int, Counter[str], float, list[str]]:
    world = play(seed, plan(seed))
    return seed, world.counts, world.loop.time() - 1_000.0, world.violations


def main() -> int:
    """Exit status 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", nargs="?", type=int, help="tell this world, shrunk where it fails")
    parser.add_argument("--seeds", type=int, default=2_000, help="how many worlds to play")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    given = parser.parse_args()
    return (
        _tell(given.seed)
        if given.seed is not None
        else _play_many(given.first, given.seeds, given.jobs)
    )


def _tell(seed: int) -> int:
    steps = plan(seed)
    broken = letter(play(seed, steps))
    if broken:
        steps = smallest(seed, steps, broken)
    print(told(seed, steps))
    if broken:
        print("For tests/simulation/seeds.jsonl:", line_of(seed, broken, "...", steps), sep="\n")
    return 1 if broken else 0


def _play_many(first: int, count: int, jobs: int) -> int:
    began, shown = time.monotonic(), time.monotonic()
    counts: Counter[str] = Counter()
    failed: list[tuple[int, str]] = []
    lived = 0.0
    with Pool(jobs) as pool:
        tried = pool.imap_unordered(_tried, range(first, first + count), chunksize=5)
        for done, (seed, found, seconds, violations) in enumerate(tried, 1):
            counts += found
            lived += seconds
            if violations:
                failed.append((seed, violations[0]))
                print(f"seed {seed}: {violations[0]}", flush=True)
            if time.monotonic() - shown > 5 or done == count:
                shown = time.monotonic()
                pace = done / (shown - began)
                print(
                    f"{done} of {count} worlds, {pace:.1f} a second, {len(failed)} broken",
                    flush=True,
                )
    print(f"{lived / 3600:.1f} hours of play. What happened in them:")
    print("\n".join(f"  {number:7} {name}" for name, number in counts.most_common()))
    for seed, violation in sorted(failed)[:MOST_TOLD]:
        print(f"broken: seed {seed}: {violation}   (python -m tests.simulation {seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
