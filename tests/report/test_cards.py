"""The page of a game with cards: sizes of hands over time, what lies open, what was drawn and
played; never a closed card; and what it shows is held against its log by all three that check it.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from bot.report.page import build_fragments, build_page
from bot.rulesets.catalog import load_shared_systems
from bot.verification.check_file import check_file
from tests.playing import Channel, two_sides
from tests.random_play import exported_text

WORDS = "Ambush, Air strike, Fog, Mines, Smoke, Relief, Panic, Truce"


async def evening() -> Channel:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", f'deck make "{WORDS}" events', "deck deal 2", "deck draw", "game next")
    held = (await channel.do("Anna", "hand")).menus[0].entries
    await channel.press("Anna", held[0].action)
    await channel.do("Anna", *["game next"] * 5)
    await channel.do("Bob", "deck draw events 2 me")
    return channel


async def page_of(channel: Channel) -> str:
    return build_page(json.loads(await exported_text(channel)), {}, load_shared_systems())


def section(text: str) -> str:
    """The words of the section on cards."""
    found = re.search(r'id="p-cards".*?</section>', text, re.DOTALL)
    assert found is not None
    return " ".join(re.sub(r"<[^>]*>", " ", found[0]).split())


def faults(tmp_path: Path, text: str) -> str:
    (tmp_path / "page.html").write_text(text, "utf-8")
    found = check_file(tmp_path / "page.html").faults
    return "\n".join(found)


async def test_sizes_of_hands_what_lies_open_and_what_is_closed(tmp_path: Path) -> None:
    channel = await evening()
    text = await page_of(channel)
    said = section(text)
    assert "Turn US&#39;s hand VC&#39;s hand 1 1 2 2 1 2 3 1 4 " in said.replace("'", "&#39;")
    assert "1 of 8 in the pile, 2 in play" in said
    assert "Still closed: 1 closed card of events in US&#39;s hand." in said.replace("'", "&#39;")
    assert "T3 Bob draws 2 cards into VC" in said
    assert "T1 Anna plays " in said
    assert 'data-k="cards"' in text
    assert faults(tmp_path, text) == ""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("<em>4</em>", "<em>5</em>", "sizes of hands"),
        ('">Anna plays ', '">Bob plays ', "differ"),
    ],
)
async def test_an_edit_of_it_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = await page_of(await evening())
    start = text.index('id="p-cards"')
    bent = text[:start] + text[start:].replace(old, new, 1)
    assert bent != text
    assert says in faults(tmp_path, bent)


async def test_no_closed_card_is_in_a_page_and_after_the_end_hands_are_open() -> None:
    channel = await evening()
    held = {
        entry.label
        for name in ("Anna", "Bob")
        for entry in (await channel.do(name, "hand")).menus[0].entries
    }
    assert len(held) == 5
    text = await page_of(channel)
    assert not [card for card in held if card in section(text)]
    await channel.do("Anna", "game end confirm")
    await channel.do("Bob", "hand agree")
    await channel.do("Anna", "game end confirm")
    said = section(await page_of(channel))
    assert "Still closed" not in said
    assert "US's hand: " in html.unescape(said)
    assert "VC's hand: " in html.unescape(said)
    assert all(card in said for card in held)


async def test_a_followed_page_is_sent_its_cards_and_a_game_without_has_no_section() -> None:
    channel = await evening()
    export = json.loads(await exported_text(channel))
    sent = build_fragments(export, {}, load_shared_systems(), export["events"][-2]["number"])
    assert "Bob draws 2 cards into VC" in sent["parts"]["p-cards"]
    plain = await Channel.fresh()
    await plain.do("Anna", "roll 2d6")
    assert 'id="p-cards" hidden' in await page_of(plain)
    assert section(await page_of(plain)).removeprefix('id="p-cards" hidden>') == ""


async def test_free_play_shows_hands_as_they_are_now(tmp_path: Path) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "deck draw standard-52 3 me")
    await channel.do("Bob", "deck draw standard-52 2 me", "deck draw")
    text = await page_of(channel)
    assert "Anna&#39;s hand" in text or "Anna's hand" in section(text)
    assert re.search(r"Now (3 2|2 3) ", section(text))
    assert faults(tmp_path, text) == ""


async def test_a_hands_worth_is_no_luck() -> None:
    channel = await evening()
    stats = (await channel.do("Anna", "game stats")).format_text()
    assert not re.search(r"\b1 in \d", stats)
    text = await page_of(channel)
    assert "Rolls to tell of" not in text
    assert not re.search(r"\b1 in \d", section(text))
