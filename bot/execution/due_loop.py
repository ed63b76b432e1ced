"""The loop that runs what is due: reminders, sealed orders that open, and seeks that expire.

Any number of processes may run it.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable

from bot.game.game_log import Participant
from bot.game.loaded_game import is_imported
from bot.runtime.logs import get_seldom_logger, log_failure
from bot.storage.base import Clock
from bot.storage.records import Commit, DueRow
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, CommandSpec, Person, Place, get_server_key

log = logging.getLogger(__name__)
often = get_seldom_logger(f"{__name__}.often")

DUE = CommandSpec(("due",), "What was due", "due")
"""The command of what is due. It is in no registry, so nobody can type it."""
NOBODY = Person("nobody:", "")
EVERY = 15.0
MOST = 50
"""Maximum number of due rows in one look. The rest waits for the next look."""
AFTER_TROUBLE = 600.0
"""Seconds before a failed row is tried again, so that it holds nothing up."""


class DueLoop:
    """The loop that runs each due row once: the row leaves the store in the commit of its command."""

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
        """Run what is due every EVERY seconds, until cancelled."""
        while True:
            try:
                await self.look()
            except Exception as error:
                log_failure(often, "could not see to what is due", error)
            await asyncio.sleep(EVERY)

    async def look(self) -> int:
        """Run the rows that are due now, at most MOST of them, and return their number.

        A row that failed is left out for AFTER_TROUBLE seconds. Raise StoreError.
        """
        now = self._steady()
        self._failed = {
            key: retry_time for key, retry_time in self._failed.items() if retry_time > now
        }
        due_rows = await self._store.load_due(MOST + len(self._failed))
        rows = [row for row in due_rows if row.key not in self._failed]
        for row in rows:
            if not await self._see_to(row):
                self._failed[row.key] = now + AFTER_TROUBLE
        return len(rows)

    async def _see_to(self, row: DueRow) -> bool:
        """Run the command of one due row. Return False if its reply is an error, which is logged.

        A row of no game runs in the channel that it names. A row of a game that is erased or played
        nowhere is deleted without running it, which counts as success. Raise StoreError.
        """
        if row.place:
            return await self._run_row(row, Place(row.place, row.data["server"]), NOBODY)
        saved = await self._store.load_game_by_id(row.game)
        if saved is None or not saved.places:  # put aside: it is set up again with the game
            await self._store.commit(Commit(drop_due=[(row.key, None)]))
            return True
        place = Place(saved.places[0], get_server_key(saved.places[0]))
        return await self._run_row(row, place, _find_user(row, saved.persons))

    async def _run_row(self, row: DueRow, place: Place, user: Person) -> bool:
        """Run the command of one due row. Return False if its reply is an error, which is logged."""
        options = {"key": row.key, "at": row.at}
        request_id = f"due/{row.key}/{row.at}"
        reply = await self._run(Command(DUE.path, options, user, place, request_id, spec=DUE))
        if reply.error:
            log.error("what was due could not be seen to: %s", reply.title)
        return not reply.error


def _find_user(row: DueRow, persons: Iterable[Participant]) -> Person:
    """Return the user in whose name a due row runs.

    It is the person that the row names, else any person of the game. If nobody but people of an
    imported log took part, it is a user who does not exist.
    """
    candidates = [person for person in persons if not is_imported(person)]
    if not candidates:
        return NOBODY
    chosen = candidates[0]
    for person in candidates:
        if person.person == row.data.get("person"):
            chosen = person
            break
    return Person(chosen.user, chosen.name)
