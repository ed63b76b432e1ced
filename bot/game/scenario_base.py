"""A scenario that `builds_on` another one of its game: it has the same sides and units, but for what
it changes, adds and leaves out.
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
    """Return the game that has the scenario `on`, on which scenario `id` is built: the same, or the
    one that an extension adds to. Raises TableError.
    """
    games = [game for game in (system, system.base) if game is not None]
    names = [name for game in games for name in game.scenarios if name != id]
    for game in games:
        if on in game.scenarios and on != id:
            return game
    hint = did_you_mean(str(on), names) or f"There are {', '.join(sorted(names)) or 'none'}."
    raise TableError(file, f"there is no scenario {str(on)[:40]}. {hint}", row=ON)


def read_base(game: System, on: str, file: str) -> Mapping[str, Any]:
    """Return the content of the scenario `on`. Raises TableError if it is built on another one."""
    base = game.read(f"{SCENARIOS}/{on}")
    if not isinstance(base, Mapping):
        raise TableError(file, f"the scenario {on} has nothing in it", row=ON)
    if base.get(ON):
        raise TableError(file, f"{on} is built on {base[ON]} itself: name that one", row=ON)
    return base


def lay_over(base: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario with what it does not say itself out of the one that it is built on."""
    inherited = {key: base[key] for key in _INHERITED if key in base}
    tracks = {**(base.get("tracks") or {}), **(data.get("tracks") or {})}
    own = {key: value for key, value in data.items() if key not in (ON, WITHOUT)}
    return {**inherited, **own, "tracks": tracks, "units": base.get("units")}


def lay_units_over(
    rows: Iterable[RosterLine], changes: Iterable[RosterLine], without: Sequence[str], on: str
) -> list[RosterLine]:
    """Return the units of scenario `on`, one in each row, without some, with others changed, and
    with those that are new. Raises UserError that names the line.
    """
    units: dict[str, RosterLine] = {}
    for row in rows:
        for name in expand_names(row.get_value("name")):
            values = {**row.values, "name": name}
            units[comparison_key(name)] = RosterLine(row.line, values, row.places)
    for name in _names(without):
        if units.pop(comparison_key(name), None) is None:
            known = [row.values["name"] for row in units.values()]
            hint = did_you_mean(name, known)
            raise UserError(f'{on} has no unit "{name[:40]}".', hint=hint, code="unknown-unit")
    for change in changes:
        for name in expand_names(change.get_value("name")):
            key = comparison_key(name)
            units[key] = _apply_unit_change(units.get(key), change, name, on)
    return list(units.values())


def _names(texts: Sequence[str]) -> list[str]:
    return [name for text in texts for name in expand_names(str(text))]


def _apply_unit_change(
    before: RosterLine | None, change: RosterLine, name: str, on: str
) -> RosterLine:
    """Return a unit of the base with what changes, or a new one. Raises UserError if it has no
    type.
    """
    if before is None and not change.values.get("type", "").strip():
        raise make_roster_error(
            f"{name} is not a unit of {on}, and a new one needs a type", change.line, code="missing"
        )
    values = {**(before.values if before is not None else {}), **change.values}
    shown_name = before.values["name"] if before is not None else name
    return RosterLine(change.line, {**values, "name": shown_name}, change.places)
