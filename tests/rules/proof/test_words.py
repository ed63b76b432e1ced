"""The dice: one row of words for each event, fair faces, words that are passed over."""

from __future__ import annotations

import hmac
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules.dice import AVERAGING, Die, make_averaging_die
from bot.rules.proof.fair import NO_TEXTS, Stream, compute_digest
from tests.rules.proof.fair_helpers import CHI_SQUARE, GAME, SEED, rows

LARGE = 2**31 + 1


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "dice-protocol.md").read_text()


def documented(page: str) -> Callable[..., list[int]]:
    """The function that the page prints, which shares no code with ours."""
    names: dict[str, Any] = {}
    exec(page.split("## Compute a die yourself")[1].split("```python\n")[1].split("```")[0], names)
    return names["faces"]  # type: ignore[no-any-return]


def drawn(words: Stream, *sides: int) -> list[int | str]:
    """One die after another."""
    return [words.draw(Die("", each)) for each in sides]


def numbers(cell: str) -> list[int]:
    return [int(number) for number in cell.split()]


def test_the_published_vectors(page: str) -> None:
    vectors = rows(page, "| event | texts | sides | twelve faces |")
    assert len(vectors) == 12
    for event, told, sides, shown in vectors:
        texts = [text for text in told.split(" / ") if text]
        words = Stream(SEED, GAME, int(event), compute_digest(texts))
        assert drawn(words, *[int(sides)] * 12) == numbers(shown), (event, told, sides)
        assert documented(page)(SEED, GAME, int(event), [int(sides)] * 12, texts) == numbers(shown)


def test_the_published_vectors_for_words_passed_over(page: str) -> None:
    vectors = rows(page, "| event | sides of each die | words skipped | its faces |")
    assert len(vectors) == 3
    for event, each, over, shown in vectors:
        sides = numbers(each)
        assert drawn(Stream(SEED, GAME, int(event)), *sides) == numbers(shown)
        assert documented(page)(SEED, GAME, int(event), sides) == numbers(shown)
        used = [0, *_used(int(event), sides)]
        assert [later - earlier - 1 for earlier, later in pairwise(used)] == numbers(over)


def _used(event: int, sides: list[int]) -> Iterator[int]:
    """How many words have gone after each die, counted with nothing but the digests."""
    row = [
        word
        for block in range(4)
        for word in struct.unpack(
            ">8I", hmac.digest(SEED, f"2:{GAME}:{event}:{NO_TEXTS}:{block}".encode(), "sha256")
        )
    ]
    at = 0
    for each in sides:
        while row[at] >= 2**32 // each * each:
            at += 1
        at += 1
        yield at


@given(
    seed=st.binary(min_size=32, max_size=32),
    event=st.integers(1, 10**6),
    sides=st.lists(
        st.sampled_from([1, 2, 3, 4, 6, 8, 10, 12, 20, 100, 1_000_000, LARGE, 2**32]), max_size=40
    ),
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), max_size=3),
)
def test_the_printed_function_gives_the_same_faces(
    root: Path, seed: bytes, event: int, sides: list[int], texts: list[str]
) -> None:
    printed = documented((root / "docs" / "dice-protocol.md").read_text())
    assert printed(seed, GAME, event, sides, texts) == drawn(
        Stream(seed, GAME, event, compute_digest(texts)), *sides
    )


@given(st.lists(st.tuples(st.sampled_from([6, 10, LARGE]), st.integers(1, 20)), max_size=8))
def test_dice_drawn_together_are_those_drawn_one_by_one(pools: list[tuple[int, int]]) -> None:
    together, single = Stream(SEED, GAME, 9), Stream(SEED, GAME, 9)
    for sides, count in pools:
        assert together.draw_all(Die("", sides), count) == drawn(single, *[sides] * count)


def constructed(*words: int) -> Stream:
    """Dice whose words are these, as no seed is likely to give them."""

    class Given(Stream):
        def _generate_words(self) -> Iterator[int]:
            return iter(words)

    return Given(SEED, GAME, 1)


def test_a_word_at_the_limit_is_passed_over() -> None:
    """Of the 2^32 words, the last four would favour the low faces of a d6."""
    top = 2**32 - 4
    words = constructed(top - 1, top, 2**32 - 1, 5, 0, top, 6, 1)
    assert drawn(words, 6, 6, 6, 6) == [6, 6, 1, 1]
    assert words.draw(Die("", 2)) == 2, "the word behind them is the next"


def test_what_one_die_passes_over_is_gone_for_all() -> None:
    """A d10 cannot use a word that a d2 could have used; the d2 behind it takes the next one all
    the same.
    """
    words = constructed(2**32 - 1, 7, 2, 3, 0, 0, 0, 0)
    assert drawn(words, 10, 2, 2) == [8, 1, 2]


def test_a_digest_without_a_word_of_use() -> None:
    words = constructed(*[2**32 - 1] * 16, 4, 9, 0, 0, 0, 0, 0, 0)
    assert words.draw_all(Die("", 6), 2) == [5, 4]


def test_words_passed_over_among_dice_drawn_together() -> None:
    high = 2**32 - 1
    words = constructed(1, high, 2, high, high, 3, 4, high, high, 5, 0, 0, 0, 0, 0, 0)
    assert words.draw_all(Die("", 6), 5) == [2, 3, 4, 5, 6]
    assert words.draw(Die("", 6)) == 1


@pytest.mark.parametrize("sides", [2, 3, 4, 6, 8, 10, 12, 20, 100])
@pytest.mark.parametrize("seed", [SEED, bytes(32)])
def test_every_face_comes_as_often_as_it_should(sides: int, seed: bytes) -> None:
    seen = Counter[int | str]()
    for event in range(1, 10 * sides + 1):
        seen.update(Stream(seed, GAME, event).draw_all(Die("", sides), 20))
    assert set(seen) == set(range(1, sides + 1))
    assert sum((seen[value] - 200) ** 2 / 200 for value in seen) < CHI_SQUARE[sides - 1]


@pytest.mark.parametrize("place", [0, 1, 7, 8, 15])
def test_every_place_of_the_row_is_fair(place: int) -> None:
    """The first word as much as the last of a digest and the first of the next."""
    seen = Counter(
        Stream(SEED, GAME, event).draw_all(Die("", 6), place + 1)[place] for event in range(1, 1201)
    )
    assert sum((seen[value] - 200) ** 2 / 200 for value in range(1, 7)) < CHI_SQUARE[5]


def test_neighbouring_dice_do_not_depend_on_each_other() -> None:
    row = [
        value
        for event in range(1, 721)
        for value in Stream(SEED, GAME, event).draw_all(Die("", 6), 10)
    ]
    seen = Counter(pairwise([*row, row[0]]))
    # 35 degrees of freedom, once in 1,000
    assert sum((count - 200) ** 2 / 200 for count in seen.values()) < 66.62


def test_another_seed_game_event_or_text_gives_other_dice() -> None:
    one = drawn(Stream(SEED, GAME, 5), *[1000] * 12)
    for other in (
        Stream(SEED, GAME, 6),
        Stream(SEED, "another", 5),
        Stream(bytes([*SEED[:-1], SEED[-1] ^ 1]), GAME, 5),
        Stream(SEED, GAME, 5, compute_digest(["d"])),
    ):
        assert drawn(other, *[1000] * 12) != one


def test_an_averaging_die_takes_the_face_in_that_position() -> None:
    words = Stream(SEED, GAME, 2)
    assert [words.draw(make_averaging_die("move")) for _ in range(6)] == [
        AVERAGING[index - 1] for index in (6, 5, 3, 5, 6, 6)
    ]


def test_the_limits() -> None:
    assert drawn(Stream(SEED, GAME, 1), 1) == [1]
    assert Stream(SEED, GAME, 1).draw_all(Die("", 6), 0) == []
    for sides in (0, -6, 2**32 + 1):
        with pytest.raises(ValueError, match="sides"):
            Stream(SEED, GAME, 1).draw(Die("", sides))
