"""What a person chose in a select or wrote into a form, as Discord's client sends it."""

from __future__ import annotations

from typing import Any

from tests.standins.discord.components import (
    DISPLAY,
    LABEL,
    RADIO,
    ROW,
    SELECTS,
    TEXT_INPUT,
    UPLOAD,
)
from tests.standins.discord.errors import Json
from tests.standins.discord.options import NotPossible


def chosen_values(part: Json, values: list[str]) -> list[str]:
    """The values of a select for what a person clicked. Raises NotPossible."""
    low, high = part.get("min_values", 1), part.get("max_values", 1)
    if not low <= len(values) <= high:
        raise NotPossible(f"{part['custom_id']}: {low} to {high} values, not {len(values)}")
    if part["type"] not in (3, 21, 22):
        return values
    by_label = {option["label"]: option["value"] for option in part["options"]}
    known = set(by_label.values())
    missing = [v for v in values if v not in known and v not in by_label]
    if missing:
        raise NotPossible(f"{part['custom_id']}: no {missing} among {sorted(by_label)}")
    return [v if v in known else by_label[v] for v in values]


def submitted_part(part: Json, left: dict[str, Any]) -> Json | None:
    """One row or label of a form as it is sent; takes its value out of `left`."""
    if part["type"] == DISPLAY:
        return {"type": DISPLAY, "id": part["id"]}
    if part["type"] == ROW:
        field = part["components"][0]
        return {
            "type": ROW,
            "id": part["id"],
            "components": [_field(field, str(field["label"]), left)],
        }
    assert part["type"] == LABEL
    return {
        "type": LABEL,
        "id": part["id"],
        "component": _field(part["component"], part["label"], left),
    }


def _field(field: Json, label: str, left: dict[str, Any]) -> Json:
    name = field["custom_id"]
    value = left.pop(name, left.pop(label, None))
    sent = {"type": field["type"], "id": field["id"], "custom_id": name}
    if field["type"] == TEXT_INPUT:
        return sent | {
            "value": _text(field, field.get("value") or "" if value is None else str(value))
        }
    if field["type"] in (*SELECTS, 22):
        return sent | {"values": _form_choice(field, value)}
    if field["type"] == RADIO:
        return sent | {"value": _radio(field, value)}
    if field["type"] == UPLOAD:
        return sent | {"values": list(value or ())}
    return sent | {"value": value}


def _radio(field: Json, value: Any) -> str | None:
    if value is None:
        chosen = [option["value"] for option in field["options"] if option.get("default")]
        if not chosen and field.get("required", True):
            raise NotPossible(f"{field['custom_id']}: nothing chosen")
        return chosen[0] if chosen else None
    found: str = chosen_values(field, [str(value)])[0]
    return found


def _text(field: Json, text: str) -> str:
    low, high = field.get("min_length") or 0, field.get("max_length") or 4000
    if (field.get("required", True) and not text) or (text and not low <= len(text) <= high):
        raise NotPossible(
            f"{field['custom_id']}: {len(text)} characters, {low} to {high} are accepted"
        )
    return text


def _form_choice(field: Json, value: Any) -> list[str]:
    if value is None:
        value = [o["value"] for o in field.get("options", []) if o.get("default")]
    values = [value] if isinstance(value, str) else list(value)
    if not values and not field.get("required", True):
        return []
    return chosen_values(field, values)
