"""Habits that do not read as English, kept out of what players and readers of the code see."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bot.commands.dispatch import load_shared_registry
from tools.sentences import collect_sentences

ROOT = Path(__file__).resolve().parent.parent
OF_A_GAME = ("games", "turns", "units", "undo", "by-post", "rolls")
"""Pages about a game in a channel."""
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
    for spec in load_shared_registry():
        texts = [spec.summary, spec.details]
        for option in spec.options:
            texts += [option.help, option.brief, *option.meanings.values()]
        assert [said for text in texts for said in habits(text)] == [], spec.name


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "deploy/README.md",
        "deploy/container.md",
        "deploy/operations.md",
        "deploy/by-hand.md",
        "deploy/scale/README.md",
        *(f"docs/{name}.md" for name in OF_A_GAME),
        "docs/discord.md",
        "docs/discord-host.md",
        "docs/discord-servers.md",
        "docs/slack.md",
        "docs/slack-host.md",
        "docs/slack-workspaces.md",
        "docs/dice.md",
        "docs/dice-protocol.md",
        "docs/hosts.md",
    ],
)
def test_pages(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [said for line in text.splitlines() for said in habits(line)] == []


def test_a_habit_is_found() -> None:
    assert len(list(habits("Who fires stands in his hex"))) == 2
    assert not list(habits("`he` is the HE of the gun, he=3. There is no unit."))


TURNS_OF_PHRASE = {
    r"\b[Ww]ho(m)?ever\b": "the side that, a unit that, anyone who",
    r"\b(of|in) words of (its|our|their) own\b|\bin words of (its|our|their) own\b": "in its own words",
    r"\b(is|are|was|were|has|have|had) (?!counted)\w+ already\b": "is already ...",
    r"\bso many\b": "how many, or the number",
    r"\bcomes? on top\b": "is added",
    r"\bcounts with at most\b": "is capped at",
    r"\brolls? all the same\b|\bacts all the same\b": "anyway",
    r"\b(puts?|sets?) (it|things) right\b": "clears it, fixes it",
    r"\bfurther words\b": "other conditions",
    r"\brule sets?\b": "a game",
    r"\bwhat (came up|becomes? of|comes of)\b": "this roll, what happens to",
    r"\bowes? a\b": "must",
    r"\bjust now\b": "right now, or have just",
    r"\bfor all to see\b": "face up, in public",
    r"\bwaits? for (you|your)\b": "is waiting for you",
    r"\bseeks? an opponent\b": "is looking for an opponent",
    r"\bholds? (at most|no)\b": "can have at most",
    r"\bodds\b.*\bcannot be counted\b": "cannot be computed",
    r"\b[Ll]icence\b(?!})": "license",
    r"(?<![Tt]here )\b(is|are) no (AFV|TEM|officer|leaders?|ordnance|hero)\b": "is not a ...",
}
"""What translated prose says where a wargamer has a shorter word, with that word.

They are looked for in every sentence that `make sentences` lists.
"""


def test_no_sentence_reads_as_translated() -> None:
    """Over all sentences that players, hosts and authors read, in the code, games and packs."""
    found = [
        f"{sentence.path}:{sentence.line}: {match[0]!r}, say {better}: {sentence.text[:100]}"
        for sentence in collect_sentences()
        for pattern, better in TURNS_OF_PHRASE.items()
        if (match := re.search(pattern, sentence.text))
    ]
    assert found == []


APPROVED = ("{A shaken leader lends nobody his rating",)
"""How sentences begin that were approved together with their card."""


def test_words_of_games_and_packs_call_nobody_he() -> None:
    """Soldiers, leaders and players of both sexes are they."""
    he = re.compile(r"\b([Hh]e|[Hh]im|[Hh]is|[Hh]imself)\b")
    texts = [
        sentence
        for sentence in collect_sentences()
        if sentence.path.startswith(("tables/", "packs/"))
        and not sentence.text.startswith(APPROVED)
    ]
    assert len(texts) > 4_000
    assert [
        f"{sentence.path}:{sentence.line}: {sentence.text[:100]}"
        for sentence in texts
        if he.search(CODE_WORDS.sub("", sentence.text)) and " also " not in sentence.text
    ] == []


GO = re.compile(
    r"\b(?:your|whose|their|one's|the|this|next|every|each|'s|’s|s['’]) go\b"
    r"|(?:'s|’s|s['’]) go\b|\bgo (?:is over|came|waits|has passed)\b",
    re.IGNORECASE,
)
"""*Go* as a turn, which players call a move, a turn or an activation."""
OF_THE_LOG = (
    "bot/verification",
    "bot/rulesets",
    "bot/rules",
    "bot/storage",
    "bot/packs",
    "bot/cli",
)
"""Texts for authors of packs and readers of logs, where `go` is a key."""


@cache
def _texts_for_players() -> tuple[tuple[str, str], ...]:
    """Return each text of the code that is no docstring, with its file."""
    texts = []
    for folder in ("bot", "adapters"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith(OF_THE_LOG):
                continue
            tree = ast.parse(path.read_text("utf-8"))
            notes = {
                id(node.value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    if id(node) not in notes:
                        texts.append((name, node.value))
    return tuple(texts)


def test_nobody_reads_of_a_go() -> None:
    texts = list(_texts_for_players())
    assert len(texts) > 5_000
    texts += [
        (spec.name, text)
        for spec in load_shared_registry()
        for text in (spec.summary, spec.details)
    ]
    pages = (
        *OF_A_GAME, "slack", "discord", "cards", "hosts", "glossary", "directory", "beside", "sharing",
        "slack-workspaces", "discord-servers",
    )  # fmt: skip
    for page in ("README.md", *(f"docs/{name}.md" for name in pages)):
        texts += [(page, line) for line in (ROOT / page).read_text("utf-8").splitlines()]
    assert [f"{name}: {text[:120]}" for name, text in texts if GO.search(text)] == []
    assert GO.search("US's go, anna")
    assert not GO.search("Let it go on. The games go well.")


def test_options_say_blank_for_what_happens_without_them() -> None:
    """One word for it on every form and page, and no unit that *brings* its numbers along."""
    other_words = re.compile(r"left out|omitted|\bempty =|leave empty|\bbrings\b|\bbecomes of\b")
    helps = [
        (f"{spec.name} {option.name}", option.help)
        for spec in load_shared_registry()
        for option in spec.options
    ]
    assert sum("blank: " in help for _, help in helps) > 40
    assert [f"{name}: {help}" for name, help in helps if other_words.search(help)] == []


def test_only_one_file_names_managers_by_their_platform() -> None:
    """Any other text would be wrong on the other platform."""
    words = re.compile(r"\b(?:server manager|workspace admin)s?\b")
    found = {name for name, text in _texts_for_players() if words.search(text)}
    assert {name for name in found if name.startswith("bot/")} == {
        "bot/preferences/platform_words.py"
    }
