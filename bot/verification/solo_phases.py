"""The check that a side that plays itself ran the sequence of each phase.

Play runs it in the commit that begins the phase, so only upkeep comes between. It reads `solo` of
the game's files, so it is for logs of today's edition.
"""

from collections.abc import Mapping
from typing import Any

from bot.game.rights import are_texts_open, find_ban, has_last_word
from bot.game.self_play import (
    Rule,
    build_order_options,
    get_phase_rule,
    gives_orders,
    list_able_units,
)
from bot.game.state import Game, is_strict
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System
from bot.verification.follows.past import Past
from bot.verification.replay import is_playable
from bot.verification.solo_orders import accepts_inputs

Event = Mapping[str, Any]


def find_left_out_problem(past: Past, event: Event, systems: RuleSets) -> str:
    """Return a fault if a side that plays itself left out the sequence of the phase that has just
    begun, else "".

    `past` is the log before the event. Nothing is left out if play would have refused it.
    """
    game = past.game
    system = systems.get(game.system)
    if not game.self_played or system is None:
        return ""
    rule = get_phase_rule(game, system)
    if not rule or gives_orders(rule, system) or _runs_at_start(event, rule):
        return ""
    begin, sides_done = _find_begin(past, rule)
    if not _begins_phase(begin) or _may_be_refused(past, begin):
        return ""
    if not _is_of_today(past, system, systems):
        return ""
    for side in game.self_played:
        if side not in sides_done and _is_due(game, system, side, rule):
            return f"{side} plays itself and left out {rule['run']} when this phase began."
    return ""


def _runs_at_start(event: Event, rule: Rule) -> bool:
    """Return whether an event is one that comes right after the begin of a phase: upkeep, or the
    sequence of a side that plays itself.
    """
    return "upkeep" in event or bool(event.get("plays") and event.get("target") == rule["run"])


def _find_begin(past: Past, rule: Rule) -> tuple[Event, set[str]]:
    """Return the last event that does not run at the start of a phase, and the sides that have run
    the sequence of the phase since.
    """
    sides_done = set[str]()
    for body in reversed(past.bodies.values()):
        if not _runs_at_start(body, rule):
            return body, sides_done
        if body.get("plays"):
            sides_done.add(body["side"])
    return {}, sides_done


def _begins_phase(event: Event) -> bool:
    """Return whether an event begins a phase in the course of the game. A start runs nothing, nor
    does an undo or a redo.
    """
    fields = (event.get("after") or {}).get("game") or {}
    return event.get("kind") in ("next", "pass") and bool({"phase", "turn"} & fields.keys())


def _may_be_refused(past: Past, begin: Event) -> bool:
    """Return whether play may have refused each roll after the event that began the phase: a choice
    comes first, the game is strict, or whoever began it added the last words to the dice.
    """
    game = past.game
    persons = past.list_persons_of(begin["who"])
    is_last_word = are_texts_open(game) and any(has_last_word(game, person) for person in persons)
    return bool(game.waits) or bool(game.led) or is_strict(game) or is_last_word


def _is_of_today(past: Past, system: System, systems: RuleSets) -> bool:
    """Return whether the last sequence of the game was played under today's tables."""
    sequences = (
        body
        for body in reversed(past.bodies.values())
        if body["kind"] == "sequence" and body.get("system") == system.id
    )
    last_sequence = next(sequences, None)
    return last_sequence is not None and is_playable(last_sequence, systems)


def _is_due(game: Game, system: System, side: str, rule: Rule) -> bool:
    """Return whether a side has units for the sequence of the phase, which takes them all."""
    units = list_able_units(game, system, side, rule)
    sequence = system.find_sequence(rule["run"])
    names = [unit.name for unit in units]
    if not units or find_ban(game, sequence, names, side):
        return False
    options = build_order_options(units, rule)
    return accepts_inputs(game, system, rule["run"], side, options)
