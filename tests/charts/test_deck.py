"""What is left of a deck as a picture: a chip for each card, and the same in words."""

from __future__ import annotations

import pytest

from bot.charts.charts import render_deck
from bot.charts.svg import HIT
from bot.commands import pictures
from tests.playing import Channel, two_sides


def test_a_chip_for_each_card_and_the_same_in_words() -> None:
    picture = render_deck(
        "Events",
        "3 of 5 in the pile",
        "In the pile",
        [("Ambush", 1, 3), ("Fog", 1, 1), ("K♠", 0, 1)],
        ["In play: Fog"],
    )
    assert picture.svg.count('class="left"') == 2
    assert picture.svg.count(f'fill="{HIT}"') == 1
    assert "Ambush 1 of 3" in picture.svg
    assert ">KS<" in picture.svg
    assert picture.alt == "Events. 3 of 5 in the pile. In play: Fog. In the pile: Ambush 1 of 3 Fog"


def test_a_large_deck_stays_a_picture() -> None:
    picture = render_deck(
        "Many", "", "In the pile", [(f"a card with a long name {n}", 1, 2) for n in range(400)], []
    )
    assert "250 more are listed in the answer itself." in picture.svg
    assert picture.height < 8_000


@pytest.mark.skipif(not pictures.can_draw(), reason="pictures are not installed")
async def test_the_button_draws_what_all_can_tell_and_no_closed_card() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", 'deck make "Ambush x3, Fog, Smoke, Mines" events', "deck draw", "deck draw to=me"
    )
    shown = await channel.do("Bob", "deck show")
    button = next(button for button in shown.buttons if button.label == "Picture")
    for name in ("Anna", "Bob"):
        drawn = await channel.press(name, button.action)
        assert drawn.private
        (file,) = drawn.files
        assert file.name == "deck.png"
        assert "in US's hand" in file.alt
        left = file.alt.partition("In the pile, or in a hand: ")[2]
        assert sum(card in left for card in ("Ambush", "Fog", "Smoke", "Mines")) >= 3
    await channel.do("Anna", "deck make standard-52")
    assert "Picture" not in [
        button.label for button in (await channel.do("Bob", "deck show")).buttons
    ]
    assert "Picture" in [
        button.label for button in (await channel.do("Bob", "deck show standard-52")).buttons
    ]
