"""The pages in docs/ are those that the tables make today."""

from __future__ import annotations

import re

import pytest

from bot.report.page import checker
from bot.systems.catalog import systems
from tools.docs import CHECKER, DOCS, SAMPLE, page, sample
from tools.pictures import FOLDER, drawn, gallery


@pytest.mark.parametrize("game", list(systems()))
def test_a_page_is_not_stale(game: str) -> None:
    assert (DOCS / f"{game}.md").read_text(encoding="utf-8") == page(systems()[game]), "run make docs"


@pytest.mark.parametrize("game", list(systems()))
def test_a_page_names_the_publisher_and_the_rule_book(game: str) -> None:
    data = systems()[game].game
    assert str(data["publisher"]) in page(systems()[game])
    assert "rule book" in data["notice"].casefold()


def test_the_sample_page_is_not_stale() -> None:
    assert SAMPLE.read_text(encoding="utf-8") == sample(), "run make docs"


def test_the_checker_is_not_stale() -> None:
    assert CHECKER.read_text(encoding="utf-8") == checker(), "run make docs"


def test_the_pictures_and_the_gallery_are_not_stale() -> None:
    pictures = drawn()
    there = {str(path.relative_to(DOCS)): path.read_text(encoding="utf-8") for path in (DOCS / FOLDER).rglob("*.svg")}
    assert there.keys() == pictures.keys(), "run make docs"
    assert there == pictures, "run make docs"
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == gallery(), "run make docs"
    assert {path.partition("/")[2].partition("/")[0] for path in pictures} == set(systems()), "some of every game"
    fonts = [sum(map(len, re.findall(r"<style>.*?</style>", text))) for text in pictures.values()]
    assert sum(map(len, pictures.values())) - sum(fonts) < 600_000
    assert max(fonts) < 20_000, "only the letters that are drawn"


@pytest.mark.parametrize("name", ["README.md", "docs/gallery.md", *(f"docs/{game}.md" for game in systems())])
def test_each_picture_of_a_page_is_there_and_says_what_it_shows(name: str) -> None:
    path = DOCS.parent / name
    shown = re.findall(r"^!\[(.*)\]\((\S+)\)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert shown
    for alt, address in shown:
        assert alt
        assert (path.parent / address).is_file(), address
