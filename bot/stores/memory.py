"""Games in memory, gone when the process ends: for tests, and for one command without a database."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, fields, replace

from bot.outbox.journal import MemoryJournal
from bot.stores.base import (
    DAY,
    LONGEST_WAIT,
    REQUESTS_KEPT,
    Binding,
    Change,
    Clock,
    Commit,
    Committed,
    Conflict,
    Deleted,
    Doc,
    EventRow,
    GameRow,
    Json,
    OutboxRow,
    PersonRow,
    Saved,
    SeedRow,
    TextRow,
    UserData,
    check_change,
    tombstone,
)


@dataclass(frozen=True, slots=True)
class _Place:
    """One place and one game that it plays or played."""

    server: str
    current: bool
    removed: float | None = None


@dataclass(frozen=True, slots=True)
class _Request:
    game: str | None
    user: str
    reply: Json
    at: float


@dataclass(slots=True)
class _Tables:
    """All that is stored. A commit works on a copy, which then takes the place of the original; values never change."""

    games: dict[str, GameRow] = field(default_factory=dict)
    snapshots: dict[str, tuple[int, Json]] = field(default_factory=dict)
    events: dict[str, tuple[EventRow, ...]] = field(default_factory=dict)
    bindings: dict[tuple[str, str], _Place] = field(default_factory=dict)
    persons: dict[tuple[str, str], PersonRow] = field(default_factory=dict)
    texts: dict[tuple[str, int, str], TextRow] = field(default_factory=dict)
    seeds: dict[tuple[str, int], SeedRow] = field(default_factory=dict)
    requests: dict[str, _Request] = field(default_factory=dict)
    tombstones: dict[str, float] = field(default_factory=dict)
    outbox: dict[int, OutboxRow] = field(default_factory=dict)
    docs: dict[tuple[str, str], Doc] = field(default_factory=dict)
    last_outbox: int = 0

    def copy(self) -> _Tables:
        """Other dicts with the same rows in them."""
        after = copy(self)
        for column in fields(self):
            if isinstance(rows := getattr(self, column.name), dict):
                setattr(after, column.name, dict(rows))
        return after


class MemoryStore:
    """The Store without a file."""

    def __init__(self, clock: Clock = time.time) -> None:
        self._clock = clock
        self._all = _Tables()
        self._journal = MemoryJournal(clock)

    @property
    def journal(self) -> MemoryJournal:
        """See Store."""
        return self._journal

    async def gone(self) -> str:
        """See Store."""
        await asyncio.Event().wait()
        return ""

    async def close(self) -> None:
        """Nothing to let go of."""

    async def commit(self, commit: Commit) -> Committed:
        """See Store."""
        for change in commit.changes:
            check_change(change)
        if commit.gate is not None:
            commit.gate.enter()
        known = self._all.requests.get(commit.request_id) if commit.request_id is not None else None
        if known is not None:
            return Committed(deepcopy(known.reply), seen=True)
        if commit.request_id is not None:
            self._check_deleted(commit.request_id)
        after = self._all.copy()
        ids = _write(after, _plain(commit), self._clock())
        self._all = after
        return Committed(commit.reply, outbox=ids)

    async def seen(self, request_id: str) -> Json | None:
        """See Store."""
        known = self._all.requests.get(request_id)
        if known is None:
            self._check_deleted(request_id)
        return deepcopy(known.reply) if known and known.at >= self._clock() - REQUESTS_KEPT else None

    async def peek(self, place: str) -> tuple[str, int] | None:
        """See Store."""
        game = _current(self._all, place)
        return (game, self._all.games[game].version) if game else None

    async def load_game(self, place: str) -> Saved | None:
        """See Store."""
        game = _current(self._all, place)
        return await self.load_game_by_id(game) if game else None

    async def load_game_by_id(self, game: str) -> Saved | None:
        """See Store."""
        if game not in self._all.games:
            return None
        at, state = self._all.snapshots.get(game, (0, {}))
        seeds = await self.seeds(game)
        return Saved(
            game=self._all.games[game],
            state=deepcopy(state),
            state_at=at,
            events=tuple(await self.events(game, after=at)),
            texts=tuple(text for text in await self.texts(game) if text.event > at),
            persons=tuple(await self.persons(game)),
            seed=seeds[-1] if seeds else None,
            places=tuple(sorted(key[0] for key, row in self._all.bindings.items() if row.current and key[1] == game)),
        )

    async def played(self, place: str) -> Sequence[str]:
        """See Store."""
        games = [self._all.games[game] for where, game in self._all.bindings if where == place]
        return [game.id for game in sorted(games, key=lambda game: (game.created, game.id))]

    async def games(self, after: str = "", limit: int = 1000) -> Sequence[str]:
        """See Store."""
        return sorted(id for id in self._all.games if id > after)[:limit]

    async def events(
        self,
        game: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> Sequence[EventRow]:
        """See Store."""
        found = [
            event
            for event in self._all.events.get(game, ())
            if after < event.number and (before is None or event.number < before)
        ]
        return tuple((found[::-1] if newest_first else found)[:limit])

    async def texts(self, game: str, *, after: int = 0, before: int | None = None) -> Sequence[TextRow]:
        """See Store."""
        rows = (row for key, row in sorted(self._all.texts.items()) if key[0] == game)
        return tuple(row for row in rows if after < row.event and (before is None or row.event < before))

    async def persons(self, game: str) -> Sequence[PersonRow]:
        """See Store."""
        return tuple(row for key, row in sorted(self._all.persons.items()) if key[0] == game)

    async def seeds(self, game: str) -> Sequence[SeedRow]:
        """See Store."""
        return tuple(row for key, row in sorted(self._all.seeds.items()) if key[0] == game)

    async def outbox_claim(self, lease: float, limit: int = 50, platform: str = "") -> Sequence[OutboxRow]:
        """See Store."""
        now = self._clock()
        waiting = [row for row in self._all.outbox.values() if row.place.startswith(platform)]
        due = [row for row in waiting if not now < row.due <= now + LONGEST_WAIT][:limit]
        for row in due:
            self._all.outbox[row.id] = replace(row, due=now + lease, attempts=row.attempts + 1)
        return tuple(deepcopy(due))

    async def outbox_done(self, *ids: int) -> None:
        """See Store."""
        for id in ids:
            self._all.outbox.pop(id, None)

    async def outbox_retry(self, due: float, *ids: int) -> None:
        """See Store."""
        for id in ids:
            if id in self._all.outbox:
                self._all.outbox[id] = replace(self._all.outbox[id], due=due)

    async def doc(self, kind: str, key: str) -> Doc | None:
        """See Store."""
        doc = self._all.docs.get((kind, key))
        return deepcopy(doc) if doc and self._lives(doc) else None

    async def docs(self, kind: str, owner: str | None = None) -> Sequence[Doc]:
        """See Store."""
        rows = [row for _, row in sorted(self._all.docs.items()) if row.kind == kind and owner in (None, row.owner)]
        return tuple(deepcopy([row for row in rows if self._lives(row)]))

    async def put_doc(self, doc: Doc) -> None:
        """See Store."""
        self._all.docs[doc.kind, doc.key] = replace(doc, data=_json(doc.data))

    async def take_doc(self, kind: str, key: str) -> Doc | None:
        """See Store."""
        doc = self._all.docs.pop((kind, key), None)
        return doc if doc and self._lives(doc) else None

    async def user_data(self, user: str) -> UserData:
        """See Store."""
        persons = [row for _, row in sorted(self._all.persons.items()) if row.user == user]
        theirs = {(row.game, row.person) for row in persons}
        return UserData(
            persons=tuple(persons),
            texts=tuple(row for _, row in sorted(self._all.texts.items()) if (row.game, row.person) in theirs),
            docs=tuple(deepcopy([row for _, row in sorted(self._all.docs.items()) if user and row.owner == user])),
        )

    async def linked(self, server: str) -> Sequence[tuple[str, str]]:
        """See Store."""
        current = [(key, row) for key, row in sorted(self._all.bindings.items()) if row.current]
        played = [game for (_, game), _ in current]
        return [key for key, row in current if row.server == server and played.count(key[1]) > 1]

    async def servers(self, platform: str) -> Sequence[str]:
        """See Store."""
        bindings = self._all.bindings.values()
        return sorted({row.server for row in bindings if row.removed is None and row.server.startswith(platform)})

    async def server_left(self, server: str) -> None:
        """See Store."""
        self._mark(server, self._clock())

    async def server_joined(self, server: str) -> bool:
        """See Store."""
        rows = self._all.bindings.items()
        away = any(server in (key[0], row.server) and row.removed is not None for key, row in rows)
        self._mark(server, None)
        return away

    async def sweep(self, retention: float | None) -> None:
        """See Store."""
        tables, now = self._all, self._clock()
        tables.requests = {
            id: replace(row, at=now) if row.at > now + DAY else row  # written while the clock was ahead
            for id, row in tables.requests.items()
            if row.at >= now - REQUESTS_KEPT
        }
        tables.tombstones = {id: at for id, at in tables.tombstones.items() if at >= now - REQUESTS_KEPT}
        tables.docs = {key: doc for key, doc in tables.docs.items() if self._lives(doc)}
        if retention is None:
            return
        for (place, game), row in list(tables.bindings.items()):
            back = row.removed is None or tables.games[game].updated > row.removed
            if not back and row.removed is not None and row.removed <= now - retention:
                _remove_place(tables, place, game, row.server, now)

    async def check(self) -> Sequence[str]:
        """See Store."""
        return ()

    def _check_deleted(self, request_id: str) -> None:
        if self._all.tombstones.get(tombstone(request_id), -math.inf) >= self._clock() - REQUESTS_KEPT:
            raise Deleted(request_id)

    def _mark(self, server: str, removed: float | None) -> None:
        for key, row in self._all.bindings.items():
            if server in (key[0], row.server) and (removed is None or row.removed is None):
                self._all.bindings[key] = replace(row, removed=removed)

    def _lives(self, doc: Doc) -> bool:
        return doc.expires is None or doc.expires > self._clock()


def _json(value: Json) -> Json:
    """A copy as a file would give it back; fails, as a file would, for what is not JSON."""
    return json.loads(json.dumps(value))  # type: ignore[no-any-return]


def _plain(commit: Commit) -> Commit:
    """`commit` with every JSON object copied."""
    return replace(
        commit,
        reply=_json(commit.reply),
        changes=tuple(replace(c, state=None if c.state is None else _json(c.state)) for c in commit.changes),
        docs=tuple(replace(doc, data=_json(doc.data)) for doc in commit.docs),
        outbox=tuple(
            replace(o, delivery=_json(o.delivery), reply=None if o.reply is None else _json(o.reply))
            for o in commit.outbox
        ),
    )


def _current(tables: _Tables, place: str) -> str | None:
    return next((key[1] for key, row in tables.bindings.items() if key[0] == place and row.current), None)


def _write(tables: _Tables, commit: Commit, now: float) -> tuple[int, ...]:
    """Carry out `commit`: the ids of its outbox entries. Raises Conflict half-way."""
    for game in commit.erase:
        _erase(tables, game, now)
    for change in commit.changes:
        _change(tables, change, now)
    for binding in commit.bindings:
        _bind(tables, binding)
    tables.persons.update({(row.game, row.person): row for row in commit.persons})
    tables.texts.update({(row.game, row.event, row.key): row for row in commit.texts})
    tables.seeds.update({(row.game, row.epoch): row for row in commit.seeds})
    for key in commit.drop_docs:
        if tables.docs.pop(key, None) is None:
            raise Conflict(" ".join(key))
    tables.docs.update({(doc.kind, doc.key): doc for doc in commit.docs})
    for user in commit.forget:
        _forget(tables, user, now)
    if commit.request_id is not None:
        game_id = commit.changes[0].game if commit.changes else None
        tables.requests[commit.request_id] = _Request(game_id, commit.user, commit.reply, now)
    return tuple(_enqueue(tables, commit, index, now) for index in range(len(commit.outbox)))


def _change(tables: _Tables, change: Change, now: float) -> None:
    old = tables.games.get(change.game)
    if (old.version if old else 0) != change.version:
        raise Conflict(change.game)
    if old and change.events and change.events[0].number != old.next_event:
        raise Conflict(change.game)
    last = change.events[-1] if change.events else None
    game = old or GameRow(change.game, 0, 1, "", now, now)
    game = replace(game, version=game.version + 1, updated=now)
    tables.games[change.game] = replace(game, next_event=last.number + 1, head=last.hash) if last else game
    tables.events[change.game] = tables.events.get(change.game, ()) + change.events
    if change.state is not None:
        tables.snapshots[change.game] = (tables.games[change.game].next_event - 1, change.state)


def _bind(tables: _Tables, binding: Binding) -> None:
    was = _current(tables, binding.place)
    if was != binding.was:
        raise Conflict(binding.place)
    if was is not None:
        row = tables.bindings.pop((binding.place, was))
        if binding.game is not None:
            tables.bindings[binding.place, was] = replace(row, current=False)
        if was != binding.game:
            tables.games[was] = replace(tables.games[was], version=tables.games[was].version + 1)
    if binding.game is not None:
        if binding.alone:
            others = tables.bindings.items()
            tables.bindings = {key: row for key, row in others if key[1] != binding.game or row.current}
        tables.bindings[binding.place, binding.game] = _Place(binding.server or binding.place, current=True)


def _enqueue(tables: _Tables, commit: Commit, index: int, now: float) -> int:
    entry = commit.outbox[index]
    tables.last_outbox += 1
    reply = commit.reply if entry.reply is None else entry.reply
    tables.outbox[tables.last_outbox] = OutboxRow(
        tables.last_outbox, commit.request_id or "", entry.place, reply, entry.delivery, 0, entry.due, now
    )
    return tables.last_outbox


def _erase(tables: _Tables, game: str, now: float) -> None:
    _bury(tables, {id for id, row in tables.requests.items() if row.game == game}, now)
    tables.games.pop(game, None)
    tables.snapshots.pop(game, None)
    tables.events.pop(game, None)
    tables.bindings = {key: row for key, row in tables.bindings.items() if key[1] != game}
    tables.persons = {key: row for key, row in tables.persons.items() if key[0] != game}
    tables.texts = {key: row for key, row in tables.texts.items() if key[0] != game}
    tables.seeds = {key: row for key, row in tables.seeds.items() if key[0] != game}


def _bury(tables: _Tables, requests: set[str], now: float) -> None:
    """Delete requests with their answers; a tombstone stays."""
    tables.tombstones |= {tombstone(id): now for id in requests}
    tables.outbox = {id: row for id, row in tables.outbox.items() if row.request_id not in requests}
    tables.requests = {id: row for id, row in tables.requests.items() if id not in requests}


def _forget(tables: _Tables, user: str, now: float) -> None:
    theirs = {(row.game, row.person) for row in tables.persons.values() if row.user == user}
    games = {game for game, _ in theirs}
    tables.texts = {key: row for key, row in tables.texts.items() if (row.game, row.person) not in theirs}
    tables.seeds = {key: replace(row, texts=()) if row.game in games else row for key, row in tables.seeds.items()}
    tables.persons = {key: row for key, row in tables.persons.items() if row.user != user}
    tables.docs = {key: row for key, row in tables.docs.items() if row.owner != user}
    _bury(tables, {id for id, row in tables.requests.items() if row.user == user}, now)


def _remove_place(tables: _Tables, place: str, game: str, server: str, now: float) -> None:
    """Delete a place's line, then the game that nobody else plays, and documents of an owner who is gone."""
    del tables.bindings[place, game]
    if not any(key[1] == game for key in tables.bindings):
        _erase(tables, game, now)
    for owner in {place, server}:
        if not any(owner in (key[0], row.server) for key, row in tables.bindings.items()):
            tables.docs = {key: doc for key, doc in tables.docs.items() if doc.owner != owner}
