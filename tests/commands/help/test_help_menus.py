"""Each entry of each menu of help, typed as it is shown, opens what it opens when it is chosen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.help.help import show_help
from bot.commands.help.pages import HELP
from bot.rules.errors import UserError
from bot.rulesets.catalog import load_shared_systems
from bot.ui.help_topics import TOPICS
from bot.ui.reply.bars import PHONE
from bot.ui.reply.parts import PLAIN, render_parts
from bot.ui.reply.reply import MenuEntry, Reply


def _show(topic: str, played: str) -> Reply:
    return show_help(topic, load_shared_registry(), list(load_shared_systems()), played)


def _entries(played: str) -> Iterator[MenuEntry]:
    """Yield the entries of all menus, from the first page on."""
    seen = set[str]()
    topics = [""]
    while topics:
        topic = topics.pop()
        if topic in seen:
            continue
        seen.add(topic)
        for menu in _show(topic, played).menus:
            for entry in menu.entries:
                if entry.action.startswith(HELP):
                    topics.append(entry.action.removeprefix(HELP))
                    yield entry


@pytest.mark.parametrize("played", ["", "lnlt"])
def test_every_entry_of_a_menu_opens_by_its_label(played: str) -> None:
    entries = list(_entries(played))
    assert len(entries) > 140
    for entry in entries:
        chosen = _show(entry.action.removeprefix(HELP), played)
        assert _show(entry.label, played).title == chosen.title, entry.label


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("seald rolls", "Sealed rolls"),
        ("your own dices", "Your own dice"),
        ("frod", "ford"),
        ("fier", "fire"),
    ],
)
def test_a_misspelt_topic_is_met_with_its_title(typed: str, meant: str) -> None:
    with pytest.raises(UserError) as caught:
        _show(typed, "")
    assert caught.value.hint == f"Did you mean {meant}?"
    _show(meant, "")


@pytest.mark.parametrize("typed", ["welcome", "xyzzy", "topci"])
def test_what_is_near_to_nothing_is_not_guessed(typed: str) -> None:
    with pytest.raises(UserError) as caught:
        _show(typed, "")
    assert caught.value.hint == "For all commands: /help"


def test_scenarios_are_a_topic() -> None:
    assert "game start lnlt scenario=ford" in _show("scenarios", "").format_text()


def _fixed_lines(topic: str) -> list[str]:
    """Return the lines of a help page that stay in columns, as a phone gets them."""
    return [
        text for text, is_fixed in render_parts(_show(topic, "").lines, PLAIN, PHONE) if is_fixed
    ]


TOP_PAGES = ("", "games", *TOPICS, *load_shared_systems(), *load_shared_registry().top_names)


def test_no_column_of_help_is_wider_than_a_phone() -> None:
    pages = {topic: _fixed_lines(topic) for topic in TOP_PAGES}
    assert len(pages["dice"]) > 25
    wide = [(topic, line) for topic, lines in pages.items() for line in lines]
    assert [found for found in wide if len(found[1]) > PHONE.grid] == []


@pytest.mark.slow
def test_no_column_of_any_page_of_help_is_wider_than_a_phone() -> None:
    pages = {spec.name: _fixed_lines(" ".join(spec.path)) for spec in load_shared_registry()}
    wide = [(name, line) for name, lines in pages.items() for line in lines]
    assert [found for found in wide if len(found[1]) > PHONE.grid] == []
