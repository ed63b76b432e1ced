"""Every command and button has one handler, which takes what it is given."""

import inspect
from collections import Counter

import pytest

from bot.commands.declare import ButtonOf, DeclaredButton, list_buttons_of, list_commands_of
from bot.commands.dispatch import (
    BUTTONS,
    HANDLERS,
    HELP_ORDER,
    MODULES,
    SHARED_COMMANDS,
    get_handler,
    load_shared_registry,
)
from bot.rules.errors import UserError


def test_every_command_has_its_handler() -> None:
    for spec in load_shared_registry():
        inspect.signature(get_handler(spec)).bind("context")


def test_nothing_is_declared_twice() -> None:
    functions = [
        value
        for module in MODULES
        for value in vars(module).values()
        if getattr(value, "__module__", "") == module.__name__
    ]
    paths = Counter(spec.path for function in functions for spec in list_commands_of(function))
    names = Counter(button.name for function in functions for button in list_buttons_of(function))
    assert [name for name, count in (paths + names).items() if count > 1] == []


def test_help_has_a_place_for_every_command() -> None:
    assert [" ".join(spec.path) for spec in SHARED_COMMANDS] == list(HELP_ORDER)
    assert {*HANDLERS} == {spec.path for spec in SHARED_COMMANDS}


@pytest.mark.parametrize("name", BUTTONS)
def test_a_button_gives_its_handler_what_it_takes(name: str) -> None:
    button = BUTTONS[name]
    text = "41:1:2:3:4:5:6" if button.of is ButtonOf.EVENT else "1:2:3:4:5:6"
    inspect.signature(button.handler).bind("context", *button.parse_arguments(text))


async def take_all(context: object, key: str, index: int, rest: str) -> None: ...


async def take_number(context: object, number: int) -> None: ...


async def take_text(context: object, topic: str | None = None, draft: object = None) -> None: ...


@pytest.mark.parametrize(
    ("handler", "text", "arguments"),
    [
        (take_all, "a:2:b:c", ["a", 2, "b:c"]),
        (take_all, "a:2", ["a", 2, ""]),
        (take_number, "41", [41]),
        (take_number, "41:left over", [41]),
        (take_text, "lnlt fire: odds", ["lnlt fire: odds"]),
        (take_text, "", [""]),
    ],
)
def test_the_text_of_a_button_becomes_arguments(
    handler: object, text: str, arguments: list[object]
) -> None:
    assert DeclaredButton("name", handler).parse_arguments(text) == arguments  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "x", "-1", "1" * 13, "²"])
def test_a_button_whose_number_is_none_no_longer_works(text: str) -> None:
    with pytest.raises(UserError) as caught:
        DeclaredButton("name", take_number).parse_arguments(text)  # type: ignore[arg-type]
    assert caught.value.code == "used-up"
