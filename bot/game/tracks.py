"""The tracks of a game in play: whose they are when somebody acts, and what they are then.

What a sequence read is in its event, so that a log says it all by itself:
`read: {"side": "US", "foe": "VC", "side.points": 9, "track.sea": 2}`."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bot.game.decks import list_deck_lines
from bot.game.state import Game, Json
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK
from bot.rules.inputs.tracks import FOE, GAME, HIGHEST, OWNERS, SIDE, Track
from bot.rulesets.system import System


def find_track_side(
    units: Iterable[tuple[str, str]], acting: Collection[str], person: str, game: Game
) -> str:
    """Whose `side.points` are meant: the side of the first unit that acts, else that of the person,
    else that of any unit that is named, else the one whose turn it is. `units` are names and sides.
    """
    named = [(name, side) for name, side in units if side]
    acts = next((side for name, side in named if name in acting), "")
    return acts or person or next((side for _, side in named), "") or game.turn_of


def get_owners(game: Game, side: str) -> dict[str, str]:
    """The sides that `side` and `foe` mean; empty where there are none."""
    others = [other for other in game.sides if other != side]
    return {SIDE: side, FOE: others[0] if side and len(others) == 1 else ""}


def get_track_key(name: str, owners: Mapping[str, str]) -> str:
    """Under which a state keeps what formulas read as `name`; "" for a track of no side."""
    whose, _, track = name.partition(".")
    owner = owners.get(whose, "")
    return track if whose == GAME else f"{owner}/{track}" if owner else ""


def get_track_keys(names: Iterable[str], owners: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys of tracks in order, by their names in formulas; tracks of no side are left
    out.
    """
    return tuple(sorted({get_track_key(name, owners) for name in names} - {""}))


def build_track_inputs(
    names: Iterable[str], tracks: Mapping[str, Track], game: Game, side: str
) -> Json:
    """What an event holds of the tracks that a sequence reads. Raises UserError for the other
    one of three sides.
    """
    owners = get_owners(game, side)
    found = dict[str, Any]()
    for name in names:
        whose, _, track = name.partition(".")
        if whose == FOE and len(game.sides) > 2:
            what = f"This reads {tracks[track].title} of the other side, and there are {len(game.sides)} sides."
            raise UserError(what, code="card-refuses")
        found[name] = game.tracks.get(get_track_key(name, owners), tracks[track].start)
    of_sides = any(not name.startswith(f"{GAME}.") for name in found)
    return {**{whose: owner for whose, owner in owners.items() if owner and of_sides}, **found}


def fill_track_inputs(read: Mapping[str, Any], tracks: Mapping[str, Track]) -> Json:
    """What was read as inputs of the sequence, each as its track has it today; piles as they
    were.
    """
    return {
        name: value if name.startswith(DECK) else tracks[name.partition(".")[2]].fit_value(value)
        for name, value in read.items()
        if name.startswith(DECK) or name.partition(".")[2] in tracks
    }


def find_track_problem(
    now: Game, roll: Mapping[str, Any], person: str, said: Mapping[str, Any], *, is_own: bool
) -> str:
    """What is wrong with the tracks that a roll reads, and with those that it leaves (`said`), as
    far as the log tells without the game's files. `is_own`: it is of the system that the game is
    played with."""
    read = dict(roll.get("read") or {})
    units = roll.get("used") or []
    read = {name: value for name, value in read.items() if not name.startswith(DECK)}
    told = {whose: read.pop(whose) for whose in (SIDE, FOE) if whose in read}
    owners = dict.fromkeys((SIDE, FOE), "")
    if any(name.partition(".")[0] in owners for name in read):
        acting = roll.get("acting", ())
        named = [(unit["name"], unit.get("side", "")) for unit in units]
        owners = get_owners(now, find_track_side(named, acting, person, now))
    if told != {whose: owner for whose, owner in owners.items() if owner}:
        return "it reads the tracks of another side than acts."
    for name, value in read.items():
        if name.partition(".")[0] not in OWNERS or not name.partition(".")[2]:
            return f"it reads {name[:40]}, which is no track."
        kept = now.tracks.get(get_track_key(name, owners), value) if is_own else value
        if kept != value or type(kept) is not type(value):
            return f"it reads {name} otherwise than the log led to."
    changed = find_changed_tracks(now, said)
    may = {get_track_key(name, owners) for name in read} if is_own else set()
    return (
        ""
        if {*changed} <= may and {*now.tracks} <= {*said}
        else "it changes a track that it did not read."
    )


def find_changed_tracks(now: Game, said: Mapping[str, Any]) -> Json:
    """Those that are otherwise than before."""
    return {
        key: value
        for key, value in said.items()
        if key not in now.tracks or now.tracks[key] != value
    }


def find_hand_set_problem(now: Game, said: Mapping[str, Any], words: str) -> str:
    """What is wrong with a track that somebody sets: one at a time, with its words; its title is
    for the game's files to know."""
    changed = find_changed_tracks(now, said)
    (key, value), *more = changed.items() or [("", "")]
    side = key.rpartition("/")[0]
    ending = f" ({side}): {value}" if side else f": {value}"
    fits = key and not more and {*now.tracks} <= {*said} and words.endswith(ending)
    return "" if fits else "its words are not the track that it sets."


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
    """Return what is shown of tracks and decks: `Weather: mud · Command points: US 9, VC 3 ·
    Chances: 9 of 12 in the pile`; "" if there are none. Piles that nobody has drawn from are left
    out if `whole_piles` is off.
    """
    if system is None:
        return ""
    tracks = list_track_lines(game, system.tracks, game.sides)
    return " · ".join([*tracks, *list_deck_lines(game, system, changed=not whole_piles)])


def list_scores(game: Game, system: System | None) -> list[tuple[str, str]]:
    """Return the title of each track that is the score, with `Duke 9, League 3: Duke is ahead`."""
    found = list[tuple[str, str]]()
    for track in _list_score_tracks(game, system):
        leaders = _list_leaders(game, track)
        verdict = "level"
        if len(leaders) == 1:
            verdict = f"{leaders[0]} is ahead"
        scores = ", ".join(f"{side} {track.get_value(game.tracks, side)}" for side in game.sides)
        found.append((track.title, f"{scores}: {verdict}"))
    return found


def is_score_level(game: Game, system: System | None) -> bool:
    """Return whether the game has a score and all sides have the same."""
    tracks = _list_score_tracks(game, system)
    if not tracks or len(game.sides) < 2:
        return False
    return all(_list_leaders(game, track) == [*game.sides] for track in tracks)


def has_best_score(game: Game, system: System | None, winner: str) -> bool:
    """Return whether the score makes `winner`, a side or a draw, the outcome; True without a score."""
    tracks = _list_score_tracks(game, system)
    if winner not in game.sides:
        return not tracks or is_score_level(game, system)
    return all(_list_leaders(game, track) == [winner] for track in tracks)


def _list_score_tracks(game: Game, system: System | None) -> list[Track]:
    """Return the tracks that say who wins, if the game has sides."""
    if system is None or not game.sides:
        return []
    return [track for track in system.tracks.values() if track.wins]


def _list_leaders(game: Game, track: Track) -> list[str]:
    """Return the sides with the best value of a track that is the score."""
    values = {side: track.get_value(game.tracks, side) for side in game.sides}
    best = min(values.values())
    if track.wins == HIGHEST:
        best = max(values.values())
    return [side for side, value in values.items() if value == best]


def list_track_lines(
    game: Game, tracks: Mapping[str, Track], sides: Iterable[str], *, hidden: bool = False
) -> list[str]:
    """The tracks as they are: `Weather: mud`, `3 orders left each`, `Command points: US 9, VC 3`."""
    sides = [*sides]
    found = list[str]()
    for track in tracks.values():
        if not (track.shown or hidden):
            continue
        if not (track.by_side and sides):
            found.append(track.format_value(track.get_value(game.tracks)))
            continue
        values = {side: track.get_value(game.tracks, side) for side in sides}
        if len({*values.values()}) == 1:
            value = values[sides[0]]
            amount = track.count_in_words(value) or f"{track.title}: {value}"
            found.append(f"{amount} each")
        else:
            told = ", ".join(f"{side} {value}" for side, value in values.items())
            found.append(f"{track.title}: {told}")
    return found
