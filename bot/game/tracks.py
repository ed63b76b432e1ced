"""The tracks of a game in play: their owners and values when somebody acts.

The values that a sequence read are in its event, so that a log is complete by itself: `read:
{"side": "US", "foe": "VC", "side.points": 9, "track.sea": 2}`.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bot.game.decks import list_deck_lines
from bot.game.state import Game, Json
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK
from bot.rules.inputs.tracks import FOE, GAME, OWNERS, SIDE, Track
from bot.rulesets.system import System


def find_track_side(
    units: Iterable[tuple[str, str]], acting: Collection[str], person_side: str, game: Game
) -> str:
    """Return the side meant by `side` in track names.

    It is the side of the first unit that acts, else `person_side`, else the side of any named
    unit, else the side whose turn it is. `units` are (name, side).
    """
    units_with_side = [(name, side) for name, side in units if side]
    acting_side = next((side for name, side in units_with_side if name in acting), "")
    named_side = next((side for _, side in units_with_side), "")
    return acting_side or person_side or named_side or game.turn_of


def get_owners(game: Game, side: str) -> dict[str, str]:
    """Return the sides meant by `side` and `foe`, "" for none."""
    other_sides = [name for name in game.sides if name != side]
    return {SIDE: side, FOE: other_sides[0] if side and len(other_sides) == 1 else ""}


def get_track_key(name: str, owners: Mapping[str, str]) -> str:
    """Return the key under which a game keeps the track that formulas call `name`.

    The key of `side.points` is `US/points` if `owners` has US as `side`, and that of `track.sea` is
    `sea`. Return "" if `owners` has no such side.
    """
    owner_word, _, track = name.partition(".")
    if owner_word == GAME:
        return track
    owner = owners.get(owner_word, "")
    return f"{owner}/{track}" if owner else ""


def get_track_keys(names: Iterable[str], owners: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sorted keys of tracks by their names in formulas, without tracks of no side."""
    return tuple(sorted({get_track_key(name, owners) for name in names} - {""}))


def build_track_inputs(
    names: Iterable[str], tracks: Mapping[str, Track], game: Game, side: str
) -> Json:
    """Build the event values of the tracks that a sequence reads.

    Raise UserError for a track of the other side if there are three sides.
    """
    owners = get_owners(game, side)
    values = dict[str, Any]()
    for name in names:
        owner_word, _, track = name.partition(".")
        if owner_word == FOE and len(game.sides) > 2:
            title = tracks[track].title
            message = (
                f"This needs {title} of the other side, but there are {len(game.sides)} sides."
            )
            raise UserError(message, code="card-refuses")
        values[name] = game.tracks.get(get_track_key(name, owners), tracks[track].start)
    if all(name.startswith(f"{GAME}.") for name in values):
        return values
    return {**{word: owner for word, owner in owners.items() if owner}, **values}


def fill_track_inputs(recorded: Mapping[str, Any], tracks: Mapping[str, Track]) -> Json:
    """Return recorded values as inputs of the sequence, fitted to the tracks of today.

    Piles stay as recorded. Tracks that are gone are left out.
    """
    inputs: Json = {}
    for name, value in recorded.items():
        track = name.partition(".")[2]
        if name.startswith(DECK):
            inputs[name] = value
        elif track in tracks:
            inputs[name] = tracks[track].fit_value(value)
    return inputs


def find_track_problem(
    game: Game,
    roll: Mapping[str, Any],
    person: str,
    new_tracks: Mapping[str, Any],
    *,
    is_own: bool,
) -> str:
    """Return what is wrong with the tracks that a roll reads and changes, or "".

    The check uses only the log, not the game's files. `new_tracks` are the tracks after the roll.
    `is_own`: the roll is of the system that the game is played with.
    """
    recorded = dict(roll.get("read") or {})
    values = {name: value for name, value in recorded.items() if not name.startswith(DECK)}
    recorded_owners = {word: values.pop(word) for word in (SIDE, FOE) if word in values}
    owners = _find_roll_owners(game, roll, person, values)
    if recorded_owners != {word: owner for word, owner in owners.items() if owner}:
        return "it reads the tracks of a side other than the one that acts."
    for name, value in values.items():
        owner_word, _, track = name.partition(".")
        if owner_word not in OWNERS or not track:
            return f"it reads {name[:40]}, which is no track."
        current = game.tracks.get(get_track_key(name, owners), value) if is_own else value
        if current != value or type(current) is not type(value):
            return f"it reads a different value of {name} from the one the log leads to."
    changed = find_changed_tracks(game, new_tracks)
    readable = {get_track_key(name, owners) for name in values} if is_own else set()
    if {*changed} <= readable and {*game.tracks} <= {*new_tracks}:
        return ""
    return "it changes a track that it did not read."


def _find_roll_owners(
    game: Game, roll: Mapping[str, Any], person: str, names: Iterable[str]
) -> dict[str, str]:
    """Return the sides meant by `side` and `foe` in a roll, "" if it names no track of a side."""
    if all(name.partition(".")[0] not in (SIDE, FOE) for name in names):
        return dict.fromkeys((SIDE, FOE), "")
    units = [(unit["name"], unit.get("side", "")) for unit in roll.get("used") or []]
    side = find_track_side(units, roll.get("acting", ()), person, game)
    return get_owners(game, side)


def find_changed_tracks(game: Game, new_tracks: Mapping[str, Any]) -> Json:
    """Return the tracks of `new_tracks` whose value differs from the game's."""
    return {
        key: value
        for key, value in new_tracks.items()
        if key not in game.tracks or game.tracks[key] != value
    }


def find_hand_set_problem(game: Game, new_tracks: Mapping[str, Any], words: str) -> str:
    """Return what is wrong with a track that somebody sets by hand, or "".

    They set one at a time, and `words` must give its new value. Its title is not checked: only the
    game's files have it.
    """
    changed = find_changed_tracks(game, new_tracks)
    key, value = next(iter(changed.items()), ("", ""))
    side = key.rpartition("/")[0]
    ending = f" ({side}): {value}" if side else f": {value}"
    is_one_track = bool(key) and len(changed) == 1
    if is_one_track and {*game.tracks} <= {*new_tracks} and words.endswith(ending):
        return ""
    return "its words are not the track that it sets."


def list_track_titles(keys: Iterable[str], system: System | None) -> list[str]:
    """Return the titles of tracks by their keys in a game: `Weather`, `Command points (US)`."""
    tracks = system.tracks if system is not None else {}
    titles = list[str]()
    for key in keys:
        side, _, name = key.rpartition("/")
        title = tracks[name].title if name in tracks else name
        titles.append(f"{title} ({side})" if side else title)
    return titles


def format_tracks(game: Game, system: System | None, *, whole_piles: bool = True) -> str:
    """Format tracks and decks: `Weather: mud · Command points: US 9, VC 3 · Chances: 9 of 12 in the
    pile`.

    Return "" if there are none. Complete piles are left out unless `whole_piles`.
    """
    if system is None:
        return ""
    tracks = list_track_lines(game, system.tracks, game.sides)
    return " · ".join([*tracks, *list_deck_lines(game, system, changed=not whole_piles)])


def list_track_lines(
    game: Game, tracks: Mapping[str, Track], sides: Iterable[str], *, hidden: bool = False
) -> list[str]:
    """Return a line for each track: `Weather: mud`, `3 orders left each`, `Command points: US 9, VC 3`.

    Hidden tracks are included only if `hidden`.
    """
    sides = [*sides]
    lines = list[str]()
    for track in tracks.values():
        if not (track.shown or hidden):
            continue
        if not (track.by_side and sides):
            lines.append(track.format_value(track.get_value(game.tracks)))
            continue
        values = {side: track.get_value(game.tracks, side) for side in sides}
        if len({*values.values()}) == 1:
            value = values[sides[0]]
            amount = track.count_in_words(value) or f"{track.title}: {value}"
            lines.append(f"{amount} each")
        else:
            side_values = ", ".join(f"{side} {value}" for side, value in values.items())
            lines.append(f"{track.title}: {side_values}")
    return lines
