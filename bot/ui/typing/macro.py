"""Macros: saved commands with gaps, such as `roll {n=1}d10>=8`, and the command that one comes to.

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
"""Options of `/macro run` itself, which no gap can be called."""
MOST_GAPS = 5
"""What a form has fields for on every platform."""
LONGEST = 600
"""Characters of a macro."""
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
"""What a macro may do, beside these families: play, and nothing that deletes, chooses or reveals
for good.
"""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,23}")
_GAP = re.compile(r"\{([A-Za-z][A-Za-z0-9_]{0,23})(?:=([^{}]*))?\}")
_TYPED_AS = ("int", "number", "enum", "str", "units", "unit", "dice")


class Gap(NamedTuple):
    """A gap by its name; `default` fills it where nothing is given, None: it has to be."""

    name: str
    default: str | None = None


class Macro(NamedTuple):
    """A saved command; `shared` where everybody on the server has it."""

    name: str
    text: str
    shared: bool = False

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Its gaps in their order; one that occurs twice is filled once."""
        found: dict[str, Gap] = {}
        for name, default in (
            (match[1].casefold(), match[2]) for match in _GAP.finditer(self.text)
        ):
            if name not in found or (found[name].default is None and default is not None):
                found[name] = Gap(name, default.strip() if default is not None else None)
        return tuple(found.values())

    @property
    def example(self) -> str:
        """How it is run: `/macro run h n=1`."""
        gaps = (
            f"{gap.name}={quote_value(gap.default or '...')}"
            for gap in self.gaps
            if gap.default != ""
        )
        return " ".join(["/macro run", self.name, *gaps])

    def read_gap_values(self, options: Mapping[str, object]) -> dict[str, str]:
        """What fills its gaps, by name: from the line `values` in their order or by name, and from
        a form, by name.

        Raises UserError for more than it has gaps, or another name.
        """
        gaps = [gap.name for gap in self.gaps]
        filled = {
            name: str(value) for name in gaps if (value := options.get(name)) not in (None, "")
        }
        for token in tokenize(str(options.get("values") or "")):
            name = token.key or next((gap for gap in gaps if gap not in filled), "")
            if name not in gaps:
                raise self._build_gap_error(token)
            if name in filled:
                raise UserError(
                    f"{name} is given twice.",
                    hint="Give it once.",
                    option="values",
                    code="given-twice",
                )
            filled[name] = token.value
        return filled

    def _build_gap_error(self, token: Token) -> UserError:
        gaps = [gap.name for gap in self.gaps]
        if not token.key or not gaps:
            holds = (
                f"only the gaps {', '.join(gaps)}"
                if len(gaps) > 1
                else f"only the gap {gaps[0]}"
                if gaps
                else ""
            )
            said = f'"{token.value[:40]}" is left over: the macro {self.name} has {holds or "no gaps"}.'
            return UserError(said, option="values", code="unknown-option")
        hint = did_you_mean(token.key, gaps) or f"It has {', '.join(gaps)}."
        what = f'The macro {self.name} has no gap "{token.key}".'
        return UserError(what, hint=hint, option="values", code="unknown-option")

    def list_missing_gaps(self, given: Mapping[str, str]) -> tuple[str, ...]:
        """Gaps without a default that nothing fills."""
        return tuple(
            gap.name for gap in self.gaps if gap.default is None and not given.get(gap.name)
        )

    def build_command(self, given: Mapping[str, str], registry: Registry) -> ParsedCommand:
        """The command with its gaps filled. Raises UserError where one is not, or the command
        cannot be read.
        """
        if lacks := self.list_missing_gaps(given):
            what = f"The macro {self.name} needs {' and '.join(lacks)}."
            hint = phrase("For example: `{example}`", example=self.example)
            raise UserError(what, hint=hint, option=lacks[0], code="missing")
        filled = {gap.name: given.get(gap.name) or gap.default or "" for gap in self.gaps}
        return self._parse_filled(filled, registry)

    def _parse_filled(self, filled: Mapping[str, str], registry: Registry) -> ParsedCommand:
        tokens = tokenize(_GAP.sub(lambda found: f"{{{found[1].casefold()}}}", self.text))
        spec, used = registry.find(list_command_words(tokens))
        hint = "Rolls, tables, combat sequences, units, the log and the turns of a game can."
        refused = UserError(
            f"{spec.name} cannot be a macro.", hint=hint, option="text", code="not-in-macro"
        )
        if spec.family not in FAMILIES and spec.path not in PATHS:
            raise refused
        if any(option.complete == CHOSEN for option in spec.options):
            what = f"{spec.name} asks a side in its middle, so it cannot be a macro."
            raise UserError(what, option="text", code="not-in-macro")
        read = read_tokens(
            spec, [kept for token in tokens[used:] if (kept := _fill_token(token, filled))]
        )
        if spec.path[0] == "deck" and read.get("to", "play") != "play":  # what one alone may see
            raise refused
        return ParsedCommand(spec, read)

    def build_form_spec(self, run: CommandSpec, registry: Registry) -> CommandSpec:
        """`/macro run` with an option for each gap, which is asked for as what it fills is."""
        read = self._parse_filled({gap.name: f"{{{gap.name}}}" for gap in self.gaps}, registry)
        whole = {str(value): read.spec.find_option(name) for name, value in read.options.items()}
        options = tuple(_build_gap_option(gap, whole.get(f"{{{gap.name}}}")) for gap in self.gaps)
        return run._replace(
            options=options, title=f"Macro {self.name}", verb=read.spec.verb or "Run it"
        )

    def check(self, registry: Registry) -> CommandSpec:
        """The command that it runs, once all that can be known of it before is right. Raises
        UserError.
        """
        gaps = self.gaps
        if set(_GAP.sub("", self.text)) & set("{}"):
            raise _build_error(
                "A gap is written {name} or {name=default}, with a name of letters and digits."
            )
        if len(gaps) > MOST_GAPS:
            raise UserError(
                f"A macro has at most {MOST_GAPS} gaps.", option="text", code="too-many"
            )
        for gap in gaps:
            if gap.name in OWN_OPTIONS:
                raise _build_error(
                    f"No gap can be called {gap.name}: that is an option of macro run."
                )
        read = self._parse_filled({gap.name: f"{{{gap.name}}}" for gap in gaps}, registry)
        defaults = {gap.name: gap.default for gap in gaps if gap.default is not None}
        tried = self._parse_filled(
            {gap.name: defaults.get(gap.name, f"{{{gap.name}}}") for gap in gaps}, registry
        )
        for name, value in tried.options.items():
            option = read.spec.find_option(name)
            if option is not None and not any(f"{{{gap.name}}}" in str(value) for gap in gaps):
                clean(option, value)
        return read.spec


def clean_macro_name(typed: str, taken: tuple[str, ...]) -> str:
    """A name as it is kept. Raises UserError for one that cannot be, or that is a command's:
    `taken`.
    """
    name = comparison_key(typed)
    if not _NAME.fullmatch(name):
        hint = "A name has up to 24 letters a to z and digits, - and _, without spaces: h, mg-fire."
        raise UserError(
            f'"{name[:40]}" cannot name a macro.', hint=hint, option="name", code="bad-name"
        )
    if name in taken:
        raise UserError(
            f"{name} is a command.", hint="Choose another name.", option="name", code="name-taken"
        )
    return name


def clean_macro_text(typed: str) -> str:
    """A macro's text as it is kept: one line. Raises UserError for one that is empty or too
    long.
    """
    text = " ".join(clean_name(typed, LONGEST + 2).split()).removeprefix("/").strip()
    if not text:
        raise UserError(
            "Which command?", hint="For example: roll {n=1}d10>=8", option="text", code="missing"
        )
    if len(text) > LONGEST:
        raise UserError(
            f"A macro has at most {LONGEST} characters.", option="text", code="too-long"
        )
    return text


def _build_error(said: str) -> UserError:
    return UserError(said, hint="For example: roll {n=1}d10>=8", option="text", code="bad-value")


def _fill_token(token: Token, filled: Mapping[str, str]) -> Token | None:
    """The word with its gaps filled, which is then a value whatever is in it; None where that
    leaves nothing.
    """
    if not _GAP.search(token.value):
        return token
    value = _GAP.sub(lambda found: filled[found[1]], token.value)
    return token._replace(value=value, quoted=True) if value else None


def _build_gap_option(gap: Gap, option: Option | None) -> Option:
    """The option that a form asks for a gap."""
    if option is None or option.type not in _TYPED_AS:
        option = Option(gap.name, "str", label=gap.name)
    option = replace(option, name=gap.name, label=option.display_name, brings="", lends={})
    return replace(option, default=gap.default, optional=gap.default is not None)


def list_macro_names(macros: Iterable[Macro], typed: str) -> Iterator[tuple[str, str]]:
    """What is shown and the name, of each macro that fits: those whose names begin so first."""
    part = comparison_key(typed)
    found = [
        macro
        for macro in macros
        if part in comparison_key(macro.name) or part in comparison_key(macro.text)
    ]
    for macro in sorted(found, key=lambda macro: not macro.name.startswith(part)):
        yield f"{macro.name}: {macro.text}", macro.name


def complete_gap_values(
    macros: Iterable[Macro], name: str, typed: str
) -> Iterator[tuple[str, str]]:
    """The line so far with one more gap of this macro: `n=1`, with its default."""
    macro = next((macro for macro in macros if macro.name == comparison_key(name)), None)
    if macro is None:
        return
    before, space, part = typed.rpartition(" ")
    named = {word.partition("=")[0] for word in before.split()}
    for gap in macro.gaps:
        if gap.name not in named and gap.name.startswith(comparison_key(part)) and "=" not in part:
            line = f"{before}{space}{gap.name}={quote_value(gap.default) if gap.default else ''}"
            yield line, line


def complete_command(registry: Registry, typed: str) -> list[str]:
    """Commands that a macro is likely made of; those of one game once it is named."""
    games = [
        game
        for game in registry.games.values()
        if typed.strip().removeprefix("/").startswith(game.id)
    ]
    below = [f"{game.id} {id}" for game in games for id in game.sequences]
    below += [f"{game.id}{TABLE} {id}" for game in games for id in game.tables]
    below += [
        f"{game.id}{TABLE} {name}"
        for game in games
        if f"{game.id}{TABLE}" in typed
        for name in game.table_names
        if name not in list(game.tables)
    ]
    return below or [
        "roll",
        "log",
        "again",
        *registry.games,
        *(f"{id}{TABLE}" for id in registry.games),
    ]
