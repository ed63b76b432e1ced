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

from bot.answers.defaults import tracks_read, tracks_read_again
from bot.answers.events import title_of
from bot.answers.outcome import Happening, after_happening, asked_json
from bot.answers.roll import read_table, roll_dice
from bot.answers.shot import run_sequence
from bot.answers.upkeep import upkeep_problem
from bot.game.decks import UsedCard, find_used_cards
from bot.game.event_kinds import shown
from bot.game.events import (
    COMBAT,
    OUTCOMES,
    difference,
    edition_of,
    is_continuation,
    is_current,
    merge_choices,
    system_of,
)
from bot.game.phases import after_pass, first_turn, next_phase, phase_title
from bot.game.roster import change_json, is_gone, is_of_game, units_of
from bot.game.state import Game, Json, roster_of, unit_json
from bot.interface.spec import CommandSpec
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.expression.model import DIGIT_DICE
from bot.rules.proof.chain import SEALED, canonical
from bot.rules.text.phrase import phrase
from bot.stores.store import Store
from bot.systems.catalog import everywhere, systems, using
from bot.systems.packs.pack import PackSystem
from bot.systems.packs.shelf import Shelf
from bot.systems.system import System
from bot.verification.follows.past import Past, sealed_contents
from bot.verification.packs_of_game import packs_of, with_packs

Event = Mapping[str, Any]
UNREADABLE = (UserError, TypeError, ValueError, KeyError, AttributeError, IndexError)
"""What a forged event may raise: the file is a stranger's."""


def is_playable(roll: Event) -> bool:
    """Return whether today's rules are those of this roll, table or sequence."""
    return roll["kind"] == "roll" or is_current(roll)


def edition_problem(roll: Event) -> str:
    """What is wrong with the edition that a sequence or table names: one that there has never
    been.
    """
    system = system_of(roll)
    edition = edition_of(roll)
    if system is None or "edition" not in roll:
        return ""
    if system.base is not None:
        id, _, named = str(roll.get("base", "")).partition("@")
        is_known = (
            id == system.home and named.isdecimal() and 1 <= int(named) <= int(system.base.edition)
        )
        return (
            "" if is_known else f"{system.id} does not extend {shown(roll.get('base', 'nothing'))}."
        )
    if "base" in roll:
        return f"{system.id} extends no other game."
    if isinstance(system.edition, str):
        return ""
    if isinstance(edition, int) and 1 <= edition <= system.edition:
        return ""
    return f"there is no edition {shown(roll['edition'])} of {system.id}; this Grognard knows 1 to {system.edition}."


def replay_faults(
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
        yield f"its inputs and dice lead to no outcome ({shown(error)})."
        return
    if problem := _dice_problem(roll.get("dice", []), happening.notes()):
        yield problem
    happening = happening._replace(uses=_find_uses(now, roll, happening, side))
    uses = [used.to_json() for used in happening.uses]
    inputs = {name: value for name, value in happening.inputs.items() if name != "label"}
    units = units_of(now, happening.units)
    if gone := [unit.name for unit in units if is_gone(unit)]:
        yield f"{gone[0]} had left the fight."
    goes_on = "upkeep" in before and before.get("target") == roll.get("target")
    if "upkeep" in roll and (
        problem := upkeep_problem(now, roll, systems().get(now.system), goes_on=goes_on)
    ):
        yield problem
    acting = [unit.name for unit in units if unit.name in happening.acting]
    sources = [unit_json(unit) for unit in units_of(now, happening.sources)]
    changes = [change_json(change) for change in happening.changes]
    moved = dict(happening.tracks) if is_of_game(now, happening.system) else {}
    expected = {
        "it asks for another choice than it says.": ("asks", asked_json(happening)),
        "its inputs and dice lead to another outcome.": ("out", dict(happening.out)),
        "its words are not those of its outcome.": ("result", happening.result),
        "its inputs are not those of its command.": ("inputs", inputs),
        "its inputs name other units than it says.": ("used", [unit_json(unit) for unit in units]),
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
        if not alike(logged, value):
            yield problem
    if not sealed:
        afters = (
            after_happening(now, happening, systems(), joins=joins) for joins in (True, False)
        )
        expected_ones = [difference(now, after) for after in afters]
        if not any(
            alike(roll.get("before"), before) and alike(roll.get("after"), after)
            for before, after in expected_ones
        ):
            yield "its outcome leads to other units than it says."


def play_again(now: Game, roll: Event) -> Happening:
    """What happens once more with the dice that fell. Raises one of UNREADABLE where nothing
    does.
    """
    kind = roll["kind"]
    options = dict(roll.get("inputs") or {})
    script = Script([die["value"] for die in roll.get("dice") or ()])
    if kind == "roll":
        return _roll_again(options, roll)
    system = systems()[roll["system"]]
    target = roll["target"]
    if kind == "table":
        outcome = read_table(system.table(target), options, "", script)
    else:
        roster = roster_of(now) if is_of_game(now, system.id) else {}
        spec = CommandSpec((system.id, target), target, "sequence")
        read = roll.get("read") or {}
        fell = tuple(die["value"] for die in roll.get("fell", ()))
        chosen = {**options, **roll.get("chosen", {})}
        outcome = run_sequence(
            system.sequence(target), spec, chosen, "", script, roster, read, fell
        )
    script.finish()
    if (happening := outcome.happening) is None:
        raise UserError("nothing was rolled", code="damaged-log")
    if is_continuation(roll):
        happening = happening._replace(kind=kind, inputs=options)
    return happening._replace(by_hand=bool(roll.get("hand")))


def _roll_again(options: Json, roll: Event) -> Happening:
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
            if alike(dice, happening.notes()):
                return happening
    return _roll_with(options, roll)


def _roll_with(options: Json, roll: Event, *, is_early: bool = False) -> Happening:
    script = Script([die["value"] for die in roll.get("dice") or ()])
    happening = roll_dice(options, "", script, is_early=is_early).happening
    script.finish()
    if happening is None:
        raise UserError("nothing was rolled", code="damaged-log")
    return happening._replace(by_hand=bool(roll.get("hand")))


def _find_uses(now: Game, roll: Event, happening: Happening, side: str) -> tuple[UsedCard, ...]:
    """Return the cards in play that a sequence of the game uses up."""
    is_used = roll["kind"] == "sequence" and "upkeep" not in roll and now.started
    if not is_used or not is_of_game(now, happening.system):
        return ()
    sequence = systems()[happening.system].sequence(happening.target)
    return find_used_cards(now, sequence, happening.inputs, str(roll.get("side", side)))


def _read(now: Game, roll: Event, person: str) -> Json:
    """The tracks and piles that a sequence reads in this state."""
    if roll["kind"] not in COMBAT:
        return {}
    roster = roster_of(now) if is_of_game(now, roll["system"]) else {}
    sequence = systems()[roll["system"]].sequence(roll["target"])
    if is_continuation(roll):
        return tracks_read_again(sequence, {**roll, "side": person}, roster, now)
    return tracks_read(
        sequence, roll.get("inputs") or {}, roster, now, person, roll.get("read") or {}
    )


def _dice_problem(notes: list[Any], asked: list[Json]) -> str:
    for at, (note, die) in enumerate(zip(notes, asked, strict=False), 1):
        if not alike(note, die):
            return f"die {at} is noted as {_die(note)}, but what was asked for is {_die(die)}."
    return (
        ""
        if len(notes) == len(asked)
        else f"it notes {len(notes)} dice, but {len(asked)} were asked for."
    )


def _die(note: Json) -> str:
    faces = f" with faces {shown(note['faces'])}" if "faces" in note else ""
    return f"{shown(note.get('label'))} d{note.get('sides')}{faces}"


def alike(one: object, other: object) -> bool:
    """Return whether two values are the same in an event, where what is empty is left out."""
    empty: tuple[object, ...] = (None, "", [], {}, ())
    if one in empty or other in empty:
        return one in empty and other in empty
    return canonical({"": one}) == canonical({"": other})


def turn_is_todays(now: Game, event: Event) -> bool:
    """Return whether a start, next or pass leads where today's tables lead: to that phase and go,
    with those words.
    """
    if event["kind"] == "start":
        return _start_is_todays(event)
    system = systems().get(now.system)
    after = event.get("after", {})
    words = event["result"].partition("; ")[2] if event["kind"] == "pass" else event["result"]
    return any(
        alike(after, difference(now, then)[1])
        and words
        == (
            ""
            if event["kind"] == "pass" and _is_same_phase(now, then)
            else phase_title(then, system)
        )
        for then in _nexts(now, event, system)
    )


def _start_is_todays(event: Event) -> bool:
    said = event.get("after", {}).get("game", {})
    system = systems().get(said.get("system", ""))
    first = first_turn(Game("", sides=tuple(said.get("sides", ()))), system)
    if first.go and "go" not in said:  # from before there was a go, when some games had no phases
        first = replace(first, phase=said.get("phase", "") and first.phase, go=(), turn_of="")
    told = (said.get("phase", ""), tuple(said.get("go", ())), said.get("turn_of", ""))
    return told == (first.phase, first.go, first.turn_of) and event.get(
        "result", ""
    ) == phase_title(first, system)


def _is_same_phase(one: Game, other: Game) -> bool:
    return (one.turn, one.phase, one.turn_of) == (other.turn, other.phase, other.turn_of)


def _nexts(now: Game, event: Event, system: System | None) -> Iterator[Game]:
    """Where the next phase, or a pass, may lead today; a log from before there was a go knows
    nothing of it.
    """
    if event["kind"] == "pass":
        for side in now.go or now.sides:
            yield from (after_pass(now, system, side, acted=acted) for acted in (False, True))
        return
    yield next_phase(now, system)
    if not now.go:
        for known in (system, None):
            yield replace(next_phase(now, known), go=(), passes=0, turn_of="")


def titles_are_todays(event: Event, contents: Mapping[int, Event]) -> bool:
    """Return whether an event that opens sealed rolls calls them as today's tables do."""
    known = [(number, contents[number]) for number in event.get("opens", ()) if number in contents]
    if len(known) < len(event.get("opens", ())):
        return True
    said = (f"#{number} {title_of(roll)}: {roll.get('result', '')}" for number, roll in known)
    return bool(event.get("result", "") == "; ".join(said))


LONGEST = 60


@dataclass(frozen=True, slots=True)
class Again:
    """An outcome that was played once more: `what` it was, and what is `other` about it now (""
    where nothing is).
    """

    game: str
    number: int
    what: str
    other: str


async def rerun(store: Store, games: tuple[str, ...] = ()) -> AsyncIterator[Again]:
    """Each outcome of these games, or of all, in order. Raises UserError for a game that is not
    there.
    """
    for game in games:
        async for one in _of_game(store, game):
            yield one
    after = ""
    while not games and (page := await store.games(after=after, limit=200)):
        for game in page:
            async for one in _of_game(store, game):
                yield one
        after = page[-1]


async def _of_game(store: Store, game: str) -> AsyncIterator[Again]:
    saved = await store.load_game_by_id(game)
    if saved is None:
        hint = phrase("`/game list` shows their ids.")
        raise UserError(f"There is no game {game[:40]}.", hint=hint, code="unknown-game")
    events = await store.events(game)
    texts = await store.texts(game)
    sealed = {text.event: text.text for text in texts if text.key == SEALED}
    systems = _todays(await packs_of(store, events, texts))
    past = Past(Game(game), sealed_contents(sealed)[0])
    for row in events:
        event = row.data
        is_open = event["kind"] in OUTCOMES
        roll = merge_choices(event, past.bodies) if is_open else past.contents.get(event["number"])
        if roll is not None and roll.get("system"):
            with using(systems):
                other = "; ".join(_differences(past.now, roll))
            hidden = roll is not event and event["number"] in past.now.sealed
            other = "another outcome (sealed)" if hidden and other else other
            yield Again(game, event["number"], f"{roll['system']} {roll['target']}", other)
        past.add(event)


def _todays(packs: Mapping[str, Mapping[str, str]]) -> Mapping[str, System]:
    """The systems that the host has, and beside them those packs of the game of which the host
    has no other version.
    """
    own = everywhere()
    theirs = with_packs(packs)
    return Shelf(
        own, [one for id, one in theirs.items() if id not in own and isinstance(one, PackSystem)]
    )


def _differences(now: Game, roll: Mapping[str, Any]) -> Iterator[str]:
    """What would be other: the words of the result, else outputs by name."""
    try:
        again = play_again(now, roll)
    except UNREADABLE as error:
        yield f"cannot be played any more: {str(error)[:LONGEST]}"
        return
    before = dict(roll.get("out") or {})
    after = dict(again.out)
    changed = [name for name in {**before, **after} if not alike(before.get(name), after.get(name))]
    if changed and roll.get("result", "") != again.result:
        yield f"{_cut(roll.get('result'))} would be {_cut(again.result)}"
        return
    for name in changed[:3]:
        yield f"{name} {_cut(before.get(name))} would be {_cut(after.get(name))}"


def _cut(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
