"""Modals: Slack's rules for a view, the stack a person has open, and what stands in its fields."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .blocks import ID_CHARS, MODAL_BLOCKS, check_blocks, check_text, elements_of
from .messages import with_ids
from .settings import Json
from .workspace import new_id

if TYPE_CHECKING:
    from .person import Person

VIEW_BYTES = 250_000
STACK = 3
_KEYS = {
    "type",
    "title",
    "blocks",
    "close",
    "submit",
    "private_metadata",
    "callback_id",
    "clear_on_close",
    "notify_on_close",
    "external_id",
}


def check_view(view: Any) -> list[str]:
    """Every fault of a modal, in Slack's form; empty when Slack takes it."""
    if not isinstance(view, dict):
        return ["must be an object [json-pointer:/view]"]
    if view.get("type") == "home":
        return check_blocks(view.get("blocks", []), most=MODAL_BLOCKS, at="/view/blocks")
    if view.get("type") != "modal":
        return [f"unsupported type: {view.get('type')} [json-pointer:/view/type]"]
    faults = [
        f"invalid additional property: {key} [json-pointer:/view]"
        for key in view
        if key not in _KEYS
    ]
    faults += [
        f"missing required field: {key} [json-pointer:/view]"
        for key in ("title", "blocks")
        if key not in view
    ]
    for key in ("title", "submit", "close"):
        if view.get(key) is not None:
            faults += check_text(view[key], 24, f"/view/{key}", plain=True)
    for key, most in (
        ("private_metadata", 3_000),
        ("callback_id", ID_CHARS),
        ("external_id", ID_CHARS),
    ):
        if len(view.get(key) or "") > most:
            faults.append(f"must be less than {most + 1} characters [json-pointer:/view/{key}]")
    blocks = view.get("blocks", [])
    faults += check_blocks(blocks, most=MODAL_BLOCKS, at="/view/blocks")
    inputs = isinstance(blocks, list) and any(
        isinstance(one, dict) and one.get("type") == "input" for one in blocks
    )
    if inputs and not view.get("submit"):
        faults.append("missing required field: submit [json-pointer:/view]")
    return faults


def too_large(view: Json) -> bool:
    """Whether the view is over 250 kB as JSON."""
    return len(json.dumps(view)) > VIEW_BYTES


@dataclass(eq=False, repr=False)  # they refer to each other: whole, a failure would fill the memory
class OpenView:
    """A modal a person has open. `errors` is what stands under its fields; `state` what is
    filled in.
    """

    user: Person
    body: Json
    delivery: str | None  # the envelope whose trigger opened it
    id: str = field(default_factory=lambda: new_id("V"))
    root: str = ""
    previous: str | None = None
    revision: int = 1
    errors: dict[str, str] = field(default_factory=dict)
    state: dict[str, dict[str, Json]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = self.root or self.id
        self.show(self.body)

    @property
    def hash(self) -> str:
        """Changes with every update."""
        return f"{self.id}.{self.revision}"

    @property
    def title(self) -> str:
        """The title's words."""
        return str(self.body["title"]["text"])

    @property
    def blocks(self) -> list[Json]:
        """Its blocks, ids filled in."""
        found: list[Json] = self.body["blocks"]
        return found

    def show(self, body: Json) -> None:
        """Set what it shows; fields that keep their block_id and action_id keep what was filled
        in.
        """
        kept = self.state
        self.body = copy.deepcopy(body) | {"blocks": with_ids(body["blocks"])}
        self.state = {}
        for block, element in self.elements():
            if element["type"] in ("button", "overflow"):
                continue
            before = kept.get(block["block_id"], {}).get(element["action_id"])
            self.state.setdefault(block["block_id"], {})[element["action_id"]] = before or filled(
                element, None
            )
        self.revision += 1
        self.errors = {}

    def elements(self) -> list[tuple[Json, Json]]:
        """(block, element) for all a person can use or fill in."""
        return [(block, element) for block in self.blocks for element in elements_of(block)]

    def as_slack(self) -> Json:
        """The view as it stands in payloads and answers."""
        home = self.user.workspace
        shown = {key: self.body.get(key) for key in ("title", "close", "submit", "blocks")}
        return copy.deepcopy(shown) | {
            "id": self.id,
            "team_id": home.id,
            "type": self.body["type"],
            "private_metadata": self.body.get("private_metadata", ""),
            "callback_id": self.body.get("callback_id", ""),
            "external_id": self.body.get("external_id", ""),
            "clear_on_close": bool(self.body.get("clear_on_close")),
            "notify_on_close": bool(self.body.get("notify_on_close")),
            "state": {"values": copy.deepcopy(self.state)},
            "hash": self.hash,
            "root_view_id": self.root,
            "previous_view_id": self.previous,
            "app_id": home.slack.app_id,
            "app_installed_team_id": home.id,
            "bot_id": home.bot_id,
        }


def filled(element: Json, value: Any) -> Json:
    """The state of an element holding `value`; None gives what it starts with.

    A select takes an option's value (or text), checkboxes a list of them. Raises AssertionError for
    one not there.
    """
    kind = element["type"]
    if kind in ("checkboxes",) or kind.startswith("multi_"):
        chosen = (
            element.get("initial_options", [])
            if value is None
            else [_option(element, one) for one in value]
        )
        return {"type": kind, "selected_options": chosen}
    if kind in ("static_select", "external_select", "radio_buttons"):
        option = (
            element.get("initial_option")
            if value is None
            else _option(element, value)
            if value != ""
            else None
        )
        return {"type": kind, "selected_option": option}
    for suffix in ("user", "channel", "conversation", "date", "time"):
        if kind in (f"{suffix}s_select", f"{suffix}picker"):
            return {
                "type": kind,
                f"selected_{suffix}": element.get(f"initial_{suffix}") if value is None else value,
            }
    written = element.get("initial_value") if value is None else str(value)
    return {"type": kind, "value": written or None}


def _option(element: Json, value: Any) -> Json:
    """The option with this value or text; an external select may be given a whole option or any
    value.
    """
    if isinstance(value, dict):
        return value
    groups = element.get("option_groups", [])
    options = element.get("options", []) + [one for group in groups for one in group["options"]]
    for option in options:
        if str(value) in (option["value"], option["text"]["text"]):
            return {"text": option["text"], "value": option["value"]}
    if "external" in element["type"]:
        return {
            "text": {"type": "plain_text", "text": str(value)[:75], "emoji": True},
            "value": str(value),
        }
    raise AssertionError(f"no option {value!r}; there are {[one['value'] for one in options]}")


def complaints(view: OpenView) -> dict[str, str]:
    """What Slack itself says under a field before it sends anything: required, too long, no
    number.
    """
    said = {}
    for block, element in view.elements():
        if block["type"] != "input":
            continue
        state = view.state[block["block_id"]][element["action_id"]]
        value = next((state[key] for key in state if key != "type"), None)
        if not value and not block.get("optional"):
            said[block["block_id"]] = "Please complete this required field."
        elif value and element["type"] == "number_input":
            said |= _number_complaint(block, element, str(value))
        elif (
            value
            and element["type"] == "plain_text_input"
            and len(value) > element.get("max_length", 3_000)
        ):
            said[block["block_id"]] = "This field is too long."
    return said


def _number_complaint(block: Json, element: Json, value: str) -> dict[str, str]:
    try:
        number = float(value) if element["is_decimal_allowed"] else int(value)
    except ValueError:
        return {block["block_id"]: "Enter a number."}
    low, high = float(element.get("min_value", "-inf")), float(element.get("max_value", "inf"))
    return (
        {} if low <= number <= high else {block["block_id"]: "Enter a number in the allowed range."}
    )
