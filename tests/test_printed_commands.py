"""Every command that the bot prints can be typed back where it was read: on Discord, as a slash
command on Slack, in a thread or after a mention, in direct messages and in the console.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from unittest.mock import patch

import pytest
import yaml

from adapters.discord.modal import ROOM as DISCORD_ROOM
from adapters.slack.modal import ROOM as SLACK_ROOM
from bot.commands.dispatch import load_shared_registry
from bot.commands.help.help import show_help
from bot.forms.corrections import describe_in_form
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import load_shared_systems
from bot.ui.form.form import build_form
from bot.ui.help_topics import TOPICS
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import parse_text
from bot.ui.typing.command_writer import CommandReader, write_command
from bot.ui.typing.complete import CompletionContext
from tests.printed_commands import (
    IN_BACKTICKS,
    ROOT,
    Found,
    commands_in,
    failures,
    filled_in,
    find_plain,
    is_command,
    literals,
    plain_commands_in,
    texts_of_data,
)
from tools import commands as frozen

SOURCES = [*Path(ROOT, "bot").rglob("*.py"), *Path(ROOT, "adapters").rglob("*.py")]
OF_HOST = (
    *("bot/cli", "bot/verification", "bot/runtime", "bot/packs", "bot/storage", "bot/monitoring"),
    "adapters/slack/installation.py",
)
"""Where texts are for a shell or for authors, and name the commands of a chat."""
DATA = [*Path(ROOT, "tables").rglob("*.yaml"), *Path(ROOT, "packs").rglob("*.yaml")]
PAGES = [
    *Path(ROOT, "docs").glob("*.md"),
    Path(ROOT, "README.md"),
    *Path(ROOT, "packs").rglob("*.md"),
]
COMMENTS = (
    "docs/first-change.md",
    "docs/packs.md",
    "docs/sequences.md",
    *(f"docs/{path.name}" for path in Path(ROOT, "docs").glob("pack-*.md")),
)
"""Pages whose commands belong to a game that the reader writes first."""
HISTORY = "docs/history.md"
"""The page that names commands in part, and as they were when they changed."""


def _where(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def test_no_sentence_in_the_code_holds_a_command_as_plain_text() -> None:
    """Only `phrase`, `marked` and `Typed` set a command apart, so that each platform writes it."""
    loose = []
    for file in SOURCES:
        if not _where(file).startswith(OF_HOST):
            loose += [
                f"{_where(file)}: {text[:120]}"
                for text, is_phrase in literals(file)
                if find_plain(IN_BACKTICKS.sub("", text) if is_phrase else text)
            ]
    assert loose == []


def test_commands_in_sentences_of_the_code_are_read() -> None:
    found = [
        Found(filled_in(command), _where(file))
        for file in SOURCES
        for text, is_phrase in literals(file)
        if is_phrase
        for command in IN_BACKTICKS.findall(text)
        if command.startswith("/") and not command.startswith("/{")
    ]
    assert len(found) > 150
    # a whole command that is put in later has no name here
    assert [one for one in failures(found) if "/game x1" not in one and "endx1" not in one] == []


def test_commands_in_tables_and_packs_are_read() -> None:
    loose = []
    found = []
    for file in DATA:
        for text in texts_of_data(yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)):
            found += [
                Found(filled_in(command), _where(file))
                for command in IN_BACKTICKS.findall(text)
                if command.startswith("/")
                and command[1:].partition(" ")[0] in load_shared_registry().top_names
            ]
            if find_plain(IN_BACKTICKS.sub("", text)):
                loose.append(f"{_where(file)}: {text[:120]}")
    assert loose == []
    assert len(found) > 30
    assert failures(found) == []


def test_every_example_is_read_alike_by_all() -> None:
    examples = [Found(spec.example, spec.name) for spec in load_shared_registry() if spec.example]
    assert len(examples) > 300
    assert failures(examples) == []
    for example in examples:
        on_discord = write_command(example.text, CommandReader.DISCORD, load_shared_registry())
        read = parse_text(on_discord, load_shared_registry()).spec
        assert read == parse_text(example.text, load_shared_registry()).spec, on_discord


def test_commands_in_docs_are_read() -> None:
    found = []
    for file in PAGES:
        if _where(file) in (*COMMENTS, HISTORY):
            continue
        text = re.sub(r"```.*?```", "", file.read_text("utf-8"), flags=re.DOTALL)
        found += [
            Found(command, _where(file))
            for command in IN_BACKTICKS.findall(text)
            if command.startswith("/")
            and "[" not in command
            and command[1:].partition(" ")[0] in load_shared_registry().top_names
        ]
    assert len(found) > 250
    assert failures(found) == []


def _help_pages(topics: list[str]) -> list[tuple[str, Reply]]:
    games = list(load_shared_systems())
    return [(topic, show_help(topic, load_shared_registry(), games, "lnlt")) for topic in topics]


def _check(replies: list[tuple[str, Reply]]) -> int:
    found = [one for where, reply in replies for one in commands_in(reply, where)]
    plain = [one for where, reply in replies for one in plain_commands_in(reply, where)]
    assert failures(found) == []
    assert plain == []
    return len({one.text for one in found})


def test_commands_of_help_are_read() -> None:
    topics = [
        "",
        "games",
        *TOPICS,
        *load_shared_systems(),
        "game",
        "unit",
        "deck",
        "lnlt fire",
        "lnlt units",
    ]
    assert _check(_help_pages(topics)) > 40


@pytest.mark.slow
def test_commands_of_all_pages_of_help_are_read() -> None:
    assert _check(_help_pages([" ".join(spec.path) for spec in load_shared_registry()])) > 300


async def _replies_of(scenes: list[frozen.Scene]) -> list[tuple[str, Reply]]:
    """Play scenes of the frozen commands again, and collect their answers."""
    replies: list[tuple[str, Reply]] = []
    answer = frozen._answer

    async def collect(app: object, line: frozen.Line, *more: object) -> Reply:
        reply = await answer(app, line, *more)  # type: ignore[arg-type]
        replies.append((line.text, reply))
        return reply

    with patch.object(frozen, "_answer", collect):
        for scene in scenes:
            await frozen.play(scene)
    return replies


def test_commands_of_mistakes_and_of_an_evening_are_read() -> None:
    scenes = [one for one in frozen.frozen().scenes if one.name in ("mistakes", "an evening")]
    assert len(scenes) == 2
    assert _check(asyncio.run(_replies_of(scenes))) > 30


@pytest.mark.slow
def test_commands_of_all_recorded_answers_are_read() -> None:
    scenes = list(frozen.frozen().scenes)
    assert _check(asyncio.run(_replies_of(scenes))) > 100


UNITS = tuple(
    RosterUnit(f"{side} Squad {number}", f"{side.casefold()}{number}", "squad", side)
    for side in ("US", "VC")
    for number in (1, 2)
)


def _texts_of_forms() -> Iterator[tuple[str, str]]:
    """Yield every text of every form on both platforms, with its command."""
    for room, spec in product((DISCORD_ROOM, SLACK_ROOM), load_shared_registry()):
        if not spec.options:
            continue
        game = load_shared_systems()[spec.system or "lnlt"]
        for units in ((), UNITS):
            known = CompletionContext(units, ("US", "VC"), own_side="US", system=game.id, game=game)
            form = build_form(spec, {}, known, room)
            yield from ((spec.name, text) for text in (form.title, form.verb))
            for field in form.fields:
                texts = [field.label, field.hint, field.example]
                texts += [text for pick in field.picks for text in (pick.label, pick.about)]
                yield from ((spec.name, text) for text in texts)


def test_no_form_tells_anybody_to_type_a_command() -> None:
    """A form is plain text, in which no platform can write a command in its own way."""
    texts = set(_texts_of_forms())
    assert len(texts) > 4_000
    told = [found for found in texts if find_plain(found[1]) or found[1].startswith("/")]
    assert told == []
    signs = [text for name, text in texts if re.search(r"\w=\w", text) and "macro" not in name]
    assert signs == []


def test_refusals_in_a_form_tell_nobody_to_type_a_command() -> None:
    scenes = [one for one in frozen.frozen().scenes if one.name == "mistakes"]
    refused = [reply for _, reply in asyncio.run(_replies_of(scenes)) if reply.error]
    assert len(refused) > 30
    fire = load_shared_registry().get(("lnlt", "fire"))
    assert fire is not None
    texts = [describe_in_form(fire, reply) for reply in refused]
    assert [text for text in texts if find_plain(text) or "Type: " in text] == []


def test_what_is_no_command_is_left_alone() -> None:
    assert not is_command("us1..us4")
    for reader in CommandReader:
        assert write_command("hand=4,1,?", reader, load_shared_registry()) == "hand=4,1,?"
