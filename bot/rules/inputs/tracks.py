"""Tracks: what a game keeps beside its units, such as the weather or a side's command points,
as a pack says them, and how far they move.

`track.weather` is the game's, `side.points` that of the side that acts, `foe.points` that of the
other side of two. Such a name is an input of each sequence that reads or changes it, which the game
fills in. A state keeps what has been changed, by `key`; all else is as the track starts.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bot.rules.errors import Slip, UserError, did_you_mean, name_row_of_errors
from bot.rules.inputs.options import Option, clean, format_code_word
from bot.rules.text.line import format_minus

OWNERS = ("track", "side", "foe")
"""Whose a track is in a formula: the game's, of the side that acts, of the other one."""
GAME, SIDE, FOE = OWNERS
MOST, MOST_WORDS, LONGEST, LARGEST = 20, 24, 40, 1_000_000
HIGHEST, LOWEST = "highest", "lowest"
WINS = (HIGHEST, LOWEST)
"""Which side a track of each side says has won, if it is the score."""
KEYS = ("title", "words", "min", "max", "start", "of", "shown", "wins")
_NAME, _WORD = r"[a-z][a-z0-9_]{0,23}", r"[A-Za-z][A-Za-z0-9_-]{0,23}"


@dataclass(frozen=True, slots=True)
class Track:
    """A track by its name: words in their order, else whole numbers from `min` to `max`; `shown`
    on cards or not. If it is the score, `wins` says whether the highest or the lowest wins.
    """

    name: str
    title: str
    words: tuple[str, ...] = ()
    min: int = 0
    max: int = 0
    start: Any = 0
    by_side: bool = False
    shown: bool = True
    wins: str = ""

    def build_option(self, whose: str) -> Option:
        """The input that it is for a sequence, as `side.points`."""
        name = f"{whose}.{self.name}"
        title = f"{self.title}, other side" if whose == FOE else self.title
        if self.words:
            return Option(name, "enum", values=self.words, default=self.start, label=title)
        return Option(name, "int", min=self.min, max=self.max, default=self.start, label=title)

    def get_key(self, side: str = "") -> str:
        """Under which a state keeps it."""
        return f"{side}/{self.name}" if self.by_side else self.name

    def fit_value(self, value: Any) -> Any:
        """A value as the track has it today: its start for a word that it has no more, a number
        within its range.
        """
        if self.words:
            return value if value in self.words else self.start
        return max(self.min, min(self.max, value)) if type(value) is int else self.start

    def get_value(self, kept: Mapping[str, Any], side: str = "") -> Any:
        """What it is in a state that keeps these."""
        key = self.get_key(side)
        return self.fit_value(kept[key]) if key in kept else self.start

    @property
    def example(self) -> str:
        """How it is set: `weather mud`."""
        return f"{self.name} {self.words[-1] if self.words else self.max}"

    def parse_value(self, raw: Any) -> Any:
        """The value that was typed. Raises UserError for none of its own."""
        return clean(self.build_option(GAME), raw)

    def format_value(self, value: Any, side: str = "") -> str:
        """`Weather: mud`, `Command points (US): 9`."""
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
        plurals = [at for at, word in enumerate(words) if word.endswith("s") and word[-2:] != "ss"]
        if type(value) is not int or not plurals:
            return ""
        if value == 1:
            words[plurals[0]] = words[plurals[0]].removesuffix("s")
        if not words[0].isupper():
            words[0] = words[0].lower()
        return f"{value} {' '.join(words)}"


class TrackMove(NamedTuple):
    """What a sequence makes of a track: a value, or so many more; `track` is its name as
    formulas read it.
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
    """The tracks that are moved, by their names in formulas, from these values; and what to say
    of each.
    """
    found: dict[str, Any] = {}
    said: dict[str, str] = {}
    ends: dict[str, str] = {}
    for move in moves:
        whose, _, name = move.track.partition(".")
        track = tracks[name]
        if whose != GAME and not owners.get(whose):
            said[move.track] = f"{track.title}: no side's, so it stays"
            continue
        value, remark = move_track(
            track, found.get(move.track, values.get(move.track, track.start)), move
        )
        found[move.track], ends[move.track] = value, remark or ends.get(move.track, "")
        said[move.track] = ", ".join(
            filter(None, (track.format_amount(value, owners.get(whose, "")), ends[move.track]))
        )
    return {key: value for key, value in found.items() if value != values.get(key)}, said


def move_track(track: Track, value: Any, move: TrackMove) -> tuple[Any, str]:
    """The value after a move, and what to say where it leads past an end or to no value."""
    if move.set is not None and track.words:
        return (
            (move.set, "")
            if move.set in track.words
            else (value, f"which has no {str(move.set)[:LONGEST]}")
        )
    if track.words:
        wanted = track.words.index(value) + move.add
        last = len(track.words) - 1
        return track.words[
            max(0, min(last, wanted))
        ], "" if 0 <= wanted <= last else "as far as it goes"
    wanted = value + move.add if move.set is None else move.set
    if type(wanted) is not int:
        return value, f"which has no {str(wanted)[:LONGEST]}"
    reached = track.fit_value(wanted)
    return (
        reached,
        "" if reached == wanted else f"as far as it goes ({format_minus(wanted)} was due)",
    )


def read_tracks(tracks: Any, file: str) -> Mapping[str, Track]:
    """The tracks of a game.yaml by name. Raises TableError for what is laid out wrong."""
    found: dict[str, Track] = {}
    with name_row_of_errors(file, "tracks"):
        if not isinstance(tracks, Mapping) or len(tracks) > MOST:
            raise Slip(f"must be name: {{words: [...]}} or name: {{min, max}}, at most {MOST}")
        for name, said in tracks.items():
            with name_row_of_errors(file, f"tracks {str(name)[:LONGEST]}"):
                found[name] = _read(name, said)
    return found


def _read(name: Any, said: Any) -> Track:
    if not isinstance(name, str) or not re.fullmatch(_NAME, name):
        raise Slip(
            "a track is named by up to 24 small letters, digits and _, so that formulas can read it"
        )
    if not isinstance(said, Mapping):
        raise Slip("must be {words: [clear, mud]} or {min: 0, max: 30}")
    if strange := [str(key)[:LONGEST] for key in said if key not in KEYS]:
        hint = did_you_mean(strange[0], KEYS) or f"It may be {', '.join(KEYS)}."
        raise Slip(f'"{strange[0]}" is not known here. {hint}')
    title = said.get("title") or format_code_word(name)
    of = said.get("of", GAME)
    shown = said.get("shown", True)
    if not isinstance(title, str) or len(title) > LONGEST:
        raise Slip(f"title is a text of at most {LONGEST} characters")
    if of not in ("game", GAME, SIDE):
        raise Slip("of is side, or left out for one of the whole game")
    if not isinstance(shown, bool):
        raise Slip("shown is yes or no: whether cards and the board show it")
    words, least, most = _read_bounds(said)
    first = words[0] if words else max(least, min(most, 0))
    wins = said.get("wins", "")
    if "wins" in said and (wins not in WINS or words or of != SIDE):
        raise Slip("wins is highest or lowest, of a track with numbers for each side (of: side)")
    track = Track(name, " ".join(title.split()), words, least, most, first, of == SIDE, shown, wins)
    try:
        return replace(track, start=track.parse_value(said["start"])) if "start" in said else track
    except UserError as error:
        raise Slip(f"start: {error.message} {error.hint}".rstrip()) from None


def _read_bounds(said: Mapping[str, Any]) -> tuple[tuple[str, ...], int, int]:
    """The words of a track, or its least and most number."""
    words = said.get("words")
    least = said.get("min", 0)
    most = said.get("max")
    if words is not None and {"min", "max"} & said.keys():
        raise Slip("has words or a range, not both")
    if words is not None:
        if not isinstance(words, list) or not all(
            isinstance(one, str) and re.fullmatch(_WORD, one) for one in words
        ):
            raise Slip(
                "words are letters, digits, - and _, at most 24 each; quote yes, no, on and off"
            )
        if not 2 <= len(words) <= MOST_WORDS or len(set(words)) < len(words):
            raise Slip(f"has 2 to {MOST_WORDS} words, each once")
        if reserved := next((word for word in ("none", "true", "false") if word in words), ""):
            raise Slip(f'the word "{reserved}" is used by formulas; take another word')
        return tuple(words), 0, 0
    if (
        least is None
        or most is None
        or not all(type(end) is int and abs(end) <= LARGEST for end in (least, most))
    ):
        raise Slip(
            f"needs words, or a range of whole numbers: max (and min, else 0), within {LARGEST:,}"
        )
    if least >= most:
        raise Slip(f"min is {least} and max {most}: the range is empty")
    return (), least, most


def read_start_values(
    said: Any, tracks: Mapping[str, Track], sides: Iterable[str]
) -> dict[str, Any]:
    """What a scenario's `tracks` starts otherwise, by key: `{mist: 1, points: {US: 12, VC: 8}}`.
    Raises UserError.
    """
    if not isinstance(said, Mapping):
        raise UserError("tracks must be name: value, or name: {side: value}.", code="bad-value")
    found: dict[str, Any] = {}
    for name, value in said.items():
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
        found |= {track.get_key(side): track.parse_value(one) for side, one in values.items()}
    return found
