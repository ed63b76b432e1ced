"""A season of players in their time zones, played through the real commands by two bots on one
database, until somebody kills them: for tests/ladder/test_season_kills.py.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from bot.app import App
from bot.commands.by_post.reminders import ReminderSettings
from bot.commands.seek.shared_hours import count_shared_minutes
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place

SERVER = "discord:5"
HALL = Place(f"{SERVER}/1", SERVER, "#hall")
MANAGER = Person("discord:999", "Vera", manager=True)
PLAYERS = int(os.environ.get("SEASON_PLAYERS", "16"))
"""Number of players. With 64 of them, a season takes some minutes."""
ROUNDS = 6
"""Games of each player."""
START = datetime(2031, 1, 2, tzinfo=UTC).timestamp()
HOUR = 3600.0
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "America/Los_Angeles",
    "Asia/Tokyo",
    "Australia/Sydney",
)
NIGHT = (23 * 60, 7 * 60)
"""Minutes of the day between which nobody moves."""


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """A game of the season: who plays it, who wins, and when each of its steps is."""

    number: int
    first: int
    second: int
    winner: str
    """US (the first player), VC or draw."""
    begins: float
    ends: float
    confirmed: float

    @property
    def place(self) -> Place:
        """The channel in which it is played."""
        return Place(f"{SERVER}/{100 + self.number}", SERVER)


def get_settings(player: int) -> ReminderSettings:
    """Return the time zone and quiet hours of a player."""
    return ReminderSettings(zone=ZONES[player % len(ZONES)], quiet=NIGHT, has_zone=True)


def get_person(player: int) -> Person:
    """Return a player as a person."""
    return Person(f"discord:1{player:03}", f"P{player:02}")


def plan_season() -> list[PlannedGame]:
    """Plan the season: in each round the players who are free meet who shares most hours with them.

    A round takes some twelve days, so the season is three months long. One pair of
    players meets five times in its first month. The stronger players have the lower numbers.
    """
    chance = Random(64)
    games: list[PlannedGame] = []
    for round_number in range(ROUNDS):
        begins = START + round_number * 12 * 24 * HOUR
        for first, second in _pair_players(chance, begins):
            games.append(_plan_game(chance, len(games), first, second, begins))
    for _ in range(4):
        games.append(_plan_game(chance, len(games), 0, 1, START))
    return games


def _pair_players(chance: Random, time: float) -> Iterator[tuple[int, int]]:
    free = list(range(PLAYERS))
    chance.shuffle(free)
    while free:
        first = free.pop()
        candidates = chance.sample(free, min(6, len(free)))
        second = max(candidates, key=lambda other: _count_shared(first, other, time))
        free.remove(second)
        yield first, second


def _count_shared(first: int, second: int, time: float) -> int:
    return count_shared_minutes(get_settings(first), get_settings(second), time) or 0


def _plan_game(chance: Random, number: int, first: int, second: int, begins: float) -> PlannedGame:
    ends = get_settings(first).skip_quiet_hours(begins + chance.uniform(1.0, 240.0) * HOUR)
    confirmed = get_settings(second).skip_quiet_hours(ends + chance.uniform(0.1, 60.0) * HOUR)
    odds = 1.0 / (1.0 + 10 ** ((first - second) / 40.0))
    winner = "draw" if chance.random() < 0.1 else "US" if chance.random() < odds else "VC"
    return PlannedGame(number, first, second, winner, begins, ends, confirmed)


class Season:
    """The bots at work: two on one database, at the time that the season has."""

    def __init__(self, url: str) -> None:
        self._settings = load_settings({"DATABASE_URL": url})
        self.now = START
        self.apps: list[App] = []
        self._ends: dict[int, Reply] = {}
        """The ends of games that are not confirmed yet, by number."""

    async def __aenter__(self) -> Season:
        for _ in range(2):
            store = await open_store(self._settings, lambda: self.now)
            self.apps.append(App(store, lambda: self.now))
        return self

    async def __aexit__(self, *_: object) -> None:
        for app in self.apps:
            await app.store.close()

    async def say(self, person: Person, line: str, place: Place, request: str) -> Reply:
        """Return the answer of the first bot to a line, which must not fail."""
        reply = await self.apps[0].run_text(line, person, place, request, {})
        assert not reply.error, f"{line}: {reply.format_text()}"
        return reply

    async def press(
        self, person: Person, reply: Reply, label: str, place: Place, request: str
    ) -> None:
        """Press a button twice at the same time, at one bot and the other: once it takes effect."""
        action = next(button.action for button in reply.buttons if button.label == label)
        answers = await asyncio.gather(
            *(
                app.press(action, person, place, f"{request}-{index}", {})
                for index, app in enumerate(self.apps)
            )
        )
        refusals = [answer for answer in answers if answer.error]
        assert len(refusals) == 1, [answer.format_text() for answer in answers]

    async def begin(self, game: PlannedGame) -> None:
        """Start a game in a channel of its own: both players agree that it counts."""
        first = get_person(game.first)
        second = get_person(game.second)
        await self._say_in(game, first, f'game start lnlt "Game {game.number}" sides="US, VC"')
        await self._say_in(game, first, "game join US")
        await self._say_in(game, second, "game join VC")
        request = await self._say_in(game, first, "result count")
        await self.press(second, request, "Agree", game.place, f"{game.number}:agree")
        await self._say_in(game, second, "roll 2d6")

    async def end(self, game: PlannedGame) -> None:
        """End a game: its first player names the winner."""
        line = f"game end winner={game.winner} confirm"
        answer = await self._say_in(game, get_person(game.first), line)
        assert answer.announce is not None
        self._ends[game.number] = answer.announce

    async def confirm(self, game: PlannedGame) -> None:
        """Confirm the result of a game."""
        second = get_person(game.second)
        request = f"{game.number}:confirm"
        await self.press(second, self._ends[game.number], "Confirm", game.place, request)

    async def _say_in(self, game: PlannedGame, person: Person, line: str) -> Reply:
        return await self.say(person, line, game.place, f"{game.number}:{person.name}:{line}")


async def play_season(url: str, *, is_short: bool = False) -> None:
    """Play the season in the order of its steps, with the same requests each time that this runs.

    A short one has only the games of the first round.
    """
    games = plan_season()[: PLAYERS // 2 if is_short else None]
    async with Season(url) as season:
        await season.say(MANAGER, "setup ladder on", HALL, "ladder on")
        steps = [(game.begins, game.number, season.begin, game) for game in games]
        steps += [(game.ends, game.number, season.end, game) for game in games]
        steps += [(game.confirmed, game.number, season.confirm, game) for game in games]
        for time, number, take_step, game in sorted(steps, key=lambda step: step[:2]):
            season.now = time
            await take_step(game)
            print(number, flush=True)


if __name__ == "__main__":
    asyncio.run(play_season(sys.argv[1], is_short="short" in sys.argv))
