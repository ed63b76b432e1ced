"""Help is asked for anywhere, in any of the usual ways, and turns from screen to screen."""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.text.phrase import Typed, split_pieces
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.ui.glossary import build_example
from bot.ui.help_topics import TOPICS
from bot.ui.reply.parts import Entry
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place, build_own_place
from bot.ui.typing.command_text import parse_text
from tests.playing import Channel

CLUB = Place("console:club/games", "console:club", "games")


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("lnlt fire help", "/lnlt fire"),
        ("/lnlt fire ?", "/lnlt fire"),
        ('lnlt fire "squad fp=2" --help', "/lnlt fire"),
        ("log --help", "/log"),
        ("/game help", "/game"),
        ("unit add help", "/unit add"),
        ("lnlt help", "Lock 'n Load Tactical"),
        ("lnlt-table ?", "/lnlt-table"),
        ("help lnlt fire ?", "/lnlt fire"),
        ("help units", "Units"),
        ("help real dice", "Your own dice"),
        ("help odds", "Odds"),
        ("help undo", "Undo"),
        ("help fair dice", "Fair dice"),
        ("version", "Version"),
        ("hello there", "Hello. Grognard runs tabletop battles in your channel"),
    ],
)
async def test_whoever_asks_in_any_usual_way_is_helped(typed: str, title: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", typed)
    assert reply.title == title
    assert reply.private
    await channel.app.close()


async def test_help_as_a_word_among_others_is_a_word() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start lnlt "Hill 875" sides="US, VC"', "unit add help squad US morale=5 fp=2"
    )
    assert "help" in (await channel.do("Anna", "unit list")).format_text()
    await channel.app.close()


async def test_every_screen_leads_on_and_back() -> None:
    """From the first screen to a rule set, a sequence of it, its modifiers, and all the way back
    by buttons.
    """
    channel = await Channel.fresh()
    first = await channel.do("Anna", "help")
    assert [part.label for part in first.lines if isinstance(part, Entry)] == [
        "Open a form",
        "Try",
        "Start",
        "Roll 2d6",
    ]
    titles = []
    for label in (
        "Lock 'n Load Tactical",
        "/lnlt fire",
        "Modifiers",
        "Back",
        "Units",
        "Back",
        "Back",
        "Back",
    ):
        first = await channel.press("Anna", _action(first, label))
        assert first.in_place, label
        assert first.boxed, label
        titles.append(f"{first.title}, {first.by}")
    assert titles == [
        "Lock 'n Load Tactical, bring the rule book, Grognard brings the tables",
        "/lnlt fire, Direct fire",
        "/lnlt fire, all its options",
        "/lnlt fire, Direct fire",
        "/lnlt fire, what a unit can have",
        "/lnlt fire, Direct fire",
        "Lock 'n Load Tactical, bring the rule book, Grognard brings the tables",
        "Grognard runs tabletop battles in your channel, you pick the units, it handles the tables",
    ]
    await channel.app.close()


def _action(reply: Reply, label: str) -> str:
    actions = {entry.label: entry.action for menu in reply.menus for entry in menu.entries}
    return {**actions, **{button.label: button.action for button in reply.buttons}}[label]


async def test_try_it_counts_odds_and_rolls_nothing() -> None:
    channel = await Channel.fresh()
    reply = await channel.press(
        "Anna", _action(await channel.do("Anna", "help lnlt fire"), "Try it")
    )
    assert reply.private
    assert [button.label for button in reply.buttons] == [
        "Roll it",
        "Change…",
        "What if",
        "Picture",
        "Share",
    ]
    assert await channel.app.games.load_current(channel.place.key) is None
    assert not (await channel.press("Anna", "throw:2d6")).private
    await channel.app.close()


async def test_help_on_a_shot_says_what_a_unit_may_carry_in_it() -> None:
    channel = await Channel.fresh()
    lines = (await channel.do("Anna", "help lnlt fire")).format_body()
    assert "sw= firepower of each support weapon used" in lines
    assert "What each word of a unit means: /help lnlt fire units" in lines
    assert "open_topped" in (await channel.do("Anna", "help lnlt fire units")).format_text()
    assert not any(line.startswith("dist=") for line in lines), "only in a fire mission"
    assert any(
        line.startswith("dist=")
        for line in (await channel.do("Anna", "help lnlt fire-mission")).format_body()
    )
    await channel.app.close()


@pytest.mark.parametrize("game", list(load_shared_systems()))
async def test_examples_in_errors_are_of_the_game_that_is_played(game: str) -> None:
    """And they can be typed as they are printed."""
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {game} "Evening" sides="US, VC"', "game join US")
    reply = await channel.fails("Anna", "unit add", "For example: ")
    (line,) = [line for line in reply.format_body() if line.startswith("For example: ")]
    await channel.do("Anna", line.removeprefix("For example: "))
    assert (
        build_example(parse_text("unit add", load_shared_registry()).spec, find_shared_system(game))
        in (await channel.do("Anna", "help unit add")).format_text()
    )
    await channel.app.close()


async def test_a_command_without_words_is_no_example_of_itself() -> None:
    channel = await Channel.fresh()
    assert "For example" not in (await channel.fails("Anna", "again", "")).format_text()
    await channel.app.close()


async def topics(channel: Channel, typed: str) -> list[str]:
    found = await channel.app.complete_option(
        ("help",), "topic", typed, {}, channel.who("Anna"), channel.place
    )
    return [choice.value for choice in found]


async def test_topics_are_completed_at_every_level() -> None:
    channel = await Channel.fresh(place=CLUB)
    assert {"lnlt melee", "baps melee", "lnlt-table melee-odds"} <= set(
        await topics(channel, "melee")
    )
    assert "lnlt fire" in await topics(channel, "fire")
    assert (await topics(channel, "lnlt f"))[:2] == ["lnlt fire", "lnlt fire-mission"]
    assert (await topics(channel, "und"))[0] == "undo"
    await channel.app.close()


async def test_only_enabled_systems_are_named() -> None:
    channel = await Channel.fresh(place=CLUB)
    assert not (await channel.say("Anna", 'setup systems "lnlt ucn"', manager=True)).error
    assert {topic.split()[0] for topic in await topics(channel, "melee")} <= {
        "lnlt",
        "lnlt-table",
        "ucn",
        "ucn-table",
    }
    text = (await channel.do("Anna", "help")).format_text()
    assert "/help lnlt fire" in text
    assert "baps" not in text
    await channel.app.close()


async def test_completion_knows_the_topics_of_help() -> None:
    channel = await Channel.fresh()
    for topic in TOPICS:
        assert topic in await topics(channel, topic)


async def test_each_entry_of_a_menu_of_help_opens_by_the_name_that_it_shows() -> None:
    channel = await Channel.fresh()
    for page in ("", "games"):
        menus = (await channel.say("Anna", f"help {page}")).menus
        for entry in (entry for menu in menus for entry in menu.entries):
            typed = await channel.say("Anna", f'help "{entry.label}"')
            assert (
                typed.format_text() == (await channel.press("Anna", entry.action)).format_text()
            ), entry.label


async def test_help_before_and_behind_every_command_explains_it() -> None:
    """All commands, in each of the three ways; what is under a group comes with the group."""
    channel = await Channel.fresh()
    for spec in load_shared_registry():
        typed = " ".join(spec.path)
        if typed == "help":
            continue
        for line in (f"help {typed}", f"/{typed} ?", f"{typed} --help"):
            reply = await channel.do("Anna", line)
            assert reply.private
            assert reply.title == spec.name, f"{line}: {reply.title}"
            assert reply.by or reply.format_body(), line
            assert "..." not in reply.title
    await channel.app.close()


def list_lines(reply: Reply) -> list[str]:
    """Return the commands that a page of help names: those to be typed, and its forms and pages."""
    texts = [part if isinstance(part, str) else getattr(part, "text", "") for part in reply.lines]
    pieces = [piece for text in texts for piece in split_pieces(text)]
    lines = [piece.removeprefix("/") for piece in pieces if isinstance(piece, Typed)]
    actions = [button.action for button in reply.buttons]
    actions += [entry.action for menu in reply.menus for entry in menu.entries]
    actions += [part.action for part in reply.lines if isinstance(part, Entry)]
    lines += [action.removeprefix("form:") for action in actions if action.startswith("form:")]
    return [*lines, *[action for action in actions if action.startswith("help:")]]


def is_there(line: str) -> bool:
    """Return whether somebody's own play has what a line names."""
    words = line.removeprefix("help:").removeprefix("help ").casefold().split()
    if not words or words[0] not in load_shared_registry().top_names:
        return True
    below = list(load_shared_registry().list_below(tuple(words[:2]))) or list(
        load_shared_registry().list_below(tuple(words[:1]))
    )
    return any(not spec.needs_game for spec in below)


async def test_help_in_ones_own_play_names_only_what_is_there() -> None:
    """From page to page, by every button and menu of the first three."""
    channel = await Channel.fresh(place=build_own_place("console:anna"))
    pages = [await channel.say("Anna", "help")]
    seen = set[str]()
    for depth in range(3):
        lines = {line for page in pages for line in list_lines(page)}
        assert [line for line in lines if not is_there(line)] == []
        actions = {line for line in lines if line.startswith("help:")} - seen
        seen |= actions
        assert actions or depth == 2
        pages = [await channel.press("Anna", action) for action in sorted(actions)]
    assert len(seen) > 20
