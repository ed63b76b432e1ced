"""What comes to the same each time is made once for each process of the tests: packs that are
read, empty databases.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.game import roster_file
from bot.rules.declared.declared import Declared
from bot.rulesets import system, yaml_file
from bot.rulesets.packs import pack
from bot.rulesets.packs.pack import PackSystem, build_pack, load_pack
from bot.rulesets.system import System, list_builtin_systems
from bot.storage.sqlite import schema, store
from bot.verification import packs_of_game
from tests.memory import memory

_read_yaml, _declared_in, _migrate = yaml_file.read_bounded, system.load_declared, schema.migrate
_rows = roster_file._read_yaml_rows
_ROOT = Path(__file__).resolve().parent.parent
_declared: dict[tuple[Any, ...], Declared] = {}
_brought: dict[tuple[Any, ...], PackSystem | None] = {}


def make_once(put: Callable[[object, str, object], None]) -> None:
    """Have the bot do so: `put` is setattr, or that of a monkeypatch. What is refused is read
    and refused again.
    """
    put(yaml_file, "read_bounded", lambda data, file: pickle.loads(_yaml(data, file)))
    put(system, "load_declared", _sequence)
    put(schema, "migrate", _made)
    put(roster_file, "_read_yaml_rows", lambda text: pickle.loads(_roster(text)))
    put(pack, "load_pack", _load_pack)
    put(packs_of_game, "build_pack", _pack)
    put(store, "TemporaryDirectory", _in_memory)


@cache
def _yaml(data: bytes, file: str) -> bytes:
    """A file of a pack, from which each who reads it is given values of their own."""
    return pickle.dumps(_read_yaml(data, file))


@cache
def _roster(text: str) -> bytes:
    """The rows of a roster or a scenario, in the same way."""
    return pickle.dumps(_rows(text))


def _load_pack(path: Path) -> PackSystem:
    """Return a pack of the repository, which no test changes, as it was first loaded.

    What a pack has read and checked stays with it, so the next user does not wait for that again.
    """
    is_ours = _ROOT in path.resolve().parents
    return _load_our_pack(path.resolve()) if is_ours else load_pack(path)


_load_our_pack = cache(load_pack)


def _pack(files: Mapping[str, object], hash: str) -> PackSystem | None:
    """A pack that a log brings: whoever checks many logs of one game reads its pack once."""
    key = (hash, frozenset(files.items()), *map(id, list_builtin_systems().values()))
    if key not in _brought:
        _brought[key] = build_pack(files, hash)
    return _brought[key]


def _sequence(of: System, id: str) -> Declared:
    """A sequence that is declared; that of a pack goes with its files, with those beside it, and
    with its game.
    """
    if not isinstance(of, PackSystem):
        return _declared_in(of, id)
    key = (of.versions, id, of.parent, of.base)
    if key not in _declared:
        _declared[key] = _declared_in(of, id)
    return _declared[key]


def _made(conn: sqlite3.Connection, path: Path, steps: tuple[str, ...] = schema.MIGRATIONS) -> None:
    """An empty temporary database is a copy of one that was made; no other process knows of it."""
    is_temporary = conn.execute("PRAGMA synchronous").fetchone() == (0,)
    is_new = conn.execute("PRAGMA user_version").fetchone() == (0,)
    if is_temporary and is_new and steps == schema.MIGRATIONS:
        _empty().backup(conn)
    else:
        _migrate(conn, path, steps)


def _in_memory(prefix: str) -> TemporaryDirectory[str]:
    """A temporary folder where no disk is in the way."""
    return TemporaryDirectory(prefix=prefix, dir=memory())


@cache
def _empty() -> sqlite3.Connection:
    conn = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _migrate(conn, Path())
    return conn
