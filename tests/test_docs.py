"""The pages in docs/ are those that the tables make today."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from importlib import import_module
from typing import Any

import pytest

from bot.report.event_odds import compute_export_facts
from bot.report.page import build_checker_page
from bot.rulesets.catalog import load_shared_systems
from tools.chat.pictures import PICTURES as CHAT
from tools.chat.pictures import messages
from tools.chat.pictures import pictures as chat_pictures
from tools.chat.sample import play_sample
from tools.docs import CHECKER, DOCS, SAMPLE, sample
from tools.game_pages.page import build_page
from tools.pictures import FOLDER, draw_all_pictures, gallery, with_font


@pytest.mark.parametrize("game", list(load_shared_systems()))
def test_a_page_is_not_stale(game: str) -> None:
    assert (DOCS / f"{game}.md").read_text(encoding="utf-8") == build_page(
        load_shared_systems()[game]
    ), "run make docs"


@pytest.mark.parametrize("game", list(load_shared_systems()))
def test_a_page_names_the_publisher_and_the_rule_book(game: str) -> None:
    data = load_shared_systems()[game].game
    assert str(data["publisher"]) in build_page(load_shared_systems()[game])
    assert "rule book" in data["notice"].casefold()


def test_the_sample_page_is_not_stale() -> None:
    assert SAMPLE.read_text(encoding="utf-8") == sample(), "run make docs"


def test_the_checker_is_not_stale() -> None:
    assert CHECKER.read_text(encoding="utf-8") == build_checker_page(), "run make docs"


@pytest.mark.slow
def test_the_pictures_and_the_gallery_are_not_stale() -> None:
    pictures = draw_all_pictures()
    there = {
        str(path.relative_to(DOCS)): path.read_text(encoding="utf-8")
        for path in (DOCS / FOLDER).rglob("*.svg")
    }
    assert there.keys() == pictures.keys(), "run make docs"
    assert there == pictures, "run make docs"
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == gallery(), "run make docs"
    assert {path.split("/")[1] for path in pictures} == {*load_shared_systems(), "chat"}, (
        "some of every game"
    )
    fonts = [sum(map(len, re.findall(r"<style>.*?</style>", text))) for text in pictures.values()]
    assert sum(map(len, pictures.values())) - sum(fonts) < 700_000
    assert max(fonts) < 20_000, "only the letters that are drawn"


def test_pictures_of_chat_are_of_what_the_bot_sends() -> None:
    """The messages beside the pictures are those of the evening played today; the pictures are
    drawn of them.
    """
    kept = {address: (DOCS / address).read_text("utf-8") for address in messages()}
    assert kept == messages(), "run make docs"
    for address, svg in chat_pictures(kept).items():
        assert (DOCS / address).read_text("utf-8") == with_font(svg), "run make docs"


def test_a_picture_of_chat_has_every_word_of_its_messages() -> None:
    kept = messages()
    for address, svg in chat_pictures(kept).items():
        words = " ".join(unescape(text) for text in re.findall(r"<text[^>]*>([^<]+)<", svg)).split()
        platform, _, name = address.rpartition("/")[2].removesuffix(".svg").partition("-")
        shown = json.loads(kept[f"{address.rpartition('/')[0]}/{platform}.json"])
        for message in (shown[part] for part in CHAT[name][0]):
            said = " ".join(text_of(message["body"])).replace("\n", " ")
            for word in re.findall(r"[A-Za-z]{3,}", re.sub(r"<@\w+>|-#", "", said)):
                assert any(word in one for one in words), f"{address}: {word}"


def text_of(part: Any) -> Iterator[str]:
    """All that a part of a message says; not what is in a menu that is closed."""
    if isinstance(part, list):
        for one in part:
            yield from text_of(one)
    elif isinstance(part, dict):
        for key, value in part.items():
            if key in ("content", "description", "label", "placeholder", "text") and isinstance(
                value, str
            ):
                yield value
            elif key not in ("options", "text") or isinstance(value, dict):
                yield from text_of(value)


PICTURES = [
    (path, alt, address)
    for path in sorted(
        {*DOCS.parent.glob("*.md"), *DOCS.rglob("*.md"), *DOCS.parent.glob("*/**/README.md")}
    )
    if not any(
        part.startswith(".") or part in ("build", "dist")
        for part in path.relative_to(DOCS.parent).parts
    )
    for alt, address in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", path.read_text("utf-8"))
]


def test_each_picture_of_a_page_is_there_and_says_what_it_shows() -> None:
    """A file's name says nothing to somebody who cannot see the picture, and two pictures of a page
    with the same words cannot be told apart.
    """
    assert len(PICTURES) > 35
    for path, alt, address in PICTURES:
        where = f"{path.name}: {address}"
        assert (path.parent / address).is_file(), where
        assert len(alt.split()) > 3, where
        assert ".svg" not in alt, where
        assert len(alt) < 500, f"{where}: too long to be listened to"
    alts = [(path, alt) for path, alt, _ in PICTURES]
    assert len(set(alts)) == len(alts)


def test_the_sample_has_what_the_product_promises() -> None:
    """Luck, odds of each shot, and words of the players in the dice: it is played under today's
    rules.
    """
    export = play_sample()
    facts = compute_export_facts(export, load_shared_systems())
    assert sum("luck" in fact for fact in facts.values()) > 10
    assert all(fact["fits"] and fact["odds"] for fact in facts.values())
    assert "no rolls to count" not in sample()
    sides = {
        word for fact in facts.values() for odds in fact["odds"] for word, _ in odds["chances"]
    }
    assert {"US", "VC"} <= sides
    assert not {"a", "b"} & sides


UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "KiB": 2**10, "MiB": 2**20}
LIMIT = re.compile(
    r"\| .+ \| ([\d,.]+)(?: (KiB|MiB|second|minute|hour|day)s?)? \| `([\w/]+)\.py`, `(\w+)` \|"
)
LIMITS = [
    line for line in (DOCS / "limits.md").read_text(encoding="utf-8").splitlines() if ".py`" in line
]


@pytest.mark.parametrize("line", LIMITS)
def test_a_limit_is_what_the_code_has(line: str) -> None:
    found = LIMIT.fullmatch(line)
    assert found, "| what | figure | `file`, `NAME` |"
    figure, unit, file, name = found.groups()
    assert float(figure.replace(",", "")) * UNITS.get(unit, 1) == getattr(
        import_module(file.replace("/", ".")), name
    )
