"""The catalog of systems: the built-in games, and the packs of the host."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import ROOT, System, list_builtin_systems

if TYPE_CHECKING:  # a lookup needs no paths
    from pathlib import Path

PACKS = "GROGNARD_PACKS"
FREE = "free"
"""The name of the packs that come with the program, in place of a folder of packs."""


@lru_cache(maxsize=1)
def load_shared_systems() -> RuleSets:
    """Return the systems that everybody has, by id: the built-in ones, then the packs of the host's
    folder.

    A pack with a fault is left out, and the log has the reason. Loaded once.
    """
    folder = get_packs_folder()
    if folder is None:
        return RuleSets(list_builtin_systems())
    return RuleSets({**list_builtin_systems(), **_load_packs(folder)})


def get_packs_folder() -> Path | None:
    """Return the host's folder of packs, or None if GROGNARD_PACKS is not set.

    The command line also sets it from `--packs` or `.env`.
    """
    name = os.environ.get(PACKS, "")
    return find_named_folder(name) if name else None


def find_named_folder(name: str) -> Path:
    """Return the folder of packs that a host names.

    `free` is the folder of the packs that come with the program, `free/generic` a folder in it,
    unless a folder of that name exists.
    """
    from pathlib import Path

    top, _, subfolder = name.partition("/")
    if top != FREE or Path(name).exists():
        return Path(name)
    folder = Path(ROOT, "free_packs")  # in a wheel, where `packs` is already a package
    if not folder.is_dir():
        folder = Path(ROOT).parent / "packs"
    return folder / subfolder


def _load_packs(folder: Path) -> Mapping[str, System]:
    """Load the packs of a folder. Log each pack with a fault, and remember the reason by its id."""
    import logging

    from bot.rulesets.packs.pack import PackFault, load_packs_in

    packs, faults = load_packs_in(folder)
    _EXCLUSION_REASONS.clear()
    for fault in faults:
        logging.getLogger(__name__).warning("%s", fault)
        if isinstance(fault, PackFault) and fault.id:
            _EXCLUSION_REASONS[fault.id] = fault.problem
    return packs


_EXCLUSION_REASONS: dict[str, str] = {}


def get_exclusion_reason(id: str) -> str:
    """Return the fault for which a pack of the host's folder is left out; "" for any other id."""
    return _EXCLUSION_REASONS.get(id, "")


def find_shared_system(id: str) -> System:
    """Return the system with this id that everybody has. Raises UserError with the nearest name."""
    return load_shared_systems().find(id)
