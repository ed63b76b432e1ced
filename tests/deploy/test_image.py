"""The container's image has all that the bot needs: what deploy/Containerfile copies and
.dockerignore lets through.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

import bot.runtime.release


def copied(root: Path) -> list[str]:
    """The paths that the image takes from the project."""
    text = (root / "deploy" / "Containerfile").read_text()
    return [words.split()[0] for words in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE)]


def let_through(root: Path, path: str) -> bool:
    """Whether .dockerignore leaves a path in: the last line that fits decides."""
    through = True
    for line in (root / ".dockerignore").read_text().split():
        pattern = line.removeprefix("!")
        if fnmatch(path, pattern) or path.startswith(f"{pattern}/"):
            through = line.startswith("!")
    return through


def test_all_that_is_copied_is_let_through(root: Path) -> None:
    assert len(copied(root)) > 5
    for path in copied(root):
        assert (root / path).exists(), path
        assert let_through(root, path), f"{path} is left out by .dockerignore"
    assert not let_through(root, ".env")
    assert not let_through(root, "tests")


@pytest.mark.slow
def test_it_plays_from_these_files_alone(root: Path, tmp_path: Path) -> None:
    for path in copied(root):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        if (root / path).is_dir():
            shutil.copytree(
                root / path, tmp_path / path, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(root / path, tmp_path / path)
    script = "import bot, sys; from bot.__main__ import main; print(bot.__file__); sys.exit(main(sys.argv[1:]))"
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    for words in (["--version"], ["roll", "2d6"], ["lookup", "lnlt", "melee-odds", "attack=7", "defense=5"],
                  ["--packs", "free", "systems"]):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", script, *words],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[0].startswith(str(tmp_path)), (
            "it is not the project that is tested"
        )
    assert "generic" in done.stdout


def test_it_knows_its_release_without_being_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed = bot.runtime.release.get_release()
    monkeypatch.setattr(bot.runtime.release, "NAME", "not-installed-anywhere")
    assert bot.runtime.release.get_release() == installed
    monkeypatch.setattr(bot.runtime.release, "__file__", str(tmp_path / "bot" / "release.py"))
    assert bot.runtime.release.get_release() == "from source"
