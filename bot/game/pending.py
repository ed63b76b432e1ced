"""Pending choices, and the units, tracks or whole game that wait for them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.game.events import is_continuation
from bot.game.state import Game

HELD_UP = ("next", "pass", "end")
"""Kinds of events that wait for every choice."""
HELD_FIELDS = ("packs", "system", "led")
"""Fields of a game that stay as they are while any choice is pending."""


@dataclass(frozen=True, slots=True)
class CommandReach:
    """The units and tracks that a command uses or may change."""

    units: frozenset[str] = frozenset()
    """Case-folded names of units."""
    tracks: frozenset[str] = frozenset()
    """Keys of tracks, as a game keeps them."""
    is_all: bool = False
    """Whether it waits for every choice."""
    any_unit: bool = False
    """Whether it may change any unit."""


class Hold(NamedTuple):
    """A pending choice that has to be made first: its event, and the units and tracks it holds."""

    number: int
    units: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()


def find_hold(game: Game, reach: CommandReach, answered_event: int = 0) -> Hold | None:
    """Return the first choice that holds what is in reach, or None.

    The choice of event `answered_event` does not count.
    """
    return next(_find_holds(game, reach, answered_event), None)


def _find_holds(game: Game, reach: CommandReach, answered_event: int) -> Iterator[Hold]:
    """Yield a hold for each choice that a command has to wait for.

    Each has the units and tracks that the choice holds and that are in `reach`. With
    `reach.is_all`, every choice counts, also without any of these. The choice of event
    `answered_event` does not count.
    """
    for number, choice in game.waits.items():
        if number == answered_event:
            continue
        held_units = choice.get("units", ())
        units = tuple(
            unit for unit in held_units if reach.any_unit or unit.casefold() in reach.units
        )
        tracks = tuple(key for key in choice.get("tracks", ()) if key in reach.tracks)
        if reach.is_all or units or tracks:
            yield Hold(number, units, tracks)


def find_event_reach(game: Game, event: Mapping[str, Any]) -> CommandReach:
    """Return the reach of an event: what it uses and changes in `game`, the state before it."""
    patch: Mapping[str, Any] = event.get("after") or {}
    fields: Mapping[str, Any] = patch.get("game") or {}
    used = {unit["name"].casefold() for unit in event.get("used") or ()}
    tracks: Mapping[str, Any] = fields.get("tracks", game.tracks)
    changed = {key for key in {*game.tracks, *tracks} if game.tracks.get(key) != tracks.get(key)}
    is_all = event["kind"] in HELD_UP or any(field in fields for field in HELD_FIELDS)
    return CommandReach(frozenset(used | {*(patch.get("units") or ())}), frozenset(changed), is_all)


def find_event_hold(game: Game, event: Mapping[str, Any]) -> Hold | None:
    """Return the choice that has to be made before an event, or None."""
    is_about_another = is_continuation(event) or event["kind"] == "undo"
    answered_event = event["event"] if is_about_another else 0
    return find_hold(game, find_event_reach(game, event), answered_event)
