"""`/unit show` of one unit: its card, with its last events and buttons for its actions."""

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
from bot.game.state import Game
from bot.presentation.events import describe_event
from bot.presentation.firers_and_targets import list_actions
from bot.presentation.headline import list_type_names
from bot.presentation.unit_reasons import is_forbidden_in_phase, lacks_numbers
from bot.rules.errors import UserError
from bot.rules.inputs.options import format_code_word
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.phrase import phrase
from bot.rulesets.system import FIRES, System, is_lost
from bot.ui.form.form_buttons import build_form_button
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import GAME, HURT, SHAKEN, Button, Menu, MenuEntry, Reply
from bot.ui.typing.command_text import quote_value

SOUND = "-"
"""The state in the menu of a card if its unit has none."""
READ = 400
"""Maximum number of events that are searched for those of the unit."""
SHOWN = 3
LONGEST = 110


async def build_unit_card(context: Context, unit: RosterUnit) -> Reply:
    """Return the private card of a unit: its numbers, state, other side and last events.

    Its buttons depend on whether it is the user's own: to act with it or against it. A menu marks
    the unit, if the user may do so.
    """
    game = context.need_game()
    system = context.system
    lines: list[Part] = [_describe_unit(context, unit)]
    if unit.back is not None:
        lines.append(describe_other_side(unit, system))
    lines += [Small(line) async for line in _load_history(context, unit)]
    user_side = context.actor.side
    is_own = not unit.side or not user_side or unit.side == user_side
    buttons: list[Button] = []
    if not game.ended and not is_lost(unit, system):
        buttons += _build_action_buttons(context, unit, is_own=is_own)
    if game.number:
        row = context.ledger.row
        action = build_page_action(row, 10, 1, "", "", unit.name.casefold())
        buttons.append(Button(action, "History"))
    menus: tuple[Menu, ...] = ()
    may_mark = not game.ended and (is_own or context.actor.directs)
    if may_mark and system is not None:
        menus = (_build_marker_menu(context, unit, system),)
        if lacks_numbers(system, unit):  # a hero who has just appeared
            options = {"name": unit.handle}
            path = ("unit", "edit")
            edit_button = build_form_button(path, options, "Set numbers", context.registry)
            buttons.insert(0, edit_button)
    return Reply(
        f"{unit.name}: {_describe_state(unit, system)}",
        tuple(lines),
        private=True,
        buttons=tuple(buttons),
        menus=menus,
        tone=get_tone(unit, system),
    )


@declare_button("card", of=ButtonOf.GAME, private=True)
async def press_card(context: Context, handle: str) -> Reply:
    """Show the card of the unit that was chosen in the menu of a list.

    Raises UserError if the unit is no longer there.
    """
    return await build_unit_card(context, find_unit_by_handle(context.need_game(), handle))


@declare_button("mark", of=ButtonOf.GAME)
async def press_mark(context: Context, handle: str, stats: str, stamp: str) -> Reply:
    """Set or remove a marker, set a state, or turn the unit over, by the menu of its card.

    `stats` is as for `/unit edit`. Raises UserError if the unit no longer has the state of the
    `stamp`, see `_build_state_stamp`.
    """
    unit = find_unit_by_handle(context.need_game(), handle)
    # Cards of old releases have the state itself as their stamp.
    valid_stamps = ("", unit.state or SOUND, _build_state_stamp(unit, context.system))
    if stamp not in valid_stamps:
        state = _describe_state(unit, context.system)
        raise UserError(
            f"{unit.name} has changed since this card: {state}.",
            hint=phrase("`/unit show {name}` shows it as it is now.", name=quote_value(unit.name)),
            code="game-changed",
        )
    options = {"name": unit.name, "stats": stats}
    return await edit_units(replace_command(context, ("unit", "edit"), options))


def find_unit_by_handle(game: Game, handle: str) -> RosterUnit:
    """Return the unit with this handle. Raises UserError if it is not on the roster."""
    for unit in game.units.values():
        if unit.handle == handle:
            return unit
    message = f"{handle[:40]} is no longer on the roster."
    raise UserError(
        message, hint=phrase("`/unit list` shows them all."), code="unknown-unit", about=handle
    )


def _describe_state(unit: RosterUnit, system: System | None) -> str:
    """Return the state and markers of a unit in words: `good order, fired`.

    A unit in its normal state has the word for it only if no lasting marker is on it.
    """
    conditions = counter_faces.list_conditions(unit, system)
    has_lasting_marks = bool(unit.marks & counter_faces.list_lasting_marks(system))
    state_words = [*conditions]
    if not conditions and not has_lasting_marks:
        state_words = [counter_faces.format_word(counter_faces.get_normal_state(unit, system))]
    return ", ".join((*state_words, *counter_faces.list_marks(unit, system)))


def _describe_unit(context: Context, unit: RosterUnit) -> str:
    """Return the owner, type, numbers and handle of a unit: `Yours · Squad · fp 3 · us1`."""
    system = context.system
    owner = unit.side
    if unit.side and unit.side == context.actor.side:
        owner = "Yours"
    else:
        players = ", ".join(context.ledger.list_players(unit.side))
        if players:
            owner = f"{unit.side} ({players})"
    type_name = unit.type
    if system is not None:
        type_name = list_type_names(system).get(unit.type, unit.type)
    numbers = describe_numbers(unit.type, unit.numbers, system)
    return " · ".join(text for text in (owner, type_name, *numbers, unit.handle) if text)


def _build_action_buttons(context: Context, unit: RosterUnit, *, is_own: bool) -> Iterator[Button]:
    """Yield the buttons that open a form with the unit filled in: to act with it if it `is_own`,
    otherwise against it.

    Actions that the phase forbids are left out.
    """
    registry = context.registry
    system = context.system
    if system is None:
        return
    visible = [id for id in system.sequences if registry.get((system.id, id)) is not None]
    is_vehicle = counter_faces.get_frame(unit.type, system) in counter_faces.VEHICLES
    actions = list_actions(system, unit, visible, is_own=is_own, at_vehicle=is_vehicle)
    for sequence, option in actions:
        if is_forbidden_in_phase(sequence, option, unit, context.game):
            continue
        path = (system.id, sequence.id)
        options = {option: unit.handle}
        is_fire = sequence.verb in FIRES
        label = sequence.title
        if is_fire and is_own:
            label = f"{sequence.verb} with it"
        elif is_fire:
            label = "Attack it" if sequence.verb == "Attack" else f"{sequence.verb} at it"
        yield build_form_button(path, options, label, registry)
        if is_fire and sequence.odds_by and not is_own:
            yield build_form_button(path, {**options, "odds": True}, "Odds", registry)


def _build_marker_menu(context: Context, unit: RosterUnit, system: System) -> Menu:
    """Return the menu that sets another state, turns the unit over, and sets or removes markers.

    States and markers that the unit's type cannot have are left out.
    """
    words = system.words["units"]
    current_state = words.get_state(unit) or words.sound
    prefix = f"mark:{context.ledger.row}:{unit.handle}"
    stamp = _build_state_stamp(unit, system)
    entries: list[MenuEntry] = []

    def add_entry(stats: str, label: str, about: str = "") -> None:
        entries.append(MenuEntry(f"{prefix}:{stats}:{stamp}", label, about))

    for state in words.known_states:
        if state != current_state and counter_faces.can_have(unit, state, system):
            add_entry(f"state={state}", format_code_word(state))
    if unit.back:
        add_entry(counter_faces.FLIP, f"Turn over to {unit.back.type or 'the other side'}")
    markers = system.game["units"].get("markers") or ()
    marks = [mark for mark in markers if mark not in words.known_states]
    for mark in marks:
        if mark in unit.marks:
            add_entry(f"-{mark}", format_code_word(mark), "on now; removes it")
    for mark in marks:
        if mark not in unit.marks and counter_faces.can_have(unit, mark, system):
            add_entry(f"+{mark}", format_code_word(mark))
    return Menu("Mark or change", tuple(entries[:MOST_CHOICES]), "Mark")


def _build_state_stamp(unit: RosterUnit, system: System | None) -> str:
    """Return a short hash of the unit's state and lasting markers, for the menu of its card.

    Markers that go by themselves are left out: they do not change the meaning of an entry.
    """
    lasting_marks = sorted(unit.marks & counter_faces.list_lasting_marks(system))
    text = " ".join((unit.state or SOUND, *lasting_marks))
    return sha256(text.encode()).hexdigest()[:8]


async def _load_history(context: Context, unit: RosterUnit) -> AsyncIterator[str]:
    """Yield a line for each of the last `SHOWN` events of the unit, newest first.

    Undone events are left out. At most `READ` events of the game are searched.
    """
    undone: set[int] = set()
    read_count = 0
    shown_count = 0
    async for event in stream_newest_first(context, context.ledger.row):
        read_count += 1
        if read_count > READ or shown_count == SHOWN:
            return
        if event["kind"] == "undo":
            undone.add(event["event"])
        if event["kind"] not in ("sequence", "unit", "table") or event["number"] in undone:
            continue
        names = [item["name"] for item in event.get("used", ())]
        names += list_changed_units(event.get("before") or {}, event.get("after") or {})
        if unit.name not in names:
            continue
        shown_count += 1
        described = describe_event(
            event, context.systems, context.ledger.get_name, sides=context.game.sides
        )
        yield shorten(f"#{event['number']} {described.short}", LONGEST, placeholder=" …")


def get_tone(unit: RosterUnit, system: System | None) -> str:
    """Return the tone of the unit's state: HURT, SHAKEN, or GAME for a sound unit."""
    if is_lost(unit, system) or counter_faces.is_hurt(unit, system):
        return HURT
    return SHAKEN if counter_faces.describe_state(unit, system) else GAME
