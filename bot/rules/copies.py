"""Fast copies of frozen values with some fields changed.

Every command copies its answer and its game, which have about thirty fields. `dataclasses.replace`
takes several times as long, because it runs `__init__`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # by this name mypy knows which fields a value has
    from dataclasses import replace as replace
else:

    def replace(value, /, **changes):
        """Return a copy of a dataclass value with these fields changed.

        Raises TypeError for a name that is no field of it.
        """
        if not hasattr(value, "__dict__"):
            return dataclasses.replace(value, **changes)
        if not changes.keys() <= value.__dict__.keys():
            raise TypeError(
                f"{type(value).__name__} has no {', '.join(changes.keys() - value.__dict__.keys())}"
            )
        copy = object.__new__(type(value))
        object.__setattr__(copy, "__dict__", value.__dict__ | changes)
        return copy
