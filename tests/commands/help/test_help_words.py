"""Help explains every word that can be typed, and says what the tables say it is worth."""

from __future__ import annotations

import re

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.help.help import format_option, show_help
from bot.rules.inputs.options import Option
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import System
from bot.ui.form.form import Room, build_form
from bot.ui.glossary import (
    explain_options,
    format_modifier_value,
    format_unit_words,
    group_unit_lists,
)
from bot.ui.typing.complete import CompletionContext

GAMES = list(load_shared_systems().values())
SEQUENCES = [(game.id, id) for game in GAMES for id in game.sequences]
IDS = [f"{game}-{id}" for game, id in SEQUENCES]


def help_on(topic: str) -> str:
    """The screen on a topic with those that its buttons turn to."""
    first = show_help(topic, load_shared_registry())
    turns = [
        button.action.removeprefix("help:")
        for button in first.buttons
        if button.label in ("Modifiers", "Units")
    ]
    return "\n".join(
        reply.format_text()
        for reply in (first, *(show_help(turn, load_shared_registry()) for turn in turns))
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.id))
def test_every_word_of_every_unit_list_is_explained(game: System) -> None:
    for name, words in game.words.items():
        lines = list(format_unit_words(words))
        for key, option in words.keys.items():
            assert option.help, f"{game.id} {name}: {key}= is explained nowhere"
            assert any(line.startswith(f"{key}= {option.help}") for line in lines)
        for flag, meaning in words.flags.items():
            assert meaning, f"{game.id} {name}: {flag} is explained nowhere"
            assert f"{flag}: {meaning}" in lines
        assert all(any(line.startswith(f"{state}:") for line in lines) for state in words.states)


@pytest.mark.parametrize(("game", "id"), SEQUENCES, ids=IDS)
def test_help_on_a_sequence_holds_the_words_of_its_lists(game: str, id: str) -> None:
    text = help_on(f"{game} {id}")
    sequence = load_shared_systems()[game].find_sequence(id)
    for name in group_unit_lists(sequence.inputs):
        for line in format_unit_words(sequence.system.words[name]):
            assert line in text
    assert "..." not in text.replace("aircraft=...", "")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.id))
def test_help_on_the_units_of_a_game(game: System) -> None:
    used = {
        name for sequence in game.sequences.values() for name in group_unit_lists(sequence.inputs)
    }
    if not used:
        return
    text = help_on(f"{game.id} units")
    for name in used:
        assert all(line in text for line in format_unit_words(game.words[name]))
    assert f"/help {game.id} units" in help_on(game.id)


@pytest.mark.parametrize("spec", list(load_shared_registry()), ids=lambda spec: "-".join(spec.path))
def test_allowed_words_are_never_cut(spec: object) -> None:
    text = help_on(" ".join(spec.path))  # type: ignore[attr-defined]  # a command of the registry
    for option in spec.options:  # type: ignore[attr-defined]  # as above
        assert all(value in text for value in option.values), option.name


@pytest.mark.parametrize(("game", "id"), SEQUENCES, ids=IDS)
def test_every_word_of_mods_has_a_meaning(game: str, id: str) -> None:
    for option in explain_options(load_shared_systems()[game].find_sequence(id)):
        if option.type == "mods":
            assert set(option.meanings) == set(option.values)
            assert all(option.meanings.values())


@pytest.mark.parametrize(("game", "id"), SEQUENCES, ids=IDS)
def test_flags_say_what_their_tables_add(game: str, id: str) -> None:
    """The value comes from the table: switched on alone, the flag changes the total by what help
    says.
    """
    sequence = load_shared_systems()[game].find_sequence(id)
    shown = {option.name: option for option in explain_options(sequence)}
    for option in sequence.inputs:
        for name in sequence.modifiers:
            worth = (
                format_modifier_value(sequence.system.tables[name], option.name, True)
                if option.type == "bool"
                else ""
            )
            if worth:
                assert worth in shown[option.name].help
                assert f"{option.name}: {shown[option.name].help}" in help_on(f"{game} {id}")


@pytest.mark.parametrize(
    ("topic", "line"),
    [
        ("lnlt fire", "adjacent: +2, target adjacent"),
        ("lnlt fire", "night: -3, "),
        ("lnlt fire", "mg_assault: -2, vehicle machine gun"),
        ("lnlt ordnance-vehicle", "adjacent: -2, target adjacent"),
        ("lnlt ordnance-vehicle", "(yes +1, fast +2)"),
        ("lnlt rally", "cover: -2, "),
        ("nhis fire", "target_moved: +2, "),
        ("baps vehicle-fire", "lost_row: -4, the first row on the right"),
        ("ucn attack-vehicle", "target_moving: spot +4, shoot -4, "),
        ("baps barrage", "very-heavy-artillery"),
    ],
)
def test_values_as_the_cards_print_them(topic: str, line: str) -> None:
    assert line in help_on(topic)


def test_forms_and_docs_show_the_same(root: object) -> None:
    spec = load_shared_registry().get(("lnlt", "fire"))
    assert spec is not None
    form = build_form(spec, {}, CompletionContext(), Room(folds=True))
    picks = {pick.value: pick for field in form.fields for pick in field.picks}
    assert picks["adjacent"].label == "Adjacent +2"
    assert picks["adjacent"].about == "target adjacent", "the value is in the label"
    assert picks["hit_and_run"].label.endswith(" −2")


def test_a_long_list_of_words_is_folded_into_lines() -> None:
    words = tuple(f"word-{number}" for number in range(60))
    first, *folded = format_option(Option("kind", "enum", "what it is", values=words))
    assert first == "  kind: what it is (one of these; needed):"
    assert " ".join(folded).replace(",", "").split() == list(words)
    assert all(len(line) <= 110 for line in folded)


def test_help_version_says_what_runs_and_which_edition_each_rule_set_has() -> None:
    said = show_help("version", load_shared_registry()).format_body()
    assert re.match(r"Grognard \d+\.\d+", said[0])
    assert all(
        any(re.fullmatch(rf"{game.id} +edition {game.edition}", line) for line in said)
        for game in GAMES
    )
    assert any(line.startswith("Source: ") for line in said)
