"""Block Kit's limits: each thing is taken at its limit and refused one above it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.standins.slack import check_blocks, check_view

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def button(**more: Any) -> Json:
    return {"type": "button", "text": plain("Again")} | more


def options(count: int, text: int = 1, value: int = 1) -> list[Json]:
    return [{"text": plain("t" * text), "value": "v" * value} for _ in range(count)]


def select(**more: Any) -> Json:
    return {"type": "static_select", "options": options(1)} | more


def actions(*elements: Json, **more: Any) -> list[Json]:
    return [{"type": "actions", "elements": list(elements)} | more]


def field(element: Json) -> list[Json]:
    return [{"type": "input", "label": plain("Label"), "element": element}]


def modal(**more: Any) -> Json:
    return {"type": "modal", "title": plain("Fire"), "blocks": []} | more


LIMITS: dict[str, tuple[int, Any]] = {
    "blocks of a message": (50, lambda n: [{"type": "divider"}] * n),
    "text of a section": (3_000, lambda n: [{"type": "section", "text": plain("x" * n)}]),
    "fields of a section": (10, lambda n: [{"type": "section", "fields": [plain("x")] * n}]),
    "text of a field": (2_000, lambda n: [{"type": "section", "fields": [plain("x" * n)]}]),
    "header": (150, lambda n: [{"type": "header", "text": plain("x" * n)}]),
    "elements of a context": (10, lambda n: [{"type": "context", "elements": [plain("x")] * n}]),
    "elements of actions": (25, lambda n: actions(*[button()] * n)),
    "action_id": (255, lambda n: actions(button(action_id="x" * n))),
    "block_id": (255, lambda n: actions(button(), block_id="x" * n)),
    "text of a button": (75, lambda n: actions(button(text=plain("x" * n)))),
    "value of a button": (2_000, lambda n: actions(button(value="x" * n))),
    "options of a select": (100, lambda n: actions(select(options=options(n)))),
    "text of an option": (75, lambda n: actions(select(options=options(1, text=n)))),
    "value of an option": (150, lambda n: actions(select(options=options(1, value=n)))),
    "checkboxes": (10, lambda n: actions({"type": "checkboxes", "options": options(n)})),
    "radio buttons": (10, lambda n: actions({"type": "radio_buttons", "options": options(n)})),
    "overflow": (5, lambda n: actions({"type": "overflow", "options": options(n)})),
    "placeholder": (150, lambda n: actions(select(placeholder=plain("x" * n)))),
    "text already in a field": (
        3_000,
        lambda n: field({"type": "plain_text_input", "initial_value": "x" * n}),
    ),
}

MODAL_LIMITS: dict[str, tuple[int, Any]] = {
    "title": (24, lambda n: modal(title=plain("x" * n))),
    "submit": (24, lambda n: modal(submit=plain("x" * n))),
    "close": (24, lambda n: modal(close=plain("x" * n))),
    "blocks": (100, lambda n: modal(blocks=[{"type": "divider"}] * n)),
    "private_metadata": (3_000, lambda n: modal(private_metadata="x" * n)),
    "callback_id": (255, lambda n: modal(callback_id="x" * n)),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_message_at_its_limits(name: str) -> None:
    most, made = LIMITS[name]
    assert check_blocks(made(most)) == []
    assert len(check_blocks(made(most + 1))) == 1


@pytest.mark.parametrize("name", MODAL_LIMITS)
def test_a_modal_at_its_limits(name: str) -> None:
    most, made = MODAL_LIMITS[name]
    assert check_view(made(most)) == []
    assert len(check_view(made(most + 1))) == 1


@pytest.mark.parametrize(
    ("blocks", "fault"),
    [
        (
            actions(button(action_id="a"), button(action_id="a")),
            "already exists for another action",
        ),
        (
            [*actions(button(), block_id="b"), *actions(button(), block_id="b")],
            "already exists for another block",
        ),
        ([{"type": "section"}], "missing required field: text"),
        ([{"type": "section", "text": {"type": "mrkdwn", "text": ""}}], "more than 0 characters"),
        ([{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}], "unsupported type: mrkdwn"),
        ([{"type": "headline", "text": plain("x")}], "unsupported type: headline"),
        ([{"type": "divider", "color": "red"}], "invalid additional property: color"),
        (actions(button(style="green")), "must be one of primary, danger"),
        (actions({"type": "plain_text_input"}), "unsupported type: plain_text_input"),
        (field(button()), "unsupported type: button"),
        (field({"type": "number_input"}), "missing required field: is_decimal_allowed"),
        (
            field({"type": "number_input", "is_decimal_allowed": False, "min_value": 1}),
            "must be a string",
        ),
        (actions(select(options=[])), "between 1 and 100 items"),
    ],
)
def test_what_slack_does_not_take(blocks: list[Json], fault: str) -> None:
    assert fault in " ".join(check_blocks(blocks))


def test_a_form_needs_a_submit_button() -> None:
    form = modal(blocks=field({"type": "plain_text_input"}))
    assert "submit" in check_view(form)[0]
    assert check_view(form | {"submit": plain("Roll")}) == []
