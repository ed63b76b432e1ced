"""The units of sides that play themselves that have not acted yet in the present phase."""

from collections import Counter

from bot.commands.context import Context
from bot.game.phases import IMPULSES, get_go_kind
from bot.game.self_play import (
    MAX_SEARCHED_EVENTS,
    find_open_order,
    find_self_played_side,
    get_phase_rule,
    gives_orders,
    list_able_units,
    list_ordered_units,
    list_own_events,
)


async def count_units_left(context: Context) -> dict[str, int]:
    """Return the number of units that can still act, by side that plays itself.

    Those are the units without an order, and one whose order waits for an answer. Sides without
    such a unit are left out, and those that do not act in this phase.
    """
    game = context.game
    system = context.system
    is_to_move = bool(find_self_played_side(game))
    if system is None or not (is_to_move or get_go_kind(game, system) == IMPULSES):
        return {}
    rule = get_phase_rule(game, system)
    if not gives_orders(rule, system):
        return {}
    stored_events = await context.load_recent_events(MAX_SEARCHED_EVENTS)
    own_events = list_own_events(stored_events)
    ordered_units = list_ordered_units(own_events)
    open_order = find_open_order(own_events)
    counts = Counter[str]()
    if open_order is not None:
        counts[open_order["side"]] = 1
    for side in game.self_played:
        units = list_able_units(game, system, side, rule, ordered_units)
        counts[side] += len(units)
    return {side: count for side, count in counts.items() if count}
