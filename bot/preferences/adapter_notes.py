"""Notes of an adapter outside the games: what its platform was sent, where it is installed."""

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
        """Return the document with this name and key, or None."""
        doc = await self._store.load_doc(f"{self._platform}-{name}", key)
        return doc.data if doc is not None else None

    async def get_time(self) -> float:
        """Return the Unix seconds of the clock that all processes share."""
        return await self._store.load_time()

    async def list_keys(self, name: str) -> list[str]:
        """Return the keys of the documents with this name."""
        return [doc.key for doc in await self._store.load_docs(f"{self._platform}-{name}")]

    async def put(
        self, name: str, key: str, data: Mapping[str, Any], expires: float | None = None
    ) -> None:
        """Write a document, in place of an earlier one. It is deleted at `expires` (Unix seconds),
        if given.
        """
        await self._store.put_doc(Doc(f"{self._platform}-{name}", key, dict(data), expires))

    async def replace(self, name: str, key: str, since: str, data: Mapping[str, Any]) -> bool:
        """Write a document, unless an earlier call with the same `since` has written it.

        `since` names the version that the caller has read. The first call with it wins; return
        whether that is this one. The stored document is not compared, so a `put` in between goes
        unnoticed.
        """
        kind = f"{self._platform}-{name}"
        request = f"{self._platform}:{name}/{key}/{since}"
        result = await self._store.commit(Commit(request, docs=[Doc(kind, key, dict(data))]))
        return not result.seen

    async def remove(self, name: str, key: str) -> None:
        """Delete a document."""
        await self._store.take_doc(f"{self._platform}-{name}", key)
