"""Plays of a sequence, for one unit or for several one after the other, with new or with old dice.

`unit=GI 1..12` is twelve random orders and one event: its `inputs` name the units, its dice are
those of all plays in that order, and `out` holds `plays`, with the unit, the result and the outputs
of each. A later play sees the changes of an earlier one to the roster.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.game.events import PLAYS, UNIT, get_recorded_units
from bot.game.roster import apply_changes, change_to_json
from bot.game.state import Game, build_roster, unit_from_json
from bot.game.tracks import fill_track_inputs
from bot.presentation.headline import list_actors, list_affected_units
from bot.rules.dice import Die, RolledDie, Script, Source
from bot.rules.errors import UserError
from bot.rules.inputs.decks import compute_piles_after
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.inputs.tracks import move_tracks
from bot.rules.inputs.units import Roster, RosterUnit, index_by_name, split_left_out
from bot.rules.odds.by_unit import get_row_path, list_rows, roll_results
from bot.rules.odds.odds import Distribution
from bot.rules.proof.chain import format_event
from bot.rules.sequence.linked_units import resolve_links
from bot.rules.sequence.sequence import Change, OddsRow, Plan, Play, Resolution
from bot.rules.text.names import join_names
from bot.rulesets.system import Sequence, is_lost, refuses_lost_unit

MOST_ODDS = 6
"""The maximum number of units whose odds are counted at once. Identical units count as one."""
LONGEST_RESULT = 400
"""The maximum characters of the sentence about dice that led to no result."""


class PlannedPlay(NamedTuple):
    """A play that is ready for its first die: its unit ("" if it is the only play), inputs and
    plan.
    """

    unit: str
    raw: Mapping[str, object]
    given: Given
    plan: Plan[Any]


class _Situation(NamedTuple):
    """What a play finds, and what it leaves for the play of the next unit."""

    roster: Roster
    tracks: Mapping[str, Any] = {}
    """The new values of tracks, by name."""
    track_texts: Mapping[str, str] = {}
    """The new values of tracks in words, by track."""
    piles: Mapping[str, Any] = {}
    """The piles of cards that were drawn from, as they are now."""


def list_units_played_singly(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[str, ...]:
    """Return the units that a sequence is played for one by one; () if it is played once."""
    return tuple(name for name, _ in _list_items_played_singly(sequence, raw, roster))


def _list_items_played_singly(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> list[tuple[str, str]]:
    """Return (name, item as typed) of each unit that a sequence is played for singly: `Bob
    -suppressed`.

    [] if only one unit is named, if the sequence does not take several, or if one is not on the
    roster.
    """
    text = raw.get(UNIT)
    if not isinstance(text, str):
        return []
    parts = [split_left_out(item, roster) for item in text.split(";")]
    if len(parts) < 2 or not any(option.many for option in sequence.inputs):
        return []
    items = []
    for typed_name, left_out in parts:
        unit = roster.get(typed_name.strip().casefold())
        if unit is None:
            return []
        items.append((unit.name, f"{unit.name}{left_out}"))
    return items


def list_parties(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[tuple[str, ...], str]:
    """Return the units that act by these inputs, and the affected units in one text."""
    single_units = list_units_played_singly(sequence, raw, roster)
    if single_units:
        return single_units, join_names(single_units)
    given = sequence.read_inputs(raw, roster)
    return list_actors(sequence, given), join_names(list_affected_units(sequence, given))


def plan_plays(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[PlannedPlay, ...]:
    """Plan all plays of these inputs, before the first die. Raises UserError if one is refused."""
    plays = []
    for name, item in _list_items_played_singly(sequence, raw, roster) or [("", "")]:
        inputs = {**raw, UNIT: item} if name else raw
        given = sequence.read_inputs(inputs, roster)
        plays.append(PlannedPlay(name, inputs, given, sequence.plan(given)))
    return tuple(plays)


def group_identical_plays(
    plays: tuple[PlannedPlay, ...],
) -> list[tuple[tuple[str, ...], PlannedPlay]]:
    """Return the plays with different odds, each with its units (() if there is only one play).

    Raises UserError for more than MOST_ODDS of them.
    """
    groups: dict[str, tuple[list[str], PlannedPlay]] = {}
    for play in plays:
        names, _ = groups.setdefault(_build_play_key(play), ([], play))
        names.append(play.unit)
    if len(groups) > MOST_ODDS:
        message = f"These are {len(groups)} different units, and the odds can only cover {MOST_ODDS} at once."
        hint = "Ask for fewer, or for units in the same state."
        raise UserError(message, hint=hint, option=UNIT, code="too-large")
    return [(tuple(filter(None, names)), play) for names, play in groups.values()]


def _build_play_key(play: PlannedPlay) -> str:
    """Return a key that is equal for plays with the same inputs and the same kind of unit.

    Units are of one kind if they have the same type, state, flags, markers and numbers.
    """
    values = {name: value for name, value in play.given.values.items() if name != UNIT}
    unit = play.given.unit(UNIT)
    if unit is None:
        return repr(values)
    numbers = sorted(unit.numbers.items())
    return repr((values, sorted(unit.flags), sorted(unit.marks), numbers, unit.type, unit.state))


def build_row_path(unit: str, path: str) -> str:
    """Return the path of a row of odds, with the unit if there are several plays."""
    return f"{unit} {path}" if unit else path


def list_named_rows(
    names: tuple[str, ...], rows: Mapping[str, OddsRow], counted: Mapping[str, Distribution]
) -> Iterator[tuple[str, OddsRow, Distribution]]:
    """Yield path, row and odds of a group of plays, once for each unit of it.

    `names` are the units of the group from `group_identical_plays`. Rows that were not counted are
    left out.
    """
    for name in names or ("",):
        for path, row in rows.items():
            if path not in counted:
                continue
            row_name = "" if row.name in names else row.name
            full_name = ": ".join(filter(None, (name, row_name)))
            yield build_row_path(name, path), row._replace(name=full_name), counted[path]


def play_all(
    sequence: Sequence,
    planned_plays: tuple[PlannedPlay, ...],
    source: Source,
    roster: Roster,
    tracks_read: Mapping[str, Any],
) -> Play:
    """Play each to its end, with the roster and tracks as the plays before left them.

    `tracks_read` are the tracks at the beginning. If the rules lead to no result once dice have fallen,
    return a play that holds these dice, says why and changes nothing: a refusal would show dice
    that no log holds. Raises UserError from the source, and for what is refused before the first
    die.
    """
    recorder = _RecordingSource(source)
    try:
        play = _play_each(sequence, planned_plays, recorder, roster, tracks_read)
        _check_storable(play)
    except UserError as error:
        if not recorder.dice or error is recorder.error:
            raise
        resolution = Resolution(format_no_result(error))
        dice = tuple(recorder.dice)
        return Play({}, dice, (), resolution, given=planned_plays[0].given)
    return play


def format_no_result(error: UserError) -> str:
    """Return the sentence that the log keeps of dice for which the rules have no result."""
    return f"No result. {error.message}"[:LONGEST_RESULT]


class _RecordingSource:
    """A source that records its dice as they fall, and the error that it raised itself, if any."""

    def __init__(self, source: Source) -> None:
        self.dice: list[RolledDie] = []
        self.error: UserError | None = None
        self._source = source

    def draw(self, die: Die) -> int | str:
        """Return the value of the die. Raises UserError from the source."""
        try:
            value = self._source.draw(die)
        except UserError as error:
            self.error = error
            raise
        self.dice.append(die.with_value(value))
        return value


def _check_storable(play: Play) -> None:
    """Raise UserError for a number that the log cannot hold: too large, or with too many digits."""
    changes = [change_to_json(change) for change in play.resolution.changes]
    try:
        format_event({"out": play.out, "tracks": dict(play.tracks), "changes": changes})
    except (TypeError, ValueError):
        raise UserError("A number has too many digits for the log.", code="bad-value") from None


def _play_each(
    sequence: Sequence,
    planned_plays: tuple[PlannedPlay, ...],
    source: Source,
    roster: Roster,
    tracks_read: Mapping[str, Any],
) -> Play:
    """Play each to its end, one after the other, and return the only play or all as one.

    Each begins with the roster, tracks and piles that the one before left. Units that were out of
    the game before are not changed, unless an input takes them.
    """
    plays: list[Play] = []
    all_inputs = [planned.given for planned in planned_plays]
    lost_units = find_unchangeable_units(sequence, all_inputs, roster)
    situation = _Situation(roster)
    for planned in planned_plays:
        next_play = planned
        if plays:
            changed_roster = _apply_changes(
                sequence, situation.roster, plays[-1].resolution.changes
            )
            situation = situation._replace(roster=changed_roster)
            inputs = {**planned.raw, **situation.tracks, **situation.piles}
            next_play = _replan_with_roster(
                sequence, planned._replace(raw=inputs), situation.roster
            )
        play, situation = _finish_play(sequence, next_play, situation, source, tracks_read)
        plays.append(_drop_changes(play, lost_units))
    if plays[0].unit:
        return _join_plays(tuple(plays), situation)
    return plays[0]


def find_refused_units(
    sequence: Sequence, plays: Iterable[Given], units: Mapping[str, RosterUnit]
) -> list[RosterUnit]:
    """Return the units in the inputs of the plays that are refused because they are out of the
    game, each once.

    `units` are those of the game, by their folded names.
    """
    refused = dict[str, RosterUnit]()
    for inputs in plays:
        for option, name in _list_named_units(sequence, inputs):
            unit = units.get(name.casefold())
            if unit is not None and refuses_lost_unit(option, unit, sequence.system):
                refused[unit.name] = unit
    return [*refused.values()]


def find_unchangeable_units(
    sequence: Sequence, plays: Iterable[Given], roster: Roster
) -> frozenset[str]:
    """Return the folded names of the units that the results of these plays cannot change.

    These are the units out of the game, except those in an input that takes them.
    """
    lost = {unit.name.casefold() for unit in roster.values() if is_lost(unit, sequence.system)}
    if not lost:
        return frozenset()
    taken = set[str]()
    for inputs in plays:
        for option, name in _list_named_units(sequence, inputs):
            unit = roster.get(name.casefold())
            if unit is not None and not refuses_lost_unit(option, unit, sequence.system):
                taken.add(name.casefold())
    return frozenset(lost - taken)


def _list_named_units(sequence: Sequence, inputs: Given) -> Iterator[tuple[Option, str]]:
    """Yield each option for units with the name of each roster unit in it."""
    for option in sequence.inputs:
        unit = inputs.roster.get(option.name)
        units = inputs.lists.get(option.name, ()) if unit is None else (unit,)
        for named in units:
            if named.name:
                yield option, named.name


def _drop_changes(play: Play, lost_units: Collection[str]) -> Play:
    """Return the play without its changes of these units, which are given by their folded names."""
    if not lost_units:
        return play
    resolution = play.resolution
    changes = tuple(
        change for change in resolution.changes if change.unit.casefold() not in lost_units
    )
    return play._replace(resolution=resolution._replace(changes=changes))


def _finish_play(
    sequence: Sequence,
    planned: PlannedPlay,
    situation: _Situation,
    source: Source,
    tracks_read: Mapping[str, Any],
) -> tuple[Play, _Situation]:
    """Play one to its end. Return it with the tracks and piles that it leaves.

    `tracks_read` are the tracks at the beginning of all plays.
    """
    unit = planned.unit
    play = sequence.play(planned.plan, _NamedDice(source, unit) if unit else source)
    if unit:
        dice = [die._replace(label=_add_unit_to_label(unit, die.label)) for die in play.dice]
        play = play._replace(dice=tuple(dice))
    resolution = play.resolution
    if sequence.decks:
        new_piles = compute_piles_after(planned.given.values, play.dice)
        situation = situation._replace(piles={**situation.piles, **new_piles})
    if resolution.track_moves:
        values = {**planned.given.values, **situation.tracks}
        new_tracks, new_texts = move_tracks(
            sequence.system.tracks, values, resolution.track_moves, tracks_read
        )
        situation = situation._replace(
            tracks={**situation.tracks, **new_tracks},
            track_texts={**situation.track_texts, **new_texts},
        )
    if situation.track_texts and not unit:
        track_changes = _join_by_side(situation.track_texts.values())
        resolution = resolution._replace(state_changes=(*resolution.state_changes, *track_changes))
    changes = resolution.changes
    if any(change.add or change.of for change in changes):
        # By name, since a roster has each unit by name and by handle.
        in_play = {
            unit.name: unit
            for unit in situation.roster.values()
            if not is_lost(unit, sequence.system)
        }
        defaults = sequence.system.words["units"].defaults
        changes = resolve_links(changes, in_play.values(), defaults)
        resolution = resolution._replace(changes=changes)
    play = play._replace(
        resolution=resolution, given=planned.given, tracks=situation.tracks, unit=unit
    )
    return play, situation


def _join_plays(plays: tuple[Play, ...], situation: _Situation) -> Play:
    """Return the plays for single units as one. `situation` is the one after the last of them."""
    outputs = [{UNIT: play.unit, "result": play.result, "out": play.out} for play in plays]
    resolutions = [play.resolution for play in plays]
    resolution = Resolution(
        _join_results(plays),
        changes=tuple(change for each in resolutions for change in each.changes),
        state_changes=tuple(situation.track_texts.values()),
        arrivals=tuple(arrival for each in resolutions for arrival in each.arrivals),
    )
    return Play(
        {PLAYS: outputs},
        tuple(die for play in plays for die in play.dice),
        (),
        resolution,
        given=plays[0].given,
        tracks=situation.tracks,
        unit_plays=plays,
    )


def _join_results(plays: tuple[Play, ...]) -> str:
    """Return the results in a few words: `goes berserk (GI 2, GI 9); no action this turn (GI 1)`.

    The log keeps this text and verify compares it, so it never changes without a new edition.
    """
    units_by_result: dict[str, list[str]] = {}
    for play in plays:
        units_by_result.setdefault(play.result, []).append(play.unit)
    return "; ".join(f"{result} ({', '.join(units)})" for result, units in units_by_result.items())


def _join_by_side(texts: Iterable[str]) -> list[str]:
    """Join the counts of each side: `2 cards, 3 orders left (Duke)`.

    Texts that do not begin with a number and end with a side in brackets stay as they are.
    """
    joined: dict[str, str] = {}
    for text in texts:
        _, opening, side = text.partition(" (")
        if not (text[:1].isdigit() and side.endswith(")")):
            joined[text] = text
            continue
        earlier_text = joined.get(side, "").removesuffix(f"{opening}{side}")
        joined[side] = ", ".join(filter(None, (earlier_text, text)))
    return [*joined.values()]


def _apply_changes(sequence: Sequence, roster: Roster, changes: tuple[Change, ...]) -> Roster:
    """Return the roster after these changes; the same roster if there are none."""
    if not changes:
        return roster
    units = {unit.name.casefold(): unit for unit in roster.values()}
    game = Game("", system=sequence.system.id, units=units)
    return build_roster(apply_changes(game, changes, sequence.system))


def _replan_with_roster(sequence: Sequence, play: PlannedPlay, roster: Roster) -> PlannedPlay:
    """Return the play planned with the roster as it is now; unchanged if that is refused."""
    try:
        given = sequence.read_inputs(play.raw, roster)
        return play._replace(given=given, plan=sequence.plan(given))
    except UserError:
        return play


class _NamedDice:
    """A source of dice that adds the unit's name to their labels."""

    def __init__(self, source: Source, unit: str) -> None:
        self._source = source
        self._unit = unit

    def draw(self, die: Die) -> int | str:
        """The value of the die."""
        return self._source.draw(die._replace(label=_add_unit_to_label(self._unit, die.label)))


def _add_unit_to_label(unit: str, label: str) -> str:
    return f"{unit}, {label}"


NOTHING = "none"
"""The result of a row that no roll decided."""


class RecordedShot(NamedTuple):
    """A play from the log: its inputs, dice and tracks, and the units as they were."""

    sequence: Sequence
    raw: Mapping[str, object]
    roster: Roster
    dice: tuple[object, ...]
    edition: int | str
    tracks_read: Mapping[str, Any]


def read_shot(event: Mapping[str, Any], sequence: Sequence, today: Roster) -> RecordedShot:
    """Return the play of an event. `today` is the roster for units that the event does not hold."""
    units = [unit_from_json(unit) for unit in get_recorded_units(event)]
    roster = {**today, **index_by_name(units)}
    dice = tuple(die["value"] for die in (*event.get("fell", ()), *(event.get("dice") or ())))
    read = event.get("read") or {}
    raw = {**(event.get("inputs") or {}), **event.get("chosen", {})}
    raw |= fill_track_inputs(read, sequence.system.tracks) if read else {}
    return RecordedShot(sequence, raw, roster, dice, event.get("edition", 0), read)


def find_actual_results(shot: RecordedShot, plays: tuple[PlannedPlay, ...]) -> dict[str, str]:
    """Return the actual result of each row of odds, by the paths of `odds_rows`.

    Return {} if today's rules take other dice.
    """
    output = shot.sequence.odds_by
    worse = shot.sequence.odds_row
    results = dict[str, str]()
    script = Script(shot.dice)
    try:
        for play in plays:
            tokens = roll_results(play.plan, list_rows(play.plan, output, worse), script)
            for index, token in enumerate(tokens):
                path = build_row_path(play.unit, get_row_path(index))
                results[path] = NOTHING if token is None else str(token)
        script.finish()
    except UserError:
        return {}
    return results


def replay_shot_of_same_edition(shot: RecordedShot) -> Play | None:
    """Return the play of a shot; None if the rules have another edition now, or take other dice."""
    return replay_shot(shot) if shot.edition == shot.sequence.system.edition else None


def replay_shot(shot: RecordedShot) -> Play | None:
    """Return the play of a shot by today's rules; None if these take other dice."""
    script = Script(shot.dice)
    try:
        planned_plays = plan_plays(shot.sequence, shot.raw, shot.roster)
        play = play_all(shot.sequence, planned_plays, script, shot.roster, shot.tracks_read)
        script.finish()
    except UserError:
        return None
    return play
