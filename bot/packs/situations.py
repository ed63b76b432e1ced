"""What may be asked of a table: all of it where that is little, else a fair part, the same at each run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, product
from math import prod
from typing import Any

from bot.rules.inputs.options import Option
from bot.rules.tables.table import Table

MOST = 4_000
_DECIMALS = (0, 0.5, 1, 7, 15, 15.1, 24, 60, 60.1, 150, 300, 301, 5000)


def domain_fault(option: Option) -> str:
    """Why the values of a table's input cannot be gone through; empty where they can."""
    if option.type == "int" and (option.min is None or option.max is None):
        return f"{option.name} has no limits: give it min and max"
    if option.type not in ("enum", "bool", "int", "number"):
        return f"a table cannot ask for {option.type}: {option.name} is an int, number, bool or enum"
    return ""


def values_of(option: Option) -> list[Any]:
    """Every declared value of an input; of decimal numbers some inside and at both ends."""
    if fault := domain_fault(option):
        raise ValueError(fault)
    if option.type == "enum":
        return [*option.values, *([None] if option.optional and option.default is None else [])]
    if option.type == "bool":
        return [False, True]
    if option.type == "int":
        assert option.min is not None
        assert option.max is not None
        return list(range(int(option.min), min(int(option.max), int(option.min) + 10_000) + 1))
    ends = [end for end in (option.min, option.max) if end is not None]
    return [value for value in dict.fromkeys((*_DECIMALS, *ends)) if _inside(option, value)]


def _inside(option: Option, value: float) -> bool:
    return (option.min is None or value >= option.min) and (option.max is None or value <= option.max)


def is_whole(table: Table, most: int = MOST) -> bool:
    """Whether `situations` are all there are."""
    return prod(len(values_of(option)) for option in table.inputs) <= most


def situations(table: Table, most: int = MOST) -> Iterator[dict[str, Any]]:
    """All combinations of inputs where they are few; else every value of each input beside a drawn rest."""
    domains = {option.name: values_of(option) for option in table.inputs}
    if is_whole(table, most):
        yield from (dict(zip(domains, values, strict=True)) for values in product(*domains.values()))
        return
    draw = random.Random(table.id)  # which cells are tried must not change from run to run
    rest = {name: draw.choice(domain) for name, domain in domains.items()}
    for name, domain in domains.items():
        for value in islice(domain, most):
            yield {**rest, name: value}
    for _ in range(most // 2):
        yield {name: draw.choice(domain) for name, domain in domains.items()}


def is_declared(value: Any, output: Any) -> bool:
    """Whether a value is one of the declared tokens, or of the declared type."""
    if isinstance(output, tuple):
        return all(item in output for item in value) if isinstance(value, list) else value in output
    kinds: dict[str, Any] = {
        "int": int, "number": (int, float), "bool": bool, "text": str, "list": list, "token": object,
    }  # fmt: skip
    return isinstance(value, kinds[output]) and (output not in ("int", "number") or not isinstance(value, bool))
