"""The effects of a sequence on the game around it: bans and cautions of the card, riders that have
to leave a vehicle, and arrivals in a later turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ANYWAY = "anyway"
"""The input with which a player rolls although the card forbids it."""


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban of the card on acting with one of these markers.

    `markers` maps each marker to the card's words for it. `out_of_turn`: only while another side is
    to play. `says` is the text, with {} for the unit and {} for the words of its marker.
    """

    markers: Mapping[str, str]
    says: str
    out_of_turn: bool = False


@dataclass(frozen=True, slots=True)
class Caution:
    """A demand of the card on the players before this is done to units with one of these markers.

    The bot cannot check it, so an answer has it as a text. A unit with the marker `unless` is
    exempt. `out_of_turn`: only while another side is to play. `says` is the text, with {} for the
    unit and {} for the words of its marker.
    """

    markers: Mapping[str, str]
    says: str
    unless: str = ""
    out_of_turn: bool = False


@dataclass(frozen=True, slots=True)
class Ride:
    """The sequence to play next for units that ride in or on a vehicle, after the vehicle acts or
    suffers something.

    - `says`: the text, with {} for the vehicle and {} for the riders.
    - `run`: the id of that sequence. `riders`: its input that takes the riders.
    - `button`: the label of the button that opens its form.
    - `marker`: only riders with this marker count; "" for all.
    - `given`: further inputs of that sequence.
    - `when`: the outputs that are needed, each with its allowed values.
    """

    says: str
    run: str
    riders: str
    button: str
    marker: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Landing:
    """A sequence to play in a later turn, which the card of that turn announces.

    - `says`: the text of the announcement.
    - `run`: the id of the sequence to play then.
    - `turn`: the output with the number of that turn. Without it, the sequence is due in each of
      the next `turns`.
    - `when`: the inputs that are needed, each with its allowed values.
    - `given`: further inputs of the later sequence. `keeps`: inputs that it takes over.
    """

    says: str
    run: str
    turn: str = ""
    turns: int = 0
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    keeps: tuple[str, ...] = ()


def read_bans(data: Mapping[str, Any]) -> tuple[Ban, ...]:
    """Read the bans of a sequence."""
    return tuple(
        Ban(entry["markers"], entry["says"], bool(entry.get("out_of_turn")))
        for entry in data.get("bans") or ()
    )


def read_cautions(data: Mapping[str, Any]) -> tuple[Caution, ...]:
    """Read the cautions of a sequence."""
    return tuple(
        Caution(
            entry["markers"],
            entry["says"],
            entry.get("unless") or "",
            bool(entry.get("out_of_turn")),
        )
        for entry in data.get("cautions") or ()
    )


def read_rides(data: Mapping[str, Any]) -> tuple[Ride, ...]:
    """Read the rides of a sequence."""
    return tuple(
        Ride(
            entry["says"],
            entry["run"],
            entry["riders"],
            entry["button"],
            entry.get("marker") or "",
            entry.get("given") or {},
            _read_when(entry),
        )
        for entry in data.get("rides") or ()
    )


def read_landings(data: Mapping[str, Any]) -> tuple[Landing, ...]:
    """Read the landings of a sequence, its key `lands`."""
    return tuple(
        Landing(
            entry["says"],
            entry["run"],
            entry.get("turn") or "",
            entry.get("turns") or 0,
            _read_when(entry),
            entry.get("given") or {},
            tuple(entry.get("keeps") or ()),
        )
        for entry in data.get("lands") or ()
    )


def _read_when(entry: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return the conditions of an entry: for each name the allowed values."""
    return {name: tuple(values) for name, values in (entry.get("when") or {}).items()}


def is_matching(when: Mapping[str, tuple[Any, ...]], values: Mapping[str, Any]) -> bool:
    """Return whether each name in `when` has one of its allowed values."""
    return all(values.get(name) in allowed for name, allowed in when.items())
