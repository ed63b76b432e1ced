"""What kind of counter each unit type of a game is, as its game.yaml says under `units`, `counters`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.errors import TableError, did_you_mean

ANY = "any"
FRAMES: Mapping[str, str] = {
    "infantry": "a box with an X",
    "weapon": "a box with an arrow that points up, on a base",
    "mortar": "a box with an arrow that points up, on a circle",
    "artillery": "a box with a dot",
    "armor": "a box with an ellipse",
    "mechanized": "a box with an ellipse over an X",
    "soft": "a box with a wheeled vehicle",
    "helicopter": "a box with a rotor: two triangles, tip to tip, under a bar",
    "air": "a box with two triangles, tip to tip",
    "leader": "a box with a star",
    "person": "a box with head and shoulders",
    "medical": "a box with an upright cross",
    ANY: "an empty box",
}
"""Each frame, and what is drawn in it."""
KEYS = {"frame", "numbers"}


def check_counters(counters: Any, units: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a counter of an unknown type, with an unknown frame or a number that units do not have."""
    for type_, counter in counters.items():
        row = f"counters {type_}"
        _known(type_, units["types"], file, row)
        if not isinstance(counter, Mapping) or set(counter) - KEYS:
            raise TableError(file, "must be {frame: ..., numbers: [...]}", row=row)
        _known(counter.get("frame", ANY), FRAMES, file, row)
        for key in counter.get("numbers") or ():
            _known(key, units.get("attributes") or {}, file, row)


def _known(word: Any, known: Any, file: str, row: str) -> None:
    if word not in known:
        hint = did_you_mean(str(word), known) or f"It may be {', '.join(known) or 'nothing here'}."
        raise TableError(file, f'"{word}" is not known here. {hint}', row=row)
