"""The parts of a game that an undo would change, and the later events that have read or written
them.

All answers come from the log alone: play, the buttons and `bot/verification` call the same
functions. A part of a game is named by a short key: `unit:us squad`, `track:US/points`,
`deck:chances`, `phase`, `choice:12`, `field:rules`.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bot.game.events import (
    BARRIERS,
    OUTCOMES,
    TURNING,
    changes_game,
    get_recorded_units,
    is_continuation,
)
from bot.game.state import Game, Json
from bot.game.tracks import get_track_keys
from bot.rules.inputs.decks import DECK

PHASE = "phase"
_PHASE_FIELDS = ("turn", "phase", "turn_of", "go", "passes", "led", "initiative")
"""Fields of a game about the current phase and the sides to act in it."""
BY_KEY = ("players", "plans", "orders", "rules", "tracks", "decks")
"""Fields of a game with several entries, each of which is undone by itself."""
_EVERY_UNIT = "every unit"
_ABSENT = object()


def is_in_the_way(later_event: Mapping[str, Any], keys: Collection[str]) -> bool:
    """Return whether a later event blocks the undo of the parts named by `keys`.

    It does if it read or wrote any of them. Nothing is undone across a barrier. Events outside the
    game never block: plain rolls, look-ups and shots that changed nothing, so that nobody can bury
    a shot under them. Dice of upkeep count although they changed nothing, because the phase would
    roll them again.
    """
    if later_event["kind"] in BARRIERS:
        return True
    is_rolled_upkeep = "upkeep" in later_event and bool(later_event.get("dice"))
    if not changes_game(later_event) and not is_rolled_upkeep:
        return False
    used_keys = {*list_written(later_event), *_list_read(later_event)}
    if _EVERY_UNIT in used_keys and any(key.startswith("unit:") for key in keys):
        return True
    return not used_keys.isdisjoint(keys)


def find_in_the_way(
    event: Mapping[str, Any], later_events: Iterable[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Return the newest of the later events that blocks the undo of `event`, or None.

    `later_events` are those not undone, newest first. For an opened sealed roll only those after
    its opening count, since the opening made its changes.
    """
    candidates = [*later_events]
    opening = find_opening(event, candidates)
    start = (opening or event)["number"]
    keys = frozenset(list_written(add_opening(event, candidates)))
    for later_event in candidates:
        if later_event["number"] > start and is_in_the_way(later_event, keys):
            return later_event
    return None


def list_written(event: Mapping[str, Any]) -> list[str]:
    """Return the key of each part of the game that an event changed, and its undo would change."""
    before: Mapping[str, Any] = event.get("before") or {}
    after: Mapping[str, Any] = event.get("after") or {}
    keys: list[str] = []
    for name, unit in (after.get("units") or {}).items():
        keys.append(f"unit:{name}")
        previous = before["units"][name]
        if unit is None or previous is None:
            keys.append(f"handle:{(unit or previous)['handle']}")
    keys += [f"deck:{key.partition('/')[0]}" for key in after.get("cards") or ()]
    keys += _list_written_fields(before.get("game") or {}, after.get("game") or {})
    if "asks" in event:
        keys.append(f"choice:{event['number']}")
    if is_continuation(event):
        keys.append(f"choice:{event['event']}")
    return keys


def _list_written_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return keys such as `phase` and `field:name` for the fields of a game that a patch changes.

    Fields with several entries have a key for each changed entry, such as `track:US/points`.
    """
    keys: list[str] = []
    for name, value in after.items():
        if name in _PHASE_FIELDS:
            keys.append(PHASE)
        elif name in BY_KEY:
            keys += [_get_entry_key(name, key) for key in _list_changed_keys(before[name], value)]
        else:
            keys.append(f"field:{name}")
    return keys


def _get_entry_key(field: str, key: str) -> str:
    """Return the key of one entry of a field that holds several things."""
    if field == "tracks":
        return f"track:{key}"
    if field == "decks":
        return f"deck:{key}"
    return "field:rules" if field == "rules" else f"{field}:{key}"


def _list_read(event: Mapping[str, Any]) -> list[str]:
    """Return the key of each part of the game that an event used."""
    kind = event["kind"]
    keys = ["field:master", f"players:{event['who']}"]
    keys += [f"unit:{unit['name'].casefold()}" for unit in get_recorded_units(event)]
    keys += _list_related(event)
    if kind in (*OUTCOMES, "unit"):
        keys += ["field:system", "field:packs"]
    if kind in OUTCOMES:
        keys += [PHASE, "field:rules", "field:hand_dice"]
    keys += _list_read_tracks_and_piles(event.get("read") or {})
    if "deck" in event:
        keys.append(f"deck:{event['deck']}")
    fields: Mapping[str, Any] = (event.get("after") or {}).get("game") or {}
    if kind in TURNING and not fields.keys().isdisjoint(("turn", "phase", "turn_of")):
        keys.append(_EVERY_UNIT)  # a new phase clears markers, and gives back what was used up
    return keys


def _list_read_tracks_and_piles(recorded: Mapping[str, Any]) -> list[str]:
    """Return keys such as `deck:chances` and `track:US/points` for what a sequence read.

    `recorded` has the values that it read by their names in formulas, as in the field `read`.
    """
    piles = [name for name in recorded if name.startswith(DECK)]
    tracks = [name for name in recorded if "." in name and name not in piles]
    keys = [f"deck:{name.removeprefix(DECK)}" for name in piles]
    if tracks:
        keys += [f"track:{key}" for key in get_track_keys(tracks, recorded)]
    return keys


def _list_related(event: Mapping[str, Any]) -> list[str]:
    """Return the keys of units named by the changed units, such as their vehicle or squad."""
    keys: list[str] = []
    for unit in ((event.get("after") or {}).get("units") or {}).values():
        for value in ((unit or {}).get("numbers") or {}).values():
            if isinstance(value, str):
                keys += [f"unit:{value.casefold()}", f"handle:{value}"]
    return keys


def _list_changed_keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    keys = sorted({*before, *after})
    return [key for key in keys if before.get(key, _ABSENT) != after.get(key, _ABSENT)]


def find_opening(
    event: Mapping[str, Any], newest_first: Iterable[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Return the event that opened a sealed roll, or None. `newest_first` are the events after it."""
    if event["kind"] != "sealed":
        return None
    number = event["number"]
    return next((event for event in newest_first if number in event.get("opens", ())), None)


def add_opening(event: Mapping[str, Any], newest_first: Iterable[Mapping[str, Any]]) -> Json:
    """Return a copy of the event, with the changes of its opening if it is an opened sealed roll."""
    opening = find_opening(event, newest_first) or {}
    patch = {name: opening[name] for name in ("before", "after") if opening.get(name)}
    return {**event, **patch}


def build_patch_onto(game: Game, source: Json | None, target: Json | None) -> Json:
    """Build `before` and `after` of an event that repeats the change of a patch on today's `game`.

    The change is from the values of `source` to those of `target`: for an undo from `after` of the
    undone event to its `before`, for a redo the other way round. In a field with several entries,
    such as `tracks`, only the entries that differ between them change. The others stay as they are
    in `game`, in `before` as well as in `after`. Return {} if `source` or `target` is empty.
    """
    if not source or not target:
        return {}
    before = dict(source)
    after = dict(target)
    fields: Mapping[str, Any] = source.get("game") or {}
    names = [name for name in fields if name in BY_KEY]
    if names:
        before["game"] = dict(source["game"])
        after["game"] = dict(target["game"])
    for name in names:
        value = dict(getattr(game, name))
        before["game"][name] = dict(value)
        for key in _list_changed_keys(source["game"][name], target["game"][name]):
            value.pop(key, None)
            if key in target["game"][name]:
                value[key] = target["game"][name][key]
        after["game"][name] = value
    return {"before": before, "after": after}


def list_changed_fields(
    game: Game, patch: Mapping[str, Any], opposite: Mapping[str, Any]
) -> list[str]:
    """Return the fields of a game that differ from `patch` by now.

    `opposite` is the reverse patch. In a field with several entries, only the entries that differ
    between the two count.
    """
    names: list[str] = []
    fields: Mapping[str, Any] = patch.get("game") or {}
    opposite_fields: Mapping[str, Any] = opposite.get("game") or {}
    for name, value in fields.items():
        current = getattr(game, name)
        if name in BY_KEY and name in opposite_fields:
            keys = _list_changed_keys(opposite_fields[name], value)
            is_changed = any(current.get(key, _ABSENT) != value.get(key, _ABSENT) for key in keys)
        else:
            is_changed = (list(current) if isinstance(current, tuple) else current) != value
        if is_changed:
            names.append(name)
    return names
