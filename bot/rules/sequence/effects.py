"""Everything that a sequence may change, worked out before its first die.

So a refusal never depends on dice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ANY_UNIT = "*"
"""Among the links of a sequence: it may change any unit of the roster."""


@dataclass(frozen=True, slots=True)
class Effects:
    """All possible changes of a sequence, for any dice, and the tracks that its choices hold.

    - `tracks`: tracks that it may change, as formulas name them: `side.points`.
    - `sets`: those of the tracks that it may set to a value instead of adding to them.
    - `links`: attributes by which it may change units that are not inputs (the squad of a man).
    - `units`: names of units that it changes by name.
    - `marks`: markers that it may put on units.
    - `held`: {choice: tracks that must not change until the choice is made}. These are the tracks
      read before the choice, on which the dice rolled so far depend, and the tracks set after it.
      A track that is only added to is not held, because the order of additions does not matter.
    """

    tracks: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    held: Mapping[str, frozenset[str]] = field(default_factory=dict)
