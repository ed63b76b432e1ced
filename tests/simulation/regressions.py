"""Histories that failed once, each shrunk, with the letter of the promise that was broken: they
always run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.simulation.intents import Step, read_steps

FILE = Path(__file__).with_name("seeds.jsonl")


@dataclass(frozen=True, slots=True)
class Regression:
    """A history: the seed gives the luck, the steps say what happens. `about` is what was wrong
    once.
    """

    seed: int
    letter: str
    about: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{self.letter}-{self.seed}-{self.about}"


def regressions() -> list[Regression]:
    """All that are kept."""
    found: list[dict[str, Any]] = [
        json.loads(line) for line in FILE.read_text().splitlines() if line.strip()
    ]
    return [
        Regression(one["seed"], one["letter"], one["about"], read_steps(one["steps"]))
        for one in found
    ]


def line_of(seed: int, letter: str, about: str, steps: Iterable[Step]) -> str:
    """The line of the file for a history."""
    kept = {
        "seed": seed,
        "letter": letter,
        "about": about,
        "steps": [step.to_json() for step in steps],
    }
    return json.dumps(kept, separators=(",", ":"))
