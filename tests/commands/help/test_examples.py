"""Help tells the truth: every command has a summary and an example, and every example runs as it
is printed.
"""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.help.help import show_help
from bot.presentation.roll import look_up_table, roll_dice
from bot.presentation.run_sequence import run_sequence
from bot.rulesets.catalog import find_shared_system
from bot.runtime.entropy import create_throwaway_source
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import parse_text

SPECS = list(load_shared_registry())
IDS = [" ".join(spec.path) for spec in SPECS]


def answer(spec: CommandSpec, text: str) -> Reply:
    """What the example of a command without a channel answers."""
    typed = parse_text(text, load_shared_registry())
    assert typed.spec.path == spec.path
    if spec.family == "roll":
        return roll_dice(typed.options, "Anna", create_throwaway_source())[0]
    if spec.family == "help":
        return show_help(str(typed.options["topic"]), load_shared_registry())
    game = find_shared_system(spec.system)
    if spec.family == "lookup":
        return look_up_table(
            game.find_table(spec.target), typed.options, "Anna", create_throwaway_source()
        ).reply
    reply, _ = run_sequence(
        game.find_sequence(spec.target), spec, typed.options, "Anna", create_throwaway_source(), {}
    )
    return reply


@pytest.mark.parametrize("spec", SPECS, ids=IDS)
def test_every_command_has_help_and_an_example_that_runs(spec: CommandSpec) -> None:
    assert spec.summary
    assert len(spec.summary) <= 300, "a summary is two lines"
    short = (spec.path[0], spec.path[-1]) if spec.family == "lookup" else spec.path
    assert spec.example.startswith("/" + " ".join(short)), "a table is called without its group"
    assert parse_text(spec.example, load_shared_registry()).spec.path == spec.path
    if spec.family in ("roll", "help", "lookup", "sequence"):
        reply = answer(spec, spec.example)
        assert reply.title
        assert not reply.error


@pytest.mark.parametrize("spec", SPECS, ids=IDS)
def test_every_command_is_explained(spec: CommandSpec) -> None:
    name = " ".join(spec.path)
    shown = show_help(name, load_shared_registry()).format_text()
    assert spec.example in shown
    if spec.family == "sequence":
        shown += show_help(f"{name} modifiers", load_shared_registry()).format_text()
    for option in spec.options:
        assert option.name in shown
    mute = [
        option.name
        for option in spec.options
        if not option.help and option.type not in ("bool", "enum")
    ]
    assert not mute, "say what to type; the values of an enum speak for themselves"


@pytest.mark.parametrize(
    "topic", ["", "dice", "lnlt", "lnlt-table", "lnlt-table combat", "game", "unit", "dct"]
)
def test_help_on_topics(topic: str) -> None:
    assert show_help(topic, load_shared_registry()).private
