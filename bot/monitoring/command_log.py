"""A record of commands, receipts and commits: how long each took, and its outcome.

It never contains typed text.
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
    """A counter that counts nothing. `Metrics` counts the same names for a host who wants figures."""

    def count(self, name: str, *labels: str) -> None:
        """Count one event of this name."""

    def record_duration(self, name: str, seconds: float, *labels: str) -> None:
        """Count one event of this name, and record the seconds it took."""


class Watch:
    """The observer of the app's work. `failing` is why the last commit was not written, or ""."""

    def __init__(self, counts: Counts | None = None) -> None:
        self.counts = counts or Counts()
        self.failing = ""
        self.written = monotonic()  # when a commit last succeeded

    def watch_answers(self, answer: Answer) -> Answer:
        """Return `answer` with a record of each call."""

        async def watch_answer(command: Command, gate: Gate) -> Reply:
            start = perf_counter()
            reply = await answer(command, gate)
            self._record_answer(command, reply, perf_counter() - start)
            return reply

        return watch_answer

    def watch_promises(self, promise: Promise) -> Promise:
        """Return `promise` with a record of each call."""

        async def watch_promise(command: Command, until: float) -> Reply | None:
            start = perf_counter()
            refusal = await promise(command, until)
            platform = get_platform(command)
            self.counts.record_duration("receipt", perf_counter() - start, platform)
            if refusal is not None:
                self.counts.count("unwritten", platform)
            return refusal

        return watch_promise

    def watch_store(self, store: Store) -> Store:
        """Return `store` with a record of each commit."""
        return cast(Store, WatchedStore(store, self))

    def record_commit(self, outcome: str, seconds: float, problem: str = "") -> None:
        """Record a finished commit. `problem` is why the store could not write it."""
        if outcome == "failed":
            self.failing = problem
        elif outcome == "done":
            self.failing = ""
            self.written = monotonic()
        self.counts.record_duration("commit", seconds, outcome)

    def _record_answer(self, command: Command, reply: Reply, seconds: float) -> None:
        """Count one answered command, and write its log line."""
        spec = command.spec
        outcome = get_outcome(reply)
        system = "-"
        family = path = "unknown"
        if spec is not None:
            system = spec.system or "-"
            family = spec.family
            path = " ".join(spec.path)  # from the registry: no typed text
        platform = get_platform(command)
        self.counts.count("command", platform, system, family, outcome)
        self.counts.record_duration("answer", seconds, platform)
        if not log.isEnabledFor(logging.INFO):
            return
        outcome_text = f"{outcome} ({reply.code})" if reply.error and reply.code else outcome
        milliseconds = seconds * 1000
        fields = {
            "system": system,
            "command": path,
            "ms": round(milliseconds, 1),
            "outcome": outcome_text,
        }
        log.info("%s: %s, %.1f ms", path, outcome_text, milliseconds, extra={"fields": fields})


class WatchedStore:
    """A store whose commits are recorded. Everything else is the store's own."""

    def __init__(self, store: Store, watch: Watch) -> None:
        self._store = store
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, commit: Commit) -> Committed:
        """Commit to the store, and record duration and outcome. See Store."""
        start = perf_counter()
        outcome = "failed"
        problem = "a commit failed"
        try:
            result = await self._store.commit(commit)
            outcome = "seen" if result.seen else "done"
            return result
        except Conflict:
            outcome = "conflict"
            raise
        except CalledOff:
            outcome = "called-off"
            raise
        except Deleted:
            outcome = "seen"
            raise
        except StoreError as error:
            problem = error.message
            raise
        finally:
            self._watch.record_commit(outcome, perf_counter() - start, problem)


def get_platform(command: Command) -> str:
    """Return the platform of a command, such as `discord`."""
    return command.where.key.partition(":")[0]


def get_outcome(reply: Reply) -> str:
    """Return the outcome of a command in one word.

    It is `done`, `seen` for a repeated request, `unrecorded` for dice without a record, `unsaved`
    if the store failed, `busy` for a limit, `failed` for our fault, or `refused`.
    """
    if NOTE in reply.lines:
        return "unrecorded"
    if not reply.error:
        return "seen" if reply.seen else "done"
    if reply.code.startswith("store-"):
        return "unsaved"
    if reply.code == "our-fault":
        return "failed"
    return "busy" if reply.code in BUSY else "refused"
