"""Our commands as Discord registers them, built from the registry and within Discord's limits.

A command may have 25 options and, with everything in it, 8,000 characters of names, descriptions
and choices. So the longest descriptions are replaced by brief ones until all fit, and flags beyond
25 are moved, from the end, into `mods`.
"""

import gc
import json
import logging
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adapters.discord.request import Json
from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.ui.registry import Registry
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
"""The kinds of installs (0 a server, 1 a person) and the contexts for which Discord offers a
command, by whether it works without a game.
"""
MESSAGE_MENU_COMMAND = 3
"""The type of a command in the menu of a message."""
ENTRIES = {"Odds of this": "odds", "Undo this": "undo"}
"""The entries in the menu of a message, with the button of the message that each one presses."""
_TYPES = {"int": INTEGER, "number": NUMBER, "bool": BOOLEAN, "file": ATTACHMENT}
_COMPLETED = ("units", "unit", "mods", "dice", "enum")
"""Option types for which Discord asks us for suggestions."""
_LENGTHS = range(MAX_DESCRIPTION, 9, -1)
"""Maximum lengths of descriptions that are tried, from the longest."""


def build_payload(registry: Registry) -> list[Json]:
    """Build all commands of a registry as Discord's API takes them. Reads every game."""
    return [
        build_command(name, registry)
        for name in registry.top_names
        if any(registry.list_below((name,)))
    ]


def list_our_commands() -> list[Json]:
    """List what is registered with Discord: every command with its options, and the entries in the
    menu of a message.

    A command of a host's pack that is too large is left out with a warning in the log, because
    Discord would refuse the whole list.
    """
    commands, too_large = split_by_size(build_payload(load_shared_registry()))
    for name in too_large:
        log.warning(
            "Discord takes %s characters for a command, and %s has more: it is left out",
            MAX_COMMAND,
            name,
        )
    return [*commands, *list_menu_entries()]


def split_by_size(commands: Sequence[Json]) -> tuple[list[Json], list[str]]:
    """Return the commands that Discord takes, and the names, with a slash, of those that are too
    large.
    """
    too_large = [command["name"] for command in commands if measure_size(command) > MAX_COMMAND]
    fitting = [command for command in commands if command["name"] not in too_large]
    return fitting, [f"/{name}" for name in too_large]


def list_menu_entries() -> list[Json]:
    """List the entries in the menu of a message as Discord takes them, without descriptions."""
    install_fields = _build_install_fields(own_play=True)
    return [
        {"name": name, "type": MESSAGE_MENU_COMMAND, "description": ""} | install_fields
        for name in ENTRIES
    ]


def _build_install_fields(*, own_play: bool) -> Json:
    types, contexts = INSTALLS[own_play]
    return {"integration_types": types, "contexts": contexts}


def restrict_to_servers(command: Json) -> Json:
    """Copy a command for servers alone, for an application that nobody may add to their own
    account.
    """
    contexts = [context for context in command["contexts"] if context != BETWEEN_PEOPLE]
    return command | {"integration_types": [0], "contexts": contexts}


def build_command(name: str, registry: Registry) -> Json:
    """Build one top-level command, with descriptions as long as 8,000 characters allow."""
    command = _build_command(name, registry, _LENGTHS[0])
    if measure_size(command) <= MAX_COMMAND:
        return command

    def fits(length: int) -> bool:
        return measure_size(_build_command(name, registry, length)) <= MAX_COMMAND

    # the shorter the descriptions may be, the smaller the command
    index = bisect_left(_LENGTHS[1:-1], True, key=fits)
    return _build_command(name, registry, _LENGTHS[1 + index])


def measure_size(part: Mapping[str, Any]) -> int:
    """Return how many characters of a command or option count towards the 8,000: names,
    descriptions and choices, on every level.
    """
    size = len(part["name"]) + len(part.get("description", ""))
    for choice in part.get("choices", ()):
        size += len(choice["name"]) + len(str(choice["value"]))
    return size + sum(measure_size(option) for option in part.get("options", ()))


def _build_command(name: str, registry: Registry, length: int) -> Json:
    """Build one top-level command whose descriptions, except its own, have at most `length`
    characters.
    """
    command: Json = {"name": name, "description": _cut(registry.describe_name(name)), "type": 1}
    own_play = any(not spec.needs_game for spec in registry.list_below((name,)))
    command |= _build_install_fields(own_play=own_play)
    if name == "setup":
        command |= {"default_member_permissions": MANAGE_SERVER, "contexts": [IN_SERVERS]}
    spec = registry.get((name,))
    if spec is not None:
        return command | {"options": _build_options(spec, length)}
    return command | {"options": list(_build_children((name,), registry, length))}


def _build_children(path: Path, registry: Registry, length: int) -> Iterator[Json]:
    """Yield the subcommands and groups directly below `path`."""
    for word in registry.list_children(path):
        inner = (*path, word)
        spec = registry.get(inner)
        if spec is not None and spec.is_for_bot:
            continue
        if spec is not None:
            yield {
                "type": SUBCOMMAND,
                "name": word,
                "description": _format_summary(spec, registry, length),
                "options": _build_options(spec, length),
            }
        else:
            yield {
                "type": GROUP,
                "name": word,
                "description": word.replace("-", " "),
                "options": list(_build_children(inner, registry, length)),
            }


def _format_summary(spec: CommandSpec, registry: Registry, length: int) -> str:
    """Describe a command in at most `length` characters: by its summary, the summary's first
    sentence, or its title.

    If none of them fits, cut the title to MAX_DESCRIPTION.
    """
    first_sentence = spec.summary.partition(". ")[0]
    title = registry.get_title(spec)
    for text in (spec.summary, first_sentence, title):
        if text and len(text) <= length:
            return text
    return _cut(title or first_sentence)


def _build_options(spec: CommandSpec, length: int) -> list[Json]:
    return [_build_option(option, spec, length) for option in list_shown_options(spec)]


def _build_option(option: Option, spec: CommandSpec, length: int) -> Json:
    """Build an option of a command, described in at most `length` characters if possible."""
    kind = get_option_type(option)
    payload: Json = {
        "type": kind,
        "name": option.name,
        "description": _describe_option(option, length),
    }
    if is_required(option, spec):
        payload["required"] = True
    if kind in (INTEGER, NUMBER):
        payload |= _build_bounds(option)
    if kind == ATTACHMENT and option.values:
        payload["file_types"] = list(option.values)
    if kind == STRING:
        payload |= _build_text_fields(option, spec)
    return payload


def _build_bounds(option: Option) -> Json:
    """Return the bounds of a number that Discord checks. Only options for numbers have them.

    A bound to which larger or smaller values are moved is left out.
    """
    bounds: Json = {}
    if option.min is not None and option.clamp not in ("low", "both"):
        bounds["min_value"] = option.min
    if option.max is not None and option.clamp not in ("high", "both"):
        bounds["max_value"] = option.max
    return bounds


def _build_text_fields(option: Option, spec: CommandSpec) -> Json:
    """Return the fields of an option that say what it takes: its choices, that it has suggestions,
    or the maximum length of a text. {} if none of these fits.
    """
    has_fixed_values = option.type == "enum" and not (spec.system or option.complete)
    if has_fixed_values and len(option.values) <= MAX_CHOICES:
        return {"choices": [{"name": value, "value": value} for value in option.values]}
    if option.type in _COMPLETED or (option.complete and option.type != "int"):
        return {"autocomplete": True}
    if option.type == "str":
        return {"max_length": int(option.max or MAX_TEXT)}
    return {}


def get_option_type(option: Option) -> int:
    """Return Discord's type of an option."""
    if option.complete == "channel":
        return CHANNEL
    return _TYPES.get(option.type, STRING)


def _describe_option(option: Option, length: int) -> str:
    """Describe an option in at most `length` characters: by its help or its brief help, with the
    default value if that fits.

    If nothing fits, cut the brief help to MAX_DESCRIPTION.
    """
    default = ""
    if option.default not in (None, "") and option.type != "bool":
        default = f" (default {option.default})"
    text = option.help
    if not text:
        text = option.name.replace("_", " ") if option.type == "enum" else option.expectation
    brief = option.brief or text
    for description in (text + default, text, brief + default, brief):
        if len(description) <= length:
            return description
    return _cut(brief)


def _cut(text: str, length: int = MAX_DESCRIPTION) -> str:
    """Cut a text at a word, if that leaves at least half of it, so that it has at most `length`
    characters. Return "-" for an empty text.
    """
    text = " ".join(text.split()) or "-"
    if len(text) <= length:
        return text
    start = text[: length - 1]
    word_end = start.rfind(" ")
    if word_end > length // 2:
        start = start[:word_end]
    return start.rstrip(" ,;:(") + "…"


def show_commands(words: Sequence[str]) -> int:
    """Print the commands as registered with Discord, as JSON (`grognard commands discord`).

    Return the exit status 0. Raises UserError for other words than "discord".
    """
    if list(words) != ["discord"]:
        raise UserError(
            "commands needs the platform.",
            hint="Type: grognard commands discord",
            code="bad-arguments",
        )
    gc.disable()  # the process ends in a third of a second
    print(json.dumps(list_our_commands(), indent=1, ensure_ascii=False))
    return 0
