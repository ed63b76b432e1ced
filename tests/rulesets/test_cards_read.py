"""Which cards a play reads."""

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
    answer, column = Table.__call__, Table.get_column

    def answering(table: Table, **asked: Any) -> Any:
        cards[table.id] += 1
        return answer(table, **asked)

    def along(table: Table, output: str, /, **asked: Any) -> Any:
        cards[table.id] += 1
        return column(table, output, **asked)

    monkeypatch.setattr(Table, "__call__", answering)
    monkeypatch.setattr(Table, "get_column", along)
    return cards


def test_units_that_pass_their_checks_are_not_looked_up_as_failing(read: Counter[str]) -> None:
    given = {"targets": "squad morale=5; squad morale=5; leader morale=5 lr=1", "hit_number": 0}
    play_example("nhis", "morale", given, [1, 1, 1])
    assert read.keys() == {"leadership"}
