"""What was promised, written down while the world goes on, and held against what is seen.
README.md has the letters.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.app import App
from bot.game.undo import find_newest_step
from bot.storage.records import BOARD
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from bot.verification.check_games import audit_games
from bot.verification.export import export_game
from tests.forging import verify
from tests.simulation import on_discord, on_slack
from tests.simulation.closed import Closed
from tests.simulation.door import PROCESS, Disk
from tests.simulation.people import BY_KEY, PEOPLE, discord_id, human, slack_id
from tests.simulation.shown import Request, Shown
from tools.verify_log import check as read_independently

if TYPE_CHECKING:
    from tests.simulation.world import World

KEY = {"discord": on_discord.key_of_reply, "slack": on_slack.key_of_reply}
LONGEST = 12.0
"""Seconds that an answer or a refusal may take while platform and process are well, whatever the
database does.
"""
BEHIND = 40.0
"""Seconds that a call which failed may hold up those behind it: answers of one channel come in
order.
"""
FOOTER = re.compile(r"#\d+ · [0-9a-f]{8,16}")
_WORD = re.compile(r"\bw\d+x\b")
_BINDS = re.compile("game link|game transfer|agree|takeover")
_ASKED_ANEW = (
    "How to check the dice",
    "No dice have been rolled here yet",
)  # stored at times, else not
_NOT_NOW = ("two seconds", "busy", "Too many", "at once", "database", "Something went wrong")


@dataclass(slots=True)
class Row:
    """An answer that was stored to be shown: where, under which keys, and for which request."""

    place: str
    platform: str
    keys: tuple[str, ...]
    request: int | None
    said_by: str = ""  # the request with which its words are kept
    before: tuple[str, ...] = ()  # its keys until somebody was taken out of its words


class Book:
    """The model of what must be true."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.off: frozenset[str] = frozenset()
        self.commits = 0
        self._last: dict[str, int] = {}  # the last event of each game
        self._ran: set[str] = set()  # ids of requests whose answer was stored
        self._replies: dict[str, str] = {}
        self._rows: dict[int, Row] = {}  # answers on their way
        self._by_request: dict[int, list[Row]] = defaultdict(list)
        # requests whose answers were deleted on their way, as somebody asked for
        self._deleted: set[int] = set()
        self._stored: Counter[tuple[str, str]] = Counter()
        self._seen: Counter[tuple[str, str]] = Counter()
        self._answered: set[tuple[tuple[str, str], int]] = set()
        # which does not count against another that reads alike
        self._came_again: Counter[tuple[str, str]] = Counter()
        # what messages read once something has become of them
        self._changes: set[tuple[str, str]] = set()
        self._counted: dict[Shown, str] = {}
        self._doubts_at: dict[tuple[str, str], Counter[str]] = {}
        self._words: dict[str, Request] = {}
        self._own: set[tuple[str, str]] = set()  # (place, key) of answers to what was asked there
        self._agreed: set[str] = set()  # places whose managers agreed to be bound
        self._sealed: dict[tuple[str, int], str] = {}  # words of closed rolls
        self._closed: set[tuple[str, int]] = set()
        self._cards: dict[str, Closed] = defaultdict(partial(Closed, set(), defaultdict(set)))
        self._refused: list[Request] = []

    # What was asked

    def asked(self, request: Request) -> None:
        """Somebody did something."""
        if request.word:
            self._words[request.word] = request
        if request.who in request.spot.managers and _BINDS.match(request.doing):
            self._agreed.add(request.spot.key)

    # What was written

    def wrote(self, rows: list[tuple[str, list[Any]]]) -> None:
        """Rows of one transaction, in order."""
        if any(kind in ("event", "request", "erased") for kind, _ in rows):
            self.commits += 1
        erases = any(
            kind == "erased" or (kind == "request" and "deleted" in row[3][:80])
            for kind, row in rows
        )
        no_longer_holds = {row[5] for kind, row in rows if kind == "outbox" and row[5]}
        # One transaction may hold several requests.
        asked_by = {row[1]: human(row[2]) for kind, row in rows if kind == "request"}
        for game in {row[0] for kind, row in rows if kind in ("event", "text")}:
            texts = [
                (row[1], row[2], row[3]) for kind, row in rows if kind == "text" and row[0] == game
            ]
            bodies = [
                json.loads(row[2]) for kind, row in rows if kind == "event" and row[0] == game
            ]
            self._cards[game].wrote(bodies, texts, asked_by.get(game, ""))
            for seat in self._cards[game].unseated():
                self.broken("k", f"{seat} holds closed cards, and nobody sits there")
        for kind, row in rows:
            if kind == "posted" and row[1] in no_longer_holds:
                # a board called off before anybody had it
                self._rows.pop(row[0], None)
            elif kind == "posted":
                self._left(row[0], excused=erases)
            else:
                getattr(self, f"_on_{kind}")(*row)

    def _on_request(self, id: str, game: str | None, user: str, reply: str) -> None:
        if id in self._ran:
            self.broken("a", f"request {id} ran twice")
        self._ran.add(id)
        self._replies[id] = reply

    def _on_event(self, game: str, number: int, body: str, hash: str) -> None:
        if number != self._last.get(game, 0) + 1:
            self.broken(
                "a", f"event {number} of game {game} follows event {self._last.get(game, 0)}"
            )
        self._last[game] = number
        data = json.loads(body)
        if data["kind"] == "sealed":
            self._closed.add((game, number))
        self._closed -= {(game, opened) for opened in data.get("opens", ())}

    def _on_text(self, game: str, event: int, key: str, text: str) -> None:
        if key == "label" and (word := next(iter(_WORD.findall(text)), "")):
            self._sealed[game, event] = word

    def _on_outbox(
        self, id: int, request: str, place: str, reply: str | None, delivery: str, amends: str
    ) -> None:
        asked_in = id_of(request) if json.loads(delivery) else None
        stored = Reply.from_json(
            json.loads(reply if reply is not None else self._replies.get(request) or "{}")
        )
        platform, asked = place.partition(":")[0], _asked(json.loads(delivery)) or asked_in
        server = place.partition(":")[2].partition("/")[0]
        keys = _keys(stored, platform, server)
        if amends:  # it is changed as often as it was posted, and not at all where it is gone
            self._changes.update((platform, key) for key in keys)
            self._rows[id] = Row(place, platform, (), None)
            return
        row = self._rows[id] = Row(
            place, platform, tuple(keys), asked, "" if reply is not None else request
        )
        self._stored.update((platform, key) for key in keys)
        self._doubts_at.update({(platform, key): self._world.doubts.copy() for key in keys})
        if asked is not None:
            if self._by_request[asked]:
                self.broken("a", f"{self._world.requests[asked]} was run and answered twice")
            self._by_request[asked].append(row)
            self._own.update((place, key) for key in keys)

    def _on_reworded(self, id: int, request: str, reply: str) -> None:
        """Somebody is deleted: what is on its way names them no more."""
        if request:
            self._replies[request] = reply
        for row in [
            row
            for at, row in self._rows.items()
            if at == id or (request and row.said_by == request)
        ]:
            server = row.place.partition(":")[2].partition("/")[0]
            keys = (
                tuple(_keys(Reply.from_json(json.loads(reply)), row.platform, server))
                if row.keys
                else ()
            )
            for old, new in zip(row.keys, keys, strict=True):
                if new != old:
                    self._stored[row.platform, new] += 1
                    self._doubts_at[row.platform, new] = self._doubts_at[row.platform, old]
                    self._own.add((row.place, new))
            row.keys, row.before = keys, row.before or row.keys

    _on_renamed = _on_reworded

    def _on_erased(self, game: str) -> None:
        self._last.pop(game, None)

    def _left(self, id: int, *, excused: bool) -> None:
        """An answer left the outbox: it has been shown, or belongs to what was deleted, or can
        never be.
        """
        row = self._rows.pop(id, None)
        if row is None or excused:
            self._deleted.update(
                [row.request] if row is not None and row.request is not None else []
            )
            return
        spot = BY_KEY.get(row.place)
        reachable = spot is None or spot.bot or row.request is not None
        for key, old in zip(row.keys, row.before or row.keys, strict=True):
            if reachable and not (self._seen[row.platform, key] or self._seen[row.platform, old]):
                self.broken(
                    "c", f"the answer {key!r} for {row.place} counts as shown, which nobody saw"
                )

    # What was seen

    def saw(self, shown: Shown) -> None:
        """A message has its content."""
        platform = shown.spot.platform
        if "Something went wrong" in shown.text:
            self.broken("u", f"an error of ours: {shown.text!r}")
        self._count(platform, shown)
        self._overheard(platform, shown)
        self._unsealed(shown)
        for deck in self._cards.values():
            for word in deck.seen(shown):
                self.broken("k", f"the closed card {word} is shown to others in {shown.text!r}")
        request = shown.answers
        if request is not None and request.is_press and shown.viewer and _is_refusal(shown.text):
            self._refused.append(request)

    def _count(self, platform: str, shown: Shown) -> None:
        """Each stored answer once; none that is not stored."""
        key = (platform, shown.key)
        asked_anew = shown.key.strip("*").startswith(_ASKED_ANEW)
        if not shown.key or self._counted.get(shown) == shown.key or asked_anew:
            return
        self._counted[shown] = shown.key
        self._seen[key] += 1
        stored, seen = self._stored[key], self._seen[key]
        if key in self._changes:
            return
        if not stored:
            if FOOTER.search(shown.key) and not shown.viewer and _WORD.search(shown.key):
                self.broken("c", f"{shown.key!r} is shown before it is stored")
        elif seen > stored and not self._may_come_again(platform, shown, seen - stored):
            if shown.late or seen - stored > self._came_again[key]:
                self.broken("c", f"{shown.key!r} is shown {seen} times, stored {stored} times")
        elif seen > stored or (shown.late and (key, id(shown.answers)) in self._answered):
            self._came_again[key] += (
                1  # the second kind: another that reads alike is stored, and not shown yet
            )
        self._answered.add((key, id(shown.answers)))

    def _may_come_again(self, platform: str, shown: Shown, more: int) -> bool:
        """Whether nobody could know that it stands there already, and it says so: see README.md."""
        was, now = self._doubts_at[platform, shown.key], self._world.doubts
        jumps = now["clock"] - was["clock"]
        if platform == "discord":
            return shown.late and more <= jumps
        return more <= (now.total() - was.total() if shown.late else jumps)

    def _overheard(self, platform: str, shown: Shown) -> None:
        """What was rolled elsewhere appears only where that place's managers agreed to it."""
        here = shown.spot.key
        if shown.viewer or (here, shown.key) in self._own:
            return
        if shown.answers is not None and shown.answers.spot == shown.spot:
            return
        for word in _WORD.findall(shown.text):
            there = self._words[word].spot if word in self._words else shown.spot
            # their direct messages
            alone = len(shown.spot.members) == 1 and shown.spot.members <= there.members
            if there != shown.spot and there.key not in self._agreed and not alone:
                self.broken(
                    "e", f"{word}, rolled in {there.key}, is shown in {here}: nobody agreed there"
                )

    def _unsealed(self, shown: Shown) -> None:
        """Closed rolls are for one pair of eyes."""
        closed = {word for at, word in self._sealed.items() if at in self._closed}
        eyes = {who for who in PEOPLE if shown.is_seen_by(who)}
        for word in closed.intersection(_WORD.findall("\n".join((shown.text, *shown.files)))):
            if eyes - {self._words[word].who}:
                self.broken(
                    "g", f"the sealed roll {word} of {self._words[word].who} is shown to others"
                )

    # When it is quiet

    async def look_quietly(self) -> None:
        """Wait a moment until nothing moves; then whoever was refused is asked whether that was
        right.
        """
        world = self._world
        for _ in range(12):
            if not world.is_busy():
                break
            await asyncio.sleep(0.25)
        refused, self._refused = self._refused, []
        for request in refused:
            if (
                request.commits == self.commits
                and world.last_fault < request.at - 1.0
                and not world.is_busy()
            ):
                await self._press_alone(request)

    async def _press_alone(self, request: Request) -> None:
        """The same press on a copy of the file, with nobody else there: a right holder is not
        refused.
        """
        from tests.simulation.process import Process

        world = self._world
        process = Process(
            world, "second opinion", await world.copy_of_the_file(), Disk(world.chance, pace=0.0)
        )
        process.is_watched = False
        context = contextvars.copy_context()
        context.run(PROCESS.set, process)

        async def press() -> Reply:
            await process.begin(platforms=False)
            server = "" if request.spot.server == "dm" else request.spot.key.partition("/")[0]
            where = Place(request.spot.key, server, request.spot.channel)
            discord = request.spot.platform == "discord"
            account = (
                f"{discord_id(request.who)}"
                if discord
                else f"{request.spot.server}/{slack_id(request.who)}"
            )
            who = Person(
                f"{request.spot.platform}:{account}",
                request.who,
                request.who in request.spot.managers,
            )
            return await process.app.press(request.doing, who, where, "second-opinion")

        reply = await world.loop.create_task(press(), context=context)
        process.kill()
        world.counts["second opinions"] += 1
        if process.stored:
            self.broken("d", f"{request} was refused, but has the right to: {reply.title!r}")

    # At the end

    def ran(self, request: Request) -> bool:
        """Whether its answer was stored."""
        return any(id_of(id) == request.number for id in self._ran)

    def is_open(self) -> bool:
        """Whether anything is still on its way, or somebody still waits."""
        return bool(self._rows) or any(self._waits(request) for request in self._world.requests)

    def _waits(self, request: Request) -> bool:
        """Whether somebody was told that the bot is at work, and nothing more."""
        if (
            request.receipt is None
            or request.number in self._deleted
            or any(one.stands for one in request.shown)
        ):
            return False
        rows = self._by_request[request.number]
        return not any(
            self._seen[row.platform, key] for row in rows for key in (*row.keys, *row.before)
        )

    async def look_at_the_end(self) -> None:
        """All has come to an end: nothing is owed, and the file explains itself."""
        await self.look_quietly()
        for row in self._rows.values():
            self.broken("c", f"the answer {row.keys} for {row.place} was never shown")
        for request in self._world.requests:
            if self._waits(request):
                self.broken("b", f"{request} got a receipt, and nothing more")
            self._in_time(request)
        await self._look_at_the_file()

    def _in_time(self, request: Request) -> None:
        """An answer or a refusal comes within seconds, unless platform, process or disk kept it."""
        told = [shown.at for shown in request.shown if shown.stands]
        if request.crashed or not told or request.receipt is None:
            return
        end = min(told)
        if end - request.at > LONGEST and not self._world.calls_failed(
            request.spot.platform, request.at - BEHIND, end
        ):
            self.broken("h", f"{request} waited {end - request.at:.1f} s")

    async def _look_at_the_file(self) -> None:
        serving = [process for process in self._world.processes if process.alive]
        if not serving:
            return
        store = serving[0].app.store
        _, faults = await audit_games(store)
        for fault in [*faults, *await store.check()]:
            self.broken("f", fault)
        await self._look_at_the_boards(serving[0].app)
        for game in list(self._last):
            last = 0
            while last != self._last[game]:  # somebody may have played while the file was read
                last = self._last[game]
                events = await store.load_events(game)
            if [event.number for event in events] != list(range(1, last + 1)):
                self.broken("a", f"game {game} should have {last} events")
                continue
            saved = await store.load_game_by_id(game)
            self._look_at_the_channels(
                game, [event.data for event in events], saved.places if saved else ()
            )
            whole = export_game(
                events[0].data.get("game", game),
                events,
                await store.load_seeds(game),
                await store.load_texts(game),
                await store.load_persons(game),
            )
            for fault in (*verify(whole).faults, *read_independently(whole).faults):
                self.broken("f", f"verify: {fault}")

    async def _look_at_the_boards(self, app: App) -> None:
        """A board shows the game as it is now: its Undo names the newest step that can be taken
        back.
        """
        for doc in await app.store.load_docs(BOARD):
            there = await app.store.load_posted_messages(f"{doc.key}/{doc.data['topic']}")
            for place, spots in there.spots.items():
                loaded = await app.games.load_current(place)
                if loaded is None or loaded.row != doc.key or not place.startswith("discord"):
                    continue
                rows = await app.store.load_events(loaded.row, newest_first=True)
                found = find_newest_step([row.data for row in rows])
                taken = found["number"] if found is not None else 0
                latest, numbers = (
                    f"undo:{doc.key}:{taken}:board",
                    {int(spot["message"]) for spot in spots if spot},
                )
                for shown in self._world.shown:
                    if (
                        shown.number in numbers
                        and shown.stands
                        and taken
                        and latest not in shown.buttons
                    ):
                        self.broken(
                            "j", f"the board in {place} offers {shown.buttons}, not {latest}"
                        )

    def _look_at_the_channels(
        self, game: str, events: list[dict[str, Any]], places: Sequence[str]
    ) -> None:
        """Nobody reads as a fact what was undone. Slack does not always say where a message is,
        Discord does; a place that has left the game hears no more of it."""
        undone = set[int]()
        for event in events:
            undone ^= {event["event"]} if event["kind"] in ("undo", "redo") else set()
        for shown in self._world.shown:
            if (
                shown.spot.key in places
                and shown.spot.platform == "discord"
                and shown.stands
                and not shown.viewer
            ):
                for number in undone:
                    if f"undo:{game}:{number}" in shown.buttons:
                        self.broken(
                            "i",
                            f"#{number} is undone, but {shown.key!r} in {shown.spot.key} does not say so",
                        )

    def broken(self, letter: str, text: str) -> None:
        """A promise is broken."""
        if letter not in self.off:
            self._world.violated(letter, text)


def _keys(reply: Reply, platform: str, server: str) -> list[str]:
    """The keys under which an answer is shown."""
    found = [KEY[platform](one, server) for one in (reply, reply.announce) if one is not None]
    return [key for key in found if not key.strip("*").startswith(_ASKED_ANEW)]


def _asked(delivery: dict[str, Any]) -> int | None:
    """The number of the request that an answer is for."""
    if delivery.get("token"):
        return int(delivery["token"]) - 7_000_000
    url = str(delivery.get("response_url") or "")
    return int(url.removeprefix("hook")) if url else None


def id_of(request: str) -> int | None:
    """The number of the request with this id; a mention on Slack is told by nothing else."""
    token = request.rpartition(":")[2].partition(".")[0]
    return int(token) - 7_000_000 if token.isdecimal() and int(token) >= 7_000_000 else None


def _is_refusal(text: str) -> bool:
    refuses = (
        text.startswith(("Error: ", "*Error: ")) or "already" in text.partition("\n")[0].casefold()
    )
    return refuses and not any(word in text for word in _NOT_NOW)
