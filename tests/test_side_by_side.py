"""Forked processes run each test once, also where one of them ends in the middle of a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """\
import os, pytest

@pytest.fixture
def breaks():
    yield
    raise ValueError("afterwards")

@pytest.mark.parametrize("number", range(100))
def test_number(number, tmp_path):
    with open(os.environ["RUN"], "a") as run:
        run.write(f"{number}\\\\n")
    if number in (7, 60):
        os._exit(number)
    assert number != 80, "eighty"

def test_torn_down(breaks):
    pass

def test_skipped():
    pytest.skip("for a reason")
""".replace("\\\\n", "\\n")


@pytest.mark.slow
@pytest.mark.parametrize("how", [(), ("-x",)])
def test_every_test_runs_once_and_whoever_ends_is_named(tmp_path: Path, root: Path, how: tuple[str, ...]) -> None:
    (tmp_path / "test_numbers.py").write_text(TESTS, "utf-8")
    words = ("-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", str(tmp_path), "-p", "tests.side_by_side", "-ra")
    done = subprocess.run(
        [sys.executable, *words, "--forks", "3", *how, str(tmp_path)],
        env={"PYTHONPATH": str(root), "RUN": str(tmp_path / "run")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    run = sorted(map(int, (tmp_path / "run").read_text("utf-8").split()))
    assert done.returncode == 1, done.stdout + done.stderr
    if how:
        assert len(run) == len({*run}) < 100
        return
    assert run == [*range(100)]
    assert "3 failed, 98 passed, 1 skipped" in done.stdout, done.stdout
    for said in ("ended with status 7 while", "ended with status 60 while", "eighty", "for a reason", "afterwards"):
        assert said in done.stdout, done.stdout
