"""Slack's rules for Block Kit: what a message or a modal may hold, and what Slack says when it
may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .shapes import ACTIONS, BLOCKS, ELEMENTS, INPUTS, SECTION_ACCESSORIES, Shape

MESSAGE_BLOCKS = 50
MODAL_BLOCKS = 100
ID_CHARS = 255


def check_blocks(blocks: Any, *, most: int = MESSAGE_BLOCKS, at: str = "/blocks") -> list[str]:
    """Every fault, each in Slack's form `what [json-pointer:/blocks/0/text]`; empty when Slack
    takes the blocks.
    """
    if not isinstance(blocks, list):
        return [f"must be an array [json-pointer:{at}]"]
    faults = (
        [f"no more than {most} items allowed [json-pointer:{at}]"] if len(blocks) > most else []
    )
    if (
        sum(
            isinstance(block, dict) and block.get("type") == "data_visualization"
            for block in blocks
        )
        > 2
    ):
        faults.append(f"no more than 2 charts allowed [json-pointer:{at}]")
    seen: set[str] = set()
    for number, block in enumerate(blocks):
        here = f"{at}/{number}"
        faults += _block(block, here)
        name = block.get("block_id") if isinstance(block, dict) else None
        if name and name in seen:
            faults.append(
                f'"block_id" {name} already exists for another block [json-pointer:{here}/block_id]'
            )
        seen.add(str(name))
    if sum(isinstance(block, dict) and block.get("type") == "table" for block in blocks) > 1:
        faults.append(f"only one table allowed [json-pointer:{at}]")
    return faults


def text_size(blocks: Any) -> int:
    """Characters of every text in the blocks together."""
    if isinstance(blocks, dict):
        own = blocks.get("text")
        inner = sum(text_size(value) for value in blocks.values() if isinstance(value, dict | list))
        return inner + (len(own) if isinstance(own, str) else 0)
    if isinstance(blocks, list):
        return sum(text_size(one) for one in blocks)
    return 0


def check_text(text: Any, most: int, at: str, *, plain: bool = False) -> list[str]:
    """Faults of one text object of at most `most` characters."""
    if not isinstance(text, dict) or text.get("type") not in ("plain_text", "mrkdwn"):
        return [f"failed to match all allowed schemas, text object expected [json-pointer:{at}]"]
    if plain and text["type"] != "plain_text":
        return [f"unsupported type: {text['type']} [json-pointer:{at}/type]"]
    allowed = (
        {"type", "text", "emoji"} if text["type"] == "plain_text" else {"type", "text", "verbatim"}
    )
    faults = _extra(text, allowed, at)
    written = text.get("text")
    if not isinstance(written, str) or not written:
        faults.append(f"must be more than 0 characters [json-pointer:{at}/text]")
    elif len(written) > most:
        faults.append(f"must be less than {most + 1} characters [json-pointer:{at}/text]")
    return faults


def elements_of(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The block's elements that a person can use or fill in."""
    if block.get("type") == "actions":
        yield from block.get("elements", [])
    elif block.get("type") == "input":
        yield block["element"]
    elif block.get("type") == "section" and block.get("accessory", {}).get("type") not in (
        None,
        "image",
    ):
        yield block["accessory"]


def _extra(thing: dict[str, Any], allowed: set[str], at: str) -> list[str]:
    return [
        f"invalid additional property: {key} [json-pointer:{at}]"
        for key in thing
        if key not in allowed
    ]


def _block(block: Any, at: str) -> list[str]:
    if not isinstance(block, dict) or block.get("type") not in BLOCKS:
        kind = block.get("type") if isinstance(block, dict) else block
        return [f"unsupported type: {kind} [json-pointer:{at}/type]"]
    kind = block["type"]
    faults = _shaped(block, BLOCKS[kind], at)
    faults += _length(block.get("block_id"), ID_CHARS, f"{at}/block_id")
    if kind == "section":
        faults += _section(block, at)
    elif kind == "context":
        faults += _context(block, at)
    elif kind == "actions":
        faults += _actions(block, at)
    elif kind == "data_visualization" and not faults:
        faults += _chart(block["chart"], f"{at}/chart")
    elif kind == "container" and not faults:
        faults += check_blocks(block["child_blocks"], at=f"{at}/child_blocks")
    elif kind == "table" and not faults:
        faults += _table(block, at)
    elif kind == "input" and "element" in block:
        faults += _element(block["element"], INPUTS, f"{at}/element")
    return faults


def _chart(chart: Any, at: str) -> list[str]:
    """Faults of a bar chart: 1 to 6 series of different names, each with every category, whose
    names are short.
    """
    if not isinstance(chart, dict) or chart.get("type") != "bar":
        return [f"unsupported type [json-pointer:{at}/type]"]
    series, labels = chart.get("series", []), chart.get("axis_config", {}).get("categories", [])
    names = [one.get("name") for one in series]
    faults = [] if 1 <= len(series) <= 6 else [f"must have 1 to 6 items [json-pointer:{at}/series]"]
    if len({*names}) < len(names):
        faults.append(f"names must be unique [json-pointer:{at}/series]")
    if not 1 <= len(labels) <= 20 or any(
        not label or len(label) > 20 for label in (*labels, *names)
    ):
        faults.append(
            f"must be 1 to 20 labels of at most 20 characters [json-pointer:{at}/axis_config]"
        )
    if any([point.get("label") for point in one.get("data", [])] != labels for one in series):
        faults.append(f"labels must match the categories [json-pointer:{at}/series]")
    return faults


def _section(block: dict[str, Any], at: str) -> list[str]:
    faults = []
    if "text" not in block and "fields" not in block:
        faults.append(f"missing required field: text [json-pointer:{at}]")
    fields = block.get("fields", [])
    if "fields" in block and not 1 <= len(fields) <= 10:
        faults.append(f"no more than 10 items allowed [json-pointer:{at}/fields]")
    for number, field in enumerate(fields):
        faults += check_text(field, 2_000, f"{at}/fields/{number}")
    if "accessory" in block:
        faults += _element(block["accessory"], SECTION_ACCESSORIES, f"{at}/accessory")
    return faults


def _table(block: dict[str, Any], at: str) -> list[str]:
    rows = block.get("rows", [])
    faults = (
        []
        if 1 <= len(rows) <= 100
        else [f"no more than 100 items allowed [json-pointer:{at}/rows]"]
    )
    for number, row in enumerate(rows):
        here = f"{at}/rows/{number}"
        if not 1 <= len(row) <= 20 or len(row) != len(rows[0]):
            faults.append(f"no more than 20 items allowed [json-pointer:{here}]")
        for place, cell in enumerate(row):
            if cell.get("type") == "raw_text" and not (
                isinstance(cell.get("text"), str) and cell["text"]
            ):
                faults.append(f"must be more than 0 characters [json-pointer:{here}/{place}/text]")
            elif cell.get("type") not in ("raw_text", "rich_text"):
                faults.append(
                    f"unsupported type: {cell.get('type')} [json-pointer:{here}/{place}/type]"
                )
    settings = block.get("column_settings", [])
    if len(settings) > 20:
        faults.append(f"no more than 20 items allowed [json-pointer:{at}/column_settings]")
    faults += [
        f"invalid additional property [json-pointer:{at}/column_settings/{number}]"
        for number, one in enumerate(settings)
        if set(one) - {"align", "is_wrapped"}
        or one.get("align", "left") not in ("left", "center", "right")
    ]
    return faults


def _context(block: dict[str, Any], at: str) -> list[str]:
    elements = block.get("elements", [])
    faults = (
        []
        if 1 <= len(elements) <= 10
        else [f"no more than 10 items allowed [json-pointer:{at}/elements]"]
    )
    for number, element in enumerate(elements):
        here = f"{at}/elements/{number}"
        if isinstance(element, dict) and element.get("type") == "image":
            faults += _shaped(element, ELEMENTS["image"], here)
        else:
            faults += check_text(element, 3_000, here)
    return faults


def _actions(block: dict[str, Any], at: str) -> list[str]:
    elements = block.get("elements", [])
    faults = (
        []
        if 1 <= len(elements) <= 25
        else [f"no more than 25 items allowed [json-pointer:{at}/elements]"]
    )
    seen: set[str] = set()
    for number, element in enumerate(elements):
        faults += _element(element, ACTIONS, f"{at}/elements/{number}")
        name = element.get("action_id") if isinstance(element, dict) else None
        if name and name in seen:
            faults.append(
                f'"action_id" {name} already exists for another action [json-pointer:{at}/elements/{number}]'
            )
        seen.add(str(name))
    return faults


def _element(element: Any, allowed: frozenset[str], at: str) -> list[str]:
    kind = element.get("type") if isinstance(element, dict) else None
    if kind not in allowed:
        return [f"unsupported type: {kind} [json-pointer:{at}/type]"]
    faults = _shaped(element, ELEMENTS[kind], at)
    faults += _length(element.get("action_id"), ID_CHARS, f"{at}/action_id")
    if "options" in element or "option_groups" in element:
        faults += _options(element, ELEMENTS[kind].options, at)
    if "confirm" in element:
        faults += _confirm(element["confirm"], f"{at}/confirm")
    if kind in ("plain_text_input", "number_input"):
        faults += _bounds(element, kind, at)
    return faults


def _shaped(thing: dict[str, Any], shape: Shape, at: str) -> list[str]:
    faults = _extra(thing, shape.allowed, at)
    faults += [
        f"missing required field: {key} [json-pointer:{at}]"
        for key in shape.required
        if key not in thing
    ]
    for key, most in shape.texts.items():
        if key in thing:
            faults += check_text(thing[key], most, f"{at}/{key}", plain=key in shape.plain)
    for key, most in shape.strings.items():
        faults += _length(thing.get(key), most, f"{at}/{key}")
    for key, values in shape.one_of.items():
        if key in thing and thing[key] not in values:
            faults.append(f"must be one of {', '.join(values)} [json-pointer:{at}/{key}]")
    return faults


def _length(value: Any, most: int, at: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, str):
        return [f"must be a string [json-pointer:{at}]"]
    return (
        [f"must be less than {most + 1} characters [json-pointer:{at}]"]
        if len(value) > most
        else []
    )


def _options(element: dict[str, Any], most: int, at: str) -> list[str]:
    groups = element.get("option_groups")
    if groups is None:
        return check_options(
            element["options"], most, f"{at}/options", mrkdwn=element["type"] in _MARKED
        )
    faults = (
        []
        if 1 <= len(groups) <= 100
        else [f"no more than 100 items allowed [json-pointer:{at}/option_groups]"]
    )
    for number, group in enumerate(groups):
        here = f"{at}/option_groups/{number}"
        faults += check_text(group.get("label"), 75, f"{here}/label", plain=True)
        faults += check_options(group.get("options"), most, f"{here}/options")
    return faults


_MARKED = ("checkboxes", "radio_buttons")


def check_options(options: Any, most: int, at: str, *, mrkdwn: bool = False) -> list[str]:
    """Faults of a select's options, as sent in a block or given back for an external select."""
    if not isinstance(options, list):
        return [f"must be an array [json-pointer:{at}]"]
    faults = (
        []
        if 1 <= len(options) <= most
        else [f"between 1 and {most} items expected [json-pointer:{at}]"]
    )
    for number, option in enumerate(options):
        here = f"{at}/{number}"
        if not isinstance(option, dict):
            faults.append(f"must be an object [json-pointer:{here}]")
            continue
        faults += _extra(option, {"text", "value", "description", "url"}, here)
        faults += check_text(option.get("text"), 75, f"{here}/text", plain=not mrkdwn)
        if not isinstance(option.get("value"), str) or not option["value"]:
            faults.append(f"missing required field: value [json-pointer:{here}]")
        faults += _length(option.get("value"), 150, f"{here}/value")
        if "description" in option:
            faults += check_text(option["description"], 75, f"{here}/description", plain=not mrkdwn)
    return faults


def _confirm(dialog: Any, at: str) -> list[str]:
    if not isinstance(dialog, dict):
        return [f"must be an object [json-pointer:{at}]"]
    faults = []
    for key, most in (("title", 100), ("text", 300), ("confirm", 30), ("deny", 30)):
        faults += check_text(dialog.get(key), most, f"{at}/{key}", plain=key != "text")
    return faults


def _bounds(element: dict[str, Any], kind: str, at: str) -> list[str]:
    if kind == "number_input":
        numbers = [key for key in ("min_value", "max_value", "initial_value") if key in element]
        return [
            f"must be a string [json-pointer:{at}/{key}]"
            for key in numbers
            if not isinstance(element[key], str)
        ]
    faults = []
    for key, least in (("min_length", 0), ("max_length", 1)):
        if key in element and not least <= element[key] <= 3_000:
            faults.append(f"must be between {least} and 3000 [json-pointer:{at}/{key}]")
    return faults
