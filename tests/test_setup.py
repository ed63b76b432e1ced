"""`make` sets up once: not again in an active environment, and what works stays until the new one is whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = '[project]\nname = "away"\nversion = "1"\n[tool.setuptools]\npy-modules = []\n'


def set_up(home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """deploy/setup.sh, run without a network."""
    told = {**os.environ, "PYTHON": sys.executable, "PIP_NO_INDEX": "1", **environment}
    return subprocess.run(["sh", "deploy/setup.sh"], cwd=home, env=told, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_an_environment_is_made_once_and_never_lost(tmp_path: Path) -> None:
    lock, venv = tmp_path / "requirements-dev.lock", tmp_path / ".venv"
    (tmp_path / "deploy").mkdir()
    shutil.copy(ROOT / "deploy" / "setup.sh", tmp_path / "deploy")
    (tmp_path / "pyproject.toml").write_text(PROJECT)
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
    if "setuptools" in made.stderr or "BackendUnavailable" in made.stderr:  # not in an environment since Python 3.12
        (venv / "project").write_text(
            subprocess.check_output("cksum <pyproject.toml", shell=True, cwd=tmp_path).decode()
        )
    else:
        assert (made.returncode, made.stderr) == (0, "Setting up .venv (once) ...\n")
    assert not mark.exists()
    assert not (tmp_path / ".venv.new").exists()
    pip = subprocess.run([venv / "bin" / "pip", "--version"], capture_output=True, text=True, timeout=300)
    assert str(venv) in pip.stdout, "its scripts run where it is"

    mark.touch()
    active = {"PATH": f"{venv / 'bin'}:{os.environ['PATH']}", "VIRTUAL_ENV": str(venv), "PYTHON": "python3"}
    assert (set_up(tmp_path, **active).stderr, mark.exists()) == ("", True), "the same Python, from within"
