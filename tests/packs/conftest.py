"""The packs of the repository, in use for one test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from bot.rulesets import catalog
from bot.rulesets.catalog import PACKS, load_shared_systems
from tests.packs.marsh import MARSH
from tools.fuzz import list_examples

PackMaker = Callable[..., Path]


_ROOT = Path(__file__).resolve().parents[2]
read = cache(catalog._load_packs)
"""The packs of a folder of the repository, which no test changes: they are read and checked
once.
"""


def _forget() -> None:
    load_shared_systems.cache_clear()
    list_examples.cache_clear()


@pytest.fixture
def use_packs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Call it with a folder: its packs count until the test ends."""

    def use(folder: Path) -> None:
        monkeypatch.setenv(PACKS, str(folder))
        if _ROOT in folder.resolve().parents:
            monkeypatch.setattr(catalog, "_load_packs", read)
        _forget()

    yield use
    _forget()


@pytest.fixture
def packs(use_packs: Callable[[Path], None], root: Path) -> None:
    """The packs of the repository are there."""
    use_packs(root / "packs")


FEW: dict[str, str] = {
    "pack.yaml": 'id: few\ntitle: Few\nversion: "1"\nauthor: us\nlicence: CC0-1.0\n',
    "game.yaml": "groups: {combat: Combat}\nunits: {types: [unit]}\n",
    "crt.yaml": (
        "title: CRT\nsource: ours\ngroup: combat\nkind: grid\nsummary: What a die says.\n"
        "inputs:\n  roll: {type: int, min: 1, max: 6}\noutputs: {result: [miss, hit]}\n"
        "read:\n  rows: roll\n  cells:\n    1-4: miss\n    5-6: hit\nexample: {roll: 5}\n"
    ),
}
"""A pack as small as can be."""


@pytest.fixture
def make_pack(tmp_path: Path) -> PackMaker:
    """Writes the smallest pack with some files changed: `make_pack({"game.yaml": "..."})`; None
    takes one away.
    """

    def make(changed: dict[str, str | bytes | None] | None = None, name: str = "few") -> Path:
        folder = tmp_path / "packs" / name
        files: dict[str, str | bytes | None] = {**FEW, **(changed or {})}
        for file, text in files.items():
            if text is not None:
                path = folder / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder

    return make


@pytest.fixture
def marsh(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> None:
    """The pack of tracks and upkeep, in use."""
    use_packs(make_pack(MARSH, "marsh").parent)
