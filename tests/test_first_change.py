"""docs/first-change.md is followed word by word, in a copy of the project."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    for room in ("bot", "tables"):
        shutil.copytree(root / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def change(copy: Path, diff: str) -> None:
    """What the page shows of a file: lines that are there, lines that go (-), lines that come (+)."""
    name, *lines = diff.splitlines()
    old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
    new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
    text = (copy / name).read_text()
    assert text.count(old) == 1, "the page shows the file as it is"
    (copy / name).write_text(text.replace(old, new))


def test_the_first_change_goes_as_the_page_says(root: Path, copy: Path) -> None:
    page = (root / "docs/first-change.md").read_text()
    steps = re.findall(r"```(diff|console)\n(.*?)```", page, re.DOTALL)
    assert [kind for kind, _ in steps] == ["console", *("diff", "console") * 3]
    for kind, text in steps:
        if kind == "diff":
            change(copy, text)
            continue
        command, *expected = text.splitlines()
        words = shlex.split(command.removeprefix("$ grognard "))
        run = subprocess.run(
            [sys.executable, "-m", "bot", *words], cwd=copy, capture_output=True, text=True, timeout=60
        )
        assert run.stdout.splitlines()[: len(expected)] == expected
