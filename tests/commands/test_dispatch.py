"""Every command and every button has its function: they are named as text, so that starting up
imports none of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from bot.commands.dispatch import (
    BUTTONS,
    BUTTONS_OF_EVENT,
    BUTTONS_OF_GAME,
    BUTTONS_WITH_REST,
    HANDLERS,
    get_handler,
    import_function,
)
from bot.ui.registry import get_registry


def needs(function: Callable[..., Any]) -> int:
    """How many arguments a function cannot do without."""
    return sum(one.default is one.empty for one in inspect.signature(function).parameters.values())


def test_every_command_has_its_handler() -> None:
    specs = list(get_registry())
    assert {spec.family for spec in specs} == {words.split()[0] for words in HANDLERS} - {"due"}
    assert [spec.name for spec in specs if needs(get_handler(spec)) != 1] == []


@pytest.mark.parametrize("name", [one.does for one in BUTTONS.values()])
def test_a_button_that_says_all_takes_no_more_than_the_context(name: str) -> None:
    assert needs(import_function(name)) == 1


@pytest.mark.parametrize(
    "name", [one.does for one in (*BUTTONS_WITH_REST.values(), *BUTTONS_OF_GAME.values())]
)
def test_other_buttons_take_what_they_name(name: str) -> None:
    inspect.signature(import_function(name)).bind("context", "rest")


@pytest.mark.parametrize("name", [one.does for one in BUTTONS_OF_EVENT.values()])
def test_buttons_of_an_event_take_its_number_and_what_follows(name: str) -> None:
    inspect.signature(import_function(name)).bind("context", 41, "request")
