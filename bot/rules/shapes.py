"""The shapes of files: what each key may hold, written once as JSON Schema.

Editors get a shape as a schema (docs/schema), authors read it on a page (docs/pack-keys.md), and
the loader checks files by it (`check_shape`). What a file refers to, such as a marker of the game,
is not part of its shape.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from re import search
from typing import Any, NamedTuple, NoReturn

from bot.rules.errors import TableError, check_keys, check_known

Schema = dict[str, Any]


class Key(NamedTuple):
    """A key of a part: the shape of its value, and what it says."""

    shape: Schema
    says: str


Keys = Mapping[str, Key]


class Part(NamedTuple):
    """A part of a file: its keys, and those that it needs. `other_keys` is the shape of keys of its
    own, None if it has none.
    """

    keys: Keys
    needed: Sequence[str] = ()
    other_keys: Schema | None = None


Parts = Mapping[str, Part]

ANY: Schema = {}
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
SINGLE_VALUE: Schema = {"type": ["string", "number", "boolean"]}
WORDS: Schema = {"type": "array", "items": TEXT}
TEXT_WITH_UNIT: Schema = {"type": "string", "pattern": r"\{\}", "title": "text with {}"}
"""A text in which {} stands for a unit or units."""

_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": Mapping,
    "null": type(None),
}
_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
_PLURALS = {"string": "texts", "integer": "whole numbers", "number": "numbers"}


def allow_words(words: Iterable[str]) -> Schema:
    """Return the shape of one of these words."""
    return {"enum": list(words)}


def allow_items(shape: Schema) -> Schema:
    """Return the shape of a list of items."""
    return {"type": "array", "items": shape}


def build_name_mapping(shape: Schema, name: str = "name") -> Schema:
    """Return the shape of a mapping with a value of this shape for each name.

    A name is a text: a number, `yes` or `no` has to be quoted.
    """
    return {"type": "object", "additionalProperties": shape, "title": name}


def build_number_mapping(shape: Schema, name: str) -> Schema:
    """Return the shape of a mapping whose names may be numbers, too."""
    return {**build_name_mapping(shape, name), "x-numbers": True}


def either(*shapes: Schema) -> Schema:
    """Return the shape of a value that has one of several shapes."""
    return {"anyOf": list(shapes)}


def ref(part: str) -> Schema:
    """Return the shape of another part of the same file."""
    return {"$ref": f"#/definitions/{part}"}


def check_shape(value: Any, part: str, parts: Parts, file: str, *, within: str = "") -> None:
    """Check a whole file: `value` is its content, `part` its outermost part.

    If only a part of the file is checked, `within` is the name of its row.

    A key without a value counts as left out. A part that is not among `parts` is not checked.
    Raises TableError that names the place in the file.
    """
    path = tuple(filter(None, [within]))
    _Checker(parts, file).check_part(value, parts[part], path)


class _Checker:
    """The check of one file. A path has the keys down to a value, with the names of list items."""

    def __init__(self, parts: Parts, file: str) -> None:
        self._parts = parts
        self._file = file

    def check_part(self, value: Any, part: Part, path: tuple[str, ...]) -> None:
        """Check a mapping with keys of its own."""
        if not isinstance(value, Mapping):
            names = part.needed or list(part.keys)[:3]
            self._refuse(f"must be a mapping with {', '.join(names)}", path)
        other_keys = value.keys() - part.keys.keys()
        is_whole = all(value.get(name) or value.get(name) == 0 for name in part.needed)
        if not is_whole or (other_keys and part.other_keys is None):
            allowed = part.keys if part.other_keys is None else {**part.keys, **value}
            check_keys(value, allowed, part.needed, self._file, _format_row(path))
        for name, item in value.items():
            if item is None:
                continue
            if name in other_keys:
                self._check(item, part.other_keys or ANY, (*path, str(name)))
            else:
                key = part.keys[name]
                self._check(item, key.shape, (*path, name), key.says)

    def _check(self, value: Any, shape: Schema, path: tuple[str, ...], says: str = "") -> None:
        """Check a value. `says` is what its key says, for the error."""
        if "anyOf" in shape:
            shape = _choose_shape(value, shape)
        if "$ref" in shape:
            name = shape["$ref"].rpartition("/")[2]
            if name in self._parts:
                self.check_part(value, self._parts[name], path)
            return
        if not _has_type(value, shape) or not _is_in_range(value, shape):
            if "enum" in shape:
                check_known([value], shape["enum"], self._file, _format_row(path))
            written = _describe_value(value, counts_items=_has_type(value, shape))
            problem = f"must be {describe(shape)}, not {written}"
            self._refuse(": ".join(filter(None, (problem, says))), path)
        if isinstance(value, list):
            self._check_items(value, shape.get("items", ANY), path)
        elif isinstance(value, Mapping):
            self._check_names(value, shape, path)

    def _check_items(self, items: list[Any], shape: Schema, path: tuple[str, ...]) -> None:
        """Check the items of a list."""
        for number, item in enumerate(items, 1):
            if shape is not TEXT or not isinstance(item, str):
                self._check(item, shape, (*path, _name_item(item, number)))

    def _check_names(self, values: Mapping[Any, Any], shape: Schema, path: tuple[str, ...]) -> None:
        """Check the names and values of a mapping whose keys are names."""
        value_shape = shape.get("additionalProperties", ANY)
        for name, value in values.items():
            if not isinstance(name, str) and "x-numbers" not in shape:
                self._refuse(f"quote {name!r}: it must be a text", path)
            if value_shape is not TEXT or not isinstance(value, str):
                self._check(value, value_shape, (*path, str(name)))

    def _refuse(self, problem: str, path: Sequence[str]) -> NoReturn:
        raise TableError(self._file, problem, row=_format_row(path))


def _choose_shape(value: Any, shape: Schema) -> Schema:
    """Return the first choice for a value of this type. If there is none, return the whole shape."""
    for choice in shape["anyOf"]:
        if _has_type(value, choice):
            return dict(choice)
    return shape


def _has_type(value: Any, shape: Schema) -> bool:
    """Return whether a value has the type of a shape, whatever is in it."""
    if "anyOf" in shape:
        return any(_has_type(value, choice) for choice in shape["anyOf"])
    if "enum" in shape:
        return value in shape["enum"]
    if "$ref" in shape:
        return isinstance(value, Mapping)
    types = _list_types(shape)
    if not types:
        return True
    if isinstance(value, bool):
        return "boolean" in types
    return any(isinstance(value, _TYPES[name]) for name in types)


def _list_types(shape: Schema) -> list[str]:
    """Return the types that a shape allows, [] for any."""
    types = shape.get("type", [])
    if isinstance(types, str):
        return [types]
    return list(types)


def _is_in_range(value: Any, shape: Schema) -> bool:
    """Return whether a value of the right type is within the limits of a shape."""
    if isinstance(value, str):
        if "pattern" in shape and search(shape["pattern"], value) is None:
            return False
        return _is_within(len(value), shape, "minLength", "maxLength")
    if isinstance(value, list):
        return _is_within(len(value), shape, "minItems", "maxItems")
    if isinstance(value, int | float):
        return _is_within(value, shape, "minimum", "maximum")
    return True


def _is_within(number: float, shape: Schema, low: str, high: str) -> bool:
    """Return whether a number is within two limits of a shape; each may be missing."""
    is_too_low = low in shape and number < shape[low]
    is_too_high = high in shape and number > shape[high]
    return not (is_too_low or is_too_high)


def _name_item(item: Any, number: int) -> str:
    """Return the name of an item of a list, or its number."""
    if isinstance(item, Mapping):
        name = item.get("id") or item.get("name")
        if isinstance(name, str | int) and not isinstance(name, bool):
            return str(name)
    return str(number)


def _format_row(path: Sequence[str]) -> str | None:
    """Format a path as the row of an error: `phases fire, calls, 1, says`. None for the file."""
    if not path:
        return None
    return ", ".join([" ".join(path[:2]), *path[2:]])


def describe(shape: Schema) -> str:
    """Describe a shape for an error: `a list of texts`, `{group: text}`."""
    if "anyOf" in shape:
        return " or ".join(dict.fromkeys(map(describe, shape["anyOf"])))
    types = _list_types(shape)
    if types == ["object"] or not types:
        return _describe_inside(shape)
    if "title" in shape:
        return f"a {shape['title']}"
    text = " or ".join(_NAMES[name] for name in types)
    if types == ["array"]:
        item_type = shape["items"].get("type")
        if item_type in _PLURALS:
            text += f" of {_PLURALS[item_type]}"
    return " ".join((text, *_describe_limits(shape)))


def _describe_value(value: Any, *, counts_items: bool) -> str:
    """Describe a value as its author wrote it, or say that it is a list, a mapping or empty.

    With `counts_items`, say how many items a list has.
    """
    if value is None:
        return "empty"
    if isinstance(value, list):
        return f"a list of {len(value)}" if counts_items else "a list"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value[:40]}"'
    return str(value)[:40]


def _describe_inside(shape: Schema) -> str:
    """Describe a shape as it is written: `{list: [text, ...]}`."""
    if "$ref" in shape:
        return "{...}"
    if shape.get("type") == "object":
        return f"{{{shape['title']}: {_describe_inside(shape['additionalProperties'])}}}"
    if shape.get("type") == "array":
        return f"[{_describe_inside(shape['items'])}, ...]"
    if "type" in shape or "anyOf" in shape:
        return describe(shape).removeprefix("a ")
    return "..."


def _describe_length(shape: Schema) -> Iterator[str]:
    """Yield how many items a list of a shape has, in words."""
    if "minItems" in shape and "maxItems" in shape:
        yield f"of {shape['minItems']} to {shape['maxItems']}"
    elif "maxItems" in shape:
        yield f"of at most {shape['maxItems']}"
    elif "minItems" in shape:
        yield f"of at least {shape['minItems']}"


def _describe_limits(shape: Schema) -> Iterator[str]:
    """Yield the limits of a shape in words."""
    yield from _describe_length(shape)
    if "maxLength" in shape:
        yield f"of at most {shape['maxLength']} characters"
    if "minimum" in shape and "maximum" in shape:
        yield f"from {shape['minimum']} to {shape['maximum']}"
    elif "minimum" in shape:
        yield f"of at least {shape['minimum']}"
