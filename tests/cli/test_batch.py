"""JSON Lines: one answer for each line, in order, whatever the line holds."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.batch import MAX_LINE, answer_line, run_batch


def answers(*lines: Any) -> list[dict[str, Any]]:
    """The answers to these lines; values that are no bytes are sent as JSON."""
    sent = b"\n".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
    )
    written: list[str] = []
    run_batch(io.BytesIO(sent), written.append)
    return [json.loads(line) for line in written]


def test_the_four_operations() -> None:
    lookup, resolve, odds, roll = answers(
        {"id": 1, "op": "lookup", "system": "lnlt", "table": "melee-odds", "in": {"attack": 7, "defense": 5}},
        {
            "id": 2, "op": "resolve", "system": "lnlt", "sequence": "morale-check",
            "in": {"units": "squad morale=5"}, "dice": [2, 3],
        },
        {
            "id": 3, "op": "odds", "system": "lnlt", "sequence": "morale-check",
            "in": {"units": "squad morale=5"}, "by": ["units[0].result"],
        },
        {"id": 4, "op": "roll", "expression": "2d6+3", "dice": [4, 2]},
    )  # fmt: skip
    assert (lookup["id"], lookup["ok"], lookup["out"]) == (1, True, {"odds": "3-2"})
    assert resolve["out"] == {
        "units": [{"unit": "squad", "roll": 5, "total": 5, "result": "pass"}],
        "outcome": "pass",
    }
    assert resolve["dice"][0] == {"label": "morale check", "sides": 6, "value": 2}
    assert odds == {"id": 3, "ok": True, "odds": {"pass": "5/18", "fail": "13/18"}}
    assert roll["out"] == {"total": 9, "dice": [4, 2]}
    assert all(answer["text"] for answer in (lookup, resolve, roll))


def test_without_dice_the_roller_is_used() -> None:
    (answer,) = answers({"op": "roll", "expression": "1d6"})
    assert answer["id"] is None
    assert 1 <= answer["out"]["total"] <= 6


def test_blank_lines_are_skipped_and_order_is_kept() -> None:
    found = answers(
        {"id": 1, "op": "roll", "expression": "d6"}, b"", b"  ", b"nonsense", {"id": 2, "op": "x"}
    )
    assert [answer["id"] for answer in found] == [1, None, 2]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"op": "lokup"}, "Did you mean lookup?"),
        (
            {"op": "lookup", "system": "lnlt", "table": "meele-odds", "in": {}},
            "Did you mean melee-odds?",
        ),
        (
            {"op": "lookup", "system": "lnlt", "table": "melee-odds", "in": {"attack": 7}},
            "needs defense",
        ),
        (
            {
                "op": "lookup",
                "system": "lnlt",
                "table": "melee-odds",
                "in": {"attack": 1e99, "defense": 5},
            },
            "attack must",
        ),
        (
            {"op": "lookup", "system": "lnlt", "table": "melee-odds", "in": [1]},
            '"in" must be an object',
        ),
        ({"op": "lookup", "system": ["lnlt"], "table": "melee-odds"}, "needs system"),
        ({"op": "lookup", "system": "lnlt", "table": "../game", "in": {}}, "No table"),
        ({"op": "roll", "expression": "2d6", "dice": [1]}, "next die owed"),
        ({"op": "roll", "expression": "2d6", "dice": [1, 2, 3]}, "left over"),
        ({"op": "roll", "expression": "2d6", "dice": [1, 7]}, "cannot show"),
        ({"op": "roll", "expression": "2d6", "dice": "1,2"}, '"dice" must be a list'),
        (
            {"op": "odds", "system": "lnlt", "sequence": "morale-check", "in": {"units": "squad"}},
            "needs morale",
        ),
        (
            {
                "op": "odds",
                "system": "lnlt",
                "sequence": "morale-check",
                "in": {"units": "squad morale=5"},
                "by": ["x"],
            },
            'no output "x"',
        ),
        (
            {
                "op": "resolve",
                "system": "lnlt",
                "sequence": "morale-check",
                "in": {"units": "sqad morale=5"},
            },
            "squad",
        ),
        ({"op": "roll", "expression": "d6", "seed": 1}, 'does not take "seed"'),
    ],
)
def test_bad_input_is_one_clear_line(request_: dict[str, Any], message: str) -> None:
    (answer,) = answers({"id": 9, **request_})
    assert answer["id"] == 9
    assert answer["ok"] is False
    error = answer["error"]
    assert error["code"] == "bad-input"
    assert message in f"{error['message']} {error['hint']}"
    assert "\n" not in error["message"]


def test_a_huge_line_gets_one_error_and_the_next_line_its_answer() -> None:
    long, deep, last = answers(
        b"x" * (10 * MAX_LINE), b"[" * 100_000, {"id": 3, "op": "roll", "expression": "d6"}
    )
    assert "longer than" in long["error"]["message"]
    assert deep["error"]["code"] == "bad-json"
    assert last["ok"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["in", "dice", "by"]), inner)
        ),
        max_leaves=8,
    )
)
def test_no_value_stops_the_stream(value: Any) -> None:
    request = {
        "id": 1,
        "op": "resolve",
        "system": "lnlt",
        "sequence": "morale-check",
        "in": {"units": value},
    }
    both = answers(
        request,
        {**request, "dice": value},
        {**request, "in": value},
        {"op": "roll", "expression": value},
    )
    assert len(both) == 4


def test_a_line_in_another_encoding_says_what_to_save() -> None:
    answer = answer_line('\ufeff{"id": 1}\n'.encode("utf-16-le")[:-1])
    assert answer["error"]["code"] == "bad-json"
    assert "save the file as UTF-8" in answer["error"]["message"]
