"""The example of an attack with units of the roster in play: `/lnlt fire attackers=us1 targets=vc1`."""

from collections.abc import Mapping, Sequence

from bot.rules.inputs.options import Option
from bot.rules.inputs.units import RosterUnit
from bot.ui.registry import Registry
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import WHO, format_command, parse_text
from bot.ui.typing.complete import ACTING


def write_roster_example(
    spec: CommandSpec, commands: Registry, units: Sequence[RosterUnit], own_side: str = ""
) -> str:
    """Return the example of a sequence with units of a roster, or "" if it lacks units that act or
    another needed value; "" for other commands.

    One unit of the player's side (by default the side of the first unit) acts, against one of
    another side. Other needed values are those of the sequence's own example.
    """
    if not units or spec.family != "sequence":
        return ""
    example = parse_text(spec.example, commands).options
    required = [option for option in spec.options if option.is_required]
    options = {
        option.name: example[option.name]
        for option in required
        if option.name in example and not _is_of_units(option, example)
    }
    options |= _choose_units(spec, example, units, own_side or units[0].side)
    needed = {option.name for option in required if not option.brings}
    if not options.keys() >= needed or options.keys().isdisjoint(ACTING):
        return ""
    names = [option.name for option in spec.options if option.name in options]
    in_order = {name: options[name] for name in names}
    return format_command(spec, in_order)


def _choose_units(
    spec: CommandSpec, example: Mapping[str, object], units: Sequence[RosterUnit], side: str
) -> dict[str, str]:
    """Return {option: handle} for the options that take units, preferably of a type that the
    example has.

    Options for units that act get units of `side`, all others units of other sides.
    """
    own_units = [unit for unit in units if unit.side == side]
    other_units = [unit for unit in units if unit.side != side]
    handles: dict[str, str] = {}
    types: list[str] = []
    for option in spec.options:
        if option.name not in WHO or option.type not in ("unit", "units"):
            continue
        own_types = [*option.likely, *str(example.get(option.name) or "").split()]
        unit = _find_fitting(own_units if option.name in ACTING else other_units, own_types, types)
        types = own_types
        if unit is not None:
            handles[option.name] = unit.handle
    return handles


def _is_of_units(option: Option, example: Mapping[str, object]) -> bool:
    """Return whether an option takes units or gets its value from them, or has none in the example."""
    return bool(option.brings) or option.type in ("unit", "units") or not example[option.name]


def _find_fitting(
    units: Sequence[RosterUnit], words: Sequence[str], other_words: Sequence[str]
) -> RosterUnit | None:
    """Return the first unit with a type in `words`, else with a type in `other_words`, else the first;
    None if there is none.
    """
    fitting = [unit for unit in units if unit.type in words]
    fitting += [unit for unit in units if unit.type in other_words]
    return next(iter(fitting or units), None)
