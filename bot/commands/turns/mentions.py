"""Who is called: when the go changes hands every player of the side, once, in the channel in which
they play; and whom a phase calls by name, because they roll first, lost somebody or wait.

Whoever has acted in the last five minutes is there: they are named in bold and not called, so that
no phone buzzes at every shot of an evening. If they stay silent for five minutes more, the first
reminder calls them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

from bot.commands.context import Context
from bot.game.events import list_effective_events
from bot.game.game_cache import is_imported
from bot.game.phases import get_phase
from bot.game.roster import has_left_fight, is_of_game, sort_units
from bot.game.state import Game, Json
from bot.presentation.play_record import PlayRecord
from bot.rules.inputs.units import RosterUnit
from bot.rules.sequence.linked_units import list_linked_names
from bot.rules.text.names import join_names
from bot.rulesets.catalog import list_lost_states
from bot.storage.records import Doc
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import Button, Reply

READ_BACK = 200
HEAVY = ("medium-machine-gun", "heavy-machine-gun")
"""Weapons whose fire counts as an event of morale: Beer and Pretzels Skirmish, Morale Checks."""
SEAT = "seat"
"""Documents that say in which of several linked channels somebody has joined."""
PRESENT = 300.0
"""Seconds after their last event in the log within which somebody is there."""
SEEN_BACK = 100


class Call(NamedTuple):
    """One line of a card: its words, the units that it names, and the sequence that they owe, if
    any.
    """

    at: int
    line: str
    units: tuple[RosterUnit, ...]
    roll: str
    button: str


async def list_calls(context: Context) -> list[Call]:
    """Those of the present phase that name somebody. Who has rolled since it began is called for
    that no more.
    """
    game = context.game
    found = list[Call]()
    named = set[tuple[str, str]]()
    rows: list[Mapping[str, Any]] = get_phase(game, context.system).get("calls") or []
    happened = await _load_turn_events(context) if rows else []
    for at, row in enumerate(rows):
        roll = row.get("roll", "")
        rolled = (event for event in happened if roll and event.get("target") == roll)
        done = {unit["name"] for event in rolled for unit in event.get("used", ())}
        fresh = _find_new_in(row["states"], happened) if row.get("later") else frozenset()
        named |= {(roll, name) for name in fresh}
        hit = {name for since in row.get("since", ()) for name in _SINCE[since](context, happened)}
        units = []
        for unit in sort_units(game.units.values()):
            is_new = unit.name not in done and (roll, unit.name) not in named
            is_meant = unit.name in hit or _is_meant(unit, row)
            if is_new and is_meant and not has_left_fight(unit):
                units.append(unit)
        if units:
            named |= {(roll, unit.name) for unit in units if "button" in row}
            number = row.get("number", "")
            names = join_names(
                f"{unit.name} {unit.numbers[number]}" if number else unit.name for unit in units
            )
            found.append(
                Call(
                    at, row["says"].replace("{}", names), tuple(units), roll, row.get("button", "")
                )
            )
    return found


def _is_meant(unit: RosterUnit, row: Mapping[str, Any]) -> bool:
    """Return whether a row calls the unit by its state, a marker or a number."""
    has = any(word in unit.marks or unit.numbers.get(word) for word in row.get("has", ()))
    return has or unit.state in row.get("states", ())


def _find_new_in(states: Collection[str], happened: list[Json]) -> frozenset[str]:
    """Return the names of the units that came into one of these states this turn."""
    names = set[str]()
    for event in happened:
        for key, unit in _get_values_after(event, "units").items():
            before = event["before"]["units"].get(key) or {}
            if unit and unit.get("state") in states and before.get("state") not in states:
                names.add(unit["name"])
    return frozenset(names)


def build_call_buttons(context: Context, called: list[Call]) -> tuple[Button, ...]:
    """The buttons that roll for all who are called; who may is seen when one is pressed."""
    return tuple(
        context.build_button("call", call.button, f"{format_moment(context)}:{call.at}")
        for call in called
        if call.button
    )


async def add_call_line(context: Context, happening: PlayRecord | None, reply: Reply) -> Reply:
    """The answer to a sequence with a line about those who act and owed a roll before it, and
    the button for that. It is said at their first act of the turn.
    """
    if happening is None or reply.private:
        return reply
    called = await list_calls(context)
    acted = await _list_acted(context) if called else frozenset()
    for call in called if is_of_game(context.ledger.game, happening.system) else ():
        names = [unit.name for unit in call.units if unit.name in happening.acting]
        early = [name for name in names if name not in acted]
        if early and call.roll and call.roll != happening.target:
            line = Small(
                f"{join_names(early)} owed a roll first: {call.line.rpartition(': ')[0] or call.line}."
            )
            buttons = (*reply.buttons, *build_call_buttons(context, [call]))
            return replace(reply, lines=(*reply.lines, line), buttons=buttons)
    return reply


async def _list_acted(context: Context) -> frozenset[str]:
    """Return the names of the units that acted this turn before the newest event."""
    newest = context.ledger.game.number
    earlier = [event for event in await _load_turn_events(context) if event["number"] != newest]
    return frozenset(name for event in earlier for name in event.get("acting", ()))


async def add_repeat_line(
    context: Context, happening: PlayRecord, says: str, reply: Reply
) -> Reply:
    """Return the answer with a line about those who have done the same before this turn."""
    number = context.ledger.game.number
    earlier = {
        unit["name"]
        for event in await _load_turn_events(context)
        if event.get("target") == happening.target
        and event["number"] != number
        and event.get("dice")
        for unit in event.get("used", ())
    }
    names = [name for name in happening.acting if name in earlier]
    if not names or reply.private or not happening.dice:
        return reply
    return replace(reply, lines=(*reply.lines, Small(says.format(join_names(names)))))


def format_moment(context: Context) -> str:
    """The phase that the button of a call is for."""
    return f"{context.game.turn}.{context.game.phase}"


async def _load_turn_events(context: Context) -> list[Json]:
    """The events of this turn that were not taken back, the newest first."""
    events = list_effective_events(
        [*reversed(context.ledger.bodies), *await context.load_recent_events(READ_BACK)]
    )
    return [*takewhile(lambda event: "turn" not in _get_values_after(event, "game"), events)]


def _get_values_after(event: Json, part: str) -> Mapping[str, Any]:
    after: Mapping[str, Any] = event.get("after", {}).get(part, {})
    return after


def _list_units_with_losses(context: Context, happened: list[Json]) -> Iterator[str]:
    """The units that lost a man this turn: by their own number of men, or by the link of one who
    is out of the game.
    """
    out = list_lost_states(context.system)
    for event in happened:
        for key, unit in _get_values_after(event, "units").items():
            was = event["before"]["units"].get(key)
            if was and unit and unit.get("state") in out and was.get("state") not in out:
                yield from list_linked_names(
                    context.game.units.values(), unit.get("numbers", {}).get("squad")
                )
            elif (
                was
                and unit
                and unit.get("numbers", {}).get("men", 0) < was.get("numbers", {}).get("men", 0)
            ):
                yield unit["name"]


def _list_units_under_machine_guns(context: Context, happened: list[Json]) -> Iterator[str]:
    """The units of the men who were fired at by a medium or heavy machine gun this turn."""
    for event in happened:
        used = event.get("used", ())
        acting = event.get("acting", ())
        typed = " ".join(
            str(value)
            for key, value in event.get("inputs", {}).items()
            if not key.startswith("target")
        )
        arms = [
            typed,
            *(
                str(unit.get("numbers", {}).get("weapon"))
                for unit in used
                if unit["name"] in acting
            ),
        ]
        if event["kind"] == "sequence" and any(weapon in arm for weapon in HEAVY for arm in arms):
            for unit in used:
                if unit["name"] not in acting:
                    yield from list_linked_names(
                        context.game.units.values(), unit.get("numbers", {}).get("squad")
                    )


_SINCE = {"lost": _list_units_with_losses, "met": _list_units_under_machine_guns}


def remember_play_channel(context: Context) -> None:
    """Remember that whoever asks plays from here."""
    where = context.command.where.key
    user = context.command.who.key
    context.commit.docs.append(
        Doc(SEAT, f"{context.ledger.row}/{user}", {"place": where}, None, user)
    )


async def call_sides(
    context: Context,
    game: Game,
    sides: Collection[str],
    *,
    all_of_them: bool = False,
    spares: bool = True,
) -> tuple[str, ...]:
    """Whom the answer calls here: the players of these sides but whoever acts (unless
    `all_of_them`) and, if it `spares` them, those who are there. Those elsewhere are called there.
    """
    persons = context.ledger.persons
    rows = [persons.get(person) for person, side in game.players.items() if side in sides]
    asks = "" if all_of_them else context.command.who.key
    users = [
        row.user for row in rows if row is not None and not is_imported(row) and row.user != asks
    ]
    events = await context.load_recent_events(SEEN_BACK) if spares and users else ()
    acted = {event["who"] for event in events if event["at"] > context.now - PRESENT}
    there = {row.user for person, row in persons.items() if person in acted}
    context.named_without_ping = tuple(user for user in users if user in there)
    return await call_users(context, (user for user in users if user not in there), but=asks)


def add_uncalled_players(context: Context, title: str) -> str:
    """A headline that names, in its bold letters, those who have the go and are not called; not
    a question.
    """
    names = [
        row.name
        for row in context.ledger.persons.values()
        if row.user in context.named_without_ping
    ]
    return (
        f"{title}, {' and '.join(names)}"
        if names and len(context.game.go) == 1 and title[-1] != "?"
        else title
    )


async def call_users(
    context: Context, users: Iterable[str], but: str | None = None
) -> tuple[str, ...]:
    """Whom of these people the answer calls here, but for whoever asks; the others are called
    where they play.
    """
    here = context.command.where.key
    context.called = context.called or {}
    for user in dict.fromkeys(users):
        if user != (context.command.who.key if but is None else but) and (
            place := await find_channel_of_user(context, user)
        ):
            context.called[place] = (*context.called.get(place, ()), user)
    return context.called.get(here, ())


async def find_channel_of_user(context: Context, user: str) -> str:
    """The channel of the game in which somebody is called: where they joined, else the first
    that they can be in.
    """
    places = dict.fromkeys((context.command.where.key, *context.ledger.places))
    within = f"{user.rpartition('/')[0]}/" if "/" in user else f"{user.partition(':')[0]}:"
    fitting = [place for place in places if place.startswith(within)]
    if (
        len(fitting) > 1
        and (seat := await context.store.load_doc(SEAT, f"{context.ledger.row}/{user}")) is not None
    ):
        fitting = [place for place in fitting if place == seat.data["place"]] or fitting
    return fitting[0] if fitting else ""
