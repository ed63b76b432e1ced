"""Landings that an earlier turn called for and that are due now, such as artillery fire.

They follow from the log alone, so a landing that is undone is not announced.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.commands.context import Context
from bot.game.events import COMBAT, list_effective_events
from bot.game.roster import is_of_game
from bot.game.state import Json
from bot.rules.inputs.options import clean, is_left_out
from bot.rulesets.around_sequence import Landing, is_matching
from bot.rulesets.system import Sequence
from bot.ui.form.form_buttons import build_form_button
from bot.ui.reply.reply import Button

MAX_EVENTS_WITH_LANDINGS = 1_000
"""Events that are searched for landings."""


class DueLanding(NamedTuple):
    """A landing: its turn, the number of the event that called for it, and the sequence to play."""

    turn: int
    number: int
    landing: Landing
    inputs: Mapping[str, Any]


async def list_due(context: Context) -> list[DueLanding]:
    """Return the landings of this turn and of later ones, earliest first."""
    system = context.system
    game = context.game
    if system is None or not game.turn:
        return []
    if not any(sequence.landings for sequence in system.sequences.values()):
        return []
    events = list_effective_events(
        [
            *reversed(context.ledger.bodies),
            *await context.load_recent_events(MAX_EVENTS_WITH_LANDINGS),
        ]
    )
    turn = game.turn
    landings: list[DueLanding] = []
    for event in events:
        sequence = system.sequences.get(event.get("target") or "")
        is_played = event["kind"] in COMBAT and event.get("system") == system.id
        if sequence is not None and is_played and is_of_game(game, system):
            landings += _list_due_after_event(sequence, event, turn)
        changed_fields = (event.get("after") or {}).get("game") or {}
        if event["kind"] == "start":
            break
        if "turn" in changed_fields:
            turn = int(event["before"]["game"]["turn"])
    return sorted(landing for landing in landings if landing.turn >= game.turn)


def _list_due_after_event(sequence: Sequence, event: Json, turn: int) -> Iterator[DueLanding]:
    """Yield the landings in later turns that an event of this sequence in `turn` calls for."""
    options = {option.name: option for option in sequence.inputs}
    inputs = event.get("inputs") or {}
    values = {
        name: option.default
        if is_left_out(option, inputs.get(name))
        else clean(option, inputs[name])
        for name, option in options.items()
        if option.type in ("enum", "int", "bool")
    }
    for landing in sequence.landings:
        if not is_matching(landing.when, values):
            continue
        kept_inputs = {name: inputs[name] for name in landing.keeps if name in inputs}
        inputs_of_landing = {**kept_inputs, **landing.given}
        turns = [turn + count for count in range(1, landing.turns + 1)]
        if landing.turn:
            impact_turn = event["out"].get(landing.turn)
            turns = [impact_turn] if isinstance(impact_turn, int) and impact_turn > turn else []
        for due_turn in turns:
            yield DueLanding(due_turn, event["number"], landing, {**inputs_of_landing})


def format_due_landing(due: DueLanding) -> str:
    """Return the line of a card: `Artillery lands (#5): run barrage.`"""
    return f"{due.landing.says} (#{due.number}): run {due.landing.run}."


def build_due_buttons(context: Context, dues: Iterable[DueLanding]) -> Iterator[Button]:
    """Yield the buttons that open the forms of the sequences of landings."""
    for due in dues:
        path = (context.game.system, due.landing.run)
        spec = context.registry.get(path)
        if spec is not None:
            yield build_form_button(path, due.inputs, spec.title, context.registry)
