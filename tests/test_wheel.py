"""The wheel that a host installs holds all that the program needs: code, tables and the command
`grognard`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = 'from setuptools.build_meta import build_wheel; print(build_wheel("dist"))'
SOURCES = (
    "bot",
    "adapters",
    "tables",
    "packs",
    "docs",
    "grognard.py",
    "pyproject.toml",
    "setup.py",
    "README.md",
    "LICENSE",
)
LOOKUP = ("lookup", "lnlt", "melee-odds", "attack=7", "defense=5")


def run(*command: object, cwd: Path, **env: str) -> str:
    """What a command prints. Fails the test with its errors."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the wheel is installed, built as `make wheel` does from a copy of the
    checkout.
    """
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in SOURCES:
        if (root / name).is_dir():
            shutil.copytree(
                root / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
            )
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

    where = run(
        sys.executable,
        "-c",
        "import grognard; print(grognard.__file__)",
        cwd=tmp_path,
        PYTHONPATH=str(installed),
    )
    assert Path(where.strip()).is_relative_to(installed), "not the checkout"
    assert grognard("roll", "2d6").startswith("2d6: [")
    assert grognard(*LOOKUP).strip()
    listed = grognard("systems")
    inside = installed / "grognard" / "bot"
    tables = inside / "tables"
    assert all(path.parent.name in listed for path in tables.glob("*/game.yaml"))
    assert list(tables.glob("*/sequences.yaml"))
    ours = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert ours == {"grognard", "bin"}, "nothing that another package is called"
    (about,) = installed.glob("*.dist-info")
    assert (about / "top_level.txt").read_text() == "grognard\n"
    metadata = (about / "METADATA").read_text()
    assert "Provides-Extra: postgres" in metadata
    assert "pytest" not in metadata, "what only its authors need is not published"
    free = {path.name for path in (root / "packs").iterdir() if path.is_dir()}
    assert {path.name for path in (inside / "free_packs").iterdir() if path.is_dir()} == free
    assert all((inside / "free_packs" / name / "LICENSE").is_file() for name in free)
    assert free <= {line.split()[0] for line in grognard("--packs", "free", "systems").splitlines()}
    assert "column 2-1" in grognard(
        "--packs", "free/generic", "lookup", "generic", "odds", "attack=9", "defense=4", "roll=5"
    )


@pytest.mark.slow
def test_games_are_the_same_in_every_folder(installed: Path, tmp_path: Path) -> None:
    def doctor(folder: Path) -> str:
        folder.mkdir()
        environment = {
            "PYTHONPATH": str(installed),
            "GROGNARD_DATA": "",
            "XDG_DATA_HOME": str(tmp_path / "share"),
        }
        return run(installed / "bin" / "grognard", "doctor", cwd=folder, **environment)

    line = f"database {tmp_path}/share/grognard/grognard.db"
    assert line in doctor(tmp_path / "one")
    assert line in doctor(tmp_path / "two")


@pytest.mark.slow
def test_another_bot_and_other_adapters_do_no_harm_and_are_not_harmed(
    installed: Path, tmp_path: Path
) -> None:
    """`pip install grognard` beside a distribution that has a package of the name bot."""
    for name in ("bot", "adapters", "tables"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("MINE = True\n")
    path = os.pathsep.join([str(tmp_path), str(installed)])
    mine = run(sys.executable, "-c", "import bot; print(bot.MINE)", cwd=tmp_path, PYTHONPATH=path)
    assert mine == "True\n"
    for command in ([installed / "bin" / "grognard"], [sys.executable, "-m", "grognard"]):
        assert run(*command, "roll", "2d6", cwd=tmp_path, PYTHONPATH=path).startswith("2d6: [")
        odds = ("odds", "lnlt", "fire", "attackers=squad fp=5", "targets=squad tm=1 morale=4")
        assert "%" in run(*command, *odds, cwd=tmp_path, PYTHONPATH=path), (
            "its second process finds ours too"
        )


@pytest.mark.slow
def test_the_package_has_the_links_of_the_one_setting(root: Path, tmp_path: Path) -> None:
    for name in ("pyproject.toml", "setup.py", "grognard.py", "README.md", "LICENSE"):
        shutil.copy(root / name, tmp_path / name)
    text = (tmp_path / "pyproject.toml").read_text()
    text = re.sub('^address = ".*"', 'address = "not yet"', text, flags=re.MULTILINE)
    (tmp_path / "pyproject.toml").write_text(text)
    asked = 'from setuptools.build_meta import prepare_metadata_for_build_wheel as p; p("dist")'
    (tmp_path / "dist").mkdir()
    run(sys.executable, "-c", asked, cwd=tmp_path)
    assert "Project-URL" not in next(tmp_path.glob("dist/*/METADATA")).read_text()
    filled = text.replace("not yet", "https://example.org/grognard/")
    (tmp_path / "pyproject.toml").write_text(filled)
    run(sys.executable, "-c", asked, cwd=tmp_path)
    links = next(tmp_path.glob("dist/*/METADATA")).read_text()
    assert "Project-URL: Source, https://example.org/grognard\n" in links
    assert "Project-URL: Changelog, https://example.org/grognard/blob/main/CHANGELOG.md\n" in links
