"""What a step writes to units, held against the words of the game before anybody plays it."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bot.rules.declared.compile_context import NUMBERS, Path, describe_type
from bot.rules.declared.formula import Formula
from bot.rules.declared.formula_functions import NONE
from bot.rules.declared.step_parser import StepScope
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import clean

OF_EVERY_UNIT = ("state", "type", "side")
"""What `set` changes of a unit besides its attributes."""


def check_note(note: Mapping[str, Any], place: StepScope, where: Path) -> None:
    """Raise TableError for a state, type, marker or number that no unit of the game can have.

    `note` are the formulas of a `change`, `joins`, `fate` or `result`, by their keys. Only words
    and numbers are looked at that are written plainly.
    """
    setting = place.sheet.formulas.setting
    if not setting.words:
        return
    for key in ("set", "add", "give", "take"):
        for name, value in note.get(key, {}).items():
            _check_attribute(key, str(name), value, place, (*where, key, name))
    for key in ("mark", "unmark"):
        for mark in note.get(key, ()):
            _check_word(mark, "marker", setting.marks, place, (*where, key))
    if "type" in note:
        _check_word(note["type"], "unit type", setting.unit_types, place, (*where, "type"))
    if "state" in note:
        _check_word(note["state"], "state", setting.states, place, (*where, "state"))
    if "of" in note:
        _check_word(note["of"], "attribute", setting.attributes, place, (*where, "of"))


def check_fate(fate: Formula, place: StepScope, where: Path) -> None:
    """Raise TableError for a fate that is none of the results that game.yaml has."""
    results = place.sheet.formulas.setting.results
    if results:
        _check_word(fate, "result in game.yaml", results, place, where)


def _check_attribute(key: str, name: str, value: Formula, place: StepScope, where: Path) -> None:
    setting = place.sheet.formulas.setting
    if key == "set" and name in OF_EVERY_UNIT:
        known = {"state": setting.states, "type": setting.unit_types}.get(name, ())
        _check_word(value, {"type": "unit type"}.get(name, name), known, place, where)
        return
    attributes = setting.attributes
    if name not in attributes:
        known = [*attributes, *(OF_EVERY_UNIT if key == "set" else ())]
        raise place.make_error(f"a unit has no {name}", where, name, known)
    option = attributes[name]
    if key == "add" and option.type != "int":
        raise place.make_error(
            f"{name} is no whole number, so that nothing can be added to it", where
        )
    if key in ("set", "add"):
        wanted = NUMBERS.get(option.type, "any")
        if wanted == "number" and value.type not in ("number", "any", "none"):
            raise place.make_error(f"{name} takes a number, not {describe_type(value.type)}", where)
    if key == "set":
        for constant in constants_of(value):
            try:
                clean(option, constant)
            except UserError as error:
                raise place.make_error(error.message.rstrip("."), where) from None


def _check_word(
    value: Formula, kind: str, known: Collection[str], place: StepScope, where: Path
) -> None:
    for word in constants_of(value):
        if known and word not in known:
            near = did_you_mean(str(word), known)
            hint = near or f"It may be {', '.join(dict.fromkeys(map(str, known)))}."
            raise place.make_error(f"there is no {kind} {word}. {hint}", where)


def constants_of(value: Formula) -> Iterator[Any]:
    """Yield the values that are written in a formula: itself, or those of the ways of an `if`. Any
    other formula yields nothing, and so do the values `none` and "".
    """
    if value.kind == "constant" and value.value not in (NONE, ""):
        yield value.value
    elif value.kind == "if":
        for way in value.parts[1:]:
            yield from constants_of(way)
