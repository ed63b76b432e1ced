"""`dataclasses.replace` for the values that every command makes anew: what to copy is looked up once per class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


def replacing(kind: type[T]) -> Callable[..., T]:
    """A function that copies a value of a dataclass with slots, some of its fields changed. The class must take values
    as they are: nothing of its own runs when one is made."""
    slots = [kind.__dict__[field.name] for field in fields(kind)]  # type: ignore[arg-type]
    copies = tuple((slot.__set__, slot.__get__) for slot in slots)
    put = {slot.__name__: slot.__set__ for slot in slots}

    def replaced(old: T, **changes: Any) -> T:
        made = object.__new__(kind)
        for write, read in copies:
            write(made, read(old))
        for name, value in changes.items():
            put[name](made, value)
        return made

    return replaced
