"""Looks for what is due, and has it seen to: reminders, sealed orders that open. Any number of
processes may look.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from bot.game.game_cache import is_imported
from bot.runtime.logs import get_seldom_logger, log_failure
from bot.storage.base import Clock
from bot.storage.records import Commit, DueRow
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, CommandSpec, Person, Place, get_server_key

log = logging.getLogger(__name__)
often = get_seldom_logger(f"{__name__}.often")

DUE = CommandSpec(("due",), "What was due", "due")
"""In no registry: nobody can type it."""
EVERY = 15.0
MOST = 50
"""What is seen to in one look; the rest waits for the next."""
AFTER_TROUBLE = 600.0
"""Seconds until what failed is tried again, so that it keeps nothing else waiting."""


class DueLoop:
    """Sees to what is due, each thing once: it leaves the store in the commit that sees to it."""

    def __init__(
        self,
        store: Store,
        run: Callable[[Command], Awaitable[Reply]],
        steady: Clock = time.monotonic,
    ) -> None:
        self._store = store
        self._run = run
        self._steady = steady
        self._failed: dict[str, float] = {}

    async def run(self) -> None:
        """Every quarter of a minute, until cancelled."""
        while True:
            try:
                await self.look()
            except Exception as error:
                log_failure(often, "could not see to what is due", error)
            await asyncio.sleep(EVERY)

    async def look(self) -> int:
        """See to all that is due now, as far as one look goes; how much that was."""
        now = self._steady()
        self._failed = {key: at for key, at in self._failed.items() if at > now}
        rows = [
            row
            for row in await self._store.load_due(MOST + len(self._failed))
            if row.key not in self._failed
        ]
        for row in rows:
            if not await self._see_to(row):
                self._failed[row.key] = now + AFTER_TROUBLE
        return len(rows)

    async def _see_to(self, row: DueRow) -> bool:
        saved = await self._store.load_game_by_id(row.game)
        if saved is None or not saved.places:  # put aside: whoever takes it up again begins anew
            await self._store.commit(Commit(drop_due=[(row.key, None)]))
            return True
        where = Place(saved.places[0], get_server_key(saved.places[0]))
        options = {"key": row.key, "at": row.at}
        found = [one for one in saved.persons if not is_imported(one)]
        laid = next(
            (one for one in found if one.person == row.data.get("person")),
            found[0] if found else None,
        )
        who = Person(laid.user, laid.name) if laid is not None else Person("nobody:", "")
        reply = await self._run(
            Command(DUE.path, options, who, where, f"due/{row.key}/{row.at}", spec=DUE)
        )
        if reply.error:
            log.error("what was due in a game could not be seen to: %s", reply.title)
        return not reply.error
