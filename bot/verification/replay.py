"""The replay of a logged event from its inputs, units and dice.

Odds, play and replay read the same definition of a sequence. `rerun` replays every outcome of stored
games under the tables of today, whatever its edition, to show what a changed table would change.
"""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from bot.game.decks import UsedCard, find_used_cards
from bot.game.event_kinds import shorten_value
from bot.game.events import (
    COMBAT,
    OUTCOMES,
    compute_difference,
    get_edition,
    get_event_system,
    is_continuation,
    is_current,
    merge_choices,
)
from bot.game.phases import apply_pass, format_phase_title, start_first_turn, start_next_phase
from bot.game.roster import change_to_json, find_units_by_name, has_left_fight, is_of_game
from bot.game.state import Game, Json, build_roster, unit_to_json
from bot.presentation.derived_inputs import collect_tracks_after_choice, collect_tracks_and_piles
from bot.presentation.events import get_event_title
from bot.presentation.play_record import PlayRecord, apply_play_record, build_choice_json
from bot.presentation.roll import look_up_table, roll_dice
from bot.presentation.run_sequence import run_sequence
from bot.presentation.upkeep import find_upkeep_problem
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.expression.model import DIGIT_DICE
from bot.rules.proof.chain import SEALED, to_canonical
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import get_systems, load_shared_systems, use_systems
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.packs.visible_rulesets import VisibleRulesets
from bot.rulesets.system import System
from bot.storage.store import Store
from bot.ui.spec import CommandSpec
from bot.verification.follows.past import Past, read_sealed_contents
from bot.verification.packs_of_game import add_packs, load_packs_of_events

Event = Mapping[str, Any]
UNREADABLE = (UserError, TypeError, ValueError, KeyError, AttributeError, IndexError)
"""Errors that a forged event may raise."""


def is_playable(roll: Event) -> bool:
    """Return whether a roll, table or sequence was played under today's rules."""
    return roll["kind"] == "roll" or is_current(roll)


def find_edition_problem(roll: Event) -> str:
    """Return the fault of the edition that a sequence or table names, or "".

    An edition is at fault if it never existed.
    """
    system = get_event_system(roll)
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


def find_replay_faults(
    now: Game,
    roll: Event,
    *,
    sealed: bool = False,
    side: str = "",
    before: Event = MappingProxyType({}),
) -> Iterator[str]:
    """Replay an open or a `sealed` roll, table or sequence, and yield its faults.

    `now` is the state before the roll, `side` the side of the player who sealed it, `before` the
    previous event. The roll must be playable under today's rules, see `is_playable`.
    """
    try:
        record = play_again(now, roll)
        read_values = _read(now, roll, str(roll.get("side", side)))
    except UNREADABLE as error:
        yield f"its inputs and dice lead to no outcome ({shorten_value(error)})."
        return
    dice_problem = _find_dice_problem(roll.get("dice", []), record.build_dice_notes())
    if dice_problem:
        yield dice_problem
    record = record._replace(uses=_find_uses(now, roll, record, side))
    units = find_units_by_name(now, record.units)
    lost_units = [unit.name for unit in units if has_left_fight(unit)]
    if lost_units:
        yield f"{lost_units[0]} had left the fight."
    if "upkeep" in roll:
        goes_on = "upkeep" in before and before.get("target") == roll.get("target")
        system = get_systems().get(now.system)
        upkeep_problem = find_upkeep_problem(now, roll, system, goes_on=goes_on)
        if upkeep_problem:
            yield upkeep_problem
    sources = find_units_by_name(now, record.sources)
    inputs = {name: value for name, value in record.inputs.items() if name != "label"}
    changes = [change_to_json(change) for change in record.changes] if sealed else []
    tracks = dict(record.tracks) if sealed and is_of_game(now, record.system) else {}
    expected = {
        "it asks for another choice than it says.": ("asks", build_choice_json(record)),
        "its inputs and dice lead to another outcome.": ("out", dict(record.out)),
        "its words are not those of its outcome.": ("result", record.result),
        "its inputs are not those of its command.": ("inputs", inputs),
        "its inputs name other units than it says.": (
            "used",
            [unit_to_json(unit) for unit in units],
        ),
        "other units act than it says.": (
            "acting",
            [unit.name for unit in units if unit.name in record.acting],
        ),
        "other units brought a value than it says.": (
            "sources",
            [unit_to_json(unit) for unit in sources],
        ),
        "its outcome changes other units than it says.": ("changes", changes),
        "it read the game's tracks otherwise than they were.": ("read", read_values),
        "it uses other cards than its inputs name.": (
            "uses",
            [card.to_json() for card in record.uses],
        ),
        "its outcome changes other tracks than it says.": ("tracks", tracks),
    }
    for problem, (field, value) in expected.items():
        logged = _get_own_choice(roll) if field == "asks" else roll.get(field)
        if not is_same_value(logged, value):
            yield problem
    if not sealed and not _has_logged_changes(now, roll, record):
        yield "its outcome leads to other units than it says."


def _get_own_choice(roll: Event) -> Json:
    """Return the choice that a roll asks for, without the fields that depend on the game."""
    choice = roll.get("asks", {})
    return {name: value for name, value in choice.items() if name not in ("side", "units", "due")}


def _has_logged_changes(now: Game, roll: Event, record: PlayRecord) -> bool:
    """Return whether a replayed roll changes the game as the log says.

    Units that it names may have joined the game by it, or not.
    """
    for joins in (True, False):
        game_after = apply_play_record(now, record, get_systems(), joins=joins)
        before, after = compute_difference(now, game_after)
        if is_same_value(roll.get("before"), before) and is_same_value(roll.get("after"), after):
            return True
    return False


def play_again(now: Game, roll: Event) -> PlayRecord:
    """Play a roll, table or sequence again with its logged dice.

    Raises one of UNREADABLE if its inputs and dice lead to no outcome.
    """
    kind = roll["kind"]
    options = dict(roll.get("inputs") or {})
    script = Script([die["value"] for die in roll.get("dice") or ()])
    if kind == "roll":
        return _roll_again(options, roll)
    system = get_systems()[roll["system"]]
    target = roll["target"]
    if kind == "table":
        outcome = look_up_table(system.find_table(target), options, "", script)
    else:
        roster = build_roster(now) if is_of_game(now, system.id) else {}
        spec = CommandSpec((system.id, target), target, "sequence")
        read_values = roll.get("read") or {}
        earlier_dice = tuple(die["value"] for die in roll.get("fell", ()))
        all_options = {**options, **roll.get("chosen", {})}
        sequence = system.find_sequence(target)
        outcome = run_sequence(
            sequence, spec, all_options, "", script, roster, read_values, earlier_dice
        )
    script.finish()
    record = outcome.happening
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
    """Play a plain roll with its logged dice. Raises UserError if nothing is rolled."""
    script = Script([die["value"] for die in roll.get("dice") or ()])
    record = roll_dice(options, "", script, is_early=is_early).happening
    script.finish()
    if record is None:
        raise UserError("nothing was rolled", code="damaged-log")
    return record._replace(by_hand=bool(roll.get("hand")))


def _find_uses(now: Game, roll: Event, record: PlayRecord, side: str) -> tuple[UsedCard, ...]:
    """Return the cards in play that a sequence of the game uses up."""
    may_use = roll["kind"] == "sequence" and "upkeep" not in roll and now.started
    if not may_use or not is_of_game(now, record.system):
        return ()
    sequence = get_systems()[record.system].find_sequence(record.target)
    return find_used_cards(now, sequence, record.inputs, str(roll.get("side", side)))


def _read(now: Game, roll: Event, person: str) -> Json:
    """Return the tracks and piles that a sequence reads in the state `now`."""
    if roll["kind"] not in COMBAT:
        return {}
    roster = build_roster(now) if is_of_game(now, roll["system"]) else {}
    sequence = get_systems()[roll["system"]].find_sequence(roll["target"])
    if is_continuation(roll):
        return collect_tracks_after_choice(sequence, {**roll, "side": person}, roster, now)
    inputs = roll.get("inputs") or {}
    return collect_tracks_and_piles(sequence, inputs, roster, now, person, roll.get("read") or {})


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


def is_same_value(value: object, other: object) -> bool:
    """Return whether two values are the same in an event. All empty values are the same."""
    empty: tuple[object, ...] = (None, "", [], {}, ())
    if value in empty or other in empty:
        return value in empty and other in empty
    return to_canonical({"": value}) == to_canonical({"": other})


def turn_is_todays(now: Game, event: Event) -> bool:
    """Return whether a start, next or pass leads to the phase, sides and words of today's tables."""
    if event["kind"] == "start":
        return _start_is_todays(event)
    system = get_systems().get(now.system)
    after = event.get("after", {})
    is_pass = event["kind"] == "pass"
    words = event["result"].partition("; ")[2] if is_pass else event["result"]
    for next_state in _list_next_states(now, event, system):
        if not is_same_value(after, compute_difference(now, next_state)[1]):
            continue
        title = format_phase_title(next_state, system)
        if is_pass and _is_same_phase(now, next_state):
            title = ""
        if words == title:
            return True
    return False


def _start_is_todays(event: Event) -> bool:
    """Return whether a start leads to the phase, sides and words of today's tables."""
    game = event.get("after", {}).get("game", {})
    system = get_systems().get(game.get("system", ""))
    first = start_first_turn(Game("", sides=tuple(game.get("sides", ()))), system)
    if first.go and "go" not in game:  # early logs have no `go`, and some games had no phases
        first = replace(first, phase=game.get("phase", "") and first.phase, go=(), turn_of="")
    logged = (game.get("phase", ""), tuple(game.get("go", ())), game.get("turn_of", ""))
    if logged != (first.phase, first.go, first.turn_of):
        return False
    return bool(event.get("result", "") == format_phase_title(first, system))


def _is_same_phase(game: Game, other: Game) -> bool:
    """Return whether two states of a game are in the same phase of the same turn."""
    return (game.turn, game.phase, game.turn_of) == (other.turn, other.phase, other.turn_of)


def _list_next_states(now: Game, event: Event, system: System | None) -> Iterator[Game]:
    """Yield the states that a next phase or a pass may lead to under today's tables.

    For early logs, which have no `go`, these include states without it.
    """
    if event["kind"] == "pass":
        for side in now.go or now.sides:
            yield from (apply_pass(now, system, side, acted=acted) for acted in (False, True))
        return
    yield start_next_phase(now, system)
    if not now.go:
        for phase_system in (system, None):
            yield replace(start_next_phase(now, phase_system), go=(), passes=0, turn_of="")


def titles_are_todays(event: Event, contents: Mapping[int, Event]) -> bool:
    """Return whether an event that opens sealed rolls names them as today's tables do.

    If the content of one of them is missing, nobody can tell, so return True.
    """
    opened = event.get("opens", ())
    rolls = [(number, contents[number]) for number in opened if number in contents]
    if len(rolls) < len(opened):
        return True
    titles = [
        f"#{number} {get_event_title(roll)}: {roll.get('result', '')}" for number, roll in rolls
    ]
    return bool(event.get("result", "") == "; ".join(titles))


LONGEST = 60


@dataclass(frozen=True, slots=True)
class ReplayedOutcome:
    """An outcome that was replayed under today's tables.

    `what` names its rule set and sequence or table. `other` says what would differ today, or "".
    """

    game: str
    number: int
    what: str
    other: str


async def rerun(store: Store, games: tuple[str, ...] = ()) -> AsyncIterator[ReplayedOutcome]:
    """Replay each outcome of these games, or of all games, in order.

    Raises UserError for a game that does not exist.
    """
    for game in games:
        async for outcome in _rerun_game(store, game):
            yield outcome
    after = ""
    while not games and (page := await store.list_games(after=after, limit=200)):
        for game in page:
            async for outcome in _rerun_game(store, game):
                yield outcome
        after = page[-1]


async def _rerun_game(store: Store, game: str) -> AsyncIterator[ReplayedOutcome]:
    """Replay each outcome of one game. Raises UserError if the game does not exist."""
    saved = await store.load_game_by_id(game)
    if saved is None:
        hint = phrase("`/game list` shows their ids.")
        raise UserError(f"There is no game {game[:40]}.", hint=hint, code="unknown-game")
    events = await store.load_events(game)
    texts = await store.load_texts(game)
    sealed = {text.event: text.text for text in texts if text.key == SEALED}
    systems = _build_todays_systems(await load_packs_of_events(store, events, texts))
    past = Past(Game(game), read_sealed_contents(sealed)[0])
    for row in events:
        event = row.data
        is_open = event["kind"] in OUTCOMES
        roll = merge_choices(event, past.bodies) if is_open else past.contents.get(event["number"])
        if roll is not None and roll.get("system"):
            with use_systems(systems):
                differences = "; ".join(_list_differences(past.game, roll))
            is_hidden = roll is not event and event["number"] in past.game.sealed
            if is_hidden and differences:
                differences = "another outcome (sealed)"
            name = f"{roll['system']} {roll['target']}"
            yield ReplayedOutcome(game, event["number"], name, differences)
        past.add(event)


def _build_todays_systems(packs: Mapping[str, Mapping[str, str]]) -> Mapping[str, System]:
    """Return the rule sets of the host, with those packs of the game that the host lacks."""
    own = load_shared_systems()
    missing = []
    for id, system in add_packs(packs).items():
        if id not in own and isinstance(system, PackSystem):
            missing.append(system)
    return VisibleRulesets(own, missing)


def _list_differences(now: Game, roll: Mapping[str, Any]) -> Iterator[str]:
    """Yield what would differ today: the words of the result, or up to three outputs."""
    try:
        record = play_again(now, roll)
    except UNREADABLE as error:
        yield f"cannot be played any more: {str(error)[:LONGEST]}"
        return
    before = dict(roll.get("out") or {})
    after = dict(record.out)
    changed = [
        name for name in {**before, **after} if not is_same_value(before.get(name), after.get(name))
    ]
    if changed and roll.get("result", "") != record.result:
        yield f"{_cut(roll.get('result'))} would be {_cut(record.result)}"
        return
    for name in changed[:3]:
        yield f"{name} {_cut(before.get(name))} would be {_cut(after.get(name))}"


def _cut(value: object) -> str:
    """Format a value in at most LONGEST letters."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
