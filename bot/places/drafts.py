"""Commands that are not run yet: what a guided form holds so far, or what odds were asked for.

*Roll it* uses a draft up, in the commit that rolls; until then it is its owner's alone, and kept for 30 days,
odds for a day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.interface.spec import Path
from bot.process.entropy import new_id
from bot.rules.errors import UserError
from bot.stores.base import DRAFTS_KEPT, Clock
from bot.stores.records import Doc
from bot.stores.store import Store

DRAFT = "draft"


_MORE = ("game", "wrong", "message", "title", "better")


@dataclass(frozen=True, slots=True)
class Draft:
    """A command with its options so far, for a form or a button that runs it.

    `page` is 1 where the form shows its rare fields too. `wrong` is the option that was refused, `message` why,
    `better` the options as they were probably meant. `title` is the form's, where it is not that of the command.
    """

    key: str
    path: Path
    options: Mapping[str, object]
    owner: str
    page: int = 0
    game: str = ""  # the one it was asked in; a form is of none
    wrong: str = ""
    message: str = ""
    title: str = ""
    better: Mapping[str, object] | None = None

    def doc(self, now: float, kept: float = DRAFTS_KEPT) -> Doc:
        """The draft as the store keeps it."""
        data = {"path": list(self.path), "options": dict(self.options), "page": self.page}
        data |= {name: found for name in _MORE if (found := getattr(self, name))}
        return Doc(DRAFT, self.key, data, now + kept, self.owner)


def new_draft(path: Path, options: Mapping[str, object], owner: str, game: str = "") -> Draft:
    """A draft under a key of its own."""
    return Draft(new_id(), path, options, owner, game=game)


async def find_draft(store: Store, key: str) -> Draft | None:
    """The draft with this key, unless it is used up or outdated."""
    doc = await store.doc(DRAFT, key)
    if doc is None:
        return None
    more = {name: doc.data[name] for name in _MORE if name in doc.data}
    return Draft(key, tuple(doc.data["path"]), doc.data["options"], doc.owner, doc.data.get("page", 0), **more)


class Drafts:
    """The drafts of a store. Every method may raise StoreError."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def get(self, key: str, owner: str) -> Draft | None:
        """Their own draft with this key, unless it is used up or outdated."""
        draft = await find_draft(self._store, key)
        return draft if draft is not None and draft.owner == owner else None

    async def own(self, key: str, owner: str) -> Draft:
        """The same. Raises UserError for one that is used up or outdated."""
        if (draft := await self.get(key, owner)) is None:
            raise UserError(
                "This form was already used, or has expired.", hint="Type the command again.", code="used-up"
            )
        return draft

    async def put(self, draft: Draft) -> None:
        """Write a draft, or change it."""
        await self._store.put_doc(draft.doc(self._clock()))
