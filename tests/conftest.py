"""What every test shares: the same cases on every machine, and nothing read from the person's
own settings.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import json
import os
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, cast

import aiosqlite
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from bot.game.event_kinds import find_shape_faults
from bot.game.ledger import Ledger
from bot.game.state import Json
from bot.odds_pool import pool
from bot.odds_pool.pool import Worker
from bot.rules.proof.chain import to_canonical
from tests.adapters import nursery
from tests.fresh import close_stores, connect, is_all_closed
from tests.once import make_once
from tests.standins.postgres import PostgresServer, postgres_server

# A machine may forbid Python to keep what it has compiled; here each worker and each of hundreds of
# processes would compile all tests and all of the bot anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """More workers than processors: much of the time goes by while a test waits for a process or
    for a clock.
    """
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") or here + min(here, 4))


def pytest_configure() -> None:
    """Tests wait a tenth of the pauses that bots make, but for those marked `real_pace`.

    Hundreds of tests read the same packs, some already to list their cases, and thousands begin
    with an empty database.
    """
    os.environ.setdefault(nursery.SHARE, "0.1")
    make_once(setattr)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """All workers have their bots forked by one process."""
    os.environ[nursery.DOOR] = nursery.open_door()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect without looking for garbage: what is read here stays to the end."""
    gc.disable()
    try:
        if session.config.args_source == pytest.Config.ArgsSource.TESTPATHS:
            _import_from_different_starts(session.config.rootpath)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)
        gc.enable()


def _import_from_different_starts(root: Path) -> None:
    """Import all test files, each worker beginning with a different one.

    The first import of a file compiles it and saves the result. Workers that read a fresh clone in
    the same order would each compile every file.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return
    files = sorted((root / "tests").rglob("test_*.py"))
    start = len(files) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for file in files[start:] + files[:start]:
        name = ".".join(file.relative_to(root).with_suffix("").parts)
        with suppress(Exception, pytest.skip.Exception):  # pytest imports it again and reports it
            import_module(name)


CASES_PER_TEST = 4
"""Quick cases of a test that is not marked with the size of its sample."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what the samples leave out as slow or thorough, and sort the tests: first those that
    share something, then, if all of them run, those that take long, so that no worker is left
    with one at the end.

    A file that is named on the command line runs all its tests.
    """
    named_files = {
        (config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args
    }
    items_of_folders = [item for item in items if item.path not in named_files]
    long_tests = set[pytest.Item]()
    if config.args_source == pytest.Config.ArgsSource.TESTPATHS:
        long_tests = {item for item in items if item.get_closest_marker("slow")}
    _sample_cases(items_of_folders)
    _sample_files(items_of_folders)
    _sample_slow_cases(items_of_folders)
    items.sort(key=lambda item: (_turn(item), item not in long_tests))


def _turn(item: pytest.Item) -> int:
    """Return 0 for a test of a crowd, 1 for a test on PostgreSQL, and 2 for any other.

    Tests of a crowd take turns. Each worker that has a test on PostgreSQL starts a server of its
    own. If they stand side by side, one worker plays them all, or two.
    """
    fixtures = getattr(item, "fixturenames", ())
    if "crowd" in fixtures:
        return 0
    if "postgres" in fixtures or "postgres" in item.name:
        return 1
    return 2


def _sample_cases(items: list[pytest.Item]) -> None:
    """Keep some cases of each test: as many as its mark `sample(size)` says, or
    `CASES_PER_TEST`.
    """
    cases = defaultdict[tuple[pytest.Item | pytest.Collector | None, str], list[pytest.Item]](list)
    for item in items:
        if not item.get_closest_marker("slow"):
            cases[item.parent, getattr(item, "originalname", item.name)].append(item)
    for of_one_test in cases.values():
        marker = of_one_test[0].get_closest_marker("sample")
        _draw(of_one_test, marker.args[0] if marker else CASES_PER_TEST)


def _sample_files(items: list[pytest.Item]) -> None:
    """Keep `size` tests of each file that is marked `scenes(size)`."""
    scenes = defaultdict[Path, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("scenes") and not item.get_closest_marker("slow"):
            scenes[item.path].append(item)
    for of_one_file in scenes.values():
        marker = of_one_file[0].get_closest_marker("scenes")
        assert marker is not None
        _draw(of_one_file, marker.args[0])


def _sample_slow_cases(items: list[pytest.Item]) -> None:
    """Of each test that is marked `slow_sample(size)`, keep so many of its slow cases for
    `make slow`.
    """
    cases = defaultdict[tuple[Path, str], list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("slow_sample") and item.get_closest_marker("slow"):
            cases[item.path, getattr(item, "originalname", item.name)].append(item)
    for of_one_test in cases.values():
        marker = of_one_test[0].get_closest_marker("slow_sample")
        assert marker is not None
        _draw(of_one_test, marker.args[0], pytest.mark.thorough)


def _draw(
    items: list[pytest.Item], size: int, left_out: pytest.MarkDecorator = pytest.mark.slow
) -> None:
    """Draw `size` of these items and mark the others with `left_out`.

    The draw follows from the names, so it is the same on every machine and a new case moves at
    most one other; LUCK=anything draws differently.
    """
    if len(items) <= size:
        return
    luck = os.environ.get("LUCK", "")
    items.sort(key=lambda item: Random(f"{luck}{item.name}").random())
    for item in items[size:]:
        item.add_marker(left_out)


settings.register_profile(
    "ci",
    derandomize=True,  # the same examples on every run: red means changed, not unlucky
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.register_profile(
    "search", parent=settings.get_profile("ci"), derandomize=False, max_examples=2000
)
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
settings.load_profile(_PROFILE)
if _PROFILE == "ci":
    # Hypothesis would also draw constants of all our modules that are loaded by then. Which these
    # are depends on the tests before, and so would the examples; and to parse them takes seconds.
    providers._get_local_constants = lambda: providers._local_constants


SETTINGS = (
    "GROGNARD_PACKS",
    "DISCORD_TOKEN",
    "DISCORD_PUBLIC_KEY",
    "DISCORD_HOST",
    "DISCORD_PORT",
    "SLACK_BOT_TOKEN",
    "SLACK_APP_TOKEN",
    "SLACK_SIGNING_SECRET",
    "SLACK_CLIENT_ID",
    "SLACK_CLIENT_SECRET",
    "DATABASE_URL",
    "SLACK_HOST",
    "PORT",
    "PROXIES",
    "LIVE_PORT",
    "LIVE_HOST",
    "PUBLIC_URL",
    "LOG_LEVEL",
    "LOG_FORMAT",
    "HEALTH_PORT",
    "HEALTH_HOST",
    "SHARD_IDS",
    "SHARD_COUNT",
    "RETENTION_DAYS",
    "COMMANDS_PER_MINUTE",
    "GROGNARD_KEY",
)
STAND_INS = ("DISCORD_API", "SLACK_API")
"""Where tests point an adapter instead of the real platform; no setting of a host."""
_NUMBERS = count()


@pytest.fixture
async def _closes_stores() -> AsyncIterator[None]:
    """Every store that an async test made is closed on the test's own loop."""
    yield
    await close_stores()


@pytest.fixture(autouse=True)
def _by_itself(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Each test is by itself: one fixture, as thousands of tests take no longer than their fixtures
    do.

    No test reads this machine's tokens, nor writes into its data folder. Each has the same seeds,
    ids and so the same dice on every run: red means changed, not unlucky; LUCK=anything gives all
    tests other ones. No connection and no folder outlives its test; most tests are not async, and
    need no loop for that.
    """
    for name in (*SETTINGS, *STAND_INS):
        if name in os.environ:
            monkeypatch.delenv(name)
    # made by the tests that use it: few do
    folder = tmp_path_factory.getbasetemp() / f"data-{next(_NUMBERS)}"
    monkeypatch.setenv("GROGNARD_DATA", str(folder))
    if request.node.get_closest_marker("real_pace"):
        monkeypatch.setenv(nursery.SHARE, "1")
    monkeypatch.setattr(
        os, "urandom", Random(f"{os.environ.get('LUCK', '')}{request.node.nodeid}").randbytes
    )
    is_async = inspect.iscoroutinefunction(getattr(request, "function", None))
    if is_async:
        request.getfixturevalue("_closes_stores")
    yield
    assert is_async or is_all_closed(), (
        "a test that is not async runs what it awaits by tests.fresh.run"
    )


@pytest.fixture(autouse=True, scope="session")
def _only_known_events() -> Iterator[None]:
    """Whatever any test makes the bot write is on the closed list by which `grognard verify`
    reads a log.
    """
    append = Ledger.append

    def checked(ledger: Ledger, body: Json) -> Json:
        assert list(find_shape_faults(json.loads(to_canonical(body)))) == [], (
            "bot/game/event_kinds.json has to list it"
        )
        return append(ledger, body)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "append", checked)
        yield


@pytest.fixture(autouse=True, scope="session")
def _connects_on_the_spot() -> Iterator[None]:
    """Fresh stores do their jobs without a thread."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aiosqlite, "connect", connect)
        yield


@pytest.fixture(autouse=True, scope="session")
def _forked_workers() -> Iterator[None]:
    """Processes for sums, packs and pictures begin at once, except where they themselves are
    what is tested.
    """
    start = Worker._ensure_process

    async def started(worker: Worker) -> Any:
        if os.environ["PYTEST_CURRENT_TEST"].startswith("tests/odds_pool/"):
            return await start(worker)
        if worker._process is None or worker._process.returncode is not None:
            worker._process = cast(
                "asyncio.subprocess.Process", await nursery.sums(pool._build_environment())
            )
            await pool._read_answer(worker._process)
        return worker._process

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "_ensure_process", started)
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server for this process of the tests; each test makes a database of its own
    on it.
    """
    lean = (
        "fsync=off",
        "max_connections=200",
        "shared_buffers=16MB",
        "autovacuum=off",
        "wal_level=minimal",
    )
    with postgres_server(*(f"--{option}" for option in (*lean, "max_wal_senders=0"))) as server:
        yield server
