"""What one server, or one game, sees of systems: those that everybody has, and packs in versions of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.systems.catalog import System
from bot.systems.packs.pack import PackSystem


class Shelf(Mapping[str, System]):
    """Systems by id; `older` are versions of packs that past events name, beside those that are played now."""

    def __init__(
        self, house: Mapping[str, System], packs: Iterable[PackSystem], older: Iterable[PackSystem] = ()
    ) -> None:
        packs = tuple(packs)
        self.packs: Mapping[str, PackSystem] = {pack.id: pack for pack in packs}
        self._systems: Mapping[str, System] = {**house, **self.packs}
        self._versions = {pack.version: pack for pack in (*older, *packs)}

    def __getitem__(self, id: str) -> System:
        return self._systems[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def version(self, hash: str) -> PackSystem | None:
        """The version with this hash, where it is at hand."""
        return self._versions.get(hash)
