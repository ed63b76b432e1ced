"""`/unit show` of one unit: its card, with its last events and what the reader may do with it."""

from collections.abc import AsyncIterator, Iterator
from hashlib import sha256
from textwrap import shorten

from bot.commands.context import Context, replace_command
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.log.log import build_page_action, stream_newest_first
from bot.commands.turns.board import MOST_CHOICES
from bot.commands.units.unit import edit_units
from bot.commands.units.unit_words import describe_numbers, describe_other_side
from bot.game import counter_faces
from bot.game.events import list_changed_units
from bot.game.roster import has_left_fight
from bot.game.state import Game
from bot.preferences.forms import build_form_button
from bot.presentation.events import describe_event
from bot.presentation.firers_and_targets import list_actions
from bot.presentation.headline import list_type_names
from bot.presentation.unit_reasons import is_forbidden_in_phase, lacks_numbers
from bot.rules.errors import UserError
from bot.rules.inputs.options import format_code_word
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.phrase import phrase
from bot.rulesets.system import FIRES, System
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import GAME, HURT, SHAKEN, Button, Menu, MenuEntry, Reply
from bot.ui.typing.command_text import quote_value

SOUND = "-"
"""What the menu of a card names where its unit has no state."""
READ = 400
"""So many events are looked through for those of the unit."""
SHOWN = 3
LONGEST = 110


async def build_unit_card(context: Context, unit: RosterUnit) -> Reply:
    """The unit's numbers, state, other side and last events; buttons by the reader's side."""
    game = context.need_game()
    lines: list[Part] = [_describe_unit(context, unit)]
    if unit.back is not None:
        lines.append(describe_other_side(unit, context.system))
    lines += [Small(told) async for told in _load_history(context, unit)]
    can_act = not game.ended
    is_own = not unit.side or not context.actor.side or unit.side == context.actor.side
    buttons = (
        [*_build_action_buttons(context, unit, is_own=is_own)]
        if can_act and not has_left_fight(unit)
        else []
    )
    if game.number:
        buttons.append(
            Button(
                build_page_action(context.ledger.row, 10, 1, "", "", unit.name.casefold()),
                "History",
            )
        )
    may_mark = can_act and context.system is not None and (is_own or context.actor.directs)
    if may_mark and context.system is not None and lacks_numbers(context.system, unit):
        # a hero who has just appeared
        given = {"name": unit.handle}
        edit_button = build_form_button(("unit", "edit"), given, "Set numbers", context.registry)
        buttons.insert(0, edit_button)
    menus = (
        (_build_marker_menu(context, unit, context.system),)
        if may_mark and context.system is not None
        else ()
    )
    return Reply(
        f"{unit.name}: {_describe_state(unit, context.system)}",
        tuple(lines),
        private=True,
        buttons=tuple(buttons),
        menus=menus,
        tone=get_tone(unit, context.system),
    )


@declare_button("card", of=ButtonOf.GAME, private=True)
async def press_card(context: Context, handle: str) -> Reply:
    """The menu of a list: one unit's card."""
    return await build_unit_card(context, find_unit_by_handle(context.need_game(), handle))


@declare_button("mark", of=ButtonOf.GAME)
async def press_mark(context: Context, handle: str, stats: str, shown_state: str) -> Reply:
    """The menu of a card: a marker put on or off, a state, the other side; as `/unit edit` does it.
    Raises UserError."""
    unit = find_unit_by_handle(context.need_game(), handle)
    if shown_state and shown_state not in (
        unit.state or SOUND,
        _build_state_stamp(unit, context.system),
    ):  # cards of before had the state
        what = f"{unit.name} has changed since this card: {_describe_state(unit, context.system)}."
        hint = phrase("`/unit show {name}` shows it as it is now.", name=quote_value(unit.name))
        raise UserError(what, hint=hint, code="game-changed")
    return await edit_units(
        replace_command(context, ("unit", "edit"), {"name": unit.name, "stats": stats})
    )


def find_unit_by_handle(game: Game, handle: str) -> RosterUnit:
    """The unit with this handle. Raises UserError where it is off the roster."""
    for unit in game.units.values():
        if unit.handle == handle:
            return unit
    message = f"{handle[:40]} is off the roster by now."
    raise UserError(
        message, hint=phrase("`/unit list` shows all."), code="unknown-unit", about=handle
    )


def _describe_state(unit: RosterUnit, system: System | None) -> str:
    """State and markers in words: `good order, fired`."""
    words = system.words["units"] if system is not None else None
    sound = (words.get_state(unit) or words.sound) if words is not None else ""
    ill = counter_faces.list_conditions(
        unit, system
    ) or unit.marks & counter_faces.list_lasting_marks(system)
    state = (
        counter_faces.list_conditions(unit, system)
        if ill
        else (counter_faces.format_word(sound or "ready"),)
    )
    return ", ".join((*state, *counter_faces.list_marks(unit, system)))


def _describe_unit(context: Context, unit: RosterUnit) -> str:
    """Whose it is, type, numbers, handle."""
    players = context.ledger.list_players(unit.side)
    if unit.side and unit.side == context.actor.side:
        whose = "Yours"
    else:
        whose = f"{unit.side} ({', '.join(players)})" if players else unit.side
    kind = (
        list_type_names(context.system).get(unit.type, unit.type)
        if context.system is not None
        else unit.type
    )
    return " · ".join(
        filter(
            None,
            (whose, kind, *describe_numbers(unit.type, unit.numbers, context.system), unit.handle),
        )
    )


def _build_action_buttons(context: Context, unit: RosterUnit, *, is_own: bool) -> Iterator[Button]:
    """What opens a form with the unit filled in: to act with it, or against it."""
    registry = context.registry
    system = context.system
    if system is None:
        return
    seen = [id for id in system.sequences if registry.get((system.id, id)) is not None]
    at_vehicle = counter_faces.get_frame(unit.type, system) in counter_faces.VEHICLES
    for sequence, option in list_actions(system, unit, seen, is_own=is_own, at_vehicle=at_vehicle):
        path = (system.id, sequence.id)
        given = {option: unit.handle}
        if is_forbidden_in_phase(sequence, option, unit, context.game):
            continue
        label = sequence.title
        if sequence.verb in FIRES:
            at = "with it" if is_own else "it" if sequence.verb == "Attack" else "at it"
            label = f"{sequence.verb} {at}"
        yield build_form_button(path, given, label, registry)
        if sequence.verb in FIRES and sequence.odds_by and not is_own:
            yield build_form_button(path, {**given, "odds": True}, "Odds", registry)


def _build_marker_menu(context: Context, unit: RosterUnit, system: System) -> Menu:
    """States and markers to set or take off, and the other side."""
    words = system.words["units"]
    data = system.game["units"]
    state = words.get_state(unit) or words.sound
    only = data.get("only") or {}
    classes = data.get("classes") or {}
    fits = {unit.type, *(name for name, types in classes.items() if unit.type in types)}
    states = words.known_states
    marks = [mark for mark in data.get("markers") or () if mark not in words.known_states]
    fitting = {word for word in (*states, *marks) if not fits.isdisjoint(only.get(word, fits))}
    entries = [
        (f"state={other}", format_code_word(other), "")
        for other in states
        if other in fitting and other != state
    ]
    entries += (
        [(counter_faces.FLIP, f"Turn over to {unit.back.type or 'the other side'}", "")]
        if unit.back
        else []
    )
    entries += [
        (f"-{mark}", format_code_word(mark), "on now; takes it off")
        for mark in marks
        if mark in unit.marks
    ]
    entries += [
        (f"+{mark}", format_code_word(mark), "") for mark in marks if mark in fitting - unit.marks
    ]
    row = context.ledger.row
    made = [
        MenuEntry(
            f"mark:{row}:{unit.handle}:{stats}:{_build_state_stamp(unit, system)}", label, about
        )
        for stats, label, about in entries
    ]
    return Menu("Mark or change", tuple(made[:MOST_CHOICES]), "Mark")


def _build_state_stamp(unit: RosterUnit, system: System | None) -> str:
    """The state and the lasting markers that a card shows, in few letters: a marker that goes by
    itself changes nothing that the others mean."""
    shown = (unit.state or SOUND, *sorted(unit.marks & counter_faces.list_lasting_marks(system)))
    return sha256(" ".join(shown).encode()).hexdigest()[:8]


async def _load_history(context: Context, unit: RosterUnit) -> AsyncIterator[str]:
    """The last events of the unit in a line each, newest first; undone ones are left out."""
    undone: set[int] = set()
    told = seen = 0
    async for event in stream_newest_first(context, context.ledger.row):
        seen += 1
        if seen > READ or told == SHOWN:
            return
        if event["kind"] == "undo":
            undone.add(event["event"])
        names = [item["name"] for item in event.get("used", ())]
        names += list_changed_units(event.get("before") or {}, event.get("after") or {})
        if (
            unit.name not in names
            or event["kind"] not in ("sequence", "unit", "table")
            or event["number"] in undone
        ):
            continue
        told += 1
        said = describe_event(event, context.ledger.get_name, sides=context.game.sides).short
        yield shorten(f"#{event['number']} {said}", LONGEST, placeholder=" …")


def get_tone(unit: RosterUnit, system: System | None) -> str:
    """How grave the unit's state is."""
    if counter_faces.is_lost(unit, system) or counter_faces.is_hurt(unit, system):
        return HURT
    return SHAKEN if counter_faces.describe_state(unit, system) else GAME
