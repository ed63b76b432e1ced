"""The wheel that a host installs holds all that the program needs: code, tables and the command `grognard`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = 'from setuptools.build_meta import build_wheel; print(build_wheel("dist"))'
SOURCES = ("bot", "adapters", "tables", "packs", "pyproject.toml", "setup.py", "README.md", "LICENSE")
LOOKUP = ("lookup", "lnlt", "melee-odds", "attack=7", "defense=5")


def run(*command: object, cwd: Path, **env: str) -> str:
    """What a command prints. Fails the test with its errors."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the wheel is installed, built as `make wheel` does from a copy of the checkout."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in SOURCES:
        if (root / name).is_dir():
            shutil.copytree(root / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(root / name, source / name)
    wheel = run(sys.executable, "-c", BUILD, cwd=source).splitlines()[-1]
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target")
    run(*pip, target, source / "dist" / wheel, cwd=source)
    return target


@pytest.mark.slow
def test_the_installed_command_rolls_looks_up_and_lists_the_systems(
    installed: Path, tmp_path: Path, root: Path
) -> None:
    def grognard(*words: str) -> str:
        return run(installed / "bin" / "grognard", *words, cwd=tmp_path, PYTHONPATH=str(installed))

    where = run(sys.executable, "-c", "import bot; print(bot.__file__)", cwd=tmp_path, PYTHONPATH=str(installed))
    assert Path(where.strip()).is_relative_to(installed), "not the checkout"
    assert grognard("roll", "2d6").startswith("2d6: [")
    assert grognard(*LOOKUP).strip()
    listed = grognard("systems")
    tables = installed / "bot" / "tables"
    assert all(path.parent.name in listed for path in tables.glob("*/game.yaml"))
    assert list(tables.glob("*/sequences.yaml"))
    ours = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert ours == {"bot", "adapters", "bin"}, "nothing that another package is called"
    free = {path.name for path in (root / "packs").iterdir()}
    assert {path.name for path in (installed / "bot" / "free_packs").iterdir()} == free
    assert all((installed / "bot" / "free_packs" / name / "LICENSE").is_file() for name in free)
    assert free <= {line.split()[0] for line in grognard("--packs", "free", "systems").splitlines()}
    assert "column 2-1" in grognard(
        "--packs", "free/generic", "lookup", "generic", "odds", "attack=9", "defense=4", "roll=5"
    )
