"""All options of a table, command or sequence together: what was typed for them becomes a value for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.options import CLEANERS, Option, is_left_out, missing_option, unfold_mods, unknown_option


class Asked:
    """Options that are asked for together, with what reading them needs worked out once."""

    def __init__(self, options: Iterable[Option]) -> None:
        self.known = {option.name: option for option in options}
        self._cleaners = {name: CLEANERS[option.type] for name, option in self.known.items()}
        self._defaults = {name: _default(option) for name, option in self.known.items()}
        self._needed = tuple(option for option in self.known.values() if _is_needed(option))
        self.units = tuple(option for option in self.known.values() if option.type in ("units", "unit"))
        """Those that take units, and those that a unit may supply."""
        self.brought = tuple(option for option in self.known.values() if option.brings)

    def read(self, raw: Mapping[str, object], what: str) -> dict[str, Any]:
        """Values for all options: typed ones cleaned, the others by default (None where optional, False for a bool).

        `what` is the name of the table or command for messages. Booleans may also come as words of `mods`;
        the same flag twice is an error. A required option left out stays out of the answer only if it `brings`
        its value from a roster unit; otherwise it is an error.
        """
        known, cleaners = self.known, self._cleaners
        given: Mapping[str, object] = raw
        if "mods" in raw or not known.keys() >= raw.keys():
            given = unfold_mods(known, raw, what)
            for name in given:
                if name not in known:
                    raise unknown_option(name, known, what)
        values = self._defaults.copy()
        try:
            for name, value in given.items():
                if value is not None and value != "" and value != "none":
                    values[name] = cleaners[name](known[name], value)
                elif not _stays_out(option := known[name], value):
                    values[name] = cleaners[name](option, value)
        except UserError as error:
            raise self._first_fault(given, what) or error from None
        for option in self._needed:
            if values[option.name] is None:
                raise missing_option(option, what)
        return values

    def _first_fault(self, given: Mapping[str, object], what: str) -> UserError | None:
        """What is wrong with the first option, in their own order, that has a fault."""
        for name, option in self.known.items():
            value = given.get(name)
            if not _stays_out(option, value):
                try:
                    self._cleaners[name](option, value)
                except UserError as error:
                    return error
            elif _is_needed(option):
                return missing_option(option, what)
        return None


def _stays_out(option: Option, value: object) -> bool:
    """Whether the default stays: players and programs write out what the card calls none."""
    is_none = value == "none" and option.optional and option.type in ("int", "number")
    return is_none or is_left_out(option, value)


def _is_needed(option: Option) -> bool:
    return option.required and not option.brings


def _default(option: Option) -> Any:
    if option.type == "bool":
        return bool(option.default)
    return () if option.type == "mods" else option.default
