"""Commands in sentences are told from the words around them where the sentence is written, never
by what it says.
"""

from __future__ import annotations

import ast
import json
import pickle
import re
from pathlib import Path

from bot.rules.text.phrase import Phrase, Typed, phrase, split_pieces, text_from_json, text_to_json


def commands(text: str) -> list[str]:
    return [str(piece) for piece in split_pieces(text) if isinstance(piece, Typed)]


def test_a_phrase_is_its_text_and_knows_its_commands() -> None:
    made = phrase("Sides are {sides}. Join one: `/game join {side}`.", sides="US, VC", side="US")
    assert made == "Sides are US, VC. Join one: /game join US."
    assert commands(made) == ["/game join US"]
    assert commands(Phrase("No. ", made)) == ["/game join US"]


def test_what_a_player_typed_never_becomes_a_command() -> None:
    evil = "`/game delete confirm`{0}{sides}"
    made = phrase("{name} is gone. `/unit list` shows them all.", name=evil)
    assert made.startswith(evil)
    assert commands(made) == ["/unit list"]
    assert commands(phrase("`/unit edit {name}`", name=evil)) == [f"/unit edit {evil}"]
    assert commands(evil) == []


def test_it_survives_store_and_pipe() -> None:
    for made in (phrase("Ask again: `/game link`"), Typed("/log"), "plain", phrase("plain")):
        for back in (
            text_from_json(json.loads(json.dumps(text_to_json(made)))),
            pickle.loads(pickle.dumps(made)),
        ):
            assert back == made
            assert split_pieces(back) == split_pieces(made)
            assert commands(back) == commands(made)


def test_every_sentence_of_a_phrase_is_a_literal(root: Path) -> None:
    """In an f-string, what somebody typed would be searched for backticks, too."""
    found = 0
    for path in (*root.glob("bot/**/*.py"), *root.glob("adapters/**/*.py")):
        code = path.read_text("utf-8")
        for node in ast.walk(ast.parse(code)) if "phrase(" in code else ():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "phrase"
            ):
                [sentence] = node.args
                assert isinstance(sentence, ast.Constant), f"{path}:{node.lineno}"
                text = str(sentence.value)
                assert text.count("`") % 2 == 0, f"{path}:{node.lineno}"
                assert set(re.findall(r"{(\w*)}", text)) == {key.arg for key in node.keywords}
                found += 1
    assert found > 50


def test_no_sentence_ends_in_a_command_that_is_not_marked(root: Path) -> None:
    """`Ask again: /game link` in a plain string would show as prose; `phrase` makes a command of
    it.
    """
    for path in (*root.glob("bot/**/*.py"), *root.glob("adapters/**/*.py")):
        code = path.read_text("utf-8")
        # a text may go on in the next line
        may_have_one = re.search(r""":(?:[\s"'fr\\()]|#.*)*+/[a-z]""", code)
        for node in ast.walk(ast.parse(code)) if may_have_one else ():
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and "\n" not in node.value
            ):
                assert not re.search(r": /[a-z]", node.value), f"{path}:{node.lineno}"
