"""Everything that a sequence may change, worked out before its first die.

So a refusal never depends on dice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ANY_UNIT = "*"
"""Among the links of a sequence: it may change any unit of the roster."""


@dataclass(frozen=True, slots=True)
class Effects:
    """All possible changes of a sequence, for any dice, and the tracks that its choices hold."""

    tracks: frozenset[str] = frozenset()
    """Tracks that it may change, as formulas name them: `side.points`."""
    sets: frozenset[str] = frozenset()
    """Those of the tracks that it may set to a value instead of adding to them."""
    links: frozenset[str] = frozenset()
    """Attributes by which it may change units that are not inputs (the squad of a man)."""
    units: frozenset[str] = frozenset()
    """Names of units that it changes by name."""
    marks: frozenset[str] = frozenset()
    """Markers that it may put on units."""
    held: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """{choice: tracks that must not change until the choice is made}. These are the tracks read
    before the choice, on which the dice rolled so far depend, and the tracks set after it. A track
    that is only added to is not held, because the order of additions does not matter."""
