"""Copies of frozen values, some of their fields changed. A value of thirty fields is copied several
times as fast as `dataclasses.replace` does it, which runs its `__init__`: every command copies its
answer and its game."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # by this name mypy knows which fields a value has
    from dataclasses import replace as replace
else:

    def replace(value, /, **changes):
        """`value` with these fields changed. Raises TypeError for what is no field of it."""
        if not hasattr(value, "__dict__"):
            return dataclasses.replace(value, **changes)
        if not changes.keys() <= value.__dict__.keys():
            raise TypeError(
                f"{type(value).__name__} has no {', '.join(changes.keys() - value.__dict__.keys())}"
            )
        made = object.__new__(type(value))
        object.__setattr__(made, "__dict__", value.__dict__ | changes)
        return made
