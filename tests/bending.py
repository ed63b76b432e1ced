"""Bends JSON-like data the way a slip of the pen, a careless program or a mischievous stranger
would.
"""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterator
from typing import Any

ODD: list[Any] = [
    None, True, False, 0, -1, 7, 10**20, 0.5, 1e300, "", "x", "-", "1-3", "9+", "squad", "\u202e", "\ud800", "{a}",
    "x" * 300, [], [None], [[]], ["x", 1], {}, {"x": 1}, {"x": None}, {1: 2}, {"by": "x"},
]  # fmt: skip


def bent(draw: random.Random, data: Any, *, odd: list[Any] = ODD, deepest: bool = False) -> Any:
    """A copy of `data` with one place changed: dropped, doubled, swapped, renamed, retyped, or
    something odd.

    Places deep in the data are as likely as those at its top; with `deepest` they are likelier.
    """
    data = pickle.loads(pickle.dumps(data))  # ten times as quick as deepcopy
    places = list(_places(data))
    if not places:
        return draw.choice(odd)
    parent, key = places[draw.randrange(len(places))]
    if not deepest and draw.random() < 0.5:
        tops = [
            place
            for place in places
            if place[0] is data or isinstance(place[0][place[1]], dict | list)
        ]
        parent, key = draw.choice(tops or places)
    how = draw.randrange(6)
    if how == 0:
        del parent[key]
    elif how == 1:
        parent[key] = _retyped(parent[key])
    elif how == 2:
        other, at = draw.choice(places)
        parent[key] = copy.deepcopy(other[at])
    elif how == 3 and isinstance(parent, dict):
        parent[draw.choice(["x", "new", 3, "1-2"])] = parent.pop(key)
    else:
        parent[key] = copy.deepcopy(draw.choice(odd))
    return data


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    keys: Any = (
        data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    )
    for key in keys:
        yield data, key
        yield from _places(data[key])


def _retyped(value: Any) -> Any:
    """The same said with another type."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return int(value) if value.isdecimal() else [value]
    if isinstance(value, list):
        return dict(enumerate(value))
    return list(value.items()) if isinstance(value, dict) else repr(value)
