"""Scenarios built on another scenario of their game.

Such a scenario has the sides and units of the other, apart from what it changes, adds and leaves
out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.game.roster_line import RosterLine, make_roster_error
from bot.rules.errors import TableError, UserError, did_you_mean
from bot.rules.inputs.unit_selectors import expand_names
from bot.rules.text.normalize import comparison_key
from bot.rulesets.system import SCENARIOS, System

ON = "builds_on"
WITHOUT = "without"
_INHERITED = ("sides", "about", "turns", "wins")


def find_base_game(system: System, id: str, on: object, file: str) -> System:
    """Return the game that has the scenario `on`, the base of scenario `id`.

    It is the same game, or the one that an extension adds to. Raise TableError if neither has it.
    """
    games = [game for game in (system, system.base) if game is not None]
    names = [name for game in games for name in game.scenarios if name != id]
    for game in games:
        if on in game.scenarios and on != id:
            return game
    hint = did_you_mean(str(on), names) or f"There are {', '.join(sorted(names)) or 'none'}."
    raise TableError(file, f"there is no scenario {str(on)[:40]}. {hint}", row=ON)


def read_base(game: System, on: str, file: str) -> Mapping[str, Any]:
    """Return the content of the scenario `on`. Raise TableError if it has a base itself."""
    base = game.read(f"{SCENARIOS}/{on}")
    if not isinstance(base, Mapping):
        raise TableError(file, f"the scenario {on} has nothing in it", row=ON)
    if base.get(ON):
        raise TableError(
            file, f"{on} is itself built on {base[ON]}; name {base[ON]} instead", row=ON
        )
    return base


def lay_over(base: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario that is built on `base`, completed from it.

    Sides and texts come from the base if `data` does not have them. Tracks are merged. The units
    are those of the base; see `lay_units_over`.
    """
    inherited = {key: base[key] for key in _INHERITED if key in base}
    tracks = {**(base.get("tracks") or {}), **(data.get("tracks") or {})}
    own_values = {key: value for key, value in data.items() if key not in (ON, WITHOUT)}
    return {**inherited, **own_values, "tracks": tracks, "units": base.get("units")}


def lay_units_over(
    rows: Iterable[RosterLine], changes: Iterable[RosterLine], without: Sequence[str], on: str
) -> list[RosterLine]:
    """Return the units of the base scenario `on` with all changes applied, one in each row.

    `without` names the units to leave out. `changes` has changed and new units. Raise UserError
    that names the line.
    """
    units: dict[str, RosterLine] = {}
    for row in rows:
        for name in expand_names(row.get_value("name")):
            values = {**row.values, "name": name}
            units[comparison_key(name)] = RosterLine(row.line, values, row.places)
    for name in _names(without):
        if units.pop(comparison_key(name), None) is None:
            names = [row.values["name"] for row in units.values()]
            hint = did_you_mean(name, names)
            raise UserError(f'{on} has no unit "{name[:40]}".', hint=hint, code="unknown-unit")
    for change in changes:
        for name in expand_names(change.get_value("name")):
            key = comparison_key(name)
            units[key] = _apply_unit_change(units.get(key), change, name, on)
    return list(units.values())


def _names(texts: Sequence[str]) -> list[str]:
    return [name for text in texts for name in expand_names(str(text))]


def _apply_unit_change(
    base_unit: RosterLine | None, change: RosterLine, name: str, on: str
) -> RosterLine:
    """Return a unit of the base with its changes, or a new unit if `base_unit` is None.

    Raise UserError if a new unit has no type.
    """
    if base_unit is None and not change.values.get("type", "").strip():
        raise make_roster_error(
            f"{name} is not a unit of {on}, and a new one needs a type", change.line, code="missing"
        )
    values = {**(base_unit.values if base_unit is not None else {}), **change.values}
    shown_name = base_unit.values["name"] if base_unit is not None else name
    return RosterLine(change.line, {**values, "name": shown_name}, change.places)
