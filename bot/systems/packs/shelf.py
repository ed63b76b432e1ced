"""What one server, or one game, sees of systems: those that everybody has, and packs in versions of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.systems.packs.pack import PackSystem
from bot.systems.system import System


class Shelf(Mapping[str, System]):
    """Systems by id. Of several versions of one pack the last is in force; the others are there for past events."""

    def __init__(self, house: Mapping[str, System], packs: Iterable[PackSystem]) -> None:
        self._versions: dict[str, PackSystem] = {}
        for pack in packs:
            self._versions.pop(pack.version, None)  # those in force stay behind the others
            self._versions[pack.version] = pack
        self._systems: Mapping[str, System] = {**house, **{pack.id: pack for pack in self._versions.values()}}

    def __getitem__(self, id: str) -> System:
        return self._systems[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def versions(self) -> tuple[PackSystem, ...]:
        """The packs at hand, as they were given."""
        return tuple(self._versions.values())

    def version(self, hash: str) -> PackSystem | None:
        """The version with this hash, where it is at hand."""
        return self._versions.get(hash)
