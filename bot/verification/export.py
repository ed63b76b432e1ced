"""The export of a game: one JSON object that anyone can check and that can be imported again.

docs/export.md describes it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.game.game_log import IMPORTED, DiceSeed, LoggedEvent, LoggedText, Participant
from bot.game.loaded_game import is_imported
from bot.rules.proof.chain import SAID, SEALED, compute_genesis, compute_person_key
from bot.storage.records import Json
from bot.verification.export_format import FORMAT, VERSION

CLOSED = ("card.", "face.", "from.")
"""Prefixes of the keys of texts that hold closed cards."""
_OF_TEXTS = ('"texts"', '"sealed"', '"order"', '"opens"', '"reads"', '"shows"')
"""Field names that are about texts. An event without any of them says nothing about texts."""


def export_game(
    game: str,
    events: Sequence[LoggedEvent],
    seeds: Iterable[DiceSeed],
    texts: Iterable[LoggedText],
    persons: Iterable[Participant],
    *,
    packs: Mapping[str, Mapping[str, str]] | None = None,
    with_secrets: bool = False,
    **about: object,
) -> Json:
    """Build the export of the game that has the log `events`.

    `about` (system, name, ...) is information for readers of the file. `packs` are the files of the
    packs that the game was played with, by hash. Unrevealed seeds and the contents of closed rolls
    and orders are left out. `with_secrets` keeps them, for a check that shows nothing but faults.
    """
    bodies = {event.number: event.data for event in events}
    promises = TextPromises(with_secrets=with_secrets)
    for number, body in bodies.items():
        promises.note(number, body)
    head = events[-1].hash if events else compute_genesis(game)
    visible_texts = promises.list_visible(texts)
    return {
        **build_heading(game, head, packs, **about),
        "events": [
            {"number": row.number, "hash": row.hash, "body": bodies[row.number]} for row in events
        ],
        **build_appendix(game, seeds, visible_texts, persons, with_secrets=with_secrets),
    }


def build_heading(
    game: str, head: str, packs: Mapping[str, Mapping[str, str]] | None, **about: object
) -> Json:
    """Build the part of an export before its events.

    `head` is the hash of the last event. `packs` are files by hash; without any the part has none.
    `about` are more fields for readers of the file.
    """
    heading: Json = {"format": FORMAT, "version": VERSION, "game": game, **about, "head": head}
    return {**heading, "packs": dict(packs)} if packs else heading


def build_appendix(
    game: str,
    seeds: Iterable[DiceSeed],
    texts: Iterable[LoggedText],
    persons: Iterable[Participant],
    *,
    with_secrets: bool = False,
) -> Json:
    """Build the part of an export after its events.

    The caller gives only `texts` that may be shown. `with_secrets` keeps unrevealed seeds.
    """
    return {
        "seeds": [
            _seed_to_json(row, with_seed=with_secrets or row.revealed is not None) for row in seeds
        ],
        "texts": [text_to_json(row) for row in texts],
        "persons": [
            {"person": row.person, "key": _compute_person_key(game, row), "name": row.name}
            for row in persons
        ],
    }


class TextPromises:
    """The decision which texts of a log an export may show.

    It notes each event of the log first, without keeping its body.
    """

    def __init__(self, *, with_secrets: bool = False) -> None:
        self._with_secrets = with_secrets
        self._sealed: set[int] = set()
        self._opened: set[int] = set()
        self._opened_cards: list[range] = []
        """Ranges of events whose closed cards were opened."""
        self._promised: dict[int, tuple[str, ...]] = {}

    def note_event(self, row: LoggedEvent) -> None:
        """Note an event. Its body is parsed only if it says something about texts."""
        if any(word in row.body for word in _OF_TEXTS):
            self.note(row.number, row.data)

    def note(self, number: int, body: Mapping[str, Any]) -> None:
        """Note which texts the body of event `number` promises, seals or opens."""
        self._opened.update(body.get("opens", ()), body.get("reads", ()))
        if "shows" in body:
            self._opened_cards.append(range(body["shows"], number))
        if "sealed" in body or body.get("kind") == "order":
            self._sealed.add(number)
        keys = tuple(body.get("texts", {}))
        if "sealed" in body:
            keys = (*keys, "label")
        if keys:
            self._promised[number] = keys

    def list_visible(self, texts: Iterable[LoggedText]) -> Iterator[LoggedText]:
        """Yield the texts that an export may show. All events must be noted before.

        It may show texts with a hash in the chain, and first lines. Sealed rolls and orders, and
        closed cards, are left out until they are opened, unless `with_secrets`. Answers kept for a
        single reader are not in the chain, so no export has them.
        """
        closed = self._sealed - self._opened if not self._with_secrets else set()
        for row in texts:
            is_promised = row.key == SEALED or row.key in self._promised.get(row.event, ())
            is_open = is_promised and row.event not in closed
            if row.key.startswith(CLOSED) and not self._with_secrets:
                is_open = is_open and any(row.event in events for events in self._opened_cards)
            if is_open or row.key == SAID:
                yield row


def _compute_person_key(game: str, row: Participant) -> str:
    """Return the key by which the account of a person is recognized within a game.

    A person from an imported file keeps the key that the file has.
    """
    if is_imported(row):
        return row.user.removeprefix(IMPORTED)
    return compute_person_key(game, row.user)


def _seed_to_json(row: DiceSeed, *, with_seed: bool) -> Json:
    """Convert a seed to JSON, without the seed itself if it must stay secret."""
    seed: Json = {"epoch": row.epoch, "commitment": row.commitment}
    if with_seed:
        seed["seed"] = row.seed.hex()
    return seed


def text_to_json(row: LoggedText) -> Json:
    """Convert a text to the JSON of an export."""
    return {
        "event": row.event,
        "key": row.key,
        "salt": row.salt,
        "text": row.text,
        "person": row.person,
    }
