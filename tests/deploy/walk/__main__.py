"""`python -m tests.deploy.walk FOLDER`: each line of deploy/README.md is typed as it is written,
and what it does is looked at: install, fight, move over to releases, go back and up, back up,
restore, change to PostgreSQL, wait for it, move to another machine. FOLDER keeps the bare Debian
for the next time."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tomllib
from contextlib import AsyncExitStack
from pathlib import Path

from tests.deploy.walk.machine import Machine, bare_tree
from tests.deploy.walk.readme import PROJECT, Walk, text_of_pages
from tests.standins.discord import DiscordStandIn
from tools.release import fill_address, git, release

OLDER = "e5395ed^"
"""A release with an older database."""
IN_PLACE = "3d133fa"
"""What hosts ran before there were releases: 0.1.0, all its files in /opt/grognard itself."""
PORT = 54329
DATABASE = f"postgresql://grognard:secret@127.0.0.1:{PORT}/grognard"
FIRE = {"attackers": "squad fp=5; half-squad fp=2", "targets": "squad tm=1 morale=4"}


class Game:
    """What players see of it on Discord's stand-in."""

    def __init__(self, discord: DiscordStandIn) -> None:
        self.discord = discord
        self.anna, self.table = discord.user("Anna"), discord.channel("table")

    async def fight(self, label: str) -> None:
        """A roll with a label and a shot, both answered."""
        await self.discord.ready()
        rolled = await (await self.anna.slash(self.table, "roll", dice="2d6", label=label)).answer()
        shot = await (await self.anna.slash(self.table, "lnlt", "fire", **FIRE)).answer()
        assert "Attack" in shot.text, shot.text
        print(f"    table: {rolled.text.splitlines()[0]} / {shot.text.splitlines()[0]}", flush=True)

    async def log(self) -> str:
        """The log as it is shown."""
        await self.discord.ready()
        return (await (await self.anna.slash(self.table, "log")).answer()).text


def settings(machine: Machine, discord: DiscordStandIn) -> None:
    """What the editor of the machine writes: a token, and where our Discord is."""
    text = f"\nDISCORD_TOKEN={discord.token}\nDISCORD_API={discord.url}\n"
    (machine.tree / "var/tmp/settings").write_text(text)


def commit(at: str) -> str:
    """The hash of a commit of the project."""
    return subprocess.run(
        ["git", "-C", PROJECT, "rev-parse", at], check=True, capture_output=True, text=True
    ).stdout.strip()


def origin(folder: Path, at: str) -> None:
    """The project's address: a repository whose main is at a commit."""
    bare = folder / "grognard.git"
    if not bare.exists():
        subprocess.run(["git", "clone", "--quiet", "--bare", PROJECT, bare], check=True)
    subprocess.run(
        ["git", "-C", bare, "fetch", "--quiet", PROJECT, "HEAD:refs/heads/new"], check=True
    )
    subprocess.run(["git", "-C", bare, "update-ref", "refs/heads/main", commit(at)], check=True)
    subprocess.run(["git", "-C", bare, "symbolic-ref", "HEAD", "refs/heads/main"], check=True)


def tagged(folder: Path, tag: str, at: str) -> None:
    """The project's address has this tag at a commit that it has."""
    subprocess.run(
        ["git", "-C", folder / "grognard.git", "tag", "--force", tag, commit(at)], check=True
    )


def released(folder: Path) -> str:
    """The next version, made by the release run in a clone, as a tag at the project's address."""
    clone = folder.parent / "release"
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", folder / "grognard.git", clone], check=True)
    for words in (["user.name", "Releaser"], ["user.email", "releaser@example.org"]):
        subprocess.run(["git", "-C", clone, "config", *words], check=True)
    log = clone / "CHANGELOG.md"
    log.write_text(
        log.read_text().replace("## Unreleased\n", "## Unreleased\n\n- What was walked.\n", 1)
    )
    subprocess.run(
        ["git", "-C", clone, "commit", "--quiet", "--all", "--message", "Something to tell"],
        check=True,
    )
    major, minor, _ = tomllib.loads((clone / "pyproject.toml").read_text())["project"][
        "version"
    ].split(".")
    version = f"{major}.{int(minor) + 1}.0"
    fill_address(clone, "/srv/grognard.git")
    git(clone, "commit", "--quiet", "--all", "--message", "Our address")
    made = release(clone, version, "2026-12-24", sbom=False)
    print("release:", *(path.name for path in sorted(made.iterdir())), flush=True)
    bare = folder / "grognard.git"
    subprocess.run(
        [
            "git",
            "-C",
            bare,
            "fetch",
            "--quiet",
            clone,
            "main:main",
            f"refs/tags/v{version}:refs/tags/v{version}",
        ],
        check=True,
    )
    return version


def brought(copy: Path, machine: Machine) -> None:
    """A copy of the games comes to a machine."""
    (machine.tree / "var/tmp/monday.db").write_bytes(copy.read_bytes())


async def cloned(walk: Walk, machine: Machine) -> None:
    """The project as a host gets it: a clone, at its newest release."""
    await machine.do("git config --global --add safe.directory '*'")
    await machine.do(
        walk.line(
            "git clone ADDRESS-OF-THIS-PROJECT grognard",
            **{"ADDRESS-OF-THIS-PROJECT": "/srv/grognard.git"},
        )
    )
    assert "the newest release" in await machine.do(walk.line("sh deploy/newest.sh"))


async def by_script(walk: Walk, machine: Machine, discord: DiscordStandIn, shared: Path) -> Path:
    """install.sh at 3d133fa, and from there to today's release, back and up; then a copy, and it is
    restored. Returns a copy of its games."""
    game = Game(discord)
    settings(machine, discord)
    await cloned(walk, machine)
    await machine.do("sudo sh deploy/install.sh --dry-run")
    await machine.do(walk.line("sudo sh deploy/install.sh"))
    await machine.do(walk.line("sudo editor /etc/grognard.env"))
    await machine.do(walk.line("sudo systemctl enable --now grognard"))
    await game.fight("before")
    assert not (machine.tree / "opt/grognard/current").is_symlink()

    version = released(shared)
    # what the old page said
    await machine.do(f"git fetch --quiet --tags && git checkout --quiet v{version}")
    assert f"This is v{version}" in await machine.do(walk.line("sh deploy/newest.sh"))
    assert "Release 2" in await machine.do(walk.line("sudo sh deploy/install.sh"))
    assert f"grognard {version}" in await machine.do("grognard --version")
    await machine.do(
        "ls -l /opt/grognard /opt/grognard/releases; cat /opt/grognard/releases/*/release"
    )
    assert not (machine.tree / "opt/grognard/bot").exists()
    assert "Active: active (running)" in await machine.do("systemctl status --no-pager grognard")
    assert "before" in await game.log()
    await game.fight("after the update")

    await machine.do(walk.line("sudo sh deploy/install.sh --rollback"))
    assert f"grognard {version}" not in await machine.do("grognard --version")
    log = await game.log()
    assert "before" in log, log
    assert "after the update" in log, log
    await game.fight("back there")
    assert "is built already" in await machine.do(walk.line("sudo sh deploy/install.sh"))
    assert f"grognard {version}" in await machine.do("grognard --version")
    assert "back there" in await game.log()

    await machine.do("systemd-analyze security --no-pager grognard | tail -1")
    await machine.do(
        "systemctl show grognard -p MemoryCurrent -p MemoryPeak; sudo ps -o rss,args -u grognard"
    )
    await machine.do("sudo du -sh /opt/grognard/releases/* /var/lib/grognard")
    await machine.do(
        "sudo systemctl start grognard-backup && systemctl list-timers --no-pager grognard-backup.timer"
    )
    assert "grognard-2" in await machine.do("sudo ls /var/backups/grognard")
    assert "settings from /etc/grognard.env" in await machine.do(walk.line("sudo grognard backup"))
    await game.fight("after the copy")

    restore = walk.line("sudo grognard restore")
    assert "Stop the bot first" in await machine.do(restore, status=2)
    await machine.do(walk.line("sudo systemctl stop grognard"))
    await discord.gone()
    await machine.do(restore)
    await machine.do(walk.line("sudo systemctl start grognard"))
    log = await game.log()
    assert "before" in log, log
    assert "after the copy" not in log, log
    assert "ok    DISCORD_TOKEN is set" in await machine.do(walk.line("sudo grognard doctor"))
    copy = shared / "monday.db"
    copy.write_bytes((machine.tree / "var/backups/grognard/monday.db").read_bytes())
    await machine.do(walk.line("sudo systemctl stop grognard"))
    await discord.gone()
    return copy


async def on_postgres(walk: Walk, machine: Machine, discord: DiscordStandIn) -> None:
    """The games of a machine that is off come to PostgreSQL; a bot that starts before it waits;
    copied each night.
    """
    game = Game(discord)
    await machine.do(
        f"sudo sed -i 's/^#*port = .*/port = {PORT}/' /etc/postgresql/15/main/postgresql.conf"
    )
    await machine.do("sudo systemctl start postgresql@15-main")
    make = walk.line("createuser --pwprompt")
    await machine.do(
        f"cd /tmp && printf 'secret\\nsecret\\n' | sudo -u postgres env PGPORT={PORT} sh -c '{make}'; cd ~/grognard"
    )
    walk.line("DATABASE_URL=postgresql://")
    with (machine.tree / "etc/grognard.env").open(
        "a"
    ) as settings_file:  # what the host's editor does
        settings_file.write(f"DATABASE_URL={DATABASE}\n")
    await machine.do(walk.line("sudo grognard copy sqlite:////var/lib/grognard/grognard.db"))
    assert f"PostgreSQL at 127.0.0.1:{PORT}" in await machine.do("sudo grognard doctor --replay")
    await machine.do("sudo systemctl start grognard")
    assert "before" in await game.log()
    await game.fight("on PostgreSQL")
    await machine.do("sudo systemctl stop grognard")
    await discord.gone()

    await machine.do("sudo systemctl stop postgresql@15-main")
    await machine.do("sudo systemctl start grognard")  # before its database, as after a power cut
    await asyncio.sleep(5)
    said = await machine.do("systemctl status --no-pager grognard")
    assert "Active: active (running)" in said, said
    assert f"127.0.0.1:{PORT}" in said, said
    assert not discord.gateway.connected, "no platform is connected while it waits"
    await machine.do("sudo systemctl start postgresql@15-main")
    log = await game.log()
    assert "on PostgreSQL" in log, log
    assert "NRestarts=0" in await machine.do("systemctl show grognard -p NRestarts")

    earlier = set((await machine.do("sudo ls /var/backups/grognard")).split())
    await machine.do("sudo systemctl start grognard-backup")
    [made] = set((await machine.do("sudo ls /var/backups/grognard")).split()) - earlier
    await game.fight("after the copy")
    await machine.do(walk.line("sudo systemctl stop grognard"))
    await discord.gone()
    await machine.do(f"sudo grognard restore /var/backups/grognard/{made}")
    await machine.do(walk.line("sudo systemctl start grognard"))
    log = await game.log()
    assert "on PostgreSQL" in log, log
    assert "after the copy" not in log, log
    await machine.do(walk.line("sudo systemctl stop grognard"))
    await discord.gone()
    await machine.do("sudo systemctl stop postgresql@15-main")


async def by_hand(walk: Walk, machine: Machine, discord: DiscordStandIn, shared: Path) -> None:
    """Line by line: an older release, its update, and back."""
    game = Game(discord)
    settings(machine, discord)
    for whose in ("", "sudo "):
        await machine.do(f"{whose}git config --global --add safe.directory '*'")
    address = {"ADDRESS-OF-THIS-PROJECT": "/srv/grognard.git"}
    await machine.do(walk.line("sudo git clone ADDRESS-OF-THIS-PROJECT", **address))
    for line in ("sudo python3 -m venv .venv", "install --require-hashes"):
        await machine.do(walk.line(line))
    # this release knew no more of it
    await machine.do("sudo .venv/bin/python -m compileall -q bot adapters")
    for line in (
        "sudo useradd --system",
        "sudo install -m 640",
        "deploy/grognard.service | sudo tee",
    ):
        await machine.do(walk.line(line))
    await machine.do(walk.line("sudo editor /etc/grognard.env"))
    await machine.do(
        walk.line("sudo systemctl daemon-reload && sudo systemctl enable --now grognard")
    )
    await game.fight("before")
    assert "grognard" in await machine.do(
        walk.line("journalctl -u grognard -f").replace("sudo ", "sudo timeout 3 "), status=124
    )

    # "To update: check out the release, then the lines with pip install, compileall and
    # grognard.service again"
    newest = "$(git tag --list 'v*' --sort=-version:refname | head -n 1)"  # that release had no newest.sh
    await machine.do(f'sudo git fetch --quiet --tags && sudo git checkout --quiet "{newest}"')
    for line in ("install --require-hashes", "sudo .venv/bin/python -m compileall", "sudo ln -s"):
        await machine.do(walk.line(line))
    await machine.do(walk.line("deploy/grognard.service | sudo tee"))
    await machine.do("sudo systemctl daemon-reload && sudo systemctl restart grognard")
    await game.fight("after the update")
    kept = (await machine.do("sudo ls /var/lib/grognard")).split()
    copy = next(name for name in kept if ".schema-" in name)

    # "To go back to an older release, check it out, stop the bot and restore
    # grognard.db.schema-N.bak"
    await machine.do(walk.line("sudo systemctl stop grognard"))
    await discord.gone()
    await machine.do(f"sudo grognard restore /var/lib/grognard/{copy}")
    await machine.do(f"sudo git checkout --quiet {commit(OLDER)}")
    await machine.do(walk.line("deploy/grognard.service | sudo tee"))
    await machine.do("sudo systemctl daemon-reload")
    await machine.do(walk.line("sudo systemctl start grognard"))
    log = await game.log()
    assert "before" in log, log
    assert "after the update" not in log, log
    await machine.do(walk.line("sudo systemctl stop grognard"))
    await discord.gone()


async def moved(walk: Walk, machine: Machine, discord: DiscordStandIn, copy: Path) -> None:
    """To another machine: install there, restore there, take the settings along."""
    game = Game(discord)
    settings(machine, discord)
    await cloned(walk, machine)
    await machine.do(walk.line("sudo sh deploy/install.sh"))
    await machine.do(walk.line("sudo editor /etc/grognard.env"))
    brought(copy, machine)
    await machine.do("sudo install -o grognard -m 600 /var/tmp/monday.db /var/backups/grognard/")
    await machine.do(walk.line("sudo grognard restore"))
    await machine.do(walk.line("sudo systemctl enable --now grognard"))
    log = await game.log()
    assert "before" in log, log
    await machine.do("sudo ls -l /var/lib/grognard")
    await machine.do("journalctl -u grognard --no-pager | tail -5")
    await machine.do(walk.line("sudo systemctl stop grognard"))
    await discord.gone()


async def main(bare: Path, shared: Path) -> None:
    """The whole walk, on machines that are copies of `bare` and see `shared` as /srv."""
    walk = Walk(text_of_pages())
    async with AsyncExitStack() as ends:
        discord = await ends.enter_async_context(DiscordStandIn.running())

        async def machine(name: str) -> Machine:
            made = Machine(name, bare, shared)
            ends.push_async_callback(made.off)
            await made.on()
            return made

        origin(shared, "HEAD")
        tagged(shared, "v0.1.0", IN_PLACE)
        monday = await machine("monday")
        copy = await by_script(walk, monday, discord, shared)
        await on_postgres(walk, monday, discord)
        await moved(walk, await machine("moved"), discord, copy)
    async with AsyncExitStack() as ends, DiscordStandIn.running() as discord:
        origin(shared, OLDER)
        by = Machine("byhand", bare, shared)
        ends.push_async_callback(by.off)
        await by.on()
        await by_hand(walk, by, discord, shared)
    print("Lines of the page that were not typed:", *walk.left, sep="\n  ")


if __name__ == "__main__":
    if len(sys.argv) != 2 or os.geteuid() != 0:
        sys.exit("make walk ARGS=FOLDER, as root, with debootstrap and systemd-container")
    where = Path(sys.argv[1]).resolve()
    (where / "shared").mkdir(parents=True, exist_ok=True)
    bare_tree(where / "bare")
    asyncio.run(main(where / "bare", where / "shared"))
