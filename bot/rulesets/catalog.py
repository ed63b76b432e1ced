"""Which systems there are: those of the house, the packs of the host, and what the command at
work sees of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.rules.errors import UserError, did_you_mean
from bot.rulesets.system import ROOT, System, list_builtin_systems

if TYPE_CHECKING:  # a lookup needs no paths
    from pathlib import Path

PACKS = "GROGNARD_PACKS"
FREE = "free"
"""What names the packs that come with the program, where a folder of packs is named."""


@lru_cache(maxsize=1)
def load_shared_systems() -> Mapping[str, System]:
    """The systems that everybody has, by id: those of the house, then the packs of the host's
    folder. A pack with a fault is left out, and the log says why."""
    folder = get_packs_folder()
    return (
        list_builtin_systems()
        if folder is None
        else {**list_builtin_systems(), **_load_packs(folder)}
    )


SEEN: ContextVar[Mapping[str, System] | None] = ContextVar("systems", default=None)
"""What `get_systems()` are; None: those that everybody has."""


def get_systems() -> Mapping[str, System]:
    """The systems by id that the command at work sees: those that everybody has, and the packs of
    its server in the versions that are enabled there, or that its game is played with."""
    seen = SEEN.get()
    return load_shared_systems() if seen is None else seen


def find_pack_version(hash: str) -> System | None:
    """The version of a pack with this hash, where the command at work has it at hand; None for
    any other.
    """
    found: System | None = getattr(get_systems(), "version", lambda _hash: None)(hash)
    return found


class use_systems(AbstractContextManager[None]):  # noqa: N801 -- read as a function; a generator would take thrice as long
    """Inside, `get_systems()` are these: for one command at a time, whatever others see meanwhile."""

    __slots__ = ("_before", "_shelf")

    def __init__(self, shelf: Mapping[str, System]) -> None:
        self._shelf = shelf

    def __enter__(self) -> None:
        self._before = SEEN.set(self._shelf)

    def __exit__(self, *_: object) -> None:
        SEEN.reset(self._before)


def get_packs_folder() -> Path | None:
    """Where the host keeps packs: GROGNARD_PACKS, which the command line also takes from
    `--packs` or `.env`.
    """
    named = os.environ.get(PACKS, "")
    return find_named_folder(named) if named else None


def find_named_folder(named: str) -> Path:
    """The folder of packs that a host names: `free`, or `free/generic`, is what comes with the
    program, unless there is a folder of that name."""
    from pathlib import Path

    first, _, rest = named.partition("/")
    if first != FREE or Path(named).exists():
        return Path(named)
    inside = Path(ROOT, "free_packs")  # in a wheel; a package of the name packs is there already
    return (inside if inside.is_dir() else Path(ROOT).parent / "packs") / rest


def _load_packs(folder: Path) -> Mapping[str, System]:
    import logging

    from bot.rulesets.packs.pack import PackFault, load_packs_in

    found, faults = load_packs_in(folder)
    _LEFT_OUT.clear()
    for fault in faults:
        logging.getLogger(__name__).warning("%s", fault)
        if isinstance(fault, PackFault) and fault.id:
            _LEFT_OUT[fault.id] = fault.problem
    return found


_LEFT_OUT: dict[str, str] = {}


def get_exclusion_reason(id: str) -> str:
    """Return why a pack of the host's folder is left out; "" for any other id."""
    return _LEFT_OUT.get(id, "")


def find_system(id: str) -> System:
    """The system called `id`, or the pack with this hash. Raises UserError with the nearest
    name.
    """
    known = get_systems()
    if id not in known:
        if (version := find_pack_version(id)) is not None:
            return version
        hint = did_you_mean(id, known) or f"Systems are {', '.join(known)}."
        raise UserError(f'No system "{id[:40]}".', hint=hint, code="unknown-system")
    return known[id]


# -- states in which a unit is out of the game: those that its game names, else those that all have
# in common

GONE = ("eliminated", "destroyed", "killed", "combat-ineffective", "surrendered")
"""Where a game names none, and in free play."""


def list_lost_states(system: System | None) -> tuple[str, ...]:
    """Those of a system, or of free play."""
    return tuple(system.game["units"].get("lost") or GONE) if system is not None else GONE
