"""A reply as the outbox keeps it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from bot.interface.reply import Button, File, Reply

words = st.text(max_size=20)
lines = st.lists(words, max_size=3).map(tuple)
replies = st.builds(
    Reply,
    title=words,
    lines=lines,
    block=lines,
    footer=lines,
    private=st.booleans(),
    error=st.booleans(),
    buttons=st.lists(st.builds(Button, words, words, words), max_size=2).map(tuple),
    files=st.lists(st.builds(File, words, words), max_size=2).map(tuple),
    mention=words,
)


@given(replies, replies)
def test_it_comes_back_as_it_was(reply: Reply, told: Reply) -> None:
    whole = Reply(reply.title, reply.lines, private=True, announce=told)
    for one in (reply, whole):
        assert Reply.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_how_its_delivery_stands_is_not_part_of_it() -> None:
    reply = Reply("Anna: 2d6 = 7", outbox=3, seen=True)
    assert reply == Reply("Anna: 2d6 = 7")
    assert reply.to_json() == {"title": "Anna: 2d6 = 7"}
