"""A commit as the message that `grognard_commit` understands (functions.sql). What is empty is left out."""

from __future__ import annotations

import json
import secrets
from typing import Any

from bot.rules.text.plain import storable
from bot.stores.base import REQUESTS_KEPT
from bot.stores.records import Binding, Change, Commit, Doc, Json, Outgoing, tombstone
from bot.stores.stored import dump

NUL = "\0"


def message(commit: Commit, now: float) -> Json:
    """What is sent for a commit."""
    request = commit.request_id
    found: Json = {
        "now": now,
        "erase": commit.erase,
        "changes": [_change(one) for one in commit.changes],
        "bindings": [_binding(one) for one in commit.bindings],
        "side": _side_rows(commit),
        "forget": commit.forget,
    }
    if commit.pressed is not None:
        about, place, spot = commit.pressed
        found["pressed"] = (about, place, spot_text(spot))
    own = dump(commit.reply) if request is not None or commit.outbox else ""
    if request is not None:
        found |= {
            "request": storable(request),
            "stone": tombstone(storable(request)),
            "since": now - REQUESTS_KEPT,
            "user": commit.user,
            "reply": own,
            "attempt": secrets.token_hex(8),
        }
    found["outbox"] = [_outgoing(one, own if request is None else None) for one in commit.outbox]
    return {key: value for key, value in found.items() if value or value == ""}


def document(doc: Doc) -> Json:
    """What is sent for a document."""
    return {"kind": doc.kind, "key": doc.key, "data": dump(doc.data), "expires": doc.expires, "owner": doc.owner}


def spot_text(spot: Json) -> str:
    """Where a message is, as it is compared."""
    return json.dumps(spot, separators=(",", ":"), sort_keys=True)


def _change(change: Change) -> Json:
    found: Json = {"game": change.game, "version": change.version}
    if change.events:
        first, last = change.events[0], change.events[-1]
        found |= {"first": first.number, "last": last.number, "head": last.hash}
        found["events"] = [(event.number, storable(event.body), event.hash) for event in change.events]
    if change.state is not None:
        found["state"] = dump(change.state)
    return found


def _binding(binding: Binding) -> Json:
    return {
        "place": binding.place,
        "game": binding.game,
        "was": binding.was,
        "server": binding.server or binding.place,
        "alone": binding.alone,
    }


def _side_rows(commit: Commit) -> Json:
    rows: dict[str, Any] = {
        "persons": [(one.game, one.person, one.user, storable(one.name)) for one in commit.persons],
        "texts": [
            (one.game, one.event, one.key, one.salt, storable(one.text), one.person) for one in commit.texts
        ],
        "seeds": [
            (one.game, one.epoch, one.seed.hex(), one.commitment, one.first_event, json.dumps(one.texts), one.digest,
             one.revealed)
            for one in commit.seeds
        ],
        "drop_docs": commit.drop_docs,
        "docs": [document(one) for one in commit.docs],
        "drop_due": commit.drop_due,
        "due": [(one.key, one.at, one.kind, dump(one.data), one.owner) for one in commit.due],
        "withdraw": commit.withdraw,
    }  # fmt: skip
    return {name: found for name, found in rows.items() if found}


def _outgoing(entry: Outgoing, reply: str | None) -> Json:
    """An answer for the outbox. One that is the commit's own reply is stored once, with the request."""
    return {
        "place": entry.place,
        "reply": dump(entry.reply) if entry.reply is not None else reply,
        "delivery": dump(entry.delivery),
        "due": entry.due,
        "about": entry.about,
        "amends": entry.amends,
        "home": entry.home,
    }
