"""The pages in docs/ are those that the tables make today."""

from __future__ import annotations

import pytest

from bot.report.page import checker
from bot.systems.catalog import systems
from tools.docs import CHECKER, DOCS, page


@pytest.mark.parametrize("game", list(systems()))
def test_a_page_is_not_stale(game: str) -> None:
    assert (DOCS / f"{game}.md").read_text(encoding="utf-8") == page(systems()[game]), "run make docs"


@pytest.mark.parametrize("game", list(systems()))
def test_a_page_names_the_publisher_and_the_rule_book(game: str) -> None:
    data = systems()[game].game
    assert str(data["publisher"]) in page(systems()[game])
    assert "rule book" in data["notice"].casefold()


def test_the_checker_is_not_stale() -> None:
    assert CHECKER.read_text(encoding="utf-8") == checker(), "run make docs"
