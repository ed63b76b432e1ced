"""YAML read strictly: by the safe loader, and a key that is given twice is an error."""

from __future__ import annotations

from typing import Any

import yaml

from bot.rules.errors import TableError

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _StrictLoader(_Loader):  # type: ignore[misc, valid-type]  # PyYAML's C loader has no stubs of its own
    """Refuses a mapping key that is given twice: a second row of the same name would hide the first."""


def _strict_mapping(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:
    mapping: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in mapping:
            raise yaml.MarkedYAMLError(problem=f"the key {key!r} is given twice", problem_mark=key_node.start_mark)
        mapping[key] = loader.construct_object(value_node, deep=deep)
    return mapping


_StrictLoader.add_constructor("tag:yaml.org,2002:map", lambda loader, node: _strict_mapping(loader, node, deep=True))


def parse(text: bytes, file: str) -> Any:
    """The content of a YAML file. Raises TableError with the line for one that cannot be read."""
    try:
        return yaml.load(text, Loader=_StrictLoader)  # a safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise TableError(file, f"line {line}: {error.problem}") from None
