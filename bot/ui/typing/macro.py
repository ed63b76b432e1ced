"""Macros: saved commands with gaps, such as `roll {n=1}d10>=8`, and the commands that they run.

A macro is split into words before its gaps are filled, so that what fills one stays one value,
whatever it holds.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import CHOSEN, Option, clean
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.ui.registry import TABLE, Registry
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import (
    ParsedCommand,
    Token,
    list_command_words,
    quote_value,
    read_tokens,
    tokenize,
)

OWN_OPTIONS = ("name", "values")
"""Options of `/macro run` itself; no gap can have these names."""
MOST_GAPS = 5
"""Maximum number of gaps: forms of all platforms have a field for each."""
LONGEST = 600
"""Maximum number of characters of a macro."""
FAMILIES = ("roll", "lookup", "sequence", "log", "again")
PATHS = (
    *(("unit", name) for name in ("add", "edit", "remove", "list", "show")),
    *(("track", name) for name in ("show", "set")),
    *(("deck", name) for name in ("draw", "discard", "shuffle", "show")),
    *(
        ("game", name)
        for name in ("next", "pass", "initiative", "status", "board", "plan", "stats")
    ),
)
"""Commands that a macro may hold as well as those of FAMILIES: play, and nothing that deletes,
chooses or reveals for good.
"""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,23}")
_GAP = re.compile(r"\{([A-Za-z][A-Za-z0-9_]{0,23})(?:=([^{}]*))?\}")
_TYPED_AS = ("int", "number", "enum", "str", "units", "unit", "dice")


class Gap(NamedTuple):
    """A gap of a macro: its name, and the value that fills it by default (None: there is none)."""

    name: str
    default: str | None = None


class Macro(NamedTuple):
    """A saved command. `shared`: everybody on the server can run it."""

    name: str
    text: str
    shared: bool = False

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The gaps in their order. A gap that occurs twice is listed once, with its first default."""
        gaps: dict[str, Gap] = {}
        for match in _GAP.finditer(self.text):
            name = match[1].casefold()
            default = match[2].strip() if match[2] is not None else None
            if name not in gaps or (gaps[name].default is None and default is not None):
                gaps[name] = Gap(name, default)
        return tuple(gaps.values())

    @property
    def example(self) -> str:
        """The command that runs the macro: `/macro run h n=1`."""
        gaps = (
            f"{gap.name}={quote_value(gap.default or '...')}"
            for gap in self.gaps
            if gap.default != ""
        )
        return " ".join(["/macro run", self.name, *gaps])

    def read_gap_values(self, options: Mapping[str, object]) -> dict[str, str]:
        """Return the values of the gaps, by name, from the options of `/macro run`.

        A form sets an option for each gap. The line `values` names gaps, or fills the free ones in
        their order. Raises UserError for more values than gaps, and for an unknown name.
        """
        gaps = [gap.name for gap in self.gaps]
        values = {name: str(options[name]) for name in gaps if options.get(name) not in (None, "")}
        for token in tokenize(str(options.get("values") or "")):
            name = token.key or next((gap for gap in gaps if gap not in values), "")
            if name not in gaps:
                raise self._build_gap_error(token)
            if name in values:
                raise UserError(
                    f"{name} is given twice.",
                    hint="Give it once.",
                    option="values",
                    code="given-twice",
                )
            values[name] = token.value
        return values

    def _build_gap_error(self, token: Token) -> UserError:
        """Return the error for a value in `values` that no gap takes."""
        gaps = [gap.name for gap in self.gaps]
        if not token.key or not gaps:
            inventory = "no gaps"
            if gaps:
                noun = "gaps" if len(gaps) > 1 else "gap"
                inventory = f"only the {noun} {', '.join(gaps)}"
            message = f'"{token.value[:40]}" is left over: the macro {self.name} has {inventory}.'
            return UserError(message, option="values", code="unknown-option")
        hint = did_you_mean(token.key, gaps) or f"It has {', '.join(gaps)}."
        message = f'The macro {self.name} has no gap "{token.key}".'
        return UserError(message, hint=hint, option="values", code="unknown-option")

    def list_missing_gaps(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """Return the gaps that have no default and no value in `values`."""
        return tuple(
            gap.name for gap in self.gaps if gap.default is None and not values.get(gap.name)
        )

    def build_command(self, values: Mapping[str, str], registry: Registry) -> ParsedCommand:
        """Return the command with its gaps filled by `values` and defaults.

        Raises UserError if a gap stays empty, or if the command cannot be parsed or is none that a
        macro may hold.
        """
        missing = self.list_missing_gaps(values)
        if missing:
            message = f"The macro {self.name} needs {' and '.join(missing)}."
            hint = phrase("For example: `{example}`", example=self.example)
            raise UserError(message, hint=hint, option=missing[0], code="missing")
        filled = {gap.name: values.get(gap.name) or gap.default or "" for gap in self.gaps}
        return self._parse_filled(filled, registry)

    def _parse_filled(self, filled: Mapping[str, str], registry: Registry) -> ParsedCommand:
        """Return the command with each gap filled by its value in `filled`; a token that is empty
        then is dropped.

        Raises UserError if it cannot be parsed, and for a command that a macro may not hold: see
        FAMILIES and PATHS, and none that asks a side in its middle or deals cards to a hand.
        """
        tokens = tokenize(_GAP.sub(lambda match: f"{{{match[1].casefold()}}}", self.text))
        spec, word_count = registry.find(list_command_words(tokens))
        hint = "Rolls, tables, combat sequences, units, the log and the turns of a game can."
        refusal = UserError(
            f"{spec.name} cannot be a macro.", hint=hint, option="text", code="not-in-macro"
        )
        if spec.family not in FAMILIES and spec.path not in PATHS:
            raise refusal
        if any(option.complete == CHOSEN for option in spec.options):
            message = f"{spec.name} asks a side to choose partway through, so it cannot be a macro."
            raise UserError(message, option="text", code="not-in-macro")
        filled_tokens = [_fill_token(token, filled) for token in tokens[word_count:]]
        options = read_tokens(spec, [token for token in filled_tokens if token is not None])
        is_to_hand = spec.path[0] == "deck" and options.get("to", "play") != "play"
        if is_to_hand:  # only the player may see those cards
            raise refusal
        return ParsedCommand(spec, options)

    def build_form_spec(self, run: CommandSpec, registry: Registry) -> CommandSpec:
        """Return `run`, the spec of `/macro run`, with an option for each gap.

        A gap that is the whole value of an option is asked for as that option; any other gap as
        text.
        """
        gaps = self.gaps
        parsed = self._parse_filled({gap.name: f"{{{gap.name}}}" for gap in gaps}, registry)
        spec = parsed.spec
        options_by_value = {
            str(value): spec.find_option(name) for name, value in parsed.options.items()
        }
        options = tuple(
            _build_gap_option(gap, options_by_value.get(f"{{{gap.name}}}")) for gap in gaps
        )
        return run._replace(options=options, title=f"Macro {self.name}", verb=spec.verb or "Run it")

    def check(self, registry: Registry) -> CommandSpec:
        """Return the spec of the macro's command. Raises UserError for everything that is wrong
        with the macro whatever fills its gaps.
        """
        gaps = self.gaps
        self._check_gaps(gaps)
        placeholders = {gap.name: f"{{{gap.name}}}" for gap in gaps}
        spec = self._parse_filled(placeholders, registry).spec
        defaults = {gap.name: gap.default for gap in gaps if gap.default is not None}
        parsed = self._parse_filled({**placeholders, **defaults}, registry)
        for name, value in parsed.options.items():
            option = spec.find_option(name)
            has_gap = any(placeholder in str(value) for placeholder in placeholders.values())
            if option is not None and not has_gap:
                clean(option, value)
        return spec

    def _check_gaps(self, gaps: tuple[Gap, ...]) -> None:
        """Raise UserError for a gap that is not written as one or has a reserved name, or if there
        are too many.
        """
        if set(_GAP.sub("", self.text)) & set("{}"):
            raise _build_error(
                "Write a gap as {name} or {name=default}; the name can have letters and digits."
            )
        if len(gaps) > MOST_GAPS:
            raise UserError(
                f"A macro can have at most {MOST_GAPS} gaps.", option="text", code="too-many"
            )
        for gap in gaps:
            if gap.name in OWN_OPTIONS:
                raise _build_error(
                    f"A gap cannot be called {gap.name}, because macro run has an option with that name."
                )


def clean_macro_name(typed: str, command_names: tuple[str, ...]) -> str:
    """Return the name of a macro as it is stored, in lower case.

    Raises UserError for a name of more than 24 characters, with others than letters a to z, digits,
    - and _, or with - or _ as the first, and for one of `command_names`.
    """
    name = comparison_key(typed)
    if not _NAME.fullmatch(name):
        hint = "A name can have up to 24 letters (a to z), digits, - and _, without spaces: h, mg-fire."
        raise UserError(
            f'"{name[:40]}" cannot be the name of a macro.',
            hint=hint,
            option="name",
            code="bad-name",
        )
    if name in command_names:
        raise UserError(
            f"{name} is a command.", hint="Choose another name.", option="name", code="name-taken"
        )
    return name


def clean_macro_text(typed: str) -> str:
    """Return the text of a macro as it is stored: one line, without a slash. Raises UserError for
    one that is empty or too long.
    """
    one_line = " ".join(clean_name(typed, LONGEST + 2).split())
    text = one_line.removeprefix("/").strip()
    if not text:
        raise UserError(
            "Which command?", hint="For example: roll {n=1}d10>=8", option="text", code="missing"
        )
    if len(text) > LONGEST:
        raise UserError(
            f"A macro can have at most {LONGEST} characters.", option="text", code="too-long"
        )
    return text


def _build_error(message: str) -> UserError:
    return UserError(message, hint="For example: roll {n=1}d10>=8", option="text", code="bad-value")


def _fill_token(token: Token, filled: Mapping[str, str]) -> Token | None:
    """Return the token with its gaps filled, or None if it is empty then.

    A filled token counts as quoted: what fills it stays one value, whatever it holds.
    """
    if not _GAP.search(token.value):
        return token
    value = _GAP.sub(lambda match: filled[match[1]], token.value)
    return token._replace(value=value, quoted=True) if value else None


def _build_gap_option(gap: Gap, option: Option | None) -> Option:
    """Return the option by which a form asks for a gap, with the gap's name and default: like
    `option`, which the gap fills, or a text if that is None or of a type that a form cannot ask
    for. No unit brings its value.
    """
    if option is None or option.type not in _TYPED_AS:
        option = Option(gap.name, "str", label=gap.name)
    option = replace(option, name=gap.name, label=option.display_name, brings="", lends={})
    return replace(option, default=gap.default, optional=gap.default is not None)


def list_macro_names(macros: Iterable[Macro], typed: str) -> Iterator[tuple[str, str]]:
    """Yield (text shown, name) of each macro with a name or text that holds what was typed; those
    with names that begin so come first.
    """
    part = comparison_key(typed)
    matches = [
        macro
        for macro in macros
        if part in comparison_key(macro.name) or part in comparison_key(macro.text)
    ]
    for macro in sorted(matches, key=lambda macro: not macro.name.startswith(part)):
        yield f"{macro.name}: {macro.text}", macro.name


def complete_gap_values(
    macros: Iterable[Macro], name: str, typed: str
) -> Iterator[tuple[str, str]]:
    """Yield the values typed so far with one more gap of the macro `name`, and its default: `n=1`.
    None for an unknown macro, or once the last gap has its equals sign.

    Each is a pair of the same text twice: shown, and value.
    """
    macro = next((macro for macro in macros if macro.name == comparison_key(name)), None)
    if macro is None:
        return
    earlier, space, part = typed.rpartition(" ")
    if "=" in part:
        return
    filled = {word.partition("=")[0] for word in earlier.split()}
    for gap in macro.gaps:
        if gap.name not in filled and gap.name.startswith(comparison_key(part)):
            value = quote_value(gap.default) if gap.default else ""
            line = f"{earlier}{space}{gap.name}={value}"
            yield line, line


def complete_command(registry: Registry, typed: str) -> list[str]:
    """Return commands that a macro may hold: those of a game once its id is typed, or if there are
    none, some general ones and the names of the games and their tables.

    They are not filtered by the rest of `typed`.
    """
    start = typed.strip().removeprefix("/")
    games = [game for game in registry.games.values() if start.startswith(game.id)]
    commands = [f"{game.id} {id}" for game in games for id in game.sequences]
    commands += [f"{game.id}{TABLE} {id}" for game in games for id in game.tables]
    for game in games:
        if f"{game.id}{TABLE}" in typed:
            ids = list(game.tables)
            names = [name for name in game.table_names if name not in ids]
            commands += [f"{game.id}{TABLE} {name}" for name in names]
    if commands:
        return commands
    tables = [f"{id}{TABLE}" for id in registry.games]
    return ["roll", "log", "again", *registry.games, *tables]
