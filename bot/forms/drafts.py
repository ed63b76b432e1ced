"""Drafts: commands that are filled in before they run, kept in the store.

A form is a draft in the store, so it outlives the process. Its key is in the platform's form.
Whatever copies of it there are (the form, its odds, *Fix it*), it runs once, in the commit that
rolls. Until then only its owner can use it. It is kept for 30 days, odds for a day.
"""

from collections.abc import Mapping
from typing import NamedTuple

from bot.rules.errors import UserError
from bot.runtime.entropy import create_id
from bot.storage.base import DRAFTS_KEPT, Clock
from bot.storage.records import DRAFT, Doc
from bot.storage.store import Store
from bot.ui.spec import Path

_MORE = ("game", "wrong", "message", "title", "better")


def build_earlier_game_error() -> UserError:
    """Build the error for a button of a game that was played here before."""
    return UserError("That button is from an earlier game.", code="other-game")


class Draft(NamedTuple):
    """A command with its options so far, for a form or a button that runs it."""

    key: str
    path: Path
    options: Mapping[str, object]
    owner: str
    page: int = 0
    """1 if the form shows its rare fields too."""
    game: str = ""
    """The row of the game in which it was asked; "" for a form."""
    wrong: str = ""
    """The refused option."""
    message: str = ""
    """The reason of the refusal."""
    title: str = ""
    """The title of the form, if it differs from the command's."""
    better: Mapping[str, object] | None = None
    """The options that were probably meant."""

    def build_doc(self, now: float, kept: float = DRAFTS_KEPT) -> Doc:
        """Build the document that stores the draft for `kept` seconds from `now`."""
        data = {"path": list(self.path), "options": dict(self.options), "page": self.page}
        for name in _MORE:
            value = getattr(self, name)
            if value:
                data[name] = value
        return Doc(DRAFT, self.key, data, now + kept, self.owner)


def create_draft(path: Path, options: Mapping[str, object], owner: str, game: str = "") -> Draft:
    """Create a draft with a new key."""
    return Draft(create_id(), path, options, owner, game=game)


async def load_draft(store: Store, key: str) -> Draft | None:
    """Load the draft with this key, None if it was used or has expired."""
    doc = await store.load_doc(DRAFT, key)
    if doc is None:
        return None
    optional_values = {name: doc.data[name] for name in _MORE if name in doc.data}
    return Draft(
        key,
        tuple(doc.data["path"]),
        doc.data["options"],
        doc.owner,
        doc.data.get("page", 0),
        **optional_values,
    )


class Drafts:
    """The drafts of a store. Every method may raise StoreError."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def get(self, key: str, owner: str) -> Draft | None:
        """Return the owner's draft with this key, None if it was used or has expired."""
        draft = await load_draft(self._store, key)
        return draft if draft is not None and draft.owner == owner else None

    async def get_own(self, key: str, owner: str) -> Draft:
        """Return the owner's draft with this key. Raise UserError if it was used or has expired."""
        draft = await self.get(key, owner)
        if draft is None:
            raise UserError(
                "This form was already used, or has expired.",
                hint="Type the command again.",
                code="used-up",
            )
        return draft

    async def put(self, draft: Draft) -> None:
        """Store a new or changed draft. It expires after DRAFTS_KEPT seconds."""
        await self._store.put_doc(draft.build_doc(self._clock()))


def drop_files(options: Mapping[str, object]) -> dict[str, object]:
    """Return options without files, which have the form of their platform, and without None."""
    return {
        name: value
        for name, value in options.items()
        if not isinstance(value, Mapping) and value is not None
    }
