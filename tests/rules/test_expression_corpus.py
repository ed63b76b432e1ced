"""Some thousand expressions with the dice of one stream: each answer, note and refusal is what it
always was.

`tests/corpus/expressions.txt.gz` has one line for each: a hash of all that it comes to, and the
expression as JSON. It was written by the code that walked each expression anew, before there was
any other, and is never written again. `tests/data/expressions_of_sums.txt` has the number of the
line and the hash of those that were read otherwise since.
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import struct
from itertools import count
from pathlib import Path

import pytest

from bot.presentation.roll import build_roll_reply
from bot.rules.errors import UserError
from bot.rules.expression.rolling import roll
from bot.rules.expression.sum_parser import parse
from bot.rules.proof.fair import NO_TEXTS, Stream

CORPUS = Path(__file__).parents[1] / "corpus" / "expressions.txt.gz"
SUMS = Path(__file__).parents[1] / "data" / "expressions_of_sums.txt"
SEED = bytes(range(32))
GAME = "corpus"
FIELDS_SINCE = ("joins",)
"""Fields of a line that came after the corpus was frozen; a roll leaves them empty."""


class FrozenDice(Stream):
    """The dice that the frozen answers were made with: each die has a digest of its own."""

    def __init__(self, event: int) -> None:
        super().__init__(SEED, GAME, event)
        self._event = event
        self._draws = count()

    def _draw_face(self, sides: int) -> int:
        first_unusable = 2**32 // sides * sides
        draw = next(self._draws)
        for attempt in count():
            message = f"{GAME}:{self._event}:{draw}:{NO_TEXTS}:{attempt}".encode()
            for word in struct.unpack(">8I", hmac.digest(SEED, message, "sha256")):
                if word < first_unusable:
                    return int(word) % sides + 1
        raise AssertionError("there is no last attempt")


def told(text: str, event: int) -> str:
    """A hash of everything that a roll says: text, dice, outcome and reply; or why it cannot be
    rolled.
    """
    try:
        rolling = roll(parse(text), FrozenDice(event))
    except UserError as error:
        return _hash([str(error), error.option, error.code])
    reply = build_roll_reply(rolling, "Anna", "morale")
    said = reply.to_json()
    for line in said.get("lines", ()):
        for name in FIELDS_SINCE:
            assert not line.pop(name, "")
    dice = [die.to_note() for die in rolling.dice]
    return _hash(
        [
            rolling.format_text(),
            rolling.answer,
            rolling.to_output(),
            dice,
            said,
            rolling.expression.notation,
        ]
    )


def _hash(said: object) -> str:
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()[:12]


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_every_expression_says_what_it_always_said(every: int) -> None:
    """Roll one of `every` lines again; those of `expressions_of_sums.txt` may read differently."""
    lines = gzip.decompress(CORPUS.read_bytes()).decode().splitlines()
    assert len(lines) > 4_400
    anew = dict(line.split() for line in SUMS.read_text().splitlines())
    changed = []
    for event, line in list(enumerate(lines, 1))[::every]:
        before, _, text = line.partition(" ")
        assert anew.get(str(event)) != before, "what is as it was is no exception"
        if told(json.loads(text), event) != anew.get(str(event), before):
            changed.append(text)
    assert not changed, changed[:20]
