"""Reminders: pings for a player who has had the move for a long time, as the player has set them.

At most three per move, none in the player's quiet hours, and none for a move that has passed on. A
player who was active when the move came, and was therefore not pinged, gets the first one even
without settings. The next reminder is stored in the commit that brings the move, and replaced in
the one that sends a reminder. Deadlines of a game are stored as due rows too, see bot/commands/due_rows.py.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from bot.commands.by_post.choose import CHOICE, WAIT
from bot.commands.by_post.missed_events import summarize_event
from bot.commands.by_post.my_games import MOST_SHOWN, load_own_games
from bot.commands.by_post.orders import OPENS
from bot.commands.context import Amendment, Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.turns.mentions import find_channel_of_user
from bot.commands.turns.turn_card import format_phase
from bot.game.cups import is_drawn_next
from bot.game.events import OUTCOMES, list_effective_events
from bot.game.ledger import Ledger
from bot.game.loaded_game import LoadedGame, is_imported
from bot.game.state import Game, Json
from bot.loading.load_game import load_game_by_id
from bot.outbox.waiting_answers import GOOD_UNTIL, INSTEAD
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.normalize import comparison_key, normalize_value
from bot.rules.text.phrase import Phrase, phrase
from bot.storage.base import DAY
from bot.storage.records import Doc, DueRow, Outgoing
from bot.storage.store import Store
from bot.ui.common_options import build_optional
from bot.ui.reply.parts import Part, Small, build_relative_date
from bot.ui.reply.reply import LINK, OPEN_FORM, OVER, WAITING, Button, Reply
from bot.ui.typing.complete import find_zone, list_zones

WISHES = "wishes"
"""Kind of the documents with a user's reminder settings, by user key."""
HOUR = 3600.0
HOURS_BETWEEN = 4
"""Hours between two reminders if the user has not set any."""
CHANNEL, DIRECT = "channel", "dm"
MORNING = 9
"""The hour to which *Tomorrow* puts a reminder off, in the user's time zone."""
ASKING = ("interval", "where")
"""Options that ask for reminders. The others only say when the user is asleep, for any reminder and
for the hours that two players share.
"""
_INTERVAL = re.compile(r"(\d{1,3})\s*h?(ours?)?", re.IGNORECASE)
_QUIET = re.compile(
    r"(\d{1,2})(?::([0-5]\d))?\s*(?:-|to)\s*(\d{1,2})(?::([0-5]\d))?", re.IGNORECASE
)
_MIDNIGHT = 24 * 60
REMIND = "remind"

FIRST_REMINDER_SECONDS = 300.0
"""Seconds from the start of a move to the first reminder."""
MOST_REMINDERS = 3
LATE = 1800.0
"""Seconds after which a reminder says that it is late."""
MAX_EVENTS_OF_REMINDER = 60
"""Latest events that a reminder looks at."""
SNOOZES = {"4h": "In 4 hours", "1d": "Tomorrow", "off": "Stop"}


class ReminderSettings(NamedTuple):
    """How a user wants to be reminded.

    `interval` is in hours, 0 for no reminders. `quiet` is empty or (start, end) in minutes of the
    day, in the time zone `zone`. `where` is CHANNEL or DIRECT. All times are Unix seconds.
    """

    interval: int = 0
    quiet: tuple[int, ...] = (22 * 60, 7 * 60)
    zone: str = "UTC"
    where: str = CHANNEL
    has_zone: bool = False
    """Whether the user has set the time zone."""
    is_chosen: bool = False
    """Whether the user has asked for reminders, or for none."""

    def build_doc(self, user: str) -> Doc:
        """Return the document that stores the settings of this user."""
        return Doc(WISHES, user, self._asdict(), None, user)

    def get_local_time(self, timestamp: float) -> datetime:
        """Return the time in the user's time zone."""
        return datetime.fromtimestamp(timestamp, ZoneInfo(self.zone))

    def is_quiet(self, timestamp: float) -> bool:
        """Return whether the time is within the quiet hours."""
        if not self.quiet or self.quiet[0] == self.quiet[1]:
            # Quiet hours of a whole day would never end.
            return False
        start, end = self.quiet
        local_time = self.get_local_time(timestamp)
        minute = local_time.hour * 60 + local_time.minute
        if start < end:
            return start <= minute < end
        return minute >= start or minute < end

    def skip_quiet_hours(self, timestamp: float) -> float:
        """Return the time, or the end of the quiet hours that it is in."""
        # A loop, because a clock that is put forward may leave out the end of the quiet hours.
        while self.is_quiet(timestamp):
            end = self.find_next_time(timestamp, self.quiet[1])
            timestamp = min(end, timestamp + DAY)
        return timestamp

    def get_tomorrow_morning(self, timestamp: float) -> float:
        """Return MORNING o'clock of the next day, or the end of the quiet hours after it."""
        tomorrow = self.get_local_time(timestamp).date() + timedelta(days=1)
        morning = datetime.combine(tomorrow, time(MORNING), ZoneInfo(self.zone))
        return self.skip_quiet_hours(morning.timestamp())

    def find_next_time(self, timestamp: float, minute: int) -> float:
        """Return the next time at which the user's clock shows this minute of the day."""
        zone = ZoneInfo(self.zone)
        today = self.get_local_time(timestamp).date()
        clock_time = time(minute // 60, minute % 60)
        candidates = (
            datetime.combine(today + timedelta(days=days), clock_time, zone).timestamp()
            for days in range(3)
        )
        return next(candidate for candidate in candidates if candidate > timestamp)

    def format_lines(self) -> list[str]:
        """Return the settings in sentences for the user."""
        if not self.interval:
            lines = ["You're pinged once when it's your move, with no reminders"]
            return [*lines, self.format_quiet_hours()] if self.has_zone else lines
        delay = f"{self.interval} hours"
        frequency = f"every {self.interval} hours"
        if self.interval == 1:
            delay = "an hour"
            frequency = "every hour"
        channel = "direct message" if self.where == DIRECT else "in the game's channel"
        return [
            f"After {FIRST_REMINDER_SECONDS / 60:.0f} minutes, or {delay} after your last move; "
            f"then {frequency}, at most {MOST_REMINDERS} times",
            self.format_quiet_hours(),
            f"Where: {channel}",
        ]

    def format_quiet_hours(self) -> str:
        """Return `Quiet hours: 22:00 to 07:00, Europe/Berlin`, or that there are none."""
        if not self.quiet:
            return "Quiet hours: none"
        start, end = self.quiet
        return f"Quiet hours: {format_clock(start)} to {format_clock(end)}, {self.zone}"


def format_clock(minute: int) -> str:
    """Format a minute of the day as a clock shows it: `22:30`."""
    return f"{minute // 60:02}:{minute % 60:02}"


async def load_reminder_settings(store: Store, user: str) -> ReminderSettings:
    """Load the reminder settings of a user. A user without any gets no reminders."""
    doc = await store.load_doc(WISHES, user)
    if doc is None:
        return ReminderSettings()
    return _read_settings(doc)


async def _load_new_settings(context: Context, user: str) -> ReminderSettings:
    """Return the reminder settings of a user as they are after the command."""
    for doc in context.commit.docs:
        if (doc.kind, doc.key) == (WISHES, user):
            return _read_settings(doc)
    return await load_reminder_settings(context.store, user)


def _read_settings(doc: Doc) -> ReminderSettings:
    values = {"has_zone": doc.data["zone"] != "UTC", "is_chosen": True, **doc.data}
    return ReminderSettings(**{**values, "quiet": tuple(doc.data["quiet"])})


def apply_options(settings: ReminderSettings, options: Mapping[str, Any]) -> ReminderSettings:
    """Return the settings with the typed options. Raises UserError for one that cannot be read.

    Only options that ask for reminders switch them on, with the default interval unless one is
    typed: a time zone alone does not.
    """
    values = {name: parse(options[name]) for name, parse in _PARSERS.items() if options[name]}
    values["has_zone"] = settings.has_zone or "zone" in values
    if not values.keys().isdisjoint(ASKING):
        values = {"interval": settings.interval or HOURS_BETWEEN, **values, "is_chosen": True}
    return settings._replace(**values)


def _parse_interval(typed: str) -> int:
    """Return the typed number of hours, 0 for `off`. Raises UserError unless it is 1 to 168."""
    if comparison_key(typed) in ("off", "0", "no", "never"):
        return 0
    match = _INTERVAL.fullmatch(normalize_value(typed))
    if match is None or not 1 <= int(match[1]) <= 168:
        raise UserError(
            f'"{typed[:40]}" is not a number of hours from 1 to 168.',
            hint="For example 4h; off for none.",
            option="interval",
            code="bad-value",
        )
    return int(match[1])


def _parse_quiet_hours(typed: str) -> tuple[int, ...]:
    """Return the typed quiet hours, such as `22:30-7`, as (start, end) in minutes of the day; ()
    for `off`.

    Raises UserError if they cannot be read, or if start and end are equal.
    """
    if comparison_key(typed) in ("off", "no", "none", "never"):
        return ()
    error = UserError(
        f'"{typed[:40]}" is not a range of hours in a day.',
        hint="For example 22-7, or 22:30-6:45; off for none.",
        option="quiet",
        code="bad-value",
    )
    match = _QUIET.fullmatch(normalize_value(typed))
    if match is None:
        raise error
    start = int(match[1]) * 60 + int(match[2] or 0)
    end = int(match[3]) * 60 + int(match[4] or 0)
    if max(start, end) > _MIDNIGHT or start % _MIDNIGHT == end % _MIDNIGHT:
        raise error
    return start % _MIDNIGHT, end % _MIDNIGHT


def _parse_zone(typed: str) -> str:
    """Return the name of the typed time zone. Raises UserError if there is none."""
    name = find_zone(typed)
    if name:
        return name
    hint = did_you_mean(typed, list_zones()) or "For example Europe/Berlin or America/New_York."
    raise UserError(
        f'There is no time zone "{typed[:40]}".', hint=hint, option="zone", code="bad-value"
    )


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "interval": _parse_interval,
    "quiet": _parse_quiet_hours,
    "zone": _parse_zone,
    "where": str,
}


@declare_command("me show", "How you're reminded when it's your move", private=True)
async def show_reminder_settings(context: Context) -> Reply:
    """Show the user's reminder settings to the user alone, for `/me show`."""
    settings = await load_reminder_settings(context.store, context.command.who.key)
    title = "Reminders are on" if settings.interval else "Reminders are off"
    advice = phrase(
        "Press the button, or type `/me ping interval=4h quiet=22-7 zone=Europe/Berlin`."
    )
    return Reply(
        title,
        (*settings.format_lines(), advice),
        private=True,
        buttons=(
            Button(f"{OPEN_FORM}me ping", "Set reminders…"),
            Button("mygames:", "My games"),
        ),
    )


@declare_command(
    "me ping",
    "Get reminders when it's your move, but never in your quiet hours",
    build_optional("interval", "hours between reminders: 4h; off for none"),
    build_optional("quiet", "hours without reminders: 22-7; off for none"),
    build_optional("zone", "your time zone: Europe/Berlin", complete="zone"),
    build_optional(
        "where",
        "in the game's channel, or by direct message",
        type="enum",
        values=("channel", "dm"),
    ),
    example="interval=4h quiet=22-7 zone=Europe/Berlin",
    private=True,
)
async def change_reminder_settings(context: Context) -> Reply:
    """Change the user's reminder settings and reschedule their reminders, for `/me ping`.

    Without an option, show the settings. Raises UserError for an option that cannot be read.
    """
    options = context.clean_options()
    if not any(options.values()):
        return await show_reminder_settings(context)
    user = context.command.who.key
    settings = apply_options(await load_reminder_settings(context.store, user), options)
    context.commit.docs.append(settings.build_doc(user))
    reminder_lines: list[Part] = []
    for loaded in await load_own_games(context):
        dropped_row, due_row = await reschedule_reminder(context, loaded, user, settings)
        context.commit.drop_due.append(dropped_row)
        if due_row is not None:
            context.commit.due.append(due_row)
            text = f"It's your move in {loaded.game.name}: your first reminder comes "
            reminder_lines.append(Phrase(text, build_relative_date(due_row.at), "."))
    lines = [*settings.format_lines(), *reminder_lines[:MOST_SHOWN]]
    if settings.quiet and not settings.has_zone:
        lines.append(phrase("Set your time zone: `/me ping zone=Europe/Berlin`"))
    title = "You'll get reminders" if settings.interval else "You won't get reminders"
    if not settings.interval and not any(options[name] for name in ASKING):
        title = "Your hours are saved; reminders stay off"
        lines = [
            settings.format_quiet_hours(),
            phrase("To get reminders: `/me ping interval=4h`"),
        ]
    return Reply(title, tuple(lines), private=True)


def list_waiting_players(game: Game) -> dict[str, int]:
    """Return the persons for whom the game waits, with the time since which (Unix seconds).

    These are the players of sides that must choose. Without a pending choice, they are the players
    of the sides that have the move. Only the fields of a game in `WAITED` are read, because no
    other change updates reminders.
    """
    if not game.started or game.ended:
        return {}
    times_by_side = dict.fromkeys(game.go, game.go_since) if game.go_since else {}
    choice_times = {
        choice.get("side", ""): int(choice["due"] - WAIT) for choice in game.waits.values()
    }
    if choice_times:
        times_by_side = choice_times
    return {
        person: times_by_side[side]
        for person, side in game.players.items()
        if side in times_by_side
    }


async def update_reminders(context: Context, ledger: Ledger, game_before: Game) -> None:
    """Schedule reminders for moves that came with a command, and drop those of moves that passed
    on.

    Reminders that were already posted for those are withdrawn or reworded. `game_before` is the
    ledger's game before the command.
    """
    waiting_before = list_waiting_players(game_before)
    waiting_after = list_waiting_players(ledger.game)
    for person, since in waiting_before.items():
        if waiting_after.get(person) != since:
            key = _build_key(ledger.row, person)
            topic = f"{key}-{since}"
            context.commit.drop_due.append((key, None))
            context.commit.withdraw.append(topic)
            new_form = partial(_build_expired_reminder, ledger.game.name)
            context.amendments.append(Amendment(topic, new_form, anywhere=True))
    for person, since in waiting_after.items():
        row = ledger.persons.get(person)
        if waiting_before.get(person) == since or row is None or is_imported(row):
            continue
        is_due = row.user in context.named_without_ping
        if not is_due:
            settings = await _load_new_settings(context, row.user)
            is_due = bool(settings.interval)
        if is_due:
            due_time = context.now + FIRST_REMINDER_SECONDS
            due_row = _build_due_row(ledger.row, person, since, row.user, due_time)
            context.commit.due.append(due_row)


def _build_expired_reminder(game_name: str, _reply: Reply | None) -> Reply:
    """Return the new form of a reminder of a move that has passed on."""
    return Reply(f"{game_name} is waiting for you", over="No longer your move", tone=OVER)


def _build_key(game: str, person: str) -> str:
    """Return the storage key of a person's reminder in the game with the row `game`."""
    return f"{game}/{REMIND}-{person}"


def _build_due_row(
    game: str, person: str, since: int, user: str, due_time: float, count: int = 0
) -> DueRow:
    """Return the stored reminder of a person's move in the game with the row `game`.

    `since` and `due_time` are in Unix seconds, `count` is the number of reminders sent so far.
    """
    data = {"person": person, "since": since, "count": count}
    return DueRow(_build_key(game, person), due_time, REMIND, data, user)


async def reschedule_reminder(
    context: Context, loaded: LoadedGame, user: str, settings: ReminderSettings
) -> tuple[tuple[str, None], DueRow | None]:
    """Return the reminder to drop and the one to store, because the user's settings have changed.

    The second is None if the game does not wait for the user, is not played anywhere, or if the
    user wants no reminders.
    """
    row = loaded.find_person(user)
    person = row.person if row is not None else ""
    dropped_row = (_build_key(loaded.row, person), None)
    since = list_waiting_players(loaded.game).get(person)
    if not (since and settings.interval and loaded.places):
        return dropped_row, None
    last_act = _find_last_act(await _load_latest_events(context, loaded.row), person)
    due_time = context.now + FIRST_REMINDER_SECONDS
    if last_act:
        due_time = max(last_act + settings.interval * HOUR, context.now)
    due_time = settings.skip_quiet_hours(due_time)
    return dropped_row, _build_due_row(loaded.row, person, since, user, due_time)


async def send_reminder(context: Context, row: DueRow) -> None:
    """Send a reminder that is due, and store the next one.

    Nothing happens if the move has passed on. If the user has acted since or the quiet hours have
    begun, the reminder is put off; without reminder settings, it is dropped if the user has acted.
    """
    context.commit.drop_due.append((row.key, row.at))
    person = row.data["person"]
    since = row.data["since"]
    waiting_since = list_waiting_players(context.game).get(person)
    if context.ledger.row != row.game or waiting_since != since:
        return
    settings = await load_reminder_settings(context.store, row.owner)
    now = context.now
    events = await _load_latest_events(context, row.game)
    last_act = _find_last_act(events, person)
    if last_act and not settings.interval:
        return
    due_time = now
    if last_act:
        due_time = max(last_act + settings.interval * HOUR, now)
    due_time = settings.skip_quiet_hours(due_time)
    if due_time > now:
        context.commit.due.append(row._replace(at=due_time))
        return
    count = row.data["count"] + 1
    if count < MOST_REMINDERS and settings.interval:
        next_time = settings.skip_quiet_hours(now + settings.interval * HOUR)
        next_data = {**row.data, "count": count}
        context.commit.due.append(row._replace(at=next_time, data=next_data))
    await _post_reminder(context, row, settings, events, count)


async def _post_reminder(
    context: Context,
    row: DueRow,
    settings: ReminderSettings,
    events: Mapping[int, Json],
    count: int,
) -> None:
    """Post reminder number `count` in the game's channel, or as a direct message.

    The first direct message goes to the channel if the user's direct messages are closed. Nothing
    is posted if no channel of the game is known for the user. `events` are the latest, by number.
    """
    now = context.now
    is_direct = settings.where == DIRECT
    channel = await find_channel_of_user(context, row.owner)
    link = channel if is_direct else ""
    shown_count = count if settings.interval else 0
    reply = await _build_reminder(context, row, shown_count, events, link)
    expires = now + HOUR
    if settings.quiet:
        expires = min(settings.find_next_time(now, settings.quiet[0]), expires)
    delivery: Json = {GOOD_UNTIL: expires}
    if is_direct and channel and count == 1:
        delivery[INSTEAD] = channel
    target = row.owner if is_direct else channel
    if target:
        topic = f"{row.key}-{row.data['since']}"
        context.commit.outbox.append(Outgoing(target, delivery, 0.0, reply.to_json(), topic))


CHOICE_CAME = "you were asked to choose "
CHIT_CAME = "any side may draw the next chit, which was due "
YOUR_MOVE_CAME = "it became your move "


def _find_last_act(events: Mapping[int, Json], person: str) -> int:
    """Return the time (Unix seconds) of the person's last event in the present move, or of the
    event by which they brought it on themselves. Return 0 if there is none.

    `events` are the latest by number, newest first.
    """
    for event in events.values():
        if event["who"] == person:
            return int(event["at"])
        changes = (event.get("after") or {}).get("game") or {}
        if event["kind"] in ("next", "pass") or "go" in changes:
            return 0
    return 0


async def _build_reminder(
    context: Context, row: DueRow, count: int, events: Mapping[int, Json], link: str
) -> Reply:
    """Return reminder number `count`, with the last result in the game and buttons to snooze.

    With `count` 0 it is the only ping for a user without reminder settings, and has no such buttons.
    `link` is the channel of the game if the reminder is a direct message, or "".
    """
    game = context.game
    lines: list[Part] = []
    for event in list_effective_events(events.values()):
        if event["kind"] in OUTCOMES and event.get("result"):
            title, _ = await summarize_event(context, event)
            lines.append(f"Last: {title} · #{event['number']}")
            break
    lines.append(format_phase(game, context.system))
    if context.now - row.at > LATE:
        lines.append(Small("Late: Grognard was not running when this was due."))
    buttons = []
    if link:
        buttons.append(Button(f"goto:{link}", "Open the game", LINK))
    if count:
        prefix = f"snooze:{context.ledger.row}:{row.data['person']}"
        buttons += [Button(f"{prefix}:{delay}", label) for delay, label in SNOOZES.items()]
    cause = YOUR_MOVE_CAME
    if game.waits:
        cause = CHOICE_CAME
    elif is_drawn_next(game):
        cause = CHIT_CAME
    return Reply(
        f"{game.name} is waiting for you",
        tuple(lines),
        by=Phrase(cause, build_relative_date(row.data["since"])),
        footer=(f"Reminder {count} of {MOST_REMINDERS}",) if count else (),
        mention=() if link else (row.owner,),
        tone=WAITING,
        buttons=tuple(buttons),
    )


async def _load_latest_events(context: Context, game: str) -> dict[int, Json]:
    """Load the latest events of the game with the row `game` by number, newest first."""
    rows = await context.store.load_events(game, limit=MAX_EVENTS_OF_REMINDER, newest_first=True)
    return {row.number: row.data for row in rows}


@declare_button("snooze")
async def press_snooze(context: Context, game: str, person: str, delay: str) -> Reply:
    """Put the next reminder off, or stop the reminders of this move, by a button of a reminder.

    `delay` is a key of `SNOOZES`. Raises UserError if the game is gone, and for another user than the
    one who was reminded.
    """
    loaded = await load_game_by_id(context.store, game)
    row = loaded.persons.get(person) if loaded is not None else None
    if loaded is None or row is None or delay not in SNOOZES:
        raise UserError("This reminder is for a game that is no longer saved.", code="used-up")
    if row.user != context.command.who.key:
        raise UserError("Only the person who got the reminder can do that.", code="not-yours")
    since = list_waiting_players(loaded.game).get(person)
    if since is None:
        return Reply("It's no longer your move", private=True, tone=OVER)
    key = _build_key(game, person)
    title = f"{loaded.game.name} is waiting for you"
    cause = Phrase(YOUR_MOVE_CAME, build_relative_date(since))
    if delay == "off":
        context.commit.drop_due.append((key, None))
        lines = ("No more reminders for this move.",)
        return Reply(title, lines, by=cause, tone=OVER, in_place=True)
    settings = await load_reminder_settings(context.store, row.user)
    if delay == "1d":
        due_time = settings.get_tomorrow_morning(context.now)
    else:
        due_time = settings.skip_quiet_hours(context.now + 4 * HOUR)
    due_row = await context.store.load_due_at(key)
    count = due_row.data["count"] if due_row is not None else MOST_REMINDERS - 1
    new_row = _build_due_row(game, person, since, row.user, due_time, count)
    context.commit.due.append(new_row)
    stop_button = Button(f"snooze:{game}:{person}:off", SNOOZES["off"])
    line = Phrase("Your next reminder comes ", build_relative_date(due_time), ".")
    return Reply(title, (line,), by=cause, tone=WAITING, buttons=(stop_button,), in_place=True)


async def update_reminders_and_deadlines(context: Context) -> None:
    """Store the reminders and deadlines of the games that the command has changed, and drop those
    that no longer hold.

    Only games that are or were started count. If the command brings a game into a channel, all of
    its rows are stored, because they may have been handled while the game was put aside.
    """
    for ledger in (*context.other_ledgers, context.ledger):
        if not ledger.has_events or not (ledger.game.started or ledger.game_before.started):
            continue
        is_brought_in = any(binding.game == ledger.row for binding in context.commit.bindings)
        game_before = Game("") if is_brought_in else ledger.game_before
        await update_reminders(context, ledger, game_before)
        deadlines_before = list_deadlines(game_before)
        deadlines_after = list_deadlines(ledger.game)
        for key, deadline in deadlines_after.items():
            if deadlines_before.get(key) != deadline:
                due_time, kind, data = deadline
                row_data = data | {"person": ledger.bodies[-1]["who"]}
                row = DueRow(f"{ledger.row}/{key}", due_time, kind, row_data)
                context.commit.due.append(row)
        for key in deadlines_before.keys() - deadlines_after.keys():
            context.commit.drop_due.append((f"{ledger.row}/{key}", None))


def list_deadlines(game: Game) -> dict[str, tuple[float, str, dict[str, Any]]]:
    """Return the game's deadlines by key, as (Unix seconds, kind, data): when orders open and when
    each pending choice is due.
    """
    deadlines: dict[str, tuple[float, str, dict[str, Any]]] = {}
    if game.orders_due:
        deadlines[OPENS] = (float(game.orders_due), OPENS, {})
    for number, choice in game.waits.items():
        deadlines[f"{CHOICE}-{number}"] = (float(choice["due"]), CHOICE, {"event": number})
    return deadlines
