"""What odds are asked for, so that a sequence keeps no more in its states than these need."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEAD = re.compile(r"(\w+)(?:\[(\d+)\])?")


@dataclass(frozen=True, slots=True)
class Asked:
    """The paths of outputs that are asked for; None in play, where all of them are."""

    paths: tuple[str, ...] | None = None

    @property
    def counting(self) -> bool:
        """Whether odds are counted; in play everything is told."""
        return self.paths is not None

    def keeps(self, *names: str) -> bool:
        """Whether one of the outputs `names` is asked for."""
        return self.paths is None or any(path.split("[")[0].split(".")[0] in names for path in self.paths)

    def item(self, name: str, number: int) -> bool:
        """Whether something of the item at position `number` of the list `name` is asked for."""
        return self.paths is None or number in self.items(name)

    def items(self, name: str) -> frozenset[int]:
        """Positions of the list `name` that odds are asked for."""
        found = (_HEAD.match(path) for path in self.paths or ())
        return frozenset(int(at[2]) for at in found if at and at[1] == name and at[2])

    def leaf(self, *names: str) -> bool:
        """Whether a path ends in one of `names`."""
        return self.paths is None or any(path.rsplit(".", 1)[-1].split("[")[0] in names for path in self.paths)


PLAY = Asked()
