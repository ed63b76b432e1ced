"""What the 60 combat sequences cost on their examples, from typed inputs to the text of the answer.

Run as `python -m benchmarks.sequences`: microseconds of processor time, and multiples of PyPI d20
rolling its `2d6+3` in the same run. Each play has other dice. The goals are a median of 70 and at
most 250 microseconds (Lock 'n Load fire
150) on a machine where d20 does 60,000 a second: 4.2, 15 and 9 of its roll.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import cycle
from random import Random
from typing import Any

import d20

from benchmarks.goals import goal
from bot.presentation.headline import list_actors
from bot.presentation.run_sequence import build_play_reply
from bot.rules.dice import Die
from bot.rules.sequence.sequence import play
from bot.rulesets.catalog import get_systems
from bot.rulesets.system import Sequence

ROUNDS, LEAST, WORST, FACES = 7, 0.01, 8, 997
MEDIAN, MOST, FIRE = 4.2, 15.0, 9.0


class Dice:
    """Quick dice, which are no part of what is measured: numbers that were drawn before, over
    and over.
    """

    def __init__(self) -> None:
        random = Random(1)
        self._drawn = cycle([random.random() for _ in range(FACES)])

    def draw(self, die: Die) -> int | str:
        """A face."""
        return die.value(int(next(self._drawn) * die.sides) + 1)


def played(sequence: Sequence, raw: Mapping[str, Any], dice: Dice) -> str:
    """The text of an answer."""
    given = sequence.read_inputs(raw, {})
    return build_play_reply(
        "Anna", sequence, play(sequence.plan(given), dice), list_actors(sequence, given)
    ).format_text()


def each(task: Callable[[], object]) -> float:
    """Microseconds of processor time."""
    runs, start = 0, time.process_time()
    while (taken := time.process_time() - start) < LEAST:
        task()
        runs += 1
    return taken / runs * 1e6


def main() -> None:
    """Print the median, how many miss the goals, and the slowest by name."""
    dice = Dice()
    found: dict[str, list[float]] = {}
    rolls: list[float] = []
    every = [
        (f"{game.id} {id}", game.find_sequence(id))
        for game in get_systems().values()
        for id in game.sequences
    ]
    for _, sequence in every:  # what is read and made at the first play is no part of it either
        played(sequence, sequence.example, dice)
    for _ in range(ROUNDS):
        for at, (name, sequence) in enumerate(every):
            if at % 6 == 0:
                rolls.append(each(lambda: str(d20.roll("2d6+3"))))
            found.setdefault(name, []).append(
                each(partial(played, sequence, sequence.example, dice))
            )
    unit = statistics.median(rolls)
    times = {name: statistics.median(rounds) for name, rounds in found.items()}
    middle, over = (
        statistics.median(times.values()),
        sum(taken / unit > MOST for taken in times.values()),
    )
    print(f"{len(times)} sequences; d20's 2d6+3 {unit:.1f} us")
    print(f"median {middle:.0f} us, {middle / unit:.1f} of the roll; {over} over {MOST:g}")
    for name in sorted(times, key=lambda name: -times[name])[:WORST]:
        low, high = min(found[name]), max(found[name])
        print(
            f"  {name:24} {times[name]:5.0f} us ({low:.0f} to {high:.0f}), {times[name] / unit:.1f} of the roll"
        )
    by_round = [[found[name][at] / unit for name in found] for at in range(ROUNDS)]
    goal(
        "the 60 sequences, the median in d20's rolls", map(statistics.median, by_round), most=MEDIAN
    )
    slowest = max(times, key=times.__getitem__)
    goal(f"the slowest, {slowest}", (taken / unit for taken in found[slowest]), most=MOST)
    goal("lnlt fire", (taken / unit for taken in found["lnlt fire"]), most=FIRE)


if __name__ == "__main__":
    main()
