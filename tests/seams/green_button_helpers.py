"""Helpers of tests/seams/test_green_button.py, which other tests use as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.rulesets.catalog import PACKS, load_shared_systems
from bot.ui.reply.reply import Button, Reply

ROOT = Path(__file__).parents[2]

PHASES = 12


def scenarios() -> Iterator[tuple[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PACKS, str(ROOT / "packs"))
        load_shared_systems.cache_clear()
        found = [
            (game.id, name) for game in load_shared_systems().values() for name in game.scenarios
        ]
    load_shared_systems.cache_clear()
    yield from found


def greens(reply: Reply) -> list[Button]:
    return [button for button in reply.buttons if button.style == "primary"]
