"""The Store: what is asked and written, said once, in SQLite's dialect; an engine carries it
out.
"""

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, Self

from bot.rules.text.plain import make_storable
from bot.storage import statements
from bot.storage.base import REQUESTS_KEPT, Clock, Deleted
from bot.storage.journal import Journal
from bot.storage.records import (
    BOARD,
    Commit,
    Committed,
    Doc,
    DueRow,
    EventRow,
    GameRow,
    Json,
    MarkRow,
    OutboxRow,
    PersonRow,
    PostedMessages,
    Saved,
    SeedRow,
    TextRow,
    UserData,
    check_change,
    compute_tombstone,
    list_columns,
)
from bot.storage.statements import NOW, AlreadyAnswered, Ask, Engine, Row, SqlStep, Talk
from bot.storage.struck_texts import StruckTexts

_LAST = 2**62
_EVENT, _TEXT, _PERSON, _SEED, _DUE, _DOC = (
    f"SELECT {list_columns(table)} FROM {table}"
    for table in ("events", "texts", "persons", "seeds", "due", "docs")
)
_HAS_BOARD = f"EXISTS (SELECT 1 FROM docs WHERE kind = '{BOARD}' AND key = games.id)"
_HERE = "(SELECT game FROM bindings WHERE place = ?1 AND current)"
# One query, so that all of it is of the same moment, whatever is committed meanwhile.
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


class Store(ABC):
    """Keeps games and hands them out again. Every method may raise StoreError."""

    in_use = 0
    """Connections of this process that are at work, where a store has several."""

    def __init__(self, writer: Engine, ask: Ask, journal: Journal, clock: Clock) -> None:
        """`journal` is where receipts are written down; it can be written while another process
        writes games.
        """
        self._writer = writer
        self._ask = ask
        self.journal = journal
        self._clock = clock

    @abstractmethod
    async def check(self) -> Sequence[str]:
        """What is wrong with the stored data itself, one line each; empty when all is well."""

    @abstractmethod
    async def watch_for_removal(self) -> str:
        """Waits until the data is no longer where it was opened, so that nothing can be saved;
        says what to do.
        """

    @abstractmethod
    async def close(self) -> None:
        """Finish what is under way and let go of the file."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def commit(self, commit: Commit) -> Committed:
        """Write all of `commit` at once and for good. Raises Conflict when a game or place moved
        on, Deleted for a request whose answer was deleted in the last 7 days, CalledOff where its
        gate is closed."""
        for change in commit.changes:
            check_change(change)
        attempt = secrets.token_hex(8)
        steps = list(statements.commit_steps(commit, attempt, self._clock()))
        key = commit.changes[0].game if commit.changes else ""
        is_safe = commit.request_id is not None
        try:
            rows = await self._writer.write(steps, key=key, is_safe=is_safe, gate=commit.gate)
        except AlreadyAnswered:
            return await self._load_earlier_answer(commit, attempt)
        return Committed(commit.reply, outbox=tuple(id for (id,) in rows))

    async def _load_earlier_answer(self, commit: Commit, attempt: str) -> Committed:
        """What holds for a commit whose request was stored before. Raises Deleted."""
        request = str(commit.request_id)
        rows = await self._ask("SELECT reply /*+ , attempt */ FROM requests WHERE id = ?1", request)
        if not rows:
            raise Deleted(request)
        if tuple(rows[0][1:]) == (attempt,):  # it was this one: the line broke behind it
            waiting = await self._ask(
                "SELECT id FROM outbox WHERE request = ?1 ORDER BY id", request
            )
            return Committed(commit.reply, outbox=tuple(id for (id,) in waiting))
        return Committed(json.loads(rows[0][0]), seen=True)

    async def load_earlier_reply(self, request_id: str) -> Json | None:
        """The answer that this request got in the last 7 days, or None. Raises Deleted, as
        `commit` does.
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
        """Id and version of the game that is played here, and whether it has a board: if a
        cached one still holds.
        """
        query = f"SELECT id, version, {_HAS_BOARD} FROM bindings JOIN games ON id = game WHERE place = ?1 AND current"
        rows = await self._ask(query, place)
        return (rows[0][0], rows[0][1], bool(rows[0][2])) if rows else None

    async def load_game(self, place: str) -> Saved | None:
        """The game that is played here."""
        return _build_saved_game(await self._ask(_SAVED + _HERE, place))

    async def load_game_by_id(self, game: str) -> Saved | None:
        """Any game, also one that no place plays any more."""
        return _build_saved_game(await self._ask(_SAVED + "?1", game))

    async def load_game_history(self, place: str) -> Sequence[tuple[int, str]]:
        """Number and id of each game that is or was played here, in order. A game keeps its
        number in a place.
        """
        rows = await self._ask(
            "SELECT number, game FROM bindings WHERE place = ?1 ORDER BY number", place
        )
        return [(number, game) for number, game in rows]

    async def list_games(
        self, after: str = "", limit: int = 1000, since: float = 0.0
    ) -> Sequence[str]:
        """Ids of all games that were played `since` then in order, page by page: `after` is the
        last id of the page before."""
        query = "SELECT id FROM games WHERE id > ?1 AND updated >= ?3 ORDER BY id LIMIT ?2"
        rows = await self._ask(query, after, limit, since)
        return [id for (id,) in rows]

    async def load_events(
        self,
        game: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> Sequence[EventRow]:
        """Events with after < number < before, at most `limit`."""
        order = "DESC" if newest_first else "ASC"
        query = f"{_EVENT} WHERE game = ?1 AND number > ?2 AND number < ?3 ORDER BY number {order} LIMIT ?4"
        ends = (_LAST if number is None else number for number in (before, limit))
        return tuple(EventRow(*row) for row in await self._ask(query, game, after, *ends))

    async def load_events_at(self, game: str, numbers: Sequence[int]) -> Sequence[EventRow]:
        """The events with these numbers, in order."""
        query = f"{_EVENT} WHERE game = ?1 AND number IN {_format_placeholders(numbers)} ORDER BY number"
        return (
            tuple(EventRow(*row) for row in await self._ask(query, game, *numbers))
            if numbers
            else ()
        )

    async def load_index_blocks(self, game: str, marks: Sequence[str]) -> Sequence[MarkRow]:
        """Where these marks are found in a game's log, by block."""
        query = (
            f"SELECT {list_columns('marks')} FROM marks WHERE game = ?1 AND mark IN "
            f"{_format_placeholders(marks)} ORDER BY block, mark"
        )
        rows = await self._ask(query, game, *map(make_storable, marks)) if marks else ()
        return tuple(MarkRow(*row) for row in rows)

    async def save_index_blocks(self, rows: Sequence[MarkRow]) -> None:
        """Write or replace marks; of a game that is no more, nothing."""
        await self._writer.write(list(map(statements.put_mark, rows)))

    async def load_texts(
        self, game: str, *, after: int = 0, before: int | None = None
    ) -> Sequence[TextRow]:
        """Free texts of a game that were not deleted, by event, with after < event < before."""
        query = f"{_TEXT} WHERE game = ?1 AND event > ?2 AND event < ?3 ORDER BY event, key"
        rows = await self._ask(query, game, after, before if before is not None else _LAST)
        return tuple(TextRow(*row) for row in rows)

    async def load_persons(self, game: str) -> Sequence[PersonRow]:
        """Who plays or played."""
        return tuple(
            PersonRow(*row)
            for row in await self._ask(f"{_PERSON} WHERE game = ?1 ORDER BY person", game)
        )

    async def load_seeds(self, game: str) -> Sequence[SeedRow]:
        """All seeds, the first one first. Never show one that is not revealed."""
        return tuple(
            map(_build_seed_row, await self._ask(f"{_SEED} WHERE game = ?1 ORDER BY epoch", game))
        )

    async def claim_outbox(
        self, lease: float, limit: int = 50, platform: str = ""
    ) -> Sequence[OutboxRow]:
        """Answers that are due, for places beginning with `platform`; nobody else gets them for
        `lease` seconds (LONGEST_WAIT at most), nor a later change of a message that one of them
        changes."""
        found: Sequence[OutboxRow] = await self._writer.talk(
            lambda: statements.claim(lease, limit, platform)
        )
        return found

    async def count_waiting_answers(self, platform: str, late: float) -> tuple[int, int]:
        """Return how many answers for places beginning with `platform` are on their way, and how
        many of them were written more than `late` seconds ago.
        """
        [(waiting, old)] = await self._ask(
            f"SELECT count(*), count(*) FILTER (WHERE created < {NOW} - ?2) FROM outbox "
            "WHERE substr(place, 1, length(?1)) = ?1",
            *(platform, late),
        )
        return waiting, old

    async def list_overdue_answers(self, platform: str, late: float) -> Sequence[Late]:
        """Places beginning with `platform` whose answers were written more than `late` seconds ago
        and wait still, the fullest first: place, how many, and the id of the first; 1,000 at most.
        """
        query = (
            f"SELECT place, count(*), min(id) FROM outbox WHERE created < {NOW} - ?2 "
            "AND substr(place, 1, length(?1)) = ?1 GROUP BY place ORDER BY 2 DESC LIMIT 1000"
        )
        return [
            (place, count, first) for place, count, first in await self._ask(query, platform, late)
        ]

    async def mark_outbox_done(self, *ids: int, spot: Json | None = None) -> None:
        """These were posted (or can never be). `spot`: where, so that what is about something
        can be changed later.
        """
        await self._writer.write(list(statements.record_posted(ids, spot or {})))

    async def load_posted_messages(self, about: str) -> PostedMessages:
        """Where messages about something are."""
        said = "(SELECT reply FROM requests WHERE id = request)"
        rows = await self._ask(
            f"SELECT place, spot, {said} FROM shown WHERE about = ?1 UNION ALL "
            f"SELECT coalesce(nullif(home, ''), place), NULL, {said} FROM outbox WHERE about = ?1 AND about <> ''",
            about,
        )
        spots: dict[str, tuple[Json, ...]] = {}
        for place, spot, _ in rows:
            if spot is not None:
                spots[place] = (*spots.get(place, ()), json.loads(spot))  # {} where nobody knows
        waiting = frozenset(place for place, spot, _ in rows if spot is None)
        reply = next((reply for _, _, reply in rows if reply), None)
        return PostedMessages(spots, waiting, json.loads(reply) if reply else None)

    async def retry_outbox(self, after: float, *ids: int, held: bool = False) -> None:
        """Not yet posted: claimable again in `after` seconds, LONGEST_WAIT at most. `held`: whoever
        has claimed them is still at work, or they may be there without anybody knowing."""
        query = f"UPDATE outbox SET due = {NOW} + ?1, attempts = {'' if held else '-'}abs(attempts) WHERE id = ?2"
        await self._writer.write([SqlStep(query, (after, id)) for id in ids])

    async def load_doc(self, kind: str, key: str) -> Doc | None:
        """A document that has not expired."""
        query = f"{_DOC} WHERE kind = ?1 AND key = ?2 AND coalesce(expires > ?3, true)"
        return next(map(_build_doc, await self._ask(query, kind, key, self._clock())), None)

    async def load_docs(self, kind: str, owner: str | None = None) -> Sequence[Doc]:
        """All documents of a kind (of an owner), by key."""
        query = f"{_DOC} WHERE kind = ?1 AND coalesce(expires > ?2, true) AND coalesce(owner = ?3, true) ORDER BY key"
        return tuple(map(_build_doc, await self._ask(query, kind, self._clock(), owner)))

    async def put_doc(self, doc: Doc) -> None:
        """Write or replace a document."""
        await self._writer.write([statements.put_doc(doc)])

    async def take_doc(self, kind: str, key: str) -> Doc | None:
        """The document, which is deleted in the same breath: of several takers one gets it."""
        query = f"DELETE FROM docs WHERE kind = ?1 AND key = ?2 RETURNING {list_columns('docs')}"
        now = self._clock()
        taken = map(
            _build_doc, await self._writer.write([SqlStep(query, (kind, key))], is_safe=False)
        )
        return next((doc for doc in taken if doc.expires is None or doc.expires > now), None)

    async def load_due(self, limit: int) -> Sequence[DueRow]:
        """What is due by now, the earliest first. Whoever sees to it drops it in the commit that
        does so.
        """
        query = f"{_DUE} WHERE at <= {NOW} ORDER BY at, key LIMIT ?1"
        return tuple(map(_build_due_row, await self._ask(query, limit)))

    async def load_time(self) -> float:
        """Unix seconds by the clock that all processes of the database share."""
        [(now,)] = await self._ask(f"SELECT {NOW}")
        return float(now)

    async def load_due_at(self, key: str) -> DueRow | None:
        """What is due under this key, now or later."""
        return next(map(_build_due_row, await self._ask(f"{_DUE} WHERE key = ?1", key)), None)

    async def load_user_data(self, user: str) -> UserData:
        """What is kept about a user. Deleted by Commit.forget."""
        theirs = (
            "SELECT texts.game, event, key, salt, text, texts.person FROM persons JOIN texts "
            'ON texts.game = persons.game AND texts.person = persons.person WHERE "user" = ?1 '
            "ORDER BY texts.game, event, key"
        )
        return UserData(
            tuple(
                PersonRow(*row)
                for row in await self._ask(f'{_PERSON} WHERE "user" = ?1 ORDER BY game', user)
            ),
            tuple(TextRow(*row) for row in await self._ask(theirs, user)),
            tuple(
                map(
                    _build_doc,
                    await self._ask(
                        f"{_DOC} WHERE owner = ?1 AND owner <> '' ORDER BY kind, key", user
                    ),
                )
            ),
            tuple(
                map(
                    _build_due_row,
                    await self._ask(f"{_DUE} WHERE owner = ?1 AND owner <> '' ORDER BY key", user),
                )
            ),
        )

    async def list_users(self) -> Sequence[str]:
        """Whoever anything is kept about."""
        query = (
            'SELECT "user" FROM persons UNION SELECT owner FROM docs UNION SELECT owner FROM due '
            'UNION SELECT "user" FROM requests'
        )
        return [user for (user,) in await self._ask(query) if user]

    async def scrub(self, user: str, names: Sequence[str]) -> None:
        """Take a user's id and names out of what others were answered in the last 7 days."""
        await self._writer.talk(lambda: statements.scrub(user, names))

    async def strike(
        self, texts: Sequence[str], names: Sequence[str], games: Sequence[str]
    ) -> None:
        """Take the texts that somebody wrote in these games out of what others were answered in the
        last 7 days.

        It goes page by page, so that other commands are answered meanwhile. Files that hold a text
        or a name go whole.
        """
        struck = StruckTexts(texts, names)
        ids = " ".join(games)
        for place in statements.PLACES:
            after: object = 0 if place.table == "outbox" else ""
            while after is not None:
                after = await self._writer.talk(
                    partial(statements.strike, place, struck, ids, after)
                )

    @abstractmethod
    async def purge_deleted(self) -> None:
        """Leave nothing of what was deleted in the files beside the database, as far as that is
        in our hands.
        """

    async def list_shared_games(self, server: str) -> Sequence[tuple[str, str]]:
        """(place, game) of each place of a server that plays a game which is played elsewhere
        too, by place.
        """
        query = (
            "SELECT place, game FROM bindings AS here WHERE server = ?1 AND current AND EXISTS (SELECT 1 FROM bindings "
            "AS there WHERE there.game = here.game AND there.current AND there.place <> here.place) ORDER BY place"
        )
        return [(place, game) for place, game in await self._ask(query, server)]

    async def list_current_games(self, server: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (place, game) of what is played in the places of a server, the game first in which
        something happened last.
        """
        query = (
            "SELECT place, game FROM bindings JOIN games ON id = game "
            "WHERE server = ?1 AND current ORDER BY updated DESC, place LIMIT ?2"
        )
        return [(place, game) for place, game in await self._ask(query, server, limit)]

    async def list_servers(self, platform: str) -> Sequence[str]:
        """Servers of a platform that have games and, as far as anybody has said, the bot."""
        query = "SELECT DISTINCT server FROM bindings WHERE removed IS NULL AND substr(server, 1, length(?1)) = ?1"
        return sorted(server for (server,) in await self._ask(query, platform))

    async def mark_server_left(self, server: str) -> None:
        """The bot was removed from a server (or place): its games wait for the sweep."""
        query = (
            "UPDATE bindings SET removed = ?1 WHERE removed IS NULL AND (server = ?2 OR place = ?2)"
        )
        await self._writer.write([SqlStep(query, (self._clock(), server))])

    async def mark_server_joined(self, server: str) -> bool:
        """The bot is there (again): its games stay. Whether it had been away."""
        query = "UPDATE bindings SET removed = NULL WHERE removed IS NOT NULL AND (server = ?1 OR place = ?1)"
        return bool(await self._writer.write([SqlStep(query + " RETURNING place", (server,))]))

    async def sweep(self, retention: float | None) -> None:
        """Delete what is outdated: old requests, expired documents, games `retention` seconds
        (None: never) after the bot's removal."""
        now = self._clock()
        await self._writer.talk(lambda: self._sweep_old_requests(now))
        await self._writer.talk(lambda: statements.sweep(retention, now))
        await self.purge_deleted()

    def _sweep_old_requests(self, now: float) -> Talk:
        return statements.sweep_requests(now)


def _format_placeholders(values: Sequence[object]) -> str:
    """Marks for some values, from ?2 on."""
    return f"({', '.join(f'?{number}' for number in range(2, len(values) + 2))})"


def _build_saved_game(rows: Sequence[Row]) -> Saved | None:
    """A game from what _SAVED found."""
    if not rows:
        return None
    [(*game, has_board, at, state, events, persons, places)] = [row[:12] for row in rows]
    id = game[0]
    seed = rows[0][12:]
    return Saved(
        game=GameRow(*game),
        state=json.loads(state or "{}"),
        state_at=at,
        events=tuple(EventRow(id, *row) for row in _parse_sorted_rows(events)),
        persons=tuple(PersonRow(id, *row) for row in _parse_sorted_rows(persons)),
        seed=_build_seed_row(seed) if seed[1] is not None else None,
        places=tuple(_parse_sorted_rows(places)),
        has_board=bool(has_board),
    )


def _parse_sorted_rows(found: str | None) -> list[Any]:
    """The rows in a list of JSON, by their keys, with which they begin."""
    return sorted(json.loads(found or "[]"))


def _build_seed_row(row: Row) -> SeedRow:
    game, epoch, seed, commitment, first_event, texts, digest, revealed = row
    return SeedRow(
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
    key, at, kind, data, owner = row
    return DueRow(key, at, kind, json.loads(data), owner)
