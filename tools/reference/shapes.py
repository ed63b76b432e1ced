"""The pieces that schemas are made of, and how a piece is called in the page."""

from __future__ import annotations

from collections.abc import Iterable

from bot.rules.shapes import Keys, Schema, allow_items

FORMULA: Schema = {"type": ["string", "number", "boolean"], "title": "formula"}
SAID: Schema = {"type": ["string", "number"], "title": "text with {formulas}"}
CELL: Schema = {
    "type": ["string", "number", "boolean", "array", "object", "null"],
    "title": "code or value",
}
WORTH: Schema = {"type": ["string", "number", "boolean"]}


def allow_list(shape: Schema) -> Schema:
    """One, or a list of them."""
    return {"anyOf": [shape, allow_items(shape)]}


def build_closed_mapping(keys: Keys, needed: Iterable[str] = ()) -> Schema:
    """A mapping with these keys and no others."""
    properties = {name: {**key.shape, "description": key.says} for name, key in keys.items()}
    made: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**made, "required": list(needed)} if list(needed) else made


_TYPES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "array": "list",
          "object": "mapping", "null": "nothing"}  # fmt: skip


def describe_shape(shape: Schema) -> str:
    """A shape in a few words, for the page."""
    if "enum" in shape:
        return ", ".join(f"`{word}`" for word in shape["enum"])
    if "$ref" in shape:
        return str(shape["$ref"]).rsplit("/", 1)[-1].replace("_", " ")
    if "anyOf" in shape:
        return _join_words([describe_shape(one) for one in shape["anyOf"]])
    if shape.get("type") == "array":
        return f"list of {describe_shape(shape['items'])}" if shape.get("items") else "list"
    if shape.get("type") == "object" and isinstance(shape.get("additionalProperties"), dict):
        return f"{shape.get('title', 'name')}: {describe_shape(shape['additionalProperties'])}"
    if "title" in shape:
        return str(shape["title"])
    if isinstance(shape.get("type"), list):
        return _join_words([_TYPES[kind] for kind in shape["type"]])
    return _TYPES.get(str(shape.get("type")), "anything")


def _join_words(words: list[str]) -> str:
    kept = list(dict.fromkeys(words))
    return " or ".join(kept) if len(kept) < 3 else f"{', '.join(kept[:-1])} or {kept[-1]}"
