"""`pytest --forks auto`: tests side by side in processes that are forked when all tests have been read.

With pytest-xdist each worker reads every test and loads every game again, which takes six seconds of processor time
apiece, and sends five messages for a test; here they are read once, and so are the games and packs. What tests see is
the same: a folder of temporary files for each process, and xdist's variable that says which process they are in.
"""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import threading
import warnings
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NoReturn

import pytest

from bot.interface.registry import registry_of
from bot.systems.system import built_in
from tests.adapters import nursery
from tests.packs.conftest import read

ROOT = Path(__file__).resolve().parent.parent
WORKER = "PYTEST_XDIST_WORKER"
PIECE = 24
"""The most tests that a process takes at once; towards the end it takes fewer, so that all end at the same time."""
MANY = 3000
"""From so many tests on it pays to load all games before."""
_FORKS = get_context("fork")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--forks 4`, or `auto`."""
    parser.addoption(
        "--forks", default="", help="run tests side by side in so many forked processes; auto: as many as pay"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """All tests of a session, where forks are asked for; else it goes on as ever."""
    option = session.config.option
    if not option.forks or option.numprocesses is not None or option.collectonly or option.usepdb:
        return None
    if session.testsfailed and not option.continue_on_collection_errors:
        return None  # which says so
    number = processes(2) if option.forks == "auto" else int(option.forks)
    Run(session, min(number, len(session.items))).play()
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """With xdist each worker costs something."""
    return processes(1)


def processes(more: int) -> int:
    """More than there are processors, `more` for each of the first: much of the time goes by while a test waits for a
    process or for a clock."""
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") or here + min(more * here, 4))


class Run:
    """The parent: whoever runs tests is forked from it and tells it what came of them, and it tells pytest."""

    def __init__(self, session: pytest.Session, number: int) -> None:
        self._session, self._number, self._hook = session, number, session.config.hook
        self._every, self._told = len(session.items), 0
        self._free = _FORKS.Value("l", 0)  # the first test that nobody has taken; beyond the last one: it is enough
        self._at = [_FORKS.Array("l", 3, lock=False) for _ in range(number)]
        """Which test each is at, or -1, which is next, and where the piece of that ends."""
        self._forks: dict[Any, tuple[int, BaseProcess]] = {}

    def play(self) -> None:
        """Until all tests have run, or as many have failed as were asked for."""
        nursery.open_door()
        if self._every >= MANY:
            _load_games()
        _temporary(self._session).getbasetemp()
        gc.freeze()
        try:
            for slot in range(self._number):
                self._fork(slot, range(0))
            while self._forks:
                for each in wait([*self._forks]):
                    self._hear(each)
        finally:
            for _, process in self._forks.values():
                process.kill()
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)
        assert self._told == self._every, f"of {self._every} tests {self._told} were run"

    def _fork(self, slot: int, left: range) -> None:
        """A process that begins with what is left of a piece, if anything, and goes on with what is free."""
        ours, theirs = _FORKS.Pipe(duplex=False)
        self._at[slot][0] = -1
        process = _FORKS.Process(target=self._work, args=(slot, left, theirs))
        process.start()
        theirs.close()
        self._forks[ours] = slot, process

    def _hear(self, each: Any) -> None:
        """What a process says of one test; or it has ended, which is the fault of the test it was at, if any."""
        try:
            about, *told = pickle.loads(each.recv_bytes())
        except EOFError:
            about = "end"
        if about == "end":
            slot, process = self._forks.pop(each)
            process.join()
            at, behind, end = self._at[slot]
            if at >= 0:
                said = f"the process ended with status {process.exitcode} while this test was at work"
                item = self._session.items[at]
                self._tell(item, [pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")])
                self._fork(slot, range(behind, end))
        elif about == "warning":
            names = ("warning_message", "when", "nodeid", "location")
            self._hook.pytest_warning_recorded.call_historic(kwargs=dict(zip(names, told, strict=True)))
        else:
            made = self._hook.pytest_report_from_serializable
            self._tell(self._session.items[about], [made(config=self._session.config, data=data) for data in told])

    def _tell(self, item: pytest.Item, reports: Sequence[pytest.TestReport]) -> None:
        self._told += 1
        self._hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            self._hook.pytest_runtest_logreport(report=report)
        self._hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if self._session.shouldfail or self._session.shouldstop:
            self._free.value = self._every + 1

    # -- in the forked process

    def _work(self, slot: int, left: range, parent: Connection) -> NoReturn:
        """Run tests and tell of them until none is left."""
        for other in self._forks:
            other.close()
        os.environ[WORKER] = f"gw{slot}"
        plugins = self._session.config.pluginmanager
        plugins.unregister(name="terminalreporter")  # the parent has one
        capture = plugins.getplugin("capturemanager")
        capture.stop_global_capturing()  # into the parent's files
        capture.start_global_capturing()
        temporary = _temporary(self._session)
        temporary._basetemp = temporary.getbasetemp() / f"popen-gw{slot}"
        temporary._basetemp.mkdir(mode=0o700, exist_ok=True)
        plugins.register(teller := Teller(self._session.config, parent))
        tests = self._taken(slot, left)
        at = next(tests, None)
        while at is not None:
            item, behind = self._session.items[at], next(tests, None)
            self._at[slot][0] = at
            self._hook.pytest_runtest_protocol(
                item=item, nextitem=None if behind is None else self._session.items[behind]
            )
            teller.tell(at)
            at = behind
        self._at[slot][0] = -1
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        parent.send_bytes(pickle.dumps(("end",)))
        os._exit(0)

    def _taken(self, slot: int, left: range) -> Iterator[int]:
        """The tests that are this process's: those of one file are neighbours, and share what the file makes once."""
        while True:
            for at in left:
                if self._free.value > self._every:
                    return
                self._at[slot][1:] = at, left.stop
                yield at
            with self._free.get_lock():
                start = self._free.value
                size = max(1, min(PIECE, (self._every - start) // (4 * self._number)))
                left = range(start, min(start + size, self._every))
                self._free.value = max(start, left.stop)
            if not left:
                self._at[slot][1:] = 0, 0
                return


class Teller:
    """In a forked process: what pytest says there is said to the parent, once for each test."""

    def __init__(self, config: pytest.Config, parent: Connection) -> None:
        self._config, self._parent = config, parent
        self._reports: list[dict[str, Any] | None] = []

    def tell(self, at: int) -> None:
        """All of one test."""
        self._parent.send_bytes(pickle.dumps((at, *self._reports)))
        self._reports.clear()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Kept until its test has ended."""
        self._reports.append(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: tuple[str, int, str] | None
    ) -> None:
        """Said at once; those from before, when tests were read, the parent knows."""
        if when != "runtest":
            return
        plain = warnings.WarningMessage(
            str(warning_message.message), warning_message.category, warning_message.filename, warning_message.lineno
        )
        self._parent.send_bytes(pickle.dumps(("warning", plain, when, nodeid, location)))


def _temporary(session: pytest.Session) -> pytest.TempPathFactory:
    """What makes temporary folders; each process has its own folder for them, as with xdist."""
    return session.config._tmp_path_factory  # type: ignore[attr-defined, no-any-return]


def _load_games() -> None:
    """All games and packs with what is in them, once for all processes."""
    games = built_in()
    for game in (*games.values(), *read(ROOT / "packs").values()):
        assert all(table.title for table in game.tables.values())
        for sequence in game.sequences.values():
            assert not sequence.choices or sequence.declared
    assert all(spec.summary for spec in registry_of(games))
