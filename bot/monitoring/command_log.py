"""Sees commands, receipts and commits go by: how long each took, and how it ended. Never what
was typed.
"""

import logging
from collections.abc import Callable, Coroutine
from time import monotonic, perf_counter
from typing import Any, cast

from bot.execution.promises import NOTE
from bot.storage.base import CalledOff, Conflict, Deleted, Gate, StoreError
from bot.storage.records import Commit, Committed
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command

log = logging.getLogger("grognard.commands")

Answer = Callable[[Command, Gate], Coroutine[Any, Any, Reply]]
Promise = Callable[[Command, float], Coroutine[Any, Any, Reply | None]]

BUSY = ("busy", "over-budget", "too-many-at-work")


class Counts:
    """What counts: nothing here; the metrics, where somebody asks for them, which call all
    figures by these names.
    """

    def count(self, what: str, *labels: str) -> None:
        """It happened once more."""

    def record_duration(self, what: str, seconds: float, *labels: str) -> None:
        """It happened, and took so long."""


class Watch:
    """What the app shows of its work. `failing` is why the last commit was not written, "" where
    it was.
    """

    def __init__(self, counts: Counts | None = None) -> None:
        self.counts = counts or Counts()
        self.failing = ""
        self.written = monotonic()  # when a commit last succeeded

    def watch_answers(self, answer: Answer) -> Answer:
        """`answer`, seen."""

        async def watch_answer(command: Command, gate: Gate) -> Reply:
            begun = perf_counter()
            reply = await answer(command, gate)
            self._record_answer(command, reply, perf_counter() - begun)
            return reply

        return watch_answer

    def watch_promises(self, promise: Promise) -> Promise:
        """`promise`, seen."""

        async def watch_promise(command: Command, until: float) -> Reply | None:
            begun = perf_counter()
            refused = await promise(command, until)
            self.counts.record_duration("receipt", perf_counter() - begun, get_platform(command))
            if refused is not None:
                self.counts.count("unwritten", get_platform(command))
            return refused

        return watch_promise

    def watch_store(self, store: Store) -> Store:
        """`store`, whose commits are seen."""
        return cast(Store, WatchedStore(store, self))

    def record_commit(self, outcome: str, seconds: float, problem: str = "") -> None:
        """A commit ended; `problem` is why the store could not write it."""
        if outcome == "failed":
            self.failing = problem
        elif outcome == "done":
            self.failing, self.written = "", monotonic()
        self.counts.record_duration("commit", seconds, outcome)

    def _record_answer(self, command: Command, reply: Reply, seconds: float) -> None:
        spec = command.spec
        outcome = get_outcome(reply)
        system, family = (spec.system or "-", spec.family) if spec is not None else ("-", "unknown")
        self.counts.count("command", get_platform(command), system, family, outcome)
        self.counts.record_duration("answer", seconds, get_platform(command))
        if log.isEnabledFor(logging.INFO):
            # of the registry: nothing that was typed
            path = " ".join(spec.path) if spec is not None else "unknown"
            shown = f"{outcome} ({reply.code})" if reply.error and reply.code else outcome
            fields = {
                "system": system,
                "command": path,
                "ms": round(seconds * 1000, 1),
                "outcome": shown,
            }
            log.info("%s: %s, %.1f ms", path, shown, seconds * 1000, extra={"fields": fields})


class WatchedStore:
    """A store that tells of its commits; all else is the store's own."""

    def __init__(self, store: Store, watch: Watch) -> None:
        self._store = store
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, commit: Commit) -> Committed:
        """See Store."""
        begun = perf_counter()
        outcome = "failed"
        problem = "a commit failed"
        try:
            done = await self._store.commit(commit)
            outcome = "seen" if done.seen else "done"
            return done
        except (Conflict, CalledOff, Deleted) as passed:
            outcome = {Conflict: "conflict", CalledOff: "called-off"}.get(type(passed), "seen")
            raise
        except StoreError as error:
            problem = error.message
            raise
        finally:
            self._watch.record_commit(outcome, perf_counter() - begun, problem)


def get_platform(command: Command) -> str:
    """Where a command comes from."""
    return command.where.key.partition(":")[0]


def get_outcome(reply: Reply) -> str:
    """How a command ended, in one of seven words."""
    if NOTE in reply.lines:
        return "unrecorded"
    if not reply.error:
        return "seen" if reply.seen else "done"
    if reply.code.startswith("store-"):
        return "unsaved"
    if reply.code == "our-fault":
        return "failed"
    return "busy" if reply.code in BUSY else "refused"
