"""Units as a page shows them: how they are, the numbers on their counter, the frame by their type.

What is said of a unit is `bot/game/counter_faces.py`; the page's own script is handed the counters of
each moment.
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
from bot.game.counter_faces import is_lost as has_left
from bot.game.state import Json, unit_from_json
from bot.rulesets.game_file import ANY
from bot.rulesets.system import System

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
"""The frames of `bot/rulesets/game_file.py` as SVG."""


def build_counter(unit: Json, first: Json, system: System | None) -> Json:
    """A unit of the log as it is drawn: its `name`, `type`, `frame`, `states`, `marks` and
    `printed` numbers; `standing` is LOST, HURT (it has lost strength: wounded, reduced,
    immobilized), SHAKEN (it is not itself otherwise) or nothing. `first` is how it came into the
    game."""
    read = unit_from_json(unit)
    states = list_conditions(read, system)
    hurt = is_weaker(read, first["type"], system)
    return {
        "name": read.name,
        "type": format_token(read.type, system),
        "frame": get_frame(read.type, system),
        "states": states,
        "standing": LOST if has_left(read, system) else HURT if hurt else SHAKEN if states else "",
        "marks": list_marks(read, system),
        "printed": "–".join(list_printed_numbers(read, system)),
    }


def is_lost(unit: Json | None, system: System | None) -> bool:
    """Return whether the unit is out of the game, or no longer on the roster."""
    return unit is None or has_left(unit_from_json(unit), system)


def list_unit_changes(body: Json, system: System | None) -> list[str]:
    """What an event did to units: `Squad 1: good order → shaken; wounds 1 → 2; marked fired`."""
    before, after = ((body.get(part) or {}).get("units") or {} for part in ("before", "after"))
    return [
        text
        for key, unit in after.items()
        if (text := _describe_change(before.get(key), unit, system))
    ]


def _describe_change(was: Json | None, now: Json | None, system: System | None) -> str:
    if not was or not now:
        return f"{(now or was or {})['name']}: {'new' if now else 'taken off the roster'}"
    old, new = (
        {"state": "", "marks": (), **unit, "numbers": unit.get("numbers") or {}}
        for unit in (was, now)
    )
    told = (
        [f"{_describe_differences(old, new, system)} → {_describe_differences(new, old, system)}"]
        if _describe_differences(old, new, system)
        else []
    )
    for key in {**old["numbers"], **new["numbers"]}:
        values = [_format_number(unit["numbers"].get(key)) for unit in (old, new)]
        told += [f"{format_word(key)} {' → '.join(values)}"] if values[0] != values[1] else []
    told += [f"marked {format_word(mark)}" for mark in new["marks"] if mark not in old["marks"]]
    told += [f"no longer {format_word(mark)}" for mark in old["marks"] if mark not in new["marks"]]
    return f"{now['name']}: {'; '.join(told)}" if told else ""


def _describe_differences(unit: Json, other: Json, system: System | None) -> str:
    """The type and the state of a unit in words, each where the other's is not the same."""
    read = unit_from_json(unit)
    state = (
        list_conditions(read, system)[0]
        if describe_state(read, system)
        else format_word(unit["state"]) or "good order"
    )
    told = (("type", format_token(read.type, system)), ("state", state))
    return ", ".join(words for key, words in told if unit[key] != other[key])


def _format_number(value: object) -> str:
    return (
        "–"
        if value is None
        else ",".join(map(str, value))
        if isinstance(value, list)
        else str(value)
    )
