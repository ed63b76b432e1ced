"""The check that a side that plays itself did what its tables of orders say.

It reads `solo` of the game's files, so it is for logs of today's edition. What only the map tells
is the player's word: whom a unit saw, who acted with it, and how things stood.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from bot.game.event_kinds import shorten_value
from bot.game.phases import IMPULSES, get_go_kind
from bot.game.roster import find_units_by_name
from bot.game.self_play import (
    Rule,
    build_order_options,
    can_begin,
    find_open_order,
    fits_rule,
    get_order_rule,
    get_ordered_unit,
    get_phase_rule,
    gives_orders,
    has_acted,
    is_order,
    list_able_units,
    list_enemies,
    list_order_words,
    list_ordered_units,
    list_own_events,
)
from bot.game.state import Game, Json, build_roster
from bot.presentation.derived_inputs import (
    add_derived_inputs,
    derive_inputs_from_game,
    derive_inputs_from_units,
)
from bot.presentation.firers_and_targets import resolve_unit_names
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.game_keys import ORDER
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System
from bot.verification.follows.past import Past
from bot.verification.replay import UNREADABLE, is_playable, is_same_value

Event = Mapping[str, Any]


def find_self_play_problem(past: Past, event: Event, systems: RuleSets) -> str:
    """Return the fault of an act of a side that plays itself, "" if the tables lead to it.

    `past` is the log before the event. An act under another edition of the tables has no fault.
    """
    game = past.game
    system = systems.get(game.system)
    if system is None or not _is_of_today(past, event, systems):
        return ""
    own_events = list_own_events(reversed(past.bodies.values()))
    try:
        if event.get("hand"):
            return "a side that plays itself cannot have dice thrown by hand."
        if event["kind"] == "pass":
            return _find_pass_problem(game, event, system, own_events)
        if "order" in event:
            return _find_execution_problem(game, event, system, own_events)
        return _find_roll_problem(game, event, system, own_events)
    except UNREADABLE as error:
        return f"its order cannot be read ({shorten_value(error)})."


def _is_of_today(past: Past, event: Event, systems: RuleSets) -> bool:
    """Return whether an act was played under today's tables.

    An act without dice names no edition: the last order before it does.
    """
    if event["kind"] == "sequence":
        return is_playable(event, systems)
    orders = (
        body for body in reversed(past.bodies.values()) if body.get("plays") and is_order(body)
    )
    last_order = next(orders, None)
    return last_order is None or is_playable(last_order, systems)


def _find_roll_problem(game: Game, event: Event, system: System, own_events: Sequence[Json]) -> str:
    """Return the fault of a roll for an order, or of the sequence of a phase; "" if there is none.

    It must be for all units that can have an order, in the order of the roster.
    """
    rule = get_phase_rule(game, system)
    if event["kind"] != "sequence" or event["target"] != rule.get("run"):
        return "a side that plays itself does nothing like that in this phase."
    units_with_orders: Collection[str] = ()
    if gives_orders(rule, system):
        if find_open_order(own_events) is not None:
            return "the order before it was not carried out."
        units_with_orders = list_ordered_units(own_events)
    elif any(own_event.get("target") == rule["run"] for own_event in own_events):
        return "the side has already done what it does in this phase."
    units = list_able_units(game, system, event["side"], rule, units_with_orders)
    expected_inputs = _complete_inputs(game, event, system, build_order_options(units, rule))
    if is_same_value(_get_inputs(event), expected_inputs):
        return ""
    names = ", ".join(unit.name for unit in units) or "none"
    return f"its units are not those that can have an order now: {names}."


def _find_pass_problem(game: Game, event: Event, system: System, own_events: Sequence[Json]) -> str:
    """Return the fault of a hand-over, "" if the side had nothing left to do.

    In a phase of impulses it must have carried out one order, unless no unit can have one.
    """
    if find_open_order(own_events) is not None:
        return "it hands over, but its last order was not carried out."
    if has_acted(own_events) and get_go_kind(game, system) == IMPULSES:
        return ""
    rule = get_phase_rule(game, system)
    if not gives_orders(rule, system):
        return ""
    units_with_orders = list_ordered_units(own_events)
    units = list_able_units(game, system, event["side"], rule, units_with_orders)
    if units:
        return f"it hands over, but {units[0].name} has not had an order."
    return ""


def _find_execution_problem(
    game: Game, event: Event, system: System, own_events: Sequence[Json]
) -> str:
    """Return the fault of an order that is carried out, "" if there is none.

    It must be the order that was rolled, or one that it falls to because those before are
    impossible, by the unit that was drawn, with what the order says.
    """
    order = find_open_order(own_events)
    if order is None:
        return "it carries out an order that was not rolled."
    name = get_ordered_unit(order)
    rolled_word = str(order["out"][ORDER])
    word = str(event["order"])
    words = list_order_words(system, rolled_word)
    if word not in words:
        return f"it carries out {shorten_value(word)}, but {rolled_word} was rolled for {name}."
    skipped_words = words[: words.index(word)]
    if _is_idle(game, event, system, name, word):
        skipped_words = words
    for skipped_word in skipped_words:
        if _is_surely_possible(game, system, event["side"], name, skipped_word):
            return f"it skips {skipped_word}, which {name} could carry out."
    if skipped_words == words:
        return ""
    return _find_act_problem(game, event, system, name, own_events)


def _is_idle(game: Game, event: Event, system: System, name: str, word: str) -> bool:
    """Return whether an event rightly leaves the unit `name` idle after the order `word` was rolled.

    The event changes nothing, and the unit cannot begin the order, or the order runs a sequence
    that did not come about. The event must be for this order.
    """
    rule = get_order_rule(system, word)
    is_idle = event["kind"] == "unit" and not event.get("after")
    return is_idle and ("run" in rule or not _can_begin(game, system, name, rule))


def _can_begin(game: Game, system: System, name: str, rule: Rule) -> bool:
    """Return whether a unit of this name can begin an order by types and states."""
    units = find_units_by_name(game, [name])
    return bool(units) and can_begin(game, units[0], rule, system)


def _is_surely_possible(game: Game, system: System, side: str, name: str, word: str) -> bool:
    """Return whether a unit could carry out an order whatever the map is like.

    Return False for an order against an enemy: the player may have answered that none is in
    sight.
    """
    rule = get_order_rule(system, word)
    if not _can_begin(game, system, name, rule) or "against" in rule:
        return False
    if "run" not in rule:
        return True
    circumstances: list[Rule] = [*(rule.get("how") or {"": {}}).values()]
    fixed_inputs = rule.get("sets") or {}
    return all(
        accepts_inputs(
            game,
            system,
            rule["run"],
            side,
            {**fixed_inputs, rule["unit"]: name, **inputs_of_button},
        )
        for inputs_of_button in circumstances
    )


def accepts_inputs(game: Game, system: System, run: str, side: str, options: Rule) -> bool:
    """Return whether the sequence `run` of a side takes these inputs."""
    sequence = system.find_sequence(run)
    event = {"target": run, "side": side}
    try:
        inputs = _complete_inputs(game, event, system, options)
        sequence.plan(sequence.read_inputs(inputs, build_roster(game)))
    except UserError:
        return False
    return True


def _find_act_problem(
    game: Game, event: Event, system: System, name: str, own_events: Sequence[Json]
) -> str:
    """Return the fault if an act is not what its order says of the unit, else ""."""
    word = str(event["order"])
    rule = get_order_rule(system, word)
    if not _can_begin(game, system, name, rule):
        return f"{name} cannot carry out {word} now."
    if "run" not in rule:
        return _find_marker_problem(game, event, rule, name)
    if event["kind"] != "sequence" or event["target"] != rule["run"]:
        return f"{word} is carried out by {rule['run']}, not by what it says."
    phase_rule = get_phase_rule(game, system)
    units_with_orders = list_ordered_units(own_events)
    helpers = [
        unit
        for unit in list_able_units(game, system, event["side"], phase_rule, units_with_orders)
        if fits_rule(unit, rule, system)
    ]
    enemies = list_enemies(game, system, event["side"], rule)
    logged_inputs = _get_inputs(event)
    for options in _list_possible_options(rule, name, helpers, enemies, logged_inputs):
        try:
            expected_inputs = _complete_inputs(game, event, system, options)
        except UserError:
            continue
        if is_same_value(logged_inputs, expected_inputs):
            return ""
    return f"its inputs are not what {word} allows {name}."


def _find_marker_problem(game: Game, event: Event, rule: Rule, name: str) -> str:
    """Return the fault if an order without a sequence does not put its markers on, else ""."""
    (unit,) = find_units_by_name(game, [name])
    marks = {*unit.marks, *(rule.get("mark") or ())}
    changed_units = (event.get("after") or {}).get("units") or {}
    new_marks = {*changed_units.get(name.casefold(), {}).get("marks", unit.marks)}
    if event["kind"] != "unit" or event["result"] != f"{name}: {event['order']}":
        return f"it is not {name} that carries out the order."
    return "" if new_marks == marks else f"{name} does not get the markers of the order."


def _list_possible_options(
    rule: Rule,
    name: str,
    helpers: Sequence[RosterUnit],
    enemies: Sequence[RosterUnit],
    logged_inputs: Rule,
) -> Iterator[Json]:
    """Yield the options with which an order may be carried out, by what its event names.

    That is each enemy that the event may name, with each button that says how things stand.
    """
    acting_names = name
    if "together" in rule:
        logged_names = str(logged_inputs.get(rule["unit"])).split("; ")
        helper_names = {helper.name for helper in helpers} - {name}
        if logged_names[0] == name and _are_different(logged_names[1:], helper_names):
            acting_names = "; ".join(logged_names)
    targets: list[Json] = [{}]
    if "against" in rule:
        target_names = str(logged_inputs.get(rule["against"])).casefold()
        targets = [
            {rule["against"]: enemy.name}
            for enemy in enemies
            if enemy.name.casefold() in target_names
        ]
        logged_names = str(logged_inputs.get(rule["against"])).split("; ")
        enemy_names = {enemy.name for enemy in enemies}
        if "also_against" in rule and _are_different(logged_names, enemy_names):
            targets.append({rule["against"]: "; ".join(logged_names)})
    circumstances: list[Rule] = [*(rule.get("how") or {"": {}}).values()]
    for target in targets:
        for inputs_of_button in circumstances:
            yield {
                **(rule.get("sets") or {}),
                rule["unit"]: acting_names,
                **target,
                **inputs_of_button,
            }


def _are_different(names: Sequence[str], allowed_names: Collection[str]) -> bool:
    """Return whether names are all among the allowed ones, and each only once."""
    return len({*names}) == len(names) and {*names} <= {*allowed_names}


def _get_inputs(event: Event) -> Json:
    """Return the inputs of an event without its label."""
    inputs = event.get("inputs") or {}
    return {name: value for name, value in inputs.items() if name != "label"}


def _complete_inputs(game: Game, event: Event, system: System, options: Rule) -> dict[str, object]:
    """Return the options with what the game fills in, as play does before it records an event.

    Raise UserError if they name units that are not there.
    """
    sequence = system.find_sequence(event["target"])
    roster = build_roster(game)
    side = event["side"]
    resolved_options, _ = resolve_unit_names(sequence, options, roster, side)
    from_game = derive_inputs_from_game(sequence, resolved_options, roster, game, side)
    without_units = add_derived_inputs(resolved_options, from_game)
    from_units = derive_inputs_from_units(sequence, without_units, roster)
    return add_derived_inputs(without_units, from_units)
