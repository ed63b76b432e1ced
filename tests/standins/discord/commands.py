"""The application's commands: what Discord accepts, and what is registered."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from tests.standins.discord.clock import Clock, Snowflakes
from tests.standins.discord.errors import ApiError, Json, Problems, check_file_types, not_found

SUBCOMMAND, GROUP, STRING, INTEGER, BOOLEAN, USER, CHANNEL = 1, 2, 3, 4, 5, 6, 7
ROLE, MENTIONABLE, NUMBER, ATTACHMENT = 8, 9, 10, 11
CHARACTERS = 8000
GLOBAL = 100
DAY = 86_400.0
KEPT = (
    "name",
    "description",
    "type",
    "options",
    "default_member_permissions",
    "nsfw",
    "contexts",
    "integration_types",
)


def good_name(name: object) -> bool:
    """True for 1-32 characters, letters, numbers, `-`, `_`, `'`, in lower case."""
    return (
        isinstance(name, str)
        and 1 <= len(name) <= 32
        and all(c in "-_'" or unicodedata.category(c)[0] in "LN" for c in name)
        and name == name.lower()
    )


def command_size(command: Json) -> int:
    """The characters that count towards 8,000: names, descriptions, and values of choices, at
    every level.
    """
    own = len(command["name"]) + len(command.get("description", ""))
    own += sum(len(c["name"]) + len(str(c["value"])) for c in command.get("choices") or [])
    return own + sum(command_size(option) for option in command.get("options") or [])


def check_command(problems: Problems, where: str, command: Json) -> None:
    """Note what is wrong with one command; `where` is its place in the body, with a dot at the
    end unless empty.
    """
    if 2 in (command.get("contexts") or ()) and 1 not in (command.get("integration_types") or (0,)):
        problems.add(
            f"{where}contexts",
            "APPLICATION_COMMAND_INVALID_CONTEXTS",
            "PRIVATE_CHANNEL needs USER_INSTALL",
        )
    if command.get("type", 1) != 1:
        problems.length(f"{where}name", command.get("name"), 1, 32)
        return
    before = len(problems.found)
    _check_names(problems, where, command)
    _check_level(problems, f"{where}options", command.get("options") or [], depth=0)
    bits = command.get("default_member_permissions")
    if bits is not None and not str(bits).isdigit():
        problems.add(
            f"{where}default_member_permissions", "NUMBER_TYPE_COERCE", "Value is not a number."
        )
    if len(problems.found) == before and (size := command_size(command)) > CHARACTERS:
        text = f"Command exceeds maximum size ({CHARACTERS}): {size}"
        problems.add(f"{where}name", "APPLICATION_COMMAND_TOO_LARGE", text)


def _check_names(problems: Problems, where: str, one: Json) -> None:
    if not good_name(one.get("name")):
        text = "Command name is invalid"
        problems.add(f"{where}name", "APPLICATION_COMMAND_INVALID_NAME", text)
    problems.length(f"{where}description", one.get("description"), 1, 100)


def _check_level(problems: Problems, where: str, options: list[Json], depth: int) -> None:
    problems.count(where, options, 0, 25)
    _check_duplicates(problems, where, [option.get("name") for option in options])
    kinds = {option.get("type") for option in options}
    branches = kinds & {SUBCOMMAND, GROUP}
    if branches and kinds - branches:
        text = "Sub-command and sub-command group option types are mutually exclusive to all other types"
        problems.add(where, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", text)
    optional = False
    for number, option in enumerate(options):
        at = f"{where}.{number}"
        if option.get("required") and optional:
            text = "Required options must be placed before non-required options"
            problems.add(at, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", text)
        optional = optional or not option.get("required")
        _check_option(problems, at, option, depth)


def _check_duplicates(problems: Problems, where: str, names: Iterable[object]) -> None:
    seen: set[object] = set()
    for number, name in enumerate(names):
        if name in seen:
            text = "Option name must be unique"
            problems.add(
                f"{where}.{number}", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", text
            )
        seen.add(name)


def _check_option(problems: Problems, where: str, option: Json, depth: int) -> None:
    _check_names(problems, f"{where}.", option)
    kind = option.get("type")
    if kind == GROUP and depth == 0:
        children = option.get("options") or []
        for number, child in enumerate(children):
            if child.get("type") != SUBCOMMAND:
                _bad_type(problems, f"{where}.options.{number}.type", (SUBCOMMAND,))
        _check_level(problems, f"{where}.options", children, depth=1)
    elif kind == SUBCOMMAND and depth <= 1:
        _check_level(problems, f"{where}.options", option.get("options") or [], depth=2)
    elif kind in (SUBCOMMAND, GROUP) or kind not in range(3, 12):
        _bad_type(problems, f"{where}.type", tuple(range(3, 12)))
    else:
        _check_value_option(problems, where, option)
        if "file_types" in option:
            check_file_types(problems, where, option["file_types"])
            if kind != ATTACHMENT:
                _bad_type(problems, f"{where}.type", (ATTACHMENT,))


def _bad_type(problems: Problems, where: str, allowed: tuple[int, ...]) -> None:
    problems.add(where, "BASE_TYPE_CHOICES", f"Value must be one of {set(allowed)}.")


def _check_value_option(problems: Problems, where: str, option: Json) -> None:
    kind, choices = option["type"], option.get("choices") or []
    if option.get("options"):
        problems.add(
            f"{where}.options", "APPLICATION_COMMAND_OPTIONS_INVALID", "This type has no options"
        )
    if (choices or option.get("autocomplete")) and kind not in (STRING, INTEGER, NUMBER):
        problems.add(
            where,
            "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID",
            "Only strings and numbers have choices",
        )
    if choices and option.get("autocomplete"):
        text = "Autocomplete and choices cannot both be set"
        problems.add(where, "APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES_EXCLUSIVE", text)
    if kind not in (INTEGER, NUMBER) and ("min_value" in option or "max_value" in option):
        problems.add(
            where, "APPLICATION_COMMAND_OPTIONS_MIN_VALUE_INVALID", "Only numbers have a range"
        )
    if kind != STRING and ("min_length" in option or "max_length" in option):
        problems.add(
            where, "APPLICATION_COMMAND_OPTIONS_MIN_LENGTH_INVALID", "Only strings have a length"
        )
    if not 0 <= (option.get("min_length") or 0) <= (option.get("max_length") or 6000) <= 6000:
        problems.add(
            f"{where}.max_length", "NUMBER_TYPE_MAX", "Must be between min_length and 6000."
        )
    check_choices(problems, f"{where}.choices", choices, kind)


def check_choices(problems: Problems, where: str, choices: list[Json], kind: int) -> None:
    """Note what is wrong with choices, fixed or from autocomplete, of an option of that type."""
    if len(choices) > 25:
        problems.add(where, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    for number, choice in enumerate(choices):
        at = f"{where}.{number}"
        problems.length(f"{at}.name", choice.get("name"), 1, 100)
        value = choice.get("value")
        if kind == STRING:
            problems.length(f"{at}.value", value, 1, 100)
        elif isinstance(value, bool) or not isinstance(
            value, int if kind == INTEGER else int | float
        ):
            problems.add(
                f"{at}.value",
                "NUMBER_TYPE_COERCE",
                f"Value {value!r} is not a number of the option's type.",
            )


class Commands:
    """What is registered, globally and per server, and how often that was written."""

    def __init__(self, clock: Clock, ids: Snowflakes, application: int, daily: int) -> None:
        self._clock, self._ids, self._application, self._daily = clock, ids, application, daily
        self._scopes: dict[int | None, dict[str, Json]] = {}
        self._creations: dict[int | None, list[float]] = {}
        # False: nobody may add the application to their account, and commands for that are refused.
        self.user_install = True
        self.writes: list[
            tuple[str, int | None]
        ] = []  # what was written, to which server (None: globally)

    def all(self, guild: int | None = None) -> list[Json]:
        """The commands of that scope."""
        return list(self._scopes.get(guild, {}).values())

    def find(self, name: str, guild: int | None) -> Json | None:
        """The command of that name a person sees in that server; a server's own goes first."""
        return self._scopes.get(guild, {}).get(name) or self._scopes.get(None, {}).get(name)

    def by_id(self, number: int, guild: int | None) -> Json:
        """One command. Raises ApiError 10063."""
        for command in self.all(guild):
            if command["id"] == str(number):
                return command
        raise not_found("application command", 10063)

    def overwrite(self, bodies: list[Json], guild: int | None) -> list[Json]:
        """Replace all commands of the scope; those whose name stays keep their id. Raises
        ApiError.
        """
        problems = Problems()
        for number, body in enumerate(bodies):
            check_command(problems, f"{number}.", body)
            if not self.user_install and 1 in (body.get("integration_types") or ()):
                problems.add(
                    f"{number}.integration_types", "BASE_TYPE_CHOICES", "Value must be one of {0}."
                )
        names = [body.get("name") for body in bodies]
        for number, name in enumerate(names):
            if name in names[:number]:
                text = "Application command names must be unique"
                problems.add(str(number), "APPLICATION_COMMANDS_DUPLICATE_NAME", text)
        problems.done()
        self._room(len(bodies))
        old = self._scopes.get(guild, {})
        self._count_creations(guild, sum(name not in old for name in names))
        self._scopes[guild] = {
            body["name"]: self._stored(body, guild, old.get(body["name"])) for body in bodies
        }
        self.writes.append(("overwrite", guild))
        return self.all(guild)

    def upsert(self, body: Json, guild: int | None) -> tuple[Json, bool]:
        """Create or replace by name; the command and whether it is new. Raises ApiError."""
        problems = Problems()
        check_command(problems, "", body)
        problems.done()
        scope = self._scopes.setdefault(guild, {})
        old = scope.get(body["name"])
        if old is None:
            self._room(len(scope) + 1)
            self._count_creations(guild, 1)
        scope[body["name"]] = self._stored(body, guild, old)
        self.writes.append(("upsert", guild))
        return scope[body["name"]], old is None

    def edit(self, number: int, body: Json, guild: int | None) -> Json:
        """Change one command. Raises ApiError."""
        old = self.by_id(number, guild)
        merged = {key: old[key] for key in KEPT if key in old} | body
        problems = Problems()
        check_command(problems, "", merged)
        problems.done()
        scope = self._scopes[guild]
        del scope[old["name"]]
        scope[merged["name"]] = self._stored(merged, guild, old)
        self.writes.append(("edit", guild))
        return scope[merged["name"]]

    def delete(self, number: int, guild: int | None) -> None:
        """Remove one command. Raises ApiError."""
        del self._scopes[guild][self.by_id(number, guild)["name"]]
        self.writes.append(("delete", guild))

    def _room(self, count: int) -> None:
        if count > GLOBAL:
            raise ApiError(400, 30032, f"Maximum number of application commands reached ({GLOBAL})")

    def creations(self, guild: int | None = None) -> int:
        """How many commands were created in the last day; what is overwritten under its old name
        is not.
        """
        return len(self._creations.get(guild, []))

    def _count_creations(self, guild: int | None, count: int) -> None:
        now = self._clock.now()
        recent = [at for at in self._creations.get(guild, []) if at > now - DAY] + [now] * count
        if len(recent) > self._daily:
            text = (
                f"Max number of daily application command creates has been reached ({self._daily})"
            )
            raise ApiError(400, 30034, text)
        self._creations[guild] = recent

    def _stored(self, body: Json, guild: int | None, old: Json | None) -> Json:
        stored: Json = {
            "id": old["id"] if old else str(self._ids.next()),
            "application_id": str(self._application),
            "version": str(self._ids.next()),
            "type": 1,
            "default_member_permissions": None,
            "nsfw": False,
            "contexts": None,
            "integration_types": [0],
            "dm_permission": True,
            "name_localizations": None,
            "description_localizations": None,
        }
        stored |= {key: body[key] for key in KEPT if key in body}
        if guild is not None:
            stored["guild_id"] = str(guild)
        return stored
