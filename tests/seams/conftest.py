"""What the seams take from the other folders."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dice_watch import watch_dice
from tests.packs.conftest import use_packs as use_packs


@pytest.fixture(autouse=True)
def _no_refusal_after_dice(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    faults = watch_dice(monkeypatch)
    yield
    assert faults == []
