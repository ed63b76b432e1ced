"""`/unit list` and `/unit show`: the roster as a table for each side, and units with all their
numbers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.turns.board import build_card_menu
from bot.commands.units.unit import NAME, find_units
from bot.commands.units.unit_card import build_unit_card, get_tone
from bot.commands.units.unit_words import describe_unit, sort_keys
from bot.game.counter_faces import (
    REDUCED,
    format_word,
    get_loss_keys,
    get_normal_state,
    list_conditions,
    list_lasting_marks,
    list_marks,
    list_printed_keys,
)
from bot.game.roster import count_units, format_typed_number, is_stat, sort_units
from bot.game.sides import find_side
from bot.rules.errors import Hint, UserError, did_you_mean
from bot.rules.inputs.loadout import LOADOUT
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import join_names
from bot.rules.text.normalize import comparison_key, word_key
from bot.rules.text.phrase import phrase
from bot.rulesets.system import System, is_lost
from bot.ui.common_options import UNITS, build_flag, build_optional
from bot.ui.form.form_buttons import build_form_button
from bot.ui.glossary import ADD, build_example
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Button, Menu, Reply
from bot.ui.reply.unit_table import UnitTable
from bot.ui.typing.command_text import quote_value

MOST_MENUS = 2
BOXED = 60
"""Maximum number of units in a box of Discord's newer layout. A longer list is a message with a
file.
"""
MOST_KEYS = 3
HALF = " ½"


@declare_command(
    "unit list",
    "Show the roster",
    build_optional("side", "only this side", complete="side"),
    build_optional("state", "only those in this state, or with this marker", complete="state"),
    build_flag("all", "also list eliminated units"),
    build_flag("public", "show it to the channel"),
    needs_game=True,
)
async def list_units(context: Context) -> Reply:
    """List the roster by sides to the user alone, or to the channel with the option `public`.

    Eliminated units are only named below the tables, unless the option `all` or a state lists them.
    Raises UserError for an unknown side or state.
    """
    return _build_list_reply(context, context.clean_options())


@declare_button("units", of=ButtonOf.GAME)
async def press_share(context: Context, everyone: str, side: str, state: str) -> Reply:
    """Show the list to the whole channel, by the button *Share* of a private list.

    The arguments are the options of that list; `everyone` is "all" if it had eliminated units.
    Raises UserError if the side or state no longer exists.
    """
    options = {
        "all": everyone == "all",
        "side": side or None,
        "state": state or None,
        "public": True,
    }
    reply = _build_list_reply(context, options)
    return replace(reply, by=f"{context.user_name} shows the roster")


def _build_list_reply(context: Context, options: Mapping[str, Any]) -> Reply:
    """Return the list of units with these options: `all`, `side`, `state` and `public`.

    Eliminated units are named below the tables, unless `all` or a state lists them. Without units
    in the game, the list has an example of how to add some. Buttons are on a private list only.

    Raises UserError for an unknown side or state, and if there is no game.
    """
    game = context.need_game()
    system = context.system
    units, state = _select_units(context, options["side"], options["state"])
    listed = units
    if not options["all"] and not state:
        listed = [unit for unit in units if not is_lost(unit, system)]
    is_public = bool(options["public"])
    first_side = "" if is_public else context.actor.side
    headings = _build_headings(context, listed, first_side)
    lines: list[Part] = [*build_unit_tables(listed, headings, system)]
    lines += _list_lost_units([unit for unit in units if unit not in listed])
    if not game.units:
        lines += _build_add_hint(context)
    is_own_side_first = len(headings) > 1 and not is_public and context.actor.side in headings
    return Reply(
        _format_unit_counts(listed),
        tuple(lines),
        by="your side first" if is_own_side_first else "",
        private=not is_public,
        buttons=() if is_public else tuple(_build_list_buttons(context, options)),
        menus=_build_card_menus(context, listed, headings),
        boxed=len(listed) <= BOXED,
    )


def _build_add_hint(context: Context) -> list[Part]:
    """Return the line of an empty list: an example of a unit that is added to a side."""
    add_command = context.registry.get(ADD)
    if add_command is None:
        return []
    # without a side the unit would be nobody's, and its handle would not be that of a side
    side = context.actor.side or next(iter(context.game.sides), "")
    side_word = quote_value(side) if side else ""
    example = build_example(add_command, context.system, side_word)
    return [phrase("Add some: `{example}`", example=example)]


def _select_units(
    context: Context, side: str | None, state: str | None
) -> tuple[list[RosterUnit], str | None]:
    """Return the units with the typed side and state, and the state.

    A state may be typed in place of the side (`/unit list shaken`), and so may a selector of units
    (`hex:H5`, `us1..us4`). Raises UserError for an unknown side or state.
    """
    game = context.game
    units = sort_units(game.units.values())
    if side and not state and _is_state_not_side(context, side):
        state = side
        side = None
    if side and any(sign in side for sign in (":", "..", ",")):
        units = find_units(context, side)
        side = None
    if side and game.sides:
        side = _find_side(context, side)
    if side:
        units = [unit for unit in units if comparison_key(unit.side) == comparison_key(side)]
    if state:
        units = _filter_by_state(units, state, context.system)
    return units, state


def _is_state_not_side(context: Context, word: str) -> bool:
    """Return whether the word is a state, marker or number of units, and no side of the game or of
    a unit.
    """
    game = context.game
    if context.system is None or not is_stat(word, context.system):
        return False
    sides = {unit.side for unit in game.units.values()} | {*game.sides}
    return comparison_key(word) not in map(comparison_key, sides)


def _list_lost_units(units: Iterable[RosterUnit]) -> list[Part]:
    """Return a line for each side with the names of its eliminated `units`."""
    names_by_side = dict[str, list[str]]()
    for unit in units:
        names_by_side.setdefault(unit.side, []).append(unit.name)
    lines: list[Part] = []
    for side, names in names_by_side.items():
        label = f"{side} lost" if side else "Lost"
        lines.append(Small(f"{label}: {join_names(names)}"))
    return lines


def _find_side(context: Context, side: str) -> str:
    """Return the side of the game with this name. Raises UserError, with the nearest state as a
    hint if no side is near.
    """
    try:
        return find_side(context.game, side)
    except UserError as error:
        words = context.system.words["units"] if context.system is not None else None
        near_state = did_you_mean(side, words.known_states) if words is not None else None
        if near_state and not isinstance(error.hint, Hint):
            error.hint = near_state
        raise


def _build_list_buttons(context: Context, options: Mapping[str, Any]) -> Iterator[Button]:
    """Yield the buttons that share the list with these options, and that add units.

    Without units there is nothing to share; to a game that has ended none are added.
    """
    game = context.game
    if game.units:
        about = ("all" if options["all"] else "", options["side"] or "", options["state"] or "")
        yield context.build_button("units", "Share", *about)
    if not game.ended:
        yield build_form_button(("unit", "add"), {}, "Add…", context.registry)
        yield build_form_button(("unit", "import"), {}, "Import…", context.registry)


def _format_unit_counts(units: list[RosterUnit]) -> str:
    """Return the number of units, and that of each side if there are several: `13 units: 7 US, 6
    VC`.
    """
    counts = Counter(unit.side or "without a side" for unit in units)
    total = count_units(len(units))
    if len(counts) < 2:
        return total
    side_counts = ", ".join(f"{count} {side}" for side, count in counts.items())
    return f"{total}: {side_counts}"


def _build_headings(context: Context, units: list[RosterUnit], first_side: str) -> dict[str, str]:
    """Return the heading of each side that has units, with its players: `US · Alice`.

    `first_side` comes first, unless it is "".
    """
    sides = [*context.game.sides, *(unit.side for unit in units)]
    if first_side:
        sides.insert(0, first_side)
    sides_with_units = {unit.side for unit in units}
    headings = {}
    for side in dict.fromkeys(sides):
        if side in sides_with_units:
            players = context.ledger.list_players(side)
            headings[side] = " · ".join((side or "No side", *players))
    return headings


def _build_card_menus(
    context: Context, units: list[RosterUnit], headings: dict[str, str]
) -> tuple[Menu, ...]:
    """Return a menu for each of the first `MOST_MENUS` sides that shows the card of a unit."""
    menus = []
    for side in [*headings][:MOST_MENUS]:
        label = f"A {side} unit's card" if len(headings) > 1 and side else "A unit's card"
        units_of_side = [unit for unit in units if unit.side == side]
        short_label = f"{side} card" if side else "Card"
        menus.append(build_card_menu(context, units_of_side, label, short_label))
    return tuple(menus)


def _filter_by_state(
    units: list[RosterUnit], typed: str, system: System | None
) -> list[RosterUnit]:
    """Return the units in the typed state, in a state with all its flags, or with that marker.

    Raises UserError for a word that is neither a state nor a marker.
    """
    folded = word_key(typed)
    data = system.game["units"] if system is not None else {}
    states = tuple(data.get("states") or ())
    markers = tuple(data.get("markers") or ())
    valid_words = [word.replace("_", "-") for word in (*states, *markers)]
    if system is None or folded not in valid_words:
        hint = did_you_mean(folded, valid_words) or f"States are {', '.join(states)}."
        raise UserError(
            f'There is no state "{typed[:40]}".', hint=hint, option="state", code="bad-value"
        )
    words = system.words["units"]
    flags = {*words.states.get(folded, ())}

    def is_in_state(unit: RosterUnit) -> bool:
        state = words.get_state(unit) or words.sound
        has_all_flags = bool(flags) and flags <= {*words.states.get(state, ())}
        if state == folded or has_all_flags:
            return True
        return folded in {mark.replace("_", "-") for mark in unit.marks}

    return [unit for unit in units if is_in_state(unit)]


@declare_command(
    "unit show",
    "Show a unit with all its numbers",
    UNITS,
    example='"Squad 1"',
    private=True,
    needs_game=True,
)
async def show_units(context: Context) -> Reply:
    """Show the card of one unit, or a line for each of several, to the user alone.

    Raises UserError if no unit has the typed name.
    """
    units = find_units(context, context.clean_options()[NAME])
    if len(units) > 1:
        lines = tuple(describe_unit(unit, context.system) for unit in units)
        return Reply(count_units(len(units)), lines, private=True)
    return await build_unit_card(context, units[0])


def build_unit_tables(
    units: Iterable[RosterUnit], headings: dict[str, str], system: System | None
) -> tuple[UnitTable, ...]:
    """Return a table for each side in `headings`, in that order. Sides without a unit are left
    out.
    """
    units = list(units)
    keys = _choose_columns(units, system)
    tables: list[UnitTable] = []
    for side, heading in headings.items():
        units_of_side = [unit for unit in units if unit.side.casefold() == side.casefold()]
        if units_of_side:
            rows = tuple(_build_cells(unit, keys, system) for unit in units_of_side)
            normal_states = tuple(
                (unit.handle, format_word(get_normal_state(unit, system))) for unit in units_of_side
            )
            table = UnitTable(heading, keys, rows, spaced=bool(tables), normal_states=normal_states)
            tables.append(table)
    return tuple(tables)


def _choose_columns(units: list[RosterUnit], system: System | None) -> tuple[str, ...]:
    """Return the keys of the numbers that at least half of the units have, at most `MOST_KEYS`.

    Those printed on counters and the most common go first; the result is in the rule set's order.
    """
    counts: dict[str, int] = {}
    for unit in units:
        for key, value in unit.numbers.items():
            counts[key] = counts.get(key, 0) + isinstance(value, int)
    printed = {key for unit in units for key in list_printed_keys(unit.type, system)}
    loss_keys = get_loss_keys(system)
    half = len(units) / 2
    common = [key for key, count in counts.items() if count >= half and key not in loss_keys]
    common.sort(key=lambda key: (key not in printed, -counts[key]))
    return tuple(sort_keys(common[:MOST_KEYS], system))


def _build_cells(unit: RosterUnit, keys: tuple[str, ...], system: System | None) -> tuple[str, ...]:
    """Return the cells of one unit: handle, name, type, state, other words and numbers, tone, and a
    cell for each of `keys`.
    """
    lasting_marks = list_lasting_marks(system)
    state_words = [*list_conditions(unit, system)]
    if unit.turned and REDUCED in state_words:
        state_words.remove(REDUCED)  # its sign says it
    state_words += list_marks(unit, system, unit.marks & lasting_marks)
    half = HALF if unit.turned or unit.type == "half-squad" else ""
    marks = list_marks(unit, system, unit.marks - lasting_marks)
    other_numbers = _format_other_numbers(unit, keys, system)
    numbers = (
        format_typed_number(unit.numbers[key]) if key in unit.numbers else "" for key in keys
    )
    return (
        unit.handle,
        unit.name,
        unit.type,
        f"{', '.join(state_words)}{half}".strip(),
        ", ".join((*marks, *other_numbers)),
        get_tone(unit, system),
        *numbers,
    )


def _format_other_numbers(
    unit: RosterUnit, keys: tuple[str, ...], system: System | None
) -> list[str]:
    """Return the numbers of a unit that have no column in `keys`, those printed on its counter
    first: `morale 5`.

    A number whose values are words has no label. Losses and weapons are left out.
    """
    left_out = {*keys, *get_loss_keys(system), LOADOUT}
    other_keys = sort_keys((key for key in unit.numbers if key not in left_out), system)
    printed_keys = list_printed_keys(unit.type, system)
    other_keys.sort(key=lambda key: key not in printed_keys)
    options = system.words["units"].keys if system is not None else {}
    texts = []
    for key in other_keys:
        text = format_typed_number(unit.numbers[key])
        has_words = key in options and bool(options[key].values)
        texts.append(text if has_words else f"{format_word(key)} {text}")
    return texts
