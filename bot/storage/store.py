"""The Store: its queries and writes, in SQLite's dialect of SQL. An engine runs them."""

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, Self

from bot.game.game_log import DiceSeed, LoggedEvent, LoggedText, Participant
from bot.rules.text.plain import make_storable
from bot.storage import statements
from bot.storage.base import REQUESTS_KEPT, Clock, Deleted
from bot.storage.journal import Journal
from bot.storage.records import (
    AWAY,
    BOARD,
    SEEK_LINK,
    Commit,
    Committed,
    Doc,
    DueRow,
    GameRow,
    Json,
    MarkRow,
    OutboxRow,
    PostedMessages,
    Saved,
    UserData,
    check_change,
    compute_tombstone,
    list_columns,
)
from bot.storage.statements import NOW, AlreadyAnswered, Ask, Engine, Row, SqlStep, Talk
from bot.storage.struck_texts import StruckTexts

_LAST = 2**62
_LAST_SIGN = "\U0010ffff"
"""A sign that sorts after those of all keys, so that an index finds the keys with a prefix."""
_EVENT, _TEXT, _PERSON, _SEED, _DUE, _DOC = (
    f"SELECT {list_columns(table)} FROM {table}"
    for table in ("events", "texts", "persons", "seeds", "due", "docs")
)
_HAS_BOARD = f"EXISTS (SELECT 1 FROM docs WHERE kind = '{BOARD}' AND key = games.id)"
_GAME_OF_PLACE = "(SELECT game FROM bindings WHERE place = ?1 AND current)"
# One query, so that all values are of the same moment, whatever is committed meanwhile.
_SAVED = f"""
SELECT games.id, version, next_event, head, created, updated, {_HAS_BOARD}, coalesce(at, 0), state,
    (SELECT json_group_array(json_array(number, body, hash)) FROM events
        WHERE game = games.id AND number > coalesce(at, 0)),
    (SELECT json_group_array(json_array(person, "user", name)) FROM persons WHERE game = games.id),
    (SELECT json_group_array(place) FROM bindings WHERE game = games.id AND current),
    games.id, epoch, seed, commitment, first_event, texts, digest, revealed
FROM games LEFT JOIN snapshots ON snapshots.game = games.id
LEFT JOIN seeds ON seeds.game = games.id AND epoch = (SELECT max(epoch) FROM seeds WHERE game = games.id)
WHERE games.id = """

Late = tuple[str, int, int]
"""A place with overdue answers, their number, and the id of the first in the outbox."""


class Store(ABC):
    """The storage of games. Every method may raise StoreError.

    A "place" is the key of a channel or thread, "game" the id of a game in the store.
    """

    in_use = 0
    """Number of database connections at work, if a store has a pool of them."""

    def __init__(self, writer: Engine, ask: Ask, journal: Journal, clock: Clock) -> None:
        """`ask` runs queries that only read. `journal` records receipts, also while another process
        writes games.
        """
        self._writer = writer
        self._ask = ask
        self.journal = journal
        self._clock = clock

    @abstractmethod
    async def check(self) -> Sequence[str]:
        """Check the stored data, and return a line for each fault; none if all is well."""

    @abstractmethod
    async def watch_for_removal(self) -> str:
        """Wait until the database was deleted, moved or replaced, so that nothing can be saved any
        more. Return a message for the host that says so and what to do.
        """

    @abstractmethod
    async def close(self) -> None:
        """Finish waiting writes and close all connections."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def commit(self, commit: Commit) -> Committed:
        """Store a whole commit. When this returns, it is on the disk. If the request was stored
        before, nothing is stored, and the earlier reply is returned with `seen`.

        Raises Conflict if another process changed a game, place, document or task; Deleted if the
        answer to the request was deleted in the last 7 days; CalledOff if the gate is closed;
        ValueError if the events of a change do not belong together.
        """
        for change in commit.changes:
            check_change(change)
        attempt = secrets.token_hex(8)
        steps = list(statements.build_commit_steps(commit, attempt, self._clock()))
        key = commit.changes[0].game if commit.changes else ""
        is_safe = commit.request_id is not None
        try:
            rows = await self._writer.write(steps, key=key, is_safe=is_safe, gate=commit.gate)
        except AlreadyAnswered:
            return await self._load_earlier_answer(commit, attempt)
        return Committed(commit.reply, outbox=tuple(id for (id,) in rows))

    async def _load_earlier_answer(self, commit: Commit, attempt: str) -> Committed:
        """Return the result of a commit whose request was stored before: by an earlier commit, or by
        this one (the same `attempt`) if the connection broke after it.

        Raises Deleted if the answer was deleted since.
        """
        request = str(commit.request_id)
        rows = await self._ask("SELECT reply /*+ , attempt */ FROM requests WHERE id = ?1", request)
        if not rows:
            raise Deleted(request)
        if tuple(rows[0][1:]) == (attempt,):
            waiting = await self._ask(
                "SELECT id FROM outbox WHERE request = ?1 ORDER BY id", request
            )
            return Committed(commit.reply, outbox=tuple(id for (id,) in waiting))
        return Committed(json.loads(rows[0][0]), seen=True)

    async def load_earlier_reply(self, request_id: str) -> Json | None:
        """Return the reply that a request got in the last 7 days, or None if it was not answered.

        Raises Deleted if that answer was deleted.
        """
        request = make_storable(request_id)
        [(reply, is_deleted)] = await self._ask(
            "SELECT (SELECT reply FROM requests WHERE id = ?1 AND at >= ?3), "
            "EXISTS (SELECT 1 FROM tombstones WHERE id = ?2 AND at >= ?3)",
            *(request, compute_tombstone(request), self._clock() - REQUESTS_KEPT),
        )
        if reply is None and is_deleted:
            raise Deleted(request_id)
        return json.loads(reply) if reply is not None else None

    async def load_game_version(self, place: str) -> tuple[str, int, bool] | None:
        """Return id and version of the game that a place plays, and whether it has a board; None
        without a game. With this a cached game is checked.
        """
        query = f"SELECT id, version, {_HAS_BOARD} FROM bindings JOIN games ON id = game WHERE place = ?1 AND current"
        rows = await self._ask(query, place)
        if not rows:
            return None
        [(game, version, has_board)] = rows
        return game, version, bool(has_board)

    async def load_game(self, place: str) -> Saved | None:
        """Return the game that a place plays, or None."""
        return _build_saved_game(await self._ask(_SAVED + _GAME_OF_PLACE, place))

    async def load_game_by_id(self, game: str) -> Saved | None:
        """Return a game, even if no place plays it now; None if there is none with this id."""
        return _build_saved_game(await self._ask(_SAVED + "?1", game))

    async def load_game_history(self, place: str) -> Sequence[tuple[int, str]]:
        """Return (number, id) of each game that is or was played in a place, in order. A game keeps
        its number in a place.
        """
        rows = await self._ask(
            "SELECT number, game FROM bindings WHERE place = ?1 ORDER BY number", place
        )
        return [(number, game) for number, game in rows]

    async def list_games(
        self, after: str = "", limit: int = 1000, since: float = 0.0
    ) -> Sequence[str]:
        """Return one page of the ids of all games that changed at or after `since` (Unix seconds),
        in order. `after` is the last id of the previous page, `limit` the length of a page.
        """
        query = "SELECT id FROM games WHERE id > ?1 AND updated >= ?3 ORDER BY id LIMIT ?2"
        rows = await self._ask(query, after, limit, since)
        return [id for (id,) in rows]

    async def list_games_of_user(
        self, user: str, server: str = "", limit: int = 200
    ) -> Sequence[str]:
        """Return the ids of at most `limit` games in which a user has taken part, the game that
        changed last first.

        With a `server`, only games that are or were played in its channels.
        """
        query = (
            'SELECT id FROM games WHERE id IN (SELECT game FROM persons WHERE "user" = ?1) AND '
            "(?2 = '' OR EXISTS (SELECT 1 FROM bindings WHERE game = id AND server = ?2)) "
            "ORDER BY updated DESC, id LIMIT ?3"
        )
        return [id for (id,) in await self._ask(query, user, server, limit)]

    async def load_events(
        self,
        game: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> Sequence[LoggedEvent]:
        """Return the events of a game with after < number < before, at most `limit`, in order or
        newest first.
        """
        order = "DESC" if newest_first else "ASC"
        query = f"{_EVENT} WHERE game = ?1 AND number > ?2 AND number < ?3 ORDER BY number {order} LIMIT ?4"
        end = before if before is not None else _LAST
        row_limit = limit if limit is not None else _LAST
        rows = await self._ask(query, game, after, end, row_limit)
        return tuple(LoggedEvent(*row) for row in rows)

    async def load_events_at(self, game: str, numbers: Sequence[int]) -> Sequence[LoggedEvent]:
        """Return the events of a game with these numbers, in order."""
        if not numbers:
            return ()
        query = f"{_EVENT} WHERE game = ?1 AND number IN {_format_placeholders(numbers)} ORDER BY number"
        rows = await self._ask(query, game, *numbers)
        return tuple(LoggedEvent(*row) for row in rows)

    async def load_index_blocks(self, game: str, marks: Sequence[str]) -> Sequence[MarkRow]:
        """Return the index entries of these marks in a game's log, by block."""
        if not marks:
            return ()
        query = (
            f"SELECT {list_columns('marks')} FROM marks WHERE game = ?1 AND mark IN "
            f"{_format_placeholders(marks)} ORDER BY block, mark"
        )
        rows = await self._ask(query, game, *map(make_storable, marks))
        return tuple(MarkRow(*row) for row in rows)

    async def save_index_blocks(self, rows: Sequence[MarkRow]) -> None:
        """Write or replace index entries; ignore those of games that do not exist."""
        await self._writer.write(list(map(statements.put_mark, rows)))

    async def load_texts(
        self, game: str, *, after: int = 0, before: int | None = None
    ) -> Sequence[LoggedText]:
        """Return the texts of a game that were not deleted, by event, with after < event < before."""
        query = f"{_TEXT} WHERE game = ?1 AND event > ?2 AND event < ?3 ORDER BY event, key"
        rows = await self._ask(query, game, after, before if before is not None else _LAST)
        return tuple(LoggedText(*row) for row in rows)

    async def load_persons(self, game: str) -> Sequence[Participant]:
        """Return everybody who ever took part in a game and was not deleted."""
        rows = await self._ask(f"{_PERSON} WHERE game = ?1 ORDER BY person", game)
        return tuple(Participant(*row) for row in rows)

    async def load_seeds(self, game: str) -> Sequence[DiceSeed]:
        """Return all seeds of a game, the oldest first. Never show one that is not revealed."""
        rows = await self._ask(f"{_SEED} WHERE game = ?1 ORDER BY epoch", game)
        return tuple(map(_build_seed_row, rows))

    async def claim_outbox(
        self, lease: float, limit: int = 50, platform: str = ""
    ) -> Sequence[OutboxRow]:
        """Claim overdue answers to places whose keys begin with `platform`, oldest first, and return
        them.

        For `lease` seconds (LONGEST_WAIT at most) no other process gets them, nor a later change of
        a message that one of them changes.
        """
        rows: Sequence[OutboxRow] = await self._writer.talk(
            lambda: statements.claim(lease, limit, platform)
        )
        return rows

    async def count_waiting_answers(self, platform: str, late: float) -> tuple[int, int]:
        """Return the number of answers in the outbox to places whose keys begin with `platform`, and
        the number of those that were stored more than `late` seconds ago.
        """
        [(waiting, overdue)] = await self._ask(
            f"SELECT count(*), count(*) FILTER (WHERE created < {NOW} - ?2) FROM outbox "
            "WHERE substr(place, 1, length(?1)) = ?1",
            *(platform, late),
        )
        return waiting, overdue

    async def list_overdue_answers(self, platform: str, late: float) -> Sequence[Late]:
        """Return the places, with keys that begin with `platform`, that have answers in the outbox
        which were stored more than `late` seconds ago: (place, number of these answers, id of the
        first), most answers first, at most 1,000 places.
        """
        query = (
            f"SELECT place, count(*), min(id) FROM outbox WHERE created < {NOW} - ?2 "
            "AND substr(place, 1, length(?1)) = ?1 GROUP BY place ORDER BY 2 DESC LIMIT 1000"
        )
        return [
            (place, count, first) for place, count, first in await self._ask(query, platform, late)
        ]

    async def mark_outbox_done(self, *ids: int, spot: Json | None = None) -> None:
        """Take answers out of the outbox that were posted, or can never be.

        `spot` is where the messages are, as the adapter identifies them. It is remembered for those
        with an `about` key, so that they can be changed later.
        """
        await self._writer.write(list(statements.record_posted(ids, spot or {})))

    async def load_posted_messages(self, about: str) -> PostedMessages:
        """Return the messages with this `about` key (see Outgoing), posted or waiting."""
        stored_reply = "(SELECT reply FROM requests WHERE id = request)"
        rows = await self._ask(
            f"SELECT place, spot, {stored_reply} FROM shown WHERE about = ?1 UNION ALL "
            f"SELECT coalesce(nullif(home, ''), place), NULL, {stored_reply} FROM outbox "
            "WHERE about = ?1 AND about <> ''",
            about,
        )
        spots: dict[str, tuple[Json, ...]] = {}
        for place, spot, _ in rows:
            if spot is not None:  # {} if the adapter did not say it
                spots[place] = (*spots.get(place, ()), json.loads(spot))
        waiting = frozenset(place for place, spot, _ in rows if spot is None)
        reply = next((reply for _, _, reply in rows if reply), None)
        return PostedMessages(spots, waiting, json.loads(reply) if reply else None)

    async def retry_outbox(self, delay: float, *ids: int, in_progress: bool = False) -> None:
        """Let answers that were not posted be claimed again after `delay` seconds, LONGEST_WAIT at
        most. `in_progress`: the process that claimed them is still posting, or may have posted them.
        """
        sign = "" if in_progress else "-"
        query = f"UPDATE outbox SET due = {NOW} + ?1, attempts = {sign}abs(attempts) WHERE id = ?2"
        await self._writer.write([SqlStep(query, (delay, id)) for id in ids])

    async def load_doc(self, kind: str, key: str) -> Doc | None:
        """Return a document, or None if there is none or it has expired."""
        query = f"{_DOC} WHERE kind = ?1 AND key = ?2 AND coalesce(expires > ?3, true)"
        rows = await self._ask(query, kind, key, self._clock())
        return _build_doc(rows[0]) if rows else None

    async def load_docs(
        self, kind: str, owner: str | None = None, *, under: str | None = None
    ) -> Sequence[Doc]:
        """Return all documents of a kind that have not expired, by key.

        With `owner` only theirs, with `under` only those with a key that begins so.
        """
        query = (
            f"{_DOC} WHERE kind = ?1 AND key >= ?4 AND key < ?5 "
            "AND coalesce(expires > ?2, true) AND coalesce(owner = ?3, true) ORDER BY key"
        )
        prefix = under or ""
        rows = await self._ask(query, kind, self._clock(), owner, prefix, prefix + _LAST_SIGN)
        return tuple(map(_build_doc, rows))

    async def put_doc(self, doc: Doc) -> None:
        """Write or replace a document."""
        await self._writer.write([statements.put_doc(doc)])

    async def take_doc(self, kind: str, key: str) -> Doc | None:
        """Delete a document and return it, or None if there is none or it has expired. If several
        processes take it at once, only one of them gets it.
        """
        query = f"DELETE FROM docs WHERE kind = ?1 AND key = ?2 RETURNING {list_columns('docs')}"
        now = self._clock()
        rows = await self._writer.write([SqlStep(query, (kind, key))], is_safe=False)
        docs = [_build_doc(row) for row in rows]
        return next((doc for doc in docs if doc.expires is None or doc.expires > now), None)

    async def load_due(self, limit: int) -> Sequence[DueRow]:
        """Return at most `limit` tasks that are due now, the earliest first. The commit that carries
        one out drops it.
        """
        query = f"{_DUE} WHERE at <= {NOW} ORDER BY at, key LIMIT ?1"
        return tuple(map(_build_due_row, await self._ask(query, limit)))

    async def load_time(self) -> float:
        """Return the time in Unix seconds, by the clock that all processes of the database share."""
        [(now,)] = await self._ask(f"SELECT {NOW}")
        return float(now)

    async def load_due_at(self, key: str) -> DueRow | None:
        """Return the task with this key, which may be due later, or None."""
        rows = await self._ask(f"{_DUE} WHERE key = ?1", key)
        return _build_due_row(rows[0]) if rows else None

    async def load_user_data(self, user: str) -> UserData:
        """Return all data that is stored about a user. `Commit.forget` deletes it."""
        own_texts = (
            "SELECT texts.game, event, key, salt, text, texts.person FROM persons JOIN texts "
            'ON texts.game = persons.game AND texts.person = persons.person WHERE "user" = ?1 '
            "ORDER BY texts.game, event, key"
        )
        own_docs = f"{_DOC} WHERE owner = ?1 AND owner <> '' ORDER BY kind, key"
        own_tasks = f"{_DUE} WHERE owner = ?1 AND owner <> '' ORDER BY key"
        persons = await self._ask(f'{_PERSON} WHERE "user" = ?1 ORDER BY game', user)
        texts = await self._ask(own_texts, user)
        docs = await self._ask(own_docs, user)
        tasks = await self._ask(own_tasks, user)
        return UserData(
            tuple(Participant(*row) for row in persons),
            tuple(LoggedText(*row) for row in texts),
            tuple(map(_build_doc, docs)),
            tuple(map(_build_due_row, tasks)),
        )

    async def list_users(self) -> Sequence[str]:
        """Return the users about whom anything is stored, and the servers that own documents."""
        query = (
            'SELECT "user" FROM persons UNION SELECT owner FROM docs UNION SELECT owner FROM due '
            'UNION SELECT "user" FROM requests'
        )
        return [user for (user,) in await self._ask(query) if user]

    async def scrub(self, user: str, names: Sequence[str]) -> None:
        """Replace a user's id and names by "someone" in all answers that are still stored."""
        await self._writer.talk(lambda: statements.scrub(user, names))

    async def strike(
        self, texts: Sequence[str], names: Sequence[str], games: Sequence[str]
    ) -> None:
        """Strike the texts that a user wrote in these games from all answers that are still stored.
        Files in answers that contain such a text, or one of the user's `names`, are removed.

        It works page by page, so that other commands are answered meanwhile.
        """
        struck = StruckTexts(texts, names)
        ids = " ".join(games)
        for scanned in statements.SCANNED_COLUMNS:
            last_key: object = 0 if scanned.table == "outbox" else ""
            while last_key is not None:
                strike_page = partial(statements.strike, scanned, struck, ids, last_key)
                last_key = await self._writer.talk(strike_page)

    @abstractmethod
    async def purge_deleted(self) -> None:
        """Remove deleted data from the files of the database and its logs, as far as the store can
        do that itself.
        """

    async def list_shared_games(self, server: str) -> Sequence[tuple[str, str]]:
        """Return (place, game) of each place of a server whose game is also played in another place,
        by place.
        """
        query = (
            "SELECT place, game FROM bindings AS here WHERE server = ?1 AND current AND EXISTS (SELECT 1 FROM bindings "
            "AS there WHERE there.game = here.game AND there.current AND there.place <> here.place) ORDER BY place"
        )
        return [(place, game) for place, game in await self._ask(query, server)]

    async def list_current_games(self, server: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (place, game) of at most `limit` places of a server that play a game, the game that
        changed last first.
        """
        query = (
            "SELECT place, game FROM bindings JOIN games ON id = game "
            "WHERE server = ?1 AND current ORDER BY updated DESC, place LIMIT ?2"
        )
        return [(place, game) for place, game in await self._ask(query, server, limit)]

    async def list_servers(self, platform: str) -> Sequence[str]:
        """Return the servers whose keys begin with `platform` that have games, sorted. Those from
        which the bot was removed are left out.
        """
        query = "SELECT DISTINCT server FROM bindings WHERE removed IS NULL AND substr(server, 1, length(?1)) = ?1"
        return sorted(server for (server,) in await self._ask(query, platform))

    async def list_servers_sharing_seeks(self, platform: str) -> Sequence[str]:
        """Return the servers whose keys begin with `platform` that share seeks with another server,
        sorted. Those from which the bot was removed are left out.
        """
        query = (
            "SELECT DISTINCT owner FROM docs WHERE kind = ?2 AND substr(owner, 1, length(?1)) = ?1 "
            "AND NOT EXISTS (SELECT 1 FROM docs AS mark WHERE mark.kind = ?3 AND mark.key = docs.owner)"
        )
        return sorted(server for (server,) in await self._ask(query, platform, SEEK_LINK, AWAY))

    async def mark_server_left(self, server: str) -> None:
        """Record that the bot was removed from a server (or place): the sweep will delete its
        games, and nothing is shared with it any more.
        """
        query = (
            "UPDATE bindings SET removed = ?1 WHERE removed IS NULL AND (server = ?2 OR place = ?2)"
        )
        mark = statements.put_doc(Doc(AWAY, server, {}, None, server))
        await self._writer.write([SqlStep(query, (self._clock(), server)), mark])

    async def mark_server_joined(self, server: str) -> bool:
        """Record that the bot is on a server (or in a place), so that its games stay. Return whether
        it had been removed.
        """
        query = "UPDATE bindings SET removed = NULL WHERE removed IS NOT NULL AND (server = ?1 OR place = ?1)"
        drop_mark = "DELETE FROM docs WHERE kind = ?1 AND key = ?2 RETURNING key"
        steps = [
            SqlStep(query + " RETURNING place", (server,)),
            SqlStep(drop_mark, (AWAY, server)),
        ]
        return bool(await self._writer.write(steps))

    async def sweep(self, retention: float | None) -> None:
        """Delete outdated data: requests after 7 days, expired documents, and games `retention`
        seconds (None: never) after the bot was removed from all their places.
        """
        now = self._clock()
        await self._writer.talk(lambda: self._sweep_old_requests(now))
        await self._writer.talk(lambda: statements.sweep(retention, now))
        await self.purge_deleted()

    def _sweep_old_requests(self, now: float) -> Talk:
        """Delete outdated requests, see `statements.sweep_requests`."""
        return statements.sweep_requests(now)


def _format_placeholders(values: Sequence[object]) -> str:
    """Return the placeholders of these values in SQL, `(?2, ?3, ...)`."""
    return f"({', '.join(f'?{number}' for number in range(2, len(values) + 2))})"


def _build_saved_game(rows: Sequence[Row]) -> Saved | None:
    """Build a game from the rows of _SAVED; None if there are none."""
    if not rows:
        return None
    [(*game, has_board, state_event, state, events, persons, places)] = [row[:12] for row in rows]
    id = game[0]
    seed = rows[0][12:]
    return Saved(
        game=GameRow(*game),
        state=json.loads(state or "{}"),
        state_at=state_event,
        events=tuple(LoggedEvent(id, *row) for row in _parse_sorted_rows(events)),
        persons=tuple(Participant(id, *row) for row in _parse_sorted_rows(persons)),
        seed=_build_seed_row(seed) if seed[1] is not None else None,
        places=tuple(_parse_sorted_rows(places)),
        has_board=bool(has_board),
    )


def _parse_sorted_rows(text: str | None) -> list[Any]:
    """Return the rows in a JSON list, sorted by their keys, with which they begin; none for None."""
    return sorted(json.loads(text or "[]"))


def _build_seed_row(row: Row) -> DiceSeed:
    game, epoch, seed, commitment, first_event, texts, digest, revealed = row
    return DiceSeed(
        game,
        epoch,
        bytes(seed),
        commitment,
        first_event,
        tuple(json.loads(texts)),
        digest,
        revealed,
    )


def _build_doc(row: Row) -> Doc:
    kind, key, data, expires, owner = row
    return Doc(kind, key, json.loads(data), expires, owner)


def _build_due_row(row: Row) -> DueRow:
    key, time, kind, data, owner = row
    return DueRow(key, time, kind, json.loads(data), owner)
