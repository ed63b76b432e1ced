"""What an adapter keeps for itself beside the games: what its platform was told, where it is
installed.
"""

from collections.abc import Mapping
from typing import Any

from bot.storage.records import Commit, Doc
from bot.storage.store import Store


class Notes:
    """The small documents of one platform, by name and key. Every method may raise StoreError."""

    def __init__(self, store: Store, platform: str) -> None:
        self._store = store
        self._platform = platform

    async def get(self, name: str, key: str) -> Mapping[str, Any] | None:
        """What was written there last, or None."""
        doc = await self._store.load_doc(f"{self._platform}-{name}", key)
        return doc.data if doc is not None else None

    async def get_time(self) -> float:
        """Unix seconds by the clock that all processes share."""
        return await self._store.load_time()

    async def list_keys(self, name: str) -> list[str]:
        """Where something is written under this name."""
        return [doc.key for doc in await self._store.load_docs(f"{self._platform}-{name}")]

    async def put(
        self, name: str, key: str, data: Mapping[str, Any], expires: float | None = None
    ) -> None:
        """Write it, in place of what was there; it is gone at Unix seconds `expires`, if that is
        given.
        """
        await self._store.put_doc(Doc(f"{self._platform}-{name}", key, dict(data), expires))

    async def replace(self, name: str, key: str, since: str, data: Mapping[str, Any]) -> bool:
        """Write it; False where somebody else has, `since` naming what both read. Of several
        processes that ask at once one does."""
        kind = f"{self._platform}-{name}"
        request = f"{self._platform}:{name}/{key}/{since}"
        done = await self._store.commit(Commit(request, docs=[Doc(kind, key, dict(data))]))
        return not done.seen

    async def remove(self, name: str, key: str) -> None:
        """Nothing is there from now on."""
        await self._store.take_doc(f"{self._platform}-{name}", key)
