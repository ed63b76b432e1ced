"""The shape of each Block Kit block and element: its keys, and how long each text may be."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shape:
    """`texts` are text objects and `strings` bare strings, each with its most characters;
    `plain` takes no mrkdwn.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    texts: dict[str, int] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    strings: dict[str, int] = field(default_factory=dict)
    one_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: int = 100

    @property
    def allowed(self) -> set[str]:
        """Every key Slack accepts."""
        return {
            "type",
            "block_id",
            "action_id",
            *self.required,
            *self.optional,
            *self.texts,
            *self.strings,
            *self.one_of,
        }


BLOCKS: dict[str, Shape] = {
    "section": Shape(optional=("fields", "accessory", "expand"), texts={"text": 3_000}),
    "header": Shape(required=("text",), texts={"text": 150}, plain=("text",)),
    "divider": Shape(),
    "context": Shape(required=("elements",)),
    "actions": Shape(required=("elements",)),
    "image": Shape(
        required=("alt_text",),
        optional=("slack_file",),
        texts={"title": 2_000},
        plain=("title",),
        strings={"image_url": 3_000, "alt_text": 2_000},
    ),
    "input": Shape(
        required=("label", "element"),
        optional=("dispatch_action", "optional"),
        texts={"label": 2_000, "hint": 2_000},
        plain=("label", "hint"),
    ),
    "markdown": Shape(required=("text",), strings={"text": 12_000}),
    "rich_text": Shape(required=("elements",)),
    "data_visualization": Shape(required=("title", "chart"), strings={"title": 50}),
    "container": Shape(
        required=("title", "child_blocks"),
        optional=("is_collapsible", "default_collapsed"),
        texts={"title": 150},
        plain=("title",),
    ),
    "table": Shape(required=("rows",), optional=("column_settings",)),
}


def _select(*extra: str, needs: tuple[str, ...] = (), most: int = 100) -> Shape:
    keys = ("confirm", "focus_on_load", *extra)
    return Shape(
        required=needs,
        optional=keys,
        texts={"placeholder": 150},
        plain=("placeholder",),
        options=most,
    )


_INITIALS = ("initial_users", "initial_channels", "initial_conversations", "max_selected_items")
_ONE = ("initial_user", "initial_channel", "initial_conversation", "response_url_enabled", "filter")

ELEMENTS: dict[str, Shape] = {
    "button": Shape(
        required=("text",),
        optional=("confirm",),
        texts={"text": 75},
        plain=("text",),
        strings={"value": 2_000, "url": 3_000, "accessibility_label": 75},
        one_of={"style": ("primary", "danger")},
    ),
    "image": Shape(
        required=("alt_text",),
        optional=("slack_file",),
        strings={"image_url": 3_000, "alt_text": 2_000},
    ),
    "static_select": _select("options", "option_groups", "initial_option"),
    "multi_static_select": _select(
        "options", "option_groups", "initial_options", "max_selected_items"
    ),
    "external_select": _select("min_query_length", "initial_option"),
    "multi_external_select": _select("min_query_length", "initial_options", "max_selected_items"),
    "users_select": _select(*_ONE),
    "channels_select": _select(*_ONE),
    "conversations_select": _select(*_ONE, "default_to_current_conversation"),
    "multi_users_select": _select(*_INITIALS),
    "multi_channels_select": _select(*_INITIALS),
    "multi_conversations_select": _select(*_INITIALS, "default_to_current_conversation", "filter"),
    "overflow": Shape(required=("options",), optional=("confirm",), options=5),
    "checkboxes": Shape(
        required=("options",), optional=("initial_options", "confirm", "focus_on_load"), options=10
    ),
    "radio_buttons": Shape(
        required=("options",), optional=("initial_option", "confirm", "focus_on_load"), options=10
    ),
    "plain_text_input": Shape(
        optional=(
            "multiline",
            "min_length",
            "max_length",
            "dispatch_action_config",
            "focus_on_load",
        ),
        texts={"placeholder": 150},
        plain=("placeholder",),
        strings={"initial_value": 3_000},
    ),
    "number_input": Shape(
        required=("is_decimal_allowed",),
        optional=(
            "min_value",
            "max_value",
            "initial_value",
            "dispatch_action_config",
            "focus_on_load",
        ),
        texts={"placeholder": 150},
        plain=("placeholder",),
    ),
    "datepicker": _select("initial_date"),
    "timepicker": _select("initial_time", "timezone"),
    "datetimepicker": Shape(optional=("initial_date_time", "confirm", "focus_on_load")),
    "email_text_input": _select("initial_value", "dispatch_action_config"),
    "url_text_input": _select("initial_value", "dispatch_action_config"),
    "file_input": Shape(optional=("filetypes", "max_files")),
}

_CHOICES = frozenset(kind for kind in ELEMENTS if "select" in kind) | {
    "checkboxes",
    "radio_buttons",
    "datepicker",
    "timepicker",
}
ACTIONS = _CHOICES - {kind for kind in _CHOICES if kind.startswith("multi_")} | {
    "button",
    "overflow",
    "datetimepicker",
}
SECTION_ACCESSORIES = _CHOICES | {"button", "overflow", "image"}
INPUTS = _CHOICES | {
    "plain_text_input",
    "number_input",
    "datetimepicker",
    "email_text_input",
    "url_text_input",
    "file_input",
}
