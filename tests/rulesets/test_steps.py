"""Steps in a game's own folder: beside its tables, or in its sequences.yaml."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot.rules.dice import Script
from bot.rules.errors import TableError
from bot.rules.sequence.sequence import play
from bot.rulesets.system import TABLES, System

TOSS = """
toss:
  title: Toss
  source: nowhere
  summary: A die against a number.
  inputs: {needed: {type: int, min: 1, max: 6}}
  outputs: {roll: int, result: "won | lost"}
  odds_by: result
  example: {needed: 4}
  steps:
  - roll: {roll: "1d6: toss"}
    tell: {roll: roll, result: won if roll >= needed else lost}
    use: shown
    with: {face: roll}
"""
SHARED = """
blocks:
  shown:
    needs: [face]
    steps:
    - headline: "a {face}"
"""


def club_game(root: Path, sequences: str = TOSS, shared: str = SHARED) -> System:
    """A game of one's own with one sequence, its steps inline, a block of it in the shared file."""
    shutil.copytree(
        Path(TABLES, "nhis"),
        root / "nhis",
        ignore=shutil.ignore_patterns("__pycache__", "scenarios"),
    )
    (root / "nhis" / "sequences.yaml").write_text(
        Path(TABLES, "nhis", "sequences.yaml").read_text("utf-8") + sequences
    )
    (root / "nhis" / "steps").mkdir(exist_ok=True)
    (root / "nhis" / "steps" / "shared.yaml").write_text(shared)
    return System("nhis", root)


def test_steps_are_taken_from_the_sequences_file_and_blocks_from_the_shared_one(
    tmp_path: Path,
) -> None:
    toss = club_game(tmp_path).sequences["toss"]
    found = play(toss.plan(toss.read_inputs({"needed": 4}, {})), Script([5]))
    assert (found.out, found.resolution.headline) == ({"roll": 5, "result": "won"}, "a 5")


def test_a_fault_is_found_in_the_file_that_has_it(tmp_path: Path) -> None:
    toss = club_game(tmp_path, TOSS.replace("roll >= needed", "roll >= needing")).sequences["toss"]
    with pytest.raises(
        TableError,
        match=r"sequences\.yaml, line \d+, column 24, .* step 1, tell, result: .* Did you mean needed",
    ):
        _ = toss.declaration


def test_a_fault_of_a_shared_block_is_found_there(tmp_path: Path) -> None:
    toss = club_game(tmp_path, shared=SHARED.replace("{face}", "{faced}")).sequences["toss"]
    with pytest.raises(
        TableError, match=r"line 6, column 7 of steps/shared\.yaml.*Did you mean face"
    ):
        _ = toss.declaration
