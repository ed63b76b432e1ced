"""Corrections of lines that were refused: only a line that would be taken is offered."""

from collections.abc import Mapping

from bot.rules.errors import Hint, UserError, correct_typed
from bot.rules.inputs.options import InputReader
from bot.ui.registry import Registry
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import ParsedCommand, parse_text

MOST_SLIPS = 3
"""Slips of one line that are corrected together."""
_OF_THE_GAME = ("unit", "units", "file")
"""Types of options that only the game or the platform can check."""
_OF_ALL_TABLES = ("private", "picture", "whole")


def check_correction(error: UserError, typed: str, registry: Registry) -> None:
    """Keep the correction that `error` makes to the line `typed` only if that would be taken.

    If the corrected line has further slips that have a correction, these are corrected, too.
    """
    _check_unit_number(error, registry)
    line = error.better or correct_typed(typed, error)
    for _ in range(MOST_SLIPS):
        if not line or line == typed:
            break
        refusal = find_refusal(line, registry)
        if refusal is None:
            error.better = line
            return
        line = correct_typed(line, refusal)
    error.better = ""
    if isinstance(error.hint, Hint):
        error.hint.right = ""


def _check_unit_number(error: UserError, registry: Registry) -> None:
    """Keep a hint that takes a word for a number of a unit only if units of the game have it."""
    hint = error.hint
    if not isinstance(hint, Hint) or not hint.unit_number:
        return
    game = registry.games.get(hint.game)
    if game is None or hint.unit_number.casefold() not in game.words["units"].keys:
        error.hint = hint.otherwise


def find_refusal(line: str, registry: Registry) -> UserError | None:
    """Return why a line is refused as it is typed, or None if it is taken; a value that is left
    out is asked for later.
    """
    try:
        check_values(parse_text(line, registry), registry)
    except UserError as error:
        return error if error.code != "missing" else None
    return None


def check_values(parsed: ParsedCommand, registry: Registry) -> None:
    """Raise UserError for a value that its option does not take; units are not looked at."""
    spec, options = parsed
    if spec.family == "lookup":
        _check_lookup(spec, options, registry)
        return
    known = [option for option in spec.options if option.type not in _OF_THE_GAME]
    names = {option.name for option in known}
    flags = {option.name for option in spec.options if option.type == "bool"}
    given = {name: value for name, value in options.items() if name in names | flags | {"mods"}}
    InputReader(known).read(given, spec.name)


def _check_lookup(spec: CommandSpec, options: Mapping[str, object], registry: Registry) -> None:
    if spec.wants_whole(options):
        return
    table = registry.games[spec.system].tables[spec.target]
    given = {name: value for name, value in options.items() if name not in _OF_ALL_TABLES}
    table.check_typed(given)
