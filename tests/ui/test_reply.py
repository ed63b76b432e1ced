"""A reply as the outbox keeps it."""

from __future__ import annotations

import json
import pickle
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Line
from bot.rules.text.phrase import Phrase, Typed, split_pieces, text_to_json
from bot.ui.reply.parts import Entry, Grid, Group, Odds, Part, Small, Thrown
from bot.ui.reply.reply import Button, File, Menu, MenuEntry, Reply, build_error_reply

words = st.text(max_size=20)
lines = st.lists(words, max_size=3).map(tuple)
rows = st.lists(st.tuples(words, st.floats(0, 1)), max_size=3).map(tuple)
values = st.integers() | words
texts = (
    words
    | words.map(Typed)
    | st.lists(words | words.map(Typed), max_size=3).map(lambda pieces: Phrase(*pieces))
)
parts = st.one_of(
    texts,
    st.builds(Small, texts),
    st.builds(lambda *of: Group(*of), words, texts),
    st.builds(lambda *of: Entry(*of), texts, texts, texts),
    st.builds(
        lambda *of: Line(*of),
        words,
        st.lists(values, max_size=3).map(tuple),
        st.lists(st.tuples(words, st.integers()), max_size=2).map(tuple),
        st.none() | st.integers() | st.floats(allow_nan=False),
        words,
    ),
    st.builds(Thrown, st.lists(values, max_size=3).map(tuple)),
    st.builds(
        lambda *of: Odds(*of), words, rows
    ),  # of a named tuple itself it would draw all fields
    st.builds(Grid, st.lists(st.tuples(words, words), max_size=3).map(tuple)),
)
replies = st.builds(
    Reply,
    title=words,
    lines=st.lists(parts, max_size=3).map(tuple),
    footer=lines,
    private=st.booleans(),
    error=st.booleans(),
    buttons=st.lists(st.builds(lambda *of: Button(*of), words, words, words), max_size=2).map(
        tuple
    ),
    files=st.lists(
        st.builds(lambda *of: File(*of), words, words | st.binary(max_size=9)), max_size=2
    ).map(tuple),
    mention=lines,
)


def list_pieces(part: Part) -> list[tuple[type, str]]:
    """Return the pieces of all texts in a part, each with its class: a command stays one."""
    texts = [part] if isinstance(part, str) else [item for item in part if isinstance(item, str)]
    pieces = [piece for text in texts for piece in split_pieces(text)]
    return [(type(piece), str(piece)) for piece in pieces]


@given(replies, replies)
def test_it_comes_back_as_it_was(reply: Reply, told: Reply) -> None:
    whole = Reply(reply.title, reply.lines, private=True, announce=told)
    for one in (reply, whole):
        back = Reply.from_json(json.loads(json.dumps(one.to_json())))
        assert back == one
        for part, was in zip(back.lines, one.lines, strict=True):
            assert list_pieces(part) == list_pieces(was)
            assert type(part) is type(was) or isinstance(was, Phrase)


def test_how_its_delivery_stands_is_not_part_of_it() -> None:
    reply = Reply("Anna: 2d6 = 7", outbox=3, seen=True)
    assert reply == Reply("Anna: 2d6 = 7")
    assert reply.to_json() == {"title": "Anna: 2d6 = 7"}


def test_what_an_earlier_version_stored_still_reads() -> None:
    """Its lines were all text, its bars a block of its own, and a compressed file base64."""
    stored = {
        "title": "Odds of Direct fire",
        "lines": ["Roll it: /lnlt fire", "attack [5] = 5"],
        "block": ["hit  ######  50.0%", "miss ######  50.0%"],
        "footer": ["#41"],
        "files": [
            {"name": "a.gz", "content": "AAE=", "packed": True},
            {"name": "b", "content": "x", "packed": False},
        ],
    }
    reply = Reply.from_json(stored)
    assert reply.format_text().split("\n") == [
        "Odds of Direct fire",
        *stored["lines"],
        *stored["block"],
        "#41",
    ]
    assert reply.files == (File("a.gz", b"\0\1"), File("b", "x"))


def test_a_command_is_one_only_where_the_code_made_it_so() -> None:
    """What a player typed into a sentence stays plain, and an error's hint keeps its commands."""
    name = "/game delete confirm"
    error = UserError(
        f'No unit "{name}".',
        hint=Phrase(f"{name}: ask ", Typed("/unit list"), "."),
        code="unknown-unit",
    )
    (hint,) = build_error_reply(error).lines
    assert isinstance(hint, Phrase)
    assert [piece for piece in hint.pieces if isinstance(piece, Typed)] == ["/unit list"]
    assert pickle.loads(pickle.dumps(hint)).pieces == hint.pieces


@given(replies)
def test_it_is_stored_field_by_field(reply: Reply) -> None:
    """By its names and in their order; what is stored stays what it was."""

    def named(value: Any) -> Any:
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return dict(zip(value._fields, map(named, value), strict=True))
        if isinstance(value, Phrase | Typed):
            return {"pieces": text_to_json(value)}
        return tuple(map(named, value)) if isinstance(value, tuple) else value

    stored = reply.to_json()
    for part, was in zip(stored.get("lines", ()), reply.lines, strict=True):
        if not isinstance(was, str):
            assert list(part.items()) == [("kind", type(was).__name__.lower()), *named(was).items()]
    assert [list(button.items()) for button in stored.get("buttons", ())] == [
        list(button._asdict().items()) for button in reply.buttons
    ]


def test_a_menu_is_stored_with_its_entries() -> None:
    menu = Menu(
        "Same shot, other target", (MenuEntry("other:g1:3:vc1", "VC1", "Cell 1"),), "Other target"
    )
    stored = Reply("miss", menus=(menu,)).to_json()
    assert json.dumps(stored["menus"]) == json.dumps(
        [menu._asdict() | {"entries": [menu.entries[0]._asdict()]}]
    )
    assert Reply.from_json(json.loads(json.dumps(stored))).menus == (menu,)
