"""Units as a page shows them: how they are, the numbers on their counter, the frame by their type.

What is said of a unit is `bot/game/counter.py`; the page's own script draws each moment of the game by the same rules,
which are handed to it as plain values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.game.counter import counter as counter_of
from bot.game.counter import is_lost as has_left
from bot.game.counter import loss_keys, loss_said
from bot.game.roster import GONE
from bot.game.state import Json, unit_from_json
from bot.systems.counters import ANY
from bot.systems.system import System

_MOST = 21
"""A number that counts losses stays below it."""
LOST, HURT, SHAKEN = "gone", "hurt", "shaken"
_BOX = '<path d="M1 1h38v24H1z"/>'
_CROSSED = '<path d="M1 1h38v24H1zM1 1l38 24M39 1L1 25"/>'
_OVAL = '<rect x="8" y="7" width="24" height="12" rx="6"/>'
SYMBOLS: Mapping[str, str] = {  # drawn in a box of 40 x 26, as on a counter
    "infantry": _CROSSED,
    "weapon": '<path d="M1 1h38v24H1zM20 21V6M14 11l6-6 6 6M15 21h10"/>',
    "mortar": '<path d="M1 1h38v24H1zM20 16V5M15 9l5-5 5 5"/><circle cx="20" cy="19" r="3"/>',
    "artillery": f'{_BOX}<circle class="fill" cx="20" cy="13" r="4.500"/>',
    "armor": f"{_BOX}{_OVAL}",
    "mechanized": f"{_CROSSED}{_OVAL}",
    "soft": f'{_BOX}<circle cx="12" cy="19" r="3"/><circle cx="28" cy="19" r="3"/><path d="M7 15h26V8H7z"/>',
    "helicopter": f'{_BOX}<path d="M8 10l24 9V10L8 19zM10 5h20"/>',
    "air": f'{_BOX}<path d="M8 9l24 8V9L8 17z"/>',
    "leader": f'{_BOX}<path class="fill" d="M20 4l2.600 6 6.400.5-4.900 4.200 1.500 6.300-5.600-3.400-5.600 3.400 '
    '1.500-6.300L11 10.500l6.400-.5z"/>',
    "person": f'{_BOX}<circle cx="20" cy="9" r="4"/><path d="M12 22c0-10 16-10 16 0"/>',
    "medical": f'{_BOX}<path d="M20 4v18M11 13h18"/>',
    ANY: _BOX,
}
"""The frames of `bot/systems/counters.py` as SVG."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A unit as it is drawn: `standing` is LOST, HURT, SHAKEN or nothing."""

    name: str
    type: str
    frame: str
    states: tuple[str, ...]
    standing: str
    marks: tuple[str, ...]
    printed: str


def counter(unit: Json, first: Json, system: System | None) -> Counter:
    """A unit of the log as it is drawn, `first` as it came into the game."""
    drawn = counter_of(unit_from_json(unit), system)
    is_other = unit["type"] != first["type"]
    standing = LOST if drawn.lost else HURT if drawn.hurt or is_other else SHAKEN if drawn.shaken else ""
    printed = "–".join(said for _, said in drawn.numbers)
    return Counter(drawn.title, drawn.kind, drawn.frame, drawn.states, standing, drawn.marks, printed)


def is_lost(unit: Json | None, system: System | None) -> bool:
    """Whether the unit is out of the game, or no longer on the roster."""
    return unit is None or has_left(unit_from_json(unit), system)


def rules_of(system: System | None) -> Json:
    """What the page's script needs to draw a unit as `counter` does."""
    if system is None:
        return {"lost": sorted(GONE), "well": [], "hurt": [], "numbers": {}, "losses": {}, "types": {}, "states": {}}
    units, words = system.game["units"], system.words["units"]
    said: Mapping[str, Any] = system.game.get("words") or {}
    return {
        "lost": sorted(units.get("lost") or GONE),
        "well": sorted({words.sound, *(units.get("well") or ())} - {None}),
        "hurt": sorted({*(units.get("hurt") or ()), *(units.get("reduced_states") or ())}),
        "numbers": {kind: list(spec.get("numbers") or ()) for kind, spec in (units.get("counters") or {}).items()},
        "losses": {key: ["", *(loss_said(key, n, system) for n in range(1, _MOST))] for key in loss_keys(system)},
        "types": {kind: said[kind] for kind in (*units["types"], *(units.get("markers") or ())) if kind in said},
        "states": {
            state: " and ".join(plain(flag) for flag in flags)
            for state, flags in words.states.items()
            if len(flags) > 1
        },
    }


def plain(token: object) -> str:
    """A token as it is read."""
    return str(token).replace("-", " ").replace("_", " ")
