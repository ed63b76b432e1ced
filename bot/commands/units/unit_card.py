"""`/unit show` of one unit: its card, with its last events and what the reader may do with it."""

from collections.abc import AsyncIterator, Iterator
from hashlib import sha256
from textwrap import shorten

from bot.answers.events import retold
from bot.answers.firers_and_targets import acts
from bot.answers.headline import types_of
from bot.answers.unit_reasons import is_forbidden_in_phase, lacks_numbers
from bot.commands.context import Context, repeated
from bot.commands.log.log import newest_first, page_action
from bot.commands.turns.board import MOST_CHOICES
from bot.commands.units.unit import edit
from bot.commands.units.unit_words import describe_numbers, describe_other_side
from bot.game import counter
from bot.game.events import changed_names
from bot.game.roster import is_gone
from bot.game.state import Game
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import GAME, HURT, SHAKEN, Button, Menu, MenuEntry, Reply
from bot.interface.typing.command_text import quoted
from bot.places.forms import form_button
from bot.rules.errors import UserError
from bot.rules.inputs.options import spoken
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.phrase import phrase
from bot.systems.system import FIRES, System

SOUND = "-"
"""What the menu of a card names where its unit has no state."""
READ = 400
"""So many events are looked through for those of the unit."""
SHOWN = 3
LONGEST = 110


async def card(context: Context, unit: RosterUnit) -> Reply:
    """The unit's numbers, state, other side and last events; buttons by the reader's side."""
    game = context.need_game()
    lines: list[Part] = [_about(context, unit)]
    if unit.back is not None:
        lines.append(describe_other_side(unit, context.system))
    lines += [Small(told) async for told in _history(context, unit)]
    can_act = not game.ended
    is_own = not unit.side or not context.actor.side or unit.side == context.actor.side
    buttons = [*_acts(context, unit, is_own=is_own)] if can_act and not is_gone(unit) else []
    if game.number:
        buttons.append(
            Button(page_action(context.ledger.row, 10, 1, "", "", unit.name.casefold()), "History")
        )
    may_mark = can_act and context.system is not None and (is_own or context.actor.directs)
    if may_mark and context.system is not None and lacks_numbers(context.system, unit):
        # a hero who has just appeared
        given = {"name": unit.handle}
        edit_button = form_button(("unit", "edit"), given, "Set numbers", context.registry)
        buttons.insert(0, edit_button)
    menus = (
        (_marks(context, unit, context.system),) if may_mark and context.system is not None else ()
    )
    return Reply(
        f"{unit.name}: {_fares(unit, context.system)}",
        tuple(lines),
        private=True,
        buttons=tuple(buttons),
        menus=menus,
        tone=tone_of(unit, context.system),
    )


async def press_card(context: Context, handle: str) -> Reply:
    """The menu of a list: one unit's card."""
    return await card(context, by_handle(context.need_game(), handle))


async def press_mark(context: Context, rest: str) -> Reply:
    """The menu of a card: a marker put on or off, a state, the other side; as `/unit edit` does it.
    Raises UserError."""
    handle, _, stats = rest.partition(":")
    stats, _, shown = stats.partition(":")
    unit = by_handle(context.need_game(), handle)
    if shown and shown not in (
        unit.state or SOUND,
        _stamp(unit, context.system),
    ):  # cards of before had the state
        what = f"{unit.name} has changed since this card: {_fares(unit, context.system)}."
        hint = phrase("`/unit show {name}` shows it as it is now.", name=quoted(unit.name))
        raise UserError(what, hint=hint, code="game-changed")
    return await edit(repeated(context, ("unit", "edit"), {"name": unit.name, "stats": stats}))


def by_handle(game: Game, handle: str) -> RosterUnit:
    """The unit with this handle. Raises UserError where it is off the roster."""
    for unit in game.units.values():
        if unit.handle == handle:
            return unit
    message = f"{handle[:40]} is off the roster by now."
    raise UserError(
        message, hint=phrase("`/unit list` shows all."), code="unknown-unit", about=handle
    )


def _fares(unit: RosterUnit, system: System | None) -> str:
    """State and markers in words: `good order, fired`."""
    words = system.words["units"] if system is not None else None
    sound = (words.state_of(unit) or words.sound) if words is not None else ""
    ill = counter.states_of(unit, system) or unit.marks & counter.lasting_marks(system)
    state = counter.states_of(unit, system) if ill else (counter.in_words(sound or "ready"),)
    return ", ".join((*state, *counter.marks_of(unit, system)))


def _about(context: Context, unit: RosterUnit) -> str:
    """Whose it is, type, numbers, handle."""
    players = context.ledger.players_of(unit.side)
    if unit.side and unit.side == context.actor.side:
        whose = "Yours"
    else:
        whose = f"{unit.side} ({', '.join(players)})" if players else unit.side
    kind = (
        types_of(context.system).get(unit.type, unit.type)
        if context.system is not None
        else unit.type
    )
    return " · ".join(
        filter(
            None,
            (whose, kind, *describe_numbers(unit.type, unit.numbers, context.system), unit.handle),
        )
    )


def _acts(context: Context, unit: RosterUnit, *, is_own: bool) -> Iterator[Button]:
    """What opens a form with the unit filled in: to act with it, or against it."""
    registry = context.registry
    system = context.system
    if system is None:
        return
    seen = [id for id in system.sequences if registry.get((system.id, id)) is not None]
    at_vehicle = counter.frame_of(unit.type, system) in counter.VEHICLES
    for sequence, option in acts(system, unit, seen, is_own=is_own, at_vehicle=at_vehicle):
        path = (system.id, sequence.id)
        given = {option: unit.handle}
        if is_forbidden_in_phase(sequence, option, unit, context.game):
            continue
        label = sequence.title
        if sequence.verb in FIRES:
            at = "with it" if is_own else "it" if sequence.verb == "Attack" else "at it"
            label = f"{sequence.verb} {at}"
        yield form_button(path, given, label, registry)
        if sequence.verb in FIRES and sequence.odds_by and not is_own:
            yield form_button(path, {**given, "odds": True}, "Odds", registry)


def _marks(context: Context, unit: RosterUnit, system: System) -> Menu:
    """States and markers to set or take off, and the other side."""
    words = system.words["units"]
    data = system.game["units"]
    state = words.state_of(unit) or words.sound
    only = data.get("only") or {}
    classes = data.get("classes") or {}
    fits = {unit.type, *(name for name, types in classes.items() if unit.type in types)}
    states = words.known_states
    marks = [mark for mark in data.get("markers") or () if mark not in words.known_states]
    fitting = {word for word in (*states, *marks) if not fits.isdisjoint(only.get(word, fits))}
    entries = [
        (f"state={other}", spoken(other), "")
        for other in states
        if other in fitting and other != state
    ]
    entries += (
        [(counter.FLIP, f"Turn over to {unit.back.type or 'the other side'}", "")]
        if unit.back
        else []
    )
    entries += [
        (f"-{mark}", spoken(mark), "on now; takes it off") for mark in marks if mark in unit.marks
    ]
    entries += [(f"+{mark}", spoken(mark), "") for mark in marks if mark in fitting - unit.marks]
    row = context.ledger.row
    made = [
        MenuEntry(f"mark:{row}:{unit.handle}:{stats}:{_stamp(unit, system)}", label, about)
        for stats, label, about in entries
    ]
    return Menu("Mark or change", tuple(made[:MOST_CHOICES]), "Mark")


def _stamp(unit: RosterUnit, system: System | None) -> str:
    """The state and the lasting markers that a card shows, in few letters: a marker that goes by
    itself changes nothing that the others mean."""
    shown = (unit.state or SOUND, *sorted(unit.marks & counter.lasting_marks(system)))
    return sha256(" ".join(shown).encode()).hexdigest()[:8]


async def _history(context: Context, unit: RosterUnit) -> AsyncIterator[str]:
    """The last events of the unit in a line each, newest first; undone ones are left out."""
    undone: set[int] = set()
    told = seen = 0
    async for event in newest_first(context, context.ledger.row):
        seen += 1
        if seen > READ or told == SHOWN:
            return
        if event["kind"] == "undo":
            undone.add(event["event"])
        names = [item["name"] for item in event.get("used", ())]
        names += changed_names(event.get("before") or {}, event.get("after") or {})
        if (
            unit.name not in names
            or event["kind"] not in ("sequence", "unit", "table")
            or event["number"] in undone
        ):
            continue
        told += 1
        said = retold(event, context.ledger.name_of, sides=context.game.sides).short
        yield shorten(f"#{event['number']} {said}", LONGEST, placeholder=" …")


def tone_of(unit: RosterUnit, system: System | None) -> str:
    """How grave the unit's state is."""
    if counter.is_lost(unit, system) or counter.is_hurt(unit, system):
        return HURT
    return SHAKEN if counter.state_of(unit, system) else GAME
