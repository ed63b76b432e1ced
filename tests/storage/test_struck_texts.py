"""Texts are struck from stored answers: whole words, also where an answer cut off the end, and
whole files.
"""

from __future__ import annotations

import gzip
from binascii import b2a_base64
from typing import Any

import pytest

from bot.storage.struck_texts import StruckTexts

LONG = "Squads 3 + 4 advance to H5, and the rest of them hold the ridge"


@pytest.mark.parametrize(
    ("text", "said", "left"),
    [
        ("hold", "US: hold", "US: (deleted)"),
        ("hold", "Bob holds the household", "Bob holds the household"),
        ("to H5", '"to H5" and to H5, to H50', '"(deleted)" and (deleted), to H50'),
        (LONG, f"US: {LONG} · ready", "US: (deleted) · ready"),
        (LONG, f"US: {LONG[:40]}…", "US: (deleted)…"),
        (LONG, f"US: {LONG[:40]}...", "US: (deleted)..."),
        (LONG, "US: Squads 3 + 4 advance to H6", "US: Squads 3 + 4 advance to H6"),
        ("1", "1 of 1 units", "1 of 1 units"),
        ("1", 'label "1"', 'label "(deleted)"'),
        ("(?!)", "a (?!) b", "a (deleted) b"),
        ("grün", "ein grün, kein immergrün", "ein (deleted), kein immergrün"),
        ("", "nothing", "nothing"),
    ],
)
def test_a_text_is_struck_where_it_stands_by_itself(text: str, said: str, left: str) -> None:
    assert StruckTexts([text]).strike({"lines": [["group", said]]}) == {"lines": [["group", left]]}


def test_an_answer_without_any_of_the_texts_stays_the_same_object_and_no_button_is_changed() -> (
    None
):
    reply = {"title": "Bob rolls", "buttons": [{"action": "undo:hold", "label": "Undo"}]}
    assert StruckTexts(["hold", LONG]).strike(reply) == reply
    assert StruckTexts(["other"]).strike(reply) is reply


def packed(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode()


@pytest.mark.parametrize(
    ("file", "stays"),
    [
        ({"name": "log.json", "content": f'{{"text": "{LONG}"}}'}, False),
        (
            {
                "name": "log.json.gz",
                "content": packed(gzip.compress(LONG.encode())),
                "packed": True,
            },
            False,
        ),
        (
            {
                "name": "page.html",
                "content": f"<script>{packed(gzip.compress(LONG.encode()))}</script>",
            },
            False,
        ),
        ({"name": "page.html", "content": "by Zenobia"}, False),
        ({"name": "page.html", "content": "by Zenobias"}, True),
        ({"name": "odds.png", "content": packed(b"\x89PNG Zenobia"), "packed": True}, True),
        (
            {"name": "cut.gz", "content": packed(gzip.compress(b"x" * 99)[:20]), "packed": True},
            True,
        ),
        ({"name": "bent", "content": "no base64", "packed": True}, True),
    ],
)
def test_a_file_with_a_text_or_a_name_goes_whole(file: dict[str, Any], stays: bool) -> None:
    reply = {"title": "The log", "files": [file]}
    assert StruckTexts([LONG], ["Zenobia"]).strike(reply) == {
        "title": "The log",
        "files": [file] if stays else [],
    }
