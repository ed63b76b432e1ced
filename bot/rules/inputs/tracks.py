"""Tracks: values that a game keeps apart from its units, such as the weather or a side's command
points, as a pack declares them, and their changes.

`track.weather` belongs to the game, `side.points` to the acting side, `foe.points` to the other
side of two. Such a name is an input of each sequence that reads or changes it, and the game fills
it in. A state stores changed tracks by `get_key`; all others are at their start.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bot.rules.errors import Slip, UserError, did_you_mean, name_row_of_errors
from bot.rules.inputs.options import Option, clean, format_code_word
from bot.rules.text.line import format_minus

OWNERS = ("track", "side", "foe")
"""The prefixes of tracks in formulas: of the game, of the acting side, of the other side."""
GAME, SIDE, FOE = OWNERS
MOST, MOST_WORDS, LONGEST, LARGEST = 20, 24, 40, 1_000_000
HIGHEST, LOWEST = "highest", "lowest"
WINS = (HIGHEST, LOWEST)
"""Which side has won by a track that is the score."""
KEYS = ("title", "words", "min", "max", "start", "of", "shown", "wins")
_NAME, _WORD = r"[a-z][a-z0-9_]{0,23}", r"[A-Za-z][A-Za-z0-9_-]{0,23}"


@dataclass(frozen=True, slots=True)
class Track:
    """A track: an ordered list of words, or whole numbers from `min` to `max`."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    """Its values in order; empty for a track of numbers."""
    min: int = 0
    max: int = 0
    start: Any = 0
    by_side: bool = False
    """Whether each side has a value of its own."""
    shown: bool = True
    """Whether the card of a turn shows it."""
    wins: str = ""
    """If it is the score: whether the highest or the lowest wins."""

    def build_option(self, owner: str) -> Option:
        """Return the input of a sequence for this track, such as `side.points`."""
        name = f"{owner}.{self.name}"
        title = f"{self.title}, other side" if owner == FOE else self.title
        if self.words:
            return Option(name, "enum", values=self.words, default=self.start, label=title)
        return Option(name, "int", min=self.min, max=self.max, default=self.start, label=title)

    def get_key(self, side: str = "") -> str:
        """Return the key under which a state stores the track."""
        return f"{side}/{self.name}" if self.by_side else self.name

    def fit_value(self, value: Any) -> Any:
        """Return a stored value within the track of today: the start for an unknown word, a number
        within the range.
        """
        if self.words:
            return value if value in self.words else self.start
        return max(self.min, min(self.max, value)) if type(value) is int else self.start

    def get_value(self, state_tracks: Mapping[str, Any], side: str = "") -> Any:
        """Return the value of the track in `state_tracks`, which holds values by key.

        A track that is not there has its start value. A value that the track no longer has is made
        to fit (see `fit_value`). `side` is needed for a track of each side.
        """
        key = self.get_key(side)
        return self.fit_value(state_tracks[key]) if key in state_tracks else self.start

    @property
    def example(self) -> str:
        """An example of how to set it: `weather mud`."""
        return f"{self.name} {self.words[-1] if self.words else self.max}"

    def parse_value(self, raw: Any) -> Any:
        """Parse a typed value. Raises UserError for one that the track does not have."""
        return clean(self.build_option(GAME), raw)

    def format_value(self, value: Any, side: str = "") -> str:
        """Format a value: `Weather: mud`, `Command points (US): 9`."""
        return f"{self.title}{f' ({side})' if side and self.by_side else ''}: {value}"

    def format_amount(self, value: Any, side: str = "") -> str:
        """Return a number of things in words, `3 orders left (Duke)`; any other value as
        `format_value` does.
        """
        amount = self.count_in_words(value)
        if not (amount and side and self.by_side):
            return self.format_value(value, side)
        return f"{amount} ({side})"

    def count_in_words(self, value: Any) -> str:
        """Return `1 order left` or `3 orders left`, if the title is a plural; else ""."""
        words = self.title.split()
        plurals = [
            index for index, word in enumerate(words) if word.endswith("s") and word[-2:] != "ss"
        ]
        if type(value) is not int or not plurals:
            return ""
        if value == 1:
            words[plurals[0]] = words[plurals[0]].removesuffix("s")
        if not words[0].isupper():
            words[0] = words[0].lower()
        return f"{value} {' '.join(words)}"


class TrackMove(NamedTuple):
    """A change of a track by a sequence: a value to set, or an amount to add. `track` is its name
    in formulas.
    """

    track: str
    set: Any = None
    add: int = 0


def move_tracks(
    tracks: Mapping[str, Track],
    values: Mapping[str, Any],
    moves: Iterable[TrackMove],
    owners: Mapping[str, str],
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the changed tracks by their names in formulas, and a sentence about each moved
    track.
    """
    moved: dict[str, Any] = {}
    sentences: dict[str, str] = {}
    remarks: dict[str, str] = {}
    for move in moves:
        owner, _, name = move.track.partition(".")
        track = tracks[name]
        if owner != GAME and not owners.get(owner):
            sentences[move.track] = f"{track.title}: no side's, so it stays"
            continue
        value, remark = move_track(
            track, moved.get(move.track, values.get(move.track, track.start)), move
        )
        remark = remark or remarks.get(move.track, "")
        moved[move.track] = value
        remarks[move.track] = remark
        amount = track.format_amount(value, owners.get(owner, ""))
        sentences[move.track] = ", ".join(filter(None, (amount, remark)))
    return {key: value for key, value in moved.items() if value != values.get(key)}, sentences


def move_track(track: Track, value: Any, move: TrackMove) -> tuple[Any, str]:
    """Return the value after a move, and a remark if it goes past an end or to an unknown value."""
    if move.set is not None and track.words:
        return (
            (move.set, "")
            if move.set in track.words
            else (value, f"which has no {str(move.set)[:LONGEST]}")
        )
    if track.words:
        target = track.words.index(value) + move.add
        last = len(track.words) - 1
        return track.words[
            max(0, min(last, target))
        ], "" if 0 <= target <= last else "as far as it goes"
    target = value + move.add if move.set is None else move.set
    if type(target) is not int:
        return value, f"which has no {str(target)[:LONGEST]}"
    reached = track.fit_value(target)
    return (
        reached,
        "" if reached == target else f"as far as it goes ({format_minus(target)} was due)",
    )


def read_tracks(tracks: Any, file: str) -> Mapping[str, Track]:
    """Read the tracks of a game.yaml by name. Raises TableError for any fault in them."""
    tracks_by_name: dict[str, Track] = {}
    with name_row_of_errors(file, "tracks"):
        if not isinstance(tracks, Mapping) or len(tracks) > MOST:
            raise Slip(f"must be name: {{words: [...]}} or name: {{min, max}}, at most {MOST}")
        for name, spec in tracks.items():
            with name_row_of_errors(file, f"tracks {str(name)[:LONGEST]}"):
                tracks_by_name[name] = _read_track(name, spec)
    return tracks_by_name


def _read_track(name: Any, spec: Any) -> Track:
    """Read one track.

    Without a `start` it starts at its first word, or at the number in its range that is nearest to
    0. Raises Slip for a key or value that a track cannot have.
    """
    _check_track(name, spec)
    title = spec.get("title") or format_code_word(name)
    scope = spec.get("of", GAME)
    is_shown = spec.get("shown", True)
    if not isinstance(title, str) or len(title) > LONGEST:
        raise Slip(f"title must be text of at most {LONGEST} characters")
    if scope not in ("game", GAME, SIDE):
        raise Slip("of must be side, or left out for a track of the whole game")
    if not isinstance(is_shown, bool):
        raise Slip("shown must be yes or no: whether cards and the board show it")
    words, lowest, highest = _read_bounds(spec)
    start = words[0] if words else max(lowest, min(highest, 0))
    wins = spec.get("wins", "")
    if "wins" in spec and (wins not in WINS or words or scope != SIDE):
        raise Slip(
            "wins must be highest or lowest, and is for a track with numbers for each side (of: side)"
        )
    one_line_title = " ".join(title.split())
    by_side = scope == SIDE
    track = Track(name, one_line_title, words, lowest, highest, start, by_side, is_shown, wins)
    if "start" not in spec:
        return track
    try:
        return replace(track, start=track.parse_value(spec["start"]))
    except UserError as error:
        raise Slip(f"start: {error.message} {error.hint}".rstrip()) from None


def _check_track(name: Any, spec: Any) -> None:
    """Raise Slip for a bad name of a track, and for a spec that is no mapping or has unknown
    keys.
    """
    if not isinstance(name, str) or not re.fullmatch(_NAME, name):
        raise Slip(
            "a track's name has up to 24 lowercase letters, digits and _, so that formulas can read it"
        )
    if not isinstance(spec, Mapping):
        raise Slip("must be {words: [clear, mud]} or {min: 0, max: 30}")
    unknown_keys = [str(key)[:LONGEST] for key in spec if key not in KEYS]
    if unknown_keys:
        hint = did_you_mean(unknown_keys[0], KEYS) or f"It can be {', '.join(KEYS)}."
        raise Slip(f'"{unknown_keys[0]}" is not known here. {hint}')


def _read_bounds(spec: Mapping[str, Any]) -> tuple[tuple[str, ...], int, int]:
    """Return the words of a track with 0 and 0, or no words with its lowest and highest number.

    Raises Slip for words together with a range, and for a range that is empty or no whole numbers.
    """
    words = spec.get("words")
    lowest: Any = spec.get("min", 0)
    highest: Any = spec.get("max")
    if words is not None:
        if {"min", "max"} & spec.keys():
            raise Slip("has words or a range, not both")
        return _read_words(words), 0, 0
    for bound in (lowest, highest):
        if type(bound) is not int or abs(bound) > LARGEST:
            raise Slip(
                f"needs words, or a range of whole numbers: max (and min, else 0), within {LARGEST:,}"
            )
    if lowest >= highest:
        raise Slip(f"min is {lowest} and max {highest}: the range is empty")
    return (), lowest, highest


def _read_words(words: Any) -> tuple[str, ...]:
    """Return the words of a track. Raises Slip unless they are 2 to MOST_WORDS different words that
    formulas can name.
    """
    if not isinstance(words, list) or not all(
        isinstance(word, str) and re.fullmatch(_WORD, word) for word in words
    ):
        raise Slip("words are letters, digits, - and _, at most 24 each; quote yes, no, on and off")
    if not 2 <= len(words) <= MOST_WORDS or len(set(words)) < len(words):
        raise Slip(f"has 2 to {MOST_WORDS} words, each listed once")
    for reserved in ("none", "true", "false"):
        if reserved in words:
            raise Slip(f'the word "{reserved}" is used by formulas; choose another word')
    return tuple(words)


def read_start_values(
    spec: Any, tracks: Mapping[str, Track], sides: Iterable[str]
) -> dict[str, Any]:
    """Read the `tracks` of a scenario, and return the start values by the keys of the game's state.

    `spec` is such as `{mist: 1, points: {US: 12, VC: 8}}`. A single value for a track of each side
    counts for all `sides`. Raises UserError for an unknown track or side, and for a value that the
    track cannot have.
    """
    if not isinstance(spec, Mapping):
        raise UserError("tracks must be name: value, or name: {side: value}.", code="bad-value")
    start_values: dict[str, Any] = {}
    for name, value in spec.items():
        track = tracks.get(str(name))
        if track is None:
            hint = did_you_mean(str(name), tracks) or f"It has {', '.join(tracks) or 'none'}."
            raise UserError(
                f"The game has no track {str(name)[:LONGEST]}.", hint=hint, code="bad-value"
            )
        owners = tuple(sides) if track.by_side else ("",)
        values = value if isinstance(value, Mapping) else dict.fromkeys(owners, value)
        if strange := [side for side in values if side not in owners]:
            raise UserError(
                f"Track {name} has no side {str(strange[0])[:LONGEST]}.", code="bad-value"
            )
        start_values |= {
            track.get_key(side): track.parse_value(entry) for side, entry in values.items()
        }
    return start_values
