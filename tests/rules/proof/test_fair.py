"""The dice of protocol 1: what the documentation promises, fair faces, nothing shared between events."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules.dice import AVERAGING, Die, averaging, d6
from bot.rules.proof.fair import NO_TEXTS, Stream, commitment, digest, face

SEED = bytes(range(32))
GAME = "a1b2c3d4e5f60718"

# The value that chi-square exceeds once in 1,000 fair samples, by degrees of freedom.
CHI_SQUARE = {1: 10.83, 2: 13.82, 3: 16.27, 5: 20.52, 7: 24.32, 9: 27.88, 11: 31.26, 19: 43.82, 99: 148.23}


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "dice.md").read_text()


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the table below the row `heading`."""
    table = page.split(heading)[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def documented(page: str) -> Callable[..., int]:
    """The function that the page prints, which shares no code with ours."""
    names: dict[str, Any] = {}
    exec(page.split("### Protocol 1")[1].split("```python\n")[1].split("```")[0], names)
    return names["face"]  # type: ignore[no-any-return]


def test_the_published_vectors(page: str) -> None:
    assert f"`{SEED.hex()}`" in page
    assert f"`{commitment(SEED)}`" in page
    vectors = rows(page, "| event | texts | sides | faces |")
    assert len(vectors) == 12
    for event, texts, sides, faces in vectors:
        stream = Stream(SEED, GAME, int(event), digest([text for text in texts.split(" / ") if text]))
        drawn = [stream.draw(Die("", int(sides))) for _ in range(6)]
        assert drawn == [int(value) for value in faces.split()], (event, texts, sides)


def test_the_published_vectors_for_words_left_out(page: str) -> None:
    for draw, _, value in rows(page, "| draw | words skipped | face |"):
        assert face(SEED, GAME, 3, int(draw), 2**31 + 1) == int(value)
        assert documented(page)(SEED, GAME, 3, int(draw), 2**31 + 1) == int(value)


@given(
    seed=st.binary(min_size=32, max_size=32),
    event=st.integers(1, 10**6),
    draw=st.integers(0, 400),
    sides=st.sampled_from([2, 3, 4, 6, 8, 10, 12, 20, 100, 1_000_000]),
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), max_size=3),
)
def test_the_printed_function_gives_the_same_faces(
    root: Path, seed: bytes, event: int, draw: int, sides: int, texts: list[str]
) -> None:
    printed = documented((root / "docs" / "dice.md").read_text())
    assert printed(seed, GAME, event, draw, sides, texts) == face(seed, GAME, event, draw, sides, digest(texts))


@pytest.mark.parametrize("sides", [2, 3, 4, 6, 8, 10, 12, 20, 100])
@pytest.mark.parametrize("seed", [SEED, bytes(32)])
def test_every_face_comes_as_often_as_it_should(sides: int, seed: bytes) -> None:
    count = 200 * sides
    seen = Counter(face(seed, GAME, 1 + number // 10, number % 10, sides) for number in range(count))
    assert set(seen) == set(range(1, sides + 1))
    assert sum((seen[value] - 200) ** 2 / 200 for value in seen) < CHI_SQUARE[sides - 1]


def test_neighbouring_dice_do_not_depend_on_each_other() -> None:
    drawn = [face(SEED, GAME, 1 + number // 4, number % 4, 6) for number in range(7201)]
    seen = Counter(pairwise(drawn))
    assert sum((seen[pair] - 200) ** 2 / 200 for pair in seen) < 66.62  # 35 degrees of freedom, once in 1,000


@given(st.binary(min_size=32, max_size=32), st.integers(1, 1000), st.lists(st.text("abc"), max_size=2))
def test_the_same_inputs_give_the_same_faces(seed: bytes, event: int, texts: list[str]) -> None:
    def drawn(stream: Stream) -> list[int | str]:
        return [stream.draw(Die("", 1000)) for _ in range(12)]

    said = digest(texts)
    first = drawn(Stream(seed, GAME, event, said))
    assert first == drawn(Stream(seed, GAME, event, said))
    for other in (
        Stream(seed, GAME, event + 1, said),
        Stream(seed, "another", event, said),
        Stream(bytes([*seed[:-1], seed[-1] ^ 1]), GAME, event, said),
        Stream(seed, GAME, event, digest([*texts, "d"])),
    ):
        assert first != drawn(other)


def test_the_number_of_a_die_counts_whatever_its_sides() -> None:
    mixed = Stream(SEED, GAME, 2)
    assert [mixed.draw(Die("", sides)) for sides in (6, 20, 100)] == [1, 14, 72]


@pytest.mark.parametrize("sides", [1, 6, 10, 3_000_000_000, 2**31 + 1, 2**32])
def test_dice_drawn_together_are_those_of_the_printed_function(sides: int) -> None:
    """With so many sides that every second or third word is passed over, too."""
    stream, seed = Stream(SEED, "g", 7, digest(["ours", "theirs"])), SEED
    found = [*stream.draw_all(Die("x", sides), 40), stream.draw(Die("x", sides)), *stream.draw_all(Die("x", 6), 2)]
    sought = [*([sides] * 41), 6, 6]
    assert found == [face(seed, "g", 7, draw, n, digest(["ours", "theirs"])) for draw, n in enumerate(sought)]


def test_an_averaging_die_takes_the_face_in_that_position() -> None:
    stream = Stream(SEED, GAME, 2)
    assert [stream.draw(averaging("move")) for _ in range(6)] == [AVERAGING[index - 1] for index in (1, 6, 6, 4, 1, 5)]


def test_a_die_on_the_table_is_noted_as_an_event_keeps_it() -> None:
    stream = Stream(SEED, GAME, 2)
    dice = [die.rolled(stream.draw(die)) for die in (d6("attack"), averaging("move"))]
    assert [die.note() for die in dice] == [
        {"label": "attack", "sides": 6, "value": 1},
        {"label": "move", "sides": 6, "value": 5, "faces": [2, 3, 3, 4, 4, 5]},
    ]


def test_the_limits() -> None:
    assert face(SEED, GAME, 1, 0, 1) == 1
    assert 1 <= face(SEED, GAME, 1, 0, 2**32) <= 2**32
    for sides in (0, -6, 2**32 + 1):
        with pytest.raises(ValueError, match="sides"):
            face(SEED, GAME, 1, 0, sides)


def test_no_texts_is_the_hash_of_nothing(page: str) -> None:
    start, end = re.findall(r"`([0-9a-f]{8})…([0-9a-f]{4})`", page)[0]
    assert NO_TEXTS.startswith(start)
    assert NO_TEXTS.endswith(end)
    assert f"`{digest(['Anna’s cat'.replace('’', chr(39)), 'für Elise'])}`" in page
