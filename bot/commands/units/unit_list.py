"""`/unit list` and `show`: the roster as tables by sides, and units with all their numbers."""

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
    is_lost,
    list_conditions,
    list_lasting_marks,
    list_marks,
    list_printed_keys,
)
from bot.game.roster import count_units, format_typed_number, is_stat, sort_units
from bot.game.sides import find_side
from bot.preferences.forms import build_form_button
from bot.rules.errors import Hint, UserError, did_you_mean
from bot.rules.inputs.loadout import LOADOUT
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import join_names
from bot.rules.text.normalize import comparison_key, word_key
from bot.rules.text.phrase import phrase
from bot.rulesets.system import System
from bot.ui.common_options import UNITS, build_flag, build_optional
from bot.ui.glossary import ADD, build_example
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Button, Menu, Reply
from bot.ui.reply.unit_table import UnitTable

MOST_MENUS = 2
BOXED = 60
"""So many units fit into a box of Discord's newer layout; a longer list is a message with a
file.
"""
MOST_KEYS = 3
HALF = " ½"


@declare_command(
    "unit list",
    "The roster",
    build_optional("side", "only this side", complete="side"),
    build_optional("state", "only those in this state, or with this marker", complete="state"),
    build_flag("all", "eliminated units too"),
    build_flag("public", "show it to the channel"),
    needs_game=True,
)
async def list_units(context: Context) -> Reply:
    """The roster by sides; eliminated units only when asked for, all of them or by their state."""
    return _build_list_reply(context, context.clean_options())


@declare_button("units", of=ButtonOf.GAME)
async def press_share(context: Context, everyone: str, side: str, state: str) -> Reply:
    """The same list for the whole channel, as whoever pressed *Share* had it."""
    options = {
        "all": everyone == "all",
        "side": side or None,
        "state": state or None,
        "public": True,
    }
    return replace(_build_list_reply(context, options), by=f"{context.user_name} shows the roster")


def _build_list_reply(context: Context, options: Mapping[str, Any]) -> Reply:
    game = context.need_game()
    units = sort_units(game.units.values())
    side = options["side"]
    state = options["state"]
    if side and not state and context.system is not None and is_stat(side, context.system):
        sides = {comparison_key(side) for side in (*(unit.side for unit in units), *game.sides)}
        # `/unit list shaken`
        side, state = (side, None) if comparison_key(side) in sides else (None, side)
    if side and any(mark in side for mark in (":", "..", ",")):
        # hex:H5, side:US, us1..us4: as every unit list
        units = find_units(context, side)
        side = None
    if side and game.sides:
        side = _find_side(context, side)
    if side:
        units = [unit for unit in units if comparison_key(unit.side) == comparison_key(side)]
    if state:
        units = _filter_by_state(units, state, context.system)
    shown = [unit for unit in units if options["all"] or state or not is_lost(unit, context.system)]
    lost = dict[str, list[str]]()
    for unit in units:
        if unit not in shown:
            lost.setdefault(unit.side, []).append(unit.name)
    public = bool(options["public"])
    headings = _build_headings(context, shown, "" if public else context.actor.side)
    lines: list[Part] = [*build_unit_tables(shown, headings, context.system)]
    for side, names in lost.items():
        lines.append(Small(f"{f'{side} lost' if side else 'Lost'}: {join_names(names)}"))
    if not game.units and (adds := context.registry.get(ADD)) is not None:
        lines.append(phrase("Add some: `{example}`", example=build_example(adds, game.system)))
    is_split = len(headings) > 1 and not public and context.actor.side in headings
    return Reply(
        _format_unit_counts(shown),
        tuple(lines),
        by="your side first" if is_split else "",
        private=not public,
        buttons=() if public else tuple(_build_list_buttons(context, options)),
        menus=_build_card_menus(context, shown, headings),
        boxed=len(shown) <= BOXED,
    )


def _find_side(context: Context, side: str) -> str:
    """Return the side of the game with this name. Raises UserError, which may mean a state."""
    try:
        return find_side(context.game, side)
    except UserError as error:
        words = context.system.words["units"] if context.system is not None else None
        near = did_you_mean(side, words.known_states) if words is not None else None
        if near and not isinstance(error.hint, Hint):
            error.hint = near
        raise


def _build_list_buttons(context: Context, options: Mapping[str, Any]) -> Iterator[Button]:
    """What can be done with the list: show it to all, and add to it."""
    game = context.game
    if game.units:
        about = ("all" if options["all"] else "", options["side"] or "", options["state"] or "")
        yield context.build_button("units", "Share", *about)
    if not game.ended:
        yield build_form_button(("unit", "add"), {}, "Add…", context.registry)
        yield build_form_button(("unit", "import"), {}, "Import…", context.registry)


def _format_unit_counts(units: list[RosterUnit]) -> str:
    """`13 units: 7 US, 6 VC`."""
    sides = Counter(unit.side or "of no side" for unit in units)
    each = ", ".join(f"{count} {side}" for side, count in sides.items())
    return f"{count_units(len(units))}: {each}" if len(sides) > 1 else count_units(len(units))


def _build_headings(context: Context, units: list[RosterUnit], own: str) -> dict[str, str]:
    """What each side is called above its units, one's own side first: `US · Alice`."""
    sides = dict.fromkeys(
        [*([own] if own else []), *context.game.sides, *(unit.side for unit in units)]
    )
    made = {}
    for side in sides:
        players = context.ledger.list_players(side)
        if any(unit.side == side for unit in units):
            made[side] = " · ".join((side or "No side", *players))
    return made


def _build_card_menus(
    context: Context, units: list[RosterUnit], headings: dict[str, str]
) -> tuple[Menu, ...]:
    """A menu for each of the first sides: a choice shows that unit's card."""
    made = []
    for side in [*headings][:MOST_MENUS]:
        label = f"A {side} unit's card" if len(headings) > 1 and side else "A unit's card"
        own = [unit for unit in units if unit.side == side]
        made.append(build_card_menu(context, own, label, f"{side} card" if side else "Card"))
    return tuple(made)


def _filter_by_state(
    units: list[RosterUnit], typed: str, system: System | None
) -> list[RosterUnit]:
    """Those in a state, or with a marker. Raises UserError for a word that is neither."""
    folded = word_key(typed)
    data = system.game["units"] if system is not None else {}
    states = tuple(data.get("states") or ())
    markers = tuple(data.get("markers") or ())
    known = [word.replace("_", "-") for word in (*states, *markers)]
    if system is None or folded not in known:
        hint = did_you_mean(folded, known) or f"States are {', '.join(states)}."
        raise UserError(
            f'There is no state "{typed[:40]}".', hint=hint, option="state", code="bad-value"
        )
    words = system.words["units"]
    flags = {*words.states.get(folded, ())}

    def is_in_state(unit: RosterUnit) -> bool:
        state = words.get_state(unit) or words.sound
        also = bool(flags) and flags <= {*words.states.get(state, ())}
        return state == folded or also or folded in {mark.replace("_", "-") for mark in unit.marks}

    return [unit for unit in units if is_in_state(unit)]


@declare_command(
    "unit show",
    "A unit with all its numbers",
    UNITS,
    example='"Squad 1"',
    private=True,
    needs_game=True,
)
async def show_units(context: Context) -> Reply:
    """One unit's card; several in a line each."""
    units = find_units(context, context.clean_options()[NAME])
    if len(units) > 1:
        lines = tuple(describe_unit(unit, context.system) for unit in units)
        return Reply(count_units(len(units)), lines, private=True)
    return await build_unit_card(context, units[0])


def build_unit_tables(
    units: Iterable[RosterUnit], headings: dict[str, str], system: System | None
) -> tuple[UnitTable, ...]:
    """A table for each side in `headings`, in that order; sides without a unit are left out."""
    units = list(units)
    keys = _choose_columns(units, system)
    made: list[UnitTable] = []
    for side, heading in headings.items():
        if own := [unit for unit in units if unit.side.casefold() == side.casefold()]:
            rows = tuple(_build_cells(unit, keys, system) for unit in own)
            made.append(UnitTable(heading, keys, rows, spaced=bool(made)))
    return tuple(made)


def _choose_columns(units: list[RosterUnit], system: System | None) -> tuple[str, ...]:
    """The numbers that most units have, at most three: those printed on counters first, in the
    game's own order.
    """
    counts: dict[str, int] = {}
    for unit in units:
        for key, value in unit.numbers.items():
            counts[key] = counts.get(key, 0) + isinstance(value, int)
    printed = {key for unit in units for key in list_printed_keys(unit.type, system)}
    common = [
        key for key in counts if counts[key] * 2 >= len(units) and key not in get_loss_keys(system)
    ]
    common.sort(key=lambda key: (key not in printed, -counts[key]))
    return tuple(sort_keys(common[:MOST_KEYS], system))


def _build_cells(unit: RosterUnit, keys: tuple[str, ...], system: System | None) -> tuple[str, ...]:
    lasting = list_lasting_marks(system)
    ill = (
        *(said for said in list_conditions(unit, system) if said != REDUCED),
        *list_marks(unit, system, unit.marks & lasting),
    )
    words = list_marks(unit, system, unit.marks - lasting)
    printed = list_printed_keys(unit.type, system)
    others = sort_keys(
        (key for key in unit.numbers if key not in (*keys, *get_loss_keys(system), LOADOUT)), system
    )
    others.sort(key=lambda key: key not in printed)
    options = system.words["units"].keys if system is not None else {}
    rest = [
        format_typed_number(unit.numbers[key])
        if key in options and options[key].values
        else f"{format_word(key)} {format_typed_number(unit.numbers[key])}"
        for key in others
    ]
    mark = HALF if unit.turned or unit.type == "half-squad" else ""
    numbers = (
        format_typed_number(unit.numbers[key]) if key in unit.numbers else "" for key in keys
    )
    return (
        unit.handle,
        unit.name,
        unit.type,
        f"{', '.join(ill)}{mark}".strip(),
        ", ".join((*words, *rest)),
        get_tone(unit, system),
        *numbers,
    )
