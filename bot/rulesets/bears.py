"""The modifiers of a sequence that only some units can have: a pivoted machine gun needs a
vehicle.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.errors import TableError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Unit


@dataclass(frozen=True, slots=True)
class Bearers:
    """The units that can have a modifier: `option` is the input with them, and one of them must
    have one of these `types`, classes or flags.
    """

    option: str
    types: tuple[str, ...]


def read_bears(
    data: Mapping[str, Any], inputs: Iterable[Option], file: str, id: str
) -> Mapping[str, Bearers]:
    """Read `bears` of a sequence: each modifier that only some units can have, with those units.

    `data` is the entry of the sequence `id`, `inputs` its inputs. Return {} if it has no `bears`.
    Raises TableError with `file` for an unknown input or modifier, or a wrong layout.
    """
    section = data.get("bears") or {}
    row = f"{id} bears"
    options = list(inputs)
    lists = [option.name for option in options if option.type in ("unit", "units")]
    words = [word for option in options for word in (option.name, *option.values)]
    bearers: dict[str, Bearers] = {}
    for name, modifiers in section.items():
        _check_known(str(name), lists, "input with units", file, row)
        for word, types in modifiers.items():
            _check_known(str(word), words, "modifier", file, row)
            if not types:
                raise TableError(file, f"{word} must be a list of types of units", row=row)
            bearers[str(word)] = Bearers(str(name), tuple(map(str, types)))
    return bearers


def _check_known(word: str, allowed: Collection[str], kind: str, file: str, row: str) -> None:
    """Raise TableError if a word is not allowed; `kind` is the noun for it in the message."""
    if word not in allowed:
        hint = did_you_mean(word, allowed)
        raise TableError(file, f"there is no {kind} {word[:40]}. {hint}".rstrip(), row=row)


def find_unborne(
    bears: Mapping[str, Bearers],
    units: Mapping[str, Iterable[Unit]],
    classes: Mapping[str, Iterable[str]],
) -> frozenset[str]:
    """Return the modifiers among `bears` that none of the units can have.

    `units` holds the units that are, or can be, in each input. If an input is missing or empty, all
    its modifiers are possible. `classes` maps a class to its types.
    """
    modifiers: set[str] = set()
    for word, bearers in bears.items():
        candidates = [*units.get(bearers.option, ())]
        if candidates and not any(_is_one_of(unit, bearers.types, classes) for unit in candidates):
            modifiers.add(word)
    return frozenset(modifiers)


def _is_one_of(unit: Unit, words: Iterable[str], classes: Mapping[str, Iterable[str]]) -> bool:
    """Return whether a unit has one of these types, classes or flags."""
    return any(
        word == unit.type or word in unit.flags or unit.type in classes.get(word, ())
        for word in words
    )
