"""Frozen dataclasses that are made in a fraction of the time: for the values that every roll makes anew."""

from __future__ import annotations

from dataclasses import MISSING, fields
from types import new_class
from typing import Any, TypeVar

T = TypeVar("T")


def quick(kind: type[T]) -> type[T]:
    """The same dataclass, which must be frozen and have slots, with an `__init__` that writes its fields directly.

    The usual one asks `object.__setattr__` for each field, past the guard against changes. Here a new value is of an
    open class while it is filled, one with the same slots and no guard, and then of its own. Names in the code begin
    with an underscore, so that no field is called like them.
    """
    unguarded = {"__slots__": kind.__slots__, "__setattr__": object.__setattr__}  # type: ignore[attr-defined]
    bases = kind.__dict__.get("__orig_bases__", kind.__bases__)
    space: dict[str, Any] = {"_own": kind, "_turn": object.__dict__["__class__"].__set__, "_missing": MISSING}
    space["_open"] = new_class(kind.__name__, bases, {}, lambda names: names.update(unguarded))
    takes, body = ["self"], ["_turn(self, _open)"]
    for field in fields(kind):  # type: ignore[arg-type]
        name, value = field.name, field.name
        space[f"_default_{name}"] = field.default
        if field.default_factory is not MISSING:
            space[f"_make_{name}"] = field.default_factory
            value = f"_make_{name}() if {name} is _missing else {name}"
        optional = field.default is not MISSING or field.default_factory is not MISSING
        takes.append(f"{name}=_default_{name}" if optional else name)
        body.append(f"self.{name} = {value}")
    body.append("self.__class__ = _own")
    exec(f"def __init__({', '.join(takes)}):\n " + "\n ".join(body), space)
    made: Any = space["__init__"]
    made.__qualname__, made.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
    setattr(kind, "__init__", made)  # noqa: B010  # the type checker keeps the signature of the dataclass
    return kind
