"""The guides for contributors are followed word for word, in a clean copy of the project, and
print what they show.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project_files import project_files

BLOCK = re.compile(r"```(diff|yaml|python|console)\n(.*?)```", re.DOTALL)
GUIDES = [
    ("docs/first-change.md", ""),
    ("CONTRIBUTING.md", "Add a table"),
    ("CONTRIBUTING.md", "Add a command"),
    ("CONTRIBUTING.md", "Add a game"),
]
FOUND = 'export PATH="$PWD/.venv/bin:$PATH"'
"""What makes `grognard` a command in a terminal."""


class Step(NamedTuple):
    """A change of files or a command with what the page shows of its output."""

    kind: str
    text: str

    @property
    def is_slow(self) -> bool:
        """Return whether the step takes a while: the quick test leaves it out."""
        return self.text.startswith("$ make ")


def steps_of(page: str, section: str) -> list[Step]:
    """List the steps of a page, or of one of its sections."""
    if section:
        (page,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    steps: list[Step] = []
    for kind, text in BLOCK.findall(page):
        if kind == "console":
            steps += [
                Step(kind, part) for part in re.split(r"^(?=\$ )", text, flags=re.MULTILINE) if part
            ]
        else:
            steps.append(Step(kind, text))
    return steps


def steps_of_guide(root: Path, page: str, section: str) -> list[Step]:
    """List the steps of a guide, which has changes and commands."""
    steps = steps_of((root / page).read_text(), section)
    assert {"diff", "yaml"} & {step.kind for step in steps}
    assert any(step.kind == "console" for step in steps)
    return steps


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A clean clone, in whose terminal `grognard` and `make` use the environment of this test."""
    home = tmp_path / "grognard"
    for file in project_files(root):
        target = home / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "All"],
    ):
        subprocess.run(["git", *words], cwd=home, check=True, timeout=300)
    tools = tmp_path / "bin"
    tools.mkdir()
    python, make = Path(sys.executable), shutil.which("make")
    (tools / "grognard").write_text(f'#!/bin/sh\nexec "{python}" -m bot "$@"\n')
    (tools / "make").write_text(
        f'#!/bin/sh\nexec "{make}" --silent VENV="{python.parent}" -o setup "$@"\n'
    )
    for tool in tools.iterdir():
        tool.chmod(0o755)
    return home


def change(home: Path, diff: str) -> None:
    """Change a file as the page shows it: lines that are there, lines that go (-), lines that
    come (+).
    """
    name, *lines = diff.splitlines()
    old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
    new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
    text = (home / name).read_text()
    assert text.count(old) == 1, "the page shows the file as it is"
    (home / name).write_text(text.replace(old, new))


def write(home: Path, text: str) -> None:
    """Write a new file; the first line of the block names it."""
    first, _, rest = text.partition("\n")
    file = home / first.removeprefix("# ")
    assert not file.exists()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(rest)


def type_in(home: Path, text: str) -> None:
    """Type a command; its output must be what the page shows, where `...` stands for any lines."""
    command, *expected = text.removeprefix("$ ").splitlines()
    tools = home.parent / "bin"
    environment = {
        **{name: value for name, value in os.environ.items() if name != "CI"},  # as at a desk
        "PATH": f"{tools}:{os.environ['PATH']}",
        "GROGNARD_DATA": str(home.parent / "data"),
        "PYTEST_XDIST_AUTO_NUM_WORKERS": "0",  # a few cases are not worth the start of workers
    }
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    fails = any(line.startswith(("fault ", "FAILED ")) for line in expected)
    assert (done.returncode != 0) == fails, f"{command}\n{done.stdout}{done.stderr}"
    if expected:
        assert shows(expected, done.stdout.splitlines()), f"{command}\n{done.stdout}"


def shows(expected: list[str], lines: list[str]) -> bool:
    """Return whether some lines are those that a page shows, where `...` stands for any lines."""
    pieces = [
        [*group] for is_gap, group in groupby(expected, lambda line: line == "...") if not is_gap
    ]
    pattern = r"(?:.*\n)*".join(
        "".join(f"{re.escape(line)}\n" for line in piece) for piece in pieces
    )
    before = r"(?:.*\n)*" if expected[0] == "..." else ""
    after = r"(?:.*\n)*" if expected[-1] == "..." else ""
    return (
        re.fullmatch(before + pattern + after, "".join(f"{line}\n" for line in lines)) is not None
    )


def follow(home: Path, steps: Iterator[Step]) -> None:
    """Take one step after another."""
    for step in steps:
        if step.kind == "diff":
            change(home, step.text)
        elif step.kind == "console":
            type_in(home, step.text)
        else:
            write(home, step.text)


@pytest.mark.slow
def test_the_first_change_goes_as_it_says(root: Path, copy: Path) -> None:
    follow(copy, (step for step in steps_of_guide(root, *GUIDES[0]) if not step.is_slow))


@pytest.mark.slow_sample(1)
@pytest.mark.slow
@pytest.mark.parametrize(("page", "section"), GUIDES)
def test_a_guide_goes_as_it_says(root: Path, copy: Path, page: str, section: str) -> None:
    steps = steps_of_guide(root, page, section)
    assert any(step.is_slow for step in steps)
    follow(copy, iter(steps))


@pytest.mark.parametrize("page", sorted({page for page, _ in GUIDES}))
def test_a_guide_says_how_grognard_is_found_before_it_types_it(root: Path, page: str) -> None:
    text = (root / page).read_text()
    assert 0 < text.find(FOUND) < text.index("$ grognard")


def test_the_first_tests_of_the_first_change_are_announced_as_long(root: Path) -> None:
    before, _, _ = (root / "docs/first-change.md").read_text().partition("$ make test")
    assert "The first `make test` adds the developers' tools" in before


def test_dots_stand_for_any_lines() -> None:
    assert shows(["...", "b", "..."], ["a", "b", "c"])
    assert shows(["a", "...", "d"], ["a", "b", "c", "d"])
    assert not shows(["a"], ["a", "b"])
    assert not shows(["...", "b"], ["a", "b", "c"])
