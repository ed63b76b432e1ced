"""The packs that a game was played with, loaded from the store or from an exported file."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.game.event_kinds import shorten_value
from bot.game.game_log import LoggedEvent, LoggedText
from bot.game.state import Game
from bot.rules.errors import TableError, UserError
from bot.rules.proof.chain import SEALED
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import PackSystem, build_pack, compute_hash, decode_files, list_hashes
from bot.rulesets.packs.visible_rulesets import combine_with_packs
from bot.rulesets.rule_sets import RuleSets
from bot.storage.records import PACK_FILES
from bot.storage.store import Store
from bot.verification.export_format import MOST_PACKS, Exported


async def load_packs_of_events(
    store: Store, rows: Sequence[LoggedEvent], texts: Iterable[LoggedText] = ()
) -> dict[str, dict[str, str]]:
    """Load the files of each pack version that events or sealed contents name, by its hash."""
    return await load_packs(store, [*list_pack_hashes(rows), *list_sealed_pack_hashes(texts)])


def list_pack_hashes(rows: Iterable[LoggedEvent]) -> list[str]:
    """List the hashes of the pack versions that events name, in order, with repeats."""
    rows_with_packs = (row for row in rows if '"packs"' in row.body or '"edition":"' in row.body)
    return list(list_hashes(row.data for row in rows_with_packs))


def list_sealed_pack_hashes(texts: Iterable[LoggedText]) -> list[str]:
    """List the hashes of the pack versions that sealed rolls name, in order, with repeats.

    `texts` are all texts of a game; those that are no sealed content are passed over.
    """
    contents = (text.text for text in texts if text.key == SEALED)
    return list(
        list_hashes(json.loads(content) for content in contents if '"edition":"' in content)
    )


async def load_packs(store: Store, hashes: Iterable[str]) -> dict[str, dict[str, str]]:
    """Load the files of pack versions by their hashes, at most the last MOST_PACKS of them.

    They come from the store, or from the host's own packs. Versions that are nowhere are left out.
    """
    files_by_hash: dict[str, dict[str, str]] = {}
    for hash in list(dict.fromkeys(hashes))[-MOST_PACKS:]:
        doc = await store.load_doc(PACK_FILES, hash)
        if doc is not None:
            files_by_hash[hash] = doc.data["files"]
            continue
        pack = _find_host_pack(hash)
        if pack is not None:
            files_by_hash[hash] = decode_files(pack)
    return files_by_hash


def add_packs(packs: Mapping[str, Mapping[str, str]]) -> RuleSets:
    """Return the shared rule sets together with these packs. `packs` are files by hash.

    Packs that cannot be built are left out.
    """
    if not packs:
        return load_shared_systems()
    systems = []
    for hash, files in packs.items():
        pack = build_pack(files, hash)
        if pack is not None:
            systems.append(pack)
    return combine_with_packs(load_shared_systems(), systems)


def _find_host_pack(hash: str) -> PackSystem | None:
    """Find a pack of the host by the hash of its version, None if none has it."""
    pack = load_shared_systems().find_version(hash)
    return pack if isinstance(pack, PackSystem) else None


def _check_readable(pack: PackSystem | None) -> PackSystem | None:
    """Return the pack if all of it can be read today, otherwise None.

    Outcomes of an unreadable pack cannot be played again. That is no fault.
    """
    try:
        if pack is not None:
            pack.check_whole()
    except (UserError, TableError):
        return None
    return pack


class ExportedPacks:
    """The packs of an exported game, each built once. A pack with a false hash is a fault."""

    def __init__(self, log: Exported) -> None:
        self._false_hashes = [
            hash for hash, files in log.packs.items() if compute_hash(files) != hash
        ]
        self._packs = {
            hash: _check_readable(build_pack(files, hash)) for hash, files in log.packs.items()
        }
        self.systems = combine_with_packs(
            load_shared_systems(), [pack for pack in self._packs.values() if pack is not None]
        )
        """The shared rule sets together with all packs of the file."""
        self._cache: dict[tuple[tuple[str, ...], tuple[str, ...]], RuleSets] = {}

    def find_faults(self) -> Iterator[str]:
        """Yield a line for each pack whose files do not have its hash."""
        for hash in self._false_hashes:
            yield f"The pack {shorten_value(hash)[:8]} in the file does not match its hash."

    def get_systems_at(self, game: Game, event: Mapping[str, Any]) -> RuleSets:
        """Return the rule sets that an event was played with.

        They include the packs in force in `game`, and those that the event adds or names itself.
        Packs that the file lacks, or that cannot be read, are left out.
        """
        new_fields = (event.get("after") or {}).get("game") or {}
        in_force = (*game.packs, *(new_fields.get("packs") or ()))
        hashes = tuple(
            hash for hash in (*in_force, *list_hashes([event])) if self._packs.get(hash) is not None
        )
        if not hashes:
            return load_shared_systems()
        key = (hashes, in_force)
        if key not in self._cache:
            packs = [pack for hash in hashes if (pack := self._packs[hash])]
            self._cache[key] = combine_with_packs(load_shared_systems(), packs, in_force)
        return self._cache[key]
