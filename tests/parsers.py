"""Every hand-written parser of typed text, and pieces of the syntax that they read.

A function of `bot/` or `adapters/` that needs nothing but a text is found by itself. One that needs
more is in `PARSERS`, with what it needs; each kind of option, and each way to complete one, comes
out of the registry.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import cache, partial
from types import FunctionType
from typing import cast

from bot.commands.dispatch import load_shared_registry
from bot.game.roster_file import read_roster
from bot.packs.importing.detect_format import import_tables
from bot.rules.declared.compile_context import Setting
from bot.rules.declared.formulas import Formulas
from bot.rules.expression.model import MAX_LENGTH as MAX_EXPRESSION
from bot.rules.expression.sum_parser import parse as parse_dice
from bot.rules.inputs.options import CLEANERS, MAX_TEXT, Option, OptionType, clean
from bot.rules.inputs.unit_selectors import AskingSide, expand_list, list_names, list_units
from bot.rules.inputs.units import RosterUnit, UnitWords, find_unit, index_by_name, parse_units
from bot.rules.tables.formula import LONGEST as MAX_FORMULA
from bot.rules.tables.formula import compile_formula
from bot.rulesets.catalog import find_shared_system
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import parse_text, salvage_command
from bot.ui.typing.complete import CompletionContext, complete_option
from bot.ui.typing.macro import Macro
from bot.verification.export_format import extract_export, read_json
from bot.verification.proof import read_heads
from tests.patterns import modules

Parser = Callable[[str], object]

PIECES = (
    *(
        "a",
        "1",
        " ",
        "\n",
        ",",
        ";",
        ":",
        "=",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "'",
        '"',
        "\u201c",
        "\u201d",
    ),
    *(
        "`",
        "*",
        "_",
        "~",
        "|",
        "/",
        "\\",
        "-",
        "+",
        ".",
        "#",
        "@",
        "&",
        "%",
        "!",
        "?",
        "$",
        "\t",
        "\u200b",
        "\u05d0",
    ),
    *(
        "a,",
        "a;",
        "a ",
        "a=",
        "1,",
        "1 ",
        "a=1 ",
        "a=1,",
        "1..",
        "1-",
        "-a ",
        "+a ",
        "all ",
        "side:",
        "side:a ",
    ),
    *(
        "1d6",
        "1d6+",
        "d6(",
        "(1",
        "((",
        "2x",
        "x2,",
        "not ",
        "a or ",
        "1 if a else ",
        "min(",
        "a.b[0]",
        "[0].",
    ),
    *(
        "[[",
        "[a",
        "{a: ",
        "{a}",
        "{a=",
        "a: ",
        "- ",
        "\n- ",
        "\n- a: ",
        "\n  ",
        "| a ",
        "a\n",
        "\r\n",
        "//",
        "/*",
    ),
    *(
        '"a" ',
        "'a",
        '"\\"',
        "<@",
        "<#a|",
        "<https:",
        "&lt;",
        "<script>",
        "#1 ",
        "> ",
        "../",
        "\u2212",
        "\u2026",
    ),
    '<script type="application/json" id="export">',
)
"""Signs, words and beginnings that are repeated, in the notations that the bot reads."""

NOT_TYPED = (
    "bot.cli",
    "bot.runtime",
    "bot.storage",
    "bot.monitoring",
    "bot.charts",
    "adapters.console.session",
)
"""Packages in which no text of a stranger is read."""
# it makes a pattern of our own signs
NO_PARSERS = ("bot.rules.text.plain._compile_any_of",)


@cache
def text_functions() -> dict[str, Parser]:
    """Return the functions of the bot and its adapters that need one text and nothing else, by
    their names.
    """
    found: dict[str, Parser] = {}
    for _, module, _ in modules():
        if module.__name__.startswith(NOT_TYPED):
            continue
        for name, value in vars(module).items():
            function = inspect.unwrap(value) if callable(value) else None
            if not isinstance(function, FunctionType) or function.__module__ != module.__name__:
                continue
            full_name = f"{module.__name__}.{name}"
            if _needs_one_text(function) and full_name not in NO_PARSERS:
                found[full_name] = function
    return found


def _needs_one_text(function: FunctionType) -> bool:
    code = function.__code__
    needed = code.co_argcount - len(function.__defaults__ or ())
    if needed != 1 or code.co_kwonlyargcount > len(function.__kwdefaults__ or {}):
        return False
    if inspect.iscoroutinefunction(function):
        return False
    return function.__annotations__.get(code.co_varnames[0]) in ("str", str, "object", object)


ROSTER = index_by_name(
    [
        RosterUnit("Squad 1", "us1", "squad", "US", {"morale": 5}),
        RosterUnit("Squad 2", "us2", "squad", "US", {"morale": 5}),
        RosterUnit("Cell a", "vc1", "squad", "VC", {"morale": 4}),
    ]
)
WHOSE = AskingSide("US")


@cache
def parsers() -> dict[str, tuple[Parser, int]]:
    """Return each parser that needs more than a text, by what it reads, and the most characters
    that it is given.
    """
    known = load_shared_registry()
    words: UnitWords = find_shared_system("lnlt").words["units"]
    formulas = Formulas(Setting("steps.yaml"))
    found: dict[str, tuple[Parser, int]] = {
        "a line": (lambda text: parse_text(text, known), MAX_TEXT),
        "a line with units": (
            lambda text: parse_text(f"lnlt fire attackers={text}", known),
            MAX_TEXT,
        ),
        "a line with bare words": (
            lambda text: parse_text(f"unit edit us1 {text}", known),
            MAX_TEXT,
        ),
        "a line with a mistake": (
            lambda text: salvage_command(f"lnlt fire {text}", known),
            MAX_TEXT,
        ),
        "units written out": (lambda text: expand_list(text, words, ROSTER, WHOSE), MAX_TEXT),
        "units behind a unit": (
            lambda text: expand_list(f"us1 {text}", words, ROSTER, WHOSE),
            MAX_TEXT,
        ),
        "units of a choice": (
            lambda text: expand_list(f"all {text}", words, ROSTER, WHOSE),
            MAX_TEXT,
        ),
        "names of units": (lambda text: list_names(text, words, ROSTER, WHOSE), MAX_TEXT),
        "units in a list": (lambda text: list_units([text], ROSTER), MAX_TEXT),
        "a list of units": (
            lambda text: parse_units(text, words, ROSTER, option="units"),
            MAX_TEXT,
        ),
        "a list without a roster": (
            lambda text: parse_units(text, words, {}, option="units"),
            MAX_TEXT,
        ),
        "a unit": (lambda text: find_unit(text, ROSTER), MAX_TEXT),
        "dice": (parse_dice, MAX_EXPRESSION),
        "heads": (lambda text: read_heads([text]), MAX_TEXT),
        "a macro": (lambda text: Macro("x", f"roll {text}").check(known), 600),
        "a roster": (read_roster, MAX_TEXT),
        "a page": (lambda text: extract_export(f"<{text}", 1_000), MAX_TEXT),
        "a log": (read_json, MAX_TEXT),
        "a table of another program": (import_tables, MAX_TEXT),
        "a formula of a table": (
            lambda text: compile_formula(text, {"a"}, "a.yaml", bounded=True),
            MAX_FORMULA,
        ),
        "a formula of a step": (lambda text: formulas.formula(text, {}, ()), 1_000),
        "a text of a step": (lambda text: formulas.text(text, {}, ()), 1_000),
    }
    for type_ in CLEANERS:
        option = Option("value", cast("OptionType", type_), values=("a", "b"))
        found[f"an option of type {type_}"] = (partial(clean, option), MAX_TEXT)
    found.update(_completions())
    return found


def _completions() -> Iterator[tuple[str, tuple[Parser, int]]]:
    """Yield what completes an option, for one option of each kind."""
    known = CompletionContext(
        roster=tuple({unit.name: unit for unit in ROSTER.values()}.values()),
        sides=("US", "VC"),
        players=("Anna",),
        own_side="US",
        system="lnlt",
        game=find_shared_system("lnlt"),
        macros=(Macro("h", "roll {n=1}d10"),),
        decks=("cup",),
    )
    seen = set[tuple[str, str]]()
    for spec in load_shared_registry():
        for option in spec.options:
            kind = (option.type, option.complete)
            if kind not in seen:
                seen.add(kind)
                complete = partial(_complete, spec, option.name, known)
                yield f"completion of {spec.name} {option.name}", (complete, MAX_TEXT)


def _complete(spec: CommandSpec, name: str, known: CompletionContext, text: str) -> object:
    return complete_option(spec, name, text, load_shared_registry(), known, {})


def repeated(piece: str, length: int) -> str:
    """Return a text of so many characters that repeats a piece."""
    return (piece * (length // len(piece) + 1))[:length]
