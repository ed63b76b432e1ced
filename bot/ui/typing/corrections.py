"""Corrections of lines that were refused: only a line that would be taken is offered."""

from collections.abc import Mapping

from bot.rules.errors import Hint, UserError, correct_typed
from bot.rules.inputs.options import InputReader
from bot.rules.inputs.units import Roster, find_unit
from bot.rules.text.names import add_article
from bot.ui.registry import Registry
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import ParsedCommand, format_named_command, parse_text

MOST_SLIPS = 3
"""Maximum number of slips that are corrected in one line."""
_OF_THE_GAME = ("unit", "units", "file")
"""Types of options that only the game or the platform can check."""
_OF_ALL_TABLES = ("private", "picture", "whole")


def check_correction(error: UserError, typed: str, registry: Registry) -> None:
    """Set `error.better` to the corrected line if the parser would accept it.

    Further slips in the corrected line are corrected as well, up to MOST_SLIPS. If the result would
    be refused, `error.better` and the correction in the hint are removed.
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


def offer_word_for_unit(
    error: UserError, spec: CommandSpec, options: Mapping[str, object], roster: Roster
) -> None:
    """Say what to type if a unit was given to an option that takes words: `rallier=us5`.

    `options` are those that were typed. `error.better` becomes the line with the word for the
    unit's type, else with `other` if the option has it, and with the unit's numbers that the
    command takes for the same thing. The hint names the unit and its type. An error about anything
    else stays as it is.
    """
    option = next((option for option in spec.options if option.name == error.option), None)
    if error.code != "bad-value" or option is None or option.type != "enum":
        return
    try:
        unit = find_unit(str(options.get(option.name, "")), roster)
    except UserError:
        return
    type_name = unit.type.replace("-", " ")
    error.hint = (
        f"{unit.name} is {add_article(type_name)}; "
        f"{option.name} takes one of these words, not a unit."
    )
    word = unit.type if unit.type in option.values else "other"
    if word not in option.values:
        return
    corrected = {**options, option.name: word}
    for number in spec.options:
        is_same_thing = bool(option.of) and number.of == option.of
        if is_same_thing and number.name in unit.numbers and number.name not in options:
            corrected[number.name] = unit.numbers[number.name]
    error.better = format_named_command(spec, corrected)


def _check_unit_number(error: UserError, registry: Registry) -> None:
    """Replace a hint that takes a word for a unit's number if no unit of the game has that number."""
    hint = error.hint
    if not isinstance(hint, Hint) or not hint.unit_number:
        return
    game = registry.games.get(hint.game)
    if game is None or hint.unit_number.casefold() not in game.words["units"].keys:
        error.hint = hint.otherwise


def find_refusal(line: str, registry: Registry) -> UserError | None:
    """Return the error with which a line is refused, or None if it is accepted.

    A missing value is no refusal: it is asked for later.
    """
    try:
        check_values(parse_text(line, registry), registry)
    except UserError as error:
        return error if error.code != "missing" else None
    return None


def check_values(parsed: ParsedCommand, registry: Registry) -> None:
    """Raise UserError for a value that its option does not take. Units and files are not checked."""
    spec, options = parsed
    if spec.family == "lookup":
        _check_lookup(spec, options, registry)
        return
    checkable = [option for option in spec.options if option.type not in _OF_THE_GAME]
    names = {option.name for option in checkable}
    names |= {option.name for option in spec.options if option.type == "bool"}
    names.add("mods")
    values = {name: value for name, value in options.items() if name in names}
    InputReader(checkable).read(values, spec.name)


def _check_lookup(spec: CommandSpec, options: Mapping[str, object], registry: Registry) -> None:
    """Raise UserError for values that a table does not take; a whole table needs none."""
    if spec.wants_whole(options):
        return
    table = registry.games[spec.system].tables[spec.target]
    values = {name: value for name, value in options.items() if name not in _OF_ALL_TABLES}
    table.check_typed(values)
