"""The packs that a game was played with: out of the store, or out of the file that somebody
brought.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.game.event_kinds import shorten_value
from bot.game.state import Game
from bot.rules.errors import TableError, UserError
from bot.rules.proof.chain import SEALED
from bot.rulesets.catalog import get_systems, load_shared_systems
from bot.rulesets.packs.pack import PackSystem, build_pack, compute_hash, decode_files, list_hashes
from bot.rulesets.packs.visible_rulesets import VisibleRulesets
from bot.rulesets.system import System
from bot.storage.records import PACK_FILES, EventRow, TextRow
from bot.storage.store import Store
from bot.verification.export_format import MOST_PACKS, Exported


async def load_packs_of_events(
    store: Store, rows: Sequence[EventRow], texts: Iterable[TextRow] = ()
) -> dict[str, dict[str, str]]:
    """The files of each version that events name, by its hash: as they are kept, or as the host
    has them.
    """
    return await load_packs(store, [*list_pack_hashes(rows), *list_sealed_pack_hashes(texts)])


def list_pack_hashes(rows: Iterable[EventRow]) -> list[str]:
    """The versions of packs that events name."""
    return list(
        list_hashes(row.data for row in rows if '"packs"' in row.body or '"edition":"' in row.body)
    )


def list_sealed_pack_hashes(texts: Iterable[TextRow]) -> list[str]:
    """The versions of packs that sealed events name, which are among these texts."""
    return list(
        list_hashes(
            json.loads(text.text)
            for text in texts
            if text.key == SEALED and '"edition":"' in text.text
        )
    )


async def load_packs(store: Store, hashes: Iterable[str]) -> dict[str, dict[str, str]]:
    """The files of versions by their hashes, the latest ones if there are too many."""
    found: dict[str, dict[str, str]] = {}
    for hash in list(dict.fromkeys(hashes))[-MOST_PACKS:]:
        doc = await store.load_doc(PACK_FILES, hash)
        if doc is not None:
            found[hash] = doc.data["files"]
        elif (pack := _find_pack(hash)) is not None:
            found[hash] = decode_files(pack)
    return found


def add_packs(packs: Mapping[str, Mapping[str, str]]) -> Mapping[str, System]:
    """The systems of everybody, with these packs."""
    if not packs:
        return load_shared_systems()
    found = [pack for hash, files in packs.items() if (pack := build_pack(files, hash)) is not None]
    return VisibleRulesets(load_shared_systems(), found)


def _find_pack(hash: str) -> PackSystem | None:
    return next(
        (
            one
            for one in get_systems().values()
            if isinstance(one, PackSystem) and one.version == hash
        ),
        None,
    )


def _check_readable(pack: PackSystem | None) -> PackSystem | None:
    """The pack, if all of it can be read today; else its outcomes cannot be played again, which
    is no fault.
    """
    try:
        if pack is not None:
            pack.check_whole()
    except (UserError, TableError):
        return None
    return pack


class ExportedPacks:
    """The packs of an exported game, each read once; what is no pack of its hash is a fault."""

    def __init__(self, log: Exported) -> None:
        self._wrong = [hash for hash, files in log.packs.items() if compute_hash(files) != hash]
        self._packs = {
            hash: _check_readable(build_pack(files, hash)) for hash, files in log.packs.items()
        }
        self._shelves: dict[tuple[tuple[str, ...], tuple[str, ...]], Mapping[str, System]] = {}

    def find_faults(self) -> Iterator[str]:
        """What is wrong with the packs themselves, one line each."""
        for hash in self._wrong:
            yield f"The pack {shorten_value(hash)[:8]} in the file is not what its hash says."

    def all_systems(self) -> Mapping[str, System]:
        """The systems of everybody, with all that the file has."""
        return VisibleRulesets(
            load_shared_systems(), [pack for pack in self._packs.values() if pack is not None]
        )

    def get_systems_at(self, now: Game, event: Mapping[str, Any]) -> Mapping[str, System]:
        """The systems that an event was played with: the game's version, or the one that it
        names itself.
        """
        after = ((event.get("after") or {}).get("game") or {}).get("packs") or ()
        joined = (*now.packs, *after)
        named = tuple(
            hash for hash in (*joined, *list_hashes([event])) if self._packs.get(hash) is not None
        )
        if not named:
            return get_systems()
        if (key := (named, joined)) not in self._shelves:
            found = [pack for hash in named if (pack := self._packs[hash])]
            self._shelves[key] = VisibleRulesets(load_shared_systems(), found, joined)
        return self._shelves[key]
