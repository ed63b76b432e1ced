"""The systems that one server, or one game, sees: those that everybody has, packs in versions of
its own, and games with the additions of extensions.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

from bot.rules.errors import TableError
from bot.rules.tables.table import Tables
from bot.rulesets.game_file import check_game
from bot.rulesets.packs.pack import PackSystem, check_together, join_extensions
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System


def combine_with_packs(
    shared: Mapping[str, System],
    packs: Iterable[PackSystem],
    joined: Collection[str] | None = None,
) -> RuleSets:
    """Return the `shared` systems together with `packs`.

    Of several versions of a pack the last one is in force; the others are kept for past events.
    `joined` are the versions of the extensions that have joined their game, so that the game knows
    their units; None for all of `packs`.
    """
    versions: dict[str, PackSystem] = {}
    for pack in packs:
        versions.pop(pack.version, None)  # the last position is that of the one in force
        versions[pack.version] = pack
    systems: dict[str, System] = dict(shared)
    for pack in versions.values():
        systems[pack.id] = pack
    extensions: dict[str, list[PackSystem]] = {}
    for system in systems.values():
        if isinstance(system, PackSystem) and system.base is not None:
            extensions.setdefault(system.home, []).append(system)
    for base_id, base_extensions in extensions.items():
        systems |= _extend(systems[base_id], base_extensions, joined)
    return RuleSets(systems, versions.values())


class ExtendedSystem(System):
    """A built-in game with the units of the extensions that have joined it, otherwise unchanged."""

    def __init__(self, base: System, extensions: tuple[PackSystem, ...]) -> None:
        super().__init__(base.id)
        self._plain = base
        self.extensions = extensions

    @cached_property
    def game(self) -> Mapping[str, Any]:
        """The content of game.yaml with the additions of the extensions."""
        return check_game(
            join_extensions(self._plain.game, self.extensions), f"{self.id}/game.yaml"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the form in which it is sent to another process, which builds it again."""
        return ExtendedSystem, (self._plain, self.extensions)

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of the extensions that have joined it."""
        return tuple(extension.version for extension in self.extensions)

    @property
    def tables(self) -> Tables:
        """The tables of the game by id."""
        return self._plain.tables


def _extend(
    base: System, extensions: list[PackSystem], joined: Collection[str] | None
) -> Mapping[str, System]:
    """Return, by id, the game with the extensions that have joined it, and each extension with the
    others.

    `joined` are the versions that have joined, None for all. An extension that clashes with those
    before it has not joined. Without any, the game is not in the result.
    """
    members: tuple[PackSystem, ...] = ()
    for extension in extensions:
        if joined is not None and extension.version not in joined:
            continue
        try:
            check_together(extension, members)
        except TableError:
            continue
        members += (extension,)
    systems: dict[str, System] = {}
    if members:
        systems[base.id] = ExtendedSystem(base, members)
    for extension in extensions:
        others = tuple(member for member in members if member is not extension)
        systems[extension.id] = PackSystem(extension.content, others) if others else extension
    return systems
