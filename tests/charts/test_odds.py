"""Odds, luck and losses as pictures, whatever people call their units."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.charts.charts import COLORS, render_losses, render_luck, render_odds, render_reply_odds
from bot.cli.odds_text import count_odds_reply
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import Sequence
from bot.ui.reply.parts import Odds
from tests.charts.drawn import assert_all_fits, boxes, kinds_in, words_in

SEQUENCES = [
    sequence
    for game in load_shared_systems().values()
    for sequence in game.sequences.values()
    if sequence.odds_by
]
SHOT = Odds(
    "VC Squads 5 + 6",
    (("casualties", 0.16), ("shaken", 0.45), ("no effect", 0.39)),
    came=("shaken",),
    least=(0.16, 0.61),
    tones=("hurt", "shaken", "nothing"),
)
ODD = st.text(max_size=300) | st.sampled_from(
    [
        "</text><script>alert(1)</script>",
        "&amp;",
        "]]>",
        "\x00\x0b\ud800",
        "W" * 200,
        "\u202e\u0600",
        "Ж日本🎲",
        "",
    ]
)


@pytest.mark.parametrize(
    "sequence", SEQUENCES, ids=lambda sequence: f"{sequence.system.id}/{sequence.id}"
)
def test_every_result_has_its_bar_its_percent_and_at_least(sequence: Sequence) -> None:
    reply = count_odds_reply(sequence, sequence.example)
    drawn = render_reply_odds(reply)
    assert_all_fits(drawn)
    rows = [row for part in reply.lines if isinstance(part, Odds) for row in part.rows]
    assert len(boxes(drawn, "bar")) == sum(row.chance > 0 for row in rows)
    assert words_in(drawn).count("%") >= len(rows) + sum(row.least is not None for row in rows)
    assert reply.title in drawn.alt


def test_the_words_hold_every_figure_of_the_bars() -> None:
    drawn = render_odds(
        "61% to shake or hurt each VC squad", "US Squads 3 + 4 fire", [SHOT], "Target modifier 1."
    )
    assert drawn.alt == (
        "61% to shake or hurt each VC squad (US Squads 3 + 4 fire). "
        "VC Squads 5 + 6: casualties 16% (at least 16%); shaken 45% (at least 61%), this roll; no effect 39%."
    )
    assert len(boxes(drawn, "came")) == 1
    assert all(
        color in drawn.svg for color in (COLORS["hurt"], COLORS["shaken"], COLORS["nothing"])
    )


def test_bars_are_as_long_as_their_chances() -> None:
    casualties, shaken, nothing = [
        right - left for left, _, right, _ in boxes(render_odds("", "", [SHOT]), "bar")
    ]
    assert shaken / casualties == pytest.approx(45 / 16, rel=0.01)
    assert nothing / casualties == pytest.approx(39 / 16, rel=0.01)


@settings(max_examples=60, deadline=None)
@given(name=ODD, word=ODD, title=ODD)
def test_no_name_breaks_a_picture_or_leaves_its_room(name: str, word: str, title: str) -> None:
    """Names are text and nothing else: no tag, no reference, no sign that XML cannot hold."""
    chart = Odds(
        name, ((word, 0.25), ("no effect", 0.75)), least=(0.25,), tones=("hurt", "nothing")
    )
    for drawn in (
        render_odds(title, name, [chart], word),
        render_luck(title, {name: [(1, 2.0), (7, -3.5)], word + "2": []}),
        render_losses(
            title,
            ["1", name],
            {word: [3, 0], word + "2": [0, 1]},
            dict.fromkeys((word, word + "2"), "2 of 7 lost"),
        ),
    ):
        assert_all_fits(drawn)
        assert kinds_in(drawn) <= {"svg", "title", "rect", "text", "polyline"}
        assert "href" not in drawn.svg.replace(
            "href", "", name.count("href") + word.count("href") + title.count("href")
        )


def test_luck_says_where_each_side_came_out() -> None:
    drawn = render_luck("Luck of Hill 875", {"US": [(2, 0.4), (9, -1.25)], "VC": [(4, 3.0)]})
    assert_all_fits(drawn)
    assert "US −1.2" in words_in(drawn)
    assert "VC +3" in words_in(drawn)
    assert "US: −1.2 points against expectation after 2 rolls, best +0.4, worst −1.2." in drawn.alt


def test_losses_are_counted_turn_by_turn() -> None:
    losses = {"US": [0, 2, 0], "VC": [1, 0, 4]}
    totals = {"US": "2 of 7 lost", "VC": "3 of 5 lost, 1 weakened"}
    drawn = render_losses("Losses of Hill 875", ["1", "2", "3"], losses, totals)
    assert_all_fits(drawn)
    assert len(boxes(drawn, "bar")) == 3
    assert drawn.alt == (
        "Losses of Hill 875. US: 2 of 7 lost, turn 2: 2. VC: 3 of 5 lost, 1 weakened, turn 1: 1, turn 3: 4."
    )


def test_a_long_campaign_shows_its_last_turns() -> None:
    drawn = render_losses(
        "Campaign", [str(turn) for turn in range(1, 61)], {"US": list(range(60))}, {"US": ""}
    )
    assert_all_fits(drawn)
    assert words_in(drawn).endswith("60")
