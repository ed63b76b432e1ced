"""How long the content of packs is kept: for as long as a server has them or has played them, and a week more."""

from __future__ import annotations

from dataclasses import replace

from bot.packs.stored import ABOUT, HERE, USED
from bot.stores.base import DAY, Clock
from bot.stores.records import PACK_FILES
from bot.stores.store import Store

GRACE = 7 * DAY
"""Seconds behind which content goes that nobody needs: it may be added again, or just be on its way."""


async def tidy(store: Store, clock: Clock) -> int:
    """Let content expire that no server needs, and keep what is needed again; how many versions that concerns."""
    needed = {str(doc.data["hash"]) for kind in (HERE, USED) for doc in await store.docs(kind)}
    changed = 0
    for about in await store.docs(ABOUT):
        if (about.key in needed) == (about.expires is None):
            continue
        expires = None if about.key in needed else clock() + GRACE
        files = await store.doc(PACK_FILES, about.key)
        for doc in filter(None, (files, about)):
            await store.put_doc(replace(doc, expires=expires))
        changed += 1
    return changed
