"""Results: what is stored is read again as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ladder.result import Result, Seat

texts = st.text(max_size=8)
figures = st.none() | st.floats(allow_nan=False, allow_infinity=False)
seats = st.builds(
    Seat, player=texts, name=texts, person=texts, side=texts, reply_hours=figures, luck=figures
)
results = st.builds(
    Result,
    game=texts,
    system=texts,
    scenario=texts,
    title=texts,
    seats=st.tuples(seats, seats),
    winner=st.sampled_from((None, 0, 1)),
    commitment=texts,
    ended=st.integers(1, 99),
    confirmed=st.integers(1, 99),
    head=texts,
    time=st.floats(0, 4e9),
    by_manager=st.booleans(),
    series=texts,
)


@given(results)
def test_a_result_is_read_as_it_was_stored(result: Result) -> None:
    assert Result.from_json(json.loads(json.dumps(result.to_json()))) == result


@given(results)
def test_the_scores_of_both_players_sum_to_one(result: Result) -> None:
    assert result.score(0) + result.score(1) == 1.0
    assert result.is_draw == (result.score(0) == 0.5)


@given(results)
def test_a_result_with_one_player_or_a_missing_key_is_refused(result: Result) -> None:
    data = result.to_json()
    with pytest.raises(ValueError):
        Result.from_json({**data, "seats": data["seats"][:1]})
    del data["head"]
    with pytest.raises(TypeError):
        Result.from_json(data)
