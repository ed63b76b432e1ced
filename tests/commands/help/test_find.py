"""`/find`: what is printed leads to the table, form or page that is meant; nothing is rolled, and
only who asks sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.commands.dispatch import load_shared_registry
from bot.rules.text.phrase import Typed, split_pieces
from bot.rulesets.packs.archive import zip_content
from bot.rulesets.system import list_builtin_systems
from bot.ui.finding import MOST, Findable, FindableKind, list_targets, search
from bot.ui.registry import TABLE
from bot.ui.reply.packing import read_file_text
from bot.ui.reply.parts import Entry, Group
from bot.ui.reply.reply import OPEN_FORM, Reply
from bot.ui.spec import Place, build_own_place
from tests.packs.conftest import FEW
from tests.playing import Channel, two_sides

DATA = Path(__file__).resolve().parents[2] / "data"
HEADINGS: dict[str, dict[Any, list[str]]] = yaml.safe_load(
    (DATA / "headings.yaml").read_text("utf-8")
)
CLUB = Place("console:club/games", "console:club", "games")


def list_headings() -> Iterator[tuple[str, str, set[str]]]:
    for game, headings in HEADINGS.items():
        for heading, tables in headings.items():
            yield game, str(heading), {f"{game}{TABLE} {table}" for table in tables}


def test_every_heading_of_the_cards_opens_its_table_or_lists_it_first() -> None:
    headings = list(list_headings())
    assert len(headings) == 78
    for game, heading, tables in headings:
        finding = search(heading, load_shared_registry(), list_builtin_systems(), game)
        keys = [hit.target.key for hit in finding.hits]
        assert set(keys[: len(tables)]) == tables, heading
        if finding.sure is not None:
            assert {finding.sure.key} == tables, heading
        without_game = [
            hit.target.key
            for hit in search(heading, load_shared_registry(), list_builtin_systems()).hits
        ]
        assert tables <= set(without_game[:MOST]), heading


def list_entries(reply: Reply) -> list[Entry]:
    return [part for part in reply.lines if isinstance(part, Entry)]


def list_commands(reply: Reply) -> list[str]:
    """Return the commands that an answer prints to be typed."""
    texts = [part.text if isinstance(part, Entry) else part for part in reply.lines]
    pieces = [piece for text in texts if isinstance(text, str) for piece in split_pieces(text)]
    return [piece for piece in pieces if isinstance(piece, Typed) and piece.startswith("/")]


async def press_all(channel: Channel, reply: Reply) -> None:
    """Press each button and menu entry of an answer, and type each command of a list."""
    actions = [button.action for button in reply.buttons]
    actions += [entry.action for entry in list_entries(reply)]
    actions += [entry.action for menu in reply.menus for entry in menu.entries]
    for action in actions:
        if action.startswith(OPEN_FORM):
            typed = action.removeprefix(OPEN_FORM)
            host = channel.who("Anna", manager=True)
            draft = await channel.app.forms.open_draft(typed, host, channel.place)
            assert not draft.message, (action, draft.message)
            continue
        if action.startswith("picture:"):
            continue  # the tests of pictures draw each table
        answer = await channel.press("Anna", action)
        assert answer.private, action
        assert not answer.error, (action, answer.format_text())
    for command in list_commands(reply) if list_entries(reply) else ():
        answer = await channel.say("Anna", command)
        assert answer.private, command
        assert not answer.error, (command, answer.format_text())


TARGETS = list(list_targets(load_shared_registry(), list_builtin_systems()))


@pytest.mark.slow_sample(40)
@pytest.mark.sample(20)
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.key.replace(" ", "-"))
async def test_each_target_opens_by_its_key_in_private_and_its_buttons_work(
    target: Findable,
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Ford" scenario=ford')
    last = (await channel.game()).last
    reply = await channel.say("Anna", f"find {target.key}")
    assert reply.private
    assert not reply.error, reply.format_text()
    if target.kind in (FindableKind.TABLE, FindableKind.WORD, FindableKind.SCENARIO):
        assert reply.title == target.title
    await press_all(channel, reply)
    assert (await channel.game()).last == last, "a search wrote an event"


@pytest.mark.parametrize(
    "words", ["smoke", "fire", "squad", "penetration", "morale", "undo", "melee ods", "13+", "smg"]
)
async def test_a_list_has_ten_at_most_by_game_and_all_its_buttons_work(words: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", f"find {words}")
    entries = list_entries(reply)
    assert 1 <= len(entries) <= MOST, reply.format_text()
    assert all(entry.label for entry in entries)
    groups = [part.label for part in reply.lines if isinstance(part, Group)]
    assert len(groups) == len(set(groups))
    await press_all(channel, reply)
    assert await channel.app.games.load_current(channel.place.key) is None, "a search began a game"


async def test_the_game_in_play_goes_first_and_one_sure_match_opens() -> None:
    channel = await Channel.fresh()
    listed = await channel.say("Anna", "find fire")
    assert listed.title.endswith('matches for "fire"')
    await channel.do("Anna", 'game start nhis "Hill" sides="US, Japan"')
    opened = await channel.say("Anna", "find fire")
    assert opened.first_line == "/nhis fire · Ranged fire"
    table = await channel.say("Anna", "find status damage")
    assert table.title == "Status damage", "of a game that is not played, if that alone has it"
    moves = await channel.say("Anna", "find mov")
    groups = [part.label for part in moves.lines if isinstance(part, Group)]
    assert groups[0] == "No Honor in Surrender"


async def test_nothing_that_the_channel_remembers_is_found() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'unit add "Zebulon" leader US morale=6 lm=1')
    await channel.do("Anna", 'order write "quixotic flanking"')
    await channel.do(
        "Anna", 'deck make "Ambuscade x3, Airdrop" zanzibar', "deck draw zanzibar to=me"
    )
    for word in ("Zebulon", "quixotic", "Ambuscade", "zanzibar", "Hill 875"):
        reply = await channel.say("Anna", f"find {word}")
        assert reply.code == "nothing-found", reply.format_text()


async def test_a_game_that_is_switched_off_is_not_found() -> None:
    channel = await Channel.fresh(place=CLUB)
    assert not (await channel.say("Anna", 'setup systems "lnlt"', manager=True)).error
    reply = await channel.say("Anna", "find status damage")
    assert "ucn" not in reply.format_text()
    found = await channel.app.complete_option(
        ("find",), "words", "status dam", {}, channel.who("Anna"), channel.place
    )
    assert not [choice for choice in found if choice.value.startswith("ucn")]


async def test_the_packs_of_the_server_are_found() -> None:
    channel = await Channel.fresh(place=CLUB)
    host = channel.who("Host", manager=True)
    pack = read_file_text(
        zip_content({name: text.encode() for name, text in FEW.items()}), "few.zip"
    )
    spec = channel.app.find_spec(("pack", "add"))
    await channel.app.run_parsed(spec, {"file": pack}, host, channel.place, "add")
    assert (await channel.say("Anna", "find few-table crt")).code == "nothing-found"
    assert not (await channel.say("Host", "pack enable few", manager=True)).error
    reply = await channel.say("Anna", "find few-table crt")
    assert reply.title == "CRT"
    assert reply.private
    await press_all(channel, reply)


async def test_in_play_of_ones_own_only_what_works_there_is_found() -> None:
    channel = await Channel.fresh(place=build_own_place("console:anna"))
    assert (await channel.say("Anna", "find melee odds")).title == "Melee odds ratio"
    for word in ("ford", "unit add", "game start"):
        reply = await channel.say("Anna", f"find {word}")
        assert "/unit" not in reply.format_text()
        assert "/game start" not in reply.format_text()


async def test_find_is_completed_with_what_opens() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start ucn "Causeway" sides="US, German"')
    found = await channel.app.complete_option(
        ("find",), "words", "hesit", {}, channel.who("Anna"), channel.place
    )
    assert [choice.value for choice in found][:2] == [
        "ucn unit hesitant",
        "ucn unit hesitant-morale",
    ]
    assert (await channel.say("Anna", f"find {found[0].value}")).title == "Hesitant"


async def test_nothing_found_says_so_and_offers_no_form() -> None:
    channel = await Channel.fresh()
    reply = await channel.refused("Anna", "find xyzzy", "nothing-found")
    assert not reply.buttons


async def test_help_names_find() -> None:
    channel = await Channel.fresh()
    assert "/find melee odds" in (await channel.do("Anna", "help")).format_text()
    assert "melee odds" in (await channel.do("Anna", "help find")).format_text()
