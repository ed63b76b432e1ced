"""Releases lie beside each other, and one link says which runs: an update or a way back that is
killed at any of its steps leaves one that works, whole, and is finished by typing it again. A small
project stands in for ours; the scripts in deploy/ and the units are the real ones."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.deploy.releases_helpers import (
    Host,
)

pytestmark = pytest.mark.slow
STRIDE = 3
"""Of the steps of an install every third is killed, and the last."""


@pytest.fixture
def host(root: Path, tmp_path: Path) -> Host:
    return Host(root, tmp_path)


def settled(host: Host, version: str) -> None:
    """A release is installed, with a token, and enabled."""
    (host.disk / "etc").mkdir(exist_ok=True)
    (host.disk / "etc/grognard.env").write_text("DISCORD_TOKEN=mine\n")
    done = host.install(version)
    assert done.returncode == 0, done.stderr


def test_installed_once_more_it_builds_nothing_and_keeps_the_settings(host: Host) -> None:
    done = host.install("0.2.0")
    assert done.returncode == 0, done.stderr
    assert "Almost done: set DISCORD_TOKEN" in done.stdout
    env = host.disk / "etc/grognard.env"
    assert env.stat().st_mode & 0o777 == 0o640
    env.write_text("DISCORD_TOKEN=mine\n")
    again = host.install("0.2.0", OFFLINE="1")
    assert again.returncode == 0, again.stderr
    assert "Release 1 (0.2.0) is built already" in again.stdout
    assert env.read_text() == "DISCORD_TOKEN=mine\n"
    assert host.is_at("0.2.0")
    assert host.releases() == ["1"]
    assert (
        os.readlink(host.disk / "usr/local/bin/grognard") == "/opt/grognard/current/deploy/grognard"
    )


def changes(lines: str, program: str = "") -> list[str]:
    """Return the systemctl commands in these lines that change something."""
    found = [
        line.strip().removeprefix(program).strip() for line in lines.splitlines() if program in line
    ]
    return [line for line in found if not line.startswith("is-")]


@pytest.mark.parametrize("state", ["first", "first with a token", "update", "rollback"])
def test_a_dry_run_says_what_is_then_done(host: Host, state: str) -> None:
    """The very lines for systemd: a first install without a token starts no bot, so none is
    announced.
    """
    if state != "first":
        (host.disk / "etc").mkdir()
        (host.disk / "etc/grognard.env").write_text("DISCORD_TOKEN=mine\n")
    if state in ("update", "rollback"):
        assert host.install("0.1.0").returncode == 0
    if state == "rollback":
        assert host.install("0.2.0").returncode == 0
    words = ["--rollback"] if state == "rollback" else []
    told = host.disk / "told"
    told.unlink(missing_ok=True)
    dry = host.install("0.2.0", "--dry-run", *words)
    assert dry.returncode == 0, dry.stderr
    assert dry.stdout.splitlines()[-1] == "== Dry run: nothing was done"
    assert changes(told.read_text()) == []
    done = host.install("0.2.0", *words)
    assert done.returncode == 0, done.stderr
    assert changes(dry.stdout, str(host.folder / "systemctl")) == changes(told.read_text())
    assert ("restart grognard" in changes(told.read_text())) == (state != "first")


def test_up_back_and_up_again(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0").returncode == 0
    assert host.is_at("0.2.0")
    back = host.install("0.2.0", "--rollback", OFFLINE="1")
    assert back.returncode == 0, back.stderr
    assert "Back from release 2 (0.2.0) to 1 (0.1.0)" in back.stdout
    assert host.is_at("0.1.0")
    assert (host.disk / "told").read_text().endswith("daemon-reload\nrestart grognard\n")
    nowhere = host.install("0.2.0", "--rollback")
    assert nowhere.returncode == 1
    assert "there is no release before 1 (0.1.0)" in nowhere.stderr
    assert host.install("0.2.0", OFFLINE="1").returncode == 0, (
        "it is built already: no network is needed"
    )
    assert host.is_at("0.2.0")


def test_back_goes_to_what_ran_before_and_not_to_the_number_below(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0").returncode == 0
    assert host.install("0.2.0", "--rollback").returncode == 0
    assert host.install("0.2.1").returncode == 0
    assert host.install("0.2.1", "--rollback").returncode == 0
    assert host.is_at("0.1.0")


def test_a_network_that_is_away_changes_nothing(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0", OFFLINE="1").returncode != 0
    assert host.is_at("0.1.0")
    assert host.install("0.2.0").returncode == 0
    assert host.is_at("0.2.0")
    assert host.releases() == ["1", "2"]


def test_an_update_that_does_not_start_names_the_way_back(host: Host) -> None:
    settled(host, "0.1.0")
    done = host.install("0.2.0", BROKEN="0.2.0")
    assert done.returncode == 1
    assert "to go back: sudo sh deploy/install.sh --rollback" in done.stderr
    assert host.install("0.2.0", "--rollback", BROKEN="0.2.0").returncode == 0
    assert host.is_at("0.1.0")


def test_an_older_release_that_does_not_start_is_left_for_the_newer_again(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0").returncode == 0
    done = host.install("0.2.0", "--rollback", BROKEN="0.1.0")
    assert done.returncode == 1
    assert "release 1 does not start, so 2 keeps running" in done.stderr
    assert host.is_at("0.2.0")
    assert (
        "there is no copy grognard.db.schema-N.bak"
        in host.install("0.2.0", "--rollback", "--with-copy").stderr
    )


def test_back_with_the_copy_stops_the_bot_and_restores_by_the_older_release(host: Host) -> None:
    settled(host, "0.1.0")
    assert host.install("0.2.0").returncode == 0
    copy = host.disk / "var/lib/grognard/grognard.db.schema-7.bak"
    copy.touch()
    done = host.install("0.2.0", "--rollback", "--with-copy")
    assert done.returncode == 0, done.stderr
    assert "0.1.0 0.1.0 0.1.0\n" in done.stdout, "the older release was asked to restore it"
    assert host.is_at("0.1.0")
    assert (
        (host.disk / "told")
        .read_text()
        .endswith("stop grognard\ndaemon-reload\nrestart grognard\n")
    )


def test_the_three_newest_stay_and_those_that_are_needed(host: Host) -> None:
    settled(host, "0.1.0")
    for version in ("0.2.0", "0.2.1", "0.2.2", "0.2.3"):
        assert host.install(version).returncode == 0
    assert host.releases() == ["3", "4", "5"]


def test_a_host_with_files_in_place_is_moved_over_and_back(host: Host) -> None:
    host.in_place("0.1.0")
    assert host.is_at("0.1.0")
    done = host.install("0.2.0")
    assert done.returncode == 0, done.stderr
    assert host.is_at("0.2.0")
    app = host.disk / "opt/grognard"
    assert {path.name for path in app.iterdir()} == {"current", "releases", "my-packs", "packs"}
    assert (app / "packs").resolve() == (app / "releases/2/packs").resolve()
    assert (host.disk / "etc/grognard.env").read_text() == "DISCORD_TOKEN=mine\n"
    back = host.install("0.2.0", "--rollback")
    assert back.returncode == 0, back.stderr
    assert host.is_at("0.1.0")


@pytest.mark.slow_sample(1)
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kind", ["update", "move", "rollback"])
def test_an_install_killed_behind_a_step_goes_on(root: Path, tmp_path: Path, kind: str) -> None:
    host, words = Host(root, tmp_path), ("--rollback",) if kind == "rollback" else ()
    if kind == "move":
        host.in_place("0.1.0")
    else:
        settled(host, "0.1.0")
    if kind == "rollback":
        assert host.install("0.2.0").returncode == 0
    start, goal = tmp_path / "start", "0.1.0" if kind == "rollback" else "0.2.0"
    shutil.copytree(host.disk, start, symlinks=True)
    assert host.install("0.2.0", *words).returncode == 0
    steps, whole = host.steps, host.releases()
    assert host.is_at(goal)
    assert steps > 8
    for step in (*range(1, steps, STRIDE), steps):
        shutil.rmtree(host.disk)
        shutil.copytree(start, host.disk, symlinks=True)
        assert host.install("0.2.0", *words, kill=step).returncode != 0, step
        at_goal = host.is_at(goal)
        if not (kind == "rollback" and step == steps):  # that one was done
            again = host.install("0.2.0", *words)
            assert again.returncode == 0, (step, again.stderr)
        assert host.is_at(goal), (step, at_goal)
        assert host.releases() == whole, step
        assert not [*host.disk.rglob("*.new"), *host.disk.glob("opt/grognard/back")], step
