"""`python -m tests.deploy.walk.container FOLDER`: the image is built by podman upon the bare Debian
of the walk, where the base that deploy/Containerfile names cannot be pulled, and run as
deploy/compose.yaml runs it: a fight, its health, a copy, and what it was labelled with.
RUNTIME=runc where the machine's control groups are too old for crun."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.deploy.walk.__main__ import Game
from tests.deploy.walk.machine import bare_tree
from tests.deploy.walk.readme import PROJECT
from tests.ports import free_port
from tests.standins.discord import DiscordStandIn

BASE, NAME = "localhost/grognard-base", "grognard-walk"
PODMAN = ["podman", "--log-level=fatal", "--runtime", os.environ.get("RUNTIME", "crun")]
AS_COMPOSED = [
    "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--init",
    "--memory", "1g", "--pids-limit", "128", "--ulimit", "nofile=8192:8192", "--ulimit", "nproc=4096:4096",
]  # fmt: skip


def podman(*words: str, status: int = 0) -> str:
    """What podman prints. Raises AssertionError where it ends otherwise."""
    done = subprocess.run(
        [*PODMAN, *words], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == status, f"podman {' '.join(words)}: {done.stdout} {done.stderr}"
    return done.stdout


async def typed(*words: str) -> str:
    """The same beside the stand-in, which goes on answering."""
    return (await asyncio.to_thread(podman, *words)).strip()


def image(bare: Path) -> None:
    """The image `grognard`, built as `make image` does."""
    tree = subprocess.Popen(
        ["tar", "-C", bare, "--one-file-system", "-cf", "-", "."], stdout=subprocess.PIPE
    )
    subprocess.run(
        [*PODMAN, "import", "-", BASE], stdin=tree.stdout, check=True, capture_output=True
    )
    words = ["--build-arg", f"BASE={BASE}", "--network", "host", "--isolation", "chroot", "--quiet"]
    subprocess.run(
        ["sh", "deploy/image.sh", *words],
        cwd=PROJECT,
        env={**os.environ, "BUILDER": "podman"},
        check=True,
    )


async def main(bare: Path) -> None:
    """Build it, run it, look at it."""
    image(bare)
    asked = (
        (PROJECT / "deploy" / "Containerfile")
        .read_text()
        .partition("HEALTHCHECK ")[2]
        .partition(" CMD ")[2]
    )
    told = json.loads(podman("image", "inspect", "grognard"))[0]
    labels = told["Config"]["Labels"]
    print(
        {key.rpartition(".")[2]: value for key, value in labels.items() if "opencontainers" in key}
    )
    assert labels["org.opencontainers.image.revision"] != "unknown"
    health = ["CMD", *json.loads(asked.splitlines()[0])]
    assert told.get("HealthCheck", told.get("Healthcheck", {}))["Test"] == health
    async with DiscordStandIn.running() as discord:
        told = {
            "DISCORD_TOKEN": discord.token,
            "DISCORD_API": discord.url,
            "HEALTH_PORT": str(free_port()),
        }
        settings = [word for name, value in told.items() for word in ("--env", f"{name}={value}")]
        volume = ("--volume", f"{NAME}-backups:/backups")
        podman(
            "run",
            "--detach",
            "--name",
            NAME,
            "--network",
            "host",
            *AS_COMPOSED,
            *volume,
            *settings,
            "grognard",
        )
        try:
            await Game(discord).fight("in a container")
            for _ in range(60):  # it counts as starting until the platform's first beat
                with suppress(AssertionError):
                    print(await typed("exec", NAME, "grognard", "health"))
                    break
                await asyncio.sleep(1)
            else:
                raise AssertionError("it does not become well")
            await typed("healthcheck", "run", NAME)
            assert "in a container" in await Game(discord).log()
            print(await typed("exec", NAME, "grognard", "doctor"))
            await typed("exec", NAME, "env", "BACKUPS=/backups", "/app/deploy/backup.sh")
            print(
                await typed("exec", NAME, "ls", "-l", "/backups"),
                await typed("exec", NAME, "id"),
                sep="\n",
            )
            await typed("stop", NAME)
            assert await typed("inspect", NAME, "--format", "{{.State.ExitCode}}") == "0", (
                "it ends by itself"
            )
        except BaseException:
            print(podman("logs", NAME))
            raise
        finally:
            podman("rm", "--force", "--volumes", NAME)
            podman("volume", "rm", "--force", f"{NAME}-backups")


if __name__ == "__main__":
    if len(sys.argv) != 2 or os.geteuid() != 0:
        sys.exit(
            "python -m tests.deploy.walk.container FOLDER, as root, with debootstrap and podman"
        )
    where = Path(sys.argv[1]).resolve()
    bare_tree(where / "bare")
    asyncio.run(main(where / "bare"))
