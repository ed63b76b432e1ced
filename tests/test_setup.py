"""`make` sets up once: not again in an active environment, and what works stays until the new
one is whole.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = '[project]\nname = "away"\nversion = "1"\n[tool.setuptools]\npy-modules = []\n'


def set_up(home: Path, kind: str = "dev", **environment: str) -> subprocess.CompletedProcess[str]:
    """deploy/setup.sh, run without a network."""
    told = {**os.environ, "PYTHON": sys.executable, "PIP_NO_INDEX": "1", **environment}
    return subprocess.run(
        ["sh", "deploy/setup.sh", kind],
        cwd=home,
        env=told,
        capture_output=True,
        text=True,
        timeout=300,
    )


def prepared(home: Path) -> Path:
    """A project with two empty locks."""
    (home / "deploy").mkdir()
    shutil.copy(ROOT / "deploy" / "setup.sh", home / "deploy")
    (home / "pyproject.toml").write_text(PROJECT)
    (home / "requirements.lock").write_text("# nothing\n")
    (home / "requirements-dev.lock").write_text("# nothing\n")
    return home


def call_project_installed(home: Path) -> None:
    """Spare the environment the install of the project, which needs setuptools since Python
    3.12.
    """
    cksum = subprocess.check_output("cksum <pyproject.toml", shell=True, cwd=home)
    (home / ".venv" / "project").write_bytes(cksum)


@pytest.mark.slow
def test_an_environment_is_made_once_and_never_lost(tmp_path: Path) -> None:
    lock, venv = prepared(tmp_path) / "requirements-dev.lock", tmp_path / ".venv"
    mark = venv / "mark"
    (venv / "bin").mkdir(parents=True)  # of an earlier lock
    (venv / "bin" / "python").symlink_to(sys.executable)
    (venv / "packages").write_text("others\n")
    mark.touch()

    lock.write_text(f"nowhere==1 --hash=sha256:{'0' * 64}\n")
    failed = set_up(tmp_path)
    assert failed.returncode == 1
    assert "could not install the dependencies" in failed.stderr
    assert mark.exists(), "what worked still does"

    lock.write_text("# nothing\n")
    made = set_up(tmp_path)
    if "setuptools" in made.stderr or "BackendUnavailable" in made.stderr:
        # not in an environment since Python 3.12
        call_project_installed(tmp_path)
    else:
        assert made.returncode == 0
        assert made.stderr.startswith("Setting up .venv with the developers' tools (once): ")
    assert not mark.exists()
    assert not (tmp_path / ".venv.new").exists()
    pip = subprocess.run(
        [venv / "bin" / "pip", "--version"], capture_output=True, text=True, timeout=300
    )
    assert str(venv) in pip.stdout, "its scripts run where it is"

    mark.touch()
    active = {
        "PATH": f"{venv / 'bin'}:{os.environ['PATH']}",
        "VIRTUAL_ENV": str(venv),
        "PYTHON": "python3",
    }
    assert (set_up(tmp_path, **active).stderr, mark.exists()) == ("", True), (
        "the same Python, from within"
    )


@pytest.mark.slow
def test_who_plays_first_and_tests_later_sets_up_once(tmp_path: Path) -> None:
    venv, mark = prepared(tmp_path) / ".venv", tmp_path / ".venv" / "mark"
    played = set_up(tmp_path, "play")
    assert played.stderr.startswith("Setting up .venv to play (once): ")
    call_project_installed(tmp_path)
    mark.touch()
    assert (set_up(tmp_path, "play").stderr, mark.exists()) == ("", True)

    tools = tmp_path / "requirements-dev.lock"
    tools.write_text(f"nowhere==1 --hash=sha256:{'0' * 64}\n")
    failed = set_up(tmp_path)
    assert "could not install the dependencies" in failed.stderr
    assert (set_up(tmp_path, "play").stderr, mark.exists()) == ("", True), "playing goes on"

    tools.write_text("# nothing\n")
    added = set_up(tmp_path)
    assert (added.returncode, mark.exists()) == (0, True), "the tools are added to what is there"
    assert added.stderr.startswith("Adding the developers' tools to .venv (once): ")
    for kind in ("play", "dev"):
        assert (set_up(tmp_path, kind).stderr, mark.exists()) == ("", True)

    (tmp_path / "requirements.lock").write_text("# another lock\n")
    tools.write_text("# another lock\n")
    anew = set_up(tmp_path, "play")
    assert "with the developers' tools" in anew.stderr, "who has them keeps them"
    assert (venv / "packages").read_text().startswith("dev ")


@pytest.mark.thorough
def test_two_at_once_take_turns(tmp_path: Path) -> None:
    prepared(tmp_path)
    told = {**os.environ, "PYTHON": sys.executable, "PIP_NO_INDEX": "1"}
    words = ["sh", "deploy/setup.sh", "play"]
    both = [
        subprocess.Popen(words, cwd=tmp_path, env=told, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    errors = [one.communicate(timeout=300)[1] for one in both]
    assert sum(text.count("Setting up .venv to play") for text in errors) == 1, errors
    assert (tmp_path / ".venv" / "packages").read_text().startswith("play ")
    assert not (tmp_path / ".venv.new").exists()
