"""The rule sets that a command sees, as a value that is passed."""

from collections.abc import Iterable, Mapping

from bot.rules.errors import UserError, did_you_mean
from bot.rulesets.system import System


class RuleSets(dict[str, System]):
    """The rule sets by id that a command sees, or with which an event was played.

    It is passed to each function that looks up a rule set, and nobody changes it. Two are equal
    only if they are the same object.
    """

    def __init__(self, systems: Mapping[str, System], versions: Iterable[System] = ()) -> None:
        super().__init__(systems)
        self.versions = tuple(versions)
        """The packs of a server or a game in all their versions, not only those in force."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other

    def find(self, id: str) -> System:
        """Return the system with this id, or the pack with this hash.

        Raises UserError with the nearest name.
        """
        if id in self:
            return self[id]
        version = self.find_version(id)
        if version is not None:
            return version
        hint = did_you_mean(id, self) or f"Games: {', '.join(self)}."
        raise UserError(f'No game called "{id[:40]}".', hint=hint, code="unknown-system")

    def find_version(self, hash: str) -> System | None:
        """Return the version of a pack with this hash, None if there is none.

        The version in force knows the other extensions of its game, so it goes first.
        """
        for system in (*self.values(), *self.versions):
            if system.about is not None and system.edition == hash:
                return system
        return None
