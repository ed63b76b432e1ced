"""The values of the names that a declared sequence reads, taken out of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bot.rules.declared.calls import NONE
from bot.rules.inputs.given import Given
from bot.rules.inputs.options import Option

Getter = Callable[[Given], Any]


class Taken:
    """Takes the values of `reads` out of the inputs that the `options` allow, in this order.

    Most are values under their own names: they are taken at once, and those that may be missing, set by a word of
    `mods` or found in another way are looked at one by one.
    """

    def __init__(self, options: Iterable[Option], reads: tuple[str, ...]) -> None:
        plain: dict[str, Option] = {}
        getters: dict[str, Getter] = {}
        for option in options:
            key = shown_name(option.name)
            plain[key] = option
            getters.pop(key, None)  # a word of that name came before it
            if option.type in ("unit", "units"):
                getters[key] = _unit(option)
            getters[f"{option.name}_typed"] = _typed(option.name)
            if option.type == "mods":
                getters |= {str(word): _flag(str(word)) for word in option.values}
        self._names = [plain[key].name if key in plain else key for key in reads]
        self._getters = [(at, getters[key]) for at, key in enumerate(reads) if key in getters]
        own = [(at, plain[key]) for at, key in enumerate(reads) if key not in getters]
        self._flags = [(at, option.name) for at, option in own if option.type == "bool"]
        self._blanks = [at for at, option in own if option.type != "bool" and not option.required]

    def __call__(self, given: Given) -> list[Any]:
        """The values."""
        found = [*map(given.values.get, self._names)]
        for at in self._blanks:
            if found[at] is None:
                found[at] = NONE
        if self._flags and (mods := given.mods):
            for at, name in self._flags:
                found[at] = found[at] or name in mods
        for at, get in self._getters:
            found[at] = get(given)
        return found


def _unit(option: Option) -> Getter:
    name = option.name
    if option.type == "units":
        return lambda given: given.lists.get(name, ())
    return lambda given: NONE if (unit := given.roster.get(name)) is None else unit


def _flag(name: str) -> Getter:
    return lambda given: given.flag(name)


def _typed(name: str) -> Getter:
    return lambda given: name in given.typed


def shown_name(name: str) -> str:
    """An input as formulas write it: one named `from` is written from_."""
    from keyword import iskeyword

    return f"{name}_" if iskeyword(name) else name.replace("-", "_")
