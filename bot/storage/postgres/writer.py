"""The writer: it sends the writes that wait together in one message."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.storage.base import CalledOff, Conflict, Gate, StoreError
from bot.storage.postgres.faults import (
    DUPLICATE_KEY,
    UNDONE,
    UNTOUCHED,
    Unreachable,
    build_store_error,
)
from bot.storage.postgres.link import (
    RETURNING,
    Connection,
    Outcome,
    PostgresLink,
    make_values_storable,
    translate_sql,
)
from bot.storage.statements import Row, SqlStep, Talk

LANES = 2
"""Batches that are sent at once: one fills while the other is flushed. Compared with two, one is a
tenth faster with 50 callers and a fifth slower with 500, and three the other way round (python -m
benchmarks.postgres)."""
BATCH_JOBS = 100
"""Maximum number of jobs in a batch. With 50 there are more flushes, with 200 the first job waits
longer.
"""
WAITING = 10_000
"""Maximum number of jobs that wait for a batch. More are refused: the database is busy."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A write that waits for its batch; the parameters are those of `Engine.write`."""

    steps: Sequence[SqlStep]
    result: asyncio.Future[Sequence[Row]]
    key: str
    is_safe: bool
    gate: Gate | None

    def pass_gate(self) -> bool:
        """Pass the gate. Return False if the job was cancelled, or the caller no longer waits: then
        it must not be sent.
        """
        if self.result.done():
            return False
        try:
            if self.gate is not None:
                self.gate.enter()
        except CalledOff as error:
            self.result.set_exception(error)
            return False
        return True

    def set_outcome(self, outcome: Outcome) -> None:
        """Set the result or error of the job from the runner's outcome: the rows of the steps with
        RETURNING, or code and message of an error.
        """
        if self.result.done():  # the caller no longer waits
            return
        if "code" in outcome:
            self.result.set_exception(self._build_error(outcome["code"], outcome["message"]))
            return
        rows: list[Row] = []
        for step, row in zip(self.steps, outcome["done"], strict=True):
            if row and RETURNING in step.sql:
                rows.append(tuple(row.values()))
        self.result.set_result(rows)

    def _build_error(self, code: str, message: str) -> Exception:
        """Return the error for a code of the runner. The message of UNTOUCHED is the step's index."""
        if code == UNTOUCHED:
            return self.steps[int(message)].otherwise or ValueError(message)
        if code == DUPLICATE_KEY and "bindings_current" in message:
            return Conflict(message)
        return build_store_error(code, message)


class PostgresWriter:
    """The Engine on PostgreSQL. It sends writes in order of arrival; those that arrive while all
    lanes are busy share the next batch.
    """

    def __init__(self, link: PostgresLink, patience: float | None = None) -> None:
        """`patience` are the seconds to wait for a server that does not answer; None: SERVER_WAIT_SECONDS."""
        self._link = link
        self._patience = patience
        self._waiting: list[Job] = []
        self._lanes: set[asyncio.Task[None]] = set()

    async def write(
        self,
        steps: Sequence[SqlStep],
        *,
        key: str = "",
        is_safe: bool = True,
        gate: Gate | None = None,
    ) -> Sequence[Row]:
        """See Engine. Raises StoreError, also at once if WAITING jobs wait already."""
        if len(self._waiting) >= WAITING:
            raise StoreError(
                "The database is busy. None of it was saved.",
                hint="Try again in a moment.",
                code="busy",
            )
        job = Job(steps, asyncio.get_running_loop().create_future(), key, is_safe, gate)
        self._waiting.append(job)
        if len(self._lanes) < LANES:
            self._lanes.add(asyncio.create_task(self._work()))
        return await job.result

    async def talk(self, begin: Callable[[], Talk]) -> Any:
        """See Engine."""

        async def run_talk(connection: Connection) -> Any:
            talking = begin()
            rows = None
            async with connection.transaction():
                try:
                    while True:
                        step = talking.send(rows) if rows is not None else next(talking)
                        values = make_values_storable(step.values)
                        rows = await connection.fetch(translate_sql(step.sql), *values)
                except StopIteration as stop:
                    return stop.value

        return await self._link.run(run_talk)

    async def close(self) -> None:
        """Wait until all waiting jobs are written. The link stays open."""
        while self._lanes:
            await asyncio.wait(set(self._lanes))

    async def _work(self) -> None:
        """Send waiting jobs in batches until none is left: this is one lane."""
        try:
            while self._waiting:
                batch = self._waiting[:BATCH_JOBS]
                self._waiting = self._waiting[BATCH_JOBS:]
                # all processes lock games in the same order, so that there is no deadlock
                batch.sort(key=lambda job: job.key)
                await self._send([job for job in batch if job.pass_gate()])
        finally:  # at once: the next job must not rely on a lane that has ended
            lane = asyncio.current_task()
            assert lane is not None
            self._lanes.discard(lane)

    async def _send(self, batch: list[Job]) -> None:
        """Run a batch, and set the result or error of each job.

        Jobs that other transactions undid are sent again. If the connection breaks, jobs that are
        not safe to repeat fail, and the others are sent again without them.
        """
        repeated: list[Job] = []
        try:
            for job, outcome in zip(batch, await self._carry_out(batch), strict=True):
                if outcome.get("code") in UNDONE:
                    repeated.append(job)
                else:
                    job.set_outcome(outcome)
        except Exception as error:
            if isinstance(error, Unreachable) and not all(job.is_safe for job in batch):
                repeated = [job for job in batch if job.is_safe]
            for job in batch:
                if job not in repeated and not job.result.done():
                    job.result.set_exception(error)
        except BaseException:
            for job in batch:
                job.result.cancel()
            raise
        if repeated:
            await self._send(repeated)

    async def _carry_out(self, batch: list[Job]) -> list[Outcome]:
        """Run a batch on the server, and return the outcome of each job. Raises StoreError."""
        if not batch:
            return []
        jobs = [job.steps for job in batch]
        is_safe = all(job.is_safe for job in batch)
        return await self._link.run(
            lambda line: line.carry_out(jobs), is_safe=is_safe, patience=self._patience
        )
