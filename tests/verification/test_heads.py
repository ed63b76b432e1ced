"""Heads as they are kept: from a note, from a chat, several at once."""

from __future__ import annotations

import pytest

from bot.verification.proof import EventHead, find_head_faults, list_head_remarks, read_heads
from tests.refusing import refuses

HASHES = ["1c9e06d2a4b80f13" + "0" * 48, "a1b2c3d4e5f60718" + "1" * 48]
CHAT = """\
**Anna: 2d6 = 7** · fate
[3][4]
-# #1 · 1c9e06d2a4b80f13 · Lock 'n Load Tactical
Bob: #2 sealed
Only Bob has seen this roll. Its hash is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.
#2 · a1b2c3d4 · rolled by hand
Seed 1, revealed in #1: 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
"""


def test_heads_are_found_in_text_pasted_from_a_chat() -> None:
    assert read_heads([CHAT]) == (EventHead(1, "1c9e06d2a4b80f13"), EventHead(2, "a1b2c3d4"))
    assert read_heads(["#41 1c9e06d2, #57 a1b2c3d4"]) == (
        EventHead(41, "1c9e06d2"),
        EventHead(57, "a1b2c3d4"),
    )
    assert read_heads(["#41 `1C9E06D2`"]) == (EventHead(41, "1c9e06d2"),)
    assert read_heads([" 1C9E06D2 "]) == (EventHead(0, "1c9e06d2"),)


@pytest.mark.parametrize(
    "text", ["", "1234567", "0" * 65, "no head", "#41", "#41 1234567", "not hex!"]
)
def test_what_is_no_head_is_named(text: str) -> None:
    with refuses("bad-head"):
        read_heads([text])


def test_each_head_is_compared_with_its_own_event() -> None:
    assert list(find_head_faults(read_heads([CHAT]), "g", HASHES)) == []
    assert list(
        find_head_faults(read_heads(["#2 1c9e06d2, #1 1c9e06d2, #3 1c9e06d2"]), "g", HASHES)
    ) == [
        "Event 2 has the hash a1b2c3d4, not 1c9e06d2: the log was rewritten.",
        "The log ends with event 2, but #3 1c9e06d2 is known: its end was cut off.",
    ]
    assert list(find_head_faults(read_heads(["1c9e06d2", "00000000"]), "g", HASHES)) == [
        "No event has the head 00000000: the end was cut off, or the log rewritten."
    ]


def test_eight_digits_are_few_also_of_several_heads() -> None:
    assert len(list(list_head_remarks(read_heads(["#1 1c9e06d2"])))) == 1
    assert len(list(list_head_remarks(read_heads(["#1 1c9e06d2, #2 a1b2c3d4"])))) == 1, (
        "each can be forged by itself"
    )
    assert list(list_head_remarks(read_heads(["1c9e06d2a4b80f13"]))) == []
    assert list(list_head_remarks(())) == []
