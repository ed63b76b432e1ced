"""What is added joins the seams by itself: a sequence and a unit type of a new game, a kind of
event, a kept number.

Each is added here, and each seam is seen to take it up: the sequence and the unit are tried (and
pass), the kind and the number are asked for by name.

Left out: seams of Slack's blocks and of calls, which take any registry and any game that is there
as these do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.game.event_kinds import KINDS, Kind
from bot.rulesets.packs.pack import load_packs_in
from tests.seams import test_kept, test_undo

ROOT = Path(__file__).parents[2]
TAKES = {
    "test_told.py": "test_every_outcome_is_told_the_same_by_all[newcomer-clash-12]",
    "test_words.py": "test_every_result_reads_as_english_for_one_and_for_many[newcomer-clash]",
    "test_forms.py": "test_odds_never_roll_by_any_way_into_any_form[/newcomer clash]",
    "test_help_figures.py": "test_every_word_of_every_table_of_modifiers[newcomer]",
    "test_every_unit.py": "test_every_button_of_every_card_plays[newcomer-crossroads-0]",
}
"""Where the newcomer's case is to be found."""


@pytest.fixture
def newcomer(tmp_path: Path) -> Path:
    """A folder with one pack: the generic one, with a unit type, its unit and a sequence of
    another name.
    """
    pack = Path(shutil.copytree(ROOT / "packs/generic", tmp_path / "packs/newcomer"))
    for name, old, new in (
        ("pack.yaml", "id: generic", "id: newcomer"),
        ("game.yaml", "types: [infantry, armor", "types: [phantom, infantry, armor"),
        ("game.yaml", "classes: {combat-unit: [", "classes: {combat-unit: [phantom, "),
        ("game.yaml", "scores: {attack:", "scores: {clash:"),
        ("game.yaml", "sets: {attack:", "sets: {clash:"),
        ("game.yaml", "buttons: [attack, next]", "buttons: [clash, next]"),
        ("game.yaml", "      run: attack\n", "      run: clash\n"),
        ("sequences.yaml", "attack:\n  title: Attack", "clash:\n  title: Clash"),
        (
            "scenarios/crossroads.yaml",
            "name: Tank Company, type: armor",
            "name: Tank Company, type: phantom",
        ),
    ):
        text = (pack / name).read_text("utf-8").replace('"Tank Company"', "Tank Company")
        assert old in text, (name, old)
        (pack / name).write_text(text.replace(old, new), "utf-8")
    (pack / "steps/attack.yaml").rename(pack / "steps/clash.yaml")
    assert load_packs_in(pack.parent)[1] == []
    return pack.parent


def outcome(folder: Path, *words: str) -> tuple[int, str]:
    """How pytest ends where the packs of this folder are the host's, and what it says."""
    env = {**os.environ, "GROGNARD_PACKS": str(folder)}
    whole = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-m",
        "",
        "-p",
        "no:cacheprovider",
        *words,
    )
    run = subprocess.run(
        whole, cwd=ROOT, env=env, capture_output=True, text=True, timeout=240, check=False
    )
    return run.returncode, run.stdout


@pytest.mark.slow
def test_a_sequence_and_a_unit_type_are_taken_up(newcomer: Path) -> None:
    files = [f"tests/seams/{name}" for name in TAKES]
    status, said = outcome(newcomer, "--collect-only", *files)
    assert status == 0, said
    assert [case for case in TAKES.values() if case not in said] == []
    status, said = outcome(newcomer, "-k", "newcomer", *files)
    assert status == 0, said


def test_a_kind_of_event_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    test_undo.test_every_kind_is_tried()
    monkeypatch.setitem(KINDS, "signal", Kind())
    with pytest.raises(AssertionError):
        test_undo.test_every_kind_is_tried()


def test_a_number_that_a_phase_takes_off_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    test_kept.test_all_that_is_kept_is_tried()
    monkeypatch.setattr(
        test_kept,
        "CASES",
        {name: one for name, one in test_kept.CASES.items() if "spent" not in name},
    )
    with pytest.raises(AssertionError):
        test_kept.test_all_that_is_kept_is_tried()
