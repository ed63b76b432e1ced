"""What one server, or one game, sees of systems: those that everybody has, packs in versions of its
own, and games with what extensions add to them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from bot.rules.errors import TableError
from bot.rules.tables.table import Tables
from bot.rulesets.game_file import check_game
from bot.rulesets.packs.pack import PackSystem, check_together, join_extensions
from bot.rulesets.system import System


class VisibleRulesets(Mapping[str, System]):
    """Systems by id. Of several versions of one pack the last is in force; the others are there
    for past events.
    """

    def __init__(
        self,
        house: Mapping[str, System],
        packs: Iterable[PackSystem],
        joined: Collection[str] | None = None,
    ) -> None:
        """`joined` are the versions of extensions whose units the games themselves know; None
        for all at hand.
        """
        self._versions: dict[str, PackSystem] = {}
        for pack in packs:
            self._versions.pop(pack.version, None)  # those in force stay behind the others
            self._versions[pack.version] = pack
        systems: dict[str, System] = {
            **house,
            **{pack.id: pack for pack in self._versions.values()},
        }
        extensions = [
            one for one in systems.values() if isinstance(one, PackSystem) and one.base is not None
        ]
        for base in dict.fromkeys(one.home for one in extensions):
            of_it = [one for one in extensions if one.home == base]
            systems |= _extend(systems[base], of_it, joined)
        self._systems: Mapping[str, System] = systems

    def __getitem__(self, id: str) -> System:
        return self._systems[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def versions(self) -> tuple[PackSystem, ...]:
        """The packs at hand, as they were given."""
        return tuple(self._versions.values())

    def version(self, hash: str) -> PackSystem | None:
        """The version with this hash, where it is at hand."""
        in_force = (
            one
            for one in self._systems.values()
            if isinstance(one, PackSystem) and one.version == hash
        )
        return next(in_force, None) or self._versions.get(hash)


class ExtendedSystem(System):
    """A built-in game, and the units of the extensions that have joined it; in all else as it
    is.
    """

    def __init__(self, base: System, extensions: tuple[PackSystem, ...]) -> None:
        super().__init__(base.id)
        self._plain = base
        self.extensions = extensions

    @cached_property
    def game(self) -> Mapping[str, Any]:
        """The content of game.yaml with what the extensions add."""
        return check_game(
            join_extensions(self._plain.game, self.extensions), f"{self.id}/game.yaml"
        )

    @property
    def versions(self) -> tuple[str, ...]:
        """Those of the extensions that have joined it."""
        return tuple(one.version for one in self.extensions)

    @property
    def tables(self) -> Tables:
        """Its tables by id."""
        return self._plain.tables


def _extend(
    base: System, extensions: list[PackSystem], joined: Collection[str] | None
) -> Mapping[str, System]:
    """A game with those of its extensions that have joined it, and each extension with the others;
    one that cannot be beside those before it adds nothing to them."""
    found: tuple[PackSystem, ...] = ()
    for one in extensions:
        if joined is None or one.version in joined:
            try:
                check_together(one, found)
            except TableError:
                continue
            found += (one,)
    bound: dict[str, System] = {}
    for one in extensions:
        others = tuple(other for other in found if other is not one)
        bound[one.id] = PackSystem(one.content, others) if others else one
    return {base.id: ExtendedSystem(base, found), **bound} if found else bound
