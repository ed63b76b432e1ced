"""A form as a Slack modal: common fields first, rare ones after *More fields*, with the odds inside
and a problem on top. Also the modals of a command choice and of a private answer.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from adapters.slack.request import Json, SlackRequest
from adapters.slack.text import escape_text
from bot.forms.drafts import Draft
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean
from bot.rules.text.plain import cut_text
from bot.ui.form.form import FLAGS, HOW, Field, Form, Room
from bot.ui.registry import TABLE, Registry
from bot.ui.spec import CommandSpec, Path

ROOM = Room(fields=90, picks=100, ticks=100, folds=True, counts=True)
"""The limits of a modal, less than Slack's to leave room for the odds and the buttons."""
FORM, PICK, WINDOW = "form", "pick", "window"
"""The kinds of modals, which are their callback_ids."""
FIELD = "value"
"""The action_id of every field; its block_id is the field's name."""
COUNT, MORE = "count", "more"
"""The action_ids of the buttons in a form."""
USED = "exchanged_trigger_id"
"""Slack's error if an earlier attempt has opened the modal although its call failed."""
MAX_TITLE = 24
MAX_INPUT = 3_000
MAX_CHOICE = 75
MAX_CHOICE_VALUE = 150
MAX_CHOICES = 100
MAX_HINT = 2_000
MAX_META = 3_000
_CHANNEL = re.compile(r"#?([CG][A-Z0-9]+)")


def build_form_view(
    form: Form, draft: Draft, spec: CommandSpec, request: SlackRequest, odds: Iterable[str] = ()
) -> Json:
    """Build the modal of a form.

    `odds` are the lines of odds that it shows. If there are any, each change of a field is sent to
    us, so that the odds are counted again.
    """
    lines = list(odds)
    counts = bool(lines)
    blocks = [_build_section(f"*{escape_text(draft.message)}*")] if draft.message else []
    blocks += [_build_field(field, counts=counts) for field in list_shown_fields(form, draft)]
    if lines:
        blocks.append(_build_section("\n".join(lines)[:MAX_INPUT]))
    buttons = _build_buttons(form, draft, spec, counts=counts)
    if buttons:
        blocks.append({"type": "actions", "block_id": "buttons", "elements": buttons})
    meta = write_meta(request, spec.path, draft=draft.key, counts=counts)
    return _build_modal(FORM, cut_text(form.title, MAX_TITLE), blocks, meta, form.verb)


def _build_modal(kind: str, title: str, blocks: list[Json], meta: str, submit: str) -> Json:
    """Build a modal.

    `kind` is FORM, PICK or WINDOW. `title` has at most MAX_TITLE characters: the callers cut it.
    `meta` is the text of `write_meta`, which Slack sends back. `submit` is the label of the button,
    or "" for a modal that is only read.
    """
    modal: Json = {
        "type": "modal",
        "callback_id": kind,
        "title": build_plain_text(title),
        "private_metadata": meta,
        "blocks": blocks,
        "close": build_plain_text("Cancel" if submit else "Close"),
    }
    if submit:
        modal["submit"] = build_plain_text(submit)
    return modal


def list_shown_fields(form: Form, draft: Draft) -> list[Field]:
    """List the fields that the modal shows: all, or without the rare ones."""
    return [field for field in form.fields if draft.page or not field.rare]


def find_block(form: Form, draft: Draft, option: str) -> str:
    """Return the name of the field at which an error in `option` appears.

    If the option's field is not shown, return the first field that is.
    """
    names = [field.name for field in list_shown_fields(form, draft)]
    name = form.find_field_of_option(option)
    return name if name in names or not names else names[0]


def read_state(
    form: Form, values: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, object]:
    """Return what was filled into a modal, by field: a text, the list of chosen values, or a file
    as Slack describes it. An empty field has "" or []. Fields that the modal did not show are left
    out.
    """
    values_by_field: dict[str, object] = {}
    for field in form.fields:
        state = (values.get(field.name) or {}).get(FIELD)
        if state is not None:
            values_by_field[field.name] = _read_value(state)
    return values_by_field


def _read_value(state: Mapping[str, Any]) -> object:
    """Return the value of one field: a text, a file, or a list of chosen values. It is "" if
    nothing was filled in, but [] for an empty menu of several values.
    """
    if "selected_options" in state:
        return [option["value"] for option in state["selected_options"] or ()]
    if state.get("selected_option"):
        return [state["selected_option"]["value"]]
    if state.get("selected_conversation"):
        return state["selected_conversation"]
    if state.get("files"):
        return state["files"][0]
    return state.get("value") or ""


def build_command_choice_view(
    path: Path, registry: Registry, request: SlackRequest, games: Collection[str] = ()
) -> Json:
    """Build the modal that lets the user choose one of the commands below `path`.

    Without a path it lists all commands, and of the games only `games`.
    """
    groups = _group_command_choices(path, registry, games)
    select: Json = {
        "type": "static_select",
        "action_id": FIELD,
        "placeholder": build_plain_text("Type to search"),
    }
    if len(groups) == 1:
        (select["options"],) = groups.values()
    else:
        select["option_groups"] = [
            {"label": build_plain_text(group[:MAX_CHOICE]), "options": choices}
            for group, choices in groups.items()
        ]
    blocks = [_build_input("command", select, "Command")]
    return _build_modal(PICK, "Choose a command", blocks, write_meta(request, path), "Next")


def _group_command_choices(
    path: Path, registry: Registry, games: Collection[str]
) -> dict[str, list[Json]]:
    """Return the commands below `path` as choices, by the label of their group.

    Without a path the groups are the top-level names, without tables and games other than `games`.
    There are at most MAX_CHOICES groups, and as many choices in each.
    """
    tops = [path]
    if not path:
        hidden_games = registry.games.keys() - set(games)
        names = [name for name in registry.top_names if name not in hidden_games]
        tops = [(name,) for name in names if not name.endswith(TABLE)]
    groups: dict[str, list[Json]] = {}
    for top in tops:
        for spec in registry.list_below(top):
            if path:
                group = " ".join(spec.path[1:-1]).replace("-", " ") or " ".join(path)
            else:
                group = spec.path[0]
            choice = build_choice(f"{spec.path[-1]}: {spec.summary}", " ".join(spec.path))
            groups.setdefault(group, []).append(choice)
    first_groups = list(groups.items())[:MAX_CHOICES]
    return {group: choices[:MAX_CHOICES] for group, choices in first_groups}


def build_window_view(title: str, blocks: list[Json], request: SlackRequest) -> Json:
    """Build the modal that shows a private answer. A button in it acts in the place of the request.

    A title that fits is the modal's, and is then left out of the blocks.
    """
    fits = len(title) <= MAX_TITLE
    meta = write_meta(replace(request, message="", pressed=False, replaces=False), ())
    window_blocks = blocks[1:] if fits else blocks
    window_title = title if fits else "Grognard"
    return _build_modal(WINDOW, window_title, window_blocks or [_build_section("-")], meta, "")


def write_meta(request: SlackRequest, path: Path, *, draft: str = "", counts: bool = False) -> str:
    """Return the metadata of a modal as JSON: its command, the key of its draft, whether it shows
    odds (`counts`), and the request. See `read_meta`.

    If it is too long for Slack, the response address is left out.
    """
    request_fields = request.to_json()
    request_fields.pop("user", None)
    form_fields: Json = {"path": list(path)}
    if draft:
        form_fields |= {"draft": draft, "counts": counts}
    text = json.dumps({**form_fields, **request_fields}, separators=(",", ":"))
    if len(text) > MAX_META and request_fields.pop("response_url", None):
        return json.dumps({**form_fields, **request_fields}, separators=(",", ":"))
    return text


class Meta(NamedTuple):
    """The metadata of a modal: its command, the request that it comes from, the key of its draft,
    and whether it shows odds.
    """

    path: Path
    request: SlackRequest
    draft: str
    counts: bool


def read_meta(view: Mapping[str, Any], user: str) -> Meta:
    """Read the metadata that `write_meta` wrote, for a request of `user`.

    Its request id is that of the modal, so that a form submitted twice is one request. Raises
    UserError for a modal that is not ours.
    """
    try:
        meta = json.loads(view["private_metadata"])
        path = tuple(map(str, meta.pop("path")))
        draft = str(meta.pop("draft", ""))
        counts = bool(meta.pop("counts", False))
        request_id = f"slack:{meta['team']}:view/{view['id']}"
        return Meta(path, SlackRequest(**meta, user=user, request_id=request_id), draft, counts)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UserError(
            "This form cannot be read.", hint="Type the command again.", code="bad-form"
        ) from None


# Blocks


def _build_field(field: Field, *, counts: bool) -> Json:
    """Build a field. With `counts` each change of it is sent to us."""
    block = _build_input(
        field.name,
        _build_element(field),
        field.label,
        _build_hint(field),
        optional=not field.needed,
    )
    if counts and field.name != HOW and field.kind != "file":
        block["dispatch_action"] = True
    return block


def _build_hint(field: Field) -> str:
    """Return the hint below a field, or "". Menus and radio buttons have none unless they are rare."""
    if field.kind in ("picks", "ticks", "how") and not field.rare:
        return ""
    return field.hint


def _build_element(field: Field) -> Json:
    """Build the input of a field, filled with its value."""
    if field.kind in ("picks", "ticks"):
        return _build_menu(field, "multi_static_select", "initial_options")
    if field.kind == "pick":
        return _build_menu(field, "static_select", "initial_option")
    if field.kind == "how":
        return _build_menu(field, "radio_buttons", "initial_option")
    if field.kind == "file":
        return {"type": "file_input", "action_id": FIELD, "max_files": 1}
    if field.kind == "channel":
        return _build_channel_select(field.value)
    if field.kind == "number" and field.option is not None:
        return _build_number_input(field.option, field.value)
    element: Json = {"type": "plain_text_input", "action_id": FIELD}
    if field.kind == "lines":
        element["multiline"] = True
    if field.example:
        element["placeholder"] = build_plain_text(cut_text(field.example, MAX_CHOICE_VALUE))
    if field.value:
        element["initial_value"] = field.value[:MAX_INPUT]
    return element


def _build_menu(field: Field, kind: str, initial_key: str) -> Json:
    """Build a menu or radio buttons of Slack's type `kind`. The chosen options are under
    `initial_key`.
    """
    options = []
    chosen_options = []
    for pick in field.picks[:MAX_CHOICES]:
        option = build_choice(pick.label, pick.value, pick.about)
        options.append(option)
        if pick.chosen:
            chosen_options.append(option)
    element: Json = {"type": kind, "action_id": FIELD, "options": options}
    if kind != "radio_buttons":
        element["placeholder"] = build_plain_text(_format_placeholder(field))
    if chosen_options:
        takes_list = initial_key.endswith("s")
        element[initial_key] = chosen_options if takes_list else chosen_options[0]
    return element


def _format_placeholder(field: Field) -> str:
    """Return the text in a menu in which nothing is chosen."""
    if field.name == FLAGS:
        return "None"
    return "Choose one" if field.kind == "pick" else "Choose units"


def _build_number_input(option: Option, value: str) -> Json:
    """Build the input of a number with its bounds, filled with `value` if that is allowed.

    A bound to which larger or smaller values are moved is left out.
    """
    element: Json = {
        "type": "number_input",
        "action_id": FIELD,
        "is_decimal_allowed": option.type == "number",
    }
    if option.min is not None and option.clamp not in ("low", "both"):
        element["min_value"] = f"{option.min:g}"
    if option.max is not None and option.clamp not in ("high", "both"):
        element["max_value"] = f"{option.max:.15g}"
    if option.default is not None:
        element["placeholder"] = build_plain_text(f"{option.default}")
    if value and _fits(option, value):
        element["initial_value"] = value
    return element


def _fits(option: Option, value: str) -> bool:
    """Return whether an option takes a value as typed; False if that would be refused."""
    try:
        clean(option, value)
    except UserError:
        return False
    return True


def _build_channel_select(value: str) -> Json:
    """Build a menu of channels from Slack's own list, because a typed name would not tell the
    channel's id. `value` is the id of the chosen one, perhaps with a #.
    """
    element: Json = {
        "type": "conversations_select",
        "action_id": FIELD,
        "filter": {"include": ["public", "private"]},
    }
    channel_match = _CHANNEL.fullmatch(value)
    if channel_match:
        element["initial_conversation"] = channel_match[1]
    return element


def _build_buttons(form: Form, draft: Draft, spec: CommandSpec, *, counts: bool) -> list[Json]:
    """Build the buttons of a form: for its odds, unless they are shown, and for rare fields."""
    buttons = []
    if spec.find_option("odds") is not None and not counts:
        buttons.append(_build_button(COUNT, "Show the odds"))
    if any(field.rare for field in form.fields):
        buttons.append(_build_button(MORE, "Fewer fields" if draft.page else "More fields"))
    return buttons


def _build_button(name: str, label: str) -> Json:
    return {"type": "button", "action_id": name, "text": build_plain_text(label), "value": name}


def _build_section(text: str) -> Json:
    return {
        "type": "section",
        "text": {"type": "mrkdwn", "text": text[:MAX_INPUT], "verbatim": True},
    }


def build_choice(text: str, value: str, about: str = "") -> Json:
    """Build an option of a menu or of radio buttons, with its texts cut to Slack's limit."""
    choice: Json = {
        "text": build_plain_text(cut_text(text, MAX_CHOICE)),
        "value": value[:MAX_CHOICE_VALUE],
    }
    if about:
        choice["description"] = build_plain_text(cut_text(about, MAX_CHOICE))
    return choice


def _build_input(
    name: str, element: Json, label: str, hint: str = "", *, optional: bool = False
) -> Json:
    """Build the block of a field: its label, its input `element` and a hint. `name` becomes its
    block_id.
    """
    block: Json = {
        "type": "input",
        "block_id": name,
        "label": build_plain_text(label),
        "element": element,
        "optional": optional,
    }
    if hint:
        block["hint"] = build_plain_text(cut_text(hint, MAX_HINT))
    return block


def build_plain_text(text: str) -> Json:
    """Build a text without markup, "-" for an empty one."""
    return {"type": "plain_text", "text": text or "-"}
