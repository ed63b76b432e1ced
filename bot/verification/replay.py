"""The replay of a logged event from its inputs, units and dice.

Odds, play and replay read the same definition of a sequence. `rerun` replays every outcome of stored
games under the tables of today, whatever its edition, to show what a changed table would change.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from bot.game.decks import UsedCard, find_used_cards
from bot.game.event_kinds import shorten_value
from bot.game.events import (
    COMBAT,
    OUTCOMES,
    apply,
    compute_difference,
    get_edition,
    get_event_system,
    is_continuation,
    is_current,
    merge_choices,
)
from bot.game.phases import apply_pass, format_phase_title, start_first_turn, start_next_phase
from bot.game.roster import (
    change_to_json,
    find_units_by_name,
    get_system_roster,
    is_id_of_game,
)
from bot.game.score import compute_score
from bot.game.state import Game, Json, unit_to_json
from bot.presentation.derived_inputs import collect_tracks_after_choice, collect_tracks_and_piles
from bot.presentation.events import describe_opened_roll
from bot.presentation.multi_unit_play import find_refused_units
from bot.presentation.play_record import PlayRecord, apply_play_record, build_choice_json
from bot.presentation.roll import look_up_table, roll_dice
from bot.presentation.run_sequence import run_sequence
from bot.presentation.score import format_score
from bot.presentation.upkeep import find_upkeep_problem
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.expression.model import DIGIT_DICE
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import RosterUnit
from bot.rules.proof.chain import SEALED, to_canonical
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.packs.visible_rulesets import combine_with_packs
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import Sequence, System
from bot.storage.store import Store
from bot.ui.spec import CommandSpec
from bot.verification.follows.past import Past, read_sealed_contents
from bot.verification.packs_of_game import add_packs, load_packs_of_events

Event = Mapping[str, Any]
UNREADABLE = (UserError, TypeError, ValueError, KeyError, AttributeError, IndexError)
"""Errors that a forged event may raise."""


def is_playable(roll: Event, systems: RuleSets) -> bool:
    """Return whether a roll, table or sequence was played under today's rules.

    A plain roll needs no tables, so it always was.
    """
    return roll["kind"] == "roll" or is_current(roll, systems)


def find_edition_problem(roll: Event, systems: RuleSets) -> str:
    """Return the fault of the edition that a sequence or table names, or "".

    An edition is at fault if it never existed, or if an extension names another base than its own.
    Rolls without a rule set or edition, and rule sets that are not here, have no fault.
    """
    system = get_event_system(roll, systems)
    edition = get_edition(roll)
    if system is None or "edition" not in roll:
        return ""
    if system.base is not None:
        id, _, base_edition = str(roll.get("base", "")).partition("@")
        is_valid = (
            id == system.home
            and base_edition.isdecimal()
            and 1 <= int(base_edition) <= int(system.base.edition)
        )
        if is_valid:
            return ""
        return f"{system.id} does not extend {shorten_value(roll.get('base', 'nothing'))}."
    if "base" in roll:
        return f"{system.id} extends no other game."
    if isinstance(system.edition, str):
        return ""
    if isinstance(edition, int) and 1 <= edition <= system.edition:
        return ""
    return (
        f"there is no edition {shorten_value(roll['edition'])} of {system.id}; this Grognard "
        f"knows 1 to {system.edition}."
    )


_FIELD_FAULTS = {
    "asks": "it does not ask for the choice that it says.",
    "out": "its inputs and dice lead to a different outcome.",
    "result": "its words do not match its outcome.",
    "inputs": "its inputs do not match its command.",
    "used": "its inputs do not name the units that it says.",
    "acting": "the units that act are not the ones it says.",
    "sources": "the units that supplied a value are not the ones it says.",
    "changes": "its outcome does not change the units that it says.",
    "read": "it did not read the game's tracks as they were.",
    "uses": "the cards that it uses are not the ones its inputs name.",
    "tracks": "its outcome does not change the tracks that it says.",
}
"""The fields of an event that a replay computes, with the fault if one differs."""


def find_replay_faults(
    game: Game,
    roll: Event,
    systems: RuleSets,
    *,
    sealed: bool = False,
    side: str = "",
    previous: Event = MappingProxyType({}),
) -> Iterator[str]:
    """Replay an open or a `sealed` roll, table or sequence, and yield its faults.

    `game` is the state before the roll, `systems` the rule sets then, `side` the side of the player
    who sealed it, `previous` the event before. The roll must be playable under today's rules, see
    `is_playable`. If its inputs and dice lead to no outcome, that is the only fault.
    """
    refused_units = list[RosterUnit]()

    def note_refused_units(sequence: Sequence, plays: Iterable[Given]) -> None:
        refused_units.extend(find_refused_units(sequence, plays, game.units))

    try:
        record = play_again(game, roll, systems, note_refused_units)
        read_values = _collect_read_values(game, roll, str(roll.get("side", side)), systems)
    except UNREADABLE as error:
        yield f"its inputs and dice lead to no outcome ({shorten_value(error)})."
        return
    dice_problem = _find_dice_problem(roll.get("dice", []), record.build_dice_notes())
    if dice_problem:
        yield dice_problem
    record = record._replace(used_cards=_find_uses(game, roll, record, side, systems))
    if refused_units:
        yield f"{refused_units[0].name} had left the fight."
    if "upkeep" in roll:
        goes_on = "upkeep" in previous and previous.get("target") == roll.get("target")
        system = systems.get(game.system)
        upkeep_problem = find_upkeep_problem(game, roll, system, goes_on=goes_on)
        if upkeep_problem:
            yield upkeep_problem
    expected_fields = _build_expected_fields(game, record, systems, sealed=sealed)
    expected_fields["read"] = read_values
    for field, fault in _FIELD_FAULTS.items():
        logged_value = _get_own_choice(roll) if field == "asks" else roll.get(field)
        if not is_same_value(logged_value, expected_fields[field]):
            yield fault
    if not sealed and not _has_logged_changes(game, roll, record, systems):
        yield "its outcome does not lead to the units that it says."


def _build_expected_fields(
    game: Game, record: PlayRecord, systems: RuleSets, *, sealed: bool
) -> Json:
    """Build the fields that the event of a replayed roll must have, except `read`.

    Only a `sealed` roll holds changes of units and tracks; those of an open roll are in its patch.
    """
    units = find_units_by_name(game, record.units)
    sources = find_units_by_name(game, record.sources)
    fields: Json = {
        "asks": build_choice_json(record),
        "out": dict(record.out),
        "result": record.result,
        "inputs": {name: value for name, value in record.inputs.items() if name != "label"},
        "used": [unit_to_json(unit) for unit in units],
        "acting": [unit.name for unit in units if unit.name in record.acting],
        "sources": [unit_to_json(unit) for unit in sources],
        "uses": [card.to_json() for card in record.used_cards],
        "changes": [],
        "tracks": {},
    }
    if sealed:
        fields["changes"] = [change_to_json(change) for change in record.changes]
        if is_id_of_game(game, record.system, systems):
            fields["tracks"] = dict(record.tracks)
    return fields


def _get_own_choice(roll: Event) -> Json:
    """Return the choice that a roll asks for, {} if it asks for none.

    Fields that depend on the game (side, units, deadline) are left out.
    """
    choice = roll.get("asks", {})
    return {name: value for name, value in choice.items() if name not in ("side", "units", "due")}


def _has_logged_changes(game: Game, roll: Event, record: PlayRecord, systems: RuleSets) -> bool:
    """Return whether a replayed roll changes the game as the log says.

    Units that it names may have joined the game by it, or not.
    """
    for with_arrivals in (True, False):
        new_game = apply_play_record(game, record, systems, with_arrivals=with_arrivals)
        old_fields, new_fields = compute_difference(game, new_game)
        is_same_before = is_same_value(roll.get("before"), old_fields)
        if is_same_before and is_same_value(roll.get("after"), new_fields):
            return True
    return False


def play_again(
    game: Game,
    roll: Event,
    systems: RuleSets,
    check: Callable[[Sequence, Iterable[Given]], None] | None = None,
) -> PlayRecord:
    """Play a roll, table or sequence again with its logged dice.

    `check` is called with a sequence and the inputs of each of its plays. Raises one of UNREADABLE
    if its inputs and dice lead to no outcome.
    """
    kind = roll["kind"]
    options = dict(roll.get("inputs") or {})
    script = Script([die["value"] for die in roll.get("dice") or ()])
    if kind == "roll":
        return _roll_again(options, roll)
    system = systems[roll["system"]]
    target = roll["target"]
    if kind == "table":
        record = look_up_table(system.find_table(target), options, "", script).record
    else:
        roster = get_system_roster(game, system)
        spec = CommandSpec((system.id, target), target, "sequence")
        read_values = roll.get("read") or {}
        earlier_dice = tuple(die["value"] for die in roll.get("fell", ()))
        all_options = {**options, **roll.get("chosen", {})}
        sequence = system.find_sequence(target)
        _, record = run_sequence(
            sequence,
            spec,
            all_options,
            "",
            script,
            roster,
            read_values,
            earlier_dice,
            check=partial(check, sequence) if check is not None else None,
        )
    script.finish()
    if record is None:
        raise UserError("nothing was rolled", code="damaged-log")
    if is_continuation(roll):
        record = record._replace(kind=kind, inputs=options)
    return record._replace(by_hand=bool(roll.get("hand")))


def _roll_again(options: Json, roll: Event) -> PlayRecord:
    """Play a plain roll again with its logged dice, read as it was at that time.

    In early logs d66 is a die of 66 sides. Raises UserError.
    """
    dice = roll.get("dice") or []
    if any(die.get("sides") in DIGIT_DICE for die in dice):
        try:
            record = _roll_with(options, roll, is_early=True)
        except UserError:
            pass
        else:
            if is_same_value(dice, record.build_dice_notes()):
                return record
    return _roll_with(options, roll)


def _roll_with(options: Json, roll: Event, *, is_early: bool = False) -> PlayRecord:
    """Play a plain roll with its logged dice. Raises UserError if these do not fit."""
    script = Script([die["value"] for die in roll.get("dice") or ()])
    _, record = roll_dice(options, "", script, is_early=is_early)
    script.finish()
    return record._replace(by_hand=bool(roll.get("hand")))


def _find_uses(
    game: Game, roll: Event, record: PlayRecord, side: str, systems: RuleSets
) -> tuple[UsedCard, ...]:
    """Return the cards in play that a sequence of the game uses up.

    Return () for anything else: a roll or table, upkeep, a game that has not started, or a sequence
    of another rule set.
    """
    may_use = roll["kind"] == "sequence" and "upkeep" not in roll and game.started
    if not may_use or not is_id_of_game(game, record.system, systems):
        return ()
    sequence = systems[record.system].find_sequence(record.target)
    return find_used_cards(game, sequence, record.inputs, str(roll.get("side", side)))


def _collect_read_values(game: Game, roll: Event, person: str, systems: RuleSets) -> Json:
    """Return the tracks and piles that a sequence reads in the state `game`.

    Return {} for a roll or table. `person` is the side that plays it, which decides whose tracks
    are read.
    """
    if roll["kind"] not in COMBAT:
        return {}
    sequence = systems[roll["system"]].find_sequence(roll["target"])
    roster = get_system_roster(game, sequence.system)
    if is_continuation(roll):
        return collect_tracks_after_choice(sequence, {**roll, "side": person}, roster, game)
    inputs = roll.get("inputs") or {}
    return collect_tracks_and_piles(sequence, inputs, roster, game, person, roll.get("read") or {})


def _find_dice_problem(notes: list[Any], expected: list[Json]) -> str:
    """Return the first difference between the logged dice and the expected ones, or ""."""
    for position, (note, die) in enumerate(zip(notes, expected, strict=False), 1):
        if not is_same_value(note, die):
            return (
                f"die {position} is noted as {_format_die(note)}, "
                f"but what was asked for is {_format_die(die)}."
            )
    if len(notes) != len(expected):
        return f"it notes {len(notes)} dice, but {len(expected)} were asked for."
    return ""


def _format_die(note: Json) -> str:
    """Format a logged die for a message: its label, its sides and its faces."""
    faces = f" with faces {shorten_value(note['faces'])}" if "faces" in note else ""
    return f"{shorten_value(note.get('label'))} d{note.get('sides')}{faces}"


def is_same_value(logged: object, expected: object) -> bool:
    """Return whether two values are the same in an event. All empty values are the same."""
    empty_values: tuple[object, ...] = (None, "", [], {}, ())
    if logged in empty_values or expected in empty_values:
        return logged in empty_values and expected in empty_values
    return to_canonical({"": logged}) == to_canonical({"": expected})


def turn_is_todays(game: Game, event: Event, systems: RuleSets) -> bool:
    """Return whether an event leads to the phase, sides and words of today's tables.

    It is a start, next or pass. `game` is the state before it.
    """
    if event["kind"] == "start":
        return _start_is_todays(event, systems)
    system = systems.get(game.system)
    is_pass = event["kind"] == "pass"
    words = event["result"].partition("; ")[2] if is_pass else event["result"]
    for next_state in _list_next_states(game, event, system):
        _, new_fields = compute_difference(game, next_state)
        if not is_same_value(event.get("after", {}), new_fields):
            continue
        title = format_phase_title(next_state, system)
        if is_pass and _is_same_phase(game, next_state):
            title = ""
        if words == title:
            return True
    return False


def _start_is_todays(event: Event, systems: RuleSets) -> bool:
    """Return whether a start leads to the phase, sides and words of today's tables.

    Early logs without `go`, the sides to act, are right without it.
    """
    fields = event.get("after", {}).get("game", {})
    system = systems.get(fields.get("system", ""))
    game = start_first_turn(Game("", sides=tuple(fields.get("sides", ()))), system)
    if game.go and "go" not in fields:  # early logs have no `go`, and some games had no phases
        phase = game.phase if fields.get("phase", "") else ""
        game = replace(game, phase=phase, go=(), turn_of="")
    logged_go = tuple(fields.get("go", ()))
    logged = (fields.get("phase", ""), logged_go, fields.get("turn_of", ""))
    if logged != (game.phase, game.go, game.turn_of):
        return False
    return bool(event.get("result", "") == format_phase_title(game, system))


def _is_same_phase(game: Game, new_game: Game) -> bool:
    """Return whether two states of a game are in the same phase of the same turn."""
    phase = (game.turn, game.phase, game.turn_of)
    return phase == (new_game.turn, new_game.phase, new_game.turn_of)


def _list_next_states(game: Game, event: Event, system: System | None) -> Iterator[Game]:
    """Yield each state that a next phase or a pass may lead to under today's tables.

    `game` is the state before the event, `system` its rule set, None if it is not here. A pass
    leads to two states for each side to act, after it acted and after it did not. For early logs,
    which have no `go`, the next phases include states without it.
    """
    if event["kind"] == "pass":
        for side in game.go or game.sides:
            yield from (apply_pass(game, system, side, acted=acted) for acted in (False, True))
        return
    yield start_next_phase(game, system)
    if not game.go:
        for phase_system in (system, None):
            yield replace(start_next_phase(game, phase_system), go=(), passes=0, turn_of="")


def titles_are_todays(event: Event, contents: Mapping[int, Event], systems: RuleSets) -> bool:
    """Return whether the result of an event that opens sealed rolls is right with today's titles.

    The result lists each roll with its number, title and result. `contents` are the sealed contents
    by event. If that of an opened roll is missing, nobody can tell, so return True.
    """
    opened = event.get("opens", ())
    rolls = [(number, contents[number]) for number in opened if number in contents]
    if len(rolls) < len(opened):
        return True
    texts = [describe_opened_roll(number, content, systems) for number, content in rolls]
    return bool(event.get("result", "") == "; ".join(texts))


def find_score_problem(game: Game, event: Event, systems: RuleSets) -> str:
    """Return the fault of the score that the end of a game says, "" if it follows from the tracks.

    `game` is the state before the event, `systems` the rule sets then. Only a game that counts must
    say its score.
    """
    system = systems.get(game.system)
    has_score = "score" in event
    if not _has_same_files(game, system) or not (has_score or game.counted):
        return ""
    score = compute_score(apply(game, event), system)
    if score is None:
        return "it says a score, but the game has none." if has_score else ""
    if is_same_value(event.get("score"), score.to_json()):
        return ""
    winner = f"the winner is {score.winner}" if score.winner else "it names no winner"
    return f"its score is not that of the game's tracks: {format_score(score)}; {winner}."


def _has_same_files(game: Game, system: System | None) -> bool:
    """Return whether these are the files that the game was played with, as far as the log says."""
    if system is None:
        return False
    return isinstance(system.edition, int) or system.edition in game.packs


LONGEST = 60
"""Maximum number of letters of a value in the description of a difference."""


@dataclass(frozen=True, slots=True)
class ReplayedOutcome:
    """An outcome that was replayed under today's tables.

    `title` names its rule set and sequence or table. `difference` is "" if it is the same today.
    """

    game: str
    number: int
    title: str
    difference: str


async def rerun(store: Store, games: tuple[str, ...] = ()) -> AsyncIterator[ReplayedOutcome]:
    """Yield each outcome of these games, or of all games if none is named, replayed in order.

    Raises UserError for a game that does not exist.
    """
    for game in games:
        async for outcome in _rerun_game(store, game):
            yield outcome
    if games:
        return
    last_game = ""
    while page := await store.list_games(after=last_game, limit=200):
        for game in page:
            async for outcome in _rerun_game(store, game):
                yield outcome
        last_game = page[-1]


async def _rerun_game(store: Store, game: str) -> AsyncIterator[ReplayedOutcome]:
    """Yield each outcome of one game, replayed. Raises UserError if the game does not exist."""
    saved = await store.load_game_by_id(game)
    if saved is None:
        hint = phrase("`/game list` shows their ids.")
        raise UserError(f"There is no game {game[:40]}.", hint=hint, code="unknown-game")
    events = await store.load_events(game)
    texts = await store.load_texts(game)
    sealed = {text.event: text.text for text in texts if text.key == SEALED}
    systems = _build_todays_systems(await load_packs_of_events(store, events, texts))
    contents, _ = read_sealed_contents(sealed)
    past = Past(Game(game), contents, systems)
    for row in events:
        event = row.data
        roll = past.contents.get(event["number"])
        if event["kind"] in OUTCOMES:
            roll = merge_choices(event, past.bodies)
        if roll is not None and roll.get("system"):
            differences = "; ".join(_list_differences(past.game, roll, systems))
            is_hidden = roll is not event and event["number"] in past.game.sealed
            if is_hidden and differences:
                differences = "another outcome (sealed)"
            title = f"{roll['system']} {roll['target']}"
            yield ReplayedOutcome(game, event["number"], title, differences)
        past.add(event)


def _build_todays_systems(packs: Mapping[str, Mapping[str, str]]) -> RuleSets:
    """Return the rule sets of the host, with those packs of the game that the host lacks."""
    host_systems = load_shared_systems()
    missing = []
    for id, system in add_packs(packs).items():
        if id not in host_systems and isinstance(system, PackSystem):
            missing.append(system)
    return combine_with_packs(host_systems, missing)


def _list_differences(game: Game, roll: Mapping[str, Any], systems: RuleSets) -> Iterator[str]:
    """Yield what would differ if a roll was played today; nothing if its outputs are the same.

    This is one line with the results then and now, or if these agree, up to three changed outputs.
    A roll that cannot be played any more yields the error. `game` is the state before the roll.
    """
    try:
        record = play_again(game, roll, systems)
    except UNREADABLE as error:
        yield f"can no longer be played: {str(error)[:LONGEST]}"
        return
    old_outputs = dict(roll.get("out") or {})
    new_outputs = dict(record.out)
    changed = []
    for name in {**old_outputs, **new_outputs}:
        if not is_same_value(old_outputs.get(name), new_outputs.get(name)):
            changed.append(name)
    if changed and roll.get("result", "") != record.result:
        yield f"{_cut(roll.get('result'))} would be {_cut(record.result)}"
        return
    for name in changed[:3]:
        old_value = _cut(old_outputs.get(name))
        yield f"{name} {old_value} would be {_cut(new_outputs.get(name))}"


def _cut(value: object) -> str:
    """Format a value in at most LONGEST letters."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
