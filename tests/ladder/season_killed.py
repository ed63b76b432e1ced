"""A season of players in their time zones, who find each other by `/seek`, played through the real
commands by two bots on one database until they are killed: for tests/ladder/test_season_kills.py.

What players have seen is a journal in a file, which outlives the bots. The next life goes on from
there, and sends the request again that had no answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from bot.app import App
from bot.commands.by_post.reminders import ReminderSettings
from bot.commands.seek.open_seeks import PACES
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.ui.reply.parts import Entry
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place

SERVER = "discord:5"
HALL = Place(f"{SERVER}/1", SERVER, "#hall")
MANAGER = Person("discord:999", "Vera", manager=True)
SIDES = ("US", "VC")
PLAYERS = int(os.environ.get("SEASON_PLAYERS", "8"))
"""Number of players, a multiple of four."""
ROUNDS = 5
"""How often each player finds an opponent."""
HOUR = 3600.0
DAY = 24 * HOUR
START = datetime(2031, 1, 2, 12, tzinfo=UTC).timestamp()
DAYS_OF_ROUND = 14
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "America/Los_Angeles",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Asia/Kolkata",
    "",
)
"""The time zones of the players, in turn. The last one has not set any."""
NIGHT = (23 * 60, 7 * 60)
"""The quiet hours of all players, in minutes of the day."""
PACE_HOURS = {"evening": 5, "daily": 120, "weekly": 280}
"""The longest game of each pace."""
SOUGHT_SIDES = ("US", "both", "VC", "either")
"""The sides that those who seek want to play, in turn. *both* is two games."""
RETURN = "Play the return game"
REFUSALS = {"not-asked", "no-change", "game-on"}
"""How a press is refused that came too late."""
STEPS = ("seek", "play", "end", "confirm", "return")
"""The kinds of steps in which the bots are killed, at least once each."""
ANY_STEP = "any"


def get_settings(player: int) -> ReminderSettings:
    """Return the time zone and quiet hours of a player."""
    zone = ZONES[player % len(ZONES)]
    if not zone:
        return ReminderSettings()
    return ReminderSettings(zone=zone, quiet=NIGHT, has_zone=True)


def get_person(player: int) -> Person:
    """Return a player as a person."""
    return Person(f"discord:1{player:03}", f"P{player:02}")


def get_pace(player: int) -> str:
    """Return the pace at which a player likes to play."""
    return tuple(PACE_HOURS)[player % len(PACE_HOURS)]


@dataclass(frozen=True, slots=True)
class SeasonSeek:
    """A seek: its id, who wrote it, the title of its game, and its channel."""

    id: str
    writer: int
    title: str
    pace: str
    is_series: bool


@dataclass(frozen=True, slots=True)
class SeasonGame:
    """A game of the season. A return game has the title of the first one, and is number 2."""

    seek: SeasonSeek
    number: int
    place: Place
    seats: dict[str, int]
    """The player of each side."""

    @property
    def key(self) -> str:
        """What its steps are called in the journal."""
        return f"{self.seek.title}.{self.number}"

    @property
    def opponent(self) -> int:
        """The player who did not write the seek."""
        (player,) = set(self.seats.values()) - {self.seek.writer}
        return player

    @property
    def master(self) -> int:
        """The game master, who ends it: who wrote the seek, or who began the return game."""
        return self.seek.writer if self.number == 1 else self.opponent

    @property
    def confirmer(self) -> int:
        """The player who confirms its result."""
        return self.opponent if self.number == 1 else self.seek.writer

    def draw_winner(self) -> str:
        """Draw who wins, the same each time: a side, or draw. The first players are stronger."""
        chance = Random(self.key)
        if chance.random() < 0.1:
            return "draw"
        first, second = (self.seats[side] for side in SIDES)
        odds = 1.0 / (1.0 + 10 ** ((first - second) * 1.6 / PLAYERS))
        return SIDES[0] if chance.random() < odds else SIDES[1]

    def draw_end(self, begins: float) -> float:
        """Draw the time at which it ends, the same each time. Nobody plays in quiet hours."""
        hours = Random(f"{self.key} end").uniform(1.0, PACE_HOURS[self.seek.pace])
        return get_settings(self.master).skip_quiet_hours(begins + hours * HOUR)

    def draw_confirmation(self, ended: float) -> float:
        """Draw the time at which the opponent confirms its result, the same each time."""
        hours = Random(f"{self.key} confirm").uniform(0.1, 60.0)
        return get_settings(self.confirmer).skip_quiet_hours(ended + hours * HOUR)


@dataclass(frozen=True, slots=True)
class Death:
    """When the bots are killed: after `steps` steps, `seconds` after the next step of a kind begins."""

    kind: str
    steps: int
    seconds: float


class Journal:
    """What players have seen: the value of each step, by kind and key."""

    def __init__(self, path: Path, death: Death | None = None) -> None:
        self._path = path
        self._death = death
        self._taken = 0
        text = path.read_text("utf-8") if path.exists() else ""
        self.values = {(line[0], line[1]): line[2] for line in map(json.loads, text.splitlines())}

    def list_values(self, kind: str) -> list[Any]:
        """Return the values of all steps of a kind."""
        return [value for (other, _), value in self.values.items() if other == kind]

    async def take(self, kind: str, key: str, step: Callable[[], Awaitable[Any]]) -> Any:
        """Return the value of a step, taking it unless an earlier life has seen its value."""
        if (kind, key) not in self.values:
            self._expect_death(kind)
            value = await step()
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([kind, key, value]) + "\n")
            self.values[kind, key] = value
        return self.values[kind, key]

    def _expect_death(self, kind: str) -> None:
        """Let the alarm kill this process soon, if this is the step. It is as sudden as SIGKILL."""
        death = self._death
        if death is not None and death.kind in (kind, ANY_STEP) and self._taken >= death.steps:
            signal.setitimer(signal.ITIMER_REAL, death.seconds)
            self._death = None
        self._taken += 1


@dataclass(slots=True)
class Season:
    """Two bots on one database, the time of the season, and what is to happen next."""

    journal: Journal
    apps: list[App]
    now: float = START
    _agenda: list[tuple[float, int, Callable[[], Awaitable[None]]]] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=count)

    async def play(self) -> None:
        """Play the whole season, or what is left of it."""
        await self.journal.take("ladder", "on", self._open_ladder)
        for player in range(PLAYERS):
            await self.journal.take("zone", str(player), partial(self._set_zone, player))
        for round_number in range(ROUNDS):
            time = START + round_number * DAYS_OF_ROUND * DAY
            self._plan(time, partial(self._play_round, round_number))
        for number in range(2):
            self._plan(START + number * DAY, partial(self._play_friends, number))
        while self._agenda:
            self.now, _, step = heappop(self._agenda)
            await step()

    def _plan(self, time: float, step: Callable[[], Awaitable[None]]) -> None:
        heappush(self._agenda, (float(int(time)), next(self._numbers), step))

    async def _open_ladder(self) -> None:
        await self._say(MANAGER, "setup ladder on", HALL, "ladder on")

    async def _set_zone(self, player: int) -> None:
        settings = get_settings(player)
        if settings.has_zone:
            line = f"me ping zone={settings.zone} quiet=23:00-7:00"
            await self._say(get_person(player), line, HALL, f"zone {player}")

    # finding an opponent

    async def _play_round(self, round_number: int) -> None:
        """Let half of the players seek. The others look at the list, two at the same time."""
        players = list(range(PLAYERS))
        Random(round_number).shuffle(players)
        half = PLAYERS // 2
        seeks = {}
        for index, player in enumerate(players[:half]):
            side = SOUGHT_SIDES[index % len(SOUGHT_SIDES)]
            seek = await self._seek(player, f"Game {round_number}-{player}", get_pace(player), side)
            seeks[seek.id] = seek
        for index in range(half, PLAYERS, 2):
            pair = players[index : index + 2]
            searches = [self._find_game(player, round_number, seeks) for player in pair]
            for game in await asyncio.gather(*searches):
                self._plan_end(game)

    async def _play_friends(self, number: int) -> None:
        """Let the first two players play a series. With all their games of the first month, they
        meet more often than the ladder rates.
        """
        seek = await self._seek(0, f"Friends {number}", "evening", "both")
        game = await self._begin_game(1, seek, Place(f"{SERVER}/{10 + number}", SERVER))
        assert game is not None
        self._plan_end(game)

    async def _seek(self, player: int, title: str, pace: str, side: str) -> SeasonSeek:
        """Let a player seek an opponent."""

        async def seek() -> str:
            line = f'seek game {pace} lnlt name="{title}" sides="US, VC" side={side} counts'
            reply = await self._say(get_person(player), line, HALL, f"seek {title}")
            assert reply.announce is not None
            return reply.announce.buttons[0].action.partition(":")[2]

        id = str(await self.journal.take("seek", title, seek))
        return SeasonSeek(id, player, title, pace, side == "both")

    async def _find_game(
        self, player: int, round_number: int, seeks: dict[str, SeasonSeek]
    ) -> SeasonGame:
        """Let a player look at the list and play a seek, until nobody else was faster."""
        place = Place(f"{SERVER}/{100 + round_number * PLAYERS + player}", SERVER)
        game = None
        for attempt in count():
            key = f"{round_number} {player} {attempt}"
            id = await self.journal.take("list", key, partial(self._pick_seek, player, key))
            game = await self._begin_game(player, seeks[id], place)
            if game is not None:
                break
        assert game is not None
        return game

    async def _pick_seek(self, player: int, key: str) -> str:
        """Return the first seek of the list at the player's pace, or else the first one.

        The list must begin with those who share most hours, as another count has it.
        """
        reply = await self._say(get_person(player), "seek list", HALL, f"list {key}")
        entries = [line for line in reply.lines if isinstance(line, Entry)]
        writers = [int(entry.about[1:].partition(",")[0]) for entry in entries]
        shared = [count_shared_quarters(player, writer, self.now) for writer in writers]
        assert shared == sorted(shared, reverse=True), reply.format_text()
        pace = f", {PACES[get_pace(player)]},"
        liked = [entry for entry in entries if pace in entry.about] or entries
        return liked[0].action.split(":")[1]

    async def _begin_game(self, player: int, seek: SeasonSeek, place: Place) -> SeasonGame | None:
        """Let a player press *Play* of a seek. Return None if another was faster."""
        key = f"{seek.title} {player}"

        async def play() -> dict[str, int] | None:
            action = f"seekplay:{seek.id}:list"
            reply = await self._press_twice(get_person(player), action, place, f"play {key}")
            if reply is None:
                return None
            await self._say(get_person(player), "roll 2d6", place, f"roll {key}")
            return _read_seats(reply)

        seats = await self.journal.take("play", key, play)
        return SeasonGame(seek, 1, place, seats) if seats is not None else None

    # its result

    def _plan_end(self, game: SeasonGame) -> None:
        self._plan(game.draw_end(self.now), partial(self._end_game, game))

    async def _end_game(self, game: SeasonGame) -> None:
        """Let the game master name the winner, and plan the confirmation."""

        async def end() -> str:
            line = f"game end winner={game.draw_winner()} confirm"
            master = get_person(game.master)
            reply = await self._say(master, line, game.place, f"end {game.key}")
            assert reply.announce is not None
            return _get_action(reply.announce, "Confirm")

        action = await self.journal.take("end", game.key, end)
        self._plan(game.draw_confirmation(self.now), partial(self._confirm, game, action))

    async def _confirm(self, game: SeasonGame, action: str) -> None:
        """Let the other player confirm the result, and begin the return game if there is one."""

        async def confirm() -> dict[str, Any]:
            request = f"confirm {game.key}"
            confirmer = get_person(game.confirmer)
            reply = await self._press_twice(confirmer, action, game.place, request)
            assert reply is not None
            seats = {side: get_person(player).name for side, player in game.seats.items()}
            return {
                "title": game.seek.title,
                "seats": seats,
                "winner": game.draw_winner(),
                "time": self.now,
                "channel": game.place.key,
                "return": _get_action(reply, RETURN) if _has_return(game) else "",
            }

        value = await self.journal.take("confirm", game.key, confirm)
        if value["return"]:
            await self._begin_return_game(game, value["return"])

    async def _begin_return_game(self, game: SeasonGame, action: str) -> None:
        """Let the opponent press *Play the return game*."""

        async def press() -> bool:
            request = f"return {game.key}"
            opponent = get_person(game.opponent)
            reply = await self._press_twice(opponent, action, game.place, request)
            assert reply is not None
            await self._say(opponent, "roll 2d6", game.place, f"roll {request}")
            return True

        await self.journal.take("return", game.key, press)
        swapped = dict(zip(SIDES, reversed([game.seats[side] for side in SIDES]), strict=True))
        self._plan_end(replace(game, number=2, seats=swapped))

    # what players type and press

    async def _say(self, person: Person, line: str, place: Place, request: str) -> Reply:
        """Return the answer of the first bot to a line, which must not fail."""
        reply = await self.apps[0].run_text(line, person, place, request, {})
        assert not reply.error, f"{line}: {reply.format_text()}"
        return reply

    async def _press_twice(
        self, person: Person, action: str, place: Place, request: str
    ) -> Reply | None:
        """Press a button at one bot and at the other, at the same time: it takes effect once.

        Return that answer; None if somebody else was faster.
        """
        answers = await asyncio.gather(
            *(
                app.press(action, person, place, f"{request}-{index}", {})
                for index, app in enumerate(self.apps)
            )
        )
        effective = [answer for answer in answers if not answer.error]
        refusals = {answer.code for answer in answers if answer.error}
        assert len(effective) <= 1, [answer.format_text() for answer in answers]
        assert refusals <= REFUSALS, refusals
        return effective[0] if effective else None


def _has_return(game: SeasonGame) -> bool:
    return game.seek.is_series and game.number == 1


def _get_action(reply: Reply, label: str) -> str:
    actions = [button.action for button in reply.buttons if button.label == label]
    assert len(actions) == 1, reply.format_text()
    return actions[0]


def _read_seats(reply: Reply) -> dict[str, int]:
    """Return the player of each side, from the first card of a game."""
    pairs = re.findall(r"P(\d+) plays (US|VC)", reply.format_text())
    seats = {side: int(player) for player, side in pairs}
    assert len(seats) == 2, reply.format_text()
    return seats


def count_shared_quarters(first: int, second: int, time: float) -> int:
    """Count by the rule of reminders in how many quarters of an hour of a week neither player has
    quiet hours. -1 if one of them has no time zone.
    """
    first_settings = get_settings(first)
    second_settings = get_settings(second)
    if not (first_settings.has_zone and second_settings.has_zone):
        return -1
    shared = 0
    for quarter in range(7 * 24 * 4):
        moment = time + quarter * 900
        shared += not (first_settings.is_quiet(moment) or second_settings.is_quiet(moment))
    return shared


async def play_season(url: str, journal: Journal) -> None:
    """Play the season to its end, from where the journal ends."""
    settings = load_settings({"DATABASE_URL": url})
    season = Season(journal, [])
    try:
        for _ in range(2):
            store = await open_store(settings, lambda: season.now)
            season.apps.append(App(store, lambda: season.now))
        await season.play()
    finally:
        for app in season.apps:
            await app.close()


def process() -> None:
    """Play the season of the arguments `URL JOURNAL`. With `KIND STEPS SECONDS` after them, die."""
    url, path, *words = sys.argv[1:]
    death = None
    if words:
        kind, steps, seconds = words
        death = Death(kind, int(steps), float(seconds))
    asyncio.run(play_season(url, Journal(Path(path), death)))
