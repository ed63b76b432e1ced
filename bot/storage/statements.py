"""What is written, said once for both engines: steps, each a statement in SQLite's dialect.

PostgreSQL's link puts it into its own; what it alone is told is in `/*+ */`, which is a comment to
SQLite. The steps of a job are carried out one after another, all or none. What must look before it
goes on is a `Talk`: it is handed the rows of each step that it yields.
"""

import json
import re
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

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
    GameChange,
    Json,
    MarkRow,
    OutboxRow,
    Outgoing,
    compute_tombstone,
    dump,
    list_columns,
)
from bot.storage.struck_texts import StruckTexts

Row: TypeAlias = Sequence[Any]


class SqlStep(NamedTuple):
    """A statement and its values, ?1 and on. What follows RETURNING (of one row at most) is what
    its job gives.

    `otherwise` undoes the job where the statement touches no row. Each `sql` is one of a few dozen,
    whatever is written: PostgreSQL keeps the plan of each.
    """

    sql: str
    values: Sequence[object] = ()
    otherwise: Exception | None = None


Talk: TypeAlias = Generator[SqlStep, Sequence[Row], Any]
Ask: TypeAlias = Callable[..., Awaitable[Sequence[Row]]]
"""Gives the rows of a query that only reads; its values follow it. May raise StoreError."""


class Engine(Protocol):
    """Carries statements out. Every method may raise StoreError."""

    async def write(
        self,
        steps: Sequence[SqlStep],
        *,
        key: str = "",
        is_safe: bool = True,
        gate: Gate | None = None,
    ) -> Sequence[Row]:
        """What a job gives, once it is on the disk. `key` is the game that it locks; one that
        `is_safe` may be done twice; `gate` is passed right before."""
        ...

    async def talk(self, begin: Callable[[], Talk]) -> Any:
        """What a talk comes to, all of it in one transaction; it may begin anew where that was
        undone.
        """
        ...

    async def close(self) -> None:
        """Wait until all that was asked for is written."""
        ...


class AlreadyAnswered(Exception):
    """This request was stored before."""


_GAME_TABLES = ("snapshots", "events", "marks", "bindings", "persons", "texts", "seeds")
NOW = "(SELECT grognard_now())"
"""Unix seconds by the one clock that all processes of a database share: on PostgreSQL the
server's.
"""
OVERDUE = f"(due <= {NOW} OR due > {NOW} + {LONGEST_WAIT})"
"""What nobody holds any more. What is due later than anything is laid down for was so by a clock
since set back.
"""


def _put(table: str, keys: int) -> str:
    """Write or replace a row, whose first `keys` columns are its key."""
    names = TABLES[table]
    marks = ", ".join(f"?{number}" for number in range(1, len(names) + 1))
    news = ", ".join(f'"{name}" = excluded."{name}"' for name in names[keys:])
    key = ", ".join(f'"{name}"' for name in names[:keys])
    return f"INSERT INTO {table} ({list_columns(table)}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {news}"


_PUT_PERSON = _put("persons", 2)
_PUT_TEXT = _put("texts", 3)
_PUT_SEED = _put("seeds", 2)
_PUT_DOC = _put("docs", 2)
_PUT_DUE = _put("due", 1)
_PUT_OUTGOING = (
    "INSERT INTO outbox (request, place, reply, delivery, due, attempts, created, about, amends, home) "
    f"VALUES (?1, ?2, ?3, ?4, {NOW} + ?5, 0, {NOW}, ?6, ?7, ?8) RETURNING id"
)


def commit_steps(commit: Commit, attempt: str, now: float) -> Iterator[SqlStep]:
    """Everything that one command changes; gives the ids of what waits to be posted. Raises
    Answered, where carried out. `attempt` tells this commit, should it be sent twice, from another
    with the same request."""
    reply = dump(commit.reply)
    if commit.request_id is not None:
        yield _write_request(commit, commit.request_id, reply, attempt, now)
    for game in commit.erase:
        yield from _delete_game(game, now)
    for change in commit.changes:
        yield from _write_change(change, now)
    for binding in commit.bindings:
        yield from _bind_place(binding)
    yield from _side_rows(commit)
    if commit.pressed is not None:
        yield from _remember_pressed_message(*commit.pressed)
    for user in commit.forget:
        yield from _forget_user(user, commit.request_id or "", now)
    for entry in commit.outbox:
        yield from _add_to_outbox(entry, commit.request_id, reply)


def put_doc(doc: Doc) -> SqlStep:
    """Write or replace a document."""
    return SqlStep(_PUT_DOC, (doc.kind, doc.key, dump(doc.data), doc.expires, doc.owner))


def put_mark(row: MarkRow) -> SqlStep:
    """Write or replace a mark, where its game still is."""
    return SqlStep(
        "INSERT INTO marks (game, mark, block, at) SELECT ?1, ?2, ?3, ?4 "
        "WHERE EXISTS (SELECT 1 FROM games WHERE id = ?1) "
        "ON CONFLICT (game, mark, block) DO UPDATE SET at = excluded.at",
        (row.game, make_storable(row.mark), row.block, row.at),
    )


def record_posted(ids: Sequence[int], spot: Json) -> Iterator[SqlStep]:
    """Take answers out of the outbox; where those are that are about something is remembered."""
    for id in ids:
        yield SqlStep(
            "INSERT INTO shown (about, place, spot, request) "
            "SELECT about, coalesce(nullif(home, ''), place), ?1, request FROM outbox WHERE id = ?2 AND about <> '' "
            "ON CONFLICT (about, place, spot) DO UPDATE SET request = excluded.request",
            (_spot(spot), id),
        )
        yield SqlStep("DELETE FROM outbox WHERE id = ?1", (id,))


def claim(lease: float, limit: int, platform: str) -> Talk:
    """Due answers, whose due time moves on by `lease`; rows that another process is at are left to
    it.

    One that outlived its request, which held its words, has nothing left to say and goes. So does a
    change of a message that a later one follows; the later one waits while somebody may be at work
    on the earlier: then its `attempts` are above zero, and below while it only waits for the next.
    No change is due before its message is there.
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
        OutboxRow(id, request, place, json.loads(reply), json.loads(delivery), *rest)
        for id, request, place, reply, delivery, *rest in rows
        if reply is not None
    )


def sweep(retention: float | None, now: float) -> Talk:
    """Delete outdated tombstones and documents, and what belongs to places removed `retention`
    seconds ago.
    """
    yield SqlStep("DELETE FROM tombstones WHERE at < ?1", (now - REQUESTS_KEPT,))
    yield SqlStep("DELETE FROM docs WHERE expires <= ?1", (now,))
    if retention is None:
        return
    # Whoever played after the removal is back, even if nobody said so.
    gone = yield SqlStep(
        "SELECT place, game, server FROM bindings JOIN games ON id = game WHERE removed <= ?1 AND updated <= removed",
        (now - retention,),
    )
    for place, game, server in gone:
        yield SqlStep("DELETE FROM bindings WHERE place = ?1 AND game = ?2", (place, game))
        if not (yield SqlStep("SELECT 1 FROM bindings WHERE game = ?1", (game,))):
            yield from _delete_game(game, now)
        yield SqlStep(
            "DELETE FROM docs WHERE owner IN (?1, ?2) "
            "AND NOT EXISTS (SELECT 1 FROM bindings WHERE server = owner OR place = owner)",
            (place, server),
        )


def sweep_requests(now: float) -> Talk:
    """Delete outdated requests; those written while the clock was ahead are dated back to now."""
    yield SqlStep("DELETE FROM requests WHERE at < ?1", (now - REQUESTS_KEPT,))
    yield SqlStep("UPDATE requests SET at = ?1 WHERE at > ?2", (now, now + DAY))


def _write_request(commit: Commit, request: str, reply: str, attempt: str, now: float) -> SqlStep:
    """Write down the answer to a request, unless it is there, or was deleted."""
    game = commit.changes[0].game if commit.changes else None
    return SqlStep(  # no line to a file breaks: SQLite keeps no attempt
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
    """Delete a game with all that belongs to it."""
    yield SqlStep("DELETE FROM games WHERE id = ?1", (game,))
    yield from _delete_requests("game = ?1", (game,), now)
    for table in _GAME_TABLES:
        yield SqlStep(f"DELETE FROM {table} WHERE game = ?1", (game,))
    for table, column in (("shown", "about"), ("due", "key")):
        yield SqlStep(f"DELETE FROM {table} WHERE {column} > ?1 AND {column} < ?2", _of_game(game))


def _delete_requests(which: str, values: tuple[str, ...], now: float) -> Iterator[SqlStep]:
    """Delete requests with their answers; a tombstone stays, so that none runs again when it is
    delivered again.
    """
    theirs = f"SELECT id FROM requests WHERE {which}"
    yield SqlStep(
        f"INSERT INTO tombstones (id, at) SELECT grognard_tombstone(id), ?{len(values) + 1} FROM requests "
        f"WHERE {which} ON CONFLICT (id) DO UPDATE SET at = excluded.at",
        (*values, now),
    )
    yield SqlStep(f"DELETE FROM outbox WHERE request IN ({theirs})", values)
    yield SqlStep(f"UPDATE shown SET request = '' WHERE request IN ({theirs})", values)
    yield SqlStep(f"DELETE FROM requests WHERE {which}", values)


def _write_change(change: GameChange, now: float) -> Iterator[SqlStep]:
    """Move one game on, if it is still where it was loaded."""
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
    """Let a place play another game. The line of the old one stays where another takes its place:
    it can be listed and taken up again, and the removal of a server finds it."""
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


def _side_rows(commit: Commit) -> Iterator[SqlStep]:
    """Persons, texts, seeds, documents, what is due, and messages that nobody posts yet and
    never shall.
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
        first = (seed.game, seed.epoch, seed.seed, seed.commitment, seed.first_event)
        yield SqlStep(_PUT_SEED, (*first, texts, seed.digest, seed.revealed))
    for kind, key in commit.drop_docs:
        yield SqlStep(
            "DELETE FROM docs WHERE kind = ?1 AND key = ?2", (kind, key), Conflict(f"{kind} {key}")
        )
    for doc in commit.docs:
        yield put_doc(doc)
    for key, at in commit.drop_due:
        if at is None:
            yield SqlStep("DELETE FROM due WHERE key = ?1", (key,))
        else:
            yield SqlStep(
                "DELETE FROM due WHERE key = ?1 AND at = ?2", (key, at), Conflict(f"due {key}")
            )
    for due in commit.due:
        yield SqlStep(_PUT_DUE, (due.key, due.at, due.kind, dump(due.data), due.owner))
    # What somebody has held may be there: it is posted to the end, and taken away by the change
    # that waits for it.
    unposted = (
        "about <> '' AND amends = '' AND (attempts < 0 OR (attempts = 0 AND due < created + 1))"
    )
    for about in commit.withdraw:
        yield SqlStep(f"DELETE FROM outbox WHERE about = ?1 AND {unposted}", (about,))


def _remember_pressed_message(about: str, place: str, spot: Json) -> Iterator[SqlStep]:
    """Remember where a message is, for whoever presses its button has it before them.

    One that is known already, pinned or not, is about something else: a board with an Undo. Buttons
    that are on one message alone prove that it is there, and nothing is left to post; after this
    press nobody would find it again.
    """
    known = [_spot(spot | more) for more in ({}, {"pinned": True}, {"pinned": False})]
    yield SqlStep(
        "INSERT INTO shown (about, place, spot, request) SELECT ?1, ?2, ?3, "
        "coalesce((SELECT request FROM shown WHERE about = ?1 AND request <> '' LIMIT 1), '') "
        "WHERE NOT EXISTS (SELECT 1 FROM shown WHERE about > ?6 AND about < ?7 AND place = ?2 "
        "AND spot IN (?3, ?4, ?5))",
        (about, place, *known, *_of_game(about.partition("/")[0])),
    )
    if not about.rpartition("/")[2].isdecimal():
        yield SqlStep(
            "DELETE FROM outbox WHERE about = ?1 AND amends = '' AND coalesce(nullif(home, ''), place) = ?2",
            (about, place),
        )


def _forget_user(user: str, but: str, now: float) -> Iterator[SqlStep]:
    """Delete who a user is, what they wrote and what they were answered; the chain keeps only
    hashes. Whose this very request was nobody knows any more."""
    played = 'game IN (SELECT game FROM persons WHERE "user" = ?1)'
    yield SqlStep(  # labels that others repeated after them by Again
        f"DELETE FROM texts WHERE {played} AND key = 'label' AND EXISTS (SELECT 1 FROM texts AS own JOIN persons "
        'ON persons.game = own.game AND persons.person = own.person WHERE persons."user" = ?1 '
        "AND own.game = texts.game AND own.key = 'label' AND own.text = texts.text AND own.event < texts.event)",
        (user,),
    )
    yield SqlStep(
        f"DELETE FROM texts WHERE {played} "
        'AND person IN (SELECT person FROM persons WHERE "user" = ?1 AND persons.game = texts.game)',
        (user,),
    )
    yield SqlStep(f"UPDATE seeds SET texts = '[]' WHERE {played}", (user,))
    yield SqlStep('DELETE FROM persons WHERE "user" = ?1', (user,))
    yield SqlStep("DELETE FROM docs WHERE owner = ?1", (user,))
    yield SqlStep("DELETE FROM due WHERE owner = ?1 AND owner <> ''", (user,))
    # Messages that no longer hold because of what they did are changed all the same, and say that
    # alone.
    yield SqlStep(
        "UPDATE outbox SET request = '', reply = grognard_bare(reply) WHERE amends <> '' "
        'AND request IN (SELECT id FROM requests WHERE "user" = ?1) AND grognard_bare(reply) IS NOT NULL',
        (user,),
    )
    yield from _delete_requests('"user" = ?1 AND id <> ?2', (user, but), now)
    yield SqlStep("UPDATE requests SET \"user\" = '' WHERE id = ?1", (but,))
    for table in ("outbox", "shown"):  # in their direct messages, whoever caused it
        yield SqlStep(f"DELETE FROM {table} WHERE place = ?1", (user,))


ANSWER_KINDS = (BOARD, SHOWN, ROLLED, UNTOLD)
"""Kinds of documents that hold what somebody was answered."""
_SAID = (
    ("requests", "reply", "id", "id", ""),
    ("outbox", "reply", "id", "id", ""),
    ("docs", "data", "kind", "key", f" AND kind IN {ANSWER_KINDS}"),
)
"""Where what others were answered is kept, by which columns a row is found, and which rows."""


def scrub(user: str, names: Sequence[str]) -> Talk:
    """Take a user's id and names out of what others were answered; what is rolled stays."""
    words = sorted(
        {user, user.rpartition(":")[2].rpartition("/")[2], *names} - {""}, key=len, reverse=True
    )
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
    for table, column, first, last, which in _SAID:
        for word in words:
            found = yield SqlStep(
                f"SELECT {first}, {last}, {column} FROM {table} WHERE replace({column}, ?1, '') <> {column}{which}",
                (json.dumps(word)[1:-1],),
            )
            for one, other, text in found:
                update = f"UPDATE {table} SET {column} = ?1 WHERE {first} = ?2 AND {last} = ?3"
                yield SqlStep(
                    update, (dump(_scrub_value(json.loads(text), user, pattern)), one, other)
                )


PAGE = 500
"""Rows that are looked through at once."""
_OURS = "(game IS NULL OR replace(?2, game, '') <> ?2)"


class StoredColumn(NamedTuple):
    """A column of stored answers that is scanned in the order of a key: the table, the column, the
    key and a condition on the rows.

    `which` may name ?2, the ids of the games in one string.
    """

    table: str
    column: str
    key: str
    which: str = "?2 = ?2"


PLACES = (
    StoredColumn("requests", "reply", "id", _OURS),
    StoredColumn("outbox", "reply", "id", "reply IS NOT NULL AND ?2 = ?2"),
    *(
        StoredColumn("docs", "data", "key", f"kind = '{kind}' AND ?2 = ?2")
        for kind in (*ANSWER_KINDS, DRAFT)
    ),
)


def strike(place: StoredColumn, struck: StruckTexts, games: str, after: object) -> Talk:
    """Strike texts from one page of stored answers; gives the last key that was looked at, or
    None behind the last.
    """
    table, column, key, which = place
    rows = yield SqlStep(
        f"SELECT {key}, {column} FROM {table} WHERE {key} > ?1 AND {which} ORDER BY {key} LIMIT {PAGE}",
        (after, games),
    )
    kind = which.partition(" AND ")[0] if table == "docs" else "1 = 1"
    for at, text in rows:
        value = json.loads(text)
        without = struck.strike(value)
        if without is not value:
            yield SqlStep(
                f"UPDATE {table} SET {column} = ?1 WHERE {key} = ?2 AND {kind}", (dump(without), at)
            )
    return rows[-1][0] if len(rows) == PAGE else None


def _scrub_value(value: Any, user: str, pattern: re.Pattern[str]) -> Any:
    """A value of JSON without somebody: their names in its texts, and them among those who are
    called.
    """
    if isinstance(value, str):
        return pattern.sub("someone", value)
    if isinstance(value, list):
        return [_scrub_value(one, user, pattern) for one in value if one != user]
    if isinstance(value, dict):
        # what a button does; a picture's bytes
        kept = ("action", "content") if "packed" in value else ("action",)
        return {
            key: one if key in kept else _scrub_value(one, user, pattern)
            for key, one in value.items()
        }
    return value


def _add_to_outbox(entry: Outgoing, request: str | None, reply: str) -> Iterator[SqlStep]:
    """Put an answer into the outbox. One that is the commit's own reply is stored once, with the
    request.
    """
    own = dump(entry.reply) if entry.reply is not None else None if request is not None else reply
    if entry.amends:  # what nobody has begun to change is changed once, to how it is now
        earlier = (
            "DELETE FROM outbox WHERE amends = ?1 AND amends <> '' AND place = ?2 AND attempts <= 0"
        )
        yield SqlStep(earlier, (entry.amends, entry.place))
    to = (entry.place, own, dump(entry.delivery), entry.held, entry.about, entry.amends, entry.home)
    yield SqlStep(_PUT_OUTGOING, (request or "", *to))


def _of_game(game: str) -> tuple[str, str]:
    """Between which keys those of a game are: "0" follows on "/"."""
    return f"{game}/", f"{game}0"


def _spot(spot: Json) -> str:
    """Where a message is, as it is compared."""
    return json.dumps(spot, separators=(",", ":"), sort_keys=True)
