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
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.ui.registry import Registry, get_registry
from bot.ui.shown_options import is_required, list_shown_options
from bot.ui.spec import CommandSpec, Path

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


def build_payload(registry: Registry) -> list[Json]:
    """All commands as Discord's API takes them. Reads every game."""
    return [
        build_command(name, registry)
        for name in registry.top_names
        if any(registry.list_below((name,)))
    ]


def list_our_commands() -> list[Json]:
    """What Discord is told: every command with its options, and the menu of a message. One of a
    host's pack that is too large is left out, for Discord would refuse all of them."""
    made, large = split_by_size(build_payload(get_registry()))
    for name in large:
        log.warning(
            "Discord takes %s characters for a command, and %s has more: it is left out",
            MAX_COMMAND,
            name,
        )
    return [*made, *list_menu_entries()]


def split_by_size(made: Sequence[Json]) -> tuple[list[Json], list[str]]:
    """Those that Discord takes, and the names of those that are too large."""
    large = [one["name"] for one in made if measure_size(one) > MAX_COMMAND]
    return [one for one in made if one["name"] not in large], [f"/{name}" for name in large]


def list_menu_entries() -> list[Json]:
    """The entries in the menu of a message as Discord takes them; they have no description."""
    return [
        {"name": name, "type": MESSAGE, "description": ""} | _build_install_fields(own_play=True)
        for name in ENTRIES
    ]


def _build_install_fields(*, own_play: bool) -> Json:
    types, contexts = INSTALLS[own_play]
    return {"integration_types": types, "contexts": contexts}


def restrict_to_servers(made: Json) -> Json:
    """A command as it is registered where nobody may add the application to their own account."""
    return made | {
        "integration_types": [0],
        "contexts": [one for one in made["contexts"] if one != BETWEEN_PEOPLE],
    }


def build_command(name: str, registry: Registry) -> Json:
    """One top-level command, its descriptions as long as 8,000 characters allow."""
    made = _build_command(name, registry, _LENGTHS[0])
    if measure_size(made) <= MAX_COMMAND:
        return made
    shorter = _LENGTHS[1:-1]  # the shorter the descriptions may be, the smaller the whole
    at = bisect_left(
        shorter,
        True,
        key=lambda length: measure_size(_build_command(name, registry, length)) <= MAX_COMMAND,
    )
    return _build_command(name, registry, _LENGTHS[1 + at])


def measure_size(made: Mapping[str, Any]) -> int:
    """The characters that count towards 8,000: names, descriptions, and choices, on every level."""
    own = len(made["name"]) + len(made.get("description", ""))
    own += sum(
        len(choice["name"]) + len(str(choice["value"])) for choice in made.get("choices", ())
    )
    return own + sum(measure_size(option) for option in made.get("options", ()))


def _build_command(name: str, registry: Registry, length: int) -> Json:
    made: Json = {"name": name, "description": _cut(registry.describe_name(name)), "type": 1}
    made |= _build_install_fields(
        own_play=any(not spec.needs_game for spec in registry.list_below((name,)))
    )
    if name == "setup":
        made |= {"default_member_permissions": MANAGE_SERVER, "contexts": [IN_SERVERS]}
    if (spec := registry.get((name,))) is not None:
        return made | {"options": _build_options(spec, length)}
    return made | {"options": list(_build_children((name,), registry, length))}


def _build_children(path: Path, registry: Registry, length: int) -> Iterator[Json]:
    for word in registry.list_children(path):
        inner = (*path, word)
        spec = registry.get(inner)
        if spec is not None:
            about = _format_summary(spec, registry, length)
            yield {
                "type": SUBCOMMAND,
                "name": word,
                "description": about,
                "options": _build_options(spec, length),
            }
        else:
            options = list(_build_children(inner, registry, length))
            yield {
                "type": GROUP,
                "name": word,
                "description": word.replace("-", " "),
                "options": options,
            }


def _format_summary(spec: CommandSpec, registry: Registry, length: int) -> str:
    """What the command does, in at most `length` characters: its summary, the first sentence of
    it, or its title.
    """
    first = spec.summary.partition(". ")[0]
    title = registry.get_title(spec)
    return next(
        (text for text in (spec.summary, first, title) if text and len(text) <= length),
        _cut(title or first),
    )


def _build_options(spec: CommandSpec, length: int) -> list[Json]:
    return [_build_option(option, spec, length) for option in list_shown_options(spec)]


def _build_option(option: Option, spec: CommandSpec, length: int) -> Json:
    made: Json = {
        "type": get_option_type(option),
        "name": option.name,
        "description": _describe_option(option, length),
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


def get_option_type(option: Option) -> int:
    """Discord's type of an option."""
    if option.complete == "channel":
        return CHANNEL
    return _TYPES.get(option.type, STRING)


def _describe_option(option: Option, length: int) -> str:
    """Its help with the default; where that is longer than `length`, the help alone, or its
    brief form.
    """
    default = (
        ""
        if option.default in (None, "") or option.type == "bool"
        else f" (default {option.default})"
    )
    text = option.help or (
        option.expectation if option.type != "enum" else option.name.replace("_", " ")
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
    print(json.dumps(list_our_commands(), indent=1, ensure_ascii=False))
    return 0
