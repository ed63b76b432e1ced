"""The upkeep of a phase: sequences that run when it begins, with results on the phase's card."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from bot.commands.closed_piles import declare_decks, list_closed_piles
from bot.commands.context import Context, build_play_facts
from bot.game.decks import EVERYTHING
from bot.game.events import apply, list_effective_events
from bot.game.phases import get_phase, list_phases
from bot.game.roster import find_units_by_name
from bot.game.state import Game, Json, build_roster
from bot.presentation.play_record import PlayRecord, apply_play_record
from bot.presentation.run_sequence import NOW, run_sequence
from bot.presentation.upkeep import Upkeep, list_upkeep
from bot.rules.cards import ALL
from bot.rules.dice import Script
from bot.rules.errors import DieOwed, UserError
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed, capitalize_first, phrase
from bot.rulesets.system import System, is_lost
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import format_command

MOST_LINES = 4
"""Maximum number of lines after the first that one sequence takes on a card."""
MOST_DICE = 4_000
"""Number of dice in a phase after which no more of its upkeep runs."""


async def run_upkeep(context: Context, headline: str, *, starts: bool = False) -> list[Part]:
    """Run the sequences of the phase that has just begun, and return the lines about them.

    Each sequence is an event. `headline` becomes the first line of the event that began the phase.
    If the game `starts`, no die is rolled, because players may add texts to the dice before the
    first one: sequences with dice are left to the players, with the command to type. Tracks that
    the card shows then need no line.
    """
    lines = list[Part]()
    results = list[_UpkeepResult]()
    dice_count = 0
    seen_piles = await _list_piles_seen_by_all(context)
    for upkeep in list_upkeep(
        lambda: context.game, context.system, context.actor.side, closed=seen_piles
    ):
        if dice_count > MOST_DICE:
            message = (
                f"More than {MOST_DICE:,} dice in one phase: roll the rest of its upkeep yourself."
            )
            lines.append(Small(message))
            break
        if upkeep.options is not None:
            context.ledger.record_first_line(headline)
            context.about = context.about or context.build_topic(
                context.ledger.bodies[-1]["number"]
            )
            result = await _play_upkeep(context, upkeep, starts=starts)
            if isinstance(result, _UpkeepResult):
                results.append(result)
            else:
                lines += result
        lines += _explain_passed_units(upkeep)
        dice_count += len(context.ledger.bodies[-1].get("dice", ()))
        seen_piles |= await _list_piles_seen_by_all(context)
    if starts:
        results = [result for result in results if not result.sets_tracks_only]
    return [*_format_results(results), *lines]


class _UpkeepResult(NamedTuple):
    """The result of a sequence of the upkeep.

    `side` is the side that it was for, "" for none. `text` is the first line of its answer,
    `number` its event.
    """

    title: str
    side: str
    text: str
    lines: tuple[Part, ...]
    number: int
    sets_tracks_only: bool

    @property
    def first_line(self) -> str:
        """Return the first line of this result on the card: title, side if any, and text, such as
        `Count, Duke: 3 points`.
        """
        return f"{self.title}{f', {self.side}' if self.side else ''}: {self.text}"


def _format_results(results: list[_UpkeepResult]) -> list[Part]:
    """Return the lines of a card for these results. One line has all sides if there is no more to
    say of them: `Count: Duke 3 points, League 5 points (#2, #3)`.
    """
    lines = list[Part]()
    for title in dict.fromkeys(result.title for result in results):
        same_title_results = [result for result in results if result.title == title]
        sides = {result.side for result in same_title_results if result.side and not result.lines}
        if len(sides) == len(same_title_results) > 1:
            side_texts = ", ".join(f"{result.side} {result.text}" for result in same_title_results)
            numbers = ", ".join(f"#{result.number}" for result in same_title_results)
            lines.append(f"{title}: {side_texts} ({numbers})")
            continue
        for result in same_title_results:
            lines += [f"{result.first_line} (#{result.number})", *result.lines]
    return lines


_PHASE_FIELDS = {"turn", "phase", "turn_of"}
MAX_EVENTS_SINCE_START = 200
"""Events that are searched for the start of the game."""


async def list_owed(context: Context) -> list[Part]:
    """Return a line for each sequence that a phase requires at its start and that nobody has rolled
    yet: those that the first phase left to the players when the game started, and those of this
    turn that were undone.
    """
    if not any(phase.get("begins") for phase in list_phases(context.system)):
        return []
    events = list(await context.load_recent_events(MAX_EVENTS_SINCE_START))
    newest_first = [*reversed(context.ledger.bodies), *events]
    return [
        *await _list_owed_since_start(context, events),
        *_list_owed_in_turn(context, newest_first),
    ]


def _list_owed_in_turn(context: Context, newest_first: list[Json]) -> list[Part]:
    """Return a line for each upkeep of this turn that was undone and not rolled again.

    If its phase was undone as well, it is not owed.
    """
    effective_numbers = {event["number"] for event in list_effective_events(newest_first)}
    turn_events = list[Json]()
    for event in newest_first:
        turn_events.append(event)
        begins_turn = "turn" in _get_changed_fields(event)
        if begins_turn and event["number"] in effective_numbers:
            break
    phase_number = 0
    owed = dict[str, Json]()
    for event in reversed(turn_events):
        if event["kind"] in ("undo", "redo"):
            continue
        is_effective = event["number"] in effective_numbers
        if _PHASE_FIELDS & _get_changed_fields(event).keys():
            phase_number = event["number"]
        elif is_effective:
            owed.pop(event.get("target", ""), None)
        elif "upkeep" in event and phase_number in effective_numbers:
            owed[event["target"]] = event
    return [_format_undone_upkeep(context, event) for event in owed.values()]


def _format_undone_upkeep(context: Context, event: Json) -> Part:
    """Return the line that asks for an upkeep which was undone."""
    sequence = context.systems[event["system"]].find_sequence(event["target"])
    return _format_owed_roll(Upkeep(sequence, event.get("inputs") or {}, {}), "Still to roll")


def _get_changed_fields(event: Json) -> Json:
    """Return the fields of the game that an event changes, with their new values."""
    fields: Json = (event.get("after") or {}).get("game") or {}
    return fields


async def _list_owed_since_start(context: Context, newest_first: list[Json]) -> list[Part]:
    """Return a line for each sequence that the first phase left to the players when the game
    started, and that nobody has rolled yet.

    `newest_first` are the stored events.
    """
    system = context.system
    phases = list_phases(system)
    if system is None or not phases or not phases[0].get("begins"):
        return []
    rolled_sequences = {body.get("target") for body in context.ledger.bodies}
    for event in list_effective_events(newest_first):
        if event["kind"] == "start":
            start = apply(Game(""), event)
            break
        rolled_sequences.add(event.get("target"))
    else:
        return []
    seen_piles = await _list_piles_seen_by_all(context, start)
    return [
        _format_owed_roll(upkeep, "Still to roll")
        for upkeep in list_upkeep(lambda: start, system, "", closed=seen_piles)
        if upkeep.options is not None and upkeep.sequence.id not in rolled_sequences
    ]


def _format_owed_roll(upkeep: Upkeep, opening: str) -> Part:
    sequence = upkeep.sequence
    spec = CommandSpec((sequence.system.id, sequence.id), sequence.id, "sequence")
    typed = Typed(format_command(spec, upkeep.options or {}))
    return Phrase(f"{opening}: {sequence.title}, ", typed)


async def _list_piles_seen_by_all(context: Context, game: Game | None = None) -> Json:
    """Return the piles with closed cards from which the phase draws, as all players have seen them.

    `game` gives the phase; None means the game of the context.
    """
    piles = Json()
    for item in get_phase(game or context.game, context.system).get("begins") or ():
        assert context.system is not None
        piles |= (await list_closed_piles(context, context.system.find_sequence(item["run"]), ALL))[
            0
        ]
    return piles


async def _play_upkeep(
    context: Context, upkeep: Upkeep, *, starts: bool
) -> _UpkeepResult | list[Part]:
    """Play one sequence of the upkeep. Return its result, or lines about why it was not played."""
    sequence = upkeep.sequence
    options = upkeep.options or {}
    path = (sequence.system.id, sequence.id)
    spec = CommandSpec(path, sequence.id, "sequence")
    try:
        if starts and sequence.decks:
            raise DieOwed("", "", ())
        declare_decks(context, sequence)
        (piles,) = await list_closed_piles(context, sequence, EVERYTHING)
        dice = Script(()) if starts else context.get_dice()
        game = context.game
        reply, record = run_sequence(
            sequence,
            spec,
            options,
            context.user_name,
            dice,
            build_roster(game),
            upkeep.read,
            piles=piles,
        )
    except DieOwed:
        return [_format_owed_roll(upkeep, "Roll this first, once everybody is here")]
    except UserError as error:
        return [Small(f"{sequence.title} was not run: {error.message}")]
    units = [
        unit for unit in find_units_by_name(game, record.units) if not is_lost(unit, context.system)
    ]
    facts = build_play_facts(context, path, record, units) | {"upkeep": game.phase}
    body = context.ledger.add("sequence", apply_play_record(game, record, context.systems), **facts)
    shows_all = not record.changes and _are_shown_on_cards(record.tracks, sequence.system)
    if shows_all:
        reply = _remove_change_line(reply)
    sets_tracks = bool(sequence.effects.tracks) and not record.dice
    result = _UpkeepResult(
        title=sequence.title,
        side=_get_only_side(context.game, record) if upkeep.read else "",
        text=reply.title,
        lines=tuple(_list_first_lines(reply)),
        number=body["number"],
        sets_tracks_only=shows_all and sets_tracks,
    )
    context.ledger.record_first_line(result.first_line)
    return result


def _get_only_side(game: Game, record: PlayRecord) -> str:
    """Return the side of the units that a sequence names, "" if there are several."""
    sides = {unit.side for unit in find_units_by_name(game, record.units)}
    return sides.pop() if len(sides) == 1 else ""


def _are_shown_on_cards(tracks: Mapping[str, Any], system: System) -> bool:
    """Return whether cards show all of these tracks, given by their keys in a game."""
    names = [key.rpartition("/")[2] for key in tracks]
    return all(name in system.tracks and system.tracks[name].shown for name in names)


def _remove_change_line(reply: Reply) -> Reply:
    """Remove the line *Now:* about changed states from a reply."""
    lines = [
        line
        for line in reply.lines
        if not (isinstance(line, Small) and str(line.text).startswith(NOW))
    ]
    return replace(reply, lines=tuple(lines))


def _list_first_lines(reply: Reply) -> list[Part]:
    """Return the first lines of an answer, and a line about the number of the others, if any."""
    hidden_count = len(reply.lines) - MOST_LINES
    rest = (
        [Small(phrase("{more} more lines; `/log` has the dice.", more=str(hidden_count)))]
        if hidden_count > 1
        else []
    )
    return [*(reply.lines[:MOST_LINES] if rest else reply.lines), *rest]


def _explain_passed_units(upkeep: Upkeep) -> list[Part]:
    """Return the line about the units that the upkeep passed over, and why."""
    reason = dict(upkeep.passed).get("")
    if reason:
        return [Small(f"{upkeep.sequence.title} was not run: {reason}")]
    names_by_reason: dict[str, list[str]] = {}
    for name, reason in upkeep.passed:
        names_by_reason.setdefault(reason.removeprefix(f"{name} ").rstrip("."), []).append(name)
    text = "; ".join(f"{join_names(names)} ({reason})" for reason, names in names_by_reason.items())
    return [Small(capitalize_first(f"{upkeep.sequence.title} skips {text}."))] if text else []
