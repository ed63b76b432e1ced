"""What is read, as plain functions of a connection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from bot.stores.base import LONGEST_WAIT, Deleted
from bot.stores.records import (
    BOARD,
    Doc,
    DueRow,
    EventRow,
    GameRow,
    Json,
    MarkRow,
    OutboxRow,
    PersonRow,
    Saved,
    SeedRow,
    Shown,
    TextRow,
    UserData,
    tombstone,
)

_EVENT = "SELECT game, number, body, hash FROM events"
_TEXT = "SELECT game, event, key, salt, text, person FROM texts"
_PERSON = "SELECT game, person, user, name FROM persons"
_SEED = "SELECT game, epoch, seed, commitment, first_event, texts, digest, revealed FROM seeds"
_DUE = "SELECT key, at, kind, data, owner FROM due"
_DOC = "SELECT kind, key, data, expires, owner FROM docs"


def look(conn: sqlite3.Connection) -> None:
    """Open all files that reading needs, so that a deleted one can still be read to its end."""
    conn.execute("SELECT count(*) FROM games").fetchone()


def request_reply(conn: sqlite3.Connection, request_id: str, since: float) -> Json | None:
    """The stored answer to a request. Raises Deleted for one whose answer was deleted."""
    row = conn.execute("SELECT reply FROM requests WHERE id = ? AND at >= ?", (request_id, since)).fetchone()
    if row is None:
        check_deleted(conn, request_id, since)
    return json.loads(row[0]) if row else None


def check_deleted(conn: sqlite3.Connection, request_id: str, since: float) -> None:
    """Raise Deleted for a request that left a tombstone."""
    if conn.execute("SELECT 1 FROM tombstones WHERE id = ? AND at >= ?", (tombstone(request_id), since)).fetchone():
        raise Deleted(request_id)


_HAS_BOARD = f"EXISTS (SELECT 1 FROM docs WHERE kind = '{BOARD}' AND key = games.id)"


def game_at(conn: sqlite3.Connection, place: str) -> tuple[str, int, bool] | None:
    """Id and version of the game that a place plays, and whether it has a board."""
    query = f"SELECT id, version, {_HAS_BOARD} FROM bindings JOIN games ON id = game WHERE place = ? AND current"
    row = conn.execute(query, (place,)).fetchone()
    return (row[0], row[1], bool(row[2])) if row else None


def played(conn: sqlite3.Connection, place: str) -> list[tuple[int, str]]:
    """Number and id of each game that a place plays or played."""
    return conn.execute("SELECT number, game FROM bindings WHERE place = ? ORDER BY number", (place,)).fetchall()


def game_with_all(conn: sqlite3.Connection, game: str) -> Saved | None:
    """A game with its last snapshot and what came after it, as of one moment."""
    query = f"SELECT id, version, next_event, head, created, updated, {_HAS_BOARD} FROM games WHERE id = ?"
    row = conn.execute(query, (game,)).fetchone()
    if row is None:
        return None
    at, state = conn.execute("SELECT at, state FROM snapshots WHERE game = ?", (game,)).fetchone() or (0, "{}")
    latest = seed_rows(conn.execute(_SEED + " WHERE game = ? ORDER BY epoch DESC LIMIT 1", (game,)))
    # Fetched at once: a cursor that an error leaves open would keep what is read from then on at this moment.
    places = conn.execute("SELECT place FROM bindings WHERE game = ? AND current ORDER BY place", (game,)).fetchall()
    return Saved(
        game=GameRow(*row[:-1]),
        state=json.loads(state),
        state_at=at,
        events=events(conn, game, at, None, None, newest_first=False),
        texts=text_rows(conn.execute(_TEXT + " WHERE game = ? AND event > ? ORDER BY event, key", (game, at))),
        persons=persons(conn, game),
        seed=latest[0] if latest else None,
        places=tuple(place for (place,) in places),
        has_board=bool(row[-1]),
    )


def linked(conn: sqlite3.Connection, server: str) -> list[tuple[str, str]]:
    """Places of a server whose game another place plays too."""
    query = (
        "SELECT place, game FROM bindings AS here WHERE server = ? AND current AND EXISTS (SELECT 1 FROM bindings "
        "AS there WHERE there.game = here.game AND there.current AND there.place <> here.place) ORDER BY place"
    )
    return [(place, game) for place, game in conn.execute(query, (server,))]


def events(
    conn: sqlite3.Connection, game: str, after: int, before: int | None, limit: int | None, *, newest_first: bool
) -> tuple[EventRow, ...]:
    """Events between two numbers."""
    order = "DESC" if newest_first else "ASC"
    rows = conn.execute(
        f"{_EVENT} WHERE game = ? AND number > ? AND number < ? ORDER BY number {order} LIMIT ?",
        (game, after, before if before is not None else 2**62, limit if limit is not None else -1),
    )
    return tuple(EventRow(*row) for row in rows)


def events_at(conn: sqlite3.Connection, game: str, numbers: Sequence[int]) -> tuple[EventRow, ...]:
    """Events by their numbers."""
    asked = ", ".join("?" * len(numbers))
    rows = conn.execute(f"{_EVENT} WHERE game = ? AND number IN ({asked}) ORDER BY number", (game, *numbers))
    return tuple(EventRow(*row) for row in rows)


def marks(conn: sqlite3.Connection, game: str, names: Sequence[str]) -> tuple[MarkRow, ...]:
    """Where marks are found in a log."""
    asked = ", ".join("?" * len(names))
    query = f"SELECT game, mark, block, at FROM marks WHERE game = ? AND mark IN ({asked}) ORDER BY block, mark"
    return tuple(MarkRow(*row) for row in conn.execute(query, (game, *names)))


def texts(conn: sqlite3.Connection, game: str, after: int, before: int | None) -> tuple[TextRow, ...]:
    """Free texts of a game between two events."""
    query = _TEXT + " WHERE game = ? AND event > ? AND event < ? ORDER BY event, key"
    return text_rows(conn.execute(query, (game, after, before if before is not None else 2**62)))


def persons(conn: sqlite3.Connection, game: str) -> tuple[PersonRow, ...]:
    """All persons of a game."""
    return tuple(PersonRow(*row) for row in conn.execute(_PERSON + " WHERE game = ? ORDER BY person", (game,)))


def seeds(conn: sqlite3.Connection, game: str) -> tuple[SeedRow, ...]:
    """All seeds of a game."""
    return seed_rows(conn.execute(_SEED + " WHERE game = ? ORDER BY epoch", (game,)))


def documents(conn: sqlite3.Connection, kind: str, owner: str | None, now: float) -> tuple[Doc, ...]:
    """Documents of a kind that have not expired."""
    query = _DOC + " WHERE kind = ?1 AND coalesce(expires > ?2, 1) AND coalesce(owner = ?3, 1) ORDER BY key"
    return doc_rows(conn.execute(query, (kind, now, owner)))


def document(conn: sqlite3.Connection, kind: str, key: str, now: float) -> Doc | None:
    """One document that has not expired."""
    query = _DOC + " WHERE kind = ? AND key = ? AND coalesce(expires > ?, 1)"
    return next(iter(doc_rows(conn.execute(query, (kind, key, now)))), None)


def claim(conn: sqlite3.Connection, now: float, lease: float, limit: int, platform: str) -> tuple[OutboxRow, ...]:
    """Due answers, whose due time moves on by `lease`. Needs a writing transaction.

    One that outlived its request, which held its words, has nothing left to say and goes. So does a change of a
    message that a later one follows; the later one waits while somebody may be at work on the earlier: then its
    `attempts` are above zero, and below while it only waits for the next.
    """
    overdue = "(due <= ?1 OR due > ?1 + ?2)"
    conn.execute(
        f"DELETE FROM outbox WHERE amends <> '' AND ({overdue} OR attempts < 0) "
        "AND EXISTS (SELECT 1 FROM outbox AS later "
        "WHERE later.amends = outbox.amends AND later.place = outbox.place AND later.id > outbox.id)",
        (now, LONGEST_WAIT),
    )
    rows = conn.execute(
        "SELECT outbox.id, request, place, coalesce(outbox.reply, requests.reply), delivery, abs(attempts), due, "
        "created, about, amends FROM outbox LEFT JOIN requests ON requests.id = request "
        f"WHERE {overdue} AND substr(place, 1, ?3) = ?4 AND (amends = '' OR NOT EXISTS "
        "(SELECT 1 FROM outbox AS earlier "
        "WHERE earlier.amends = outbox.amends AND earlier.place = outbox.place AND earlier.id < outbox.id)) "
        "ORDER BY outbox.id LIMIT ?5",
        (now, LONGEST_WAIT, len(platform), platform, limit),
    ).fetchall()
    for id, _, _, reply, *_ in rows:
        if reply is None:
            conn.execute("DELETE FROM outbox WHERE id = ?", (id,))
        else:
            conn.execute("UPDATE outbox SET due = ?, attempts = abs(attempts) + 1 WHERE id = ?", (now + lease, id))
    return tuple(
        OutboxRow(id, request, place, json.loads(reply), json.loads(delivery), *rest)
        for id, request, place, reply, delivery, *rest in rows
        if reply is not None
    )


def shown(conn: sqlite3.Connection, about: str) -> Shown:
    """Where messages about something are, and what they said."""
    spots: dict[str, tuple[Json, ...]] = {}
    requests = []
    for place, spot, request in conn.execute("SELECT place, spot, request FROM shown WHERE about = ?", (about,)):
        spots[place] = (*spots.get(place, ()), json.loads(spot))  # {} where nobody knows
        requests.append(request)
    query = "SELECT coalesce(nullif(home, ''), place), request FROM outbox WHERE about = ? AND about <> ''"
    waiting = conn.execute(query, (about,)).fetchall()
    requests += [request for _, request in waiting]
    found = (
        conn.execute("SELECT reply FROM requests WHERE id = ?", (id,)).fetchone() for id in dict.fromkeys(requests)
    )
    reply = next((row[0] for row in found if row), None)
    return Shown(spots, frozenset(place for place, _ in waiting), json.loads(reply) if reply else None)


def about_user(conn: sqlite3.Connection, user: str) -> UserData:
    """All rows that belong to a user."""
    theirs = (
        "SELECT texts.game, event, key, salt, text, texts.person FROM persons "
        "JOIN texts ON texts.game = persons.game AND texts.person = persons.person WHERE user = ? "
        "ORDER BY texts.game, event, key"
    )
    return UserData(
        persons=tuple(PersonRow(*row) for row in conn.execute(_PERSON + " WHERE user = ? ORDER BY game", (user,))),
        texts=text_rows(conn.execute(theirs, (user,))),
        docs=doc_rows(conn.execute(_DOC + " WHERE owner = ? AND owner <> '' ORDER BY kind, key", (user,))),
        due=due_rows(conn.execute(_DUE + " WHERE owner = ? AND owner <> '' ORDER BY key", (user,))),
    )


def due(conn: sqlite3.Connection, now: float, limit: int) -> tuple[DueRow, ...]:
    """What is due by now."""
    return due_rows(conn.execute(_DUE + " WHERE at <= ? ORDER BY at, key LIMIT ?", (now, limit)))


def due_at(conn: sqlite3.Connection, key: str) -> DueRow | None:
    """What is due under a key."""
    return next(iter(due_rows(conn.execute(_DUE + " WHERE key = ?", (key,)))), None)


def text_rows(rows: Iterable[tuple[str, int, str, str, str, str]]) -> tuple[TextRow, ...]:
    """Texts from rows of the texts table."""
    return tuple(TextRow(*row) for row in rows)


def seed_rows(rows: Iterable[tuple[str, int, bytes, str, int, str, str, int | None]]) -> tuple[SeedRow, ...]:
    """Seeds from rows of the seeds table."""
    return tuple(SeedRow(*row[:5], tuple(json.loads(row[5])), *row[6:]) for row in rows)


def doc_rows(rows: Iterable[tuple[str, str, str, float | None, str]]) -> tuple[Doc, ...]:
    """Documents from rows of the docs table."""
    return tuple(Doc(kind, key, json.loads(data), expires, owner) for kind, key, data, expires, owner in rows)


def due_rows(rows: Iterable[tuple[str, float, str, str, str]]) -> tuple[DueRow, ...]:
    """What is due, from rows of the due table."""
    return tuple(DueRow(key, at, kind, json.loads(data), owner) for key, at, kind, data, owner in rows)
