"""Sides that play themselves: whose move it is, which of their units can act, and by which rules.

A scenario declares such sides (`plays: {VC: itself}`). `solo` of game.yaml says what they do in
each phase and what their orders mean, see docs/pack-solo.md.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from bot.game import cups
from bot.game.events import list_effective_events
from bot.game.phases import get_phase
from bot.game.roster import sort_units
from bot.game.state import Game, Json
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.game_keys import CHOSEN, ORDER, SOLO
from bot.rulesets.system import System, is_lost

Rule = Mapping[str, Any]
Event = Mapping[str, Any]
NOBODY = "-"
"""The answer that the unit can act against nobody, or that nobody else acts with it."""
MAX_SEARCHED_EVENTS = 600
"""Number of events in which the start of a phase is searched for."""
_PHASE_FIELDS = {"turn", "phase", "turn_of", "led"}


def find_self_played_side(game: Game) -> str:
    """Return the side that plays itself and is alone to move now, otherwise "".

    There is none before the start and after the end of the game, while it waits for a choice, and
    when a chit is to be drawn next.
    """
    is_on = game.started and not game.ended and not game.waits
    if not is_on or len(game.go) != 1 or cups.is_drawn_next(game):
        return ""
    return game.go[0] if game.go[0] in game.self_played else ""


def get_phase_rule(game: Game, system: System | None) -> Rule:
    """Return what a side that plays itself does in the present phase, {} for nothing."""
    if system is None:
        return {}
    phases: Mapping[str, Rule] = (system.game.get(SOLO) or {}).get("phases") or {}
    name = str(get_phase(game, system).get("name", ""))
    return phases.get(name, {})


def get_order_rule(system: System, order: str) -> Rule:
    """Return what an order means, {} for one that `solo` does not explain."""
    orders: Mapping[str, Rule] = (system.game.get(SOLO) or {}).get("orders") or {}
    return orders.get(order, {})


def gives_orders(rule: Rule, system: System) -> bool:
    """Return whether the sequence of a phase gives orders to one unit after another."""
    return bool(rule) and {ORDER, CHOSEN} <= {*system.sequences[rule["run"]].outputs}


def list_able_units(
    game: Game, system: System, side: str, rule: Rule, ordered: Collection[str] = ()
) -> list[RosterUnit]:
    """Return the units of a side to which the rule of a phase applies, in the order of the roster.

    Units named in `ordered` have had their order. If a chit leads the phase, only its units act,
    and none before it is drawn.
    """
    units = []
    is_chit_of_side = not cups.is_drawn_next(game) and side in game.go
    for unit in sort_units(game.units.values()):
        is_called = not game.led or (is_chit_of_side and cups.is_called(game, unit))
        if unit.side == side and is_called and unit.name not in ordered:
            if fits_rule(unit, rule, system):
                units.append(unit)
    return units


def list_enemies(game: Game, system: System, side: str, order: Rule) -> list[RosterUnit]:
    """Return the units of the other sides in the game against which an order can be carried out."""
    rule = {"states": order.get("against_states"), "types": order.get("against_types")}
    units = sort_units(game.units.values())
    return [unit for unit in units if unit.side not in ("", side) and fits_rule(unit, rule, system)]


def can_begin(game: Game, unit: RosterUnit, order: Rule, system: System) -> bool:
    """Return whether a unit can begin an order: its type and state fit, and so does a friend's.

    What its sequence refuses, or nobody in sight, can still make the order impossible.
    """
    if not order or not fits_rule(unit, order, system):
        return False
    friend_states = order.get("friend_states")
    if not friend_states:
        return True
    return any(
        friend.side == unit.side
        and friend.name != unit.name
        and fits_rule(friend, {"states": friend_states}, system)
        for friend in game.units.values()
    )


def fits_rule(unit: RosterUnit, rule: Rule, system: System) -> bool:
    """Return whether a unit is in the game, and of a type and in a state that a rule allows."""
    if is_lost(unit, system):
        return False
    states: Collection[str] = rule.get("states") or ()
    types: Iterable[str] = rule.get("types") or ()
    state = unit.state or next(iter(system.game["units"].get("states") or ()), "")
    if states and state not in states:
        return False
    if not types:
        return True
    classes: Mapping[str, list[str]] = system.game["units"].get("classes") or {}
    allowed_types = {name for word in types for name in (word, *classes.get(word, ()))}
    return unit.type in allowed_types


def list_own_events(newest_first: Iterable[Event]) -> list[Json]:
    """Return the events of sides that play themselves since the phase or chit began, newest first.

    Events that are undone do not count, nor those before the last MAX_SEARCHED_EVENTS.
    """
    own_events = []
    for event in list_effective_events(islice(newest_first, MAX_SEARCHED_EVENTS)):
        if event.get("plays"):
            own_events.append(event)
        changed_fields = (event.get("after") or {}).get("game") or {}
        if event["kind"] == "start" or _PHASE_FIELDS & changed_fields.keys():
            break
    return own_events


def is_order(event: Event) -> bool:
    """Return whether an event gave an order. A sequence that waits for a choice has no outputs."""
    outputs = event.get("out") or {}
    return bool(event["kind"] == "sequence" and {ORDER, CHOSEN} <= outputs.keys())


def get_ordered_unit(event: Event) -> str:
    """Return the name of the unit that an order chose from the units of its inputs.

    The event must be such a roll. Raise IndexError if it chose a number beyond them.
    """
    names = str(event["inputs"]["units"]).split("; ")
    return names[int(event["out"][CHOSEN]) - 1]


def list_ordered_units(own_events: Iterable[Event]) -> list[str]:
    """Return the names of the units that have had an order in this phase, or acted with another.

    `own_events` are those of `list_own_events`.
    """
    names = list[str]()
    for event in own_events:
        if is_order(event):
            names.append(get_ordered_unit(event))
        elif "order" in event:
            names += event.get("acting", ())
    return names


def find_open_order(own_events: Sequence[Json]) -> Json | None:
    """Return the order that still has to be carried out: the side's last event, if it is one."""
    return own_events[0] if own_events and is_order(own_events[0]) else None


def has_acted(own_events: Sequence[Event]) -> bool:
    """Return whether a side has carried out an order since it handed over last."""
    return bool(own_events) and own_events[0]["kind"] != "pass" and not is_order(own_events[0])


def build_order_options(units: Iterable[RosterUnit], rule: Rule) -> dict[str, object]:
    """Return the options of the sequence of a phase, for these units."""
    return {"units": "; ".join(unit.name for unit in units), **(rule.get("sets") or {})}


def list_order_words(system: System, order: str) -> list[str]:
    """Return an order, and after it those that it falls to, one after another."""
    words = []
    while order:
        words.append(order)
        order = str(get_order_rule(system, order).get("else") or "")
    return words
