"""Packs on their way with a game: by their hash, held against it, so that nobody can send another under its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.rules.errors import TableError
from bot.systems.packs.content import MOST_BYTES, MOST_FILES, check_name
from bot.systems.packs.pack import PackSystem, version_of

Files = Mapping[str, str]
"""What is in each file of a pack, by its name."""


def files_of(pack: PackSystem) -> dict[str, str]:
    """A pack's files as text."""
    return {name: data.decode() for name, data in sorted(pack.content.items())}


def hash_of(files: Files) -> str:
    """The version that these files are."""
    return version_of({name: text.encode("utf-8", "replace") for name, text in files.items()})


def pack_from(files: Mapping[str, object], hash: str) -> PackSystem | None:
    """The pack with these files; None unless they are a pack and have this hash."""
    content = {name: str(text).encode("utf-8", "replace") for name, text in files.items()}
    if len(content) > MOST_FILES or sum(map(len, content.values())) > MOST_BYTES:
        return None
    try:
        for name in content:
            check_name(name, 1)
        pack = PackSystem(content)
    except (TableError, KeyError):
        return None
    return pack if pack.version == hash else None


def hashes_in(bodies: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The versions that events (and what was sealed in some) name, in order, each as often as it is named."""
    for body in bodies:
        if isinstance(edition := body.get("edition"), str):
            yield edition
        yield from ((body.get("after") or {}).get("game") or {}).get("packs") or ()
