"""What is read of a game: one query, so that all of it is of the same moment, whatever is committed meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from bot.stores.records import (
    BOARD,
    Doc,
    DueRow,
    EventRow,
    GameRow,
    Json,
    OutboxRow,
    PersonRow,
    Saved,
    SeedRow,
    Shown,
    TextRow,
    UserData,
)

EVENT = "SELECT game, number, body, hash FROM events"
MARK = "SELECT game, mark, block, at FROM marks"
NEW_MARKS = """
INSERT INTO marks SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS new (game, mark, block, at)
WHERE EXISTS (SELECT FROM games WHERE id = new.game)
ON CONFLICT (game, mark, block) DO UPDATE SET at = excluded.at"""
TEXT = "SELECT game, event, key, salt, text, person FROM texts"
PERSON = 'SELECT game, person, "user", name FROM persons'
SEED = "SELECT game, epoch, seed, commitment, first_event, texts, digest, revealed FROM seeds"
DUE = "SELECT key, at, kind, data, owner FROM due"
DOC = "SELECT kind, key, data, expires, owner FROM docs"

HAS_BOARD = f"EXISTS (SELECT FROM docs WHERE kind = '{BOARD}' AND key = games.id)"
_SAVED = f"""
SELECT json_build_object(
    'board', {HAS_BOARD},
    'game', json_build_array(games.id, version, next_event, head, created, updated),
    'at', coalesce(at, 0), 'state', state,
    'events', (SELECT json_agg(json_build_array(number, body, hash) ORDER BY number) FROM events
               WHERE game = games.id AND number > coalesce(at, 0)),
    'texts', (SELECT json_agg(json_build_array(event, key, salt, text, person) ORDER BY event, key) FROM texts
              WHERE game = games.id AND event > coalesce(at, 0)),
    'persons', (SELECT json_agg(json_build_array(person, "user", name) ORDER BY person) FROM persons
                WHERE game = games.id),
    'seed', (SELECT json_build_array(epoch, encode(seed, 'hex'), commitment, first_event, texts, digest, revealed)
             FROM seeds WHERE game = games.id ORDER BY epoch DESC LIMIT 1),
    'places', (SELECT json_agg(place ORDER BY place) FROM bindings WHERE game = games.id AND current)
) FROM games LEFT JOIN snapshots ON snapshots.game = games.id WHERE games.id = """
SAVED = _SAVED + "$1"
SAVED_AT = _SAVED + "(SELECT game FROM bindings WHERE place = $1 AND current)"

SHOWN = """
SELECT json_build_object(
    'spots', (SELECT json_agg(json_build_array(place, spot, request)) FROM shown WHERE about = $1),
    'waiting', (SELECT json_agg(json_build_array(coalesce(nullif(home, ''), place), request)) FROM outbox
                WHERE about = $1 AND about <> ''),
    'reply', (SELECT reply FROM requests WHERE id IN (
        SELECT request FROM shown WHERE about = $1
        UNION ALL SELECT request FROM outbox WHERE about = $1 AND about <> ''
    ) LIMIT 1)
)"""
USERS_TEXTS = """
SELECT texts.game, event, key, salt, text, texts.person FROM persons
JOIN texts ON texts.game = persons.game AND texts.person = persons.person WHERE "user" = $1
ORDER BY texts.game, event, key"""
LINKED = """
SELECT place, game FROM bindings AS here WHERE server = $1 AND current AND EXISTS (
    SELECT FROM bindings AS there WHERE there.game = here.game AND there.current AND there.place <> here.place
) ORDER BY place"""


def saved(found: str | None) -> Saved | None:
    """A game from what SAVED found."""
    if found is None:
        return None
    data = json.loads(found)
    game = GameRow(*data["game"])
    seed = data["seed"]
    return Saved(
        game=game,
        state=json.loads(data["state"] or "{}"),
        state_at=data["at"],
        events=tuple(EventRow(game.id, *row) for row in data["events"] or ()),
        texts=tuple(TextRow(game.id, *row) for row in data["texts"] or ()),
        persons=tuple(PersonRow(game.id, *row) for row in data["persons"] or ()),
        seed=_seed(game.id, seed[0], bytes.fromhex(seed[1]), *seed[2:]) if seed else None,
        places=tuple(data["places"] or ()),
        has_board=data["board"],
    )


def shown(found: str) -> Shown:
    """Where messages are, from what SHOWN found."""
    data = json.loads(found)
    spots: dict[str, tuple[Json, ...]] = {}
    for place, spot, _ in data["spots"] or ():
        spots[place] = (*spots.get(place, ()), json.loads(spot))  # {} where nobody knows
    waiting = frozenset(place for place, _ in data["waiting"] or ())
    return Shown(spots, waiting, json.loads(data["reply"]) if data["reply"] else None)


def seed_rows(rows: Iterable[Sequence[Any]]) -> tuple[SeedRow, ...]:
    """Seeds from rows of the seeds table."""
    return tuple(_seed(*row) for row in rows)


def doc_rows(rows: Iterable[Sequence[Any]]) -> tuple[Doc, ...]:
    """Documents from rows of the docs table."""
    return tuple(Doc(kind, key, json.loads(data), expires, owner) for kind, key, data, expires, owner in rows)


def due_rows(rows: Iterable[Sequence[Any]]) -> tuple[DueRow, ...]:
    """What is due, from rows of the due table."""
    return tuple(DueRow(key, at, kind, json.loads(data), owner) for key, at, kind, data, owner in rows)


def outbox_rows(rows: Iterable[Sequence[str]]) -> tuple[OutboxRow, ...]:
    """Answers, from what grognard_claim gives."""
    found = []
    for (row,) in rows:
        id, request, place, reply, delivery, *rest = json.loads(row)
        if reply is not None:  # else it outlived its request
            found.append(OutboxRow(id, request, place, json.loads(reply), json.loads(delivery), *rest))
    return tuple(found)


def user_data(
    persons: Iterable[Sequence[Any]],
    texts: Iterable[Sequence[Any]],
    docs: Iterable[Sequence[Any]],
    due: Iterable[Sequence[Any]],
) -> UserData:
    """All that is kept about a user, from its rows."""
    return UserData(
        tuple(PersonRow(*row) for row in persons),
        tuple(TextRow(*row) for row in texts),
        doc_rows(docs),
        due_rows(due),
    )


def _seed(
    game: str, epoch: int, seed: bytes, commitment: str, first: int, texts: str, digest: str, revealed: int | None
) -> SeedRow:
    return SeedRow(game, epoch, bytes(seed), commitment, first, tuple(json.loads(texts)), digest, revealed)
