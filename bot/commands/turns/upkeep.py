"""What a phase does when it begins: rolled with the game's dice and told on the card of the
phase.
"""

from bot.answers.outcome import after_happening
from bot.answers.shot import run_sequence
from bot.answers.upkeep import Upkeep, upkeep_of
from bot.commands.context import Context, play_facts
from bot.commands.piles import closed_piles, declare_decks
from bot.game.decks import EVERYTHING
from bot.game.phases import phase_of
from bot.game.roster import is_gone, units_of
from bot.game.state import Json, roster_of
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import Reply
from bot.interface.spec import CommandSpec
from bot.interface.typing.command_text import command_text
from bot.rules.cards import ALL
from bot.rules.dice import Script
from bot.rules.errors import DieOwed, UserError
from bot.rules.text.names import joined
from bot.rules.text.phrase import Phrase, Typed, begun, phrase

MOST_LINES = 4
"""Lines of a card that one sequence takes beside its first."""
MOST_DICE = 4_000
"""Dice of a phase after which no more of its upkeep is run."""


async def run_upkeep(context: Context, first: str, *, starts: bool = False) -> list[Part]:
    """Play what the phase that has just begun runs, one event for each sequence; the lines that
    tell it. The event that began the phase keeps `first` as its words. Where the game `starts` no
    die falls, for everybody may add words to the dice before the first: what rolls is left to the
    players, with what to type."""
    lines = list[Part]()
    rolled = 0
    seen = await _seen(context)
    for one in upkeep_of(lambda: context.game, context.system, context.actor.side, closed=seen):
        if rolled > MOST_DICE:
            return [
                *lines,
                Small(
                    f"More than {MOST_DICE:,} dice in one phase: the rest of its upkeep is yours."
                ),
            ]
        if one.options is not None:
            context.ledger.say(first)
            context.about = context.about or context.topic(context.ledger.bodies[-1]["number"])
            lines += await _played(context, one, starts=starts)
        lines += _passed(one)
        rolled += len(context.ledger.bodies[-1].get("dice", ()))
        seen |= await _seen(context)
    return lines


async def _seen(context: Context) -> Json:
    """The piles with closed cards from which the phase draws, as all have seen them."""
    found = Json()
    for begin in phase_of(context.game, context.system).get("begins") or ():
        assert context.system is not None
        found |= (await closed_piles(context, context.system.sequence(begin["run"]), ALL))[0]
    return found


async def _played(context: Context, upkeep: Upkeep, *, starts: bool) -> list[Part]:
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
        typed = Typed(command_text(spec, options))
        return [Phrase(f"To be rolled first, once all are here: {sequence.title}, ", typed)]
    except UserError as error:
        return [Small(f"{sequence.title} is not run: {error.message}")]
    happening = outcome.happening
    assert happening is not None
    named = [unit for unit in units_of(game, happening.units) if not is_gone(unit)]
    facts = play_facts(context, path, happening, named) | {"upkeep": game.phase}
    body = context.ledger.add(
        "sequence", after_happening(game, happening, context.systems), **facts
    )
    sides = {unit.side for unit in units_of(game, happening.units)} if upkeep.read else set[str]()
    whose = f", {sides.pop()}" if len(sides) == 1 else ""
    told = f"{sequence.title}{whose}: {outcome.reply.title}"
    context.ledger.say(told)
    return [f"{told} (#{body['number']})", *_in_short(outcome.reply)]


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
