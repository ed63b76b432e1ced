"""What a sequence says of the game around it: whom the card forbids it, who has to leave the vehicle
that fires, and what it brings in a later turn.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.rules.errors import TableError, did_you_mean

ANYWAY = "anyway"
"""The input with which a player rolls although the card forbids it."""


@dataclass(frozen=True, slots=True)
class Ban:
    """What the card forbids units with one of these markers, which have the card's words for them.

    `out_of_turn`: only while another side is to play. `says` has the unit and its marker as {}.
    """

    markers: Mapping[str, str]
    says: str
    out_of_turn: bool = False


@dataclass(frozen=True, slots=True)
class Caution:
    """What the card wants of the players before this is done to units with one of these markers.

    The bot cannot check it, so an answer says it. A unit with the marker `unless` needs nothing.
    `out_of_turn`: only while another side is to play. `says` has the unit and its marker as {}.
    """

    markers: Mapping[str, str]
    says: str
    unless: str = ""
    out_of_turn: bool = False


@dataclass(frozen=True, slots=True)
class Ride:
    """What happens to units that ride in or on a vehicle that acts, or to which something happens.

    With `marker` only those with that marker are meant. `when` is what the outputs must be.
    `says` has the vehicle and the riders as {}, `run` is the sequence to play next with the inputs
    `given`, in which `riders` names the list that takes them. `button` opens its form.
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
    """What a sequence brings in a later turn, which the card of that turn announces.

    `turn` is the output with the number of that turn. Without it, it is due in each of the next
    `turns`. `when` is what the inputs must be, `says` what comes. `run` is the sequence to play
    then, with the inputs `given`; those of `keeps` are as they were.
    """

    says: str
    run: str
    turn: str = ""
    turns: int = 0
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    keeps: tuple[str, ...] = ()


KEYS = {
    "bans": ("markers", "says", "out_of_turn"),
    "cautions": ("markers", "says", "unless", "out_of_turn"),
    "rides": ("marker", "says", "run", "riders", "button", "given", "when"),
    "lands": ("says", "run", "turn", "turns", "when", "given", "keeps"),
}
"""The keys of a sequence that are read here, and those of each of their entries."""


def read_bans(data: Mapping[str, Any], file: str, id: str) -> tuple[Ban, ...]:
    """Return what the card forbids. Raises TableError."""
    return tuple(
        Ban(entry["markers"], entry["says"], bool(entry.get("out_of_turn")))
        for entry in _read_entries(data, "bans", file, id, need=("markers", "says"))
    )


def read_cautions(data: Mapping[str, Any], file: str, id: str) -> tuple[Caution, ...]:
    """Return what an answer says of units to which this is done. Raises TableError."""
    return tuple(
        Caution(
            entry["markers"],
            entry["says"],
            entry.get("unless") or "",
            bool(entry.get("out_of_turn")),
        )
        for entry in _read_entries(data, "cautions", file, id, need=("markers", "says"))
    )


def read_rides(data: Mapping[str, Any], file: str, id: str) -> tuple[Ride, ...]:
    """Return what happens to riders. Raises TableError."""
    need = ("says", "run", "riders", "button")
    return tuple(
        Ride(
            **{name: entry[name] for name in need},
            marker=entry.get("marker") or "",
            given=entry.get("given") or {},
            when=_read_when(entry),
        )
        for entry in _read_entries(data, "rides", file, id, need=need)
    )


def read_landings(data: Mapping[str, Any], file: str, id: str) -> tuple[Landing, ...]:
    """Return what comes in later turns. Raises TableError."""
    return tuple(
        Landing(
            entry["says"],
            entry["run"],
            str(entry.get("turn") or ""),
            int(entry.get("turns") or 0),
            _read_when(entry),
            entry.get("given") or {},
            tuple(entry.get("keeps") or ()),
        )
        for entry in _read_entries(data, "lands", file, id, need=("says", "run"))
    )


def _read_when(entry: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(values) for name, values in (entry.get("when") or {}).items()}


def is_matching(when: Mapping[str, tuple[Any, ...]], values: Mapping[str, Any]) -> bool:
    """Return whether all the values are among those that `when` has for them."""
    return all(values.get(name) in allowed for name, allowed in when.items())


def _read_entries(
    data: Mapping[str, Any], key: str, file: str, id: str, *, need: Iterable[str]
) -> list[Mapping[str, Any]]:
    """Return the entries of one of these keys. Raises TableError for one that is not right."""
    entries = data.get(key) or []
    row = f"{id} {key}"
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise TableError(file, f"{key} must be a list of mappings", row=row)
    for entry in entries:
        if unknown := [name for name in map(str, entry) if name not in KEYS[key]]:
            hint = did_you_mean(unknown[0], KEYS[key])
            raise TableError(
                file, f'{key} has no key "{unknown[0][:40]}". {hint}'.rstrip(), row=row
            )
        if missing := [name for name in need if not entry.get(name)]:
            raise TableError(file, f"{missing[0]} is missing", row=row)
        for name, value in entry.items():
            kind = _KINDS.get(name, str)
            if not isinstance(value, kind):
                raise TableError(file, f"{name} cannot be {value!r}", row=row)
    return entries


_KINDS: Mapping[str, type] = {
    "markers": Mapping,
    "keeps": list,
    "when": Mapping,
    "given": Mapping,
    "turns": int,
    "out_of_turn": bool,
}
"""What these keys hold; every other one is a text."""
