"""`make benchmarks` can run every benchmark, and its page says what each one measures."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_started_and_is_explained(name: str) -> None:
    assert callable(importlib.import_module(f"benchmarks.{name}").main)
    assert f"| `{name}` |" in (FOLDER / "README.md").read_text("utf-8")


def test_the_smallest_world_of_commands_can_be_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes rows by itself, so a column that is new would stop it."""
    import asyncio

    from benchmarks import commands

    monkeypatch.setattr(commands, "CHANNELS", 3)
    path = tmp_path / "full.db"
    commands.fill(path, asyncio.run(commands.template(path)))
    assert path.stat().st_size > 0
