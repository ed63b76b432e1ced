"""Mentions of players whose turn it is, and the units that a phase calls by name.

After a hand-over, each player of the side to play is mentioned once, in the channel in which they
play. A player who has acted in the last five minutes is named in bold without a ping, so that no
phone buzzes at every shot of an evening. If they stay silent for five minutes more, the first
reminder pings them. A phase calls units that roll first, that lost somebody, or that wait.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from bot.commands.context import Context
from bot.game.events import list_effective_events
from bot.game.loaded_game import is_imported
from bot.game.phases import get_phase
from bot.game.roster import is_id_of_game, sort_units
from bot.game.state import Game, Json
from bot.presentation.play_record import PlayRecord
from bot.rules.inputs.units import RosterUnit
from bot.rules.sequence.linked_units import list_linked_names
from bot.rules.text.names import join_names
from bot.rulesets.system import is_lost, list_lost_states
from bot.storage.records import Doc
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import Button, Reply

MAX_EVENTS_OF_TURN = 200
"""Events that are searched for those of this turn."""
HEAVY = ("medium-machine-gun", "heavy-machine-gun")
"""Weapons whose fire counts as an event of morale: Beer and Pretzels Skirmish, Morale Checks."""
SEAT = "seat"
"""The kind of document that holds the channel, of several linked ones, in which a player joined."""
PRESENT = 300.0
"""Seconds after a player's last event in the log for which they count as present."""
SEEN_BACK = 100


class Call(NamedTuple):
    """One line of a card about called units, with the sequence that they have to roll, if any.

    `at` is the index of the call in the phase's list. `button` is the label of its button.
    """

    at: int
    line: str
    units: tuple[RosterUnit, ...]
    roll: str
    button: str


async def list_calls(context: Context) -> list[Call]:
    """List the calls of this phase that name a unit.

    A unit that has rolled this turn is not called for that roll again.
    """
    game = context.game
    calls = list[Call]()
    named_pairs = set[tuple[str, str]]()
    rows: list[Mapping[str, Any]] = get_phase(game, context.system).get("calls") or []
    events = await _load_turn_events(context) if rows else []
    for index, row in enumerate(rows):
        roll = row.get("roll", "")
        rolled = (event for event in events if roll and event.get("target") == roll)
        done_names = {unit["name"] for event in rolled for unit in event.get("used", ())}
        new_names = _find_new_in(row["states"], events) if row.get("later") else frozenset()
        named_pairs |= {(roll, name) for name in new_names}
        affected_names = {
            name for cause in row.get("since", ()) for name in _SINCE[cause](context, events)
        }
        units = []
        for unit in sort_units(game.units.values()):
            is_new = unit.name not in done_names and (roll, unit.name) not in named_pairs
            is_meant = unit.name in affected_names or _is_meant(unit, row)
            if is_new and is_meant and not is_lost(unit, context.system):
                units.append(unit)
        if units:
            if "button" in row:
                named_pairs |= {(roll, unit.name) for unit in units}
            line = row["says"].replace("{}", _format_called_units(units, row.get("number", "")))
            calls.append(Call(index, line, tuple(units), roll, row.get("button", "")))
    return calls


def _format_called_units(units: Iterable[RosterUnit], number: str) -> str:
    """Return the names of units, each with its number of this name, unless `number` is ""."""
    if not number:
        return join_names(unit.name for unit in units)
    return join_names(f"{unit.name} {unit.numbers[number]}" for unit in units)


def _is_meant(unit: RosterUnit, row: Mapping[str, Any]) -> bool:
    """Return whether a row calls the unit by its state, a marker or a number."""
    has_mark = any(word in unit.marks or unit.numbers.get(word) for word in row.get("has", ()))
    return has_mark or unit.state in row.get("states", ())


def _find_new_in(states: Collection[str], events: list[Json]) -> frozenset[str]:
    """Return the names of the units that came into one of these states this turn."""
    names = set[str]()
    for event in events:
        for key, unit in _get_values_after(event, "units").items():
            unit_before = event["before"]["units"].get(key) or {}
            if unit and unit.get("state") in states and unit_before.get("state") not in states:
                names.add(unit["name"])
    return frozenset(names)


def build_call_buttons(context: Context, calls: list[Call]) -> tuple[Button, ...]:
    """Build the buttons that roll for all called units. A press checks if the player may."""
    return tuple(
        context.build_button("call", call.button, f"{format_moment(context)}:{call.at}")
        for call in calls
        if call.button
    )


async def add_call_line(context: Context, record: PlayRecord | None, reply: Reply) -> Reply:
    """Add a line and a button about acting units that had to make another roll first.

    That happens only at their first act of the turn.
    """
    if record is None or reply.private:
        return reply
    calls = await list_calls(context)
    acted_names = await _list_acted(context) if calls else frozenset()
    if not is_id_of_game(context.ledger.game, record.system, context.systems):
        return reply
    for call in calls:
        names = [unit.name for unit in call.units if unit.name in record.acting]
        early_names = [name for name in names if name not in acted_names]
        if early_names and call.roll and call.roll != record.target:
            call_text = call.line.rpartition(": ")[0] or call.line
            line = Small(f"{join_names(early_names)} had to roll first: {call_text}.")
            buttons = (*reply.buttons, *build_call_buttons(context, [call]))
            return replace(reply, lines=(*reply.lines, line), buttons=buttons)
    return reply


async def _list_acted(context: Context) -> frozenset[str]:
    """Return the names of the units that acted this turn before the newest event."""
    newest = context.ledger.game.number
    earlier_events = [
        event for event in await _load_turn_events(context) if event["number"] != newest
    ]
    return frozenset(name for event in earlier_events for name in event.get("acting", ()))


async def add_repeat_line(context: Context, record: PlayRecord, says: str, reply: Reply) -> Reply:
    """Add a line about acting units that have rolled the same sequence before in this turn.

    `says` is the text with `{}` for their names.
    """
    number = context.ledger.game.number
    earlier_names = set[str]()
    for event in await _load_turn_events(context):
        is_earlier_roll = event["number"] != number and bool(event.get("dice"))
        if is_earlier_roll and event.get("target") == record.target:
            earlier_names.update(unit["name"] for unit in event.get("used", ()))
    names = [name for name in record.acting if name in earlier_names]
    if not names or reply.private or not record.dice:
        return reply
    return replace(reply, lines=(*reply.lines, Small(says.format(join_names(names)))))


def format_moment(context: Context) -> str:
    """Return the turn and phase as the button of a call holds them: `3.fire`."""
    return f"{context.game.turn}.{context.game.phase}"


async def _load_turn_events(context: Context) -> list[Json]:
    """Load the events of this turn that are not undone, newest first."""
    stored_events = await context.load_recent_events(MAX_EVENTS_OF_TURN)
    turn_events = []
    for event in list_effective_events([*reversed(context.ledger.bodies), *stored_events]):
        if "turn" in _get_values_after(event, "game"):
            break
        turn_events.append(event)
    return turn_events


def _get_values_after(event: Json, part: str) -> Mapping[str, Any]:
    after: Mapping[str, Any] = event.get("after", {}).get(part, {})
    return after


def _list_units_with_losses(context: Context, events: list[Json]) -> Iterator[str]:
    """Yield the names of units that lost a man this turn.

    Their own number of men went down, or a unit that is linked to them is out of the game.
    """
    lost_states = list_lost_states(context.system)
    for event in events:
        for key, unit in _get_values_after(event, "units").items():
            unit_before = event["before"]["units"].get(key)
            if not unit_before or not unit:
                continue
            numbers = unit.get("numbers", {})
            was_lost = unit_before.get("state") in lost_states
            if unit.get("state") in lost_states and not was_lost:
                yield from list_linked_names(context.game.units.values(), numbers.get("squad"))
            elif numbers.get("men", 0) < unit_before.get("numbers", {}).get("men", 0):
                yield unit["name"]


def _list_units_under_machine_guns(context: Context, events: list[Json]) -> Iterator[str]:
    """Yield the names of units whose men a medium or heavy machine gun fired at this turn."""
    for event in events:
        used = event.get("used", ())
        acting = event.get("acting", ())
        typed_inputs = " ".join(
            str(value)
            for key, value in event.get("inputs", {}).items()
            if not key.startswith("target")
        )
        weapons = [
            typed_inputs,
            *(
                str(unit.get("numbers", {}).get("weapon"))
                for unit in used
                if unit["name"] in acting
            ),
        ]
        if event["kind"] == "sequence" and any(heavy in arm for heavy in HEAVY for arm in weapons):
            for unit in used:
                if unit["name"] not in acting:
                    yield from list_linked_names(
                        context.game.units.values(), unit.get("numbers", {}).get("squad")
                    )


_SINCE = {"lost": _list_units_with_losses, "met": _list_units_under_machine_guns}


def remember_play_channel(context: Context) -> None:
    """Store that the user plays this game from this channel."""
    channel = context.command.where.key
    user = context.command.who.key
    context.commit.docs.append(
        Doc(SEAT, f"{context.ledger.row}/{user}", {"place": channel}, None, user)
    )


async def call_sides(
    context: Context,
    game: Game,
    sides: Collection[str],
    *,
    all_of_them: bool = False,
    spares: bool = True,
) -> tuple[str, ...]:
    """Return the users of these sides to mention in this channel.

    Users to mention in another channel of the game are added to `context.mentions`. The acting user
    is left out, unless `all_of_them`. With `spares`, so are users with an event in the log within
    the last PRESENT seconds; `context.named_without_ping` is set to them.
    """
    persons = context.ledger.persons
    rows = [persons.get(person) for person, side in game.players.items() if side in sides]
    author = "" if all_of_them else context.command.who.key
    users = [
        row.user for row in rows if row is not None and not is_imported(row) and row.user != author
    ]
    events = await context.load_recent_events(SEEN_BACK) if spares and users else ()
    active_persons = {event["who"] for event in events if event["at"] > context.now - PRESENT}
    present_users = {row.user for person, row in persons.items() if person in active_persons}
    context.named_without_ping = tuple(user for user in users if user in present_users)
    return await call_users(
        context, (user for user in users if user not in present_users), excluded_user=author
    )


def add_uncalled_players(context: Context, title: str) -> str:
    """Add the names of the players that `call_sides` spared to a headline about whose move it is.

    These, in `context.named_without_ping`, are there and need no ping. A question, and a headline
    about several sides or none, stays as it is.
    """
    names = [
        row.name
        for row in context.ledger.persons.values()
        if row.user in context.named_without_ping
    ]
    if not names or len(context.game.go) != 1 or title[-1] == "?":
        return title
    return f"{title}, {' and '.join(names)}"


async def call_users(
    context: Context, users: Iterable[str], excluded_user: str | None = None
) -> tuple[str, ...]:
    """Return the users to mention here, and note the others to mention where they play.

    `excluded_user` is not mentioned; None means the acting user.
    """
    current_channel = context.command.where.key
    context.mentions = context.mentions or {}
    if excluded_user is None:
        excluded_user = context.command.who.key
    for user in dict.fromkeys(users):
        if user == excluded_user:
            continue
        channel = await find_channel_of_user(context, user)
        if channel:
            context.mentions[channel] = (*context.mentions.get(channel, ()), user)
    return context.mentions.get(current_channel, ())


async def find_channel_of_user(context: Context, user: str) -> str:
    """Return the channel in which to mention a user: the one in which they joined the game.

    Otherwise the first channel of the game on their server or platform; "" for none.
    """
    channels = dict.fromkeys((context.command.where.key, *context.ledger.places))
    prefix = f"{user.rpartition('/')[0]}/" if "/" in user else f"{user.partition(':')[0]}:"
    possible_channels = [channel for channel in channels if channel.startswith(prefix)]
    if len(possible_channels) > 1:
        seat_doc = await context.store.load_doc(SEAT, f"{context.ledger.row}/{user}")
        if seat_doc is not None and seat_doc.data["place"] in possible_channels:
            return str(seat_doc.data["place"])
    return possible_channels[0] if possible_channels else ""
