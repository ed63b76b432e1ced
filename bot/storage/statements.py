"""The statements that write, for both engines: steps in SQLite's dialect of SQL.

PostgreSQL's link translates them. Text in `/*+ */` is for PostgreSQL alone, and a comment for
SQLite. The steps of a job run in order, all or none. A job that needs the result of a step before
it continues is a `Talk`, a generator that gets the rows of each step it yields.
"""

import json
import re
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from bot.game.game_log import GameChange
from bot.rules.text.plain import make_storable
from bot.storage.base import DAY, LONGEST_WAIT, REQUESTS_KEPT, Conflict, Gate
from bot.storage.records import (
    BOARD,
    DRAFT,
    ROLLED,
    SHOWN,
    TABLES,
    UNTOLD,
    Binding,
    Commit,
    Doc,
    Json,
    MarkRow,
    OutboxRow,
    Outgoing,
    PressedMessage,
    compute_tombstone,
    dump,
    list_columns,
)
from bot.storage.struck_texts import StruckTexts

Row: TypeAlias = Sequence[Any]


class SqlStep(NamedTuple):
    """A statement and its values, ?1 and on. The values after RETURNING (of one row at most) are
    among the results of its job.

    If the statement touches no row, `otherwise` is raised and the job undone. There are only a few
    dozen different texts of `sql`: PostgreSQL keeps the plan of each.
    """

    sql: str
    values: Sequence[object] = ()
    otherwise: Exception | None = None


Talk: TypeAlias = Generator[SqlStep, Sequence[Row], Any]
Ask: TypeAlias = Callable[..., Awaitable[Sequence[Row]]]
"""A function that returns the rows of a query that only reads. The arguments are the query and its
values. It may raise StoreError.
"""


class Engine(Protocol):
    """A database that runs statements. Every method may raise StoreError."""

    async def write(
        self,
        steps: Sequence[SqlStep],
        *,
        key: str = "",
        is_safe: bool = True,
        gate: Gate | None = None,
    ) -> Sequence[Row]:
        """Run the steps of a job, and return the rows of those with RETURNING once they are on the
        disk.

        `key` is the game that the job locks. A job that `is_safe` may run twice, if it is not known
        whether it was stored. `gate` is passed right before the first step.
        """
        ...

    async def talk(self, begin: Callable[[], Talk]) -> Any:
        """Run a talk in one transaction, and return its result. If the transaction is undone
        because of others, `begin` may be called for another attempt.
        """
        ...

    async def close(self) -> None:
        """Wait until all requested jobs are written."""
        ...


class AlreadyAnswered(Exception):
    """The request was stored before."""


_GAME_TABLES = ("snapshots", "events", "marks", "bindings", "persons", "texts", "seeds")
NOW = "(SELECT grognard_now())"
"""The SQL of the current time in Unix seconds, by the clock that all processes of a database share:
on PostgreSQL the server's.
"""
OVERDUE = f"(due <= {NOW} OR due > {NOW} + {LONGEST_WAIT})"
"""The condition on rows that no process has claimed, or whose lease has expired. A due time after
the longest lease was written before the clock was set back.
"""


def _build_upsert(table: str, keys: int) -> str:
    """Return the statement that writes or replaces a row, whose first `keys` columns are its key."""
    names = TABLES[table]
    placeholders = ", ".join(f"?{number}" for number in range(1, len(names) + 1))
    updates = ", ".join(f'"{name}" = excluded."{name}"' for name in names[keys:])
    key = ", ".join(f'"{name}"' for name in names[:keys])
    insert = f"INSERT INTO {table} ({list_columns(table)}) VALUES ({placeholders})"
    return f"{insert} ON CONFLICT ({key}) DO UPDATE SET {updates}"


_PUT_PERSON = _build_upsert("persons", 2)
_PUT_TEXT = _build_upsert("texts", 3)
_PUT_SEED = _build_upsert("seeds", 2)
_PUT_DOC = _build_upsert("docs", 2)
_PUT_DUE = _build_upsert("due", 1)
_PUT_OUTGOING = (
    "INSERT INTO outbox (request, place, reply, delivery, due, attempts, created, about, amends, home) "
    f"VALUES (?1, ?2, ?3, ?4, {NOW} + ?5, 0, {NOW}, ?6, ?7, ?8) RETURNING id"
)


def build_commit_steps(commit: Commit, attempt: str, now: float) -> Iterator[SqlStep]:
    """Yield the steps of a commit, which return the ids of its rows in the outbox.

    Running them raises AlreadyAnswered if the request was stored before. `attempt` is unique to this
    commit, so that it is recognized if it is sent twice. `now` are Unix seconds.
    """
    reply = dump(commit.reply)
    if commit.request_id is not None:
        yield _write_request(commit, commit.request_id, reply, attempt, now)
    for game in commit.erase:
        yield from _delete_game(game, now)
    for change in commit.changes:
        yield from _write_change(change, now)
    for binding in commit.bindings:
        yield from _bind_place(binding)
    yield from _write_side_rows(commit)
    if commit.pressed is not None:
        yield from _remember_pressed_message(commit.pressed)
    for user in commit.forget:
        yield from _forget_user(user, commit.request_id or "", now)
    for entry in commit.outbox:
        yield from _add_to_outbox(entry, commit.request_id, reply)


def put_doc(doc: Doc) -> SqlStep:
    """Return the step that writes or replaces a document."""
    return SqlStep(_PUT_DOC, (doc.kind, doc.key, dump(doc.data), doc.expires, doc.owner))


def put_mark(row: MarkRow) -> SqlStep:
    """Return the step that writes or replaces an index entry, if its game still exists."""
    return SqlStep(
        "INSERT INTO marks (game, mark, block, at) SELECT ?1, ?2, ?3, ?4 "
        "WHERE EXISTS (SELECT 1 FROM games WHERE id = ?1) "
        "ON CONFLICT (game, mark, block) DO UPDATE SET at = excluded.at",
        (row.game, make_storable(row.mark), row.block, row.numbers),
    )


def record_posted(ids: Sequence[int], spot: Json) -> Iterator[SqlStep]:
    """Yield the steps that take answers out of the outbox. The `spot` of those with an `about` key is
    remembered, so that they can be changed later.
    """
    for id in ids:
        yield SqlStep(
            "INSERT INTO shown (about, place, spot, request) "
            "SELECT about, coalesce(nullif(home, ''), place), ?1, request FROM outbox WHERE id = ?2 AND about <> '' "
            "ON CONFLICT (about, place, spot) DO UPDATE SET request = excluded.request",
            (_format_spot(spot), id),
        )
        yield SqlStep("DELETE FROM outbox WHERE id = ?1", (id,))


def claim(lease: float, limit: int, platform: str) -> Talk:
    """Claim up to `limit` overdue answers of a platform for `lease` seconds, and return them as
    OutboxRows, oldest first. Rows that another process has locked are skipped.

    Deleted are answers whose request, which held their text, is deleted, and changes of a message
    that a later change follows, unless a process may be posting the earlier one: then the later one
    waits. `attempts` are above zero while a process may be posting, and negative between two
    attempts. A change is only claimed after its message was posted.
    """
    yield SqlStep(
        "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox AS old "
        f"WHERE amends <> '' AND ({OVERDUE} OR attempts < 0) AND EXISTS (SELECT 1 FROM outbox AS later "
        "WHERE later.amends = old.amends AND later.place = old.place AND later.id > old.id) "
        "/*+ FOR UPDATE SKIP LOCKED */)"
    )
    rows = yield SqlStep(
        "SELECT id, request, place, coalesce(reply, (SELECT requests.reply FROM requests WHERE requests.id = request)),"
        f" delivery, abs(attempts), {NOW}, created, about, amends FROM outbox WHERE {OVERDUE} "
        "AND substr(place, 1, length(?1)) = ?1 AND (amends = '' OR NOT EXISTS (SELECT 1 FROM outbox AS earlier "
        "WHERE earlier.amends = outbox.amends AND earlier.place = outbox.place AND earlier.id < outbox.id) "
        "AND NOT EXISTS (SELECT 1 FROM outbox AS first WHERE first.about = outbox.amends AND first.about <> '' "
        "AND coalesce(nullif(first.home, ''), first.place) = outbox.place AND first.id < outbox.id)) "
        "ORDER BY id LIMIT ?2 /*+ FOR UPDATE SKIP LOCKED */",
        (platform, limit),
    )
    for id, _, _, reply, *_ in rows:
        if reply is None:
            yield SqlStep("DELETE FROM outbox WHERE id = ?1", (id,))
        else:
            yield SqlStep(
                f"UPDATE outbox SET due = {NOW} + ?1, attempts = abs(attempts) + 1 WHERE id = ?2",
                (lease, id),
            )
    return tuple(
        OutboxRow(id, request, place, json.loads(reply), json.loads(delivery), *columns)
        for id, request, place, reply, delivery, *columns in rows
        if reply is not None
    )


def sweep(retention: float | None, now: float) -> Talk:
    """Delete outdated tombstones and documents. Also delete the bindings and documents of places
    from which the bot was removed `retention` seconds ago (None: never), with the games that no
    place is left to play.
    """
    yield SqlStep("DELETE FROM tombstones WHERE at < ?1", (now - REQUESTS_KEPT,))
    yield SqlStep("DELETE FROM docs WHERE expires <= ?1", (now,))
    if retention is None:
        return
    # If a game was played after the removal, the bot is back, even if nobody reported that.
    bindings = yield SqlStep(
        "SELECT place, game, server FROM bindings JOIN games ON id = game WHERE removed <= ?1 AND updated <= removed",
        (now - retention,),
    )
    for place, game, server in bindings:
        yield SqlStep("DELETE FROM bindings WHERE place = ?1 AND game = ?2", (place, game))
        if not (yield SqlStep("SELECT 1 FROM bindings WHERE game = ?1", (game,))):
            yield from _delete_game(game, now)
        yield SqlStep(
            "DELETE FROM docs WHERE owner IN (?1, ?2) "
            "AND NOT EXISTS (SELECT 1 FROM bindings WHERE server = owner OR place = owner)",
            (place, server),
        )


def sweep_requests(now: float) -> Talk:
    """Delete outdated requests. Those with a time in the future, written before the clock was set
    back, get the time `now`.
    """
    yield SqlStep("DELETE FROM requests WHERE at < ?1", (now - REQUESTS_KEPT,))
    yield SqlStep("UPDATE requests SET at = ?1 WHERE at > ?2", (now, now + DAY))


def _write_request(commit: Commit, request: str, reply: str, attempt: str, now: float) -> SqlStep:
    """Return the step that stores a request with its reply. It raises AlreadyAnswered if the request
    was stored before, or its answer deleted.
    """
    game = commit.changes[0].game if commit.changes else None
    return SqlStep(  # SQLite keeps no attempt: it has no connection that breaks
        'INSERT INTO requests (id, game, "user", reply, at /*+ , attempt */) SELECT ?1, ?2, ?3, ?4, ?5 /*+ , ?8 */ '
        "WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE id = ?6 AND at >= ?7) AND ?8 <> '' ON CONFLICT DO NOTHING",
        (
            request,
            game,
            commit.user,
            reply,
            now,
            compute_tombstone(request),
            now - REQUESTS_KEPT,
            attempt,
        ),
        AlreadyAnswered(request),
    )


def _delete_game(game: str, now: float) -> Iterator[SqlStep]:
    """Yield the steps that delete a game with all rows that belong to it."""
    yield SqlStep("DELETE FROM games WHERE id = ?1", (game,))
    yield from _delete_requests("game = ?1", (game,), now)
    for table in _GAME_TABLES:
        yield SqlStep(f"DELETE FROM {table} WHERE game = ?1", (game,))
    for table, column in (("shown", "about"), ("due", "key")):
        bounds = _get_key_bounds(game)
        yield SqlStep(f"DELETE FROM {table} WHERE {column} > ?1 AND {column} < ?2", bounds)


def _delete_requests(condition: str, values: tuple[str, ...], now: float) -> Iterator[SqlStep]:
    """Yield the steps that delete the requests for which an SQL condition with these values holds,
    with their answers. A tombstone of each stays, so that none runs again if it is delivered again.
    """
    ids = f"SELECT id FROM requests WHERE {condition}"
    yield SqlStep(
        f"INSERT INTO tombstones (id, at) SELECT grognard_tombstone(id), ?{len(values) + 1} FROM requests "
        f"WHERE {condition} ON CONFLICT (id) DO UPDATE SET at = excluded.at",
        (*values, now),
    )
    yield SqlStep(f"DELETE FROM outbox WHERE request IN ({ids})", values)
    yield SqlStep(f"UPDATE shown SET request = '' WHERE request IN ({ids})", values)
    yield SqlStep(f"DELETE FROM requests WHERE {condition}", values)


def _write_change(change: GameChange, now: float) -> Iterator[SqlStep]:
    """Yield the steps that write a game's new version, events and snapshot. They raise Conflict if
    the game has not the version that was loaded.
    """
    game = change.game
    events = change.events
    if not events:
        yield SqlStep(
            "UPDATE games SET version = version + 1, updated = ?1 WHERE id = ?2 AND version = ?3",
            (now, game, change.version),
            Conflict(game),
        )
    elif change.version == 0:
        yield SqlStep(
            "INSERT INTO games (id, version, next_event, head, created, updated) "
            "VALUES (?1, 1, ?2, ?3, ?4, ?4) ON CONFLICT DO NOTHING",
            (game, events[-1].number + 1, events[-1].hash, now),
            Conflict(game),
        )
    else:
        yield SqlStep(
            "UPDATE games SET version = version + 1, next_event = ?1, head = ?2, updated = ?3 "
            "WHERE id = ?4 AND version = ?5 AND next_event = ?6",
            (events[-1].number + 1, events[-1].hash, now, game, change.version, events[0].number),
            Conflict(game),
        )
    for event in events:
        insert = "INSERT INTO events (game, number, body, hash) VALUES (?1, ?2, ?3, ?4)"
        yield SqlStep(insert, (event.game, event.number, event.body, event.hash))
    if change.state is not None:
        yield SqlStep(
            "INSERT INTO snapshots (game, at, state) SELECT id, next_event - 1, ?2 FROM games WHERE id = ?1 "
            "ON CONFLICT (game) DO UPDATE SET at = excluded.at, state = excluded.state",
            (game, dump(change.state)),
        )


def _bind_place(binding: Binding) -> Iterator[SqlStep]:
    """Yield the steps that change the game of a place (see Binding). They raise Conflict if the place
    plays another game than expected.

    The row of the old game stays if another replaces it: so it can be listed and played again, and
    is found when the bot is removed from a server.
    """
    place = binding.place
    game = binding.game
    was = binding.was
    if was is not None:
        leave = "DELETE FROM bindings" if game is None else "UPDATE bindings SET current = false"
        yield SqlStep(
            f"{leave} WHERE place = ?1 AND game = ?2 AND current", (place, was), Conflict(place)
        )
        if was != game:
            yield SqlStep("UPDATE games SET version = version + 1 WHERE id = ?1", (was,))
    if game is not None:
        yield SqlStep(
            "INSERT INTO bindings (place, game, server, current, removed, number) SELECT ?1, ?2, ?3, true, NULL, "
            "(SELECT coalesce(max(number), 0) + 1 FROM bindings WHERE place = ?1) "
            "WHERE NOT EXISTS (SELECT 1 FROM bindings WHERE place = ?1 AND current) "
            "ON CONFLICT (place, game) DO UPDATE SET server = excluded.server, current = true, removed = NULL",
            (place, game, binding.server or place),
            Conflict(place),
        )
    if binding.alone:
        yield SqlStep("DELETE FROM bindings WHERE game = ?1 AND NOT current", (game,))


def _write_side_rows(commit: Commit) -> Iterator[SqlStep]:
    """Yield the steps for the persons, texts, seeds, documents, tasks and withdrawn messages of a
    commit.
    """
    for person in commit.persons:
        yield SqlStep(
            _PUT_PERSON, (person.game, person.person, person.user, make_storable(person.name))
        )
    for text in commit.texts:
        yield SqlStep(
            _PUT_TEXT,
            (text.game, text.event, text.key, text.salt, make_storable(text.text), text.person),
        )
    for seed in commit.seeds:
        texts = json.dumps(seed.texts)
        columns = (seed.game, seed.epoch, seed.seed, seed.commitment, seed.first_event)
        yield SqlStep(_PUT_SEED, (*columns, texts, seed.digest, seed.revealed))
    for kind, key in commit.drop_docs:
        yield SqlStep(
            "DELETE FROM docs WHERE kind = ?1 AND key = ?2", (kind, key), Conflict(f"{kind} {key}")
        )
    for doc in commit.docs:
        yield put_doc(doc)
    for key, time in commit.drop_due:
        if time is None:
            yield SqlStep("DELETE FROM due WHERE key = ?1", (key,))
        else:
            yield SqlStep(
                "DELETE FROM due WHERE key = ?1 AND at = ?2", (key, time), Conflict(f"due {key}")
            )
    for due in commit.due:
        yield SqlStep(_PUT_DUE, (due.key, due.at, due.kind, dump(due.data), due.owner))
    # A message that a process has claimed may be posted already. It stays, and the change that
    # waits for it removes it from the channel.
    unposted = (
        "about <> '' AND amends = '' AND (attempts < 0 OR (attempts = 0 AND due < created + 1))"
    )
    for about in commit.withdraw:
        yield SqlStep(f"DELETE FROM outbox WHERE about = ?1 AND {unposted}", (about,))


def _remember_pressed_message(message: PressedMessage) -> Iterator[SqlStep]:
    """Yield the steps that remember the spot of a message with a button that was pressed, for a
    press proves that the message is there.

    Nothing is remembered if a message of the game is known at that spot, pinned or not: that one is
    about something else, such as a board with an Undo button. If its `about` ends in no event number,
    the button is on this one message only, and an unposted copy of it is taken out of the outbox.
    """
    variants: tuple[Json, ...] = ({}, {"pinned": True}, {"pinned": False})
    spots = [_format_spot(message.spot | variant) for variant in variants]
    game = message.about.partition("/")[0]
    yield SqlStep(
        "INSERT INTO shown (about, place, spot, request) SELECT ?1, ?2, ?3, "
        "coalesce((SELECT request FROM shown WHERE about = ?1 AND request <> '' LIMIT 1), '') "
        "WHERE NOT EXISTS (SELECT 1 FROM shown WHERE about > ?6 AND about < ?7 AND place = ?2 "
        "AND spot IN (?3, ?4, ?5))",
        (message.about, message.place, *spots, *_get_key_bounds(game)),
    )
    if not message.about.rpartition("/")[2].isdecimal():
        yield SqlStep(
            "DELETE FROM outbox WHERE about = ?1 AND amends = '' AND coalesce(nullif(home, ''), place) = ?2",
            (message.about, message.place),
        )


def _forget_user(user: str, kept_request: str, now: float) -> Iterator[SqlStep]:
    """Yield the steps that delete a user's names, texts and answers; the log keeps only hashes.

    The request `kept_request`, which asks for this, is kept without its user.
    """
    in_own_games = 'game IN (SELECT game FROM persons WHERE "user" = ?1)'
    yield SqlStep(  # the user's labels that others repeated by the button Again
        f"DELETE FROM texts WHERE {in_own_games} AND key = 'label' AND EXISTS (SELECT 1 FROM texts AS own JOIN persons "
        'ON persons.game = own.game AND persons.person = own.person WHERE persons."user" = ?1 '
        "AND own.game = texts.game AND own.key = 'label' AND own.text = texts.text AND own.event < texts.event)",
        (user,),
    )
    yield SqlStep(
        f"DELETE FROM texts WHERE {in_own_games} "
        'AND person IN (SELECT person FROM persons WHERE "user" = ?1 AND persons.game = texts.game)',
        (user,),
    )
    yield SqlStep(f"UPDATE seeds SET texts = '[]' WHERE {in_own_games}", (user,))
    yield SqlStep('DELETE FROM persons WHERE "user" = ?1', (user,))
    yield SqlStep("DELETE FROM docs WHERE owner = ?1", (user,))
    yield SqlStep("DELETE FROM due WHERE owner = ?1 AND owner <> ''", (user,))
    # Messages that became invalid by what the user did are changed all the same, but say no more
    # than that.
    yield SqlStep(
        "UPDATE outbox SET request = '', reply = grognard_bare(reply) WHERE amends <> '' "
        'AND request IN (SELECT id FROM requests WHERE "user" = ?1) AND grognard_bare(reply) IS NOT NULL',
        (user,),
    )
    yield from _delete_requests('"user" = ?1 AND id <> ?2', (user, kept_request), now)
    yield SqlStep("UPDATE requests SET \"user\" = '' WHERE id = ?1", (kept_request,))
    for table in ("outbox", "shown"):  # all direct messages to the user
        yield SqlStep(f"DELETE FROM {table} WHERE place = ?1", (user,))


ANSWER_KINDS = (BOARD, SHOWN, ROLLED, UNTOLD)
"""Kinds of documents that hold the answer to somebody."""
_ANSWER_COLUMNS = (
    ("requests", "reply", "id", "id", ""),
    ("outbox", "reply", "id", "id", ""),
    ("docs", "data", "kind", "key", f" AND kind IN {ANSWER_KINDS}"),
)
"""The columns that hold answers: table, column, the two columns that identify a row, and a condition
on the rows.
"""


def scrub(user: str, names: Sequence[str]) -> Talk:
    """Replace a user's id and names by "someone" in all stored answers. Dice and results stay."""
    words = sorted(
        {user, user.rpartition(":")[2].rpartition("/")[2], *names} - {""}, key=len, reverse=True
    )
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
    for table, column, first_key, second_key, condition in _ANSWER_COLUMNS:
        update = f"UPDATE {table} SET {column} = ?1 WHERE {first_key} = ?2 AND {second_key} = ?3"
        for word in words:
            rows = yield SqlStep(
                f"SELECT {first_key}, {second_key}, {column} FROM {table} "
                f"WHERE replace({column}, ?1, '') <> {column}{condition}",
                (json.dumps(word)[1:-1],),
            )
            for first_value, second_value, text in rows:
                scrubbed = dump(_scrub_value(json.loads(text), user, pattern))
                yield SqlStep(update, (scrubbed, first_value, second_value))


PAGE = 500
"""Rows that are searched in one transaction."""
_OF_GAMES = "(game IS NULL OR replace(?2, game, '') <> ?2)"


class StoredColumn(NamedTuple):
    """A column of stored answers that is scanned in the order of a key: the table, the column, the
    key and a condition on the rows.

    The condition may use ?2, the ids of the games in one string.
    """

    table: str
    column: str
    key: str
    condition: str = "?2 = ?2"


SCANNED_COLUMNS = (
    StoredColumn("requests", "reply", "id", _OF_GAMES),
    StoredColumn("outbox", "reply", "id", "reply IS NOT NULL AND ?2 = ?2"),
    *(
        StoredColumn("docs", "data", "key", f"kind = '{kind}' AND ?2 = ?2")
        for kind in (*ANSWER_KINDS, DRAFT)
    ),
)
"""The columns from which the texts of a user whose data is deleted are struck."""


def strike(scanned: StoredColumn, struck: StruckTexts, games: str, last_key: object) -> Talk:
    """Strike texts from one page of stored answers, those after `last_key`.

    Return the last key of the page, from which the next call continues, or None after the last
    page. `games` are the ids of the games in which the texts were written, in one string.
    """
    table, column, key, condition = scanned
    rows = yield SqlStep(
        f"SELECT {key}, {column} FROM {table} WHERE {key} > ?1 AND {condition} ORDER BY {key} LIMIT {PAGE}",
        (last_key, games),
    )
    kind = condition.partition(" AND ")[0] if table == "docs" else "1 = 1"
    update = f"UPDATE {table} SET {column} = ?1 WHERE {key} = ?2 AND {kind}"
    for row_key, text in rows:
        value = json.loads(text)
        struck_value = struck.strike(value)
        if struck_value is not value:
            yield SqlStep(update, (dump(struck_value), row_key))
    return rows[-1][0] if len(rows) == PAGE else None


def _scrub_value(value: Any, user: str, pattern: re.Pattern[str]) -> Any:
    """Return a JSON value in which matches of the pattern are replaced by "someone", and the user is
    removed from lists. The actions of buttons and the content of pictures stay.
    """
    if isinstance(value, str):
        return pattern.sub("someone", value)
    if isinstance(value, list):
        return [_scrub_value(element, user, pattern) for element in value if element != user]
    if isinstance(value, dict):
        unchanged = ("action", "content") if "packed" in value else ("action",)
        return {
            key: member if key in unchanged else _scrub_value(member, user, pattern)
            for key, member in value.items()
        }
    return value


def _add_to_outbox(entry: Outgoing, request: str | None, reply: str) -> Iterator[SqlStep]:
    """Yield the steps that put an answer into the outbox.

    `reply` is the commit's own. It is stored once: with the request, or here if there is none.
    """
    stored_reply = None
    if entry.reply is not None:
        stored_reply = dump(entry.reply)
    elif request is None:
        stored_reply = reply
    if entry.amends:  # this change replaces an earlier one that nobody has begun to post
        delete_earlier = (
            "DELETE FROM outbox WHERE amends = ?1 AND amends <> '' AND place = ?2 AND attempts <= 0"
        )
        yield SqlStep(delete_earlier, (entry.amends, entry.place))
    values = (
        request or "",
        entry.place,
        stored_reply,
        dump(entry.delivery),
        entry.lease,
        entry.about,
        entry.amends,
        entry.home,
    )
    yield SqlStep(_PUT_OUTGOING, values)


def _get_key_bounds(game: str) -> tuple[str, str]:
    """Return the strings between which the keys of a game, GAME/..., are: "0" comes after "/"."""
    return f"{game}/", f"{game}0"


def _format_spot(spot: Json) -> str:
    """Format the spot of a message as JSON, so that equal spots are equal texts."""
    return json.dumps(spot, separators=(",", ":"), sort_keys=True)
