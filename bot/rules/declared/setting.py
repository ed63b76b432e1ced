"""What declared sequences are compiled in: the tables, lists and units of a game, and where its file says what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.rules.errors import TableError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import UnitWords
from bot.rules.tables.table import Tables

Path = tuple[str | int, ...]
"""Where something is in the file: keys, and positions in lists."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a sequence says of itself beside its steps: inputs, outputs, and the output that its odds are by."""

    inputs: tuple[Option, ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    odds_by: str = ""


def _nowhere(_path: Path) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Setting:
    """The game that sequences are declared for.

    `lists` hold words, or words by their names. `place` finds a path of the file (`line 12, column 5`), asked only
    when something is wrong.
    """

    file: str
    tables: Tables = field(default_factory=dict)
    lists: Mapping[str, tuple[Any, ...] | Mapping[str, Any]] = field(default_factory=dict)
    words: Mapping[str, UnitWords] = field(default_factory=dict)
    place: Callable[[Path], str] = _nowhere

    def wrong(self, problem: str, where: Path, name: str = "", known: Iterable[str] = ()) -> TableError:
        """The error at `where`, with the nearest of the `known` names."""
        near = did_you_mean(name, list(known)) if name else ""
        file = ", ".join(filter(None, (self.file, self.place(where))))
        return TableError(file, f"{problem}{'. ' + near if near else ''}", row=spoken_path(where))


def spoken_path(where: Path) -> str:
    """`morale-check, step 3, let, total`: a path as an author of the file reads it, positions from 1."""
    said: list[str] = []
    for key in where:
        if isinstance(key, int):
            said.append(f"step {key + 1}" if said and said[-1] in ("steps", "else") else f"item {key + 1}")
        else:
            said.append(str(key))
    kept = [word for at, word in enumerate(said) if word != "steps" and not (at == 0 and word == "sequences")]
    return ", ".join(kept)
