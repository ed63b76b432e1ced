"""Which modifiers of a sequence only some units can bear: a machine gun that has pivoted needs a
vehicle."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.errors import TableError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Unit


@dataclass(frozen=True, slots=True)
class Bearers:
    """Whose modifier it is: the input with these units, and the types, classes or flags of which
    one of them must be."""

    option: str
    types: tuple[str, ...]


def read_bears(
    data: Mapping[str, Any], inputs: Iterable[Option], file: str, id: str
) -> Mapping[str, Bearers]:
    """Return the modifiers that only some units can bear. Raises TableError."""
    section = data.get("bears") or {}
    row = f"{id} bears"
    if not isinstance(section, Mapping):
        raise TableError(file, "bears must be a mapping of inputs with units", row=row)
    options = list(inputs)
    lists = [option.name for option in options if option.type in ("unit", "units")]
    words = [word for option in options for word in (option.name, *option.values)]
    bearers: dict[str, Bearers] = {}
    for name, modifiers in section.items():
        _check_known(str(name), lists, "input with units", file, row)
        if not isinstance(modifiers, Mapping):
            raise TableError(file, f"{name} must be a mapping of modifiers", row=row)
        for word, types in modifiers.items():
            _check_known(str(word), words, "modifier", file, row)
            if not isinstance(types, list) or not types:
                raise TableError(file, f"{word} must be a list of types of units", row=row)
            bearers[str(word)] = Bearers(str(name), tuple(map(str, types)))
    return bearers


def _check_known(word: str, known: Collection[str], kind: str, file: str, row: str) -> None:
    if word not in known:
        hint = did_you_mean(word, known)
        raise TableError(file, f"there is no {kind} {word[:40]}. {hint}".rstrip(), row=row)


def find_unborne(
    bears: Mapping[str, Bearers],
    units: Mapping[str, Iterable[Unit]],
    classes: Mapping[str, Iterable[str]],
) -> frozenset[str]:
    """Return the modifiers that none of the units can bear.

    `units` holds those who are, or can be, in each input; an input that is not there, or is empty,
    leaves all its modifiers in.
    """
    return frozenset(
        word
        for word, bearers in bears.items()
        if (there := [*units.get(bearers.option, ())])
        and not any(_is_one_of(unit, bearers.types, classes) for unit in there)
    )


def _is_one_of(unit: Unit, words: Iterable[str], classes: Mapping[str, Iterable[str]]) -> bool:
    return any(
        word == unit.type or word in unit.flags or unit.type in classes.get(word, ())
        for word in words
    )
