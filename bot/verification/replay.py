"""Plays a logged event again from its inputs, units and dice: a third reading of the one definition
of a sequence.

`rerun` plays every outcome of stored games once more under the tables of today, whatever edition it
was rolled under: what a changed table would have changed.
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
"""What a forged event may raise: the file is a stranger's."""


def is_playable(roll: Event) -> bool:
    """Return whether today's rules are those of this roll, table or sequence."""
    return roll["kind"] == "roll" or is_current(roll)


def find_edition_problem(roll: Event) -> str:
    """What is wrong with the edition that a sequence or table names: one that there has never
    been.
    """
    system = get_event_system(roll)
    edition = get_edition(roll)
    if system is None or "edition" not in roll:
        return ""
    if system.base is not None:
        id, _, named = str(roll.get("base", "")).partition("@")
        is_known = (
            id == system.home and named.isdecimal() and 1 <= int(named) <= int(system.base.edition)
        )
        return (
            ""
            if is_known
            else f"{system.id} does not extend {shorten_value(roll.get('base', 'nothing'))}."
        )
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
    """What is wrong with an open roll, table or sequence, or with what was `sealed`, when it is
    played again.

    `now` is the state that it was rolled in, `side` that of who sealed it, `before` the event
    before it. Today's rules must be those it was played under: see `is_playable`.
    """
    try:
        happening = play_again(now, roll)
        read = _read(now, roll, str(roll.get("side", side)))
    except UNREADABLE as error:
        yield f"its inputs and dice lead to no outcome ({shorten_value(error)})."
        return
    if problem := _find_dice_problem(roll.get("dice", []), happening.build_dice_notes()):
        yield problem
    happening = happening._replace(uses=_find_uses(now, roll, happening, side))
    uses = [used.to_json() for used in happening.uses]
    inputs = {name: value for name, value in happening.inputs.items() if name != "label"}
    units = find_units_by_name(now, happening.units)
    if gone := [unit.name for unit in units if has_left_fight(unit)]:
        yield f"{gone[0]} had left the fight."
    goes_on = "upkeep" in before and before.get("target") == roll.get("target")
    if "upkeep" in roll and (
        problem := find_upkeep_problem(now, roll, get_systems().get(now.system), goes_on=goes_on)
    ):
        yield problem
    acting = [unit.name for unit in units if unit.name in happening.acting]
    sources = [unit_to_json(unit) for unit in find_units_by_name(now, happening.sources)]
    changes = [change_to_json(change) for change in happening.changes]
    moved = dict(happening.tracks) if is_of_game(now, happening.system) else {}
    expected = {
        "it asks for another choice than it says.": ("asks", build_choice_json(happening)),
        "its inputs and dice lead to another outcome.": ("out", dict(happening.out)),
        "its words are not those of its outcome.": ("result", happening.result),
        "its inputs are not those of its command.": ("inputs", inputs),
        "its inputs name other units than it says.": (
            "used",
            [unit_to_json(unit) for unit in units],
        ),
        "other units act than it says.": ("acting", acting),
        "other units brought a value than it says.": ("sources", sources),
        "its outcome changes other units than it says.": ("changes", changes if sealed else []),
        "it read the game's tracks otherwise than they were.": ("read", read),
        "it uses other cards than its inputs name.": ("uses", uses),
        "its outcome changes other tracks than it says.": ("tracks", moved if sealed else {}),
    }
    own = {
        name: value
        for name, value in roll.get("asks", {}).items()
        if name not in ("side", "units", "due")
    }
    for problem, (field, value) in expected.items():
        logged = own if field == "asks" else roll.get(field)
        if not is_same_value(logged, value):
            yield problem
    if not sealed:
        afters = (
            apply_play_record(now, happening, get_systems(), joins=joins) for joins in (True, False)
        )
        expected_ones = [compute_difference(now, after) for after in afters]
        if not any(
            is_same_value(roll.get("before"), before) and is_same_value(roll.get("after"), after)
            for before, after in expected_ones
        ):
            yield "its outcome leads to other units than it says."


def play_again(now: Game, roll: Event) -> PlayRecord:
    """What happens once more with the dice that fell. Raises one of UNREADABLE where nothing
    does.
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
        read = roll.get("read") or {}
        fell = tuple(die["value"] for die in roll.get("fell", ()))
        chosen = {**options, **roll.get("chosen", {})}
        outcome = run_sequence(
            system.find_sequence(target), spec, chosen, "", script, roster, read, fell
        )
    script.finish()
    if (happening := outcome.happening) is None:
        raise UserError("nothing was rolled", code="damaged-log")
    if is_continuation(roll):
        happening = happening._replace(kind=kind, inputs=options)
    return happening._replace(by_hand=bool(roll.get("hand")))


def _roll_again(options: Json, roll: Event) -> PlayRecord:
    """Return a roll with the dice that fell, read as it was then.

    In early logs d66 is a die of 66 sides. Raises UserError.
    """
    dice = roll.get("dice") or []
    if any(die.get("sides") in DIGIT_DICE for die in dice):
        try:
            happening = _roll_with(options, roll, is_early=True)
        except UserError:
            pass
        else:
            if is_same_value(dice, happening.build_dice_notes()):
                return happening
    return _roll_with(options, roll)


def _roll_with(options: Json, roll: Event, *, is_early: bool = False) -> PlayRecord:
    script = Script([die["value"] for die in roll.get("dice") or ()])
    happening = roll_dice(options, "", script, is_early=is_early).happening
    script.finish()
    if happening is None:
        raise UserError("nothing was rolled", code="damaged-log")
    return happening._replace(by_hand=bool(roll.get("hand")))


def _find_uses(now: Game, roll: Event, happening: PlayRecord, side: str) -> tuple[UsedCard, ...]:
    """Return the cards in play that a sequence of the game uses up."""
    is_used = roll["kind"] == "sequence" and "upkeep" not in roll and now.started
    if not is_used or not is_of_game(now, happening.system):
        return ()
    sequence = get_systems()[happening.system].find_sequence(happening.target)
    return find_used_cards(now, sequence, happening.inputs, str(roll.get("side", side)))


def _read(now: Game, roll: Event, person: str) -> Json:
    """The tracks and piles that a sequence reads in this state."""
    if roll["kind"] not in COMBAT:
        return {}
    roster = build_roster(now) if is_of_game(now, roll["system"]) else {}
    sequence = get_systems()[roll["system"]].find_sequence(roll["target"])
    if is_continuation(roll):
        return collect_tracks_after_choice(sequence, {**roll, "side": person}, roster, now)
    return collect_tracks_and_piles(
        sequence, roll.get("inputs") or {}, roster, now, person, roll.get("read") or {}
    )


def _find_dice_problem(notes: list[Any], asked: list[Json]) -> str:
    for at, (note, die) in enumerate(zip(notes, asked, strict=False), 1):
        if not is_same_value(note, die):
            return f"die {at} is noted as {_format_die(note)}, but what was asked for is {_format_die(die)}."
    return (
        ""
        if len(notes) == len(asked)
        else f"it notes {len(notes)} dice, but {len(asked)} were asked for."
    )


def _format_die(note: Json) -> str:
    faces = f" with faces {shorten_value(note['faces'])}" if "faces" in note else ""
    return f"{shorten_value(note.get('label'))} d{note.get('sides')}{faces}"


def is_same_value(one: object, other: object) -> bool:
    """Return whether two values are the same in an event, where what is empty is left out."""
    empty: tuple[object, ...] = (None, "", [], {}, ())
    if one in empty or other in empty:
        return one in empty and other in empty
    return to_canonical({"": one}) == to_canonical({"": other})


def turn_is_todays(now: Game, event: Event) -> bool:
    """Return whether a start, next or pass leads where today's tables lead: to that phase and go,
    with those words.
    """
    if event["kind"] == "start":
        return _start_is_todays(event)
    system = get_systems().get(now.system)
    after = event.get("after", {})
    words = event["result"].partition("; ")[2] if event["kind"] == "pass" else event["result"]
    return any(
        is_same_value(after, compute_difference(now, then)[1])
        and words
        == (
            ""
            if event["kind"] == "pass" and _is_same_phase(now, then)
            else format_phase_title(then, system)
        )
        for then in _list_next_states(now, event, system)
    )


def _start_is_todays(event: Event) -> bool:
    said = event.get("after", {}).get("game", {})
    system = get_systems().get(said.get("system", ""))
    first = start_first_turn(Game("", sides=tuple(said.get("sides", ()))), system)
    if first.go and "go" not in said:  # from before there was a go, when some games had no phases
        first = replace(first, phase=said.get("phase", "") and first.phase, go=(), turn_of="")
    told = (said.get("phase", ""), tuple(said.get("go", ())), said.get("turn_of", ""))
    return told == (first.phase, first.go, first.turn_of) and event.get(
        "result", ""
    ) == format_phase_title(first, system)


def _is_same_phase(one: Game, other: Game) -> bool:
    return (one.turn, one.phase, one.turn_of) == (other.turn, other.phase, other.turn_of)


def _list_next_states(now: Game, event: Event, system: System | None) -> Iterator[Game]:
    """Where the next phase, or a pass, may lead today; a log from before there was a go knows
    nothing of it.
    """
    if event["kind"] == "pass":
        for side in now.go or now.sides:
            yield from (apply_pass(now, system, side, acted=acted) for acted in (False, True))
        return
    yield start_next_phase(now, system)
    if not now.go:
        for known in (system, None):
            yield replace(start_next_phase(now, known), go=(), passes=0, turn_of="")


def titles_are_todays(event: Event, contents: Mapping[int, Event]) -> bool:
    """Return whether an event that opens sealed rolls calls them as today's tables do."""
    known = [(number, contents[number]) for number in event.get("opens", ()) if number in contents]
    if len(known) < len(event.get("opens", ())):
        return True
    said = (
        f"#{number} {get_event_title(roll)}: {roll.get('result', '')}" for number, roll in known
    )
    return bool(event.get("result", "") == "; ".join(said))


LONGEST = 60


@dataclass(frozen=True, slots=True)
class ReplayedOutcome:
    """An outcome that was played once more: `what` it was, and what is `other` about it now (""
    where nothing is).
    """

    game: str
    number: int
    what: str
    other: str


async def rerun(store: Store, games: tuple[str, ...] = ()) -> AsyncIterator[ReplayedOutcome]:
    """Each outcome of these games, or of all, in order. Raises UserError for a game that is not
    there.
    """
    for game in games:
        async for one in _of_game(store, game):
            yield one
    after = ""
    while not games and (page := await store.list_games(after=after, limit=200)):
        for game in page:
            async for one in _of_game(store, game):
                yield one
        after = page[-1]


async def _of_game(store: Store, game: str) -> AsyncIterator[ReplayedOutcome]:
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
                other = "; ".join(_list_differences(past.now, roll))
            hidden = roll is not event and event["number"] in past.now.sealed
            other = "another outcome (sealed)" if hidden and other else other
            yield ReplayedOutcome(
                game, event["number"], f"{roll['system']} {roll['target']}", other
            )
        past.add(event)


def _build_todays_systems(packs: Mapping[str, Mapping[str, str]]) -> Mapping[str, System]:
    """The systems that the host has, and beside them those packs of the game of which the host
    has no other version.
    """
    own = load_shared_systems()
    theirs = add_packs(packs)
    return VisibleRulesets(
        own, [one for id, one in theirs.items() if id not in own and isinstance(one, PackSystem)]
    )


def _list_differences(now: Game, roll: Mapping[str, Any]) -> Iterator[str]:
    """What would be other: the words of the result, else outputs by name."""
    try:
        again = play_again(now, roll)
    except UNREADABLE as error:
        yield f"cannot be played any more: {str(error)[:LONGEST]}"
        return
    before = dict(roll.get("out") or {})
    after = dict(again.out)
    changed = [
        name for name in {**before, **after} if not is_same_value(before.get(name), after.get(name))
    ]
    if changed and roll.get("result", "") != again.result:
        yield f"{_cut(roll.get('result'))} would be {_cut(again.result)}"
        return
    for name in changed[:3]:
        yield f"{name} {_cut(before.get(name))} would be {_cut(after.get(name))}"


def _cut(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
