"""What Discord learns about our commands, made from the registry and held to Discord's limits.

A command may have 25 options and, with everything in it, 8,000 characters of names, descriptions
and choices. So the longest descriptions give way to brief ones until all fit, and flags beyond 25
fold, from the end, into `mods`.
"""

import gc
import json
import logging
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adapters.discord.request import Json
from bot.interface.registry import Registry, registry
from bot.interface.shown_options import is_required, shown_options
from bot.interface.spec import CommandSpec, Path
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option

log = logging.getLogger(__name__)

SUBCOMMAND, GROUP, STRING, INTEGER, BOOLEAN, CHANNEL, NUMBER, ATTACHMENT = 1, 2, 3, 4, 5, 7, 10, 11
MAX_CHOICES = 25
MAX_COMMAND = 8_000
MAX_DESCRIPTION = 100
MAX_TEXT = 4_000
MANAGE_SERVER = "32"
IN_SERVERS, IN_DMS, BETWEEN_PEOPLE = 0, 1, 2
INSTALLS = {
    False: ([0], [IN_SERVERS, IN_DMS]),
    True: ([0, 1], [IN_SERVERS, IN_DMS, BETWEEN_PEOPLE]),
}
"""Who has added the bot (a server, a person), and where a command is offered; by whether it
works without a game.
"""
MESSAGE = 3
"""The type of a command in the menu of a message."""
ENTRIES = {"Odds of this": "odds", "Undo this": "undo"}
"""What the entries there do: the button of a message that is meant."""
_TYPES = {"int": INTEGER, "number": NUMBER, "bool": BOOLEAN, "file": ATTACHMENT}
_COMPLETED = ("units", "unit", "mods", "dice", "enum")
_LENGTHS = range(MAX_DESCRIPTION, 9, -1)


def payload(registry: Registry) -> list[Json]:
    """All commands as Discord's API takes them. Reads every game."""
    return [command(name, registry) for name in registry.top if any(registry.below((name,)))]


def our_commands() -> list[Json]:
    """What Discord is told: every command with its options, and the menu of a message. One of a
    host's pack that is too large is left out, for Discord would refuse all of them."""
    made, large = fitting(payload(registry()))
    for name in large:
        log.warning(
            "Discord takes %s characters for a command, and %s has more: it is left out",
            MAX_COMMAND,
            name,
        )
    return [*made, *entries()]


def fitting(made: Sequence[Json]) -> tuple[list[Json], list[str]]:
    """Those that Discord takes, and the names of those that are too large."""
    large = [one["name"] for one in made if size(one) > MAX_COMMAND]
    return [one for one in made if one["name"] not in large], [f"/{name}" for name in large]


def entries() -> list[Json]:
    """The entries in the menu of a message as Discord takes them; they have no description."""
    return [
        {"name": name, "type": MESSAGE, "description": ""} | _offered(own_play=True)
        for name in ENTRIES
    ]


def _offered(*, own_play: bool) -> Json:
    types, contexts = INSTALLS[own_play]
    return {"integration_types": types, "contexts": contexts}


def for_servers(made: Json) -> Json:
    """A command as it is registered where nobody may add the application to their own account."""
    return made | {
        "integration_types": [0],
        "contexts": [one for one in made["contexts"] if one != BETWEEN_PEOPLE],
    }


def command(name: str, registry: Registry) -> Json:
    """One top-level command, its descriptions as long as 8,000 characters allow."""
    made = _command(name, registry, _LENGTHS[0])
    if size(made) <= MAX_COMMAND:
        return made
    shorter = _LENGTHS[1:-1]  # the shorter the descriptions may be, the smaller the whole
    at = bisect_left(
        shorter, True, key=lambda length: size(_command(name, registry, length)) <= MAX_COMMAND
    )
    return _command(name, registry, _LENGTHS[1 + at])


def size(made: Mapping[str, Any]) -> int:
    """The characters that count towards 8,000: names, descriptions, and choices, on every level."""
    own = len(made["name"]) + len(made.get("description", ""))
    own += sum(
        len(choice["name"]) + len(str(choice["value"])) for choice in made.get("choices", ())
    )
    return own + sum(size(option) for option in made.get("options", ()))


def _command(name: str, registry: Registry, length: int) -> Json:
    made: Json = {"name": name, "description": _cut(registry.about(name)), "type": 1}
    made |= _offered(own_play=any(not spec.needs_game for spec in registry.below((name,))))
    if name == "setup":
        made |= {"default_member_permissions": MANAGE_SERVER, "contexts": [IN_SERVERS]}
    if (spec := registry.get((name,))) is not None:
        return made | {"options": _options(spec, length)}
    return made | {"options": list(_children((name,), registry, length))}


def _children(path: Path, registry: Registry, length: int) -> Iterator[Json]:
    for word in registry.children(path):
        inner = (*path, word)
        spec = registry.get(inner)
        if spec is not None:
            about = _summary(spec, registry, length)
            yield {
                "type": SUBCOMMAND,
                "name": word,
                "description": about,
                "options": _options(spec, length),
            }
        else:
            options = list(_children(inner, registry, length))
            yield {
                "type": GROUP,
                "name": word,
                "description": word.replace("-", " "),
                "options": options,
            }


def _summary(spec: CommandSpec, registry: Registry, length: int) -> str:
    """What the command does, in at most `length` characters: its summary, the first sentence of
    it, or its title.
    """
    first = spec.summary.partition(". ")[0]
    title = registry.title(spec)
    return next(
        (text for text in (spec.summary, first, title) if text and len(text) <= length),
        _cut(title or first),
    )


def _options(spec: CommandSpec, length: int) -> list[Json]:
    return [_option(option, spec, length) for option in shown_options(spec)]


def _option(option: Option, spec: CommandSpec, length: int) -> Json:
    made: Json = {
        "type": option_type(option),
        "name": option.name,
        "description": _described(option, length),
    }
    if is_required(option, spec):
        made["required"] = True
    if made["type"] in (INTEGER, NUMBER):
        if option.min is not None and option.clamp not in ("low", "both"):
            made["min_value"] = option.min
        if option.max is not None and option.clamp not in ("high", "both"):
            made["max_value"] = option.max
    if made["type"] == ATTACHMENT and option.values:
        made["file_types"] = list(option.values)
    if made["type"] == STRING:
        if (
            option.type == "enum"
            and not (spec.system or option.complete)
            and len(option.values) <= MAX_CHOICES
        ):
            made["choices"] = [{"name": value, "value": value} for value in option.values]
        elif option.type in _COMPLETED or (option.complete and option.type != "int"):
            made["autocomplete"] = True
        elif option.type == "str":
            made["max_length"] = int(option.max or MAX_TEXT)
    return made


def option_type(option: Option) -> int:
    """Discord's type of an option."""
    if option.complete == "channel":
        return CHANNEL
    return _TYPES.get(option.type, STRING)


def _described(option: Option, length: int) -> str:
    """Its help with the default; where that is longer than `length`, the help alone, or its
    brief form.
    """
    default = (
        ""
        if option.default in (None, "") or option.type == "bool"
        else f" (default {option.default})"
    )
    text = option.help or (
        option.expected if option.type != "enum" else option.name.replace("_", " ")
    )
    brief = option.brief or text
    fitting = (text + default, text, brief + default, brief)
    return next((one for one in fitting if len(one) <= length), _cut(brief))


def _cut(text: str, length: int = MAX_DESCRIPTION) -> str:
    """At most `length` characters, ending at a word."""
    text = " ".join(text.split()) or "-"
    if len(text) <= length:
        return text
    kept = text[: length - 1]
    word_end = kept.rfind(" ")
    return (kept[:word_end] if word_end > length // 2 else kept).rstrip(" ,;:(") + "…"


def show_commands(words: Sequence[str]) -> int:
    """`grognard commands discord`: the registration as JSON; exit status 0. Raises UserError."""
    if list(words) != ["discord"]:
        raise UserError(
            "commands needs the platform.",
            hint="Type: grognard commands discord",
            code="bad-arguments",
        )
    gc.disable()  # it lives for a third of a second
    print(json.dumps(our_commands(), indent=1, ensure_ascii=False))
    return 0
