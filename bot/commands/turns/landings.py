"""What was called for in an earlier turn and is due now: artillery that lands, a barrage that moves
on. It follows from the log alone, so whatever is undone is announced no more.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.commands.context import Context
from bot.game.events import COMBAT, list_effective_events
from bot.game.roster import is_of_game
from bot.game.state import Json
from bot.preferences.forms import build_form_button
from bot.rules.inputs.options import clean, is_left_out
from bot.rulesets.around_sequence import Landing, is_matching
from bot.rulesets.system import Sequence
from bot.ui.reply.reply import Button

READ_BACK = 1_000
"""How many events are looked through."""


class DueLanding(NamedTuple):
    """Something that lands: in which turn, the number of the event that called for it, and what
    to play then.
    """

    turn: int
    number: int
    landing: Landing
    inputs: Mapping[str, Any]


async def list_due(context: Context) -> list[DueLanding]:
    """Return what is due in this turn or a later one, the earliest first."""
    system = context.system
    game = context.game
    if system is None or not game.turn:
        return []
    if not any(sequence.landings for sequence in system.sequences.values()):
        return []
    events = list_effective_events(
        [*reversed(context.ledger.bodies), *await context.load_recent_events(READ_BACK)]
    )
    turn = game.turn
    found: list[DueLanding] = []
    for event in events:
        sequence = system.sequences.get(event.get("target") or "")
        is_played = event["kind"] in COMBAT and event.get("system") == system.id
        if sequence is not None and is_played and is_of_game(game, system.id):
            found += _list_due_after_event(sequence, event, turn)
        after = (event.get("after") or {}).get("game") or {}
        if event["kind"] == "start":
            break
        if "turn" in after:
            turn = int(event["before"]["game"]["turn"])
    return sorted(due for due in found if due.turn >= game.turn)


def _list_due_after_event(sequence: Sequence, event: Json, turn: int) -> Iterator[DueLanding]:
    """Yield what an event of this sequence, in this turn, brings in later ones."""
    known = {option.name: option for option in sequence.inputs}
    inputs = event.get("inputs") or {}
    values = {
        name: option.default
        if is_left_out(option, inputs.get(name))
        else clean(option, inputs[name])
        for name, option in known.items()
        if option.type in ("enum", "int", "bool")
    }
    for landing in sequence.landings:
        if not is_matching(landing.when, values):
            continue
        kept = {name: inputs[name] for name in landing.keeps if name in inputs}
        given = {**kept, **landing.given}
        turns = [turn + count for count in range(1, landing.turns + 1)]
        if landing.turn:
            impact = event["out"].get(landing.turn)
            turns = [impact] if isinstance(impact, int) and impact > turn else []
        for due_turn in turns:
            yield DueLanding(due_turn, event["number"], landing, {**given})


def format_due_landing(due: DueLanding) -> str:
    """Return the line of a card: `Artillery lands (#5): run barrage.`"""
    return f"{due.landing.says} (#{due.number}): run {due.landing.run}."


def build_due_buttons(context: Context, dues: Iterable[DueLanding]) -> Iterator[Button]:
    """Yield the buttons that open the forms of what is to be played."""
    for due in dues:
        path = (context.game.system, due.landing.run)
        spec = context.registry.get(path)
        if spec is not None:
            yield build_form_button(path, due.inputs, spec.title, context.registry)
