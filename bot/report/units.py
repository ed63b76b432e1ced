"""Units as a page shows them: their status, the numbers on their counter and the frame of their
type.

The words for a unit come from `bot/game/counter_faces.py`. The script of the page gets the counters
after each event.
"""

from collections.abc import Mapping

from bot.game.counter_faces import (
    describe_state,
    format_token,
    format_word,
    get_frame,
    is_weaker,
    list_conditions,
    list_marks,
    list_printed_numbers,
)
from bot.game.state import Json, unit_from_json
from bot.rulesets.game_keys import ANY
from bot.rulesets.system import System
from bot.rulesets.system import is_lost as has_left

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
"""The frames of `bot/rulesets/game_keys.py` as SVG."""


def build_counter(unit: Json, first: Json, system: System | None) -> Json:
    """Build the counter of a unit of the log, as JSON for the page.

    It has the unit's `name`, `type`, `frame`, `states`, `marks` and `printed` numbers. `standing` is
    LOST, HURT (less strength: wounded, reduced, immobilized), SHAKEN (any other condition) or "".
    `first` is the unit when it entered the game.
    """
    roster_unit = unit_from_json(unit)
    conditions = list_conditions(roster_unit, system)
    is_hurt = is_weaker(roster_unit, first["type"], system)
    status = ""
    if has_left(roster_unit, system):
        status = LOST
    elif is_hurt:
        status = HURT
    elif conditions:
        status = SHAKEN
    return {
        "name": roster_unit.name,
        "type": format_token(roster_unit.type, system),
        "frame": get_frame(roster_unit.type, system),
        "states": conditions,
        "standing": status,
        "marks": list_marks(roster_unit, system),
        "printed": "–".join(list_printed_numbers(roster_unit, system)),
    }


def is_lost(unit: Json | None, system: System | None) -> bool:
    """Return whether the unit is out of the game, or no longer on the roster."""
    return unit is None or has_left(unit_from_json(unit), system)


def list_unit_changes(body: Json, system: System | None) -> list[str]:
    """List the changes of units by an event, a text for each unit.

    For example: `Squad 1: good order → shaken; wounds 1 → 2; marked fired`.
    """
    before = (body.get("before") or {}).get("units") or {}
    after = (body.get("after") or {}).get("units") or {}
    texts = (_describe_change(before.get(key), unit, system) for key, unit in after.items())
    return [text for text in texts if text]


def _describe_change(before: Json | None, after: Json | None, system: System | None) -> str:
    """Describe the change of one unit, with its name; "" if nothing that a page shows changed.

    None stands for a unit that is not on the roster.
    """
    if after and not before:
        return f"{after['name']}: new"
    if not before or not after:
        return f"{(before or {})['name']}: taken off the roster"
    old = {"state": "", "marks": (), **before, "numbers": before.get("numbers") or {}}
    new = {"state": "", "marks": (), **after, "numbers": after.get("numbers") or {}}
    changes = []
    old_words = _describe_differences(old, new, system)
    if old_words:
        changes.append(f"{old_words} → {_describe_differences(new, old, system)}")
    for key in {**old["numbers"], **new["numbers"]}:
        old_number = _format_number(old["numbers"].get(key))
        new_number = _format_number(new["numbers"].get(key))
        if old_number != new_number:
            changes.append(f"{format_word(key)} {old_number} → {new_number}")
    for mark in new["marks"]:
        if mark not in old["marks"]:
            changes.append(f"marked {format_word(mark)}")
    for mark in old["marks"]:
        if mark not in new["marks"]:
            changes.append(f"no longer {format_word(mark)}")
    return f"{after['name']}: {'; '.join(changes)}" if changes else ""


def _describe_differences(unit: Json, other: Json, system: System | None) -> str:
    """Describe the type and the state of `unit`, each only if it differs from that of `other`."""
    roster_unit = unit_from_json(unit)
    words = []
    if unit["type"] != other["type"]:
        words.append(format_token(roster_unit.type, system))
    if unit["state"] != other["state"]:
        if describe_state(roster_unit, system):
            words.append(list_conditions(roster_unit, system)[0])
        else:
            words.append(format_word(unit["state"]) or "good order")
    return ", ".join(words)


def _format_number(value: object) -> str:
    """Format a number or a list of numbers of a unit, with a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value)
