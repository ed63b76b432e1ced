"""Who has to leave the vehicle that has just fired: a line and a button under the answer."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.commands.context import Context
from bot.game.roster import find_units_by_name, sort_units
from bot.rules.inputs.units import RosterUnit
from bot.rules.sequence.linked_units import list_linked_names
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed
from bot.rulesets.around_sequence import Ride, is_matching
from bot.rulesets.system import Sequence, is_lost
from bot.ui.form.form_buttons import build_form_button
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import format_command

IN = "in"
"""The attribute that names the vehicle of a rider."""


def add_riders(
    context: Context,
    sequence: Sequence,
    acting: Iterable[str],
    outputs: Mapping[str, Any],
    reply: Reply,
) -> Reply:
    """Add a line and a button for the riders that have to leave a vehicle that acted, if any.

    `acting` are the names of the acting units, `outputs` those of the sequence.
    """
    names = tuple(acting)
    for ride in sequence.rides:
        if not is_matching(ride.when, outputs):
            continue
        for vehicle in find_units_by_name(context.game, names):
            riders = _list_riders(context, ride, vehicle)
            if riders:
                reply = _add_ride(context, sequence, ride, vehicle, riders, reply)
    return reply


def _list_riders(context: Context, ride: Ride, vehicle: RosterUnit) -> list[str]:
    """Return the names of the units in play on the vehicle that have the ride's marker, if any."""
    return [
        unit.name
        for unit in sort_units(context.game.units.values())
        if (not ride.marker or ride.marker in unit.marks)
        and unit.numbers.get(IN)
        and list_linked_names((vehicle,), unit.numbers[IN])
        and not is_lost(unit, context.system)
    ]


def _add_ride(
    context: Context,
    sequence: Sequence,
    ride: Ride,
    vehicle: RosterUnit,
    riders: list[str],
    reply: Reply,
) -> Reply:
    """Add a line that says what the riders of a vehicle have to do, and a button for its form.

    The line ends with the command if nothing else has to be filled in.
    """
    path = (sequence.system.id, ride.run)
    spec = context.registry.get(path)
    if spec is None:
        return reply
    options = {**ride.given, ride.riders: "; ".join(riders)}
    sentence = ride.says.format(vehicle.name, join_names(riders))
    is_complete = not any(
        option.is_required and option.name not in options for option in spec.options
    )
    command = (" ", Typed(format_command(spec, options))) if is_complete else ()
    line = Phrase(sentence, *command)
    button = build_form_button(path, options, ride.button, context.registry)
    return replace(reply, lines=(*reply.lines, line), buttons=(*reply.buttons, button))
