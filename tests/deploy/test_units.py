"""The units of systemd: what a bot ends with, and what is done then."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from bot.__main__ import get_exit_status
from bot.rules.errors import TableError, UserError
from bot.storage.base import StoreError
from bot.storage.postgres import faults as postgres
from bot.storage.sqlite import faults as sqlite

DEPLOY = Path(__file__).parents[2] / "deploy"
FOR_GOOD = {"28P01", "28000", "3D000", "42501", "25006", "22021", "42703"}
"""Codes of PostgreSQL's that waiting does not mend."""
PASSING = {"53100", "53300", "53200", "55P03", "57014", "57P03", "58030", "08006"}
OF_FILES = {
    "SQLITE_BUSY": 75,
    "SQLITE_LOCKED": 75,
    "SQLITE_FULL": 75,
    "SQLITE_IOERR": 75,
    "SQLITE_READONLY": 2,
    "SQLITE_PERM": 2,
    "SQLITE_CANTOPEN": 2,
    "SQLITE_CORRUPT": 2,
    "SQLITE_NOTADB": 2,
}


def unit(name: str) -> configparser.ConfigParser:
    """A unit's file."""
    found = configparser.ConfigParser(strict=False, interpolation=None)
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read(DEPLOY / name)
    return found


def kinds(of: type[StoreError] = StoreError) -> set[type[StoreError]]:
    return {of}.union(*map(kinds, of.__subclasses__()))


def made(kind: type[StoreError]) -> StoreError:
    try:
        return kind("words")
    except TypeError:
        return kind()  # type: ignore[call-arg]


def test_the_unit_starts_a_bot_again_exactly_where_waiting_helps() -> None:
    """Each kind of StoreError, of both stores: what passes is started again, for ever."""
    service = unit("grognard.service")
    given_up = {int(one) for one in service["Service"]["RestartPreventExitStatus"].split()}
    assert given_up == {2}
    assert service["Service"]["Restart"] == "on-failure"
    assert service["Unit"]["StartLimitIntervalSec"] == "0", "however often that was"
    assert service["Service"]["Type"] == "notify"
    every = [made(kind) for kind in kinds()]
    assert {type(error).__name__ for error in every} >= {
        "StoreError",
        "PassingError",
        "Unreachable",
        "Locked",
        "DiskFault",
        "Gone",
    }
    every += [postgres.build_store_error(code, "words") for code in FOR_GOOD | PASSING]
    for error in every:
        assert (get_exit_status(error) in given_up) == (not error.is_passing), error
        assert get_exit_status(error) in (2, 75)


@pytest.mark.parametrize("code", sorted(FOR_GOOD | PASSING))
def test_what_postgresql_reports_passes_or_not(code: str) -> None:
    error = postgres.build_store_error(code, "words", "db.example.org:5432")
    assert get_exit_status(error) == (75 if code in PASSING else 2)
    assert "None of it was saved" not in str(error), "nothing was to be saved"
    assert "db.example.org:5432" in str(error)


@pytest.mark.parametrize("name", OF_FILES)
def test_what_sqlite_reports_passes_or_not(name: str) -> None:
    reported = sqlite3.OperationalError("words")
    reported.sqlite_errorname = name
    error = sqlite.build_store_error(reported, "/data/grognard.db", to_host=True)
    assert get_exit_status(error) == OF_FILES[name]
    assert str(error).startswith("The database /data/grognard.db ")
    assert "None of it was saved" not in str(error), "nothing was to be saved"


def test_what_is_no_fault_of_a_store_is_for_a_person_to_mend() -> None:
    assert get_exit_status(UserError("No platform has its tokens.", code="bad-settings")) == 2
    assert get_exit_status(TableError("game.yaml", "is not right")) == 2


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("postgresql://anna:secret@db.example.org/grognard", "db.example.org:5432"),
        ("postgresql://anna:s@cret@db.example.org:6543/grognard", "db.example.org:6543"),
        ("postgresql://anna:secret@[::1]:5433/grognard", "[::1]:5433"),
        ("postgresql://anna:secret@/grognard?host=/run/postgresql", "/run/postgresql"),
        ("postgresql:///grognard", "this machine:5432"),
        ("postgresql://anna:secret@/grognard?host=db&port=5433", "db:5433"),
        ("postgresql://anna:secret@one:5432,two:5432/grognard", "one:5432,two:5432"),
    ],
)
def test_a_server_is_named_without_its_secrets(url: str, server: str) -> None:
    assert postgres.get_server_address(url) == server
    assert "cret" not in postgres.get_server_address(url)


def test_the_nightly_copy_reaches_a_server_and_is_tried_again_where_that_helps() -> None:
    service = unit("grognard-backup.service")
    assert set(service["Service"]["RestrictAddressFamilies"].split()) == {
        "AF_INET",
        "AF_INET6",
        "AF_UNIX",
    }
    assert "PrivateNetwork" not in service["Service"]
    assert service["Service"]["Restart"] == "on-failure"
    assert service["Service"]["RestartPreventExitStatus"].split() == ["1", "2"]


@pytest.mark.parametrize(
    "name", ["grognard.service", "grognard-backup.service", "grognard-backup.timer"]
)
def test_systemd_takes_the_units(name: str, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd")
    for path in (*DEPLOY.glob("grognard*.service"), *DEPLOY.glob("grognard*.timer")):
        text = re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", path.read_text())
        (tmp_path / path.name).write_text(
            text.replace("User=grognard", "User=root").replace("Group=grognard", "")
        )
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / name)],
        check=False,
        capture_output=True,
        text=True,
    )
    told = [line for line in (done.stdout + done.stderr).splitlines() if "grognard" in line]
    assert told == []


@pytest.mark.parametrize(("status", "left"), [(0, 2), (1, 2), (2, 3), (75, 3)])
def test_old_copies_go_only_once_a_new_one_is_there(tmp_path: Path, status: int, left: int) -> None:
    """The script as the timer runs it, with a grognard that ends so."""
    deploy, copies = tmp_path / "deploy", tmp_path / "copies"
    deploy.mkdir()
    copies.mkdir()
    shutil.copy(DEPLOY / "backup.sh", deploy)
    makes = 'touch "$2"' if status < 2 else ":"
    (deploy / "grognard").write_text(f"#!/bin/sh\n{makes}\nexit {status}\n")
    (deploy / "grognard").chmod(0o755)
    for day in (1, 2, 3):
        (copies / f"grognard-2026010{day}-041700.db").touch()
    done = subprocess.run(
        ["sh", str(deploy / "backup.sh")],
        check=False,
        env={**os.environ, "BACKUPS": str(copies), "KEEP": "2"},
    )
    assert done.returncode == status
    assert len(list(copies.iterdir())) == left
