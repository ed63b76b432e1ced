"""What a sequence may change, known before its first die: with it a refusal never depends on
dice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ANY_UNIT = "*"
"""Among the links of a sequence: it may change any unit of the roster."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything that the steps of a sequence may change, whatever the dice say, and the tracks that
    its choices hold.

    `tracks` are those that it may change, as formulas name them: `side.points`; `sets` are those of
    them that it may set to a value, instead of adding to them. `links` are the attributes by which
    it may change units beyond its inputs (the squad of a man), `units` the names of units that it
    changes by name. `marks` are the markers that it may put on units. `held` has for each choice,
    by its name, the tracks that stay as they are until it is made: those read so far, on which the
    dice that fell depend, and those that are set later. A track that is only added to is not held,
    because additions come to the same in any order.
    """

    tracks: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    held: Mapping[str, frozenset[str]] = field(default_factory=dict)
