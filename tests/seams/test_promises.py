"""Every sentence of README, SECURITY.md and the pages on dice, and every clause of what somebody
"cannot", names the test that holds it or why it promises nothing, both ways; and a test that holds
a promise fails when the promise is broken.

Left out: promises whose mutation would need more than one line, or a platform's stand-in (rows
without `break`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ROWS: list[dict[str, Any]] = yaml.load(
    (Path(__file__).parent / "promises.yaml").read_text("utf-8"), yaml.CSafeLoader
)
PIECES = re.compile(r'(?<!":)(?<=[.:;])\s+|\s\|\s')
CLAUSES = re.compile(r", |; (?=nor)|\. (?:Cannot )?(?=[a-z])")
DRAWN, SECONDS = int(os.environ.get("GROGNARD_BROKEN", "7")), 600
PAGES = (
    "README.md",
    "SECURITY.md",
    "docs/dice.md",
    "docs/dice-protocol.md",
    "docs/first-fight.md",
    "docs/shell.md",
)
BREAKS = [row for row in ROWS if "break" in row]


def sentences(page: str) -> list[str]:
    """What a page says, sentence by sentence, outside of code and headings."""
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not line.startswith(("    ", "#", "!["))]
    found = [piece.strip("-*| 0123456789.") for line in lines for piece in PIECES.split(line)]
    told = "|".join(map(re.escape, clauses())) if page == "SECURITY.md" else "$."
    return [
        one
        for one in found
        if len(one.split()) > 2 and not re.match(f"(?:Cannot )?(?:{told})", one)
    ]


def clauses() -> list[str]:
    """What somebody cannot do, by SECURITY.md."""
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    text = re.sub(r" \([^()]*\)", "", text)
    bullets = [" ".join(found[1].split()) for found in re.finditer(r"- Cannot:((?:.|\n  )*)", text)]
    parts = [part for bullet in bullets for part in re.split(r"(?<=\.) (?=What|Ids)", bullet)]
    return [
        one
        for part in parts
        for one in ([part] if part.startswith("What") else CLAUSES.split(part.strip()))
    ]


def begun(page: str) -> list[str]:
    """How the sentences begin that have a row."""
    rows = [row["says"] for row in ROWS if row["page"] == page]
    return [one for says in rows for one in (says if isinstance(says, list) else [says])]


@pytest.mark.parametrize("page", PAGES)
def test_every_sentence_has_a_row_and_every_row_its_sentence(page: str) -> None:
    said = sentences(page) + (clauses() if page == "SECURITY.md" else [])
    assert [one for one in said if not one.startswith(tuple(begun(page)))] == []
    assert [
        one for one in begun(page) if not any(sentence.startswith(one) for sentence in said)
    ] == []


def test_the_tests_that_hold_promises_exist() -> None:
    for row in ROWS:
        if "why" in row:
            continue
        file, _, name = row["test"].partition("::")
        assert (ROOT / file).is_file(), row
        assert not name or f"def {name}(" in (ROOT / file).read_text("utf-8"), row


def test_what_breaks_a_promise_is_in_its_file_once() -> None:
    assert len(BREAKS) >= 20
    for file, old, new in (row["break"] for row in BREAKS):
        assert (ROOT / file).read_text("utf-8").count(old) == 1, (file, old)
        assert new != old


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, with what Python has compiled of it, to break promises in."""
    to = tmp_path_factory.mktemp("promises") / "tree"
    begun = ("build", "dist", "*.pyc.*")  # what others may be writing just now
    beside = shutil.ignore_patterns(".*", "corpus", "node_modules", "*.egg-info", *begun)
    return Path(shutil.copytree(ROOT, to, ignore=beside))


def outcome(copy: Path, test: str) -> int:
    """The exit status of a test in the copy; 1: it fails."""
    words = ("-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "", test)
    env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        (sys.executable, *words),
        cwd=copy,
        env=env,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return run.returncode


@pytest.mark.slow_sample(1)
@pytest.mark.slow
@pytest.mark.timeout(2 * SECONDS + 60)
@pytest.mark.parametrize(
    "row",
    Random(22).sample(BREAKS, min(DRAWN, len(BREAKS))),
    ids=lambda row: row["test"].partition("::")[2],
)
def test_a_broken_promise_fails_its_test(copy: Path, row: dict[str, Any]) -> None:
    file, old, new = row["break"]
    path = copy / file
    whole, made = path.read_text("utf-8"), path.stat().st_mtime_ns
    assert outcome(copy, row["test"]) == 0, "before anything is broken"
    try:
        path.write_text(whole.replace(old, new), "utf-8")
        assert outcome(copy, row["test"]) == 1
    finally:
        path.write_text(whole, "utf-8")
        os.utime(path, ns=(made, made))  # what is compiled of it is true again
