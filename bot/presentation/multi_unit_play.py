"""The plays of a sequence: of one unit, or of several one after the other, with new dice or with
those that fell.

`unit=GI 1..12` is twelve random orders and one event: its `inputs` name the units, its dice are
those of all plays in that order, and `out` holds `plays`, with the unit, the result and the outputs
of each. A later play sees what was done to the roster by an earlier one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from bot.game.events import PLAYS, UNIT, get_recorded_units
from bot.game.roster import GONE, apply_changes, change_to_json, has_left_fight
from bot.game.state import Game, build_roster, unit_from_json
from bot.game.tracks import fill_track_inputs
from bot.presentation.headline import list_actors, list_affected_units
from bot.rules.dice import Die, RolledDie, Script, Source
from bot.rules.errors import UserError
from bot.rules.inputs.decks import compute_piles_after
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.tracks import move_tracks
from bot.rules.inputs.units import Roster, index_by_name, split_left_out
from bot.rules.odds.by_unit import get_row_path, list_rows, roll_results
from bot.rules.odds.odds import Distribution
from bot.rules.proof.chain import format_event
from bot.rules.sequence.linked_units import resolve_links
from bot.rules.sequence.sequence import Change, OddsRow, Plan, Play, Resolution
from bot.rules.text.names import join_names
from bot.rulesets.system import Sequence

MOST_ODDS = 6
"""So many units with odds of their own are counted at once; alike ones count as one."""
LONGEST_RESULT = 400
"""Characters of the sentence that says why dice led to no result."""


class PlannedPlay(NamedTuple):
    """One play that can begin: of which unit (empty where it is the only one), with which
    inputs.
    """

    unit: str
    raw: Mapping[str, object]
    given: Given
    plan: Plan[Any]


class FinishedPlay(NamedTuple):
    """One play at its end, with what it changes on the roster."""

    unit: str
    given: Given
    played: Play
    changes: tuple[Change, ...]
    tracks: Mapping[str, Any] = {}
    said: Mapping[str, str] = {}
    piles: Mapping[str, Any] = {}

    @property
    def result(self) -> str:
        """What came of it in a few words, without the unit's name in front."""
        return self.played.settlement.headline.removeprefix(f"{self.unit}: ")


def list_units_played_singly(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[str, ...]:
    """The units that a sequence is played for one by one, as their names are written; none where
    it is played once.
    """
    return tuple(name for name, _ in _list_items_played_singly(sequence, raw, roster))


def _list_items_played_singly(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> list[tuple[str, str]]:
    """Return the names of these units, each with its item as typed: `Bob -suppressed`."""
    text = raw.get(UNIT)
    parts = (
        [split_left_out(item, roster) for item in text.split(";")] if isinstance(text, str) else []
    )
    names = [name.strip().casefold() for name, _ in parts]
    takes_several = len(names) > 1 and any(option.many for option in sequence.inputs)
    if not takes_several or not all(name in roster for name in names):
        return []
    return [
        (roster[name].name, f"{roster[name].name}{left_out}")
        for name, (_, left_out) in zip(names, parts, strict=True)
    ]


def list_parties(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[tuple[str, ...], str]:
    """Those who act by these inputs, and in one text those who are acted on."""
    if several := list_units_played_singly(sequence, raw, roster):
        return several, join_names(several)
    given = sequence.read_inputs(raw, roster)
    return list_actors(sequence, given), join_names(list_affected_units(sequence, given))


def plan_plays(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[PlannedPlay, ...]:
    """All plays of these inputs, before the first die. Raises UserError for what any of them
    refuses.
    """
    plays = []
    for name, item in _list_items_played_singly(sequence, raw, roster) or [("", "")]:
        one = {**raw, UNIT: item} if name else raw
        given = sequence.read_inputs(one, roster)
        plays.append(PlannedPlay(name, one, given, sequence.plan(given)))
    return tuple(plays)


def group_identical_plays(
    plays: tuple[PlannedPlay, ...],
) -> list[tuple[tuple[str, ...], PlannedPlay]]:
    """The plays whose odds differ, with the units that each is for (none where there is only one).
    Raises UserError for too many."""
    alike: dict[str, tuple[list[str], PlannedPlay]] = {}
    for one in plays:
        unit = one.given.unit(UNIT)
        own = None if unit is None else replace(unit, word="", name="")
        values = {name: value for name, value in one.given.values.items() if name != UNIT}
        key = repr(
            (
                values,
                own and sorted(own.flags),
                own and sorted(own.marks),
                own and sorted(own.numbers.items()),
            )
        )
        key += repr((own and own.type, own and own.state))
        alike.setdefault(key, ([], one))[0].append(one.unit)
    if len(alike) > MOST_ODDS:
        what = f"These are {len(alike)} different units; odds are counted for {MOST_ODDS} of them at once."
        raise UserError(
            what,
            hint="Ask for fewer, or for those in the same state.",
            option=UNIT,
            code="too-large",
        )
    return [(tuple(filter(None, names)), one) for names, one in alike.values()]


def build_row_path(unit: str, path: str) -> str:
    """The path of one of several units' rows of odds; the path itself where there is only one
    play.
    """
    return f"{unit} {path}" if unit else path


def list_named_rows(
    names: tuple[str, ...], rows: Mapping[str, OddsRow], counted: Mapping[str, Distribution]
) -> Iterator[tuple[str, OddsRow, Distribution]]:
    """(path, row, its odds) of one of `group_identical_plays`, once under the name of each unit that it is
    for; rows that were not counted are left out."""
    for name in names or ("",):
        for path, row in rows.items():
            if path in counted:
                said = (name, "" if row.name in names else row.name)
                yield (
                    build_row_path(name, path),
                    row._replace(name=": ".join(filter(None, said))),
                    counted[path],
                )


def play_all(
    sequence: Sequence,
    plays: tuple[PlannedPlay, ...],
    source: Source,
    roster: Roster,
    read: Mapping[str, Any],
) -> tuple[FinishedPlay, ...]:
    """Play each to its end, with the roster and the tracks that were `read` as the plays before
    left them.

    If the rules lead to no result once dice have fallen, return one play that holds these dice,
    says why and changes nothing: a refusal would show dice that no log holds. Raises UserError from
    the source, and for what is refused before the first die.
    """
    recorder = _RecordingSource(source)
    try:
        singles = _play_each(sequence, plays, recorder, roster, read)
        _check_storable(singles)
    except UserError as error:
        if not recorder.dice or error is recorder.error:
            raise
        settlement = Resolution(format_no_result(error))
        played = Play({}, tuple(recorder.dice), (), settlement)
        return (FinishedPlay("", plays[0].given, played, ()),)
    return singles


def format_no_result(error: UserError) -> str:
    """Return the sentence that the log keeps of dice for which the rules have no result."""
    return f"No result. {error.message}"[:LONGEST_RESULT]


class _RecordingSource:
    """A source that keeps its dice as they fall, and the error that it raised itself, if any."""

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


def _check_storable(singles: tuple[FinishedPlay, ...]) -> None:
    """Raise UserError for a number that the log cannot hold: too large, or with too many digits."""
    changes = [change_to_json(change) for one in singles for change in one.changes]
    try:
        format_event(
            {
                "out": dict(merge_outputs(singles)),
                "tracks": dict(singles[-1].tracks),
                "changes": changes,
            }
        )
    except (TypeError, ValueError):
        raise UserError("A number has too many digits for the log.", code="bad-value") from None


def _play_each(
    sequence: Sequence,
    plays: tuple[PlannedPlay, ...],
    source: Source,
    roster: Roster,
    read: Mapping[str, Any],
) -> tuple[FinishedPlay, ...]:
    done: list[FinishedPlay] = []
    left = {unit.name.casefold() for unit in roster.values() if unit.state in GONE}
    for one in plays:
        if done:
            roster = _apply_changes(sequence, roster, done[-1].changes)
            one = _replan_with_roster(
                sequence, one._replace(raw={**one.raw, **done[-1].tracks, **done[-1].piles}), roster
            )
        played = sequence.play(one.plan, _NamedDice(source, one.unit) if one.unit else source)
        if one.unit:
            dice = tuple(
                [die._replace(label=_add_unit_to_label(one.unit, die.label)) for die in played.dice]
            )
            played = played._replace(dice=dice)
        tracks, said, piles = (done[-1].tracks, done[-1].said, {}) if done else ({}, {}, {})
        if sequence.decks:
            piles = {
                **(done[-1].piles if done else {}),
                **compute_piles_after(one.given.values, played.dice),
            }
        if moves := played.settlement.tracks:
            values = {**one.given.values, **tracks}
            fresh, told = move_tracks(sequence.system.tracks, values, moves, read)
            tracks = {**tracks, **fresh}
            said = {**said, **told}
        if said and not one.unit:
            settled = played.settlement._replace(
                now=(*played.settlement.now, *_join_by_side(said.values()))
            )
            played = played._replace(settlement=settled)
        changes = played.settlement.changes
        if any(change.add or change.of for change in changes):
            in_play = {unit.name: unit for unit in roster.values() if not has_left_fight(unit)}
            # each once: a roster has them by name and by handle
            defaults = sequence.system.words["units"].defaults
            changes = resolve_links(changes, in_play.values(), defaults)
        if left:
            changes = tuple([change for change in changes if change.unit.casefold() not in left])
        done.append(FinishedPlay(one.unit, one.given, played, changes, tracks, said, piles))
    return tuple(done)


def _join_by_side(texts: Iterable[str]) -> list[str]:
    """Return what is said of tracks with one side's together: `2 cards, 3 orders left (Duke)`."""
    joined: dict[str, str] = {}
    for text in texts:
        _, opening, side = text.partition(" (")
        if not (text[:1].isdigit() and side.endswith(")")):
            joined[text] = text
            continue
        before = joined.get(side, "").removesuffix(f"{opening}{side}")
        joined[side] = ", ".join(filter(None, (before, text)))
    return [*joined.values()]


def merge_outputs(singles: tuple[FinishedPlay, ...]) -> Mapping[str, Any]:
    """The outputs as the log keeps them."""
    if not singles[0].unit:
        return singles[0].played.out
    return {
        PLAYS: [{UNIT: one.unit, "result": one.result, "out": one.played.out} for one in singles]
    }


def join_results(singles: tuple[FinishedPlay, ...]) -> str:
    """What came of it in a few words: `goes berserk (GI 2, GI 9); no action this turn (GI 1)`.

    The log keeps it and verify compares it, so it never changes without a new edition.
    """
    if not singles[0].unit:
        return singles[0].played.settlement.headline
    alike: dict[str, list[str]] = {}
    for one in singles:
        alike.setdefault(one.result, []).append(one.unit)
    return "; ".join(f"{result} ({', '.join(units)})" for result, units in alike.items())


def _apply_changes(sequence: Sequence, roster: Roster, changes: tuple[Change, ...]) -> Roster:
    if not changes:
        return roster
    units = {unit.name.casefold(): unit for unit in roster.values()}
    return build_roster(
        apply_changes(Game("", system=sequence.system.id, units=units), changes, sequence.system)
    )


def _replan_with_roster(sequence: Sequence, one: PlannedPlay, roster: Roster) -> PlannedPlay:
    """The play with the roster as it is by now; as it was where an earlier play left no way to
    begin it.
    """
    try:
        given = sequence.read_inputs(one.raw, roster)
        return one._replace(given=given, plan=sequence.plan(given))
    except UserError:
        return one


class _NamedDice:
    """Dice that say whose they are."""

    def __init__(self, source: Source, unit: str) -> None:
        self._source = source
        self._unit = unit

    def draw(self, die: Die) -> int | str:
        """The value of the die."""
        return self._source.draw(die._replace(label=_add_unit_to_label(self._unit, die.label)))


def _add_unit_to_label(unit: str, label: str) -> str:
    return f"{unit}, {label}"


NOTHING = "none"
"""The result of a row that no roll told."""


class RecordedShot(NamedTuple):
    """What was played: its inputs, and the units that they name as they were."""

    sequence: Sequence
    raw: Mapping[str, object]
    roster: Roster
    dice: tuple[object, ...]
    edition: int | str
    read: Mapping[str, Any]


def read_shot(event: Mapping[str, Any], sequence: Sequence, today: Roster) -> RecordedShot:
    """The shot behind an event of the log; `today` is the roster for whatever the event does not
    hold.
    """
    used = [unit_from_json(unit) for unit in get_recorded_units(event)]
    roster = {**today, **index_by_name(used)}
    dice = tuple(die["value"] for die in (*event.get("fell", ()), *(event.get("dice") or ())))
    read = event.get("read") or {}
    raw = {**(event.get("inputs") or {}), **event.get("chosen", {})}
    raw |= fill_track_inputs(read, sequence.system.tracks) if read else {}
    return RecordedShot(sequence, raw, roster, dice, event.get("edition", 0), read)


def find_actual_results(shot: RecordedShot, plays: tuple[PlannedPlay, ...]) -> dict[str, str]:
    """The result of each row of the odds of its `plays`, by the paths of `odds_rows`; {} where
    others fall today.
    """
    by = shot.sequence.odds_by
    worse = shot.sequence.odds_row
    found = dict[str, str]()
    script = Script(shot.dice)
    try:
        for one in plays:
            for at, token in enumerate(
                roll_results(one.plan, list_rows(one.plan, by, worse), script)
            ):
                found[build_row_path(one.unit, get_row_path(at))] = (
                    NOTHING if token is None else str(token)
                )
        script.finish()
    except UserError:
        return {}
    return found


def replay_shot_of_same_edition(shot: RecordedShot) -> tuple[FinishedPlay, ...]:
    """The shot as it was told, with all its lines, once for each unit that it was played for; none
    where the rules have another edition now."""
    return replay_shot(shot) if shot.edition == shot.sequence.system.edition else ()


def replay_shot(shot: RecordedShot) -> tuple[FinishedPlay, ...]:
    """The shot by the rules of today; none where these take other dice."""
    script = Script(shot.dice)
    try:
        plays = plan_plays(shot.sequence, shot.raw, shot.roster)
        singles = play_all(shot.sequence, plays, script, shot.roster, shot.read)
        script.finish()
    except UserError:
        return ()
    return singles
