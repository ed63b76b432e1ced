"""A form as one Discord modal: menus of units, checkboxes, radio buttons and text under labels, at
most five.

Sent as plain JSON: Discord takes them, whatever the library's own classes can express.
"""

from collections.abc import Mapping
from typing import Any

from adapters.discord.render import FORM_PART
from adapters.discord.request import Json
from bot.rules.text.plain import cut_text, remove_invisible
from bot.ui.form.form import FLAGS, Field, Form, Room

ROOM = Room(fields=5, picks=25, ticks=10)
"""What a modal holds; an entry of a menu more would be refused."""
SELECT, TEXT, LABEL, FILE, RADIO, CHECKBOXES = 3, 4, 18, 19, 21, 22
MAX_TITLE, MAX_LABEL, MAX_ABOUT, MAX_TEXT = 45, 45, 100, 4_000
_SHORT, _LONG = 1, 2
MOST_TICKS = 6
"""Behind more, what to do is a menu: a phone shows the form whole."""


def build_modal(form: Form, key: str) -> Json:
    """The modal of a form whose draft has this key."""
    is_long = any(field.kind == "ticks" and len(field.picks) > MOST_TICKS for field in form.fields)
    fields = [
        field._replace(kind="pick") if is_long and field.kind == "how" else field
        for field in form.fields
    ]
    return {
        "custom_id": f"{FORM_PART}{key}",
        "title": cut_text(remove_invisible(form.title), MAX_TITLE),
        "components": [_build_label(field) for field in fields[: ROOM.fields]],
    }


def read_modal(data: Mapping[str, Any]) -> dict[str, object]:
    """What a modal that was sent holds, by field: a text, the values chosen, or a file as
    Discord describes it.
    """
    attached = (data.get("resolved") or {}).get("attachments") or {}
    found: dict[str, object] = {}
    for part in data.get("components") or ():
        for field in (part["component"],) if "component" in part else part.get("components") or ():
            name = str(field.get("custom_id") or "")
            if field.get("type") == FILE:
                files = [
                    attached[one] for one in map(str, field.get("values") or ()) if one in attached
                ]
                found |= {name: files[0]} if files else {}
            elif "values" in field:
                found[name] = [str(one) for one in field["values"] or ()]
            elif "value" in field:
                found[name] = str(field["value"] or "")
    return found


def _build_label(field: Field) -> Json:
    is_said = field.kind in ("ticks", "how") or (
        field.example in field.hint and not field.value and field.example
    )
    about = f"⚠ {field.wrong}" if field.wrong else "" if is_said else field.hint
    made: Json = {
        "type": LABEL,
        "label": cut_text(remove_invisible(field.label), MAX_LABEL),
        "component": _build_component(field),
    }
    return made | ({"description": cut_text(remove_invisible(about), MAX_ABOUT)} if about else {})


def _build_component(field: Field) -> Json:
    if field.kind in ("picks", "pick"):
        return _build_select(field)
    if field.kind == "ticks":
        found: Json = {
            "type": CHECKBOXES,
            "custom_id": field.name,
            "min_values": 0,
            "max_values": len(field.picks),
        }
        return found | {"required": False, "options": _build_options(field, about=False)}
    if field.kind == "how":
        return {
            "type": RADIO,
            "custom_id": field.name,
            "required": True,
            "options": _build_options(field, about=False),
        }
    if field.kind == "file":
        ends = field.option.values if field.option is not None else ()
        types = {"file_types": list(ends)} if ends else {}
        return {
            "type": FILE,
            "custom_id": field.name,
            "min_values": 0,
            "max_values": 1,
            "required": False,
        } | types
    made: Json = {
        "type": TEXT,
        "custom_id": field.name,
        "style": _LONG if field.kind == "lines" else _SHORT,
    }
    made |= {"required": field.needed, "max_length": 40 if field.kind == "number" else MAX_TEXT}
    if field.value:
        return made | {"value": field.value[: made["max_length"]]}
    return made | (
        {"placeholder": cut_text(remove_invisible(field.example), MAX_ABOUT)}
        if field.example
        else {}
    )


def _build_select(field: Field) -> Json:
    options = _build_options(field, about=True)
    return {
        "type": SELECT,
        "custom_id": field.name,
        "placeholder": _build_placeholder(field),
        "min_values": 1 if field.needed else 0,
        "max_values": 1 if field.kind == "pick" else len(options),
        "required": field.needed,
        "options": options,
    }


def _build_placeholder(field: Field) -> str:
    if field.name == FLAGS:
        return "Choose what applies"
    return "Choose one" if field.kind == "pick" else "Choose units"


def _build_options(field: Field, *, about: bool) -> list[Json]:
    return [
        {
            "label": cut_text(remove_invisible(pick.label), MAX_ABOUT),
            "value": pick.value,
            **(
                {"description": cut_text(remove_invisible(pick.about), MAX_ABOUT)}
                if about and pick.about
                else {}
            ),
            **({"default": True} if pick.chosen else {}),
        }
        for pick in field.picks
    ]
