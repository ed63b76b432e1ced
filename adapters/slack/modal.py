"""A form as a Slack modal: what is needed first, the rest behind *More fields*, the odds inside,
errors on top.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from adapters.slack.request import Json, Request
from adapters.slack.text import escaped
from bot.interface.form.form import FLAGS, HOW, Field, Form, Room
from bot.interface.registry import TABLE, Registry
from bot.interface.spec import CommandSpec, Path
from bot.places.forms import Draft
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean
from bot.rules.text.plain import cut

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


def form_view(
    form: Form, draft: Draft, spec: CommandSpec, request: Request, odds: Iterable[str] = ()
) -> Json:
    """The modal of a form. `odds` are the lines that it shows inside, counted anew with each
    change from then on.
    """
    lines = list(odds)
    blocks = [_section(f"*{escaped(draft.message)}*")] if draft.message else []
    blocks += [_field(field, counts=bool(lines)) for field in shown(form, draft)]
    if lines:
        blocks.append(_section("\n".join(lines)[:MAX_INPUT]))
    if buttons := _buttons(form, draft, spec, counts=bool(lines)):
        blocks.append({"type": "actions", "block_id": "buttons", "elements": buttons})
    meta = meta_of(request, spec.path, draft=draft.key, counts=bool(lines))
    return _modal(FORM, cut(form.title, MAX_TITLE), blocks, meta, form.verb)


def _modal(kind: str, title: str, blocks: list[Json], meta: str, submit: str) -> Json:
    ends = (
        {"submit": plain(submit), "close": plain("Cancel")} if submit else {"close": plain("Close")}
    )
    return {
        "type": "modal",
        "callback_id": kind,
        "title": plain(title),
        "private_metadata": meta,
        "blocks": blocks,
    } | ends


def shown(form: Form, draft: Draft) -> list[Field]:
    """The fields that the modal shows now."""
    return [field for field in form.fields if draft.page or not field.rare]


def block_of(form: Form, draft: Draft, option: str) -> str:
    """The field at which an error in `option` appears; the first field where it is not shown."""
    names = [field.name for field in shown(form, draft)]
    at = form.at(option)
    return at if at in names or not names else names[0]


def read_state(
    form: Form, values: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, object]:
    """What a modal holds, by field. A file stays what Slack says of it."""
    found: dict[str, object] = {}
    for field in form.fields:
        if (state := (values.get(field.name) or {}).get(FIELD)) is not None:
            found[field.name] = _value(state)
    return found


def _value(state: Mapping[str, Any]) -> object:
    if "selected_options" in state:
        return [one["value"] for one in state["selected_options"] or ()]
    if state.get("selected_option"):
        return [state["selected_option"]["value"]]
    if state.get("selected_conversation"):
        return state["selected_conversation"]
    if state.get("files"):
        return state["files"][0]
    return state.get("value") or ""


def pick_view(
    path: Path, registry: Registry, request: Request, games: Collection[str] = ()
) -> Json:
    """The modal that asks which of a name's commands is meant; without a name, which of all, of
    these `games`.
    """
    groups: dict[str, list[Json]] = {}
    off = registry.games.keys() - set(games)
    tops = (
        [path]
        if path
        else [(name,) for name in registry.top if not name.endswith(TABLE) and name not in off]
    )
    for spec in (spec for top in tops for spec in registry.below(top)):
        group = " ".join(spec.path[1:-1]).replace("-", " ") or " ".join(path or spec.path[:1])
        one = choice(f"{spec.path[-1]}: {spec.summary}", " ".join(spec.path))
        groups.setdefault(group if path or len(spec.path) < 2 else spec.path[0], []).append(one)
    listed = [(group, choices[:MAX_CHOICES]) for group, choices in groups.items()][:MAX_CHOICES]
    select: Json = {
        "type": "static_select",
        "action_id": FIELD,
        "placeholder": plain("Type to search"),
    }
    if len(listed) == 1:
        select["options"] = listed[0][1]
    else:
        select["option_groups"] = [
            {"label": plain(group[:MAX_CHOICE]), "options": picks} for group, picks in listed
        ]
    return _modal(
        PICK,
        "Choose a command",
        [_input("command", select, "Command")],
        meta_of(request, path),
        "Next",
    )


def window_view(title: str, blocks: list[Json], request: Request) -> Json:
    """The modal of an answer that has a window of its own; what is pressed in it is asked where
    it was opened.
    """
    fits = len(title) <= MAX_TITLE
    meta = meta_of(replace(request, message="", pressed=False, replaces=False), ())
    shown = (blocks[1:] if fits else blocks) or [_section("-")]
    return _modal(WINDOW, title if fits else "Grognard", shown, meta, "")


def meta_of(request: Request, path: Path, *, draft: str = "", counts: bool = False) -> str:
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
    request: Request
    draft: str
    counts: bool


def read_meta(view: Mapping[str, Any], user: str) -> Meta:
    """What `meta_of` wrote; a form that is submitted twice is one request. Raises UserError for one
    that is none of ours."""
    try:
        meta = json.loads(view["private_metadata"])
        path = tuple(map(str, meta.pop("path")))
        draft = str(meta.pop("draft", ""))
        counts = bool(meta.pop("counts", False))
        request_id = f"slack:{meta['team']}:view/{view['id']}"
        return Meta(path, Request(**meta, user=user, request_id=request_id), draft, counts)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UserError(
            "This form cannot be read.", hint="Type the command again.", code="bad-form"
        ) from None


# Blocks


def _field(field: Field, *, counts: bool) -> Json:
    made = _input(field.name, _element(field), field.label, _hint(field), optional=not field.needed)
    return made | (
        {"dispatch_action": True} if counts and field.name != HOW and field.kind != "file" else {}
    )


def _hint(field: Field) -> str:
    return "" if field.kind in ("picks", "ticks", "how") and not field.rare else field.hint


def _element(field: Field) -> Json:
    if field.kind in ("picks", "ticks"):
        return _menu(field, "multi_static_select", "initial_options")
    if field.kind == "pick":
        return _menu(field, "static_select", "initial_option")
    if field.kind == "how":
        return _menu(field, "radio_buttons", "initial_option")
    if field.kind == "file":
        return {"type": "file_input", "action_id": FIELD, "max_files": 1}
    if field.kind == "channel":
        return _channel(field.value)
    if field.kind == "number" and field.option is not None:
        return _number(field.option, field.value)
    element: Json = {"type": "plain_text_input", "action_id": FIELD}
    if field.kind == "lines":
        element["multiline"] = True
    if field.example:
        element["placeholder"] = plain(cut(field.example, MAX_CHOICE_VALUE))
    return element | ({"initial_value": field.value[:MAX_INPUT]} if field.value else {})


def _menu(field: Field, kind: str, initial: str) -> Json:
    """A menu, or radio buttons, with what is chosen."""
    options = [choice(pick.label, pick.value, pick.about) for pick in field.picks[:MAX_CHOICES]]
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
        element["placeholder"] = plain(placeholder)
    if chosen:
        element[initial] = chosen if initial.endswith("s") else chosen[0]
    return element


def _number(option: Option, value: str) -> Json:
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
        element["placeholder"] = plain(f"{option.default}")
    if value and _fits(option, value):
        element["initial_value"] = value
    return element


def _fits(option: Option, value: str) -> bool:
    try:
        clean(option, value)
    except UserError:
        return False
    return True


def _channel(value: str) -> Json:
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


def _buttons(form: Form, draft: Draft, spec: CommandSpec, *, counts: bool) -> list[Json]:
    found = []
    if spec.option("odds") is not None and not counts:
        found.append(_button(COUNT, "Show the odds"))
    if any(field.rare for field in form.fields):
        found.append(_button(MORE, "Fewer fields" if draft.page else "More fields"))
    return found


def _button(name: str, label: str) -> Json:
    return {"type": "button", "action_id": name, "text": plain(label), "value": name}


def _section(text: str) -> Json:
    return {
        "type": "section",
        "text": {"type": "mrkdwn", "text": text[:MAX_INPUT], "verbatim": True},
    }


def choice(text: str, value: str, about: str = "") -> Json:
    """One option of a select or of checkboxes."""
    made: Json = {"text": plain(cut(text, MAX_CHOICE)), "value": value[:MAX_CHOICE_VALUE]}
    return made | ({"description": plain(cut(about, MAX_CHOICE))} if about else {})


def _input(name: str, element: Json, label: str, hint: str = "", *, optional: bool = False) -> Json:
    made: Json = {
        "type": "input",
        "block_id": name,
        "label": plain(label),
        "element": element,
        "optional": optional,
    }
    return made | ({"hint": plain(cut(hint, MAX_HINT))} if hint else {})


def plain(text: str) -> Json:
    """A text that shows as it is."""
    return {"type": "plain_text", "text": text or "-"}
