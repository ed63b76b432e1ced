"""The files of the project, as a clean clone has them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


def project_files(root: Path) -> list[Path]:
    """The files that git tracks or would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=root, capture_output=True, timeout=60, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [
        path
        for name in listing.stdout.decode().split("\0")
        if name and (path := root / name).is_file()
    ]
