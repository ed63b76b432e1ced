"""Values that every command makes anew, made and copied quickly: what can be looked up is looked up once per class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


def replacing(kind: type[T]) -> Callable[..., T]:
    """A function that copies a value of a dataclass with slots, or of a sparse one, some of its fields changed. The
    class must take values as they are: nothing of its own runs when one is made."""
    if "__slots__" not in kind.__dict__:
        return _replacing_held(kind)
    slots = {field.name: kind.__dict__[field.name].__set__ for field in fields(kind)}  # type: ignore[arg-type]
    # Written out as dataclasses writes `__init__`: one line for each field takes half the time of a loop over them.
    lines = ["def replaced(old, **changes):", "    made = new(kind)"]
    lines += [f"    set_{name}(made, old.{name})" for name in slots]
    lines += ["    for name, value in changes.items():", "        slots[name](made, value)", "    return made"]
    named = {"new": object.__new__, "kind": kind, "slots": slots, **{f"set_{name}": put for name, put in slots.items()}}
    exec("\n".join(lines), named)
    replaced: Callable[..., T] = named["replaced"]
    return replaced


def sparse(kind: type[T]) -> type[T]:
    """A frozen dataclass of many fields of which most are left at their defaults. A value holds those that it is given
    and reads all others off the class, so making one costs as much as it holds. The defaults must never change."""
    names = tuple(field.name for field in fields(kind))  # type: ignore[arg-type]
    known, needed = frozenset(names), frozenset(name for name in names if not hasattr(kind, name))

    def hold(self: T, *first: Any, **named: Any) -> None:
        held = self.__dict__
        if first:
            held.update(zip(names, first))  # noqa: B905  # `strict` by name would take as long as the rest
        held.update(named)
        if not needed <= held.keys() <= known:
            raise TypeError(f"{kind.__name__} takes {', '.join(names)}")

    kind.__init__ = hold  # type: ignore[assignment]
    return kind


def _replacing_held(kind: type[T]) -> Callable[..., T]:
    known = frozenset(field.name for field in fields(kind))  # type: ignore[arg-type]

    def replaced(old: T, **changes: Any) -> T:
        if not changes.keys() <= known:
            raise KeyError(*changes.keys() - known)
        made = object.__new__(kind)
        made.__dict__.update(old.__dict__)
        made.__dict__.update(changes)
        return made

    return replaced
