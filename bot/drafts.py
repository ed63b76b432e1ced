"""Commands that are not run yet: what a guided form holds so far, or what odds were asked for.

*Roll it* uses a draft up, in the commit that rolls; until then it is its owner's alone, and kept for 30 days,
odds for a day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.entropy import new_id
from bot.interface.spec import Path
from bot.stores.base import DRAFTS_KEPT, Clock, Store
from bot.stores.records import Doc

DRAFT = "draft"


@dataclass(frozen=True, slots=True)
class Draft:
    """A command with its options so far, and the page at which its form is open."""

    key: str
    path: Path
    options: Mapping[str, object]
    owner: str
    page: int = 0
    game: str = ""  # the one it was asked in; a form is of none

    def doc(self, now: float, kept: float = DRAFTS_KEPT) -> Doc:
        """The draft as the store keeps it."""
        data = {"path": list(self.path), "options": dict(self.options), "page": self.page, "game": self.game}
        return Doc(DRAFT, self.key, data, now + kept, self.owner)


def new_draft(path: Path, options: Mapping[str, object], owner: str, game: str = "") -> Draft:
    """A draft under a key of its own."""
    return Draft(new_id(), path, options, owner, game=game)


async def find_draft(store: Store, key: str) -> Draft | None:
    """The draft with this key, unless it is used up or outdated."""
    doc = await store.doc(DRAFT, key)
    if doc is None:
        return None
    data = doc.data
    return Draft(key, tuple(data["path"]), data["options"], doc.owner, data.get("page", 0), data.get("game", ""))


class Drafts:
    """The drafts of a store. Every method may raise StoreError."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def get(self, key: str, owner: str) -> Draft | None:
        """Their own draft with this key, unless it is used up or outdated."""
        draft = await find_draft(self._store, key)
        return draft if draft is not None and draft.owner == owner else None

    async def put(self, draft: Draft) -> None:
        """Write a draft, or change it."""
        await self._store.put_doc(draft.doc(self._clock()))
