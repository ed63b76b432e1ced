"""What a commit writes, as plain functions of a connection that is inside a transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from bot.rules.text.plain import storable
from bot.stores.base import DAY, REQUESTS_KEPT, Conflict, Deleted
from bot.stores.records import Binding, Change, Commit, Committed, Doc, Json, tombstone
from bot.stores.stored import dump

_INSERT_REQUEST = (
    "INSERT INTO requests (id, game, user, reply, at) SELECT ?, ?, ?, ?, ? "
    "WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE id = ? AND at >= ?) ON CONFLICT DO NOTHING"
)
_INSERT_GAME = (
    "INSERT INTO games (id, version, next_event, head, created, updated) "
    "VALUES (?, 1, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_UPDATE_GAME = (
    "UPDATE games SET version = version + 1, next_event = ?, head = ?, updated = ? "
    "WHERE id = ? AND version = ? AND next_event = ?"
)
_TOUCH_GAME = "UPDATE games SET version = version + 1, updated = ? WHERE id = ? AND version = ?"
_INSERT_EVENT = "INSERT INTO events (game, number, body, hash) VALUES (?, ?, ?, ?)"
_PLAY = (
    "INSERT INTO bindings (place, game, server, current, removed, number) "
    "VALUES (?1, ?2, ?3, 1, NULL, (SELECT coalesce(max(number), 0) + 1 FROM bindings WHERE place = ?1)) "
    "ON CONFLICT DO UPDATE SET server = excluded.server, current = 1, removed = NULL"
)
_PAGE = 1000
_GAME_TABLES = ("snapshots", "events", "marks", "bindings", "persons", "texts", "seeds")


def write(conn: sqlite3.Connection, commit: Commit, reply: str, now: float) -> Committed:
    """Carry out `commit`; `reply` is its reply as JSON. Raises Conflict or Deleted; the caller cleans up."""
    if commit.gate is not None:
        commit.gate.enter()
    if commit.request_id is not None:
        game = commit.changes[0].game if commit.changes else None
        stone = (tombstone(commit.request_id), now - REQUESTS_KEPT)
        cursor = conn.execute(_INSERT_REQUEST, (commit.request_id, game, commit.user, reply, now, *stone))
        if not cursor.rowcount:
            return Committed(_stored_reply(conn, commit.request_id), seen=True)
    for game in commit.erase:
        erase_game(conn, game, now)
    for change in commit.changes:
        _change(conn, change, now)
    for binding in commit.bindings:
        _bind(conn, binding)
    _side_rows(conn, commit, now)
    if commit.pressed is not None:
        about, place, spot = commit.pressed  # one that is known is about something else: a board with an Undo
        conn.execute(
            "INSERT INTO shown (about, place, spot, request) SELECT ?1, ?2, ?3, "
            "coalesce((SELECT request FROM shown WHERE about = ?1 AND request <> '' LIMIT 1), '') "
            "WHERE NOT EXISTS (SELECT 1 FROM shown WHERE about > ?4 AND about < ?5 AND place = ?2 AND spot = ?3)",
            (about, place, _spot(spot), *_of_game(about.partition("/")[0])),
        )
    for user in commit.forget:
        _forget(conn, user, commit.request_id, now)
    return Committed(commit.reply, outbox=_outbox(conn, commit, reply, now))


def put_doc(conn: sqlite3.Connection, doc: Doc) -> None:
    """Write or replace a document."""
    conn.execute(
        "INSERT OR REPLACE INTO docs (kind, key, data, expires, owner) VALUES (?, ?, ?, ?, ?)",
        (doc.kind, doc.key, dump(doc.data), doc.expires, doc.owner),
    )


def erase_game(conn: sqlite3.Connection, game: str, now: float) -> None:
    """Delete a game with all that belongs to it."""
    conn.execute("DELETE FROM games WHERE id = ?", (game,))
    _bury(conn, "game = ?", (game,), now)
    for table in _GAME_TABLES:
        conn.execute(f"DELETE FROM {table} WHERE game = ?", (game,))  # names from the list above
    for table, column in (("shown", "about"), ("due", "key")):
        conn.execute(f"DELETE FROM {table} WHERE {column} > ? AND {column} < ?", _of_game(game))


def sweep(conn: sqlite3.Connection, retention: float | None, now: float) -> None:
    """Delete outdated requests and documents, and what belongs to places removed `retention` seconds ago."""
    _sweep_requests(conn, now)
    conn.execute("DELETE FROM tombstones WHERE at < ?", (now - REQUESTS_KEPT,))
    conn.execute("DELETE FROM docs WHERE expires <= ?", (now,))
    if retention is None:
        return
    # Whoever played after the removal is back, even if nobody said so.
    gone = conn.execute(
        "SELECT place, bindings.game, server FROM bindings JOIN games ON games.id = bindings.game "
        "WHERE removed <= ? AND updated <= removed",
        (now - retention,),
    ).fetchall()
    for place, game, server in gone:
        conn.execute("DELETE FROM bindings WHERE place = ? AND game = ?", (place, game))
        if conn.execute("SELECT 1 FROM bindings WHERE game = ?", (game,)).fetchone() is None:
            erase_game(conn, game, now)
        for owner in {place, server}:
            if conn.execute("SELECT 1 FROM bindings WHERE server = ? OR place = ?", (owner, owner)).fetchone() is None:
                conn.execute("DELETE FROM docs WHERE owner = ?", (owner,))


def _sweep_requests(conn: sqlite3.Connection, now: float) -> None:
    """Delete outdated requests. Rows are in order of time, so no index on it is needed, which every commit would pay
    for; those written while the clock was ahead are dated back to now, or they would hide older ones behind them."""
    after = -1
    while True:
        query = "SELECT rowid, at FROM requests WHERE rowid > ? ORDER BY rowid LIMIT ?"
        page = conn.execute(query, (after, _PAGE)).fetchall()
        old = [(number,) for number, at in page if at < now - REQUESTS_KEPT]
        ahead = [(now, number) for number, at in page if at > now + DAY]
        conn.executemany("DELETE FROM requests WHERE rowid = ?", old)
        conn.executemany("UPDATE requests SET at = ? WHERE rowid = ?", ahead)
        if not (old or ahead):
            return
        after = page[-1][0]


def _bury(conn: sqlite3.Connection, which: str, values: tuple[str | None, ...], now: float) -> None:
    """Delete requests with their answers; a tombstone stays, so that none runs again when it is delivered again."""
    theirs = f"SELECT id FROM requests WHERE {which}"
    stones = [(tombstone(id), now) for (id,) in conn.execute(theirs, values)]
    conn.executemany("INSERT OR REPLACE INTO tombstones (id, at) VALUES (?, ?)", stones)
    conn.execute(f"DELETE FROM outbox WHERE request IN ({theirs})", values)
    conn.execute(f"UPDATE shown SET request = '' WHERE request IN ({theirs})", values)
    conn.execute(f"DELETE FROM requests WHERE {which}", values)


def _stored_reply(conn: sqlite3.Connection, request_id: str) -> Json:
    row = conn.execute("SELECT reply FROM requests WHERE id = ?", (request_id,)).fetchone()
    if row is None:
        raise Deleted(request_id)
    return json.loads(row[0])  # type: ignore[no-any-return]


def _change(conn: sqlite3.Connection, change: Change, now: float) -> None:
    """Move one game on, if it is still where it was loaded."""
    game, events = change.game, change.events
    if not events:
        cursor = conn.execute(_TOUCH_GAME, (now, game, change.version))
    elif change.version == 0:
        cursor = conn.execute(_INSERT_GAME, (game, events[-1].number + 1, events[-1].hash, now, now))
    else:
        first, last = events[0], events[-1]
        cursor = conn.execute(_UPDATE_GAME, (last.number + 1, last.hash, now, game, change.version, first.number))
    if not cursor.rowcount:
        raise Conflict(game)
    for event in events:
        conn.execute(_INSERT_EVENT, (event.game, event.number, event.body, event.hash))
    if change.state is not None:
        conn.execute(
            "INSERT OR REPLACE INTO snapshots (game, at, state) "
            "VALUES (?1, (SELECT next_event - 1 FROM games WHERE id = ?1), ?2)",
            (game, dump(change.state)),
        )


def _bind(conn: sqlite3.Connection, binding: Binding) -> None:
    """Let a place play another game. The line of the old one stays where another takes its place: it can be listed and
    taken up again, and the removal of a server finds it."""
    row = conn.execute("SELECT game FROM bindings WHERE place = ? AND current", (binding.place,)).fetchone()
    if (row[0] if row else None) != binding.was:
        raise Conflict(binding.place)
    if binding.game is None:
        conn.execute("DELETE FROM bindings WHERE place = ? AND current", (binding.place,))
    else:
        conn.execute("UPDATE bindings SET current = 0 WHERE place = ? AND current", (binding.place,))
    if row and row[0] != binding.game:
        conn.execute("UPDATE games SET version = version + 1 WHERE id = ?", (row[0],))
    if binding.game is not None:
        conn.execute(_PLAY, (binding.place, binding.game, binding.server or binding.place))
    if binding.alone:
        conn.execute("DELETE FROM bindings WHERE game = ? AND NOT current", (binding.game,))


def _side_rows(conn: sqlite3.Connection, commit: Commit, now: float) -> None:
    """Persons, texts, seeds, documents, and what is due."""
    for person in commit.persons:
        conn.execute(
            "INSERT OR REPLACE INTO persons (game, person, user, name) VALUES (?, ?, ?, ?)",
            (person.game, person.person, person.user, storable(person.name)),
        )
    for text in commit.texts:
        conn.execute(
            "INSERT OR REPLACE INTO texts (game, event, key, salt, text, person) VALUES (?, ?, ?, ?, ?, ?)",
            (text.game, text.event, text.key, text.salt, storable(text.text), text.person),
        )
    for seed in commit.seeds:
        conn.execute(
            "INSERT OR REPLACE INTO seeds (game, epoch, seed, commitment, first_event, texts, digest, revealed) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (seed.game, seed.epoch, seed.seed, seed.commitment, seed.first_event, json.dumps(seed.texts), seed.digest,
             seed.revealed),
        )  # fmt: skip
    for kind, key in commit.drop_docs:
        if not conn.execute("DELETE FROM docs WHERE kind = ? AND key = ?", (kind, key)).rowcount:
            raise Conflict(f"{kind} {key}")
    for doc in commit.docs:
        put_doc(conn, doc)
    for key, at in commit.drop_due:
        if (
            not conn.execute("DELETE FROM due WHERE key = ?1 AND coalesce(at = ?2, 1)", (key, at)).rowcount
            and at is not None
        ):
            raise Conflict(f"due {key}")
    for due in commit.due:
        conn.execute(
            "INSERT OR REPLACE INTO due (key, at, kind, data, owner) VALUES (?, ?, ?, ?, ?)",
            (due.key, due.at, due.kind, dump(due.data), due.owner),
        )
    unposted = "about <> '' AND amends = '' AND (attempts < 0 OR (attempts = 0 AND due <= ?))"
    conn.executemany(f"DELETE FROM outbox WHERE about = ? AND {unposted}", [(about, now) for about in commit.withdraw])


def _outbox(conn: sqlite3.Connection, commit: Commit, reply: str, now: float) -> tuple[int, ...]:
    """Put the answers into the outbox. One that is the commit's own reply is stored once, with the request."""
    ids = []
    for entry in commit.outbox:
        own = dump(entry.reply) if entry.reply is not None else None if commit.request_id is not None else reply
        if entry.amends:  # what nobody has begun to change is changed once, to how it is now
            earlier = "DELETE FROM outbox WHERE amends = ? AND amends <> '' AND place = ? AND attempts <= 0"
            conn.execute(earlier, (entry.amends, entry.place))
        cursor = conn.execute(
            "INSERT INTO outbox (request, place, reply, delivery, due, attempts, created, about, amends, home) "
            "VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?)",
            (
                commit.request_id or "",
                entry.place,
                own,
                dump(entry.delivery),
                entry.due,
                now,
                entry.about,
                entry.amends,
                entry.home,
            ),
        )
        ids.append(cursor.lastrowid or 0)
    return tuple(ids)


def _of_game(game: str) -> tuple[str, str]:
    """Between which keys those of a game are: "0" follows on "/"."""
    return f"{game}/", f"{game}0"


def posted(conn: sqlite3.Connection, ids: Sequence[int], spot: Json | None) -> None:
    """Take answers out of the outbox; where those are that are about something is remembered."""
    query = (
        "INSERT OR REPLACE INTO shown (about, place, spot, request) "
        "SELECT about, coalesce(nullif(home, ''), place), ?, request FROM outbox WHERE id = ? AND about <> ''"
    )
    conn.executemany(query, [(_spot(spot or {}), id) for id in ids])
    conn.executemany("DELETE FROM outbox WHERE id = ?", [(id,) for id in ids])


def _spot(spot: Json) -> str:
    return json.dumps(spot, separators=(",", ":"), sort_keys=True)


def _forget(conn: sqlite3.Connection, user: str, request_id: str | None, now: float) -> None:
    """Delete who a user is, what they wrote and what they were answered; the chain keeps only hashes."""
    for game, person in conn.execute("SELECT game, person FROM persons WHERE user = ?", (user,)).fetchall():
        conn.execute("DELETE FROM texts WHERE game = ? AND person = ?", (game, person))
        conn.execute("UPDATE seeds SET texts = '[]' WHERE game = ?", (game,))
    conn.execute("DELETE FROM persons WHERE user = ?", (user,))
    conn.execute("DELETE FROM docs WHERE owner = ?", (user,))
    conn.execute("DELETE FROM due WHERE owner = ? AND owner <> ''", (user,))
    _bare_changes(conn, user)
    _bury(conn, "user = ? AND id IS NOT ?", (user, request_id), now)


def _bare_changes(conn: sqlite3.Connection, user: str) -> None:
    """Messages that no longer hold because of what a user did are changed all the same, and say that alone."""
    query = (
        "SELECT outbox.id, outbox.reply FROM outbox JOIN requests ON requests.id = request "
        "WHERE user = ? AND amends <> '' AND outbox.reply IS NOT NULL"
    )
    for id, reply in conn.execute(query, (user,)).fetchall():
        said = json.loads(reply)
        if over := said.get("over"):
            bare = dump({"title": over, "tone": said["tone"]} if "tone" in said else {"title": over})
            conn.execute("UPDATE outbox SET request = '', reply = ? WHERE id = ?", (bare, id))
