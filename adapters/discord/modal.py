"""A form as one Discord modal: menus of units, checkboxes, radio buttons and text fields under at
most five labels.

The fields are in the order of the Form, see `bot/ui/form/form.py`. A modal is sent as plain JSON,
because the library's classes do not have all of these components.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from adapters.discord.render import FORM_PART
from adapters.discord.request import Json
from bot.rules.text.plain import cut_text, remove_invisible
from bot.ui.form.form import FLAGS, Field, Form, Room

ROOM = Room(fields=5, picks=25, ticks=10)
"""The limits of a modal. Discord refuses one with more."""
SELECT, TEXT, LABEL, FILE, RADIO, CHECKBOXES = 3, 4, 18, 19, 21, 22
MAX_TITLE, MAX_LABEL, MAX_ABOUT, MAX_TEXT = 45, 45, 100, 4_000
_SHORT, _LONG = 1, 2
MOST_TICKS = 6
"""With more checkboxes than this, the choice of what to do is a menu instead of radio buttons, so
that a phone shows the whole form.
"""


def build_modal(form: Form, key: str) -> Json:
    """Build the modal of a form, with as many of its fields as Discord takes. `key` is the key of
    its draft.
    """
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
    """Return what was filled into a submitted modal, by field: a text, the list of chosen values,
    or a file as Discord describes it.

    A field for a file without one is left out.
    """
    attachments = (data.get("resolved") or {}).get("attachments") or {}
    values_by_field: dict[str, object] = {}
    for field in _list_fields(data):
        name = str(field.get("custom_id") or "")
        if field.get("type") == FILE:
            for file_id in map(str, field.get("values") or ()):
                if file_id in attachments:
                    values_by_field[name] = attachments[file_id]
                    break
        elif "values" in field:
            values_by_field[name] = [str(value) for value in field["values"] or ()]
        elif "value" in field:
            values_by_field[name] = str(field["value"] or "")
    return values_by_field


def _list_fields(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the fields of a submitted modal, which are under labels or in rows."""
    for part in data.get("components") or ():
        if "component" in part:
            yield part["component"]
        else:
            yield from part.get("components") or ()


def _build_label(field: Field) -> Json:
    """Build a field under its label, with what was wrong with its value, or its hint.

    The hint is left out of ticks and the choice of what to do, and if the field shows the same
    words as an example.
    """
    shows_example = bool(field.example) and field.example in field.hint and not field.value
    if field.wrong:
        about = f"⚠ {field.wrong}"
    elif field.kind in ("ticks", "how") or shows_example:
        about = ""
    else:
        about = field.hint
    label: Json = {
        "type": LABEL,
        "label": cut_text(remove_invisible(field.label), MAX_LABEL),
        "component": _build_component(field),
    }
    if about:
        label["description"] = cut_text(remove_invisible(about), MAX_ABOUT)
    return label


def _build_component(field: Field) -> Json:
    """Build the input of a field."""
    if field.kind in ("picks", "pick"):
        return _build_select(field)
    if field.kind == "ticks":
        return {
            "type": CHECKBOXES,
            "custom_id": field.name,
            "min_values": 0,
            "max_values": len(field.picks),
            "required": False,
            "options": _build_options(field, about=False),
        }
    if field.kind == "how":
        return {
            "type": RADIO,
            "custom_id": field.name,
            "required": True,
            "options": _build_options(field, about=False),
        }
    if field.kind == "file":
        extensions = field.option.values if field.option is not None else ()
        types = {"file_types": list(extensions)} if extensions else {}
        return {
            "type": FILE,
            "custom_id": field.name,
            "min_values": 0,
            "max_values": 1,
            "required": False,
        } | types
    return _build_text_input(field)


def _build_text_input(field: Field) -> Json:
    """Build the input of a text or a number: with its value, cut to what the input takes, or else
    with its example as the grey text.
    """
    max_length = 40 if field.kind == "number" else MAX_TEXT
    text_input: Json = {
        "type": TEXT,
        "custom_id": field.name,
        "style": _LONG if field.kind == "lines" else _SHORT,
        "required": field.needed,
        "max_length": max_length,
    }
    if field.value:
        text_input["value"] = field.value[:max_length]
    elif field.example:
        text_input["placeholder"] = cut_text(remove_invisible(field.example), MAX_ABOUT)
    return text_input


def _build_select(field: Field) -> Json:
    """Build a menu, with one choice for a `pick` and any number of them otherwise."""
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
    """Return the text in a menu in which nothing is chosen."""
    if field.name == FLAGS:
        return "Choose what applies"
    return "Choose one" if field.kind == "pick" else "Choose units"


def _build_options(field: Field, *, about: bool) -> list[Json]:
    """Build the entries of a field, with descriptions if `about`."""
    options = []
    for pick in field.picks:
        option: Json = {
            "label": cut_text(remove_invisible(pick.label), MAX_ABOUT),
            "value": pick.value,
        }
        if about and pick.about:
            option["description"] = cut_text(remove_invisible(pick.about), MAX_ABOUT)
        if pick.chosen:
            option["default"] = True
        options.append(option)
    return options
