"""Checks of the changes of units in a file against the words of the game, before anybody plays
it.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bot.rules.declared.compile_context import NUMBERS, Path, describe_type
from bot.rules.declared.formula import Formula
from bot.rules.declared.formula_functions import NONE
from bot.rules.declared.step_parser import StepScope
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import clean

OF_EVERY_UNIT = ("state", "type", "side")
"""What `set` may change of every unit, apart from its attributes."""
RESULT = "result"
"""The kind of word that `fate` names."""


def check_note(note: Mapping[str, Any], scope: StepScope, path: Path) -> None:
    """Raise TableError for a state, type, marker or number that no unit of the game can have.

    `note` are the formulas of a `change`, `joins`, `fate` or `result`, by key. Only constants are
    checked, and nothing for a game without words of units.
    """
    setting = scope.sheet.formulas.setting
    if not setting.words:
        return
    for key in ("set", "add", "give", "take"):
        for name, value in note.get(key, {}).items():
            _check_attribute(key, str(name), value, scope, (*path, key, name))
    for key in ("mark", "unmark"):
        for mark in note.get(key, ()):
            _check_word(mark, "marker", setting.marks, scope, (*path, key))
    if "type" in note:
        _check_word(note["type"], "unit type", setting.unit_types, scope, (*path, "type"))
    if "state" in note:
        _check_word(note["state"], "state", setting.states, scope, (*path, "state"))
    if "of" in note:
        _check_word(note["of"], "attribute", setting.attributes, scope, (*path, "of"))


def check_fate(fate: Formula, scope: StepScope, path: Path) -> None:
    """Raise TableError for a fate that is not one of the results of game.yaml, if it lists any."""
    results = scope.sheet.formulas.setting.results
    if results:
        _check_word(fate, RESULT, results, scope, path)


def _check_attribute(key: str, name: str, value: Formula, scope: StepScope, path: Path) -> None:
    """Raise TableError for an attribute that units do not have, or a value that it cannot have.

    `key` is set, add, give or take. State, type and side may be set as well.
    """
    setting = scope.sheet.formulas.setting
    if key == "set" and name in OF_EVERY_UNIT:
        candidates = {"state": setting.states, "type": setting.unit_types}.get(name, ())
        _check_word(value, {"type": "unit type"}.get(name, name), candidates, scope, path)
        return
    attributes = setting.attributes
    if name not in attributes:
        candidates = [*attributes, *(OF_EVERY_UNIT if key == "set" else ())]
        raise scope.make_error(f"a unit has no {name}", path, name, candidates)
    option = attributes[name]
    if key == "add" and option.type != "int":
        raise scope.make_error(f"{name} is not a whole number, so nothing can be added to it", path)
    if key in ("set", "add"):
        type_ = NUMBERS.get(option.type, "any")
        if type_ == "number" and value.type not in ("number", "any", "none"):
            raise scope.make_error(f"{name} takes a number, not {describe_type(value.type)}", path)
    if key == "set":
        for constant in constants_of(value):
            try:
                clean(option, constant)
            except UserError as error:
                raise scope.make_error(error.message.rstrip("."), path) from None


def _check_word(
    value: Formula, kind: str, valid_words: Collection[str], scope: StepScope, path: Path
) -> None:
    """Raise TableError if a constant of the formula is not one of the valid words.

    Other formulas are not checked, and nothing is if there are no valid words. `kind` says for the
    error what the word is.
    """
    for word in constants_of(value):
        if valid_words and word not in valid_words:
            near = did_you_mean(str(word), valid_words)
            hint = near or f"It can be {', '.join(dict.fromkeys(map(str, valid_words)))}."
            problem = f"there is no {kind} {word}"
            if kind == RESULT:
                problem = f"game.yaml has no result {word}"
            raise scope.make_error(f"{problem}. {hint}", path)


def constants_of(value: Formula) -> Iterator[Any]:
    """Yield the constants of a formula: its own value, or those of the branches of an `if`. Other
    formulas yield nothing, and neither do the values `none` and "".
    """
    if value.kind == "constant" and value.value not in (NONE, ""):
        yield value.value
    elif value.kind == "if":
        for part in value.parts[1:]:
            yield from constants_of(part)
