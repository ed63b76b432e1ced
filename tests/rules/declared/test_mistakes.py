"""Mistakes that authors make: each is found when the file is loaded, with line, column and what
was probably meant.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.rules.errors import TableError
from tests.rules.declared.language_helpers import compiled

FILE = """lists:
  ranks: [fresh, pinned, broken]
formulas:
  doubled(n): n * 2
blocks:
  reel:
    needs: [unit]
    steps:
    - let: {gone: unit.state == 'dead'}
sequences:
  test:
    steps:
"""
MISTAKES = (Path(__file__).parent / "mistakes.txt").read_text("utf-8").strip().split("\n\n")
"""Steps, as they would begin in line 13 of the file, and what is said of them."""


def said_of(steps: str) -> str:
    """The error, without the file and the name of the sequence."""
    lines = "".join(f"    {line}\n" for line in steps.splitlines())
    with pytest.raises(TableError) as error:
        compiled(FILE + lines)
    return str(error.value).removeprefix("test.yaml, ").replace("row test, ", "")


def test_there_are_enough_of_them() -> None:
    assert len(MISTAKES) > 80


@pytest.mark.parametrize(
    "mistake", MISTAKES, ids=[mistake.partition("\n=> ")[0] for mistake in MISTAKES]
)
def test_a_mistake_is_found_at_its_place(mistake: str) -> None:
    steps, _, said = mistake.partition("\n=> ")
    assert said_of(steps) == said


@pytest.mark.parametrize(
    ("part", "wrong", "said"),
    [
        (
            "doubled(n): n * 2",
            "doubled: n * 2",
            'line 4, column 3, row formulas, doubled: "doubled" must be written',
        ),
        (
            "doubled(n): n * 2",
            "doubled(n): m * 2",
            "line 4, column 3, row formulas, doubled(n): there is no name m",
        ),
        (
            "ranks: [fresh, pinned, broken]",
            "ranks: fresh",
            "line 2, column 3, row lists, ranks: ranks must be a list",
        ),
        (
            "needs: [unit]",
            "needs: [units]",
            "line 9, column 13, row blocks, reel, step 1, let, gone: there is no name",
        ),
        ("unit.state == 'dead'", "unit.stat == 'dead'", "a unit has no stat. Did you mean state?"),
        ("blocks:", "block:", "there is no block here. Did you mean blocks?"),
    ],
)
def test_a_mistake_outside_the_steps_is_found_at_its_place(
    part: str, wrong: str, said: str
) -> None:
    assert part in FILE
    with pytest.raises(TableError) as error:
        compiled(FILE.replace(part, wrong) + "    - each: units\n      use: reel\n")
    assert said in str(error.value)
