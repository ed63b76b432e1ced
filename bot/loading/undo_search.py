"""Search a game's log for what an undo means, and load no more of the log than that takes."""

from collections.abc import Iterable

from bot.game.ledger import Ledger
from bot.game.state import Json
from bot.game.undo import (
    LastStep,
    UndoTarget,
    find_last_step,
    find_newest_step,
    find_undo_target,
    is_plain_roll,
    is_step_certain,
    is_target_certain,
)
from bot.storage.store import Store

EVENTS_READ_FIRST = 50
"""Events read at first, on the way back from the newest."""
MAX_EVENTS_READ = 2_000
"""Maximum number of events read."""


class _RecentEvents:
    """The newest events of a game, of which more can be read.

    They are those of the current command at first, or the given ones.
    """

    def __init__(self, store: Store, ledger: Ledger, newest_first: Iterable[Json] = ()) -> None:
        self._store = store
        self._row = ledger.row
        self.newest_first = [*newest_first] or ledger.bodies[::-1]
        self._limit = EVENTS_READ_FIRST
        self._is_all = False

    async def read_more(self) -> bool:
        """Read older events from the store, and return whether that was possible.

        It is not once all events are read, or MAX_EVENTS_READ of them.
        """
        if self._is_all:
            return False
        oldest_number: int | None = None
        if self.newest_first:
            oldest_number = self.newest_first[-1]["number"]
        events = await self._store.load_events(
            self._row, before=oldest_number, limit=self._limit, newest_first=True
        )
        self.newest_first += [event.data for event in events]
        self._is_all = len(events) < self._limit or len(self.newest_first) >= MAX_EVENTS_READ
        self._limit = 10 * EVENTS_READ_FIRST
        return True


async def find_undoable(
    store: Store, ledger: Ledger, number: int, newest_first: Iterable[Json] = ()
) -> tuple[UndoTarget, list[Json]]:
    """Find the event with this number in a game, or the event that blocks its undo.

    `newest_first` are the newest events, if they were loaded before. Also return all events that
    were loaded, newest first.
    """
    recent = _RecentEvents(store, ledger, newest_first)
    events = recent.newest_first
    target = find_undo_target(events, ledger.game.last, number)
    while not is_target_certain(target, events, number) and await recent.read_more():
        target = find_undo_target(events, ledger.game.last, number)
    return target, events


async def load_last_step(store: Store, ledger: Ledger, person: str) -> tuple[LastStep, list[Json]]:
    """Find the player's last step.

    If nothing can be undone, the step has no `offers`. Also return all events that were loaded,
    newest first.
    """
    recent = _RecentEvents(store, ledger)
    events = recent.newest_first
    step = find_last_step(events, ledger.game, person)
    while not is_step_certain(step, events) and await recent.read_more():
        step = find_last_step(events, ledger.game, person)
    return step, events


async def load_newest_step(store: Store, ledger: Ledger) -> int:
    """Return the number of the step that the board's *Undo* names, 0 for none."""
    recent = _RecentEvents(store, ledger)
    events = recent.newest_first
    step = find_newest_step(events)
    while (step is None or is_plain_roll(step)) and await recent.read_more():
        step = find_newest_step(events)
    if step is None:
        return 0
    return int(step["number"])
