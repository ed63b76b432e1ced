"""The chain of events: one text per event, and a hash that covers everything before."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules.proof.chain import (
    compute_event_hash,
    compute_genesis,
    hash_salted,
    link_bodies,
    shorten_hash,
    to_canonical,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abcé", max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_the_published_vectors(root: Path) -> None:
    page = (root / "docs" / "dice-protocol.md").read_text().split("## The chain")[1]
    first, *rest = re.findall(r"^\| (?:`(\{.*\})`)? ?\| `([0-9a-f]{64})` \|$", page, re.MULTILINE)
    assert len(rest) == 2
    assert first == ("", compute_genesis("a1b2c3d4e5f60718"))
    assert link_bodies(first[1], [json.loads(body) for body, _ in rest]) == rest


def test_the_hash_is_what_a_third_party_computes() -> None:
    previous = compute_genesis("g1")
    body = to_canonical({"number": 1, "label": "für"})
    assert body == '{"label":"für","number":1}'
    assert (
        compute_event_hash(previous, body)
        == hashlib.sha256(previous.encode() + b"\n" + body.encode("utf-8")).hexdigest()
    )
    assert shorten_hash(previous) == previous[:16]


@given(st.dictionaries(st.text("abc"), JSON))
def test_reading_and_writing_again_changes_nothing(body: dict[str, Any]) -> None:
    text = to_canonical(body)
    assert json.loads(text) == body
    assert to_canonical(json.loads(text)) == text
    assert to_canonical(dict(reversed(body.items()))) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (-2.5, "-2.5"),
        (10**20, str(10**20)),
        ((1, 2), "[1,2]"),
        (True, "true"),
    ],
)
def test_a_number_has_one_text(value: object, text: str) -> None:
    assert to_canonical({"n": value}) == f'{{"n":{text}}}'


@pytest.mark.parametrize(
    "value", [1e300, 1e-9, float("nan"), float("inf"), {1: 2}, {1, 2}, b"x", object()]
)
def test_what_has_no_single_text_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        to_canonical({"n": value})


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert to_canonical({"label": "a\ud800b"}) == '{"label":"a?b"}'


def test_every_change_changes_all_hashes_after_it() -> None:
    bodies = [{"number": number, "kind": "roll"} for number in range(1, 6)]
    honest = [hash for _, hash in link_bodies(compute_genesis("g"), bodies)]
    for index in range(5):
        changed = [
            hash
            for _, hash in link_bodies(
                compute_genesis("g"), [{**b, "x": i == index} for i, b in enumerate(bodies)]
            )
        ]
        assert changed[index:] != honest[index:]
    assert not set(honest) & {hash for _, hash in link_bodies(compute_genesis("h"), bodies)}


def test_a_salted_hash_hides_a_short_text() -> None:
    assert hash_salted("00", "Anna") != hash_salted("01", "Anna")
    assert hash_salted("00", "Anna") == hashlib.sha256(b"00\nAnna").hexdigest()


@given(st.dictionaries(st.text('abcé\n"', max_size=4), JSON | st.floats(allow_nan=False)))
def test_the_text_is_what_the_json_module_writes(body: dict[str, Any]) -> None:
    """Built in one walk, and equal to sorting and encoding the plain value."""
    try:
        text = to_canonical(body)
    except TypeError:
        return
    plain = json.loads(text)
    assert text == json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
