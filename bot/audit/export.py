"""Writes a game down as one JSON object that can be checked by anyone and imported again. See docs/export.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bot.rules.proof.chain import genesis
from bot.rules.proof.export_format import FORMAT, SEALED, VERSION, person_key
from bot.stores.records import IMPORTED, EventRow, Json, PersonRow, SeedRow, TextRow


def export_game(
    game: str,
    events: Sequence[EventRow],
    seeds: Iterable[SeedRow],
    texts: Iterable[TextRow],
    persons: Iterable[PersonRow],
    *,
    packs: Mapping[str, Mapping[str, str]] | None = None,
    with_secrets: bool = False,
    **about: object,
) -> Json:
    """The export of the game whose log is `events`. `about` (system, name, ...) is only for whoever reads the file.
    `packs` are the files of those that it was played with, by their hash.

    Seeds that were not revealed are left out, and so are sealed rolls and orders that are not yet opened;
    `with_secrets` keeps them, for a check that shows nobody anything but faults.
    """
    bodies = {event.number: event.data for event in events}
    opened = {number for body in bodies.values() for number in body.get("opens", ())}
    opened |= {number for body in bodies.values() for number in body.get("reads", ())}
    sealed = {number for number, body in bodies.items() if "sealed" in body or body.get("kind") == "order"}
    closed = sealed - opened if not with_secrets else set()
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game,
        **about,
        "head": events[-1].hash if events else genesis(game),
        **({"packs": dict(packs)} if packs else {}),
        "events": [{"number": row.number, "hash": row.hash, "body": bodies[row.number]} for row in events],
        "seeds": [_seed(row, shown=with_secrets or row.revealed is not None) for row in seeds],
        "texts": [
            _text(row) for row in texts if row.event not in closed and _is_promised(bodies.get(row.event, {}), row)
        ],
        "persons": [{"person": row.person, "key": _key(game, row), "name": row.name} for row in persons],
    }


def _key(game: str, row: PersonRow) -> str:
    return row.user.removeprefix(IMPORTED) if row.is_imported else person_key(game, row.user)


def _seed(row: SeedRow, *, shown: bool) -> Json:
    seed: Json = {"epoch": row.epoch, "commitment": row.commitment}
    if shown:
        seed["seed"] = row.seed.hex()
    return seed


def _text(row: TextRow) -> Json:
    return {"event": row.event, "key": row.key, "salt": row.salt, "text": row.text, "person": row.person}


def _is_promised(body: Json, row: TextRow) -> bool:
    """Whether the text's hash is in the chain; an answer kept for its reader only does not."""
    return row.key == SEALED or row.key in body.get("texts", {}) or (row.key == "label" and "sealed" in body)
