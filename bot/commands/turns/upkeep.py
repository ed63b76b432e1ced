"""What a phase does when it begins: rolled with the game's dice and told on the card of the
phase.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from bot.answers.outcome import Happening, after_happening
from bot.answers.shot import NOW, run_sequence
from bot.answers.upkeep import Upkeep, upkeep_of
from bot.commands.context import Context, play_facts
from bot.commands.piles import closed_piles, declare_decks
from bot.game.decks import EVERYTHING
from bot.game.events import apply, holding
from bot.game.phases import phase_of, phases_of
from bot.game.roster import is_gone, units_of
from bot.game.state import Game, Json, roster_of
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import Reply
from bot.interface.spec import CommandSpec
from bot.interface.typing.command_text import command_text
from bot.rules.cards import ALL
from bot.rules.dice import Script
from bot.rules.errors import DieOwed, UserError
from bot.rules.text.names import joined
from bot.rules.text.phrase import Phrase, Typed, begun, phrase
from bot.systems.system import System

MOST_LINES = 4
"""Lines of a card that one sequence takes beside its first."""
MOST_DICE = 4_000
"""Dice of a phase after which no more of its upkeep is run."""


async def run_upkeep(context: Context, first: str, *, starts: bool = False) -> list[Part]:
    """Play what the phase that has just begun runs, one event for each sequence; the lines that
    tell it. The event that began the phase keeps `first` as its words. Where the game `starts` no
    die falls, for everybody may add words to the dice before the first: what rolls is left to the
    players, with what to type; what only sets tracks that the card shows needs no line."""
    lines = list[Part]()
    results = list[_Result]()
    rolled = 0
    seen = await _seen(context)
    for one in upkeep_of(lambda: context.game, context.system, context.actor.side, closed=seen):
        if rolled > MOST_DICE:
            what = f"More than {MOST_DICE:,} dice in one phase: the rest of its upkeep is yours."
            lines.append(Small(what))
            break
        if one.options is not None:
            context.ledger.say(first)
            context.about = context.about or context.topic(context.ledger.bodies[-1]["number"])
            played = await _played(context, one, starts=starts)
            if isinstance(played, _Result):
                results.append(played)
            else:
                lines += played
        lines += _passed(one)
        rolled += len(context.ledger.bodies[-1].get("dice", ()))
        seen |= await _seen(context)
    if starts:
        results = [result for result in results if not result.sets_tracks_only]
    return [*_told(results), *lines]


class _Result(NamedTuple):
    """What came of a sequence of the upkeep: its title, the side that it was for, the first line of
    its answer and further lines, its event, and whether it only set tracks that cards show.
    """

    title: str
    side: str
    text: str
    lines: tuple[Part, ...]
    number: int
    sets_tracks_only: bool

    @property
    def first(self) -> str:
        """Return the first line of this result on the card: title, side if any, and text, such as
        `Count, Duke: 3 points`.
        """
        return f"{self.title}{f', {self.side}' if self.side else ''}: {self.text}"


def _told(results: list[_Result]) -> list[Part]:
    """Return the lines of a card for these results. One line has all sides if there is no more to
    say of them: `Count: Duke 3 points, League 5 points (#2, #3)`.
    """
    lines = list[Part]()
    for title in dict.fromkeys(result.title for result in results):
        alike = [result for result in results if result.title == title]
        sides = {result.side for result in alike if result.side and not result.lines}
        if len(sides) == len(alike) > 1:
            told = ", ".join(f"{result.side} {result.text}" for result in alike)
            numbers = ", ".join(f"#{result.number}" for result in alike)
            lines.append(f"{title}: {told} ({numbers})")
            continue
        for result in alike:
            lines += [f"{result.first} (#{result.number})", *result.lines]
    return lines


READ_BACK = 200
"""Events in which the start of the game is looked for."""


async def list_owed(context: Context) -> list[Part]:
    """Return a line for each sequence that the first phase left to the players when the game
    started, and that nobody has rolled yet.
    """
    system = context.system
    phases = phases_of(system)
    if system is None or not phases or not phases[0].get("begins"):
        return []
    rolled = {body.get("target") for body in context.ledger.bodies}
    for event in holding(await context.recent(READ_BACK)):
        if event["kind"] == "start":
            start = apply(Game(""), event)
            break
        rolled.add(event.get("target"))
    else:
        return []
    seen = await _seen(context, start)
    return [
        _owed_line(upkeep, "Still to be rolled")
        for upkeep in upkeep_of(lambda: start, system, "", closed=seen)
        if upkeep.options is not None and upkeep.sequence.id not in rolled
    ]


def _owed_line(upkeep: Upkeep, says: str) -> Part:
    sequence = upkeep.sequence
    spec = CommandSpec((sequence.system.id, sequence.id), sequence.id, "sequence")
    typed = Typed(command_text(spec, upkeep.options or {}))
    return Phrase(f"{says}: {sequence.title}, ", typed)


async def _seen(context: Context, game: Game | None = None) -> Json:
    """Return the piles with closed cards from which the phase draws, as all have seen them; the
    phase of the `game`, or the one that is on.
    """
    found = Json()
    for begin in phase_of(game or context.game, context.system).get("begins") or ():
        assert context.system is not None
        found |= (await closed_piles(context, context.system.sequence(begin["run"]), ALL))[0]
    return found


async def _played(context: Context, upkeep: Upkeep, *, starts: bool) -> _Result | list[Part]:
    """Play one sequence; return what came of it, or the lines that say why it was not played."""
    sequence = upkeep.sequence
    options = upkeep.options or {}
    path = (sequence.system.id, sequence.id)
    spec = CommandSpec(path, sequence.id, "sequence")
    try:
        if starts and sequence.decks:
            raise DieOwed("", "", ())
        declare_decks(context, sequence)
        (piles,), dice = (
            await closed_piles(context, sequence, EVERYTHING),
            Script(()) if starts else context.dice(),
        )
        game = context.game
        outcome = run_sequence(
            sequence, spec, options, context.who, dice, roster_of(game), upkeep.read, piles=piles
        )
    except DieOwed:
        return [_owed_line(upkeep, "To be rolled first, once all are here")]
    except UserError as error:
        return [Small(f"{sequence.title} is not run: {error.message}")]
    happening = outcome.happening
    assert happening is not None
    named = [unit for unit in units_of(game, happening.units) if not is_gone(unit)]
    facts = play_facts(context, path, happening, named) | {"upkeep": game.phase}
    body = context.ledger.add(
        "sequence", after_happening(game, happening, context.systems), **facts
    )
    shows_all = not happening.changes and _are_shown(happening.tracks, sequence.system)
    reply = _without_now(outcome.reply) if shows_all else outcome.reply
    sets_tracks = bool(sequence.effects.tracks) and not happening.dice
    result = _Result(
        title=sequence.title,
        side=_only_side(context.game, happening) if upkeep.read else "",
        text=reply.title,
        lines=tuple(_in_short(reply)),
        number=body["number"],
        sets_tracks_only=shows_all and sets_tracks,
    )
    context.ledger.say(result.first)
    return result


def _only_side(game: Game, happening: Happening) -> str:
    """Return the side of the units that a sequence names, "" if there are several."""
    sides = {unit.side for unit in units_of(game, happening.units)}
    return sides.pop() if len(sides) == 1 else ""


def _are_shown(tracks: Mapping[str, Any], system: System) -> bool:
    """Return whether cards show all of these tracks, given by their keys in a game."""
    names = [key.rpartition("/")[2] for key in tracks]
    return all(name in system.tracks and system.tracks[name].shown for name in names)


def _without_now(reply: Reply) -> Reply:
    """Return the reply without the line that says what is changed now."""
    lines = [
        line
        for line in reply.lines
        if not (isinstance(line, Small) and str(line.text).startswith(NOW))
    ]
    return replace(reply, lines=tuple(lines))


def _in_short(reply: Reply) -> list[Part]:
    """The first lines of an answer."""
    more = len(reply.lines) - MOST_LINES
    left = (
        [Small(phrase("{more} more lines; `/log` has the dice.", more=str(more)))]
        if more > 1
        else []
    )
    return [*(reply.lines[:MOST_LINES] if left else reply.lines), *left]


def _passed(upkeep: Upkeep) -> list[Part]:
    """Whom it passed over, and why."""
    if reason := dict(upkeep.passed).get(""):
        return [Small(f"{upkeep.sequence.title} is not run: {reason}")]
    why: dict[str, list[str]] = {}
    for name, reason in upkeep.passed:
        why.setdefault(reason.removeprefix(f"{name} ").rstrip("."), []).append(name)
    said = "; ".join(f"{joined(names)} ({reason})" for reason, names in why.items())
    return [Small(begun(f"{upkeep.sequence.title} passes over {said}."))] if said else []
