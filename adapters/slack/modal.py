"""A form as a Slack modal: what is needed first, the rest behind *More fields*, the odds inside,
errors on top.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from adapters.slack.request import Json, SlackRequest
from adapters.slack.text import escape_text
from bot.preferences.forms import Draft
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean
from bot.rules.text.plain import cut_text
from bot.ui.form.form import FLAGS, HOW, Field, Form, Room
from bot.ui.registry import TABLE, Registry
from bot.ui.spec import CommandSpec, Path

ROOM = Room(fields=90, picks=100, ticks=100, folds=True, counts=True)
"""What a modal holds, with room for the odds and the buttons."""
FORM, PICK, WINDOW = "form", "pick", "window"
FIELD = "value"
"""The action_id of every field; its block_id is the field's name."""
COUNT, MORE = "count", "more"
"""The action_ids of the buttons in a form."""
USED = "exchanged_trigger_id"
"""Slack's word where an earlier attempt has opened the modal, though it did not say so."""
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
    """The modal of a form. `odds` are the lines that it shows inside, counted anew with each
    change from then on.
    """
    lines = list(odds)
    blocks = [_build_section(f"*{escape_text(draft.message)}*")] if draft.message else []
    blocks += [_build_field(field, counts=bool(lines)) for field in list_shown_fields(form, draft)]
    if lines:
        blocks.append(_build_section("\n".join(lines)[:MAX_INPUT]))
    if buttons := _build_buttons(form, draft, spec, counts=bool(lines)):
        blocks.append({"type": "actions", "block_id": "buttons", "elements": buttons})
    meta = write_meta(request, spec.path, draft=draft.key, counts=bool(lines))
    return _build_modal(FORM, cut_text(form.title, MAX_TITLE), blocks, meta, form.verb)


def _build_modal(kind: str, title: str, blocks: list[Json], meta: str, submit: str) -> Json:
    ends = (
        {"submit": build_plain_text(submit), "close": build_plain_text("Cancel")}
        if submit
        else {"close": build_plain_text("Close")}
    )
    return {
        "type": "modal",
        "callback_id": kind,
        "title": build_plain_text(title),
        "private_metadata": meta,
        "blocks": blocks,
    } | ends


def list_shown_fields(form: Form, draft: Draft) -> list[Field]:
    """The fields that the modal shows now."""
    return [field for field in form.fields if draft.page or not field.rare]


def find_block(form: Form, draft: Draft, option: str) -> str:
    """The field at which an error in `option` appears; the first field where it is not shown."""
    names = [field.name for field in list_shown_fields(form, draft)]
    at = form.find_field_of_option(option)
    return at if at in names or not names else names[0]


def read_state(
    form: Form, values: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, object]:
    """What a modal holds, by field. A file stays what Slack says of it."""
    found: dict[str, object] = {}
    for field in form.fields:
        if (state := (values.get(field.name) or {}).get(FIELD)) is not None:
            found[field.name] = _read_value(state)
    return found


def _read_value(state: Mapping[str, Any]) -> object:
    if "selected_options" in state:
        return [one["value"] for one in state["selected_options"] or ()]
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
    """The modal that asks which of a name's commands is meant; without a name, which of all, of
    these `games`.
    """
    groups: dict[str, list[Json]] = {}
    off = registry.games.keys() - set(games)
    tops = (
        [path]
        if path
        else [
            (name,) for name in registry.top_names if not name.endswith(TABLE) and name not in off
        ]
    )
    for spec in (spec for top in tops for spec in registry.list_below(top)):
        group = " ".join(spec.path[1:-1]).replace("-", " ") or " ".join(path or spec.path[:1])
        one = build_choice(f"{spec.path[-1]}: {spec.summary}", " ".join(spec.path))
        groups.setdefault(group if path or len(spec.path) < 2 else spec.path[0], []).append(one)
    listed = [(group, choices[:MAX_CHOICES]) for group, choices in groups.items()][:MAX_CHOICES]
    select: Json = {
        "type": "static_select",
        "action_id": FIELD,
        "placeholder": build_plain_text("Type to search"),
    }
    if len(listed) == 1:
        select["options"] = listed[0][1]
    else:
        select["option_groups"] = [
            {"label": build_plain_text(group[:MAX_CHOICE]), "options": picks}
            for group, picks in listed
        ]
    return _build_modal(
        PICK,
        "Choose a command",
        [_build_input("command", select, "Command")],
        write_meta(request, path),
        "Next",
    )


def build_window_view(title: str, blocks: list[Json], request: SlackRequest) -> Json:
    """The modal of an answer that has a window of its own; what is pressed in it is asked where
    it was opened.
    """
    fits = len(title) <= MAX_TITLE
    meta = write_meta(replace(request, message="", pressed=False, replaces=False), ())
    shown = (blocks[1:] if fits else blocks) or [_build_section("-")]
    return _build_modal(WINDOW, title if fits else "Grognard", shown, meta, "")


def write_meta(request: SlackRequest, path: Path, *, draft: str = "", counts: bool = False) -> str:
    """What a modal must remember: its command and draft, whether it shows odds, and where its
    answer goes.
    """
    kept = {name: value for name, value in request.to_json().items() if name != "user"}
    form = {"path": list(path)} | ({"draft": draft, "counts": counts} if draft else {})
    text = json.dumps({**form, **kept}, separators=(",", ":"))
    if len(text) > MAX_META and kept.pop("response_url", None):
        return json.dumps({**form, **kept}, separators=(",", ":"))
    return text


class Meta(NamedTuple):
    """What a modal remembers: its command, the ask that it comes from, its draft, and whether it
    shows odds.
    """

    path: Path
    request: SlackRequest
    draft: str
    counts: bool


def read_meta(view: Mapping[str, Any], user: str) -> Meta:
    """Return what `write_meta` wrote; a form that is submitted twice is one request. Raises UserError for one
    that is none of ours."""
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
    made = _build_input(
        field.name,
        _build_element(field),
        field.label,
        _build_hint(field),
        optional=not field.needed,
    )
    return made | (
        {"dispatch_action": True} if counts and field.name != HOW and field.kind != "file" else {}
    )


def _build_hint(field: Field) -> str:
    return "" if field.kind in ("picks", "ticks", "how") and not field.rare else field.hint


def _build_element(field: Field) -> Json:
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
    return element | ({"initial_value": field.value[:MAX_INPUT]} if field.value else {})


def _build_menu(field: Field, kind: str, initial: str) -> Json:
    """A menu, or radio buttons, with what is chosen."""
    options = [
        build_choice(pick.label, pick.value, pick.about) for pick in field.picks[:MAX_CHOICES]
    ]
    chosen = [option for option, pick in zip(options, field.picks, strict=False) if pick.chosen]
    element: Json = {"type": kind, "action_id": FIELD, "options": options}
    if kind != "radio_buttons":
        placeholder = (
            "None"
            if field.name == FLAGS
            else "Choose one"
            if field.kind == "pick"
            else "Choose units"
        )
        element["placeholder"] = build_plain_text(placeholder)
    if chosen:
        element[initial] = chosen if initial.endswith("s") else chosen[0]
    return element


def _build_number_input(option: Option, value: str) -> Json:
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
    try:
        clean(option, value)
    except UserError:
        return False
    return True


def _build_channel_select(value: str) -> Json:
    """A channel is picked from Slack's own list: a name that was typed would say nothing of its
    id.
    """
    element: Json = {
        "type": "conversations_select",
        "action_id": FIELD,
        "filter": {"include": ["public", "private"]},
    }
    found = _CHANNEL.fullmatch(value)
    return element | ({"initial_conversation": found[1]} if found else {})


def _build_buttons(form: Form, draft: Draft, spec: CommandSpec, *, counts: bool) -> list[Json]:
    found = []
    if spec.find_option("odds") is not None and not counts:
        found.append(_build_button(COUNT, "Show the odds"))
    if any(field.rare for field in form.fields):
        found.append(_build_button(MORE, "Fewer fields" if draft.page else "More fields"))
    return found


def _build_button(name: str, label: str) -> Json:
    return {"type": "button", "action_id": name, "text": build_plain_text(label), "value": name}


def _build_section(text: str) -> Json:
    return {
        "type": "section",
        "text": {"type": "mrkdwn", "text": text[:MAX_INPUT], "verbatim": True},
    }


def build_choice(text: str, value: str, about: str = "") -> Json:
    """One option of a select or of checkboxes."""
    made: Json = {
        "text": build_plain_text(cut_text(text, MAX_CHOICE)),
        "value": value[:MAX_CHOICE_VALUE],
    }
    return made | ({"description": build_plain_text(cut_text(about, MAX_CHOICE))} if about else {})


def _build_input(
    name: str, element: Json, label: str, hint: str = "", *, optional: bool = False
) -> Json:
    made: Json = {
        "type": "input",
        "block_id": name,
        "label": build_plain_text(label),
        "element": element,
        "optional": optional,
    }
    return made | ({"hint": build_plain_text(cut_text(hint, MAX_HINT))} if hint else {})


def build_plain_text(text: str) -> Json:
    """A text that shows as it is."""
    return {"type": "plain_text", "text": text or "-"}
