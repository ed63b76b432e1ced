"""Habits that do not read as English, kept out of what players and readers of the code see."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.interface.registry import registry

ROOT = Path(__file__).resolve().parent.parent
HABITS = {
    r"\bstands\b(?! for| in the way)": "a text or a unit is somewhere; only what has legs stands",
    r"\blies\b": "likewise",
    r"\b(he|him|his|himself)\b": "players and soldiers are they, a counter is it",
    r"\b(only|or|by|for|and) who manages\b": "a manager, an admin",
    r"\bparted\b": "separated, unlinked",
    r"(?<![Tt]here )\bis no (number|text|JSON|channel|option|unit|marker|infantry|vehicle)\b": "is not a ...",
    r"\bis so already\b": "already has these values",
    r"\b[a-z]{3,}!(?=\s|$)": "the bot does not shout",
}
CODE_WORDS = re.compile(r"\bhe[=-]|-he\b|`[^`]*`")
"""Not the pronoun: HE, the option and the parts of tokens; and code in a sentence."""


def habits(text: str) -> Iterator[str]:
    """What in the text is one of the habits, with the reason."""
    bare = CODE_WORDS.sub("", text)
    for pattern, reason in HABITS.items():
        if found := re.search(pattern, bare):
            yield f"{found[0]!r}: {reason} ({' '.join(text.split())[:120]})"


def sentences(path: Path) -> Iterator[str]:
    """Texts, docstrings and comments of a file of code."""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (tokenize.STRING, tokenize.COMMENT) and " " in token.string:
                yield token.string


@pytest.mark.slow
def test_texts_and_comments_of_the_code() -> None:
    files = [path for room in ("bot", "adapters") for path in sorted((ROOT / room).rglob("*.py"))]
    assert [
        (path.name, said) for path in files for text in sentences(path) for said in habits(text)
    ] == []


def test_help_of_every_command() -> None:
    for spec in registry():
        texts = [spec.summary, spec.details]
        for option in spec.options:
            texts += [option.help, option.brief, *option.meanings.values()]
        assert [said for text in texts for said in habits(text)] == [], spec.name


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "deploy/README.md",
        "deploy/by-hand.md",
        "deploy/scale/README.md",
        "docs/games.md",
        "docs/discord.md",
        "docs/slack.md",
        "docs/dice.md",
        "docs/hosts.md",
    ],
)
def test_pages(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [said for line in text.splitlines() for said in habits(line)] == []


def test_a_habit_is_found() -> None:
    assert len(list(habits("Who fires stands in his hex"))) == 2
    assert not list(habits("`he` is the HE of the gun, he=3. There is no unit."))
