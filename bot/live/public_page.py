"""What anybody may see of a game: its export without what is sealed or unpublished, and the page made of it."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from gzip import compress

from bot.audit.export import export_game
from bot.report.page import fragments, page, script_hashes, without_accounts
from bot.stores.records import EventRow, Json
from bot.stores.store import Store

MOST_EVENTS = 20_000
"""A game with more is no longer followed: its page would be too large for a phone."""


async def public_export(store: Store, row: str, events: Sequence[EventRow]) -> Json:
    """The export of the game whose whole log is `events`, which are not empty."""
    seeds, texts, persons = await store.seeds(row), await store.texts(row), await store.persons(row)

    def made() -> Json:
        about: Json = {"name": "", "system": ""}
        for event in events:
            fields = (event.data.get("after") or {}).get("game") or {}
            about |= {key: fields[key] for key in about if key in fields}
        game = str(events[0].data["game"])
        return without_accounts(export_game(game, events, seeds, texts, persons, **about))

    return await asyncio.to_thread(made)


def live_page(export: str, facts: Mapping[int, str], live: str, picture: str) -> tuple[bytes, bytes, str]:
    """The page as UTF-8, the same compressed, and the policy by which a browser runs its own scripts alone."""
    text = page(json.loads(export), _read(facts), live, picture)
    plain = text.encode("utf-8", "replace")
    return plain, compress(plain, 6, mtime=0), policy(text)


def live_more(export: str, facts: Mapping[int, str], since: int) -> bytes:
    """One message of the stream: what a page that shows event `since` needs to show the last one."""
    read = json.loads(export)
    told = fragments(read, _read(facts), since)
    body = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    number = read["events"][-1]["number"]
    return f"id: {number}\nevent: more\ndata: {body}\n\n".encode("utf-8", "replace")


def policy(text: str) -> str:
    """A Content-Security-Policy under which nothing runs but the scripts of this page, and nothing is loaded."""
    return (
        f"default-src 'none'; script-src {script_hashes(text)}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _read(facts: Mapping[int, str]) -> dict[int, dict[str, object]]:
    return {number: json.loads(told) for number, told in facts.items()}
