"""What processes had of the processors, so that seconds measured on a busy machine say something
of the bot.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Used:
    """Seconds of processor time: of the bots, of the stand-ins (this process), of the database
    server.
    """

    bots: float
    platforms: float
    server: float

    @property
    def alone(self) -> float:
        """The seconds that all of it would take, were there nobody else on this machine."""
        return (self.bots + self.platforms + self.server) / (os.cpu_count() or 1)

    @property
    def ours(self) -> float:
        """The same without the stand-ins, which nobody has in life."""
        return (self.bots + self.server) / (os.cpu_count() or 1)

    def since(self, before: Used) -> Used:
        """What was used between the two."""
        return Used(
            self.bots - before.bots, self.platforms - before.platforms, self.server - before.server
        )

    def __str__(self) -> str:
        return f"bots {self.bots:.1f} s, platforms {self.platforms:.1f} s, database {self.server:.1f} s of processor"


def used(bots: Iterable[int], server: int) -> Used:
    """What the processes with these ids had so far; the server's is that of all its children."""
    return Used(
        sum(map(_used, bots)),
        _used(os.getpid()),
        _used(server) + sum(map(_used, _children(server))),
    )


def waited(pid: int) -> float:
    """Seconds in which a process could have run, but others had the processors; 0 where unknown."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ProcessLookupError):
        return 0.0


def denied(pid: int) -> float:
    """Seconds in which that process or this one could have run, but others had the processors; 0
    where unknown.
    """
    return waited(pid) + waited(os.getpid())


def _used(pid: int) -> float:
    found = _stat(pid)
    # its own, and that of children which have ended
    return sum(map(int, found[11:15])) / _TICKS if found else 0.0


def _children(pid: int) -> list[int]:
    ids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [one for one in ids if (found := _stat(one)) and int(found[1]) == pid]


def _stat(pid: int) -> list[str]:
    """The fields behind the name, from the state on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ProcessLookupError):
        return []
