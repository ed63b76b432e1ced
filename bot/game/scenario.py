"""Scenarios: a game's title, sides and units, ready to play, from `tables/<system>/scenarios/*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.game.roster import count_units
from bot.game.roster_file import read_roster, units_of
from bot.rules.errors import TableError, UserError, did_you_mean
from bot.rules.inputs.units import RosterUnit
from bot.systems.kept import read_yaml
from bot.systems.system import SCENARIOS, System

KEYS = ("title", "sides", "about", "units")
LONGEST = 500
MAX_TITLE = 60


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario: its id, title, sides, a few sentences about it, and its units by folded names."""

    id: str
    title: str
    sides: tuple[str, ...]
    about: str
    units: Mapping[str, RosterUnit]

    @property
    def forces(self) -> str:
        """`7 US units, 6 VC units`."""
        counts = {side: sum(unit.side == side for unit in self.units.values()) for side in self.sides}
        return ", ".join(f"{side}: {count_units(count)}" for side, count in counts.items())


def find_scenario(system: System, typed: str) -> Scenario:
    """The scenario of that name. Raises UserError with the nearest, TableError for a file with a fault."""
    known = system.scenarios
    folded = typed.strip().casefold().replace(" ", "-")
    if folded in known:
        name = f"{SCENARIOS}/{folded}"
        return _scenario(system, folded, system.read(name), system.text(name))
    hint = did_you_mean(folded, known) or (f"There are {', '.join(known)}." if known else "It has none yet.")
    raise UserError(f'{system.title} has no scenario "{typed[:40]}".', hint=hint, option="scenario", code="bad-value")


def load_scenario(system: System, path: Path) -> Scenario:
    """A scenario from its file, checked whole. Raises TableError that names the file, and the line at fault."""
    return _scenario(system, path.stem, read_yaml(path), path.read_text(encoding="utf-8"))


def _scenario(system: System, id: str, data: Any, text: str) -> Scenario:
    file = f"{system.id}/{SCENARIOS}/{id}.yaml"
    if not isinstance(data, dict):
        raise TableError(file, f"must be a mapping with {', '.join(KEYS)}")
    _check(data, file)
    sides = tuple(data["sides"])
    try:
        rows = read_roster(text)
        units = units_of(rows, system, lambda typed: _side(typed, sides), {})
    except UserError as error:
        raise TableError(file, f"{error.message} {error.hint}".strip(), row="units") from None
    return Scenario(id, data["title"], sides, " ".join(str(data.get("about") or "").split()), units)


def _check(data: Mapping[str, Any], file: str) -> None:
    for key in data:
        if key not in KEYS:
            raise TableError(file, f'"{key}" is not known here. It may be {", ".join(KEYS)}.')
    title, sides, about = data.get("title"), data.get("sides"), data.get("about") or ""
    if not isinstance(title, str) or not 0 < len(title) <= MAX_TITLE:
        raise TableError(file, f"must be a text of at most {MAX_TITLE} characters", row="title")
    if not isinstance(about, str) or len(about) > LONGEST:
        raise TableError(file, f"must be a text of at most {LONGEST} characters", row="about")
    if not isinstance(sides, list) or len(sides) < 2 or not all(isinstance(side, str) and side for side in sides):
        raise TableError(file, "must be two names or more; quote them", row="sides")
    if not data.get("units"):
        raise TableError(file, "is missing", row="units")


def _side(typed: str, sides: tuple[str, ...]) -> str:
    if typed not in sides:
        raise UserError(
            f'"{typed[:40]}" is no side of it.',
            hint=f"Sides are {', '.join(sides)}.",
            option="side",
            code="unknown-side",
        )
    return typed
