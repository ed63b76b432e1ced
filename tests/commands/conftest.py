"""No command of these tests is refused once a die has fallen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dice_watch import watch_dice


@pytest.fixture(autouse=True)
def _no_refusal_after_dice(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    faults = watch_dice(monkeypatch)
    yield
    assert faults == []
