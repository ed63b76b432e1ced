"""Which cards a play reads: once for men who were given together."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bot.rules.tables.table import Table
from tests.examples import play_example


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each card was read."""
    cards = Counter[str]()
    answer, column = Table.__call__, Table.column

    def answering(table: Table, **asked: Any) -> Any:
        cards[table.id] += 1
        return answer(table, **asked)

    def along(table: Table, output: str, /, **asked: Any) -> Any:
        cards[table.id] += 1
        return column(table, output, **asked)

    monkeypatch.setattr(Table, "__call__", answering)
    monkeypatch.setattr(Table, "column", along)
    return cards


def test_men_who_fire_together_are_read_once(read: Counter[str]) -> None:
    """Nine rifles and a gun at eight men in light cover, nobody shows a 1: no weapon is checked."""
    given = {"attackers": "soldier weapon=rifle-bolt count=9; soldier weapon=lmg-belt", "targets": 8, "range": 45}
    play_example("baps", "fire", {**given, "cover": "light"}, [20] * 8)
    assert read == {"attack-factors": 2, "attack-modifiers": 2, "defense-factors": 1, "cover": 1, "crt": 1}


def test_shooters_of_one_kind_are_read_once(read: Counter[str]) -> None:
    play_example("ucn", "shoot", {"shooters": "bolt-action-rifle n=6", "skill": 12}, [20] * 6)
    assert read == {"shoot-modifiers": 1, "firearms": 1, "skill-check": 1, "status-damage": 1}


def test_units_that_pass_their_checks_are_not_looked_up_as_failing(read: Counter[str]) -> None:
    given = {"targets": "squad morale=5; squad morale=5; leader morale=5 lr=1", "hit_number": 0}
    play_example("nhis", "morale", given, [1, 1, 1])
    assert read == {"leadership": 2}
