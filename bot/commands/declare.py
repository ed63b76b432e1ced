"""Decorators that declare a command or a button at the function that handles it.

    @declare_command("game join", "Join a side", SIDE, example="US", needs_game=True)
    @declare_button("join", of=ButtonOf.GAME)
    async def join_side(context: Context, side: str | None = None) -> Reply:

They return the function as it is, and note on it what was declared. `bot/commands/dispatch.py`
collects the notes of all modules.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec

Handler = Callable[..., Awaitable[Reply]]
"""Takes the context; the handler of a button also takes the button's arguments."""
H = TypeVar("H", bound=Handler)

_COMMANDS = "declared_commands"
_BUTTONS = "declared_buttons"
MAX_DIGITS = 12
"""Maximum number of digits of a number in a button."""


class ButtonOf(Enum):
    """What a button names first, before its arguments."""

    NOTHING = "nothing"
    """Its arguments say all: they name a document, of one game or of none."""
    GAME = "game"
    """Its game, which must be the one that is played in the channel."""
    EVENT = "event"
    """Its game, and then the number of an event, which is its first argument."""


@dataclass(frozen=True, slots=True)
class DeclaredButton:
    """A button and its handler.

    `private`: only the person who pressed it sees the answer. `in_earlier_games`: it also works for
    a game that was played in the channel before.
    """

    name: str
    handler: Handler
    of: ButtonOf = ButtonOf.NOTHING
    private: bool = False
    in_earlier_games: bool = False

    def parse_arguments(self, text: str) -> list[Any]:
        """Return the handler's arguments after the context, from the text of a pressed button.

        Colons separate them. The last one takes the rest of the text if it is a `str`. A missing
        text is "". Raises UserError if an `int` is not a number of at most `MAX_DIGITS` digits.
        """
        types = _list_argument_types(self.handler)
        takes_rest = bool(types) and types[-1] is str
        pieces = text.split(":", len(types) - 1 if takes_rest else len(types))
        pieces += [""] * len(types)
        return [
            _parse_number(piece) if type is int else piece
            for type, piece in zip(types, pieces, strict=False)
        ]


def declare_command(
    path: str,
    summary: str,
    *options: Option,
    example: str = "",
    private: bool = False,
    title: str = "",
    verb: str = "",
    needs_game: bool = False,
) -> Callable[[H], H]:
    """Declare that a function handles the command `path`, such as "game join".

    The first word of the path is the command's family. `example` is what follows the path in an
    example that runs. `private`: only the person who asks sees the answer. `needs_game`: the
    command is of no use in somebody's own play, which has no sides, roster or server. See
    CommandSpec for the rest.
    """
    words = tuple(path.split())
    spec = CommandSpec(
        words,
        summary,
        words[0],
        options,
        private,
        f"/{path} {example}".rstrip(),
        title=title,
        verb=verb,
        needs_game=needs_game,
    )

    def declare(handler: H) -> H:
        setattr(handler, _COMMANDS, (spec, *list_commands_of(handler)))
        return handler

    return declare


def declare_button(
    name: str,
    *,
    of: ButtonOf = ButtonOf.NOTHING,
    private: bool = False,
    in_earlier_games: bool = False,
) -> Callable[[H], H]:
    """Declare that a function handles the buttons called `name`; see DeclaredButton.

    What a button holds after its name (and its game) becomes the arguments of the function after
    the context. They are annotated as `int` or `str`; any other parameter ends them.
    """

    def declare(handler: H) -> H:
        declared = DeclaredButton(name, handler, of, private, in_earlier_games)
        setattr(handler, _BUTTONS, (declared, *list_buttons_of(handler)))
        return handler

    return declare


def list_commands_of(handler: object) -> tuple[CommandSpec, ...]:
    """Return the commands that a function was declared to handle."""
    commands: tuple[CommandSpec, ...] = getattr(handler, _COMMANDS, ())
    return commands


def list_buttons_of(handler: object) -> tuple[DeclaredButton, ...]:
    """Return the buttons that a function was declared to handle."""
    buttons: tuple[DeclaredButton, ...] = getattr(handler, _BUTTONS, ())
    return buttons


@cache
def _list_argument_types(handler: Handler) -> tuple[type, ...]:
    """Return `int` or `str` for each argument that a button gives to its handler."""
    _, *parameters = inspect.signature(handler, eval_str=True).parameters.values()
    types = list[type]()
    for parameter in parameters:
        if parameter.annotation not in (int, str, str | None):
            break
        types.append(int if parameter.annotation is int else str)
    return tuple(types)


def _parse_number(text: str) -> int:
    """Return the number that a button holds.

    Raises UserError ("no longer works") for text that is not a number of at most `MAX_DIGITS` digits.
    """
    if not text.isdecimal() or len(text) > MAX_DIGITS:
        raise UserError("This button no longer works.", code="used-up")
    return int(text)
