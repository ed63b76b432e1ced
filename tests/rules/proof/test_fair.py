"""What is promised before the dice, and what is noted of them."""

from __future__ import annotations

import re

from bot.rules.dice import d6, make_averaging_die
from bot.rules.proof.fair import NO_TEXTS, Stream, compute_commitment, compute_digest
from tests.rules.proof.fair_helpers import (
    GAME,
    SEED,
)
from tests.rules.proof.fair_helpers import (
    page as page,
)


def test_a_die_on_the_table_is_noted_as_an_event_keeps_it() -> None:
    stream = Stream(SEED, GAME, 2)
    dice = [die.with_value(stream.draw(die)) for die in (d6("attack"), make_averaging_die("move"))]
    assert [die.to_note() for die in dice] == [
        {"label": "attack", "sides": 6, "value": 6},
        {"label": "move", "sides": 6, "value": 4, "faces": [2, 3, 3, 4, 4, 5]},
    ]


def test_the_published_seed_and_its_commitment(page: str) -> None:
    assert f"`{SEED.hex()}`" in page
    assert f"`{compute_commitment(SEED)}`" in page


def test_no_texts_is_the_hash_of_nothing(page: str) -> None:
    start, end = re.findall(r"`([0-9a-f]{8})…([0-9a-f]{4})`", page)[0]
    assert NO_TEXTS.startswith(start)
    assert NO_TEXTS.endswith(end)
    assert f"`{compute_digest(['Anna’s cat'.replace('’', chr(39)), 'für Elise'])}`" in page
