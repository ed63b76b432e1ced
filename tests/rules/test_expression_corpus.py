"""Some thousand expressions with the dice of one stream: each answer, note and refusal is what it always was.

`tests/corpus/expressions.txt.gz` has one line for each: a hash of all that it comes to, and the expression as JSON. It
was written by the code that walked each expression anew, before there was any other, and is never written again.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

from bot.play.roll import roll_reply
from bot.rules.errors import UserError
from bot.rules.expression import parse, roll
from bot.rules.proof.fair import Stream

CORPUS = Path(__file__).parents[1] / "corpus" / "expressions.txt.gz"
SEED = bytes(range(32))


def told(text: str, event: int) -> str:
    """A hash of everything that a roll says: text, dice, outcome and reply; or why it cannot be rolled."""
    try:
        rolling = roll(parse(text), Stream(SEED, "corpus", event))
    except UserError as error:
        return _hash([str(error), error.option, error.code])
    reply = roll_reply(rolling, "Anna", "morale")
    dice = [die.note() for die in rolling.dice]
    return _hash([rolling.text(), rolling.answer, rolling.out(), dice, reply.to_json(), rolling.expression.notation])


def _hash(said: object) -> str:
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()[:12]


def test_every_expression_says_what_it_always_said() -> None:
    lines = gzip.decompress(CORPUS.read_bytes()).decode().splitlines()
    assert len(lines) > 4_400
    changed = []
    for event, line in enumerate(lines, 1):
        before, _, text = line.partition(" ")
        if told(json.loads(text), event) != before and not is_of_sums(json.loads(text)):
            changed.append(text)
    assert not changed, changed[:20]


def is_of_sums(text: str) -> bool:
    """What is read anew since a sum can be held against a number, or says how: all of it was refused before, but for
    counts of dice that all count."""
    try:
        expression = parse(text)
    except UserError as error:
        told = f"{error.message} {error.hint}"
        return any(piece in told for piece in ("sum", "What the count comes to", "a number must follow"))
    return expression.against is not None or expression.is_count
