"""Sends a form as the client of a platform does: what it was opened with, and what was touched."""

from __future__ import annotations

from typing import Any

from adapters.discord.modal import build_modal, read_modal
from adapters.slack.modal import build_form_view, read_state
from adapters.slack.request import SlackRequest
from bot.forms.drafts import Draft
from bot.ui.form.form import Form
from bot.ui.spec import CommandSpec
from tests.standins.discord.forms import submitted_part

KEY = "0123456789abcdef"


def send_on_discord(form: Form, values: dict[str, Any]) -> dict[str, object]:
    """Return what Discord's client sends of a modal in which only `values` were touched, and what it
    insists on.
    """
    body = build_modal(form, KEY)
    needed = [part["component"] for part in body["components"] if part["component"].get("required")]
    owed = [
        one
        for one in needed
        if not one.get("value") and not any(o.get("default") for o in one.get("options", ()))
    ]
    left = {
        one["custom_id"]: [one["options"][0]["value"]] if "options" in one else "5" for one in owed
    } | values
    parts = [
        part | {"id": 1, "component": part["component"] | {"id": 2}} for part in body["components"]
    ]
    return read_modal({"components": [submitted_part(part, left) for part in parts]})


def send_on_slack(form: Form, values: dict[str, Any], spec: CommandSpec) -> dict[str, object]:
    """Return what Slack sends of a view in which only `values` were touched, and what it insists
    on.
    """
    view = build_form_view(
        form, Draft(KEY, spec.path, {}, "U1"), spec, SlackRequest("T1", "C1", "U1", "1")
    )
    inputs = [block for block in view["blocks"] if block["type"] == "input"]
    return read_state(
        form, {block["block_id"]: {"value": _state(block, values)} for block in inputs}
    )


def _state(block: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the state of one block of a view."""
    element = block["element"]
    is_list = element["type"] == "multi_static_select"
    name = block["block_id"]
    if name in values and "options" in element:
        listed = values[name] if isinstance(values[name], list) else [values[name]]
        picks = [{"value": one} for one in listed]
        return {"selected_options": picks} if is_list else {"selected_option": picks[0]}
    if name in values:
        return {"value": values[name]}
    for key in ("option", "options", "value"):
        if f"initial_{key}" in element:
            chosen = element[f"initial_{key}"]
            return {"value" if key == "value" else f"selected_{key}": chosen}
    if "options" not in element:
        return {"value": "" if block.get("optional") else "5"}
    first = [] if block.get("optional") else element["options"][:1]
    if is_list:
        return {"selected_options": first}
    return {"selected_option": first[0] if first else None}
