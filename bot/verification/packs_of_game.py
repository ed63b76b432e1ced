"""The packs that a game was played with: out of the store, or out of the file that somebody
brought.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.game.event_kinds import shown
from bot.game.state import Game
from bot.rules.errors import TableError, UserError
from bot.rules.proof.chain import SEALED
from bot.stores.records import PACK_FILES, EventRow, TextRow
from bot.stores.store import Store
from bot.systems.catalog import everywhere, systems
from bot.systems.packs.pack import PackSystem, files_of, hash_of, hashes_in, pack_from
from bot.systems.packs.shelf import Shelf
from bot.systems.system import System
from bot.verification.export_format import MOST_PACKS, Exported


async def packs_of(
    store: Store, rows: Sequence[EventRow], texts: Iterable[TextRow] = ()
) -> dict[str, dict[str, str]]:
    """The files of each version that events name, by its hash: as they are kept, or as the host
    has them.
    """
    return await packs_at(store, [*hashes_of(rows), *hashes_sealed(texts)])


def hashes_of(rows: Iterable[EventRow]) -> list[str]:
    """The versions of packs that events name."""
    return list(
        hashes_in(row.data for row in rows if '"packs"' in row.body or '"edition":"' in row.body)
    )


def hashes_sealed(texts: Iterable[TextRow]) -> list[str]:
    """The versions of packs that sealed events name, which are among these texts."""
    return list(
        hashes_in(
            json.loads(text.text)
            for text in texts
            if text.key == SEALED and '"edition":"' in text.text
        )
    )


async def packs_at(store: Store, hashes: Iterable[str]) -> dict[str, dict[str, str]]:
    """The files of versions by their hashes, the latest ones if there are too many."""
    found: dict[str, dict[str, str]] = {}
    for hash in list(dict.fromkeys(hashes))[-MOST_PACKS:]:
        doc = await store.doc(PACK_FILES, hash)
        if doc is not None:
            found[hash] = doc.data["files"]
        elif (pack := _at_hand(hash)) is not None:
            found[hash] = files_of(pack)
    return found


def with_packs(packs: Mapping[str, Mapping[str, str]]) -> Mapping[str, System]:
    """The systems of everybody, with these packs."""
    if not packs:
        return everywhere()
    found = [pack for hash, files in packs.items() if (pack := pack_from(files, hash)) is not None]
    return Shelf(everywhere(), found)


def _at_hand(hash: str) -> PackSystem | None:
    return next(
        (one for one in systems().values() if isinstance(one, PackSystem) and one.version == hash),
        None,
    )


def _whole(pack: PackSystem | None) -> PackSystem | None:
    """The pack, if all of it can be read today; else its outcomes cannot be played again, which
    is no fault.
    """
    try:
        if pack is not None:
            pack.check_whole()
    except (UserError, TableError):
        return None
    return pack


class Brought:
    """The packs of an exported game, each read once; what is no pack of its hash is a fault."""

    def __init__(self, log: Exported) -> None:
        self._wrong = [hash for hash, files in log.packs.items() if hash_of(files) != hash]
        self._packs = {hash: _whole(pack_from(files, hash)) for hash, files in log.packs.items()}
        self._shelves: dict[tuple[tuple[str, ...], tuple[str, ...]], Mapping[str, System]] = {}

    def faults(self) -> Iterator[str]:
        """What is wrong with the packs themselves, one line each."""
        for hash in self._wrong:
            yield f"The pack {shown(hash)[:8]} in the file is not what its hash says."

    def all(self) -> Mapping[str, System]:
        """The systems of everybody, with all that the file has."""
        return Shelf(everywhere(), [pack for pack in self._packs.values() if pack is not None])

    def seen(self, now: Game, event: Mapping[str, Any]) -> Mapping[str, System]:
        """The systems that an event was played with: the game's version, or the one that it
        names itself.
        """
        after = ((event.get("after") or {}).get("game") or {}).get("packs") or ()
        joined = (*now.packs, *after)
        named = tuple(
            hash for hash in (*joined, *hashes_in([event])) if self._packs.get(hash) is not None
        )
        if not named:
            return systems()
        if (key := (named, joined)) not in self._shelves:
            found = [pack for hash in named if (pack := self._packs[hash])]
            self._shelves[key] = Shelf(everywhere(), found, joined)
        return self._shelves[key]
