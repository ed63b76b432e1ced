"""Writes a game down as one JSON object that can be checked by anyone and imported again. See
docs/export.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.game.game_cache import is_imported
from bot.rules.proof.chain import SAID, SEALED, compute_genesis, compute_person_key
from bot.storage.records import IMPORTED, EventRow, Json, PersonRow, SeedRow, TextRow
from bot.verification.export_format import FORMAT, VERSION

CLOSED = ("card.", "face.", "from.")
"""How the keys of texts begin that hold closed cards."""
_OF_TEXTS = ('"texts"', '"sealed"', '"order"', '"opens"', '"reads"', '"shows"')
"""One of these is in the body of every event that says something of texts."""


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
    """The export of the game whose log is `events`. `about` (system, name, ...) is only for whoever
    reads the file. `packs` are the files of those that it was played with, by their hash.

    Seeds that were not revealed are left out, and so are sealed rolls and orders that are not yet
    opened; `with_secrets` keeps them, for a check that shows nobody anything but faults.
    """
    bodies = {event.number: event.data for event in events}
    promises = TextPromises(with_secrets=with_secrets)
    for number, body in bodies.items():
        promises.note(number, body)
    head = events[-1].hash if events else compute_genesis(game)
    return {
        **build_heading(game, head, packs, **about),
        "events": [
            {"number": row.number, "hash": row.hash, "body": bodies[row.number]} for row in events
        ],
        **build_appendix(
            game, seeds, promises.list_visible(texts), persons, with_secrets=with_secrets
        ),
    }


def build_heading(
    game: str, head: str, packs: Mapping[str, Mapping[str, str]] | None, **about: object
) -> Json:
    """Return what comes before the events in an export."""
    heading: Json = {"format": FORMAT, "version": VERSION, "game": game, **about, "head": head}
    return {**heading, "packs": dict(packs)} if packs else heading


def build_appendix(
    game: str,
    seeds: Iterable[SeedRow],
    texts: Iterable[TextRow],
    persons: Iterable[PersonRow],
    *,
    with_secrets: bool = False,
) -> Json:
    """What comes behind the events in an export; of `texts` only those that may be shown are
    given.
    """
    return {
        "seeds": [
            _seed_to_json(row, shown=with_secrets or row.revealed is not None) for row in seeds
        ],
        "texts": [text_to_json(row) for row in texts],
        "persons": [
            {"person": row.person, "key": _compute_person_key(game, row), "name": row.name}
            for row in persons
        ],
    }


class TextPromises:
    """Which texts of a log an export may show, by what has been noted of its events; their
    bodies are not kept.
    """

    def __init__(self, *, with_secrets: bool = False) -> None:
        self._with_secrets = with_secrets
        self._sealed: set[int] = set()
        self._opened: set[int] = set()
        self._shown: list[range] = []
        """Events whose closed cards were opened."""
        self._promised: dict[int, tuple[str, ...]] = {}

    def note_event(self, row: EventRow) -> None:
        """Note an event; it is only read where it says something of texts."""
        if any(word in row.body for word in _OF_TEXTS):
            self.note(row.number, row.data)

    def note(self, number: int, body: Mapping[str, Any]) -> None:
        """Note what an event says of texts."""
        self._opened.update(body.get("opens", ()), body.get("reads", ()))
        if "shows" in body:
            self._shown.append(range(body["shows"], number))
        if "sealed" in body or body.get("kind") == "order":
            self._sealed.add(number)
        keys = (*body.get("texts", {}), *(("label",) if "sealed" in body else ()))
        if keys:
            self._promised[number] = keys

    def list_visible(self, texts: Iterable[TextRow]) -> Iterator[TextRow]:
        """Those that may be shown, once all events are noted. An answer kept for its reader only is
        not in the chain, and so in no export."""
        closed = self._sealed - self._opened if not self._with_secrets else set()
        for row in texts:
            is_open = row.event not in closed and (
                row.key == SEALED or row.key in self._promised.get(row.event, ())
            )
            if row.key.startswith(CLOSED) and not self._with_secrets:
                is_open = is_open and any(row.event in shown for shown in self._shown)
            if is_open or row.key == SAID:
                yield row


def _compute_person_key(game: str, row: PersonRow) -> str:
    return (
        row.user.removeprefix(IMPORTED) if is_imported(row) else compute_person_key(game, row.user)
    )


def _seed_to_json(row: SeedRow, *, shown: bool) -> Json:
    seed: Json = {"epoch": row.epoch, "commitment": row.commitment}
    if shown:
        seed["seed"] = row.seed.hex()
    return seed


def text_to_json(row: TextRow) -> Json:
    """A text as it is in an export."""
    return {
        "event": row.event,
        "key": row.key,
        "salt": row.salt,
        "text": row.text,
        "person": row.person,
    }
