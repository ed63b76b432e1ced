"""Helpers of tests/storage/test_full_disk.py, which other tests use as well."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

SIZE = "160m"


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A folder that holds little. Skips the test where none can be made."""
    folder = Path(tempfile.mkdtemp(prefix="grognard-full-"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(folder)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        folder.rmdir()
        pytest.skip("needs the right to mount a small file system: run as root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def fill(disk: Path) -> Path:
    """Leave no room; what takes it."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 65_536)
    return ballast
