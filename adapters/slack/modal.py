"""A command's options as a modal: numbers, selects, checkboxes for flags, text boxes for lists of units."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adapters.slack.escape import escaped
from adapters.slack.request import Request
from bot.interface.complete import Known
from bot.interface.form import FLAGS, flag_menus, missing
from bot.interface.registry import Registry
from bot.interface.spec import CommandSpec, Path
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean

Json = dict[str, Any]

FORM, PICK = "form", "pick"
FIELD = "value"
"""The action_id of every field; its block_id is the option's name."""
MODS = "mods"
ROSTER = "-roster"
"""Behind an option's name: the field that picks its units from the roster."""
MAX_TITLE = 24
MAX_INPUT = 3_000
MAX_CHOICE = 75
MAX_CHOICE_VALUE = 150
MAX_CHOICES = 100
MAX_BOXES = 10
MAX_HINT = 2_000
MAX_META = 3_000
_CHANNEL = re.compile(r"#?([CG][A-Z0-9]+)")
_SUBMIT = {"roll": "Roll"}


def opens_form(spec: CommandSpec, options: Mapping[str, object]) -> bool:
    """Whether a command typed without options is asked for by a form, rather than run as it is."""
    return not options and bool(spec.options) and (spec.family == "sequence" or bool(missing(spec, {})))


def form_view(spec: CommandSpec, request: Request, given: Mapping[str, object], known: Known) -> Json:
    """The modal of a command, filled in with what was given before."""
    wanted = missing(spec, {})
    order = sorted(spec.options, key=lambda option: option not in wanted)
    blocks = [_about(spec)]
    for option in order:
        if option.type == "units" and known.roster:
            blocks += [_roster(option), _field(replace(option, optional=True), given, known)]
        elif option.type not in ("bool", "mods"):
            blocks.append(_field(option, given, known))
    boxes = list(_boxes(spec, given))
    at = next((number for number, block in enumerate(blocks) if block.get("block_id") == "hand"), len(blocks))
    return {
        "type": "modal",
        "callback_id": FORM,
        "title": _plain(_cut(spec.title or spec.name, MAX_TITLE)),
        "submit": _plain(spec.verb or _SUBMIT.get(spec.family, "OK")),
        "close": _plain("Cancel"),
        "private_metadata": meta_of(request, spec.path),
        "blocks": [*blocks[:at], *boxes, *blocks[at:]],
    }


def pick_view(path: Path, registry: Registry, request: Request) -> Json:
    """The modal that asks which of a name's commands is meant."""
    groups: dict[str, list[Json]] = {}
    for spec in registry.below(path):
        group = " ".join(spec.path[1:-1]).replace("-", " ") or " ".join(path)
        groups.setdefault(group, []).append(choice(f"{spec.path[-1]}: {spec.summary}", " ".join(spec.path)))
    listed = [(group, choices[:MAX_CHOICES]) for group, choices in groups.items()][:MAX_CHOICES]
    select: Json = {"type": "static_select", "action_id": FIELD, "placeholder": _plain("Type to search")}
    if len(listed) == 1:
        select["options"] = listed[0][1]
    else:
        select["option_groups"] = [{"label": _plain(group[:MAX_CHOICE]), "options": picks} for group, picks in listed]
    return {
        "type": "modal",
        "callback_id": PICK,
        "title": _plain(f"/{' '.join(path)}"[:MAX_TITLE]),
        "submit": _plain("Next"),
        "close": _plain("Cancel"),
        "private_metadata": meta_of(request, path),
        "blocks": [_input("command", select, "Command")],
    }


def meta_of(request: Request, path: Path) -> str:
    """What a modal must remember: its command, and where its answer goes."""
    kept = {name: value for name, value in request.to_json().items() if name != "user"}
    text = json.dumps({"path": list(path), **kept}, separators=(",", ":"))
    if len(text) > MAX_META:
        kept.pop("response_url", None)
        text = json.dumps({"path": list(path), **kept}, separators=(",", ":"))
    return text


def read_meta(view: Mapping[str, Any], user: str) -> tuple[Path, Request]:
    """The command of a modal, and the ask that it comes from: a form that is submitted twice is one request.

    Raises UserError for one that is none of ours.
    """
    try:
        meta = json.loads(view["private_metadata"])
        path = tuple(map(str, meta.pop("path")))
        request_id = f"slack:{meta['team']}:view/{view['id']}"
        return path, Request(**meta, user=user, request_id=request_id)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UserError("This form cannot be read.", hint="Type the command again.", code="bad-form") from None


def block_of(spec: CommandSpec, option: str) -> str:
    """The field at which an error in `option` appears; the first field where it has none."""
    for menu in flag_menus(spec, {}, MAX_BOXES, with_odds=True):
        if option in (MODS, *(pick.value for pick in menu.picks)):
            return f"{FLAGS}-{menu.part}"
    wanted = missing(spec, {})
    fields = [o.name for o in sorted(spec.options, key=lambda o: o not in wanted) if o.type not in ("bool", "mods")]
    if option in fields:
        return option
    return fields[0] if fields else f"{FLAGS}-0"


def read_state(spec: CommandSpec, values: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, object]:
    """The options as typed, from the state of a modal. A file stays what Slack says of it."""
    options: dict[str, object] = {}
    ticked: list[str] = []
    for block, fields in values.items():
        state = fields.get(FIELD) or {}
        if block.startswith(f"{FLAGS}-"):
            ticked += [one["value"] for one in state.get("selected_options") or ()]
        elif (option := spec.option(block)) is not None and (value := _value(option, state)) not in (None, ""):
            options[block] = value
    flags = {option.name: option for option in _flags(spec)}
    options |= {name: True for name in ticked if name in flags}
    options |= {name: False for name, option in flags.items() if option.default and name not in ticked}
    words = [word for word in ticked if word not in flags]
    for option in spec.options:
        if picked := ((values.get(option.name + ROSTER) or {}).get(FIELD) or {}).get("selected_options"):
            listed = [str(options[option.name])] if option.name in options else []
            options[option.name] = "; ".join([*(one["value"] for one in picked), *listed])
    return options | ({MODS: " ".join(words)} if words else {})


def _value(option: Option, state: Mapping[str, Any]) -> object:
    if state.get("selected_option"):
        return state["selected_option"]["value"]
    if state.get("selected_conversation"):
        return state["selected_conversation"]
    if state.get("files"):
        return state["files"][0]
    value = state.get("value")
    if option.type == "units" and isinstance(value, str):  # one unit on each line reads well in a text box
        return "; ".join(item for line in value.split("\n") if (item := line.strip().strip(";").strip()))
    return value


# Blocks


def _about(spec: CommandSpec) -> Json:
    text = f"{escaped(spec.summary.rstrip('.'))}. {escaped(spec.details)}"[:MAX_INPUT].strip()
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


def _field(option: Option, given: Mapping[str, object], known: Known) -> Json:
    value = given.get(option.name, option.default)
    element = _element(option, "" if value is None else str(value), known)
    is_needed = option.required and not option.brings
    return _input(option.name, element, option.shown, _hint(option), optional=not is_needed)


def _roster(option: Option) -> Json:
    """The field that picks units from the roster; what is typed into the next one comes on top."""
    element = {"type": "multi_external_select", "action_id": FIELD, "min_query_length": 0, "max_selected_items": 40}
    label = f"{option.shown}, from the roster"
    return _input(option.name + ROSTER, element, label, optional=True)


def _element(option: Option, value: str, known: Known) -> Json:
    if option.type in ("int", "number"):
        return _number(option, value)
    if option.type == "file":
        return {"type": "file_input", "action_id": FIELD, "max_files": 1}
    if option.complete == "channel":
        return _channel(value)
    words = option.values or _words(option, known)
    if words and len(words) <= MAX_CHOICES:
        return _select(words, value)
    if (option.type == "unit" or option.complete == "unit") and known.roster:
        return _search(value)
    element: Json = {"type": "plain_text_input", "action_id": FIELD}
    if option.type == "units" or option.complete == "stats" or option.name == "text":
        element["multiline"] = True
    if value:
        element["initial_value"] = value[:MAX_INPUT]
    return element


def _words(option: Option, known: Known) -> Sequence[str]:
    """What can be chosen in this channel; nothing where only text will do."""
    if option.complete == "side":
        return known.sides
    return known.players if option.complete == "player" else ()


def _number(option: Option, value: str) -> Json:
    element: Json = {"type": "number_input", "action_id": FIELD, "is_decimal_allowed": option.type == "number"}
    if option.min is not None and option.clamp not in ("low", "both"):
        element["min_value"] = f"{option.min:g}"
    if option.max is not None and option.clamp not in ("high", "both"):
        element["max_value"] = f"{option.max:.15g}"
    if value and _fits(option, value):
        element["initial_value"] = value
    return element


def _fits(option: Option, value: str) -> bool:
    try:
        clean(option, value)
    except UserError:
        return False
    return True


def _select(words: Sequence[str], value: str) -> Json:
    element: Json = {"type": "static_select", "action_id": FIELD, "options": [choice(word, word) for word in words]}
    chosen = next((word for word in words if word.casefold() == value.casefold()), None)
    return element | ({"initial_option": choice(chosen, chosen)} if chosen else {})


def _channel(value: str) -> Json:
    """A channel is picked from Slack's own list: a name that was typed would say nothing of its id."""
    element: Json = {"type": "conversations_select", "action_id": FIELD, "filter": {"include": ["public", "private"]}}
    found = _CHANNEL.fullmatch(value)
    return element | ({"initial_conversation": found[1]} if found else {})


def _search(value: str) -> Json:
    element: Json = {"type": "external_select", "action_id": FIELD, "min_query_length": 0}
    return element | ({"initial_option": choice(value, value)} if value else {})


def _boxes(spec: CommandSpec, given: Mapping[str, object]) -> Iterator[Json]:
    """Flags and modifier words as checkboxes, ten at a time."""
    for menu in flag_menus(spec, given, MAX_BOXES, with_odds=True):
        boxes = [(choice(pick.label, pick.value, pick.about), pick.chosen) for pick in menu.picks]
        element: Json = {"type": "checkboxes", "action_id": FIELD, "options": [box for box, _ in boxes]}
        if ticked := [box for box, is_on in boxes if is_on]:
            element["initial_options"] = ticked
        yield _input(f"{FLAGS}-{menu.part}", element, "More flags" if menu.part else "Flags", optional=True)


def _flags(spec: CommandSpec) -> list[Option]:
    return [option for option in spec.options if option.type == "bool"]


def choice(text: str, value: str, about: str = "") -> Json:
    """One option of a select or of checkboxes."""
    made: Json = {"text": _plain(_cut(text, MAX_CHOICE)), "value": value[:MAX_CHOICE_VALUE]}
    return made | ({"description": _plain(_cut(about, MAX_CHOICE))} if about else {})


def _input(name: str, element: Json, label: str, hint: str = "", *, optional: bool = False) -> Json:
    made: Json = {"type": "input", "block_id": name, "label": _plain(label), "element": element, "optional": optional}
    return made | ({"hint": _plain(_cut(hint, MAX_HINT))} if hint else {})


def _hint(option: Option) -> str:
    brought = " A unit of the roster brings it." if option.brings else ""
    expected = "" if option.values or option.type in ("str", "unit", "file") else f" ({option.expected})"
    return f"{option.name}: {option.help}{expected}".strip(": ") + brought


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text or "-"}


def _cut(text: str, length: int) -> str:
    """At most `length` characters, ending at a word."""
    text = " ".join(text.split()) or "-"
    return text if len(text) <= length else text[: length - 1].rpartition(" ")[0].rstrip(" ,;:(") + "…"
