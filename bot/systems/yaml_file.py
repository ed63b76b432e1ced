"""YAML read strictly: by the safe loader, and a key that is given twice is an error."""

from __future__ import annotations

from collections.abc import Sequence
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


def place_of(text: bytes, path: Sequence[str | int]) -> str:
    """Where in the text a path of keys and positions is: `line 12, column 5`; as far as the path can be followed.

    Nothing where not even its beginning is in the text.
    """
    node = yaml.compose(text, Loader=_Loader)
    mark = None
    for key in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            mark = node.start_mark
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = next(((name, value) for name, value in pairs if name.value == str(key)), None)
        if found is None:
            break
        mark, node = found[0].start_mark, found[1]
    return f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
