"""What buttons, selects, layouts and forms may hold."""

from __future__ import annotations

from tests.standins.discord.errors import Json, Problems, check_file_types
from tests.standins.discord.state import walk

ROW, BUTTON, SELECT, TEXT_INPUT, SECTION, DISPLAY, THUMBNAIL = 1, 2, 3, 4, 9, 10, 11
GALLERY, FILE, SEPARATOR, CONTAINER, LABEL, UPLOAD = 12, 13, 14, 17, 18, 19
RADIO, CHECKBOXES, CHECKBOX = 21, 22, 23
SELECTS = (3, 5, 6, 7, 8)
TOP_OF_V2 = (ROW, SECTION, DISPLAY, GALLERY, FILE, SEPARATOR, CONTAINER)
IN_CONTAINER = (ROW, SECTION, DISPLAY, GALLERY, FILE, SEPARATOR)
IN_LABEL = (TEXT_INPUT, *SELECTS, UPLOAD, RADIO, CHECKBOXES, CHECKBOX)
V2_TOTAL, V2_TEXT = 40, 4000


def check_components(problems: Problems, where: str, components: list[Json], *, v2: bool) -> None:
    """Note what is wrong with a message's components."""
    if v2:
        everything = list(walk(components))
        if len(everything) > V2_TOTAL:
            problems.add(
                where, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", f"At most {V2_TOTAL} components."
            )
        if (
            sum(len(str(c.get("content", ""))) for c in everything if c.get("type") == DISPLAY)
            > V2_TEXT
        ):
            problems.add(
                where, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", f"At most {V2_TEXT} characters."
            )
    elif len(components) > 5:
        problems.add(where, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
    for number, one in enumerate(components):
        _check_part(problems, f"{where}.{number}", one, TOP_OF_V2 if v2 else (ROW,))
    _check_unique(problems, where, components)


def _check_unique(problems: Problems, where: str, components: list[Json]) -> None:
    seen: set[object] = set()
    for one in walk(components):
        name = one.get("custom_id")
        if name is not None and name in seen:
            problems.add(
                where, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"
            )
        seen.add(name)


def _check_part(problems: Problems, where: str, one: Json, allowed: tuple[int, ...]) -> None:
    kind = one.get("type")
    if kind not in allowed:
        problems.add(
            f"{where}.type",
            "UNION_TYPE_CHOICES",
            f'Value of field "type" must be one of {allowed}.',
        )
    elif kind == ROW:
        _check_row(problems, where, one.get("components") or [])
    elif kind == CONTAINER:
        for number, part in enumerate(one.get("components") or []):
            _check_part(problems, f"{where}.components.{number}", part, IN_CONTAINER)
    elif kind == SECTION:
        problems.count(f"{where}.components", one.get("components") or [], 1, 3)
        for number, part in enumerate(one.get("components") or []):
            _check_part(problems, f"{where}.components.{number}", part, (DISPLAY,))
        _check_part(problems, f"{where}.accessory", one.get("accessory") or {}, (BUTTON, THUMBNAIL))
    elif kind == BUTTON:
        check_button(problems, where, one)
    elif kind == DISPLAY:
        problems.length(f"{where}.content", one.get("content"), 1, V2_TEXT)


def _check_row(problems: Problems, where: str, parts: list[Json]) -> None:
    where = f"{where}.components"
    if not problems.count(where, parts, 1, 5):
        return
    kinds = {part.get("type") for part in parts}
    if kinds == {BUTTON}:
        for number, part in enumerate(parts):
            check_button(problems, f"{where}.{number}", part)
    elif len(parts) == 1 and kinds <= set(SELECTS):
        check_select(problems, f"{where}.0", parts[0])
    elif kinds <= {BUTTON, *SELECTS}:
        problems.add(
            where,
            "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
            "The specified component exceeds the maximum width",
        )
    else:
        problems.add(
            where, "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (2, 3, 5, 6, 7, 8).'
        )


def check_button(problems: Problems, where: str, one: Json) -> None:
    """Note what is wrong with a button."""
    style = one.get("style")
    if style not in (1, 2, 3, 4, 5, 6):
        problems.add(
            f"{where}.style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6}."
        )
    if one.get("label") is not None:
        problems.length(f"{where}.label", one["label"], 0, 80)
    if not one.get("label") and not one.get("emoji") and style != 6:
        problems.add(where, "BUTTON_COMPONENT_INVALID_LABEL", "A button must have a label or emoji")
    if style == 5:
        problems.length(f"{where}.url", one.get("url"), 1, 512)
        if one.get("custom_id") is not None:
            problems.add(
                where,
                "BUTTON_COMPONENT_CUSTOM_ID_URL",
                "A custom id and url cannot both be specified",
            )
    elif style in (1, 2, 3, 4):
        problems.length(f"{where}.custom_id", one.get("custom_id"), 1, 100)


def check_select(problems: Problems, where: str, one: Json) -> None:
    """Note what is wrong with a select."""
    problems.length(f"{where}.custom_id", one.get("custom_id"), 1, 100)
    if one.get("placeholder") is not None:
        problems.length(f"{where}.placeholder", one["placeholder"], 0, 150)
    low, high = one.get("min_values", 1), one.get("max_values", 1)
    if not 0 <= low <= 25:
        problems.add(
            f"{where}.min_values", "NUMBER_TYPE_MAX", "int value should be between 0 and 25."
        )
    if not 1 <= high <= 25 or low > high:
        problems.add(
            f"{where}.max_values",
            "NUMBER_TYPE_MAX",
            "int value should be between min_values and 25.",
        )
    if one.get("type") == SELECT:
        _check_options(problems, where, one.get("options") or [], high)


def _check_options(problems: Problems, where: str, options: list[Json], high: int) -> None:
    problems.count(f"{where}.options", options, 1, 25)
    if high > len(options):
        text = f"Must be between {high} and 25 in length."
        problems.add(f"{where}.options", "BASE_TYPE_BAD_LENGTH", text)
    seen = set()
    for number, option in enumerate(options):
        at = f"{where}.options.{number}"
        problems.length(f"{at}.label", option.get("label"), 1, 100)
        problems.length(f"{at}.value", option.get("value"), 1, 100)
        if option.get("description") is not None:
            problems.length(f"{at}.description", option["description"], 0, 100)
        if option.get("value") in seen:
            problems.add(
                f"{at}.value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "Must be unique."
            )
        seen.add(option.get("value"))
    if sum(bool(option.get("default")) for option in options) > high:
        text = "The number of default options cannot exceed max_values."
        problems.add(where, "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", text)


def check_modal(problems: Problems, where: str, form: Json) -> None:
    """Note what is wrong with a form."""
    problems.length(f"{where}custom_id", form.get("custom_id"), 1, 100)
    problems.length(f"{where}title", form.get("title"), 1, 45)
    parts = form.get("components") or []
    problems.count(f"{where}components", parts, 1, 5)
    for number, part in enumerate(parts):
        _check_form_part(problems, f"{where}components.{number}", part)
    _check_unique(problems, f"{where}components", parts)


def _check_form_part(problems: Problems, where: str, part: Json) -> None:
    kind = part.get("type")
    if kind == LABEL:
        problems.length(f"{where}.label", part.get("label"), 1, 45)
        if part.get("description") is not None:
            problems.length(f"{where}.description", part["description"], 0, 100)
        _check_field(problems, f"{where}.component", part.get("component") or {}, IN_LABEL)
    elif kind == ROW:
        fields = part.get("components") or []
        if problems.count(f"{where}.components", fields, 1, 1):
            _check_field(problems, f"{where}.components.0", fields[0], (TEXT_INPUT,))
            problems.length(f"{where}.components.0.label", fields[0].get("label"), 1, 45)
    elif kind != DISPLAY:
        problems.add(
            f"{where}.type",
            "UNION_TYPE_CHOICES",
            'Value of field "type" must be one of (1, 10, 18).',
        )


def _check_field(problems: Problems, where: str, one: Json, allowed: tuple[int, ...]) -> None:
    kind = one.get("type")
    if kind not in allowed:
        problems.add(
            f"{where}.type",
            "UNION_TYPE_CHOICES",
            f'Value of field "type" must be one of {allowed}.',
        )
    elif kind == TEXT_INPUT:
        _check_text_input(problems, where, one)
    elif kind in SELECTS:
        check_select(problems, where, one)
        if one.get("required", True) and one.get("min_values", 1) == 0:
            problems.add(
                f"{where}.min_values", "NUMBER_TYPE_MIN", "Must be 1 or more when required."
            )
        if one.get("disabled"):
            problems.add(
                f"{where}.disabled", "COMPONENT_DISABLED_IN_MODAL", "Cannot be disabled in a modal."
            )
    else:
        problems.length(f"{where}.custom_id", one.get("custom_id"), 1, 100)
        if kind in (RADIO, CHECKBOXES):
            _check_ticks(problems, where, one, kind)
        if kind == UPLOAD and "file_types" in one:
            check_file_types(problems, where, one["file_types"])
        if kind == UPLOAD and not 0 <= one.get("min_values", 1) <= one.get("max_values", 1) <= 10:
            problems.add(
                f"{where}.max_values",
                "NUMBER_TYPE_MAX",
                "int value should be between min_values and 10.",
            )


def _check_ticks(problems: Problems, where: str, one: Json, kind: int) -> None:
    """Radio buttons and checkboxes: 2 or 1 to 10 options, each with its own value."""
    options = one.get("options") or []
    problems.count(f"{where}.options", options, 2 if kind == RADIO else 1, 10)
    most = 1 if kind == RADIO else one.get("max_values", len(options))
    low = one.get("min_values", 1)
    if kind == CHECKBOXES and (most > len(options) or not 0 <= low <= most):
        problems.add(
            f"{where}.max_values",
            "NUMBER_TYPE_MAX",
            "int value should be between min_values and 10.",
        )
    if kind == CHECKBOXES and low == 0 and one.get("required", True):
        problems.add(f"{where}.min_values", "NUMBER_TYPE_MIN", "Must be 1 or more when required.")
    if sum(bool(option.get("default")) for option in options) > most:
        problems.add(
            where, "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "More defaults than may be chosen."
        )
    for number, option in enumerate(options):
        for key in ("label", "value"):
            problems.length(f"{where}.options.{number}.{key}", option.get(key), 1, 100)
        if option.get("description") is not None:
            problems.length(f"{where}.options.{number}.description", option["description"], 0, 100)
    if len({option.get("value") for option in options}) < len(options):
        problems.add(
            f"{where}.options", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "Must be unique."
        )


def _check_text_input(problems: Problems, where: str, one: Json) -> None:
    problems.length(f"{where}.custom_id", one.get("custom_id"), 1, 100)
    if one.get("style") not in (1, 2):
        problems.add(f"{where}.style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2}.")
    if one.get("placeholder") is not None:
        problems.length(f"{where}.placeholder", one["placeholder"], 0, 100)
    low, high = one.get("min_length") or 0, one.get("max_length") or 4000
    if not 0 <= low <= 4000 or not 1 <= high <= 4000 or low > high:
        problems.add(
            f"{where}.max_length",
            "NUMBER_TYPE_MAX",
            "Must be between 1 and 4000, at or over min_length.",
        )
    if one.get("value"):
        problems.length(f"{where}.value", one["value"], low, high)
