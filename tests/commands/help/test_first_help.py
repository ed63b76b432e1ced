"""What a newcomer reads: which games there are, what a word means, whose word for "who" it is."""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.help.pages import build_welcome
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.bars import MOST_EXACT, WIDE, Chance, format_numbered_lines
from tests.playing import Channel


@pytest.mark.parametrize("line", ["help", "help games", "hello"])
async def test_every_rule_set_by_its_name(line: str) -> None:
    text = (await (await Channel.fresh()).do("Anna", line)).format_text()
    for id, game in load_shared_systems().items():
        assert f"/{id} {game.title}" in text


def test_the_welcome_names_them() -> None:
    text = build_welcome(load_shared_registry(), "Anyone can play.", "0" * 64).format_text()
    assert "Advanced Squad Leader, Beer and Pretzels Skirmish, Lock 'n Load Tactical" in text


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("help lnlt fire", "/help lnlt fire modifiers"),
        ("help lnlt fire tm", "tm: target modifier for the hex"),
        ("help lnlt fire night", "night: -3"),
        ("help lnlt night", "night: -3"),
        ("help lnlt cavalry", "cavalry"),
    ],
)
async def test_a_word_is_explained(line: str, said: str) -> None:
    assert said in (await (await Channel.fresh()).do("Anna", line)).format_text()


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("lnlt mines target=T1", "lnlt mines unit=T1"),
        ("baps morale-check target=x", "baps morale-check unit=x"),
        ("ucn morale element=x", "ucn morale unit=x"),
        ("lnlt fire shooters=x", "lnlt fire attackers=x"),
        ("lnlt fire target=x", "lnlt fire targets=x"),
    ],
)
async def test_the_right_word_for_who(line: str, right: str) -> None:
    reply = await (await Channel.fresh()).fails("Anna", line, "has no option")
    assert reply.better == right


async def test_count_numbers_a_name_and_the_list_takes_what_every_list_takes() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt sides="US, VC"', "game join US")
    await channel.do("Anna", 'unit add "2nd Squad" squad morale=5 fp=2 count=3')
    assert (await channel.do("Anna", "unit list us1..us2")).title == "2 units"
    assert (await channel.do("Anna", "unit list side:US")).title == "3 units"
    assert "2nd Squad 1-3" in (await channel.do("Anna", "unit list us")).format_text()
    reply = await channel.fails("Anna", "unit list hex:H5", "hex:H5")
    assert "no side" not in reply.format_text()


def test_an_endless_fraction_is_left_out() -> None:
    rows = [
        Chance("hit", 0.9, exact="91394235829974/95367431640625"),
        Chance("miss", 0.1, exact="1/10"),
    ]
    drawn = "\n".join(text for text, _ in format_numbered_lines("Odds", rows, WIDE))
    assert "1/10" in drawn
    assert "91394235829974" not in drawn
    huge = [Chance("hit", 0.9, exact=f"{'9' * 100}/{'1' * 100}")] * 2
    assert all(len(text) <= WIDE.columns for text, _ in format_numbered_lines("Odds", huge, WIDE))
    assert len("123456789/123456789") <= MOST_EXACT


@pytest.mark.parametrize(("scenario", "shot"), [
    ("lnlt scenario=ford", "lnlt fire attackers=us1 targets=vc1"),
    ("ucn scenario=causeway", "ucn shoot shooters=us1 target=germ1"),
    ("baps scenario=farm", ""),  # its shot takes a range, which nobody can guess
])  # fmt: skip
async def test_again_before_the_first_shot_says_what_to_type(scenario: str, shot: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {scenario}")
    reply = await channel.fails("Anna", "again", "Nothing to repeat yet.")
    assert (f"Your first shot: /{shot}" in reply.format_text()) == bool(shot)
    if shot:
        await channel.do("Anna", shot)
