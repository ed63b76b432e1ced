"""Reminders: who has kept a go for long is called again, as they wish; never twice, never at night,
never for a go that has passed on. Who was there when the go came, and was not called, is called by
the first one.

What is due is stored in the commit that brings the go, and replaced in the one that reminds. How
somebody wishes it (how often, in which clock, where) is a document of theirs. Whatever else is due
in a game is laid down as it changes, and seen to by a command of nobody's, run once for each
moment."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from bot.commands.by_post.choose import CHOICE, WAIT
from bot.commands.by_post.choose import choose_default as choose_else
from bot.commands.by_post.missed_events import summarize_event
from bot.commands.by_post.my_games import MOST_SHOWN, load_own_games
from bot.commands.by_post.orders import OPENS, open_at_deadline
from bot.commands.context import Amendment, Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.requests import LAPSES, expire_request
from bot.commands.turns.mentions import find_channel_of_user
from bot.commands.turns.turn_card import format_phase
from bot.game.cups import is_drawn_next
from bot.game.events import OUTCOMES, list_effective_events
from bot.game.game_cache import LoadedGame, is_imported, load_game_by_id
from bot.game.ledger import Ledger
from bot.game.state import Game, Json
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
"""Documents with a person's own wishes, by their key."""
HOUR = 3600.0
HOURS_BETWEEN = 4
"""Between two reminders, where nobody said otherwise."""
CHANNEL, DIRECT = "channel", "dm"
MORNING = 9
"""The hour of tomorrow's reminder."""
_INTERVAL = re.compile(r"(\d{1,3})\s*h?(ours?)?", re.IGNORECASE)
_QUIET = re.compile(
    r"(\d{1,2})(?::([0-5]\d))?\s*(?:-|to)\s*(\d{1,2})(?::([0-5]\d))?", re.IGNORECASE
)
_MIDNIGHT = 24 * 60
REMIND = "remind"
_TOLD = OUTCOMES
FIRST = 300.0
"""Seconds until the first reminder."""
MOST_REMINDERS = 3
LATE = 1800.0
"""Seconds after which a reminder says that it is late."""
READ_BACK = 60
SNOOZES = {"4h": "In 4 hours", "1d": "Tomorrow", "off": "Stop"}


class ReminderSettings(NamedTuple):
    """How somebody wishes to be reminded. `interval` is in hours, 0 for no reminders; `quiet` is
    from and to in minutes of the day, empty for none; `zone` is theirs."""

    interval: int = 0
    quiet: tuple[int, ...] = (22 * 60, 7 * 60)
    zone: str = "UTC"
    where: str = CHANNEL

    def build_doc(self, user: str) -> Doc:
        """As the store keeps it."""
        return Doc(WISHES, user, self._asdict(), None, user)

    def get_local_time(self, at: float) -> datetime:
        """A moment in the person's own clock."""
        return datetime.fromtimestamp(at, ZoneInfo(self.zone))

    def is_quiet(self, at: float) -> bool:
        """Return whether that is in the quiet hours."""
        if not self.quiet or self.quiet[0] == self.quiet[1]:
            # a day without an end would never be over
            return False
        local, (first, last) = self.get_local_time(at), self.quiet
        minute = local.hour * 60 + local.minute
        return first <= minute < last if first < last else not last <= minute < first

    def skip_quiet_hours(self, at: float) -> float:
        """That moment, or the end of the quiet hours in which it is."""
        while self.is_quiet(at):  # a clock that is put forward may leave out the very end
            at = min(self.find_next_time(at, self.quiet[1]), at + DAY)
        return at

    def get_tomorrow_morning(self, at: float) -> float:
        """Tomorrow morning."""
        day = self.get_local_time(at).date() + timedelta(days=1)
        return self.skip_quiet_hours(
            datetime.combine(day, time(MORNING), ZoneInfo(self.zone)).timestamp()
        )

    def find_next_time(self, at: float, minute: int) -> float:
        """When the person's clock next shows so many minutes of the day."""
        zone = ZoneInfo(self.zone)
        day = self.get_local_time(at).date()
        found = (
            datetime.combine(
                day + timedelta(days=more), time(minute // 60, minute % 60), zone
            ).timestamp()
            for more in range(3)
        )
        return next(moment for moment in found if moment > at)

    def format_lines(self) -> list[str]:
        """The wishes in words."""
        if not self.interval:
            return ["You're pinged once when it's your move, with no reminders"]
        first = "an hour" if self.interval == 1 else f"{self.interval} hours"
        every = "every hour" if self.interval == 1 else f"every {self.interval} hours"
        quiet = (
            f"{format_clock(self.quiet[0])} to {format_clock(self.quiet[1])}, {self.zone}"
            if self.quiet
            else "none"
        )
        where = "direct message" if self.where == DIRECT else "in the game's channel"
        return [
            f"After {FIRST / 60:.0f} minutes, or {first} after your last move; "
            f"then {every}, {MOST_REMINDERS} times at most",
            f"Quiet hours: {quiet}",
            f"Where: {where}",
        ]


def format_clock(minute: int) -> str:
    """Minutes of the day as a clock shows them."""
    return f"{minute // 60:02}:{minute % 60:02}"


async def load_reminder_settings(store: Store, user: str) -> ReminderSettings:
    """What somebody wishes; no reminders where they never said."""
    doc = await store.load_doc(WISHES, user)
    if doc is None:
        return ReminderSettings()
    return ReminderSettings(**{**doc.data, "quiet": tuple(doc.data["quiet"])})


def apply_options(wishes: ReminderSettings, options: Mapping[str, Any]) -> ReminderSettings:
    """The wishes with what was typed. Raises UserError."""
    given = {name: read(options[name]) for name, read in _READ.items() if options[name]}
    return wishes._replace(**{"interval": wishes.interval or HOURS_BETWEEN, **given})


def _parse_interval(typed: str) -> int:
    if comparison_key(typed) in ("off", "0", "no", "never"):
        return 0
    found = _INTERVAL.fullmatch(normalize_value(typed))
    if found is None or not 1 <= int(found[1]) <= 168:
        what = f'"{typed[:40]}" cannot be read as hours: 1 to 168.'
        raise UserError(
            what, hint="For example 4h; off for none.", option="interval", code="bad-value"
        )
    return int(found[1])


def _parse_quiet_hours(typed: str) -> tuple[int, ...]:
    if comparison_key(typed) in ("off", "no", "none", "never"):
        return ()
    found = _QUIET.fullmatch(normalize_value(typed))
    first, last = (
        (int(found[at]) * 60 + int(found[at + 1] or 0) for at in (1, 3)) if found else (-1, -1)
    )
    inside = 0 <= first <= _MIDNIGHT and 0 <= last <= _MIDNIGHT
    if found is None or not inside or first % _MIDNIGHT == last % _MIDNIGHT:
        what = f'"{typed[:40]}" cannot be read as hours of the day.'
        raise UserError(
            what,
            hint="For example 22-7, or 22:30-6:45; off for none.",
            option="quiet",
            code="bad-value",
        )
    return first % _MIDNIGHT, last % _MIDNIGHT


def _parse_zone(typed: str) -> str:

    if name := find_zone(typed):
        return name
    hint = did_you_mean(typed, list_zones()) or "For example Europe/Berlin or America/New_York."
    raise UserError(
        f'There is no time zone "{typed[:40]}".', hint=hint, option="zone", code="bad-value"
    )


_READ: Mapping[str, Callable[[str], Any]] = {
    "interval": _parse_interval,
    "quiet": _parse_quiet_hours,
    "zone": _parse_zone,
    "where": str,
}


@declare_command("me show", "How you are reminded when it's your move", private=True)
async def show_reminder_settings(context: Context) -> Reply:
    """`/me show`: what somebody wishes."""
    wishes = await load_reminder_settings(context.store, context.command.who.key)
    title = "Reminders are on" if wishes.interval else "Reminders are off"
    own = Button("mygames:", "My games")
    return Reply(
        title,
        (
            *wishes.format_lines(),
            phrase(
                "Press the button, or type `/me ping interval=4h quiet=22-7 zone=Europe/Berlin`."
            ),
        ),
        private=True,
        buttons=(Button(f"{OPEN_FORM}me ping", "Set reminders…"), own),
    )


@declare_command(
    "me ping",
    "Be reminded when it's your move, never in your quiet hours",
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
    """`/me ping`: how and how often to be reminded; alone: how it is now."""
    options = context.clean_options()
    if not any(options.values()):
        return await show_reminder_settings(context)
    user = context.command.who.key
    wishes = apply_options(await load_reminder_settings(context.store, user), options)
    context.commit.docs.append(wishes.build_doc(user))
    now: list[Part] = []
    for loaded in await load_own_games(context):
        gone, comes = await reschedule_reminder(context, loaded, user, wishes)
        context.commit.drop_due.append(gone)
        if comes is not None:
            context.commit.due.append(comes)
            now.append(
                Phrase(
                    f"It's your move in {loaded.game.name}: the first reminder comes ",
                    build_relative_date(comes.at),
                    ".",
                )
            )
    zone = (
        []
        if options["zone"] or wishes.zone != "UTC"
        else [phrase("Your time zone: `/me ping zone=Europe/Berlin`")]
    )
    title = "You will be reminded" if wishes.interval else "You will not be reminded"
    zone = zone if wishes.interval and wishes.quiet else []
    return Reply(title, (*wishes.format_lines(), *now[:MOST_SHOWN], *zone), private=True)


def list_waiting_players(game: Game) -> dict[str, int]:
    """Who has the go, or is asked to choose, which comes first; and since when."""
    if not game.started or game.ended:
        return {}
    asked = {asks.get("side", ""): int(asks["due"] - WAIT) for asks in game.waits.values()}
    go = dict.fromkeys(game.go if game.go_since else (), game.go_since)
    return {
        person: (asked or go)[side]
        for person, side in game.players.items()
        if side in (asked or go)
    }


async def update_reminders(context: Context, ledger: Ledger, was: Game) -> None:
    """What a command means for reminders: those of a go that came are laid down, those of one
    that passed on go.
    """
    before = list_waiting_players(was)
    after = list_waiting_players(ledger.game)
    for person, since in before.items():
        if after.get(person) != since:
            about = f"{_build_key(ledger.row, person)}-{since}"
            context.commit.drop_due.append((_build_key(ledger.row, person), None))
            context.commit.withdraw.append(about)
            context.amendments.append(
                Amendment(about, partial(_build_expired_reminder, ledger.game.name), anywhere=True)
            )
    for person, since in after.items():
        row = ledger.persons.get(person)
        if before.get(person) == since or row is None or is_imported(row):
            continue
        if (
            row.user in context.named_without_ping
            or (await load_reminder_settings(context.store, row.user)).interval
        ):
            context.commit.due.append(
                _build_due_row(ledger.row, person, since, row.user, context.now + FIRST)
            )


def _build_expired_reminder(game: str, _said: Reply | None) -> Reply:
    return Reply(f"{game} waits for you", over="Passed on", tone=OVER)


def _build_key(game: str, person: str) -> str:
    return f"{game}/{REMIND}-{person}"


def _build_due_row(
    game: str, person: str, since: int, user: str, at: float, count: int = 0
) -> DueRow:
    return DueRow(
        _build_key(game, person),
        at,
        REMIND,
        {"person": person, "since": since, "count": count},
        user,
    )


async def reschedule_reminder(
    context: Context, loaded: LoadedGame, user: str, wishes: ReminderSettings
) -> tuple[tuple[str, None], DueRow | None]:
    """What new wishes change in a game: the reminder that goes, and the one that comes, if it is
    their go.
    """
    row = loaded.find_person(user)
    person = row.person if row is not None else ""
    since = list_waiting_players(loaded.game).get(person)
    if not (since and wishes.interval and loaded.places):
        return (_build_key(loaded.row, person), None), None
    acted = _find_last_act(await _load_latest_events(context, loaded.row), person)
    at = wishes.skip_quiet_hours(
        max(acted + wishes.interval * HOUR, context.now) if acted else context.now + FIRST
    )
    return (_build_key(loaded.row, person), None), _build_due_row(
        loaded.row, person, since, user, at
    )


async def send_reminder(context: Context, row: DueRow) -> None:
    """Call somebody whose go it still is; what is due next is laid down."""
    context.commit.drop_due.append((row.key, row.at))
    game = context.game
    person = row.data["person"]
    data = row.data
    if context.ledger.row != row.game or list_waiting_players(game).get(person) != data["since"]:
        return
    wishes = await load_reminder_settings(context.store, row.owner)
    now = context.now
    events = await _load_latest_events(context, row.game)
    acted = _find_last_act(events, person)
    if acted and not wishes.interval:
        # they never asked for reminders, and were there when their go came
        return
    at = (
        wishes.skip_quiet_hours(max(acted + wishes.interval * HOUR, now) if acted else now)
        if wishes.interval
        else now
    )
    if at > now:
        context.commit.due.append(row._replace(at=at))
        return
    count = data["count"] + 1
    if count < MOST_REMINDERS and wishes.interval:
        following = wishes.skip_quiet_hours(now + wishes.interval * HOUR)
        context.commit.due.append(row._replace(at=following, data={**data, "count": count}))
    is_direct = wishes.where == DIRECT
    place = await find_channel_of_user(context, row.owner)
    reply = await _build_reminder(
        context, row, count if wishes.interval else 0, events, place if is_direct else ""
    )
    where = row.owner if is_direct else place
    way: Json = {
        GOOD_UNTIL: min(wishes.find_next_time(now, wishes.quiet[0]), now + HOUR)
        if wishes.quiet
        else now + HOUR
    }
    if is_direct and place and count == 1:
        # closed direct messages: they are called once where the game is
        way[INSTEAD] = place
    if where:
        about = f"{row.key}-{data['since']}"
        context.commit.outbox.append(Outgoing(where, way, 0.0, reply.to_json(), about))


_ASKED, _UNDRAWN = "you were asked to choose ", "any side may draw the next chit, asked for "
YOUR_MOVE_CAME = "it became your move "


def _find_last_act(events: Mapping[int, Json], person: str) -> int:
    """When somebody last did something with the go that they have, or brought it on themselves;
    0 for never.
    """
    for event in events.values():
        if event["who"] == person:
            return int(event["at"])
        if event["kind"] in ("next", "pass") or "go" in (
            (event.get("after") or {}).get("game") or {}
        ):
            return 0
    return 0


async def _build_reminder(
    context: Context, row: DueRow, count: int, events: Mapping[int, Json], link: str
) -> Reply:
    """Reminder `count`; 0 for the one call of somebody who wants none, and was there when their
    go came.
    """
    game = context.game
    late = context.now - row.at > LATE
    lines: list[Part] = []
    if (
        last := next(
            (
                one
                for one in list_effective_events(events.values())
                if one["kind"] in _TOLD and one.get("result")
            ),
            None,
        )
    ) is not None:
        lines.append(f"Last: {(await summarize_event(context, last))[0]} · #{last['number']}")
    lines.append(format_phase(game, context.system))
    if late:
        lines.append(Small("Late: Grognard was not running when this was due."))
    about = (context.ledger.row, row.data["person"])
    buttons = [Button(f"goto:{link}", "Open the game", LINK)] if link else []
    buttons += [
        Button(":".join(("snooze", *about, how)), label) for how, label in SNOOZES.items() if count
    ]
    return Reply(
        f"{game.name} waits for you",
        tuple(lines),
        by=Phrase(
            _ASKED if game.waits else _UNDRAWN if is_drawn_next(game) else YOUR_MOVE_CAME,
            build_relative_date(row.data["since"]),
        ),
        footer=(f"Reminder {count} of {MOST_REMINDERS}",) if count else (),
        mention=() if link else (row.owner,),
        tone=WAITING,
        buttons=tuple(buttons),
    )


async def _load_latest_events(context: Context, game: str) -> dict[int, Json]:
    rows = await context.store.load_events(game, limit=READ_BACK, newest_first=True)
    return {one.number: one.data for one in rows}


@declare_button("snooze")
async def press_snooze(context: Context, game: str, person: str, how: str) -> Reply:
    """The buttons under a reminder: later, tomorrow, or no more of them for this go. Raises
    UserError.
    """
    loaded = await load_game_by_id(context.store, game)
    row = loaded.persons.get(person) if loaded is not None else None
    if loaded is None or row is None or how not in SNOOZES:
        raise UserError("This reminder is of a game that is not kept any more.", code="used-up")
    if row.user != context.command.who.key:
        raise UserError("Only the person who was reminded can do that.", code="not-yours")
    since = list_waiting_players(loaded.game).get(person)
    key = _build_key(game, person)
    title = f"{loaded.game.name} waits for you"
    if since is None:
        return Reply("It's not your move any more", private=True, tone=OVER)
    came = Phrase(YOUR_MOVE_CAME, build_relative_date(since))
    if how == "off":
        context.commit.drop_due.append((key, None))
        return Reply(
            title, ("No more reminders for this move.",), by=came, tone=OVER, in_place=True
        )
    wishes = await load_reminder_settings(context.store, row.user)
    at = (
        wishes.get_tomorrow_morning(context.now)
        if how == "1d"
        else wishes.skip_quiet_hours(context.now + 4 * HOUR)
    )
    before = await context.store.load_due_at(key)
    count = before.data["count"] if before is not None else MOST_REMINDERS - 1
    context.commit.due.append(_build_due_row(game, person, since, row.user, at, count))
    stop = Button(f"snooze:{game}:{person}:off", SNOOZES["off"])
    told = Phrase("The next reminder comes ", build_relative_date(at), ".")
    return Reply(title, (told,), by=came, tone=WAITING, buttons=(stop,), in_place=True)


DONE = Reply("Seen to", private=True)


async def handle_due_row(context: Context) -> Reply:
    """See to what is due under a key, unless somebody has, or it was put off."""
    row = await context.store.load_due_at(str(context.command.options["key"]))
    if row is None or row.at != context.command.options["at"]:
        return DONE
    if row.kind in _DOES:
        await _DOES[row.kind](context, row)
    else:
        context.commit.drop_due.append((row.key, row.at))
    return DONE


_DOES = {
    REMIND: send_reminder,
    OPENS: open_at_deadline,
    CHOICE: choose_else,
    LAPSES: expire_request,
}
"""What is done when something of a kind is due."""


async def update_reminders_and_deadlines(context: Context) -> None:
    """Reminders and deadlines of games that were started are laid down as they are now, also after
    an undo or an import; those of what is over go. Where the command brings a game into a place all
    are laid down, as they may have gone while it was put aside. Of what a command does else (see
    `WAITED`) nothing follows."""
    for ledger in (*context.other_ledgers, context.ledger):
        if ledger.has_events and (ledger.game.started or ledger.before.started):
            comes_back = any(binding.game == ledger.row for binding in context.commit.bindings)
            was = Game("") if comes_back else ledger.before
            await update_reminders(context, ledger, was)
            before = list_deadlines(was)
            after = list_deadlines(ledger.game)
            for key, (at, kind, about) in after.items():
                if before.get(key) != (at, kind, about):
                    data = about | {"person": ledger.bodies[-1]["who"]}
                    context.commit.due.append(DueRow(f"{ledger.row}/{key}", at, kind, data))
            context.commit.drop_due += [
                (f"{ledger.row}/{key}", None) for key in before.keys() - after.keys()
            ]


def list_deadlines(game: Game) -> dict[str, tuple[float, str, dict[str, Any]]]:
    """Return the game's deadlines by key, as (time, kind, data): when orders open and when each
    pending choice is due.
    """
    found = {
        f"{CHOICE}-{at}": (float(asks["due"]), CHOICE, {"event": at})
        for at, asks in game.waits.items()
    }
    return {**({OPENS: (float(game.orders_due), OPENS, {})} if game.orders_due else {}), **found}
